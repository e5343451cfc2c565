"""The dashboard's own operations for operators: tokens, backups, removing, renaming.

Their database is the one of ``DATABASE_URL``, else SQLite in the data folder.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT

_DJANGO_PROJECT = PROJECT_ROOT / "codespeed-config"


@dataclass(frozen=True)
class Answered:
    """What an operation said: ``shown`` is for the standard output alone, such as a token."""

    sentences: tuple[str, ...]
    facts: dict[str, Any] = field(repr=False)
    shown: str = field(default="", repr=False)


def operate(data: Path, work: Callable[[Any], Answered]) -> Answered:
    """What ``work`` says, which is handed ``boost_dashboard.operation.commands``.

    Raises ``UsageProblem``, ``BrokenData`` or ``EnvironmentProblem``.
    """
    from django.core.exceptions import ImproperlyConfigured

    # Secrets that are good for nothing: no page is served with them.
    names = ("FLINK_BOOST_SECRET_KEY", "FLINK_BOOST_TOKEN")
    unused = {name: secrets.token_urlsafe(48) for name in names}
    try:
        set_up_django(data, FLINK_BOOST_EMBEDDED="1", **unused)
    except ImproperlyConfigured as error:
        raise EnvironmentProblem(
            f"The dashboard cannot be worked on: {error}",
            "`.venv/bin/python codespeed-config/manage.py check` shows all of it.",
        ) from error
    from boost_dashboard.operation import commands

    with commands.in_sentences():
        return work(commands)


def set_up_django(data: Path, **environ: str) -> None:
    """Django in this process, on the dashboard's data folder; nothing where it is set up already.

    Raises Django's ``ImproperlyConfigured``, whose sentences name variables and files, no secret.
    """
    import django
    from django.apps import apps

    if apps.ready:
        return
    if str(_DJANGO_PROJECT) not in sys.path:
        sys.path.append(str(_DJANGO_PROJECT))
    os.environ.update(
        environ,
        DJANGO_SETTINGS_MODULE="boost_dashboard.settings",
        FLINK_BOOST_DASHBOARD_DATA=str(data.resolve()),
    )
    django.setup()
    # Django's settings make every library talk that can.
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("httpx").setLevel(logging.WARNING)
