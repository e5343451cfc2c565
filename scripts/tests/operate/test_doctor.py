"""``doctor`` on real installations: each fault is named, and what cannot be seen is said."""

from __future__ import annotations

import errno
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
from installations import (
    CARRIED,
    JAR,
    LINE,
    OFF,
    OPENS,
    OTHER,
    VERSION,
    damage,
    new_home,
    place_of,
    problems,
    put_in_front,
    put_jar,
    set_options,
    texts,
)
from java_programs import SLEEPER, classes_of

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    HalfWritten,
    LinkedLibrary,
    NotAFlinkHome,
    RenamedDropIn,
    VerificationFailed,
)
from flink_boost.flink.dropin import read_dropin, require_whole
from flink_boost.flink.home import open_home
from flink_boost.flink.lines import load_lines
from flink_boost.operate.contents import read_contents, require_orderly
from flink_boost.operate.doctor import examine
from flink_boost.operate.findings import Level
from flink_boost.operate.flink_processes import FlinkProcess, find_running, sees_all

pytestmark = pytest.mark.needs_jars

OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer"

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


def java_8(folder: Path) -> Path:
    """A java that calls itself Java 8; what Flink's scripts ask of it the real one answers."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        'case "$*" in *-XshowSettings*)\n'
        f"printf '%s\\n' 'java.home = {folder}' 'java.runtime.version = 1.8.0_402-b06'"
        " 'java.specification.version = 1.8' >&2 ;;\n"
        f'*) exec {os.environ["JAVA_HOME"]}/bin/java "$@" ;;\n'
        "esac\n"
    )
    java.chmod(0o755)
    return folder


# --- the jar itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["codec/VarintDecoder", pytest.param("guard/VersionGuard", marks=pytest.mark.test_all)],
)
def test_a_jar_that_is_damaged_in_the_middle(home: Path, answer: Answer, name: str) -> None:
    put_jar(home)
    assert problems(answer("doctor", home)) == []
    damage(home / "lib" / JAR, place_of(home / "lib" / JAR, name))

    found = answer("doctor", home)

    assert found["exit_code"] == BrokenData.exit_code
    assert problems(found)[0].startswith(f"{home / 'lib' / JAR} is damaged (")
    assert answer("install", home)["action"] == "replaced"
    assert answer("doctor", home)["ok"]


def test_every_damaged_place_has_a_sentence(tmp_path: Path) -> None:
    """Also where the record is, the table of contents, and the headers of entries."""
    jar = tmp_path / "lib" / JAR
    jar.parent.mkdir()
    whole = CARRIED.dropin(LINE)
    size = whole.stat().st_size
    for place in (0, 40, *range(1000, size, size // 200), size - 300, size - 40):
        shutil.copy(whole, jar)
        damage(jar, place, min(60, size - place))
        with pytest.raises((BrokenData, HalfWritten, RenamedDropIn)):
            require_sound(jar.parent)


def require_sound(lib: Path) -> None:
    """What doctor asks of the jar in ``lib/``."""
    known = [CARRIED.dropin(LINE)]
    found = require_orderly(read_contents(lib, known), lib.parent)
    assert found is not None
    require_whole(found, known)


def test_another_build_of_the_same_name(home: Path, answer: Answer) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / JAR)
    with zipfile.ZipFile(home / "lib" / JAR, "a") as archive:
        archive.writestr("more.txt", "one entry more")
    found = answer("doctor", home)
    assert found["exit_code"] == BrokenData.exit_code
    assert "is not the jar that this flink-boost carries (SHA-256" in problems(found)[0]


def test_without_a_jar_to_compare_with_the_checksums_inside_decide(tmp_path: Path) -> None:
    jar = tmp_path / JAR
    shutil.copy(CARRIED.dropin(LINE), jar)
    dropin = read_dropin(jar)
    assert dropin is not None
    assert require_whole(dropin, [CARRIED.dropin(LINE)]) is True
    assert require_whole(dropin, [CARRIED.dropin(OTHER)]) is False
    damage(jar)
    with pytest.raises(BrokenData, match="is damaged"):
        require_whole(dropin, [])


def test_a_jar_of_our_name_that_may_not_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    jar, open_file = home / "lib" / JAR, Path.open

    def refused(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == jar:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refused)
    found = answer("doctor", home)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert problems(found) == [f"{jar} cannot be read (Permission denied)."]


# --- the class path -------------------------------------------------------------------------------


def test_jars_from_another_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    other = new_home(tmp_path / "other") / "lib"
    monkeypatch.setenv("FLINK_LIB_DIR", str(other))
    found = answer("doctor", home)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert problems(found)[0].startswith(f"FLINK_LIB_DIR is {other}: the scripts of {home} take")

    # The same folder by another name is no fault.
    (tmp_path / "current").symlink_to(home)
    monkeypatch.setenv("FLINK_LIB_DIR", str(tmp_path / "current" / "lib"))
    assert answer("doctor", home)["ok"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([OUTPUT], f"its class {OUTPUT} is not patched: no process of this Flink will start"),
        (list(LINE.classes), "brings the classes that it replaces: stock's code runs"),
    ],
    ids=["one", "all"],
)
def test_classes_in_front_of_ours(names: list[str], words: str, home: Path, answer: Answer) -> None:
    put_jar(home)
    front = put_in_front(home, names)
    found = answer("doctor", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    (problem,) = problems(found)
    assert problem.startswith(f"{front} stands before {home / 'lib' / JAR} on the class path")
    assert words in problem


def test_a_class_of_another_release_anywhere(home: Path, answer: Answer) -> None:
    """The guard compares what is behind our jar too."""
    put_jar(home)
    with zipfile.ZipFile(home / "lib" / "zzz-last.jar", "w") as archive:
        archive.writestr(f"{OUTPUT.replace('.', '/')}.class", b"another")
    found = answer("doctor", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert problems(found)[0].startswith(f"{home}/lib/zzz-last.jar has a {OUTPUT} that is not")


def test_a_relocated_class_is_another_class(home: Path, answer: Answer) -> None:
    put_jar(home)
    with zipfile.ZipFile(home / "lib" / "aaa-first.jar", "w") as archive:
        archive.writestr(f"shaded/{OUTPUT.replace('.', '/')}.class", b"another")
    assert answer("doctor", home)["ok"]


# --- the path -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [("a b", "has a space"), ("a\nb", "a?b has a line break"), ("größe", "outside ASCII")],
)
def test_a_path_that_flink_cannot_be_run_from(
    name: str, words: str, tmp_path: Path, home: Path, answer: Answer
) -> None:
    moved = home.rename(tmp_path / name)
    assert any(words in text for text in texts(answer("doctor", moved)))


# --- what runs ------------------------------------------------------------------------------------


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
