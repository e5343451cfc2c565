"""Calls the dashboard's own commands for operators: tokens, backups, removing, renaming.

They run in a process of their own, as the server does, because Django belongs to it alone. Its
database is the one of ``DATABASE_URL``, else SQLite in the data folder.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flink_boost.base.errors import BrokenData, EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.base.places import PROJECT_ROOT

_MANAGE = PROJECT_ROOT / "codespeed-config" / "manage.py"
# Years of nights take minutes; without an end, a lock of somebody else's would hold us for ever.
_SECONDS = 6 * 3600.0
_ERRORS: dict[int, type[FlinkBoostError]] = {
    one.exit_code: one for one in (UsageProblem, BrokenData, EnvironmentProblem)
}


@dataclass(frozen=True)
class Answered:
    """What a command said: ``shown`` is for the standard output alone, such as a token."""

    sentences: tuple[str, ...]
    facts: dict[str, Any] = field(repr=False)
    shown: str = field(default="", repr=False)


def operate(
    data: Path, command: str, arguments: Sequence[str], *, environ: Mapping[str, str]
) -> Answered:
    """Runs one command of ``codespeed-config/boost_dashboard/management`` on that data folder.

    Raises ``UsageProblem``, ``BrokenData`` or ``EnvironmentProblem`` with what it says.
    """
    try:
        done = subprocess.run(
            [sys.executable, str(_MANAGE), command, "--json", *arguments],
            env=_environment(data, environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(
            f"{command} did not end within {_SECONDS / 3600:.0f} hours.",
            "See whether another process holds the database.",
        ) from error
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise _without_answer(done.stderr) from None
    if "error" in answer:
        problem = _ERRORS.get(done.returncode, FlinkBoostError)
        raise problem(answer["error"], answer["next_step"])
    return Answered(tuple(answer["sentences"]), answer["facts"], answer["shown"])


def _environment(data: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """As the server's, with secrets that are good for nothing: no page is served with them."""
    return {
        **environ,
        "DJANGO_SETTINGS_MODULE": "boost_dashboard.settings",
        "PYTHONPATH": str(_MANAGE.parent),
        "FLINK_BOOST_DASHBOARD_DATA": str(data.resolve()),
        "FLINK_BOOST_EMBEDDED": "1",
        "FLINK_BOOST_SECRET_KEY": secrets.token_urlsafe(48),
        "FLINK_BOOST_TOKEN": secrets.token_urlsafe(48),
    }


def _without_answer(stderr: str) -> EnvironmentProblem:
    lines = stderr.strip().splitlines() or ["it printed nothing"]
    reason = lines[-1].removeprefix("django.core.exceptions.ImproperlyConfigured: ")
    return EnvironmentProblem(
        f"The dashboard cannot be worked on: {reason}",
        f"`.venv/bin/python {_MANAGE.relative_to(PROJECT_ROOT)} check` shows all of it.",
    )
