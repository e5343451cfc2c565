"""A canary of which a fork fails, or a line: what was measured tells whether the box moved."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from stored_runs import fork_path, store_complete_run
from synthetic import JOB, WRITE, make_forks

from flink_boost.base.errors import BrokenData, FlinkBoostError
from flink_boost.cli.commands import canary as canary_command
from flink_boost.cli.main import main
from flink_boost.flink.dropin import RECORD
from flink_boost.flink.lines import Line, find_line
from flink_boost.measure import frozen_canary
from flink_boost.measure.frozen_canary import FrozenCanary, plan_canary
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Timing
from flink_boost.measure.night_record import NightRecord, StepState
from flink_boost.measure.runner import Progress
from flink_boost.publish.run_places import Places
from flink_boost.service.nightly.canaries import Canaries
from flink_boost.service.nightly.night import Waiting, carry_out, resumed
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_plan import NightPlan, PlannedStep
from flink_boost.service.nightly.steps import Steps

pytestmark = pytest.mark.quiet

LINE, OTHER = find_line("2.3.0"), find_line("1.20.5")
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
NIGHTS = 13
SHORT = Timing(warmup_iterations=1, warmup_time_ms=1, iterations=1, iteration_time_ms=1)
CELLS = (WRITE, JOB)
PLAN = Group(
    name="canary", title="", quick_look=False, pairs=5, cells=CELLS, timings=(SHORT, SHORT)
)
NO_FORK = "/bin/false"  # for a java: each fork that is still to be measured fails
BOX = Box(
    hostname="h", cpu="c", cores=4, memory_mb=16000, kernel="6.1", jdk="17.0.9+9", load=0.1
)  # fmt: skip


class NoProgress:
    def started(self, *_: object) -> None: ...

    def ended(self, *_: object) -> None: ...


def frozen(build: Path, line: Line) -> FrozenCanary:
    folder = build / "frozen" / line.version
    folder.mkdir(parents=True)
    jar, stock = folder / "old.jar", folder / "flink-core.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(RECORD, f"flink.version={line.version}\nboost.version=0.1.0\n")
    stock.write_bytes(b"stock")
    return frozen_canary.freeze(build, line.version, jar, (stock,), PLAN, TODAY)


def measured(build: Path, *, last: float = 1.0, lacking: int = 1) -> str:
    """Nights of a canary, of which the last is so many times as fast and lacks some forks."""
    kept = frozen(build, LINE)
    paths = frozen_canary.class_paths(build, kept)
    for number in range(NIGHTS):
        started = TODAY - timedelta(days=NIGHTS - 1 - number) + timedelta(seconds=1)
        run = plan_canary(
            *(kept, paths),
            run_id=f"{started:%Y%m%dT%H%M%SZ}-{LINE.version}-canary",
            started=started,
            line=LINE,
            box=BOX,
        )
        speed = 100 * (last if number == NIGHTS - 1 else 1)
        forks = make_forks(run, speed=speed, noise=0.003, seed=number)
        folder = store_complete_run(build / "results", run, forks)
    (folder / "complete").unlink()
    for fork in forks[:lacking]:
        fork_path(build / "results", run, fork).unlink()
    return run.run_id


@contextmanager
def shown() -> Iterator[Progress]:
    yield NoProgress()


def of_a_night(build: Path, said: list[str]) -> Canaries:
    def describe(_: Line) -> tuple[str, Box]:
        return NO_FORK, BOX

    places = Places(build / "results", build / "spool", build)
    return Canaries(places, {}, describe, shown, said.append)


def night() -> NightRecord:
    return NightRecord(box="h", night=f"{TODAY:%Y-%m-%dT%H%M}", slot=TODAY)


def test_a_fork_that_fails_leaves_the_verdict_of_the_others(tmp_path: Path) -> None:
    measured(tmp_path, last=0.8)
    said: list[str] = []
    record, problem = of_a_night(tmp_path, said)(night(), (LINE,))
    assert (record.moved, problem) == (True, None)
    assert "1 of 20 forks failed" in said[0]


def test_a_line_that_cannot_be_measured_takes_no_verdict_from_another(tmp_path: Path) -> None:
    measured(tmp_path, last=0.8)
    broken = frozen_canary.class_paths(tmp_path, frozen(tmp_path, OTHER))
    broken.dropin.write_bytes(b"touched")
    said: list[str] = []
    record, problem = of_a_night(tmp_path, said)(night(), (LINE, OTHER))
    assert record.moved
    assert isinstance(problem, BrokenData)
    # The night keeps the verdict, though the step has failed and is told as such.
    canaries = of_a_night(tmp_path, said)
    steps = cast(
        "Steps",
        SimpleNamespace(parts=SimpleNamespace(canary=canaries), _all_lines=(LINE, OTHER)),
    )
    ended = carry_out(
        resumed(night(), ["canary"]),
        NightPlan((PlannedStep("canary", "canary", "", 1.0),), ()),
        {"canary": lambda record, step: Steps._canary(steps, record, step)},
        NightJournal(tmp_path / "nights"),
        tmp_path / "results",
        Waiting(tmp_path / "lock", 60),
        said.append,
    )
    assert ended.night.canary == record
    assert ended.night.step("canary").state is StepState.FAILED
    assert [type(one) for one in ended.problems] == [BrokenData]


def test_a_canary_without_a_whole_pair_fails(tmp_path: Path) -> None:
    measured(tmp_path, lacking=20)
    with pytest.raises(FlinkBoostError, match="has no whole pair"):
        of_a_night(tmp_path, [])(night(), (LINE,))


@pytest.mark.parametrize(("last", "lacking", "code"), [(0.8, 1, 34), (1.0, 1, 6), (1.0, 20, 6)])
def test_by_hand_a_move_is_told_before_a_gap(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    last: float,
    lacking: int,
    code: int,
) -> None:
    run_id = measured(tmp_path, last=last, lacking=lacking)
    monkeypatch.setenv("FLINK_BOOST_MACHINE_LOCK", str(tmp_path / "lock" / "measuring.lock"))
    monkeypatch.setattr(canary_command, "choose_java", lambda *_: NO_FORK)
    monkeypatch.setattr(canary_command, "ask_jdk", lambda _: None)
    monkeypatch.setattr(canary_command, "describe_box", lambda *_, **__: BOX)
    call = ["--build", str(tmp_path), "canary", "run", "--line", LINE.version]
    assert main(call) == code
    shown = capsys.readouterr()
    assert f"{lacking} of 20 forks failed" in shown.err
    assert f"`flink-boost canary run --line {LINE.version}` to try them again" in shown.err
    assert main([*call, "--json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert answer["exit_code"] == code
    assert "of 20 forks failed" in answer["error"]
    assert (answer.get("run_id") == run_id) == (lacking == 1)
