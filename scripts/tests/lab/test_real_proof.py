"""Detection proved on real forks: a tiny proof, interrupted, gone on with, and its table."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line
from flink_boost.measure.model import Box, Cell
from lab.cases import CaseNight, DetectionCase, ToldAlarm
from lab.evaluation import Walk
from lab.real.answering import night_name
from lab.real.bench import METHOD, slowed_jar
from lab.real.model import (
    ProofOrder,
    ProofResult,
    RealCase,
    begin_or_go_on,
    read_order,
)
from lab.real.proof import OutOfTime, Schedule, outcome_of
from lab.real.sheet import proof_sheet

# A delay is seen in times.
pytestmark = pytest.mark.test_all
REAL = [pytest.mark.forks, pytest.mark.quiet]

CELL = Cell(benchmark="org.example.Strings.write", params=(("length", "16"),))
ORDER = ProofOrder(
    line="2.3.0",
    cells=(CELL,),
    group="smoke",
    nights=10,
    slow_nights=2,
    pairs=1,
    delays=(10.0,),
    dropin_sha256="00",
)


def command(folder: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "flink_boost.cli", "evaluate-detection", "real", "--json"),
        *("--folder", str(folder), "--group", "smoke", "--only", "StringSerial.*write"),
        *("--nights", "10", "--slow-nights", "1", "--pairs", "1", "--delays", "4000"),
        # Beside other suites a fork may wait longer than it works.
        "--cpu-time",
    ]


def proof(folder: Path, *words: str) -> tuple[int, dict[str, Any], str]:
    """A call as a person makes it."""
    done = subprocess.run(
        [*command(folder), *words],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=2500,
        check=False,
    )
    content: dict[str, Any] = json.loads(done.stdout)
    assert content["exit_code"] == done.returncode
    return done.returncode, content, done.stderr


def forks(folder: Path) -> dict[str, int]:
    found = (folder / "runs").rglob("forks/*.json")
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in found}


@pytest.mark.timeout(3600)
@pytest.mark.needs_jars
@pytest.mark.usefixtures("jmh")
@pytest.mark.parametrize("by", ["double", pytest.param("jmh", marks=REAL)])
def test_a_delay_is_told_and_nothing_is_measured_twice(tmp_path: Path, by: str) -> None:
    folder = tmp_path / "proof"
    # Out of time, then killed with some forks measured: what there is stays.
    code, content, said = proof(folder, "--minutes", "0.1")
    assert code == 0
    assert content["outcomes"] == []
    assert "The time is over; the same command goes on." in said
    killed = subprocess.Popen(command(folder), cwd=PROJECT_ROOT, stderr=subprocess.DEVNULL)
    while len(forks(folder)) < 4:
        assert killed.poll() is None
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    before = forks(folder)

    code, content, said = proof(folder)
    assert code == 0, said
    assert before.items() <= forks(folder).items(), "a fork was measured again"
    assert "night 10 of 10 of equal builds" in said
    assert "left" in said
    assert content["open_cases"] == []
    equal, slow = content["outcomes"]
    assert (equal["case"]["rounds"], equal["alarm"]) == (0, None)
    assert slow["case"]["rounds"] > 1
    assert slow["delay_nights"] == 0, content
    assert slow["alarm"]["ratio"] < 0.5
    assert slow["pairs"] >= 16
    assert content == {**content, **json.loads((folder / "result.json").read_text())}

    # Again: nothing is measured, and the answer is the same.
    known = forks(folder)
    _, again, _ = proof(folder)
    assert forks(folder) == known
    assert again["outcomes"] == content["outcomes"]

    # Other options are another proof.
    code, content, _ = proof(folder, "--pairs", "2")
    assert code == 2
    assert "holds a proof with other options" in content["error"]


def test_a_question_about_no_night_ends_the_program_that_reruns(tmp_path: Path) -> None:
    begin_or_go_on(tmp_path, ORDER)
    (tmp_path / "known.jsonl").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "flink_boost.cli", "detection-cases", "rerun-real", str(tmp_path)],
        input='{"id":"none","before":1,"after":2,"pairs":4}\n',
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.needs_jars
def test_a_delay_is_in_one_method_and_equal_rounds_give_equal_bytes(tmp_path: Path) -> None:
    (jar,) = (PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{default_line()}-*.jar")
    slower = slowed_jar(jar, 3, tmp_path / "one", "java")
    again = slowed_jar(jar, 3, tmp_path / "two", "java")
    assert slower.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(jar) as one, zipfile.ZipFile(slower) as other:
        assert one.namelist() == other.namelist()
        differing = [name for name in one.namelist() if one.read(name) != other.read(name)]
    owner = METHOD.partition(".")[0]
    assert differing == [f"org/apache/flink/boost/strings/{owner}.class"]
    stamp = slower.stat().st_mtime_ns
    assert slowed_jar(jar, 3, tmp_path / "one", "java").stat().st_mtime_ns == stamp


def test_a_jar_without_that_method_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("org/apache/flink/boost/strings/StringWriter.class", b"no class")
    with pytest.raises(EnvironmentProblem, match=r"could not be put into other\.jar"):
        slowed_jar(other, 3, tmp_path, "java")
    assert [one.name for one in tmp_path.glob("slow-*.jar")] == []


def test_the_order_is_fixed_when_it_begins(tmp_path: Path) -> None:
    assert not begin_or_go_on(tmp_path, ORDER)
    assert begin_or_go_on(tmp_path, ORDER)
    assert read_order(tmp_path) == ORDER
    with pytest.raises(UsageProblem, match="with other options, or of another jar"):
        begin_or_go_on(tmp_path, ORDER.model_copy(update={"dropin_sha256": "11"}))
    with pytest.raises(UsageProblem, match="holds no proof"):
        read_order(tmp_path / "nowhere")


def told(night: int, first: int, ratio: float) -> ToldAlarm:
    return ToldAlarm(id="c", night=night, first_bad=first, ratio=ratio, low=0.8, high=0.95)


def outcome(rounds: int, *alarms: ToldAlarm) -> Any:
    nights = tuple(CaseNight(night=n, commit="c", pairs=((2.0, 1.0),)) for n in range(1, 13))
    case = DetectionCase(
        id="c", unit="ns/op", less_is_better=True, pairs_per_night=1, nights=nights
    )
    known = RealCase(id="c", cell=CELL, rounds=rounds, time=100.0, delay=10.0)
    asked = [(5, 8), (10, 16), (11, 4)]  # in the 6th, 11th and 12th night
    return outcome_of(known, case, Walk("c", 12, alarms, 28), asked, 10)


def test_what_counts_as_told_and_what_as_false() -> None:
    right, early, faster = told(12, 11, 0.9), told(9, 8, 0.9), told(12, 11, 1.1)
    found = outcome(7, early, right)
    assert (found.alarm, found.delay_nights, found.named_off) == (right, 1, 0)
    # Alarms of equal builds are those of the case about these.
    assert found.false_alarms == ()
    assert found.pairs == 20
    assert outcome(7, faster).alarm is None
    assert outcome(7, faster).false_alarms == (faster,)
    equal = outcome(0, early)
    assert (equal.alarm, equal.false_alarms, equal.pairs) == (None, (early,), 28)


def test_the_table_says_what_was_put_in_and_what_was_told() -> None:
    box = Box(hostname="h", cpu="A CPU", cores=2, memory_mb=1, kernel="6", jdk="17.0.1", load=0)
    cases = (outcome(0), outcome(7, told(12, 11, 0.9)), outcome(7))
    result = ProofResult(
        made=datetime(2026, 3, 1, tzinfo=UTC),
        order=ORDER,
        box=box,
        outcomes=cases,
        open_cases=("1-delay-3",),
    )
    text = proof_sheet(result)
    row = "| 10.0 of 100 ns | 10.0 % | the next night | right | 11.1 % (5.3–25.0) | 0 | 20 |"
    assert row in text
    assert "| 10.0 of 100 ns | 10.0 % | not told | – | – | 0 | 20 |" in text
    assert "| 12 | " in text
    assert "Not done yet: 1-delay-3." in text


def test_nothing_begins_when_the_time_is_over_and_the_rest_is_told() -> None:
    now = [0.0]
    said: list[str] = []
    schedule = Schedule(10, 6.0, 25, said.append, lambda: now[0])
    schedule.check()
    now[0] = 20.0
    schedule.did("a step", 4)
    assert said == ["a step; about 30 s left"]
    schedule.did("what was on disk", 4)
    assert said[-1] == "what was on disk; about 10 s left"
    now[0] = 25.0
    with pytest.raises(OutOfTime):
        schedule.check()


def test_nights_of_equal_builds_are_shared_and_those_of_a_delay_are_not() -> None:
    assert night_name(None, 7) == "night-007"
    assert night_name(RealCase(id="1-delay-5", cell=CELL), 7) == "1-delay-5-night-007"
