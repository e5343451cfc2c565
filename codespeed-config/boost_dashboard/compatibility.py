"""Lets Codespeed 0.13, written for Django 1.11 to 2.1, run unchanged on Django 5.2.

Codespeed imports three names that Django has removed since. :func:`install` puts them back and has
to run before Codespeed is imported, which is why the settings module calls it. The removed template
tags are in ``templatetags/legacy_conditions.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import django.conf.urls
import django.shortcuts
import django.utils.encoding
from django.http import HttpResponse
from django.template import loader
from django.urls import re_path


def install() -> None:
    """Adds the removed names to the modules that Codespeed takes them from; safe to repeat."""
    setattr(django.utils.encoding, "python_2_unicode_compatible", _same_class)  # noqa: B010
    setattr(django.shortcuts, "render_to_response", _render_to_response)  # noqa: B010
    setattr(django.conf.urls, "url", re_path)  # noqa: B010


def show_whole_commit_ids() -> None:
    """Makes Codespeed link to runs by their whole name; call it once its models are loaded.

    Codespeed shortens commit ids to ten characters and looks them up by prefix. Ours begin with
    the commit, which many runs share, so the prefix would be ambiguous and the page an error.
    """
    from codespeed.models import Revision

    Revision.get_short_commitid = lambda revision: revision.commitid


def _same_class(decorated: type) -> type:
    """What ``python_2_unicode_compatible`` did on Python 3: nothing."""
    return decorated


def _render_to_response(
    template_name: str, context: Mapping[str, Any] | None = None
) -> HttpResponse:
    """Renders without a request, that is without context processors, as the original did."""
    return HttpResponse(loader.render_to_string(template_name, dict(context or {})))
