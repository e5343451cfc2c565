"""Nights: killed, doubled, cut off, in trouble; and each time the next is right.

One has real forks. Those of the others are answered by a double of JMH: they are about what
becomes of a night, not of a number.

Needs what ``make build`` leaves for the default line.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import Any

import pytest
from eventual import eventually
from failing_codespeed import TOKEN, FailingCodespeed, answer, failing_codespeed
from jmh_java import BY_DOUBLE_AND_JMH, make_java
from stored_runs import complete_run_ids

from flink_boost.base.errors import (
    BenchmarkFailed,
    CodecMismatch,
    EnvironmentProblem,
    MachineBusy,
    NightRunning,
    NoisyBox,
    UploadFailed,
)
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line, default_line, find_line
from flink_boost.measure import run_plan, store
from flink_boost.measure.box_file import BoxFile, QuietLimits, write_box_file
from flink_boost.measure.groups import load_groups
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.night_record import NightRecord, NightState, Order, StepState
from flink_boost.measure.noise import NoiseSamples, assess
from flink_boost.measure.runner import EndedFork
from flink_boost.measure.store import RunState
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.publish.upload import RetryPolicy
from flink_boost.service.nightly import steps
from flink_boost.service.nightly.check_calls import check_here
from flink_boost.service.nightly.checking import NightFinding
from flink_boost.service.nightly.night import Waiting
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.night_parts import BoxFinding, Parts, StepSkipped
from flink_boost.service.nightly.service import NightService
from flink_boost.service.nightly.source_tree import Tree, box_label
from flink_boost.service.retention.retention_settings import Retention

pytestmark = pytest.mark.needs_jars

PROGRAM = Path(__file__).with_name("nightly_program.py")
LINE = default_line()
MEASURE = f"measure {LINE}"
WRITE = "StringSerializationBenchmark.write"
SLOT = datetime(2026, 11, 24, 1, tzinfo=UTC)
AT = time_of_day(1, 0)
GRACE = timedelta(hours=2)
QUIET = assess(NoiseSamples(cpu=(1.0,), cache=(1.0,), steal=0.0, busy=0.0, load=0.0))
ORDER = Order(lines=(LINE,), group="smoke", patterns=(WRITE,), pairs=2, build=False, strings=2000)
# Where it does not matter how much a night measured.
SHORT = ORDER.model_copy(update={"pairs": 1})


class Silent:
    """Shows no progress."""

    def started(self, *_: object) -> None:
        """Nothing."""

    def ended(self, _info: object, step: EndedFork) -> None:
        """Nothing."""


@contextmanager
def silent() -> Iterator[Silent]:
    yield Silent()


@dataclass
class Told:
    """Notes what people are told."""

    nights: list[NightRecord] = field(default_factory=list)

    def __call__(self, night: NightRecord) -> str:
        self.nights.append(night)
        return "told"


def _nothing_to_do(*_: object) -> Any:
    raise StepSkipped("it has tests of its own")


@dataclass
class World:
    """A machine with a clock that can be set; what is said on it is kept."""

    folder: Path
    server: FailingCodespeed
    double: bool  # of JMH
    now: datetime = SLOT + timedelta(minutes=5)
    said: list[str] = field(default_factory=list)
    told: Told = field(default_factory=Told)

    def service(self, **changes: Any) -> NightService:
        environ = {
            **os.environ,
            "FLINK_BOOST_CODESPEED_URL": self.server.url,
            "FLINK_BOOST_TOKEN": TOKEN,
            **self.java(),
            **changes.pop("environ", {}),
        }
        tree = Tree(self.folder, environ)
        places = Places(self.folder / "results", self.folder / "spool", self.folder)

        def check_box(lines: tuple[Line, ...], tell: Callable[[str], None]) -> BoxFinding:
            # Other tests run beside; how quiet it is has tests of its own.
            return replace(tree, look=lambda: QUIET).check_box(lines, tell)

        parts = Parts(
            check_box=check_box,
            build=tree.build_line,
            class_paths=tree.class_paths,
            describe=tree.describe,
            # A JVM, which tells the same each time.
            verify=(lambda *_: "2,000 strings are equal") if self.double else tree.verify,
            canary=_nothing_to_do,
            old_against_new=_nothing_to_do,
            confirm=_nothing_to_do,
            profiles=_nothing_to_do,
            report=People(places, environ, lambda: self.now).write,
            notify=self.told,
        )
        lock = Path(os.environ["FLINK_BOOST_MACHINE_LOCK"])
        usual = {
            "places": places,
            "groups": load_groups(),
            "parts": parts,
            "environ": environ,
            "policy": RetryPolicy(attempts=1, connect_timeout=5, answer_timeout=10),
            "waiting": Waiting(lock, 120),
            "clock": lambda: self.now,
            "shown": silent,
            "tell": self.said.append,
            "retention": Retention(),
        }
        return NightService(**{**usual, **changes})

    def java(self, failing: Sequence[int] = (), action: str = ":") -> dict[str, str]:
        """JAVA_HOME of a java that does ``action`` instead of its n-th measurement."""
        name = "flaky" if failing else "home"
        folder = self.folder.parent / name
        made = make_java(folder, double=self.double, failing=failing, action=action)
        return {"JAVA_HOME": str(made.parents[1])}

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def night(self, name: str = "2026-11-24T0100") -> NightRecord:
        return self.service().journal.load(name)


@pytest.fixture
def server() -> Iterator[FailingCodespeed]:
    with failing_codespeed() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, server: FailingCodespeed, double: bool) -> World:
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "jars").symlink_to(PROJECT_ROOT / "build" / "jars")
    return World(folder, server, double)


@pytest.mark.forks
def test_a_whole_night_is_done_once_and_told_to_the_dashboard(world: World) -> None:
    ended = world.service().run(ORDER, AT, resume=False)
    assert ended is not None
    assert ended.problems == (), world.said
    night = ended.night
    assert (night.state, night.expected, night.measured) == (NightState.COMPLETE, 1, 1)
    states = {step.name: step.state for step in night.steps}
    assert states.pop("canary") is states.pop("confirm") is StepState.SKIPPED
    assert states.pop("old-against-new") is StepState.SKIPPED
    assert states.pop("profiles") is StepState.SKIPPED
    assert set(states.values()) == {StepState.DONE}
    assert "2,000 strings" in night.step(f"verify {LINE}").note
    assert all(step.seconds is None or step.seconds >= 0 for step in night.steps)

    (run_id,) = night.runs
    info = store.load_run(world.results, run_id)
    assert info.purpose.makes_a_point
    assert store.is_complete(world.results, run_id)
    assert len(world.server.stored) == 3, "both sides and the ratio"
    assert world.server.nights[night.box, night.night]["state"] == "complete"
    assert all(Path(page).is_file() for page in night.step("report").note.split(", "))
    assert [one.state for one in world.told.nights] == [NightState.COMPLETE]

    before = (world.folder / "nights" / night.night / "night.json").read_bytes()
    assert world.service().run(ORDER, AT, resume=False) is None
    assert (world.folder / "nights" / night.night / "night.json").read_bytes() == before
    assert len(store.run_ids(world.results)) == 1

    # Killed after its last step: the next start sends the record, although nothing is left to do.
    (world.folder / "nights" / night.night / "sent.sha256").unlink()
    world.server.nights.clear()
    assert world.service().run(ORDER, AT, resume=False) is None
    assert world.server.nights[night.box, night.night]["state"] == "complete"
    assert check_here(world.service(), world.now, AT, GRACE).finding is NightFinding.WELL


def test_a_clock_set_back_makes_no_second_night_and_no_time_before_the_slot(world: World) -> None:
    first = world.service().run(SHORT, AT, resume=False)
    assert first is not None
    assert first.night.state is NightState.COMPLETE
    world.now = SLOT - timedelta(minutes=55)
    assert world.service().run(SHORT, AT, resume=False) is None
    assert any("clock was" in line for line in world.said)
    assert world.service().journal.nights() == (first.night.night,)

    # Set back while a night is under way: it goes on, and its run is not dated before its slot.
    shutil.rmtree(world.folder / "nights")
    shutil.rmtree(world.results)
    world.now = SLOT + timedelta(minutes=5)
    service = world.service()

    def set_back() -> Any:
        world.now = SLOT - timedelta(minutes=55)
        return silent()

    ended = replace(service, shown=set_back).run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.COMPLETE
    (run_id,) = ended.night.runs
    assert store.load_run(world.results, run_id).started >= SLOT
    assert all((step.seconds or 0) >= 0 for step in ended.night.steps)
    journal = service.journal
    journal.write(ended.night.model_copy(update={"state": NightState.RUNNING}))
    again = world.service().run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.night == ended.night.night
    assert again.night.runs == ended.night.runs


def test_a_dashboard_that_is_down_all_night_costs_nothing_and_gets_it_with_the_next(
    tmp_path: Path, world: World
) -> None:
    with failing_codespeed(default=answer(503)) as down:
        # 503 for records of nights as well: only ``accept`` stores any.
        world.server = down
        ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    assert {type(problem) for problem in ended.problems} == {UploadFailed}
    assert ended.night.state is NightState.FAILED
    assert "upload failed" in ended.night.reason
    assert ended.night.step("report").state is StepState.DONE
    waiting = len(Spool(world.folder / "spool").unsent_keys())
    assert waiting == 2

    with failing_codespeed() as up:
        world.server = up
        world.now += timedelta(days=1)
        after = world.service().run(SHORT, AT, resume=False)
        assert after is not None
        assert after.problems == ()
        commits = {key[2] for key in up.stored}
        assert len(commits) == 2, "both nights"
        assert set(up.times_stored.values()) == {1}
        assert {name for _, name in up.nights} == {"2026-11-24T0100", "2026-11-25T0100"}


def test_a_fork_that_hangs_is_a_gap_and_the_night_goes_on(world: World) -> None:
    environ = world.java([2], "sleep 300")
    ended = world.service(environ=environ, fork_seconds=10).run(ORDER, AT, resume=False)
    assert ended is not None
    assert [type(problem) for problem in ended.problems] == [BenchmarkFailed]
    night = ended.night
    assert night.step(MEASURE).state is StepState.FAILED
    assert night.measured == 1, "one pair is whole"
    assert night.step("upload").state is StepState.DONE
    assert len(world.server.stored) == 3
    assert check_here(world.service(), world.now, AT, GRACE).finding is NightFinding.FAILED

    again = world.service(environ=environ).run(ORDER, AT, resume=True)
    assert again is not None
    assert again.problems == ()
    assert again.night.state is NightState.COMPLETE
    assert again.night.runs == night.runs
    assert len(store.run_ids(world.results)) == 1


def test_what_does_not_verify_is_not_measured_and_all_else_goes_on(world: World) -> None:
    def differs(*_: object) -> str:
        raise CodecMismatch("Case 7 of seed 1 differs.", "Repeat it.")

    service = world.service()
    broken = replace(service, parts=replace(service.parts, verify=differs))
    ended = broken.run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.EMPTY
    assert "Case 7 of seed 1 differs" in ended.night.reason
    assert ended.night.step(MEASURE).note == f"skipped: verify {LINE} failed"
    assert ended.night.step("detect").state is StepState.DONE
    assert store.run_ids(world.results) == ()


def test_a_step_that_fails_in_a_way_nobody_foresaw_costs_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        # As a name of a file that is no text, and as long as pydantic's.
        raise ValueError("a number\nthat is none \udcff" + " x" * 2000)

    monkeypatch.setattr(steps, "detect", broken)
    service = world.service()
    ended = service.run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.FAILED
    assert "everything was measured; detect failed: A fault of flink-boost" in ended.night.reason
    states = {step.name: step.state for step in ended.night.steps}
    assert states.pop("detect") is StepState.FAILED
    assert states.pop("confirm") is StepState.SKIPPED
    assert {states[name] for name in ("report", "notify", "prune")} == {StepState.DONE}
    (problem,) = ended.problems
    assert "ValueError: a number that is none" in str(problem)
    log = service.places.build / "nights" / ended.night.night / "logs" / "detect.log"
    assert "in broken" in log.read_text(encoding="utf-8")
    assert str(log) in str(problem)
    assert world.told.nights[-1].step("detect").state is StepState.FAILED


def test_a_box_that_is_another_is_refused_and_a_later_start_of_the_slot_tries_again(
    tmp_path: Path, world: World
) -> None:
    file = tmp_path / "box.toml"
    file.write_text('name = "box-9"\nfingerprint = "000000000000"\n')
    ended = world.service(environ={"FLINK_BOOST_BOX": str(file)}).run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.REFUSED
    assert ended.night.box == "box-9"
    assert ended.night.step(f"build {LINE}").note == "skipped: box failed"
    assert world.server.nights["box-9", ended.night.night]["state"] == "refused"
    assert world.told.nights[-1].state is NightState.REFUSED
    again = world.service().run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.state is NightState.COMPLETE


def test_an_older_night_that_was_cut_off_is_closed_with_its_gaps_and_told(world: World) -> None:
    service = world.service()

    class CutOff(Silent):
        def ended(self, _info: object, step: EndedFork) -> None:
            if step.number == 3:
                raise KeyboardInterrupt

    @contextmanager
    def cutting() -> Iterator[CutOff]:
        yield CutOff()

    order = ORDER.model_copy(update={"pairs": 3})
    with pytest.raises(KeyboardInterrupt):
        replace(service, shown=cutting).run(order, AT, resume=False)
    assert world.night().state is NightState.RUNNING
    assert check_here(world.service(), world.now, AT, GRACE).finding is NightFinding.STOPPED
    assert "was stopped" in world.told.nights[-1].reason
    world.told.nights.clear()

    world.now += timedelta(days=1)
    ended = world.service().run(ORDER, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.COMPLETE
    old = world.night()
    assert old.state is NightState.FAILED, "its one benchmark has a whole pair"
    assert f"cut off at {MEASURE}" in old.reason
    (old_run,) = old.runs
    assert store.state(world.results, old_run) is RunState.WITH_FAILURES
    assert [one.night for one in world.told.nights] == [old.night, ended.night.night]
    assert len({key[2] for key in world.server.stored}) == 2, "what it had is sent"


def test_a_run_has_the_commit_that_its_jars_were_built_from(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, checked_out_since = "a" * 40, "b" * 40
    monkeypatch.setattr(steps, "current_commit", lambda: built)
    monkeypatch.setattr(run_plan, "current_commit", lambda: checked_out_since)
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    (run_id,) = ended.night.runs
    assert store.load_run(world.results, run_id).commit == built


def test_a_missing_night_is_told_and_may_still_come(world: World) -> None:
    world.service().run(SHORT, AT, resume=False)
    world.told.nights.clear()
    world.now = SLOT + timedelta(days=1, hours=3)
    found = check_here(world.service(), world.now, AT, GRACE)
    assert (found.finding, found.night) == (NightFinding.MISSING, "2026-11-25T0100")
    assert [one.state for one in world.told.nights] == [NightState.MISSING]
    box = world.night("2026-11-24T0100").box
    assert world.server.nights[box, "2026-11-25T0100"]["state"] == "missing"
    late = world.service().run(SHORT, AT, resume=False)
    assert late is not None
    assert (late.night.night, late.night.state) == ("2026-11-25T0100", NightState.COMPLETE)
    assert world.server.nights[box, "2026-11-25T0100"]["state"] == "complete"


def test_a_second_nightly_says_so_and_another_measurement_is_waited_for(world: World) -> None:
    service = world.service()
    with service.journal.held(), pytest.raises(NightRunning, match=str(os.getpid())):
        service.run(SHORT, AT, resume=False)
    lock = service.waiting.lock
    slept: list[float] = []
    with machine_lock(lock, "a request"):
        busy = Waiting(lock, 60, clock=lambda: sum(slept), sleep=slept.append)
        with pytest.raises(MachineBusy, match="a request"):
            replace(service, waiting=busy).run(SHORT, AT, resume=False)
    assert 60 <= sum(slept) < 70
    assert world.night().state is NightState.REFUSED
    assert sum("Waiting up to 1 min" in line for line in world.said) == 1
    # The same night is taken up once the machine is free.
    ended = service.run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.COMPLETE


def nightly(world: World, *arguments: str) -> list[str]:
    # An hour ago, so that no slot comes while the test runs.
    at = f"{datetime.now(UTC) - timedelta(hours=1):%H:%M}"
    return [
        *(sys.executable, str(PROGRAM), "--build", str(world.folder)),
        *("nightly", "--at", at, "--no-build"),
        *("--line", LINE, "--group", "smoke", "--only", WRITE, "--strings", "2000", *arguments),
    ]


def environment(world: World) -> dict[str, str]:
    names = {"FLINK_BOOST_CODESPEED_URL": world.server.url, "FLINK_BOOST_TOKEN": TOKEN}
    # A box that takes any noise: other tests run beside.
    here = Tree(world.folder, os.environ).box(find_line(LINE))
    limits = QuietLimits(cpu=1e6, cache=1e6, steal=1, busy=1)
    file = world.folder.parent / "box.toml"
    box = BoxFile(version=2, name="box-1", fingerprint=here.fingerprint, quiet=limits)
    write_box_file(file, box)
    names["FLINK_BOOST_BOX"] = str(file)
    return {**os.environ, **names, **world.java()}


def java_processes(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(folder).encode() in line and b"java" in line:
            found.append(line.decode(errors="replace"))
    return found


def steps_on(world: World, process: subprocess.Popen[bytes], count: int) -> None:
    """Waits until so many things were seen to happen to a night's record and forks, or it ends.

    Moments that are counted in seconds would all be before the first fork on a busy machine.
    """
    before = happened(world)
    while count and process.poll() is None:
        if (now := happened(world)) != before:
            before, count = now, count - 1
        time.sleep(0.01)


def happened(world: World) -> dict[str, int]:
    """When each record was written, and each fork began or ended."""
    found = {}
    for pattern in ("nights/*/night.json", "results/*/forks/*.json", "results/*/attempts/*.log"):
        for path in world.folder.glob(pattern):
            with suppress(FileNotFoundError):
                found[path.name] = path.stat().st_mtime_ns if path.name == "night.json" else 0
    return found


def forks_of(results: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in results.glob("*/forks/*.json")}


@pytest.mark.timeout(3600)
@BY_DOUBLE_AND_JMH
def test_a_night_killed_at_random_moments_loses_nothing_and_does_nothing_twice(
    world: World, request: pytest.FixtureRequest, by: str
) -> None:
    moments: int = request.config.getoption("--moments")
    source = random.Random(20261124)
    # A night that is too short ends before all moments have come.
    pairs = max(6, moments // 2 if moments < 50 else 2 * moments)
    command = nightly(world, "--pairs", str(pairs))
    environ = environment(world)
    seen: dict[str, bytes] = {}
    killed: dict[str, int] = {}
    nights = 0
    for _ in range(moments):
        process = subprocess.Popen(
            command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        steps_on(world, process, source.randrange(1, 13))
        try:
            process.wait(timeout=source.uniform(0.0, 1.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        else:
            nights += 1
        assert eventually(lambda: not java_processes(world.folder), 10), "a JVM outlived its night"
        forks = forks_of(world.results)
        assert seen.items() <= forks.items(), "a finished fork was lost or measured again"
        seen = forks
        assert len(store.run_ids(world.results)) <= 1
        if process.returncode >= 0:
            continue  # it had ended by itself
        for name in world.service().journal.nights():
            record = world.night(name)
            at_work = [step.name for step in record.steps if step.state is StepState.RUNNING]
            where = at_work[0] if at_work else record.state.value
            killed[where] = killed.get(where, 0) + 1
    assert sum(killed.values()) + nights == moments
    assert killed, "no night was killed: every call had come to its end"
    last = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=1800)
    assert last.returncode == 0, last.stderr
    (name,) = world.service().journal.nights()
    night = world.night(name)
    assert night.state is NightState.COMPLETE, night.reason
    (run_id,) = complete_run_ids(world.results)
    assert night.runs == (run_id,)
    assert len(forks_of(world.results)) == 2 * pairs
    assert seen.items() <= forks_of(world.results).items()
    assert len(world.server.stored) == 3
    assert Spool(world.folder / "spool").unsent_keys() == ()
    assert not list(world.folder.rglob("*.partial"))
    assert world.server.nights[night.box, name]["state"] == "complete"
    count = sum(killed.values())
    print(f"killed at {count} moments: {killed}")  # noqa: T201 the figures of make test-nightly


def test_two_at_once_and_a_request_make_one_night(world: World) -> None:
    environ = environment(world)
    lock = Path(environ["FLINK_BOOST_MACHINE_LOCK"])
    with machine_lock(lock, "a request"):
        first = subprocess.Popen(
            nightly(world, "--pairs", "1"),
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert eventually(lambda: list((world.folder / "nights").glob("*/night.json")), 60)
        second = subprocess.run(
            nightly(world, "--json"), env=environ, capture_output=True, text=True, timeout=100
        )
        assert second.returncode == 30
        told = json.loads(second.stdout)
        assert f"Another flink-boost nightly (pid {first.pid})" in told["error"]
        assert first.poll() is None
    _, errors = first.communicate(timeout=200)
    assert first.returncode == 0, errors
    assert "a request" in errors
    assert len(complete_run_ids(world.results)) == 1


@pytest.mark.test_all
def test_an_interrupted_night_ends_as_the_timer_wants_it_and_goes_on(world: World) -> None:
    process = subprocess.Popen(
        nightly(world, "--pairs", "40"), env=environment(world), stderr=subprocess.PIPE, text=True
    )
    assert eventually(lambda: forks_of(world.results), 100)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not java_processes(world.folder)
    (name,) = world.service().journal.nights()
    assert world.night(name).state is NightState.RUNNING


ON_A_FULL_DISK = """
set -e
build=$1; shift
mkdir -p "$build/spool"
mount -t tmpfs -o size=256k tmpfs "$build/spool"
dd if=/dev/zero of="$build/spool/filler" bs=1k 2> /dev/null || true
set +e
"$@"; echo "full: $?"
rm "$build/spool/filler"
"$@" --resume; echo "after: $?"
"""


def test_a_disk_that_is_full_while_spooling_costs_one_step_and_the_next_start_sends(
    world: World,
) -> None:
    private = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    done = subprocess.run(
        [*private, "sh", "-c", ON_A_FULL_DISK, "sh", str(world.folder), *nightly(world)],
        env=environment(world),
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert "full: 4" in done.stdout, done.stdout + done.stderr
    assert "upload failed: A file could not be used: No space left on device" in done.stdout
    assert "after: 0" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    # What was measured is not measured again for it.
    assert len(re.findall(r"\] pair ", done.stderr)) == 2
    assert len(world.server.stored) == 3
    (name,) = world.service().journal.nights()
    assert world.night(name).state is NightState.COMPLETE


def test_jars_that_change_within_a_night_give_the_run_up_and_measure_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new run is of the commit that the new jars are of, and only once these are verified."""
    monkeypatch.setattr(steps, "current_commit", lambda: "a" * 40)
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    (before,) = ended.night.runs
    assert store.load_run(world.results, before).commit == "a" * 40
    monkeypatch.setattr(steps, "current_commit", lambda: "b" * 40)
    plan_file = world.results / before / "run.json"
    plan_file.write_text(
        re.sub(r'"dropin_sha256": "\w+"', f'"dropin_sha256": "{"0" * 64}"', plan_file.read_text())
    )
    (world.results / before / "complete").unlink()
    service, verified = world.service(), []

    def verify(line: Line, *_: object) -> str:
        verified.append(line.version)
        return "equal"

    service = replace(service, parts=replace(service.parts, verify=verify))
    service.journal.note_jar(ended.night.night, LINE, "0" * 64)
    half = ended.night.with_step(
        ended.night.step(MEASURE).model_copy(update={"state": StepState.RUNNING})
    )
    service.journal.write(half.model_copy(update={"state": NightState.RUNNING}))
    again = service.run(SHORT, AT, resume=False)
    assert again is not None
    (after,) = again.night.runs
    assert after != before
    assert store.state(world.results, before) is RunState.ABANDONED
    assert store.is_complete(world.results, after)
    assert service.journal.runs(again.night.night).given_up == (before,)
    assert store.load_run(world.results, after).commit == "b" * 40
    assert verified == [LINE]


