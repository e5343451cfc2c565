"""What an answer says of the machine, when its forks are of this call and of calls before."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from flink_boost.measure import finalize
from flink_boost.measure.fork_files import StoredForks, planned_forks
from flink_boost.measure.model import RunInfo
from flink_boost.measure.noise import NoiseProbe
from flink_boost.service.requests import comparing
from flink_boost.service.requests.answer import Circumstances, answer
from flink_boost.service.requests.noise_check import (
    FILE,
    QuietLook,
    looks_at,
    note_look,
    quiet_text,
)
from flink_boost.service.requests.request import Measured
from flink_boost.service.requests.request_rows import rows_of
from requesting.samples import BOX, KNOWN, NOON, STILL, TUPLE, forks, order, run

QUIET = NoiseProbe(0, 0, 0, 0, 0, quiet=True, reason="")
BUSY = NoiseProbe(0, 0, 0, 0.9, 8, quiet=False, reason="others used 90% of the cores")


class Place:
    """Where comparisons are made with everything real but builds and forks."""

    def __init__(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = store
        self.now = NOON
        self.looked = 0
        self.stops = False
        self.done: set[str] = set()
        builds = tuple(SimpleNamespace(digest=d, built=SimpleNamespace(version=d)) for d in "12")
        for name, given in {
            "build_both": lambda *_: builds,
            "choose_java": lambda *_: "java",
            "ask_jdk": lambda *_: None,
            "describe_box": lambda *_: BOX,
            "rerun_class_paths": lambda *_: None,
            "plan_comparison": lambda *_, started, **__: run((TUPLE,), 5).model_copy(
                update={"started": started}
            ),
        }.items():
            monkeypatch.setattr(comparing, name, given)
        monkeypatch.setattr(
            comparing.fork_files,
            "missing_forks",
            lambda _, info: () if info.run_id in self.done else planned_forks(info),
        )
        monkeypatch.setattr(comparing.fork_files, "read_forks", self._forks)
        monkeypatch.setattr(comparing.runner, "run_missing_forks", self._measure)
        monkeypatch.setattr(finalize, "finish", lambda *_: None)

    def _forks(self, _: Path, info: RunInfo) -> StoredForks:
        return StoredForks(tuple(forks({TUPLE: STILL})) if info.run_id in self.done else (), ())

    def _measure(self, _: Path, info: RunInfo, *__: object, **___: object) -> None:
        if self.stops:
            raise KeyboardInterrupt
        self.done.add(info.run_id)

    def compare(self, seen: NoiseProbe) -> Measured:
        def look() -> NoiseProbe:
            self.looked += 1
            return seen

        means = SimpleNamespace(
            builder=None, environ={}, box=None, look=look, store=self.store,
            now=lambda: self.now, stock_of=lambda _: (), progress=None, launch=None,
            require_turn=lambda: None,
        )  # fmt: skip
        return comparing.compare(order(TUPLE), KNOWN, means, lambda _: None)  # type: ignore[arg-type]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def told(found: Measured) -> str:
    return answer(rows_of(found), Circumstances(found, minutes=12.0))


def test_forks_of_this_call_are_told_as_ever(place: Place) -> None:
    first = place.compare(BUSY)

    busy = "The machine was not quiet (others used 90% of the cores) when it began."
    assert first.quiet == busy
    assert ", in 12 min." in told(first)


def test_a_quiet_moment_speaks_for_no_forks_of_another(place: Place) -> None:
    place.compare(BUSY)
    place.now = NOON + timedelta(days=1)
    again = place.compare(QUIET)

    assert again.quiet == (
        "The forks were measured before: the machine was not quiet (others used 90% of the cores)"
        " when that began, on 2026-03-02 at 12:00 UTC."
    )
    assert " min." not in told(again)
    assert place.looked == 1, "nothing is measured, so nothing has to be quiet"


def test_each_go_speaks_for_itself(place: Place) -> None:
    place.stops = True
    with suppress(KeyboardInterrupt):
        place.compare(BUSY)
    place.stops, place.now = False, NOON + timedelta(hours=2)

    assert place.compare(QUIET).quiet == (
        "The forks were measured in 2 goes: when these began, the machine was not quiet (others"
        " used 90% of the cores) on 2026-03-02 at 12:00 UTC, and was quiet on 2026-03-02 at 14:00"
        " UTC."
    )


def test_forks_without_a_look_beside_them_are_of_an_unknown_moment(place: Place) -> None:
    place.compare(QUIET)
    (place.store / "r" / FILE).unlink()

    assert place.compare(QUIET).quiet == (
        "The forks were measured before, from 2026-03-02 at 12:00 UTC on; whether the machine was"
        " quiet then is not known."
    )


def test_a_look_that_is_damaged_costs_no_answer(tmp_path: Path) -> None:
    look = QuietLook(at=NOON, reason="")
    note_look(tmp_path, look)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"at": \xff\n')

    assert looks_at(tmp_path) == (look,)
    assert quiet_text(looks_at(tmp_path), look, NOON) == "The machine was quiet when it began."
