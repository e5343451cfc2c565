"""How an operator's command runs: checks first, one answer, and errors in a sentence."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import Error

from boost_dashboard.operation.database import require_prepared
from flink_boost.base.errors import BrokenData, EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.publish.dashboard_commands import Answered

# What a command says in a sentence; `flink-boost` ends with the same exit code.
PROBLEMS = (UsageProblem, BrokenData, EnvironmentProblem)


class OperationCommand(BaseCommand):
    """A command of ``manage.py`` that ``flink-boost dashboard`` calls with ``--json``.

    With it, the answer or the error is one JSON object on the standard output.
    """

    requires_system_checks = ()  # they would load every view
    needs_tables = True

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json")

    def operate(self, options: dict[str, Any]) -> Answered:
        """Does it. Raises one of ``PROBLEMS``."""
        raise NotImplementedError

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            if self.needs_tables:
                require_prepared()
            answer = self.operate(options)
        except (*PROBLEMS, OSError, Error) as error:
            problem = _explain(error)
            if options["as_json"]:
                failed = {"error": problem.message, "next_step": problem.next_step}
                self.stdout.write(json.dumps(failed))
            else:
                self.stderr.write(f"{problem.message} {problem.next_step}")
            sys.exit(problem.exit_code)
        if options["as_json"]:
            content = {"sentences": answer.sentences, "shown": answer.shown, "facts": answer.facts}
            self.stdout.write(json.dumps(content))
            return
        if answer.shown:
            self.stdout.write(answer.shown)
        for sentence in answer.sentences:
            (self.stderr if answer.shown else self.stdout).write(sentence)


def _explain(error: Exception) -> FlinkBoostError:
    if isinstance(error, FlinkBoostError):
        return error
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return EnvironmentProblem(
            f"{error.strerror or type(error).__name__}{where}.",
            "Free some space or mend the permissions, then try again.",
        )
    return EnvironmentProblem(
        f"The database cannot be used: {without_password(str(error))}.",
        "Nothing was changed. See whether it runs and whether another process holds it.",
    )


def without_password(text: str) -> str:
    """The first line of what a database says, without the password that it was asked with."""
    password = str(settings.DATABASES["default"].get("PASSWORD") or "")
    line = " ".join(text.split("\n")[0].split()).rstrip(".")
    return line.replace(password, "***") if password else line
