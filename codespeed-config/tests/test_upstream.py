"""Codespeed's own tests, from the installed package, on our settings and behind our token check."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from conftest import PROJECT_FOLDER, clean_environ

TESTS_IN_CODESPEED_0_13_0 = 44


def run_codespeed_tests(data: Path, *arguments: str, **environ: str) -> tuple[int, str]:
    paths = os.pathsep.join(map(str, (PROJECT_FOLDER, PROJECT_FOLDER / "tests" / "upstream")))
    done = subprocess.run(
        [sys.executable, "-m", "django", "test", "codespeed", *arguments],
        env={
            **clean_environ(),
            "PYTHONPATH": paths,
            "DJANGO_SETTINGS_MODULE": "upstream_settings",
            "FLINK_BOOST_EMBEDDED": "1",
            "FLINK_BOOST_DASHBOARD_DATA": str(data),
            **environ,
        },
        cwd=data,  # so that nothing in the working folder shadows the installed package
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def test_all_of_them_pass(tmp_path: Path) -> None:
    package = find_spec("codespeed")
    assert package is not None
    assert "site-packages" in str(package.origin)

    code, output = run_codespeed_tests(tmp_path)

    ran = re.search(r"^Ran (\d+) tests", output, re.MULTILINE)
    assert ran is not None, output
    assert int(ran.group(1)) == TESTS_IN_CODESPEED_0_13_0
    assert output.rstrip().splitlines()[-2] == "OK", output
    assert code == 0


def test_they_fail_without_the_token(tmp_path: Path) -> None:
    """The token check is not switched off for them: without it nothing that writes passes."""
    code, output = run_codespeed_tests(
        tmp_path, "--testrunner", "django.test.runner.DiscoverRunner"
    )

    assert code != 0
    assert "401 != 202" in output
