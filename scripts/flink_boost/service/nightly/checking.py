"""Whether nights come, and come whole: judged from their records, here or on the dashboard.

A night is due from its slot on; two hours later it has to be there. One that runs has to go on: a
record that nobody works on any more is of a night that was stopped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from urllib.parse import urljoin

import httpx
from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.measure.model import Frozen
from flink_boost.measure.night_record import NightRecord, NightState
from flink_boost.service.nightly.slots import WHOLE, is_ahead, night_id, shard_of, slot_of

GRACE = timedelta(hours=2)
LONGEST = timedelta(hours=12)
_URL_SECONDS = 20.0
_LARGEST_ANSWER = 4 << 20
PATH = "nights.json"


class NightFinding(StrEnum):
    """What the check says of the newest night that is due."""

    WELL = "well"
    RUNNING = "running"
    MISSING = "missing"
    STOPPED = "stopped"
    SHORT = "short"
    EMPTY = "empty"
    REFUSED = "refused"
    FAILED = "failed"
    AHEAD = "ahead"
    RETIRED = "retired"

    @property
    def is_alarm(self) -> bool:
        """Whether somebody has to look."""
        return self not in (NightFinding.WELL, NightFinding.RUNNING, NightFinding.RETIRED)


class Checked(Frozen):
    """The verdict on a box."""

    box: str
    night: str
    slot: datetime
    finding: NightFinding
    expected: int
    measured: int
    sentence: str


_OF_STATE = {
    NightState.COMPLETE: NightFinding.WELL,
    NightState.SHORT: NightFinding.SHORT,
    NightState.EMPTY: NightFinding.EMPTY,
    NightState.MISSING: NightFinding.MISSING,
    NightState.REFUSED: NightFinding.REFUSED,
    NightState.FAILED: NightFinding.FAILED,
}


def parts_of(nights: Iterable[NightRecord]) -> tuple[tuple[str, tuple[NightRecord, ...]], ...]:
    """The nights of one box by the part that they are; only parts that it measures nowadays.

    Those are what one of its two newest slots has: a box that shares nights no more owes none.
    """
    known = sorted(nights, key=lambda night: (night.slot, night.night))
    newest = sorted({night.slot for night in known})[-2:]
    shards = sorted({shard_of(night.night) for night in known if night.slot in newest})
    return tuple(
        (shard, tuple(night for night in known if shard_of(night.night) == shard))
        for shard in shards or (WHOLE,)
    )


def check_box(
    box: str,
    nights: Iterable[NightRecord],
    now: datetime,
    at: time,
    *,
    grace: timedelta = GRACE,
    at_work: bool | None = None,
    shard: str = WHOLE,
) -> Checked:
    """The verdict on a box with these nights, all of that part; pure.

    ``at_work`` says whether a process works on nights at this moment, None where nobody can tell:
    then a night counts as stopped once it takes longer than any.
    """
    known = sorted(nights, key=lambda night: night.slot)
    ahead = [night for night in known if is_ahead(night.slot, now)]
    known = [night for night in known if night not in ahead]
    newest = known[-1] if known else None
    due = slot_of(now - grace, at)
    # Nights at another time of day, such as a recipe's, do not stand for that one, which came the
    # day before: else the box has changed its time.
    own = [night for night in known if night.slot.time() == due.time()]
    came = [night.slot for night in own if night.state is not NightState.MISSING]
    is_owed = due - came[-1] <= timedelta(days=1) if came else False
    if newest is None or newest.slot < due or (is_owed and own[-1].slot < due):
        last = f"; the last one is {newest.night}" if newest else "; there is none at all"
        return Checked(
            box=box,
            night=night_id(due, shard),
            slot=due,
            finding=NightFinding.MISSING,
            expected=newest.expected if newest else 0,
            measured=0,
            sentence=f"The night {night_id(due, shard)} of {box} has not begun{last}.",
        )
    found = _of_night(box, newest, now, at_work)
    if own and own[-1].slot >= due and not found.finding.is_alarm:
        found = _of_night(box, own[-1], now, at_work)
    if not ahead or found.finding.is_alarm:
        return found
    sentence = f"{found.sentence} {ahead_sentence(ahead[-1].night)}"
    return found.model_copy(update={"finding": NightFinding.AHEAD, "sentence": sentence})


def ahead_sentence(night: str) -> str:
    """What to do about a night that is dated after now."""
    return (
        f"The night {night} is dated after now: the clock was ahead when it began. Move"
        f" nights/{night} elsewhere, and its runs, so that they are the newest of no trend."
    )


def _of_night(box: str, night: NightRecord, now: datetime, at_work: bool | None) -> Checked:
    if night.state is NightState.RUNNING:
        late = now - night.slot > LONGEST
        stopped = late if at_work is None else not at_work
        finding = NightFinding.STOPPED if stopped else NightFinding.RUNNING
    else:
        finding = _OF_STATE[night.state]
    words = {
        NightFinding.WELL: "is complete",
        NightFinding.RUNNING: "is running",
        NightFinding.STOPPED: "was stopped and nobody goes on with it",
        NightFinding.MISSING: "has not begun",
    }
    what = words.get(finding, f"is {finding.value}")
    reason = f": {night.reason}" if night.reason else ""
    return Checked(
        box=box,
        night=night.night,
        slot=night.slot,
        finding=finding,
        expected=night.expected,
        measured=night.measured,
        sentence=f"The night {night.night} of {box} {what}{reason}"
        f" ({night.measured} of {night.expected} benchmarks).",
    )


def check_all(
    nights: Sequence[NightRecord],
    boxes: Sequence[str],
    now: datetime,
    at: time,
    grace: timedelta,
    retired: Collection[str] = (),
) -> tuple[Checked, ...]:
    """The verdict on each box, of those named or else of those that had nights, part by part."""
    due = slot_of(now - grace, at)
    by_box: Mapping[str, list[NightRecord]] = {
        box: [night for night in nights if night.box == box]
        for box in (boxes or sorted({night.box for night in nights}))
    }
    return tuple(
        _of_retired(box, due)
        if box in retired
        else check_box(box, part, now, at, grace=grace, shard=shard)
        for box, found in by_box.items()
        for shard, part in parts_of(found)
    )


def _of_retired(box: str, due: datetime) -> Checked:
    return Checked(
        box=box,
        night=night_id(due),
        slot=due,
        finding=NightFinding.RETIRED,
        expected=0,
        measured=0,
        sentence=f"{box} is retired: it owes no more nights.",
    )


def fetch_nights(url: str, client: httpx.Client) -> tuple[tuple[NightRecord, ...], frozenset[str]]:
    """The records that a dashboard has, but those of retired boxes, and the names of these.

    Raises ``EnvironmentProblem`` and ``BrokenData``.
    """
    address = urljoin(url, PATH)
    try:
        answer = client.get(address, timeout=_URL_SECONDS)
    except httpx.HTTPError as error:
        raise EnvironmentProblem(
            f"{address} cannot be read ({type(error).__name__}).", "Look whether it is up."
        ) from error
    if answer.status_code != httpx.codes.OK:
        raise EnvironmentProblem(
            f"{address} answers {answer.status_code}.", "Look whether it is up and up to date."
        )
    try:
        if len(answer.content) > _LARGEST_ANSWER:
            raise ValueError("too large")
        content = answer.json()
        rows = content["nights"]
        # An older dashboard names only those of which it lists a night.
        gone = {row["box"] for row in rows if row.get("retired")}
        gone.update(content.get("retired", ()))
        # Of a newer dashboard there may be more in a record than is known here.
        known = NightRecord.model_fields
        nights = tuple(
            _in_utc(NightRecord.model_validate({key: row[key] for key in known if key in row}))
            for row in rows
            if row["box"] not in gone
        )
        return nights, frozenset(gone)
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise BrokenData(
            f"{address} is no list of nights.", "Look whether it is a dashboard of ours."
        ) from error


def _in_utc(night: NightRecord) -> NightRecord:
    """Dashboards tell times in UTC and do not say so."""
    if night.slot.tzinfo is not None:
        return night
    return night.model_copy(update={"slot": night.slot.replace(tzinfo=UTC)})
