"""The Jenkinsfile, and what runs it in tests, as npm-groovy-lint sees them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from flink_boost.base.commands import run_captured
from flink_boost.base.files import exclusive_lock
from flink_boost.base.places import PROJECT_ROOT

pytestmark = pytest.mark.test_all

FOLDER = PROJECT_ROOT / "scripts" / "jenkins"
_CACHE = PROJECT_ROOT / ".cache" / "jenkins-lint"
_INSTALL = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
# The linter's own, and that it ends before optimised code or a collector in parallel would pay.
_JAVA = "-Xms256m,-Xmx2048m,-XX:TieredStopAtLevel=1,-XX:+UseSerialGC"


@pytest.fixture(scope="module")
def linter() -> Path:
    """Installed as ``package-lock.json`` says, whose SHA-512 npm compares; once per lock file."""
    locked = (FOLDER / "package-lock.json").read_bytes()
    stamp = _CACHE / "installed.json"
    _CACHE.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(_CACHE.parent / "jenkins-lint.lock", "jenkins-lint"):
        if not stamp.is_file() or stamp.read_bytes() != locked:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(FOLDER / name, _CACHE)
            done = run_captured(_INSTALL, 300, folder=_CACHE)
            assert done.returncode == 0, done.stdout
            stamp.write_bytes(locked)
    return _CACHE / "node_modules" / ".bin" / "npm-groovy-lint"


def lint(linter: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Lints every Groovy file below a folder, without the server that would outlive us."""
    command = (str(linter), "--noserver", "--no-insight", "--failon", "info", "--output", "txt")
    options = ("--config", str(FOLDER / "groovylint.json"), "--path", str(folder))
    options = (*options, f"--javaoptions={_JAVA}")
    return run_captured((*command, *options), 240, folder=folder)


def test_nothing_is_found(linter: Path, tmp_path: Path) -> None:
    for file in (PROJECT_ROOT / "Jenkinsfile", FOLDER / "run.groovy"):
        shutil.copy(file, tmp_path)
    done = lint(linter, tmp_path)
    assert done.returncode == 0, done.stdout
    assert "2 linted files" in done.stdout.replace("\x1b[1m", "").replace("\x1b[22m", "")


def test_a_variable_that_nobody_reads_is_found(linter: Path, tmp_path: Path) -> None:
    text = (PROJECT_ROOT / "Jenkinsfile").read_text(encoding="utf-8")
    (tmp_path / "Jenkinsfile").write_text(
        text.replace("def code = sh", "def unread = 1\n        def code = sh"), encoding="utf-8"
    )
    done = lint(linter, tmp_path)
    assert done.returncode != 0
    assert "UnusedVariable" in done.stdout
