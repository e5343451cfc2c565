"""``flink-boost verify --classpath``: judge a class path that is not ``bin/flink``'s."""

from __future__ import annotations

import os
from dataclasses import asdict

from flink_boost import __version__
from flink_boost.base.errors import UsageProblem, VerificationFailed
from flink_boost.base.processes import foreign_environment
from flink_boost.cli.answers import failing_in_json, print_json
from flink_boost.cli.printed_checks import show_checks, telling
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import patched_names
from flink_boost.operate.carried import carried
from flink_boost.operate.given_path import ask_path
from flink_boost.operate.path_check import judge_path, next_step, our_jar


def verify_path(class_path: str, *, alone: bool, as_json: bool) -> int:
    """Answers, and raises ``VerificationFailed`` when a check failed.

    A class path is no installation and runs no job: where something else is named beside it, it is
    not ``alone``, which raises ``UsageProblem``.
    """
    with failing_in_json("verify", as_json):
        if not alone:
            raise UsageProblem(
                "--classpath stands alone: not beside FLINK_HOME, --job or --stock.",
                "Leave one of them out.",
            )
        lines = load_lines()
        known = carried(__version__).dropins(lines.values())
        names = sorted(patched_names(lines.values()))
        given = ask_path(class_path, names, foreign_environment(os.environ))
        ours = our_jar(given, lines, known)
        checks = judge_path(given, ours, lines, known)
    failed = [check for check in checks if check.failed]
    exit_code = VerificationFailed.exit_code if failed else 0
    if as_json:
        found = {
            "classpath": class_path,
            "java": given.java,
            "entries": given.entries,
            "jar": ours.path,
            "flink_version": ours.flink_version,
            "checks": [asdict(check) for check in checks],
        }
        with telling(checks):
            print_json("verify", exit_code, found)
    else:
        show_checks(checks)
    if failed:
        raise VerificationFailed(
            f"This class path did not pass: {', '.join(check.name for check in failed)}.",
            next_step(given, ours),
        )
    return 0
