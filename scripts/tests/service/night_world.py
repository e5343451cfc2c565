"""A machine whose nights are measured by JMH or its double, with a clock that can be set."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import Any

from failing_codespeed import TOKEN, FailingCodespeed
from jmh_java import make_java

from flink_boost.flink.lines import Line, default_line, find_line
from flink_boost.measure.box_file import BoxFile, QuietLimits, write_box_file
from flink_boost.measure.groups import load_groups
from flink_boost.measure.night_record import NightRecord, Order
from flink_boost.measure.noise import NoiseSamples, assess
from flink_boost.measure.runner import EndedFork
from flink_boost.publish.run_places import Places
from flink_boost.publish.upload import RetryPolicy
from flink_boost.service.nightly.night import Waiting
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.night_parts import BoxFinding, Parts, StepSkipped
from flink_boost.service.nightly.service import NightService
from flink_boost.service.nightly.source_tree import Tree
from flink_boost.service.retention.retention_settings import Retention

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


def forks_of(results: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in results.glob("*/forks/*.json")}
