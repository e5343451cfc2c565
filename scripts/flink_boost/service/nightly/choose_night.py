"""Which night a start works on: a new one, one that was cut off, or none as it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.measure.groups import Group, choose_cells, find_group
from flink_boost.measure.night_record import NightRecord, NightState, Order
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

    ``resume`` goes on with the newest night of the project that is wanted, else of any that has
    something left, even one that has ended or is of an older slot, and
    raises ``UsageProblem`` when there is none with something left. Each part of a night that boxes
    share by shard is a night of its own. What a night is about was fixed
    when it began; ``wanted`` and ``label``, what the box is called, count for a new one only.
    ``pin`` fixes what may move while a night goes on, such as the commit of a branch.
    """
    slot = slot_of(now, at)
    shard = None if resume and wanted.shard == WHOLE else wanted.shard
    newest = _newest(journal, now, tell, shard, wanted.project)
    if resume and (newest is None or newest.state is NightState.COMPLETE):
        newest = _newest(journal, now, tell, shard, None) or newest
    if newest is not None and newest.slot > slot and not resume:
        tell(f"The night {newest.night} is of a later slot than {night_id(slot)}: the clock was")
        tell("set back, or the nights' time of day has changed. No second night begins.")
    if resume:
        if newest is None or newest.state is NightState.COMPLETE:
            what = "There is no night" if newest is None else f"The night {newest.night} is done"
            raise UsageProblem(f"{what}.", "Run `flink-boost nightly` for the next one.")
        return _going_on(journal, newest, groups)
    if newest is None or newest.slot < slot:
        # Another project's may have the slot.
        newest = _of_slot(journal, night_id(slot, wanted.shard))
    if newest is None or newest.state is NightState.MISSING:
        # What was told to be missing before it came may be about something else.
        return _new(journal, newest.slot if newest else slot, pin(wanted), groups, label)
    _require_same(journal, newest.night, wanted)
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
    same = (order.project, order.revision, order.against) == (
        *(wanted.project, wanted.revision, wanted.against),
    )
    if wanted.project and not same:
        raise UsageProblem(
            f"The night {night} is about {order_sentence(order) or 'this tree'}, and there is one"
            " night per slot.",
            "Give this one a slot of its own: add `--at $(date -u +%H:%M)`.",
        )


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
