"""Setting up ``.venv``: from the cache without a network, again, after a kill, from damaged files.

The environments built here are small ones, from files that the set-up of this very project has
left in ``.cache/pip-wheels``.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PROJECT_FOLDER, clean_environ
from flink_boost import bootstrap
from flink_boost.base.errors import EnvironmentProblem

ROOT = PROJECT_FOLDER.parent
WANTED = ("isodate", "setuptools", "wheel")


def without_network() -> dict[str, str]:
    """An environment in which pip can reach no index."""
    return {**clean_environ(), "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": ""}


def run(root: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(root / "scripts" / "bootstrap-venv")],
        env={**without_network(), **environ},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project that needs a few packages only, with a complete cache."""
    root = tmp_path / "project"
    shutil.copytree(
        ROOT / "scripts",
        root / "scripts",
        ignore=shutil.ignore_patterns("tests", "__pycache__", ".*", "*.egg-info"),
    )
    shutil.copytree(PROJECT_FOLDER / "requirements", root / "codespeed-config" / "requirements")
    entries = {
        entry.split("==")[0]: entry
        for lock in bootstrap.Layout(ROOT).wheel_locks
        for entry in bootstrap.read_entries(lock)
    }
    layout = bootstrap.Layout(root)
    scripts_lock, dashboard_lock = layout.wheel_locks
    scripts_lock.write_text("\n".join(entries[name] for name in WANTED) + "\n", encoding="utf-8")
    dashboard_lock.write_text("", encoding="utf-8")
    layout.cache.mkdir(parents=True)
    for name in (*WANTED, "pip", "codespeed"):
        for file in bootstrap.Layout(ROOT).cache.glob(f"{name}-*.whl"):
            shutil.copy(file, layout.cache)
    setup = bootstrap._Setup(layout, lambda _: None)
    bootstrap._write(setup._cache_stamp(), setup._cache_digest())
    return root


def works(root: Path) -> bool:
    command = [str(root / ".venv" / "bin" / "python"), "-c", "import codespeed, flink_boost"]
    done = subprocess.run(command, timeout=60, check=False, env=clean_environ())
    return done.returncode == 0 and (root / ".venv" / "bin" / "flink-boost").exists()


def written(root: Path) -> dict[Path, int]:
    """When each file and folder of the environment was last written."""
    return {path: path.lstat().st_mtime_ns for path in (root / ".venv").rglob("*")}


def test_a_complete_cache_needs_no_network_and_a_second_call_does_nothing(project: Path) -> None:
    first = run(project)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "[set-up] Installing 3 packages" in first.stdout
    assert works(project)

    before = written(project)
    second = run(project)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert written(project) == before


def test_a_killed_set_up_is_done_anew(project: Path) -> None:
    killed = subprocess.Popen(
        [str(project / "scripts" / "bootstrap-venv")],
        env=without_network(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert killed.stdout is not None
    while "Installing" not in killed.stdout.readline():
        assert killed.poll() is None
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=30)
    assert not (project / ".venv" / "flink-boost.stamp").exists()

    assert run(project).returncode == 0
    assert works(project)


def test_a_damaged_file_is_never_installed(project: Path) -> None:
    """It is thrown away and fetched again, which ends here for lack of a network."""
    (wheel,) = bootstrap.Layout(project).cache.glob("isodate-*.whl")
    wheel.write_bytes(wheel.read_bytes()[:-100])

    done = run(project)

    assert done.returncode == EnvironmentProblem.exit_code
    assert "A file in the cache is damaged" in done.stdout
    assert "The package index cannot be reached." in done.stderr
    assert "PIP_INDEX_URL" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / ".venv" / "flink-boost.stamp").exists()


def test_a_wheel_of_codespeed_that_we_did_not_build_is_not_used(project: Path) -> None:
    """No lock file knows the hash of what is built here: the cache's own stamp does."""
    layout = bootstrap.Layout(project)
    setup = bootstrap._Setup(layout, lambda _: None)
    assert setup._cache_is_complete()

    (wheel,) = layout.cache.glob("codespeed-*.whl")
    wheel.write_bytes(wheel.read_bytes() + b"\0")

    assert not setup._cache_is_complete()


def test_another_checksum_is_said(project: Path) -> None:
    lock = bootstrap.Layout(project).wheel_locks[0]
    zeros = re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, lock.read_text(encoding="utf-8"))
    lock.write_text(zeros, encoding="utf-8")
    index = shutil.copytree(bootstrap.Layout(project).cache, project / "index")

    done = run(project, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(index))

    assert done.returncode == EnvironmentProblem.exit_code
    assert "another checksum than its lock file says" in done.stderr
    assert not (project / ".venv" / "flink-boost.stamp").exists()


def test_a_machine_without_python_3_11_is_told_what_to_install() -> None:
    done = subprocess.run(
        [str(ROOT / "scripts" / "bootstrap-venv")],
        env={**clean_environ(), "PYTHON": "/bin/false"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == EnvironmentProblem.exit_code
    assert "needs Python 3.11" in done.stderr
    assert "apt-get install python3.11-venv" in done.stderr


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: Could not install: [Errno 28] No space left on device", "The disk is full"),
        (
            "WARNING: Retrying after NewConnectionError()\nERROR: No matching",
            "cannot be reached",
        ),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", "another checksum"),
        ("noise\nERROR: it broke\nmore noise", "Setting up failed: ERROR: it broke"),
        (
            "ERROR: Exception:\nTraceback:\nValueError: wrong",
            "Setting up failed: ValueError: wrong",
        ),
        ("", "it printed nothing"),
    ],
)
def test_failures_of_pip_become_sentences(tmp_path: Path, output: str, sentence: str) -> None:
    problem = bootstrap._Pip(tmp_path / "log")._explain(output)

    assert sentence in problem.message
    assert problem.next_step


def test_lock_files_are_read_entry_by_entry(tmp_path: Path) -> None:
    lock = tmp_path / "some.lock"
    lock.write_text(
        "# comment\n--find-links somewhere\n\n"
        "one==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via two\n"
        "two[extra]==2.0 --hash=sha256:cc  # why\n",
        encoding="utf-8",
    )

    assert bootstrap.read_entries(lock) == [
        "one==1.0 --hash=sha256:aa --hash=sha256:bb",
        "two[extra]==2.0 --hash=sha256:cc",
    ]


def test_a_present_browser_is_left_as_it_is() -> None:
    assert bootstrap.ensure_browser(lambda _: None, which=lambda _: "/usr/bin/chromium") is False


def test_without_root_or_apt_the_line_to_run_is_given() -> None:
    with pytest.raises(EnvironmentProblem) as problem:
        bootstrap.ensure_browser(lambda _: None, which=lambda _: None)

    assert "apt-get install --yes chromium" in problem.value.next_step


def test_pip_takes_nothing_from_a_cache_of_its_own(tmp_path: Path) -> None:
    """A wheel that pip once built elsewhere has hidden that a pinned source no longer builds."""
    probe = "import os, sys; sys.exit(os.environ.get('PIP_NO_CACHE_DIR') != '1')"
    bootstrap._Pip(tmp_path / "log").call((sys.executable, "-c", probe))
