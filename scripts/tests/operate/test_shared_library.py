"""One ``lib/`` under several paths: a change there finds whoever runs from it, by any of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from installations import JAR, everything_in, flink_boost, our_jars, put_jar, small_home, texts

from flink_boost.base.errors import FlinkRunning, LinkedLibrary
from flink_boost.flink.home import open_home
from flink_boost.operate.flink_processes import find_running

pytestmark = pytest.mark.needs_jars

DIST = "flink-dist-2.3.0.jar"
COMMAND = str(Path(sys.executable).with_name("flink-boost"))

# The class by which it waits is not on the class path that the test is about.
PROGRAM = """
class Sleeper {
    public static void main(String[] jars) throws Exception {
        java.net.URL[] urls = new java.net.URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            urls[i] = new java.io.File(jars[i]).toURI().toURL();
        }
        ClassLoader loader = new java.net.URLClassLoader(urls);
        Class.forName("org.apache.flink.types.StringValue", false, loader);
        System.out.println("ready");
        Thread.sleep(100_000);
    }
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = small_home(tmp_path / "flink")
    put_jar(home)
    return home


@contextmanager
def running(
    folder: Path, *class_path: str, jars: tuple[Path, ...] = (), more: Mapping[str, str] = {}
) -> Iterator[int]:
    """A real JVM that has loaded a class which we patch, from one of those jars."""
    program = folder / "Sleeper.java"
    program.write_text(PROGRAM)
    process = subprocess.Popen(
        ["java", "-XX:TieredStopAtLevel=1", *class_path, str(program), *map(str, jars)],
        stdout=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **more},
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate(timeout=20)


def by_name(lib: Path) -> tuple[str, str]:
    return "-cp", f"{lib / JAR}:{lib / DIST}"


def namespace() -> list[str]:
    """The start of a command that may bind folders; empty where nobody may."""
    if shutil.which("unshare") is None:
        return []
    for how in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        words = [*how, "sh", "-c", 'mount --bind "$0" "$0"', os.devnull]
        if subprocess.run(words, capture_output=True, timeout=20, check=False).returncode == 0:
            return how
    return []


def test_a_library_of_two_homes_is_one(home: Path, tmp_path: Path) -> None:
    other = small_home(tmp_path / "other")
    how = namespace()
    if how:
        script = (
            'mount --bind "$0/lib" "$1/lib"; for c in "doctor" "uninstall" "uninstall --rolling"'
        )
        script += '; do "$2" $c "$1"; echo "code $?"; done'
    else:  # as near as it gets without a mount
        shutil.rmtree(other / "lib")
        (other / "lib").symlink_to(home / "lib")
        script = '"$2" uninstall "$1"; echo "code $?"'
    with running(tmp_path, *by_name(home / "lib")) as pid:
        done = subprocess.run(
            [*how, "sh", "-c", script, str(home), str(other), COMMAND],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    codes = [int(line[5:]) for line in done.stdout.splitlines() if line.startswith("code ")]
    if not how:
        assert codes == [LinkedLibrary.exit_code]
        assert our_jars(home) == [JAR]
        return
    process = f"Sleeper.java (pid {pid}, by the path {home}/lib)"
    assert codes[1:] == [FlinkRunning.exit_code, 0], done
    # As the root of a namespace alone it may not look into the process, and says so.
    assert f"{process} runs with " in done.stdout
    assert f"Flink runs from {other}: {process}." in done.stderr
    assert f"Restart {process}" in done.stdout
    assert our_jars(home) == []


def test_a_copy_of_hard_links_is_another_library(home: Path, tmp_path: Path) -> None:
    """What is taken out of one is still in the other."""
    other = tmp_path / "other"
    shutil.copytree(home, other, symlinks=True, copy_function=os.link)
    before = everything_in(home)
    with running(tmp_path, *by_name(home / "lib")):
        assert flink_boost("uninstall", other) == 0
        assert (our_jars(other), everything_in(home)) == ([], before)
        assert flink_boost("uninstall", home) == FlinkRunning.exit_code


def links(lib: Path, folder: Path) -> Path:
    """A folder in which each jar is a link to the one of the installation."""
    folder.mkdir()
    for name in (JAR, DIST):
        (folder / name).symlink_to(lib / name)
    return folder


# What starts the JVM, as its arguments and variables, where the installation's lib/ is known.
STARTS: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "a link for each jar": lambda lib, other: {"class_path": by_name(links(lib, other))},
    "a wildcard": lambda lib, _: {"class_path": ("-cp", f"{lib.parent.name}/lib/*")},
    "one word": lambda lib, _: {"class_path": (f"--class-path={lib / JAR}:{lib / DIST}",)},
    "a variable": lambda lib, _: {"more": {"CLASSPATH": f"{lib}/*"}},
    "a class loader of its own": lambda lib, _: {"jars": (lib / JAR, lib / DIST)},
}


@pytest.mark.parametrize("start", STARTS)
def test_whoever_has_the_jars_runs_from_there(
    start: str, home: Path, tmp_path: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    how = STARTS[start](home / "lib", tmp_path / "links")
    with running(tmp_path, *how.pop("class_path", ()), **how) as pid:
        found = answer("uninstall", home)
        assert found["exit_code"] == FlinkRunning.exit_code
        assert f"(pid {pid}" in found["error"]
        jar = home / "lib" / JAR
        (process,) = find_running(open_home(home))
        assert (process.pid, process.dropins) == (pid, (jar,))
        assert process.outdated == process.skipped == process.unknown == process.behind == ()
        assert answer("uninstall", "--rolling", home)["action"] == "removed"
        (process,) = find_running(open_home(home))
        assert (process.pid, process.outdated) == (pid, (jar,))
    assert our_jars(home) == []


def test_a_process_that_has_stock_in_front_is_told(
    home: Path, tmp_path: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    """As PyFlink starts it where the file system lists Flink's jar first."""
    with running(tmp_path, "-cp", f"{home / 'lib' / DIST}:{home / 'lib' / JAR}") as pid:
        (told,) = [text for text in texts(answer("doctor", home)) if f"(pid {pid}" in text]
    assert "stock's code: on its class path flink-dist-2.3.0.jar stands before flink-boost" in told
