"""What is made of ``/proc``: which processes run from an installation, and with which files."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from installations import CARRIED, JAR, LINE, OFF, java_environment, put_jar, set_options

from flink_boost.flink.home import FlinkHome
from flink_boost.flink.lines import load_lines
from flink_boost.operate.doctor import examine
from flink_boost.operate.findings import Finding, Level
from flink_boost.operate.flink_processes import FlinkProcess, find_running

DIST = "flink-dist-2.3.0.jar"
HOUR = 3600.0


@dataclass(frozen=True)
class Proc:
    """A made-up ``/proc``."""

    folder: Path

    def start(
        self,
        class_path: Sequence[Path],
        opened: Sequence[str | Path] | None = None,
        started: float = HOUR,
        root: Path | None = None,
    ) -> None:
        """Process 77, that many seconds from now; without ``opened`` its files may not be seen."""
        process = self.folder / "77"
        process.mkdir(parents=True)
        words = ["java", "-classpath", ":".join(map(str, class_path)), "a.TaskManagerRunner", ""]
        (process / "cmdline").write_text("\0".join(words))
        (process / "stat").write_text(f"77 (java) S {'0 ' * 18}0 0")
        (self.folder / "stat").write_text(f"cpu 1\nbtime {int(time.time() + started)}\n")
        if root is not None:
            (process / "root").symlink_to(root)
        if opened is not None:
            (process / "fd").mkdir()
            for number, file in enumerate(opened):
                (process / "fd" / str(number)).symlink_to(file)


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path / "proc")


@pytest.fixture
def flink(tmp_path: Path) -> FlinkHome:
    """An installation with just the two jars that are watched."""
    return small_home(tmp_path / "flink")


def small_home(folder: Path) -> FlinkHome:
    (folder / "lib").mkdir(parents=True)
    for name in (JAR, DIST):
        (folder / "lib" / name).write_text(name)
    return FlinkHome(folder, folder / "lib" / DIST, "2.3.0")


def jars_of(home: FlinkHome) -> tuple[Path, Path]:
    return home.lib / JAR, home.dist


# --- whose processes ------------------------------------------------------------------------------


def test_a_longer_path_that_ends_like_ours_is_another_installation(
    flink: FlinkHome, tmp_path: Path, proc: Proc
) -> None:
    """As of a process in ``/opt/flink`` when ``/flink`` is looked at."""
    proc.start([Path(f"{tmp_path}/opt{jar}") for jar in jars_of(flink)])
    assert find_running(flink, proc.folder) == []


@pytest.mark.parametrize("link", ["the installation", "its lib"])
def test_a_process_that_was_started_through_a_link(
    link: str, flink: FlinkHome, tmp_path: Path, proc: Proc
) -> None:
    if link == "its lib":
        (tmp_path / "current").mkdir()
        (tmp_path / "current" / "lib").symlink_to(flink.lib)
    else:
        (tmp_path / "current").symlink_to(flink.folder)
    proc.start([tmp_path / "current" / "lib" / name for name in (JAR, DIST)], jars_of(flink))
    assert find_running(flink, proc.folder) == [
        FlinkProcess(77, "TaskManagerRunner", (flink.lib / JAR,))
    ]


def test_the_same_path_in_a_container_is_another_installation(
    flink: FlinkHome, tmp_path: Path, proc: Proc
) -> None:
    small_home(tmp_path / "container" / flink.folder.relative_to("/"))
    proc.start(jars_of(flink), [], root=tmp_path / "container")
    assert find_running(flink, proc.folder) == []


def test_a_container_without_that_path_does_not_run_from_it(
    flink: FlinkHome, tmp_path: Path, proc: Proc
) -> None:
    (tmp_path / "container").mkdir()
    proc.start(jars_of(flink), [], root=tmp_path / "container")
    assert find_running(flink, proc.folder) == []


def test_a_process_with_the_same_files_runs_from_there(flink: FlinkHome, proc: Proc) -> None:
    proc.start(jars_of(flink), jars_of(flink), root=Path("/"))
    assert [process.pid for process in find_running(flink, proc.folder)] == [77]


# --- with which files -----------------------------------------------------------------------------


def test_a_jar_that_was_changed_with_its_old_time_may_be_another(
    flink: FlinkHome, proc: Proc
) -> None:
    """As `cp -p` or `rsync --inplace --times` write over it, or `chmod` does not."""
    jar, dist = jars_of(flink)
    os.utime(jar, (0, 0))
    os.utime(dist, (0, 0))
    proc.start(jars_of(flink), jars_of(flink), started=-HOUR)
    (found,) = find_running(flink, proc.folder)
    assert found.touched == (jar,), "a link to Flink's own jar changes that one, too"
    assert found.outdated == ()
    os.utime(jar)
    os.utime(dist)
    (found,) = find_running(flink, proc.folder)
    assert (found.outdated, found.touched) == ((jar, dist), ())

    shutil.rmtree(proc.folder)
    proc.start(jars_of(flink), jars_of(flink), started=HOUR)
    (found,) = find_running(flink, proc.folder)
    assert found == FlinkProcess(77, "TaskManagerRunner", (jar,))


def test_a_jar_that_is_passed_over_is_told_from_one_that_is_not_known(
    flink: FlinkHome, proc: Proc
) -> None:
    jar, dist = jars_of(flink)
    proc.start((jar, dist), [dist])
    (found,) = find_running(flink, proc.folder)
    assert (found.skipped, found.unknown) == ((jar,), ())

    # It has just started, and not looked for a class in any.
    shutil.rmtree(proc.folder)
    proc.start((jar, dist), [])
    (found,) = find_running(flink, proc.folder)
    assert (found.skipped, found.unknown) == ((), (jar, dist))

    # Nothing is behind it that would have made the process look into it.
    shutil.rmtree(proc.folder)
    proc.start((dist, jar), [dist])
    (found,) = find_running(flink, proc.folder)
    assert (found.skipped, found.unknown, found.behind) == ((), (jar,), (jar,))


def test_a_jar_that_cannot_be_looked_at_is_not_known(flink: FlinkHome, proc: Proc) -> None:
    jar, dist = jars_of(flink)
    jar.unlink()
    jar.symlink_to(jar.name)
    proc.start((jar, dist), [dist])
    (found,) = find_running(flink, proc.folder)
    assert (found.outdated, found.skipped, found.unknown) == ((), (), (jar,))


def test_an_open_file_without_a_file_behind_it_counts_by_its_name(
    flink: FlinkHome, proc: Proc
) -> None:
    """On a network's file system the server may have deleted it."""
    jar, dist = jars_of(flink)
    proc.start((jar, dist), [f"{jar} (deleted)", dist])
    (found,) = find_running(flink, proc.folder)
    assert (found.outdated, found.unknown) == ((jar,), ())


