"""What owners of an installation leave in it, or close, gives them nothing that is root's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from installations import LINE, flink_boost
from other_owners import OTHER, OWNER, ROOT, command, own, small

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.users import read_left, user_of
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.home import open_home


def link(file: Path, secret: Path) -> None:
    file.symlink_to(secret)


def hard_link(file: Path, secret: Path) -> None:
    file.hardlink_to(secret)


def pipe(file: Path, secret: Path) -> None:
    os.mkfifo(file)
    own(file)


@pytest.mark.parametrize("how", [link, hard_link, pipe], ids=lambda how: how.__name__)
def test_what_they_leave_is_no_way_to_read_what_is_roots(
    how: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("root's")
    how(tmp_path / "report.xml", tmp_path / "secret")
    with pytest.raises(OSError, match=r"Too many|no file of #4711's"):
        read_left(tmp_path / "report.xml", user_of(OWNER, OWNER))


@pytest.mark.needs_jars
def test_a_link_that_appears_meanwhile_lends_nothing_of_roots(place: Path) -> None:
    """Their scripts run before the jar to compare with is lent to their Java."""
    home = place / "flink"
    shutil.copytree(ensure_distribution(LINE), home)
    secret, got = place / "secret", place / "marks" / "got"
    secret.write_text("root's")
    secret.chmod(0o600)
    java = place / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        f'#!/bin/sh\nfor word; do cat "${{word#-Dstock.jars=}}" >> {got}; done\n'
        # It starts, with whatever options.
        'case "$*" in *-version | *AskGuard) exit 0 ;; esac\nexit 1\n'
    )
    java.chmod(0o755)
    (home / "conf" / "config.yaml").write_text(f"env.java.home: {java.parents[1]}\n")
    own(home)
    assert flink_boost("install", home) == 0
    with (home / "bin" / "config.sh").open("a") as script:
        script.write(f"\nln -sf {secret} {home}/lib/flink-dist-2.3.0.jar\n")
    done = command("verify", home)
    assert done.returncode == EnvironmentProblem.exit_code
    assert (f"#{OWNER} may not read {home}/lib/flink-dist-2.3.0.jar" in done.stderr) is ROOT
    assert (b"root's" in got.read_bytes()) is not ROOT


@pytest.mark.needs_jars
def test_what_their_scripts_say_does_nothing_to_a_terminal(place: Path) -> None:
    home = small(place)
    dist = "lib/flink-dist-2.3.0.jar"
    shutil.copyfile(ensure_distribution(LINE) / dist, home / dist)
    with (home / "bin" / "config.sh").open("a") as script:
        script.write("JAVA_RUN=$(printf '/jdk/\\033]0;title\\007\\033[31mjava')\n")
    own(home)
    for name in ("install", "doctor", "verify"):
        done = command(name, home, answer=())
        assert "title" in done.stdout + done.stderr
        assert not {"\x1b", "\x07"} & set(done.stdout + done.stderr)


@contextmanager
def acting_as(uid: int) -> Iterator[None]:
    """As a user who owns nothing of it; who is not root is that without it."""
    if ROOT:
        os.seteuid(uid)
    try:
        yield
    finally:
        if ROOT:
            os.seteuid(0)


@pytest.mark.parametrize(
    ("closed", "told"),
    [
        (".", "may not look into"),
        ("bin", "may not look into"),
        ("lib", "may not look into"),
        ("lib/flink-dist-2.3.0.jar", "may not read"),
    ],
)
def test_what_the_caller_may_not_look_into_is_told_as_that(
    place: Path, closed: str, told: str
) -> None:
    """And not as no Flink, or as a jar that is broken and wants to be replaced."""
    home = small(place)
    own(home)
    mode = (home / closed).stat().st_mode
    (home / closed).chmod(0o700 if ROOT else 0)
    with acting_as(OTHER), pytest.raises(EnvironmentProblem, match=told) as problem:
        open_home(home)
    assert problem.value.next_step == "Run the command as the user who owns it."
    (home / closed).chmod(mode)
    assert open_home(home).version == "2.3.0"
