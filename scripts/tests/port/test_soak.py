"""The soak test of the codec: real JVMs, killed and continued; a codec that is wrong is found."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.lines import default_line, find_line
from flink_boost.port.soak import (
    Result,
    SoakMode,
    SoakPlan,
    java_command,
    parse_count,
    read_result,
)

pytestmark = pytest.mark.needs_jars

STATE = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE properties SYSTEM "http://java.sun.com/dtd/properties.dtd">
<properties>
<entry key="plan.line">2.3.0</entry><entry key="plan.jdk">17.0.15+6</entry>
<entry key="plan.mode">opened</entry><entry key="plan.cases">100</entry>
<entry key="plan.seed">7</entry><entry key="plan.access">string access opened</entry>
<entry key="plan.dropin">abc</entry><entry key="plan.generator">1</entry>
<entry key="done">{done}</entry><entry key="seconds">2.5</entry>
<entry key="verdict">{verdict}</entry><entry key="failing-case">{failing}</entry>
<entry key="failure">{failure}</entry>
</properties>
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build folder with the drop-in jar and without any earlier soak test."""
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "jars").symlink_to(PROJECT_ROOT / "build" / "jars")
    return folder


def soak(build: Path, *arguments: str) -> int:
    return main(["--build", str(build), "soak", "--threads", "2", *arguments])


def result_of(build: Path) -> dict[str, object]:
    (path,) = (build / "soak").glob("*.json")
    content: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize(
    ("text", "count"), [("1", 1), ("1000000", 1_000_000), ("1_000", 1000), ("1e9", 10**9)]
)
def test_counts_are_read(text: str, count: int) -> None:
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "1e-3", "1.5e0", ""])
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="is not a number of cases"):
        parse_count(text)


def test_what_a_line_does_not_have_is_refused() -> None:
    line = find_line("1.9.3")
    plan = SoakPlan(line.version, 11, SoakMode.OPENED, 10, 1, "records")
    with pytest.raises(UsageProblem, match="No records are patched in Flink"):
        java_command("java", plan, line, PROJECT_ROOT / "build", "0.2.0", [])


def test_states_become_results(tmp_path: Path) -> None:
    state = tmp_path / "state.xml"
    state.write_text(STATE.format(done=100, verdict="PASSED", failing=-1, failure=""))
    passed = read_result(state)
    assert isinstance(passed, Result)
    assert passed.passed
    assert passed.sentence == "100 strings in 2 s on Flink 2.3.0, JDK 17.0.15+6, opened: all agree."
    state.write_text(STATE.format(done=64, verdict="FAILED", failing=70, failure="differs"))
    failed = read_result(state)
    assert isinstance(failed, Result)
    assert (failed.passed, failed.failing_case, failed.failure) == (False, 70, "differs")
    state.write_text(STATE.format(done=64, verdict="RUNNING", failing=-1, failure=""))
    assert read_result(state) is None


@pytest.mark.parametrize("content", ["", "<properties/>", "<properties><entry", "done=1"])
def test_a_damaged_state_is_named(tmp_path: Path, content: str) -> None:
    state = tmp_path / "state.xml"
    state.write_text(content)
    with pytest.raises(BrokenData, match="is not the state of a soak test"):
        read_result(state)


def test_a_missing_build_is_named(tmp_path: Path) -> None:
    line = find_line(default_line())
    plan = SoakPlan(line.version, 17, SoakMode.OPENED, 10, 1)
    with pytest.raises(EnvironmentProblem, match="Run `make build"):
        java_command("java", plan, line, tmp_path, "0.2.0", [])


def test_another_tree_is_taken_whole(tmp_path: Path) -> None:
    line = find_line(default_line())
    plan = SoakPlan(line.version, 17, SoakMode.OPENED, 10, 1)
    build = PROJECT_ROOT / "build"
    with pytest.raises(EnvironmentProblem, match=str(tmp_path)):
        java_command("java", plan, line, build, "0.2.0", [], tmp_path)


