"""Which night a start works on: a new one, one that was cut off, or none as it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.measure.groups import Group, choose_cells, find_group
from flink_boost.measure.night_record import Against, NightRecord, NightState, Order
from flink_boost.service.nightly.night import resumed
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import Tell
from flink_boost.service.nightly.night_plan import NightPlan, parse_shard, plan_night, take_shard
from flink_boost.service.nightly.recipes import order_sentence
from flink_boost.service.nightly.slots import (
    WHOLE,
    is_ahead,
    night_id,
    shard_of,
    slot_from_id,
    slot_of,
)


@dataclass(frozen=True)
class Start:
    """A night that is to be carried out; ``goes_on`` when it had begun before."""

    night: NightRecord
    order: Order
    groups: Mapping[str, Group]
    plan: NightPlan
    goes_on: bool


def choose_night(
    journal: NightJournal,
    now: datetime,
    at: time,
    wanted: Order,
    groups: Mapping[str, Group],
    *,
    label: str,
    resume: bool,
    tell: Tell,
    pin: Callable[[Order], Order] = lambda order: order,
) -> Start | None:
    """The night to carry out; None when that of this slot is done. The caller holds the journal.

    ``resume`` goes on with the newest night of a recipe that is named, else with ours or the
    newest, even one that has ended or is of an older slot, and raises ``UsageProblem`` when there
    is none with something left. Each part of a night that boxes share by shard is a night of its
    own. What a night is about was fixed when it began; ``wanted`` and ``label``, what the box is
    called, count for a new one only.
    ``pin`` fixes what may move while a night goes on, such as the commit of a branch.
    """
    slot = slot_of(now, at)
    shard = None if resume and wanted.shard == WHOLE else wanted.shard
    newest = _newest(journal, now, tell, shard, wanted.project)
    if resume:
        if not wanted.project:
            newest = _to_resume(newest, _newest(journal, now, tell, shard, None))
        if newest is None or newest.state is NightState.COMPLETE:
            what = "There is no night" if newest is None else f"The night {newest.night} is done"
            raise UsageProblem(f"{what}.", "Run `flink-boost nightly` for the next one.")
        return _going_on(journal, newest, groups)
    # Another project's may have the slot.
    of_slot = _of_slot(journal, night_id(slot, wanted.shard))
    if of_slot is not None or newest is None or newest.slot < slot:
        newest = of_slot
    else:
        tell(f"The night {newest.night} is of a later slot than {night_id(slot)}: the clock was")
        tell("set back, or the nights' time of day has changed. No second night begins.")
    if newest is None or newest.state is NightState.MISSING:
        # What was told to be missing before it came may be about something else.
        return _new(journal, newest.slot if newest else slot, pin(wanted), groups, label)
    if newest.slot == slot and wanted.project:
        _require_same(journal, newest.night, pin(wanted) if _is_pair(wanted) else wanted)
    return None if newest.state.has_ended else _going_on(journal, newest, groups)


def plan_of(
    order: Order, groups: Mapping[str, Group], taken: Mapping[str, float]
) -> tuple[dict[str, Group], NightPlan]:
    """What each line measures, and the plan. Raises ``UsageProblem`` for what does not exist."""
    group = choose_cells(find_group(dict(groups), order.group), order.patterns, groups)
    number, count = parse_shard(order.shard)
    mine = take_shard(group, number, count)
    by_line = dict.fromkeys(order.lines, mine)
    return by_line, plan_night(order.lines, by_line, order.pairs, taken, order.project)


def _require_same(journal: NightJournal, night: str, wanted: Order) -> None:
    """Raises ``UsageProblem`` for a night of a recipe in the slot of another night."""
    order = journal.order(night)
    # What a branch was at when the night began is its own; two commits that are named are not.
    pair = ("reference",) if _is_pair(wanted) else ()
    about = ("project", "revision", "against", *pair)
    if any(getattr(order, name) != getattr(wanted, name) for name in about):
        raise UsageProblem(
            f"The night {night} is about {order_sentence(order) or 'this tree'}, and there is one"
            " night per slot.",
            "Give this one a slot of its own: add `--at $(date -u +%H:%M)`.",
        )


def _is_pair(order: Order) -> bool:
    return order.against is Against.COMMIT


def _to_resume(ours: NightRecord | None, any_newest: NightRecord | None) -> NightRecord | None:
    """Our newest night, unless it is over, or the newest of a recipe came days later."""
    if ours is None or any_newest is None or ours.state is NightState.COMPLETE:
        return any_newest
    return any_newest if any_newest.slot - ours.slot > timedelta(days=1) else ours


def _of_slot(journal: NightJournal, name: str) -> NightRecord | None:
    try:
        return journal.load(name) if name in journal.nights() else None
    except BrokenData:
        return None  # told already


def _newest(
    journal: NightJournal, now: datetime, tell: Tell, shard: str | None, project: str | None
) -> NightRecord | None:
    """The newest night that is that part, of that project; of any where these are None.

    One from a clock that was ahead stands in the way of none: the report and the check name it.
    """
    for name in reversed(journal.nights()):
        if shard not in (None, shard_of(name)) or is_ahead(slot_from_id(name), now):
            continue
        try:
            if project is None or journal.order(name).project == project:
                return journal.load(name)
        except BrokenData as problem:
            tell(str(problem))
    return None


def _new(
    journal: NightJournal,
    slot: datetime,
    order: Order,
    groups: Mapping[str, Group],
    label: str,
) -> Start:
    name = night_id(slot, order.shard)
    by_line, plan = plan_of(order, groups, journal.seconds_before(name))
    blank = NightRecord(
        box=order.environment or label, night=name, slot=slot, expected=plan.expected
    )
    night = resumed(blank, [step.name for step in plan.steps])
    journal.begin(night, order)
    return Start(night, order, by_line, plan, goes_on=False)


def _going_on(journal: NightJournal, night: NightRecord, groups: Mapping[str, Group]) -> Start:
    order = journal.order(night.night)
    by_line, plan = plan_of(order, groups, journal.seconds_before(night.night))
    night = resumed(night, [step.name for step in plan.steps])
    journal.write(night)
    return Start(night, order, by_line, plan, goes_on=True)
