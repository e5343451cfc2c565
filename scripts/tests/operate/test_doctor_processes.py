"""``doctor`` on what runs: which jar a process has loaded, and what cannot be seen is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from installations import CARRIED, JAR, LINE, put_jar
from java_programs import SLEEPER, classes_of

from flink_boost.flink.home import open_home
from flink_boost.flink.lines import load_lines
from flink_boost.operate.doctor import examine
from flink_boost.operate.findings import Level
from flink_boost.operate.flink_processes import FlinkProcess, find_running, sees_all

pytestmark = pytest.mark.needs_jars


Answer = Callable[..., dict[str, Any]]


@contextmanager
def running_jvm(home: Path) -> Iterator[int]:
    """A JVM with our jar and Flink's own in front; it has opened both."""
    loaded = ("org.apache.flink.boost.guard.Verdict", "org.apache.flink.util.StringUtils")
    program = classes_of("Sleeper", SLEEPER)
    class_path = f"{home}/lib/{JAR}:{home}/lib/flink-dist-2.3.0.jar:{program}"
    java = Path(os.environ["JAVA_HOME"]) / "bin" / "java"
    process = subprocess.Popen(
        [str(java), "-XX:TieredStopAtLevel=1", "-cp", class_path, "Sleeper", *loaded],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate(timeout=20)


def of_process(diagnosis: dict[str, Any], pid: int) -> dict[str, str]:
    (found,) = [f for f in diagnosis["findings"] if f"(pid {pid})" in f["text"]]
    return dict(found)


def test_a_process_with_a_former_jar_of_the_same_name_is_to_be_restarted(
    home: Path, answer: Answer
) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / JAR)
    with zipfile.ZipFile(home / "lib" / JAR, "a") as archive:
        archive.writestr("more.txt", "a former build")
    with running_jvm(home) as pid:
        assert of_process(answer("doctor", home), pid)["level"] == "fine"

        assert answer("install", "--rolling", home)["action"] == "replaced"
        old = of_process(answer("doctor", home), pid)
        assert (
            f"with a former {JAR}, which was replaced, changed or written over since" in old["text"]
        )
        assert old["next_step"].startswith("Restart it")

        assert answer("uninstall", "--rolling", home)["action"] == "removed"
        assert "no longer installed" in of_process(answer("doctor", home), pid)["text"]
        assert answer("install", "--rolling", home)["action"] == "installed"
        old = of_process(answer("doctor", home), pid)
        assert (
            f"with a former {JAR}, which was replaced, changed or written over since" in old["text"]
        )


def test_a_process_whose_jar_was_renamed_aside_first(home: Path, answer: Answer) -> None:
    """The kernel then knows the deleted file by its last name."""
    put_jar(home)
    with running_jvm(home) as pid:
        assert answer("uninstall", "--rolling", home)["action"] == "removed"
        assert answer("install", "--rolling", home)["action"] == "installed"
        (found,) = find_running(open_home(home))
        assert found == FlinkProcess(
            pid, "Sleeper", (home / "lib" / JAR,), outdated=(home / "lib" / JAR,)
        )


def test_a_jar_that_was_written_over_in_place_is_another(home: Path, answer: Answer) -> None:
    """As `cp` does it: the process has the same file open, with the table of contents it had."""
    put_jar(home)
    jar = home / "lib" / JAR
    with running_jvm(home) as pid:
        inode = jar.stat().st_ino
        shutil.copy(CARRIED.dropin(LINE), jar)
        assert jar.stat().st_ino == inode
        os.utime(jar, (time.time() + 10, time.time() + 10))
        found = of_process(answer("doctor", home), pid)
        assert "which was replaced, changed or written over since it started" in found["text"]


def test_what_may_not_be_looked_at_is_not_known(home: Path, tmp_path: Path) -> None:
    """As for a process of another user: its command line is there, its open files are not."""
    put_jar(home)
    jar, dist = home / "lib" / JAR, home / "lib" / "flink-dist-2.3.0.jar"
    process = tmp_path / "proc" / "77"
    process.mkdir(parents=True)
    words = ["java", "-cp", f"{jar}:{dist}", "org.apache.flink.TaskManagerRunner", ""]
    (process / "cmdline").write_text("\0".join(words))

    (found,) = find_running(open_home(home), tmp_path / "proc")

    assert found == FlinkProcess(77, "TaskManagerRunner", (jar,), unknown=(jar, dist))
    assert not sees_all(tmp_path / "proc")
    (tmp_path / "proc" / "1").mkdir()
    (tmp_path / "proc" / "1" / "cmdline").touch()
    assert sees_all(tmp_path / "proc")


def test_doctor_says_what_it_does_not_know(home: Path, tmp_path: Path) -> None:
    put_jar(home)
    process = tmp_path / "proc" / "77"
    process.mkdir(parents=True)
    class_path = f"{home}/lib/{JAR}:{home}/lib/flink-dist-2.3.0.jar"
    (process / "cmdline").write_text(f"java\0-cp\0{class_path}\0a.TaskManagerRunner\0")

    findings = examine(home, load_lines(), [CARRIED.dropin(LINE)], os.environ, tmp_path / "proc")

    of_it, of_others = findings[-2:]
    assert of_it.text.startswith("TaskManagerRunner (pid 77) runs with a flink-boost-2.3.0-")
    assert "is not known" in of_it.text
    assert "Processes of other users cannot be seen" in of_others.text
    assert [f.level for f in (of_it, of_others)] == [Level.WARNING, Level.WARNING]
