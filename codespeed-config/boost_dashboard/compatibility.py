"""Lets Codespeed 0.13, written for Django 1.11 to 2.1, run unchanged on Django 5.2.

Codespeed imports three names that Django has removed since, and Matplotlib, which takes longer than
all the rest of a start. :func:`install` puts the names back and has to run before Codespeed is
imported, as :func:`draw_late` has, which is why the settings module calls them. The other functions
need its models and run once those are loaded. The removed template tags are in
``templatetags/legacy_conditions.py``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import django.conf.urls
import django.shortcuts
import django.utils.encoding
from django.db.models.fields.related_lookups import RelatedExact
from django.db.models.sql import Query
from django.http import HttpResponse
from django.template import loader
from django.urls import re_path

_DRAWING = "codespeed.images"


def install() -> None:
    """Adds the removed names to the modules that Codespeed takes them from; safe to repeat."""
    setattr(django.utils.encoding, "python_2_unicode_compatible", _same_class)  # noqa: B010
    setattr(django.shortcuts, "render_to_response", _render_to_response)  # noqa: B010
    setattr(django.conf.urls, "url", re_path)  # noqa: B010


def draw_late() -> None:
    """Loads Matplotlib with the first image instead of at the start; safe to repeat.

    Our own pages have none. In the place of the module that draws stands one that makes way for it.
    """
    if _DRAWING not in sys.modules:
        module = ModuleType(_DRAWING)
        setattr(module, "gen_image_from_results", _draw)  # noqa: B010
        sys.modules[_DRAWING] = module


def _draw(*arguments: Any) -> Any:
    if sys.modules[_DRAWING].__spec__ is None:
        del sys.modules[_DRAWING]
    return importlib.import_module(_DRAWING).gen_image_from_results(*arguments)


def show_whole_commit_ids() -> None:
    """Makes Codespeed link to runs by their whole name.

    Codespeed shortens commit ids to ten characters and looks them up by prefix. Ours begin with
    the commit, which many runs share, so the prefix would be ambiguous and the page an error.
    """
    from codespeed.models import Revision

    Revision.get_short_commitid = lambda revision: revision.commitid


def read_changes_at_once() -> None:
    """Makes Codespeed's reports out of a few queries, where it has ten for each benchmark."""
    from codespeed.models import Report

    from boost_dashboard.changes import get_changes_table

    Report.get_changes_table = get_changes_table


def allow_branch_querysets() -> None:
    """Lets Codespeed's changes page compare a revision's branch with a set of branches.

    It filters by ``branch=<all branches of that name and project>``, of which there is one. Since
    Django 5.2 such a set has to be limited to one row explicitly.
    """
    from codespeed.models import Revision

    Revision._meta.get_field("branch").register_lookup(_FirstOfQuery, "exact")


class _FirstOfQuery(RelatedExact):
    """Equality that takes the first row of a subquery."""

    rhs: Any

    def get_prep_lookup(self) -> Any:
        if isinstance(self.rhs, Query) and not self.rhs.is_sliced:
            self.rhs = self.rhs.clone()
            self.rhs.set_limits(high=1)
        return super().get_prep_lookup()


def _same_class(decorated: type) -> type:
    """What ``python_2_unicode_compatible`` did on Python 3: nothing."""
    return decorated


def _render_to_response(
    template_name: str, context: Mapping[str, Any] | None = None
) -> HttpResponse:
    """Renders without a request, that is without context processors, as the original did."""
    return HttpResponse(loader.render_to_string(template_name, dict(context or {})))
