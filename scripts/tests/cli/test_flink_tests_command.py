"""``flink-boost flink-tests`` with Flink 2.3.0's own tests: run, killed, resumed, refused.

Needs the drop-in jar that ``make build`` leaves, and Maven.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_boost import __version__
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import find_line
from suites.totals import read_totals

pytestmark = pytest.mark.needs_jars

COMMAND = Path(sys.executable).with_name("flink-boost")
LINE = find_line("2.3.0")
JAR = f"flink-boost-{LINE.version}-{__version__}.jar"
DROPIN = PROJECT_ROOT / "build" / "jars" / JAR
# One class of flink-core, one of flink-runtime: two chunks.
CHOSEN = (r"base\.StringSerializerTest$", r"\.SpanningWrapperTest$")


def arguments(build: Path, *more: str) -> list[str]:
    common = ("--line", "2.3.0", "--jdk", "17", "--dropin", str(DROPIN))
    return [str(COMMAND), "--build", str(build), "flink-tests", *common, *more]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


def java_processes(build: Path) -> Iterator[str]:
    """Command lines of JVMs that work in that folder."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if "ConsoleLauncher" in line and str(build) in line:
                yield line


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 240
    while not path.exists():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.test_all
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    command = arguments(tmp_path, *CHOSEN)
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    try:
        (folder,) = _wait_for_folder(tmp_path, process)
        wait_for(folder / "chunks" / "core-001.done", process)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 20
    while list(java_processes(tmp_path)):
        assert time.monotonic() < deadline, "a JVM outlived its run"
        time.sleep(0.1)
    first = folder / "chunks" / "core-001.json"
    written = first.stat().st_mtime_ns

    again = run(*command)

    assert again.returncode == 0, again.stderr
    assert "Going on with 2 test classes of Flink 2.3.0 on JDK 17" in again.stderr
    assert "core-001:" not in again.stderr
    assert "[2/2] runtime-001:" in again.stderr
    assert first.stat().st_mtime_ns == written
    assert "0 failed only with our jar" in again.stdout
    proof = f"woven classes were loaded, all from {JAR}, and their new code ran in 1 of 2 runs"
    assert proof in again.stdout
    (report,) = (tmp_path / "test-reports" / "flink").glob("2.3.0-jdk17-chosen-*.xml")
    totals = read_totals([report])
    assert (totals.passed, totals.failed) == (18, 0)
    assert report.with_suffix(".html").as_uri() in again.stdout
    for page in (report.with_suffix(f".{kind}") for kind in ("html", "md")):
        assert "Flink 2.3.0, JDK 17: 18 passed, 0 failed only with our jar" in page.read_text()
        assert proof in page.read_text()

    as_json = run(*command, "--json")
    assert as_json.returncode == 0, as_json.stderr
    answer = json.loads(as_json.stdout)
    (tested,) = answer["tested"]
    assert (answer["ok"], tested["line"], tested["jdk"], tested["passed"]) == (
        True,
        "2.3.0",
        17,
        18,
    )
    assert tested["failures"] == []
    assert Path(tested["markdown"]).is_file()


def _wait_for_folder(build: Path, process: subprocess.Popen[str]) -> list[Path]:
    deadline = time.monotonic() + 240
    while not (found := [p.parent for p in build.glob("flink-tests/*/plan.json")]):
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def test_one_release_on_two_jdks_may_run_at_once(tmp_path: Path) -> None:
    """As `make test-releases` does: neither finds the other's lock."""
    first = subprocess.Popen(
        arguments(tmp_path, *CHOSEN),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        _wait_for_folder(tmp_path, first)
        second = run(*arguments(tmp_path, "--jdk", "21", "NoSuchTestAnywhere"))
    finally:
        first.kill()
        first.wait()
    assert "No test class of Flink matches NoSuchTestAnywhere." in second.stderr
    assert second.returncode == 2


def test_tests_that_touch_none_of_our_classes_prove_nothing(tmp_path: Path) -> None:
    result = run(*arguments(tmp_path, r"core\.memory\.MemorySegmentUndersizedTest$"))
    assert result.returncode == 1
    assert f"Nothing was tested: 6 tests passed, 0 classes of {JAR} were" in result.stderr
    assert "Choose tests that use strings" in result.stderr


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (("--all", "x"), 2, "--all and patterns exclude each other."),
        (("NoSuchTestAnywhere",), 2, "No test class of Flink matches NoSuchTestAnywhere."),
        (("--jdk", "8", "x"), 2, "No line runs on JDK 8. Choose one of: 2.3.0: 17, 21."),
        (("--line", "7.7.7"), 2, "There is no Flink line '7.7.7'."),
        (("--dropin", "/nowhere/x.jar"), 4, "/nowhere/x.jar is missing. Run `make build"),
    ],
)
def test_a_wrong_call_is_one_sentence(
    tmp_path: Path, more: tuple[str, ...], code: int, message: str
) -> None:
    result = run(*arguments(tmp_path, *more))
    assert (result.returncode, result.stdout) == (code, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    command = arguments(tmp_path, *CHOSEN)
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _wait_for_folder(tmp_path, process)
        # On a busy machine it would be through before the second one looks.
        process.send_signal(signal.SIGSTOP)
        second = run(*command)
    finally:
        process.terminate()
        process.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted; what was finished is kept." in said
    assert second.returncode == 4
    assert "Another flink-boost flink-tests (pid" in second.stderr
