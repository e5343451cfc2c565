"""A kill switch that a real Flink's scripts do not read is told; one that they read is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from installations import OFF, java_environment, new_home

from flink_boost.flink.home import open_home
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.lines import load_lines
from flink_boost.operate.unread_switch import unread_switch

Files = dict[str, str]
ALL = "env.java.opts.all: -Dother=x"


def told(folder: Path, version: str, files: Files) -> list[str]:
    """What is said with these lines added to files in ``conf/``."""
    line = load_lines()[version]
    home = new_home(folder / "flink", line)
    for name, text in files.items():
        with (home / "conf" / name).open("a") as file:
            file.write(f"\n{text}\n")
    environment = java_environment(line)
    launch = ask_scripts(open_home(home), environment)
    return [each.text for each in unread_switch(open_home(home), launch, environment)]


@pytest.mark.parametrize(
    ("version", "files", "why"),
    [
        (
            "1.20.5",
            {"config.yaml": f"env.java.default-opts.all: {OFF}", "flink-conf.yaml": "a.b: c"},
            "flink-conf.yaml beside it is read in its place",
        ),
        (
            "2.3.0",
            {"flink-conf.yaml": f"env.java.opts.all: {OFF}"},
            "config.yaml beside it is read",
        ),
        (
            "1.17.0",
            {"flink-conf.yaml": f"env.java.opts: {OFF}\n{ALL}"},
            "so: another key of it counts",
        ),
    ],
)
def test_a_switch_that_is_not_read_is_told(
    tmp_path: Path, version: str, files: Files, why: str
) -> None:
    (said,) = told(tmp_path, version, files)
    assert "says -Dflink.boost.mode=off, but no process would start so" in said
    assert why in said


@pytest.mark.parametrize(
    ("version", "files"),
    [
        ("1.20.5", {"config.yaml": f"env.java.default-opts.all: {OFF}"}),
        ("1.20.5", {"flink-conf.yaml": f"env.java.default-opts.all: {OFF}"}),
        ("1.17.0", {"flink-conf.yaml": f"env.java.opts: {OFF}"}),
        ("1.17.0", {"flink-conf.yaml": f"env.java.opts.taskmanager: {OFF}"}),
        ("1.17.0", {"flink-conf.yaml": f"# env.java.opts: {OFF}"}),
        ("2.3.0", {}),
    ],
)
def test_what_is_read_or_is_no_switch_is_not(tmp_path: Path, version: str, files: Files) -> None:
    assert not told(tmp_path, version, files)
