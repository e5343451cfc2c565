"""``doctor`` on an installation: its home, its settings, its Java, its code."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    OFF,
    OPENS,
    OTHER,
    VERSION,
    problems,
    put_jar,
    set_options,
    texts,
)
from old_java import java_8

from flink_boost.base.errors import LinkedLibrary, NotAFlinkHome, VerificationFailed

pytestmark = pytest.mark.needs_jars


Answer = Callable[..., dict[str, Any]]


def test_a_mode_that_means_nothing_is_a_problem(home: Path, answer: Answer) -> None:
    put_jar(home)
    set_options(home, env_java_opts_taskmanager="-Dflink.boost.mode=of")

    diagnosis = answer("doctor", home)

    assert problems(diagnosis) == [
        "-Dflink.boost.mode=of of the taskmanager is neither 'on' nor 'off': it will not start."
    ]


def test_doctor_tells_that_java_lang_is_not_opened(home: Path, answer: Answer) -> None:
    """As it is when ``env.java.opts.all`` is overwritten instead of added to."""
    put_jar(home)
    assert not any("java.lang" in text for text in texts(answer("doctor", home)))
    conf = home / "conf" / "config.yaml"
    assert conf.read_text().count(OPENS) == 1
    conf.write_text(conf.read_text().replace(OPENS, ""))

    found = answer("doctor", home)

    assert found["ok"]
    warnings = [f for f in found["findings"] if "java.lang is not opened" in f["text"]]
    assert len(warnings) == 3
    assert warnings[0]["next_step"] == f"Add to what env.java.opts.all has in conf/: {OPENS}"


def test_doctor_reports_what_is_wrong_and_ends_with_its_code(
    tmp_path: Path, home: Path, answer: Answer
) -> None:
    assert any("No flink-boost jar is installed" in text for text in texts(answer("doctor", home)))
    assert answer("doctor", tmp_path)["exit_code"] == NotAFlinkHome.exit_code
    (home / "lib" / JAR).touch()
    broken = answer("doctor", home)
    assert broken["exit_code"] == 14
    assert any("is cut off" in text for text in texts(broken))


def test_doctor_takes_the_home_from_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    monkeypatch.setenv("FLINK_HOME", str(home))
    assert answer("doctor")["flink_home"] == str(home)


@pytest.mark.parametrize("arguments", [[], [""]], ids=["none", "empty"])
@pytest.mark.parametrize("command", ["doctor", "verify", "install", "uninstall"])
def test_an_unset_variable_in_the_place_of_the_home_is_a_wrong_call(
    command: str,
    arguments: list[str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
) -> None:
    """Not even in a Flink home, which an empty word would mean as a path."""
    monkeypatch.chdir(home)
    found = answer(command, *arguments)
    assert found["exit_code"] == 2
    assert found["command"] == command
    assert "FLINK_HOME" in found["error"]
    assert not (home / "lib" / JAR).exists()


def test_a_linked_library_has_its_own_code(home: Path, answer: Answer) -> None:
    (home / "lib").rename(home.parent / "shared")
    (home / "lib").symlink_to(home.parent / "shared")
    found = answer("doctor", home)
    assert found["exit_code"] == LinkedLibrary.exit_code
    assert "Flink's scripts find no jar behind it" in problems(found)[0]


def test_the_kill_switch_is_told_for_each_role(home: Path, answer: Answer) -> None:
    put_jar(home)
    set_options(home, **{"env_java_default-opts_all": OFF})
    diagnosis = answer("doctor", home)
    assert diagnosis["ok"]
    assert sum("is switched off" in text for text in texts(diagnosis)) == 3
    assert not any("java.lang is not opened" in text for text in texts(diagnosis))


def test_a_kill_switch_that_flink_does_not_read_is_told_while_our_jar_is_there(
    home: Path, answer: Answer
) -> None:
    jar = put_jar(home)
    (home / "conf" / "flink-conf.yaml").write_text(f"env.java.opts.all: {OFF}\n")
    diagnosis = answer("doctor", home)
    assert diagnosis["ok"]
    (told,) = [text for text in texts(diagnosis) if "mode=off" in text]
    assert "flink-conf.yaml sets" in told
    jar.unlink()
    assert not any("mode=off" in text for text in texts(answer("doctor", home)))


def test_a_jar_for_another_release(home: Path, answer: Answer) -> None:
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")
    diagnosis = answer("doctor", home)
    assert diagnosis["exit_code"] == VerificationFailed.exit_code
    assert any("no process of this Flink 2.3.0 will start" in t for t in texts(diagnosis))


@pytest.mark.parametrize("switched_off", [False, True])
def test_java_8_is_refused_by_every_process(
    switched_off: bool,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
) -> None:
    old = java_8(tmp_path / "java-8")
    monkeypatch.setenv("JAVA_HOME", str(old))
    assert answer("doctor", home)["ok"]
    assert answer("install", home)["ok"]
    if switched_off:
        set_options(home, **{"env_java_default-opts_all": OFF})

    found = answer("doctor", home)

    assert found["exit_code"] == VerificationFailed.exit_code
    (problem,) = [f for f in found["findings"] if f["level"] == "problem"]
    assert problem["text"] == (
        f"flink-boost {VERSION} for Flink 2.3.0 needs Java 9 or newer but found Java 1.8"
        f" ({old}/bin/java): no process of this Flink will start."
    )
    assert problem["next_step"] == (
        f"Run Flink on a newer Java, or remove {home / 'lib' / JAR} from lib/."
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [("a b", "has a space"), ("a\nb", "a?b has a line break"), ("größe", "outside ASCII")],
)
def test_a_path_that_flink_cannot_be_run_from(
    name: str, words: str, tmp_path: Path, home: Path, answer: Answer
) -> None:
    moved = home.rename(tmp_path / name)
    assert any(words in text for text in texts(answer("doctor", moved)))