def test_a_short_run_passes_and_says_what_it_did(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert soak(build, "--cases", "20000", "--seed", "5") == 0
    assert "20,000 strings in" in capfd.readouterr().out
    result = result_of(build)
    assert result["passed"] is True
    assert (result["line"], result["mode"], result["cases"]) == (default_line(), "opened", 20_000)
    assert (result["seed"], result["done"], result["failing_case"]) == (5, 20_000, None)
    assert str(result["access"]).startswith("string access opened")
    assert len(str(result["dropin_sha256"])) == 64


def test_records_are_soaked_and_a_difference_is_found(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert soak(build, "--family", "records", "--cases", "300") == 0
    assert "300 records in" in capfd.readouterr().out
    assert result_of(build)["family"] == "records"
    assert soak(build, "--family", "records", "--case", "7") == 0
    assert "Patched and stock agree." in capfd.readouterr().out
    assert soak(build, "--family", "records", "--case", "7", "--break", "record") == 1
    assert "but was" in capfd.readouterr().out


@pytest.mark.test_all
def test_a_program_gets_one_object_whatever_the_result(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert soak(build, "--cases", "2000", "--json") == 0
    printed = capfd.readouterr()
    answer = json.loads(printed.out)
    assert (answer["ok"], answer["passed"], answer["done"]) == (True, True, 2000)
    assert Path(answer["file"]).is_file()
    assert printed.err

    assert soak(build, "--cases", "1e6", "--break", "read+6F22", "--json") == 1
    answer = json.loads(capfd.readouterr().out)
    assert (answer["ok"], answer["exit_code"], answer["passed"]) == (False, 1, False)
    case = str(answer["failing_case"])
    assert f"--case {case}" in answer["next_step"]

    assert soak(build, "--case", case, "--json") == 0
    assert json.loads(capfd.readouterr().out)["passed"] is True
    assert soak(build, "--cases", "many", "--json") == 2
    assert json.loads(capfd.readouterr().out)["error"]


def test_modes_reach_the_codec(build: Path) -> None:
    assert soak(build, "--cases", "2000", "--mode", "no-compact-strings") == 0
    assert "compact strings are switched off" in str(result_of(build)["access"])


def test_a_wrong_code_unit_is_found_named_and_shown_again(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert soak(build, "--cases", "1e6", "--break", "read+6F22") == 1
    output = capfd.readouterr()
    assert "is U+6F23, stock has U+6F22" in output.err
    result = result_of(build)
    assert result["passed"] is False
    case = str(result["failing_case"])
    assert f"--seed 1 --case {case}" in output.err
    assert soak(build, "--case", case, "--break", "read+6F22") == 1
    assert "is U+6F23, stock has U+6F22" in capfd.readouterr().out
    # The same case is sound when the codec is.
    assert soak(build, "--case", case) == 0
    assert "agree" in capfd.readouterr().out


@pytest.mark.quiet
def test_a_killed_run_goes_on_where_it_was(build: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cases = "600000"
    command = [sys.executable, "-m", "flink_boost.cli", "--build", str(build), "soak"]
    process = subprocess.Popen([*command, "--threads", "2", "--cases", cases])
    try:
        done = wait_for_progress(build)
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    finally:
        process.kill()
        process.wait()
    wait_for_end_of_java(build)
    # The state on disk is whole, and not older than the one that was seen.
    (state,) = (build / "soak").glob("*.state.xml")
    assert read_result(state) is None
    capfd.readouterr()
    assert soak(build, "--cases", cases) == 0
    output = capfd.readouterr().out
    assert "Going on after " in output
    went_on_after = int(output.split("Going on after ")[1].split(" strings")[0].replace(",", ""))
    assert done <= went_on_after < int(cases)
    assert result_of(build)["done"] == int(cases)


@pytest.mark.test_all
def test_a_run_with_another_jar_is_not_continued(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = build / "soak"
    folder.mkdir()
    line = default_line()
    # A state of the same run that another drop-in jar has begun.
    assert soak(build, "--cases", "3000") == 0
    (state,) = folder.glob("*.state.xml")
    content = state.read_text()
    sha256 = str(result_of(build)["dropin_sha256"])
    state.write_text(content.replace(sha256, "0" * 64).replace("PASSED", "RUNNING"))
    assert soak(build, "--cases", "3000", "--line", line) == 2
    assert "was begun with dropin 0000" in capfd.readouterr().err
    assert soak(build, "--cases", "3000", "--fresh") == 0


@pytest.mark.test_all
def test_one_run_at_a_time_uses_a_state(build: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "flink_boost.cli", "--build", str(build), "soak"]
    process = subprocess.Popen([*command, "--threads", "1", "--cases", "1e9"])
    try:
        wait_for_progress(build)
        assert soak(build, "--cases", "1e9") == 2
        assert "Another soak test is using" in capfd.readouterr().err
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.wait()
    wait_for_end_of_java(build)


def wait_for_progress(build: Path) -> int:
    """Waits until a state says that something is done; the number of strings."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for state in (build / "soak").glob("*.state.xml"):
            done = state.read_text().split('key="done">')[1].split("<")[0]
            if int(done) > 0:
                return int(done)
        time.sleep(0.05)
    raise AssertionError("the soak test makes no progress")


def wait_for_end_of_java(build: Path) -> None:
    """The Java program ends when it sees that its caller is gone."""
    deadline = time.monotonic() + 60
    search = ["pgrep", "-f", f"state={build}"]
    while time.monotonic() < deadline:
        if subprocess.run(search, stdout=subprocess.DEVNULL, timeout=10).returncode != 0:
            return
        time.sleep(0.05)
    raise AssertionError("the Java program outlives its caller")
