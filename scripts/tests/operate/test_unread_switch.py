"""A kill switch that a real Flink's scripts do not read is told; one that they read is not."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from installations import OFF, java_environment, new_home

from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.launch import Launch, ask_scripts
from flink_boost.flink.lines import load_lines
from flink_boost.flink.switches import MODE
from flink_boost.operate.unread_switch import unread_switch

Files = dict[str, str]
ALL = "env.java.opts.all: -Dother=x"
# Put into the part that Flink ships in this form.
NESTED = f"  java:\n    default-opts:\n      all: {OFF}\n"
BOTH = "under {}, but it does not reach the jobmanager and the taskmanager, which will run our code"


def told(folder: Path, version: str, files: Files) -> list[str]:
    """What is said with these lines added to files in ``conf/``."""
    home, environment = configured(folder, version, files)
    return texts_of(home, ask_scripts(home, environment), environment)


def configured(folder: Path, version: str, files: Files) -> tuple[FlinkHome, dict[str, str]]:
    line = load_lines()[version]
    home = new_home(folder / "flink", line)
    for name, text in files.items():
        file = home / "conf" / name
        before = file.read_text() if file.is_file() else ""
        after = before.replace("  java:\n", text) if text == NESTED else f"{before}\n{text}\n"
        assert after != before
        file.write_text(after)
    return open_home(home), java_environment(line)


def texts_of(home: FlinkHome, launch: Launch, environment: dict[str, str]) -> list[str]:
    return [each.text for each in unread_switch(home, launch, environment)]


@pytest.mark.parametrize(
    ("version", "files", "key"),
    [
        (
            "1.20.5",
            {"config.yaml": f"env.java.default-opts.all: {OFF}", "flink-conf.yaml": "a.b: c"},
            "env.java.default-opts.all",
        ),
        ("1.20.5", {"config.yaml": NESTED, "flink-conf.yaml": "a: b"}, "env.java.default-opts.all"),
        (
            "1.20.5",
            {
                "config.yaml": f"env.java.default-opts.all: {OFF}",
                "flink-conf.yaml": f"env.java.opts.client: {OFF}",
            },
            "env.java.default-opts.all",
        ),
        ("2.3.0", {"flink-conf.yaml": f"env.java.opts.all: {OFF}"}, "env.java.opts.all"),
        ("1.17.0", {"flink-conf.yaml": f"env.java.opts: '{OFF}'\n{ALL}"}, "env.java.opts"),
    ],
)
def test_a_switch_that_is_not_read_is_told(
    tmp_path: Path, version: str, files: Files, key: str
) -> None:
    (said,) = told(tmp_path, version, files)
    assert BOTH.format(key) in said


def test_of_roles_those_that_it_does_not_reach_are_named(tmp_path: Path) -> None:
    text = f"env.java.opts: {OFF}\n{ALL}\nenv.java.opts.taskmanager: {OFF}"
    (said,) = told(tmp_path, "1.17.0", {"flink-conf.yaml": text})
    assert "under env.java.opts, but it does not reach the jobmanager, which will run" in said
    (said,) = told(tmp_path / "2", "1.9.3", {"flink-conf.yaml": f"env.java.opts.client: {OFF}"})
    assert "does not reach the client, which will run" in said


@pytest.mark.parametrize(
    ("version", "files"),
    [
        ("1.20.5", {"config.yaml": f"env.java.default-opts.all: {OFF}"}),
        ("1.20.5", {"config.yaml": NESTED}),
        ("1.20.5", {"flink-conf.yaml": f"env.java.default-opts.all: {OFF}"}),
        ("1.20.5", {"config.yaml": f"env.java.opts.historyserver: {OFF}"}),
        ("1.17.0", {"flink-conf.yaml": f"env.java.opts: {OFF}"}),
        ("1.17.0", {"flink-conf.yaml": f"env.java.opts.taskmanager: {OFF}"}),
        (
            "1.17.0",
            {"flink-conf.yaml": f"env.java.opts: {OFF}\n{ALL} -Dflink.boost.mode=on"},
        ),
        ("1.17.0", {"flink-conf.yaml": f"# env.java.opts: {OFF}\na.b: c # {OFF}"}),
        ("1.9.3", {"flink-conf.yaml": f"env.java.opts: {OFF}"}),
        ("2.3.0", {}),
    ],
)
def test_what_is_read_or_is_no_switch_is_not(tmp_path: Path, version: str, files: Files) -> None:
    assert not told(tmp_path, version, files)


def test_a_file_that_cannot_be_read_is_told_and_the_rest_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"flink-conf.yaml": f"env.java.opts.all: {OFF}"}
    home, environment = configured(tmp_path, "2.3.0", files)
    launch = ask_scripts(home, environment)
    read = Path.read_text

    def refused(path: Path, *arguments: Any, **options: Any) -> str:
        if path.name == "config.yaml":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", refused)
    unknown, unread = texts_of(home, launch, environment)
    assert "config.yaml sets the kill switch is not known: Permission denied." in unknown
    assert BOTH.format("env.java.opts.all") in unread


@pytest.mark.parametrize("key", ["env.java.opts", "env.java.opts.taskmanager"])
def test_the_end_of_a_windows_line_is_a_part_of_the_value(tmp_path: Path, key: str) -> None:
    """The scripts of 1.9 to 1.18 hand it on, and no process starts with it."""
    home, environment = configured(tmp_path, "1.17.0", {"flink-conf.yaml": f"{key}: {OFF}\r"})
    switch = ask_scripts(home, environment).switch("taskmanager", MODE)
    assert switch is not None
    assert switch.value == "off\r"
    assert not switch.is_valid


@pytest.mark.parametrize(
    ("option", "without"),
    [
        ("-Dflink.boost.records=check", "hold no records against Flink's own code"),
        ("-Dflink.boost.strict=true", "start where a family is off, too"),
    ],
)
def test_another_option_that_is_not_read_is_told(tmp_path: Path, option: str, without: str) -> None:
    files = {"config.yaml": f"env.java.default-opts.all: {option}", "flink-conf.yaml": "a.b: c"}
    (said,) = told(tmp_path, "1.20.5", files)
    assert f"sets {option} under" in said
    assert said.endswith(f"which will {without}.")
