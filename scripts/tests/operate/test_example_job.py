"""The job of ``verify --job``: on a real cluster, and the verdict on what it wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    everything_in,
    java_environment,
    put_jar,
    with_mode,
)

from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.operate.example_job import JobOutcome, compare_job, compare_outcomes
from flink_boost.operate.flink_processes import find_running


@pytest.mark.parametrize("line", LINES[:1], ids=lambda line: line.version)
@pytest.mark.usefixtures("fewer_strings")
@pytest.mark.needs_jars
@pytest.mark.test_all
def test_a_real_job_writes_the_same_as_without_the_jar(
    line: Line,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[..., dict[str, Any]],
) -> None:
    assert answer("install", home)["action"] == "installed"
    # Where a JVM would put its temporary files, and leave them when it is killed.
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("JVM_ARGS", f"-Djava.io.tmpdir={temporary} -XX:TieredStopAtLevel=1")
    before = everything_in(home)

    found = answer("verify", home, "--job")

    assert found["ok"], found
    assert found["checks"][-1]["name"] == "job"
    assert " wrote 287 lines with our codec, the same as" in found["checks"][-1]["detail"]
    assert everything_in(home) == before
    assert list(temporary.iterdir()) == []


@pytest.mark.needs_jars
def test_a_cluster_that_does_not_start_without_our_jar_is_no_fault_of_it(home: Path) -> None:
    put_jar(home)
    script = home / "bin" / "taskmanager.sh"
    script.unlink()
    script.write_text("#!/bin/sh\necho no memory left\nexit 1\n")
    script.chmod(0o755)
    environment = java_environment(LINE)
    launch = ask_scripts(open_home(home), environment)

    with pytest.raises(EnvironmentProblem) as raised:
        compare_job(
            open_home(home),
            LINE,
            launch,
            home / "lib" / JAR,
            CARRIED.example(LINE),
            environment,
            open_home(home).dist,
        )

    assert raised.value.message.startswith("Without our jar: A process of ")
    assert "ended at start" in raised.value.message
    assert "no memory left" in raised.value.next_step
    assert find_running(open_home(home)) == []


STOCK_RUN = JobOutcome(("(be,1)", "(to,1)", "(to,2)"), {})
OFF_RUN = JobOutcome(
    STOCK_RUN.lines, {"org.apache.flink.types.StringValue": "/flink/lib/boost.jar"}
)
OUR_RUN = JobOutcome(
    STOCK_RUN.lines,
    {
        "org.apache.flink.types.StringValue": "/flink/lib/boost.jar",
        "org.apache.flink.boost.strings.StringReader": "/flink/lib/boost.jar",
        "org.apache.flink.boost.strings.StringWriter": "/flink/lib/boost.jar",
    },
)


@pytest.mark.parametrize(
    ("ours", "mode", "passed", "words"),
    [
        (OUR_RUN, "on", True, "wrote 3 lines with our codec, the same as without"),
        (OFF_RUN, "off", True, "wrote 3 lines with our codec switched off, the same"),
        (OFF_RUN, "on", False, "but our codec was not used"),
        # The list of classes is missing, or empty.
        (STOCK_RUN, "off", False, "did not write down where org.apache.flink.types.StringValue"),
        (STOCK_RUN, "on", False, "did not write down where org.apache.flink.types.StringValue"),
        (OUR_RUN, "off", False, "but our codec ran although it is switched off"),
        (
            JobOutcome(("(be,1)", "(to,2)", "(to,2)"), OUR_RUN.classes),
            "on",
            False,
            "1 of them not as on stock, 1 are missing",
        ),
        (JobOutcome((), OUR_RUN.classes), "on", False, "wrote 0 lines"),
        (
            JobOutcome(
                OUR_RUN.lines,
                {**OUR_RUN.classes, "org.apache.flink.types.StringValue": "/flink/lib/a.jar"},
            ),
            "on",
            False,
            "took org.apache.flink.types.StringValue from /flink/lib/a.jar",
        ),
    ],
)
def test_the_verdict_on_a_job(ours: JobOutcome, mode: str, passed: bool, words: str) -> None:
    jar = Path("/flink/lib/boost.jar")
    check = compare_outcomes(ours, STOCK_RUN, LINE, with_mode(mode), jar, "WordCount.jar")
    assert check.passed is passed
    assert words in check.detail


@pytest.mark.parametrize(
    ("name", "place", "passed"),
    [
        # As the guard puts it in place, and as Flink has it where the family is off.
        ("PojoSerializer", "__JVM_LookupDefineClass__", True),
        ("PojoSerializer", "/flink/lib/flink-dist-2.3.0.jar", True),
        ("PojoSerializer", "/flink/lib/a.jar", False),
        # Nobody defines one of strings.
        ("StringValue", "__JVM_LookupDefineClass__", False),
        ("StringValue", "/flink/lib/flink-dist-2.3.0.jar", False),
    ],
)
def test_a_class_of_records_may_be_defined_by_the_guard(
    name: str, place: str, passed: bool
) -> None:
    (whole,) = [each for each in LINE.classes if each.endswith(f".{name}")]
    ours = JobOutcome(OUR_RUN.lines, {**OUR_RUN.classes, whole: place})
    jar = Path("/flink/lib/boost.jar")
    check = compare_outcomes(ours, STOCK_RUN, LINE, with_mode("on"), jar, "WordCount.jar")
    assert check.passed is passed
    assert passed or f"took {whole} from {place}" in check.detail


@pytest.mark.parametrize("full", [False, True])
def test_a_full_disk_is_told_with_a_failure(
    full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing may not have found its place."""
    runs = iter([STOCK_RUN, JobOutcome((), {})])
    free = SimpleNamespace(f_bavail=0, f_bfree=0 if full else 1 << 20, f_frsize=4096)
    monkeypatch.setattr("os.statvfs", lambda _: free)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("flink_boost.operate.example_job._run", lambda *_: next(runs))
    monkeypatch.setattr("flink_boost.operate.example_job._without", lambda *_: tmp_path)
    home = FlinkHome(tmp_path, tmp_path / "dist.jar", "2.3.0")
    jar = tmp_path / "boost.jar"

    with pytest.raises(VerificationFailed, match="wrote 0 lines") as raised:
        compare_job(home, LINE, with_mode("on"), jar, tmp_path / "Job.jar", {}, home.dist)

    assert ("There is no space left in " in str(raised.value)) is full


def test_the_job_may_take_the_jar_through_a_link(tmp_path: Path) -> None:
    jar = tmp_path / "flink" / "lib" / "boost.jar"
    jar.parent.mkdir(parents=True)
    (tmp_path / "current").symlink_to("flink")
    linked = tmp_path / "current" / "lib"
    ours = JobOutcome(OUR_RUN.lines, dict.fromkeys(OUR_RUN.classes, str(linked / "boost.jar")))
    assert compare_outcomes(ours, STOCK_RUN, LINE, with_mode("on"), jar, "WordCount.jar").passed
    (linked / "jar").symlink_to(jar)
    named = linked / "jar"
    assert compare_outcomes(ours, STOCK_RUN, LINE, with_mode("on"), named, "WordCount.jar").passed
    other = linked / "other.jar"
    assert compare_outcomes(ours, STOCK_RUN, LINE, with_mode("on"), other, "WordCount.jar").failed
