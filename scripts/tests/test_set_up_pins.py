"""What is pinned for ``.venv``, and what the machine has to have: packages, Python, PostgreSQL."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import debian
import packages
import set_up
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("error: Failed to write: No space left on device (os error 28)", "The disk is full"),
        (
            "error: Failed to fetch: `x`\n  cause: error sending request for url",
            "cannot be reached",
        ),
        ("WARNING: Retrying after NewConnectionError()\nERROR: No matching", "cannot be reached"),
        ("error: Failed\n  cause: Hash mismatch for `x==1`", "another checksum"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", "another checksum"),
        ("noise\nerror: it broke\nmore noise", "Setting up failed: error: it broke"),
        ("", "it printed nothing"),
    ],
)
def test_failures_become_sentences(tmp_path: Path, output: str, sentence: str) -> None:
    problem = packages.explain(output, tmp_path / "log")

    assert sentence in problem.message
    assert problem.next_step


def pinned(group: str) -> dict[str, str]:
    """Version of each package of a requirement file; each has a hash."""
    text = set_up.Layout(PROJECT_ROOT).requirements(group).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all("--hash=sha256:" in entry for entry in entries)
    return dict(entry.split()[0].split("==") for entry in entries)


def test_each_group_has_what_it_asks_for_in_one_version_and_no_address() -> None:
    layout = set_up.Layout(PROJECT_ROOT)
    with layout.project.open("rb") as file:
        description = tomllib.load(file)
    asked = {**description["dependency-groups"], "operate": description["project"]["dependencies"]}
    everything = pinned("dev")
    for group, wanted in asked.items():
        found = pinned(group)
        names = {re.split(r"[^\w-]", each)[0] for each in wanted if isinstance(each, str)}
        assert names <= set(found), group
        assert group == "uv" or found.items() <= everything.items(), group
        assert "://" not in layout.requirements(group).read_text(encoding="utf-8")
    assert set(everything) == {*pinned("measure"), *pinned("dashboard"), *everything}


def test_the_dashboard_carries_nothing_of_the_detection() -> None:
    unwanted = re.compile(r"otava|google|grpc|pg8000|slack|pytest|mypy|ruff|playwright")
    assert list(filter(unwanted.search, pinned("dev"))), "the pattern finds what it should find"
    assert not list(filter(unwanted.search, pinned("dashboard")))


def _postgresql(folder: Path) -> Path:
    program = folder / "15" / "bin" / "initdb"
    program.parent.mkdir(parents=True)
    program.touch()
    return folder


def test_what_the_tests_need_is_left_as_it_is(tmp_path: Path) -> None:
    folder = _postgresql(tmp_path)
    found = debian.ensure_for_tests(lambda _: None, lambda _: "/usr/bin/chromium", folder)
    assert found is False


@pytest.mark.parametrize(
    ("present", "package"),
    [("", "chromium fonts-liberation"), ("chromium", "postgresql"), ("initdb", "bubblewrap")],
)
def test_without_root_or_apt_the_line_to_run_is_given(
    present: str, package: str, tmp_path: Path
) -> None:
    there = {present, *(("chromium",) if present == "initdb" else ())}
    folder = _postgresql(tmp_path) if present == "initdb" else tmp_path
    with pytest.raises(EnvironmentProblem) as problem:
        debian.ensure_for_tests(
            lambda _: None, lambda name: name if name in there else None, folder
        )

    assert problem.value.next_step.endswith(f"apt-get install --yes {package}")


def test_a_python_whose_path_has_spaces_is_one_name(tmp_path: Path) -> None:
    python = tmp_path / "my python é" / "python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    for command in (["scripts/bootstrap-venv", "--help"], ["make", "help", f"PYTHON={python}"]):
        done = subprocess.run(
            command,
            cwd=PROJECT_ROOT,
            env={**os.environ, "PYTHON": str(python)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert not done.stderr
    assert f"(default: {default_line()})" in done.stdout


def test_a_python_that_is_not_there_is_named_and_no_other_is_taken() -> None:
    done = subprocess.run(
        [PROJECT_ROOT / "scripts" / "bootstrap-venv", "--help"],
        env={**os.environ, "PYTHON": "/no such/python"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 4
    assert "/no such/python" in done.stderr