# --- what doctor says -----------------------------------------------------------------------------


def of_process(home: Path, proc: Proc) -> Finding:
    known = [CARRIED.dropin(LINE)]
    findings = examine(home, load_lines(), known, os.environ, proc.folder)
    (found,) = [finding for finding in findings if "(pid 77)" in finding.text]
    return found


@pytest.mark.needs_jars
def test_doctor_on_a_jar_that_is_passed_over(home: Path, proc: Proc) -> None:
    put_jar(home)
    jar, dist = home / "lib" / JAR, home / "lib" / DIST
    proc.start((jar, dist), [dist])
    found = of_process(home, proc)
    assert found.level is Level.WARNING
    assert f"runs without {JAR}, which is on its class path but was not opened" in found.text
    assert found.next_step == f"Give it the permissions of {DIST}, then restart the process."


@pytest.mark.needs_jars
@pytest.mark.parametrize(
    ("options", "variables", "conf", "told"),
    [
        ([], {}, OFF, f"without -Dflink.boost.mode, the next one will be with {OFF}."),
        ([OFF], {}, "", f"with {OFF}, the next one will be without -Dflink.boost.mode."),
        ([OFF], {"_JAVA_OPTIONS": "-Dflink.boost.mode=on"}, OFF, "with -Dflink.boost.mode=on, the"),
        ([OFF], {}, OFF, ""),
        ([], {"JAVA_TOOL_OPTIONS": OFF}, OFF, ""),
        (["-Dflink.boost.mode=on"], {}, "", ""),
    ],
)
def test_doctor_on_a_process_with_another_switch(
    home: Path, proc: Proc, options: list[str], variables: dict[str, str], conf: str, told: str
) -> None:
    jar, dist = put_jar(home), home / "lib" / DIST
    if conf:
        set_options(home, env_java_opts_all=conf)
    proc.start((jar, dist), (jar, dist))
    process = proc.folder / "77"
    words = (process / "cmdline").read_text().split("\0")
    (process / "cmdline").write_text("\0".join([words[0], *options, *words[1:]]))
    (process / "environ").write_text("\0".join(f"{k}={v}" for k, v in variables.items()))
    known = [CARRIED.dropin(LINE)]
    found = [
        finding.text.partition(" was started ")[2]
        for finding in examine(home, load_lines(), known, java_environment(LINE), proc.folder)
        if " was started " in finding.text
    ]
    assert [text[: len(told)] for text in found] == ([told] if told else [])


@pytest.mark.needs_jars
def test_doctor_on_a_jar_that_was_changed_in_place(home: Path, proc: Proc) -> None:
    put_jar(home)
    jar, dist = home / "lib" / JAR, home / "lib" / DIST
    proc.start((jar, dist), (jar, dist), started=-HOUR)
    found = of_process(home, proc)
    assert f"with a former {JAR}, which was replaced, changed or written over since" in found.text


@pytest.mark.needs_jars
def test_doctor_on_a_jar_that_has_other_permissions(home: Path, proc: Proc) -> None:
    jar, dist = put_jar(home), home / "lib" / DIST
    os.utime(jar, (0, 0))
    jar.chmod(0o640)
    proc.start((jar, dist), (jar, dist), started=-HOUR)
    os.utime(dist, (0, 0))
    found = of_process(home, proc)
    assert f"with {JAR}, whose owner, permissions or links were changed" in found.text
    assert found.next_step.startswith("Restart it if the jar was written over")


@pytest.mark.parametrize("partial", [True, False])
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.needs_jars
def test_only_a_jar_that_is_gone_is_no_longer_installed(
    partial: bool, there: bool, home: Path, proc: Proc
) -> None:
    """What is wrong in ``lib/`` beside it says nothing about that."""
    jar, dist = home / "lib" / JAR, home / "lib" / DIST
    if there:
        put_jar(home)
    if partial:
        (home / "lib" / f".{JAR}.x7.partial").touch()
    proc.start((jar, dist), [jar if there else f"{jar} (deleted)", dist])
    found = of_process(home, proc)
    assert ("which is no longer installed" in found.text) is not there
    if there:
        assert found.level is Level.FINE
    else:
        wanted = "Put lib/ in order, then restart it." if partial else "Restart it to run stock."
        assert found.next_step == wanted