def test_what_is_done_of_a_night_stays_done_where_its_jar_is_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another commit that is checked out since makes no other jar."""
    monkeypatch.setattr(steps, "current_commit", lambda: "a" * 40)
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    service = world.service()
    half = ended.night.with_step(
        ended.night.step(MEASURE).model_copy(update={"state": StepState.RUNNING})
    )
    service.journal.write(half.model_copy(update={"state": NightState.RUNNING}))
    service = replace(service, parts=replace(service.parts, build=_fails, verify=_fails))
    monkeypatch.setattr(steps, "current_commit", lambda: "b" * 40)
    again = service.run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.state is NightState.COMPLETE
    assert again.night.runs == ended.night.runs
    assert service.journal.runs(again.night.night).commits == {LINE: "a" * 40}


def _fails(*_: object) -> Any:
    raise AssertionError("nothing of it is left to do")


def test_a_night_that_goes_on_measures_nothing_while_the_box_is_not_quiet(world: World) -> None:
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    shutil.rmtree(world.results)
    waits = ended.night.with_step(
        ended.night.step(MEASURE).model_copy(update={"state": StepState.WAITING})
    )
    service = world.service()
    service.journal.write(waits.model_copy(update={"state": NightState.RUNNING, "measured": 0}))

    def busy(*_: object) -> BoxFinding:
        raise NoisyBox("Something else computes here.", "Stop it.")

    service = replace(service, parts=replace(service.parts, check_box=busy))
    again = service.run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.step(MEASURE).note == "skipped: box failed"
    assert again.night.state is NightState.REFUSED
    assert store.run_ids(world.results) == ()
    # Once it is quiet the night begins where it stood.
    last = world.service().run(SHORT, AT, resume=False)
    assert last is not None
    assert last.night.state is NightState.COMPLETE


def test_boxes_that_share_a_night_have_runs_of_their_own_names(world: World) -> None:
    """They begin in the same second, and the dashboard knows a run by its name."""
    ended = world.service().run(SHORT.model_copy(update={"shard": "1/2"}), AT, resume=False)
    assert ended is not None
    (run_id,) = ended.night.runs
    assert run_id.endswith(f"Z-{LINE}-1of2")


def test_a_box_with_another_name_on_the_dashboard_has_its_alarms_there(world: World) -> None:
    service = world.service()
    assert service.box() == box_label(service.environ)
    service.run(SHORT.model_copy(update={"environment": "other"}), AT, resume=False)
    assert service.box() == "other"


def test_a_check_without_any_night_is_a_wrong_call(world: World) -> None:
    with pytest.raises(Exception, match="holds no nights"):
        check_here(world.service(), world.now, AT, GRACE)


def test_a_night_whose_machine_cannot_be_locked_says_why(tmp_path: Path, world: World) -> None:
    place = tmp_path / "no folder"
    place.write_text("")
    waiting = Waiting(place / "lock", 60)
    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        world.service(waiting=waiting).run(SHORT, AT, resume=False)
    assert world.night().state is NightState.REFUSED
