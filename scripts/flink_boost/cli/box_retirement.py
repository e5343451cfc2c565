"""``flink-boost box retire``: a box measures no more, so nothing that it left stays open."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import click

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.text import alike
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.cli.options import by_option
from flink_boost.judge.alarm_record import AlarmRecord, RetiredBox
from flink_boost.judge.retirement import left_behind, taken_back
from flink_boost.service.detect.alarm_registry import (
    AlarmRegistry,
    load_registry,
    registry_lock,
    store_registry,
)
from flink_boost.service.nightly.night_journal import NightJournal


@click.command(name="retire")
@click.argument("name")
@by_option("Who decided")
@click.option("--undo", is_flag=True, help="It measures again; alarms that were closed come back.")
@click.option("--unknown", is_flag=True, help="Also a box that has no night and no alarm here.")
@json_option
@click.pass_obj
def retire(
    settings: Settings, name: str, by: str, undo: bool, unknown: bool, as_json: bool
) -> None:
    """Retire a box that measures no more: close its alarms, expect no more nights of it.

    NAME is the box as alarms and the dashboard call it. Its results and closed alarms stay. What a
    later night on it finds is told to nobody, and that night says so. A box that had its own disk,
    which is gone, is retired from another box, with --unknown.

    With --undo the alarms that were closed come back: open where people had been told, else watched
    until a night confirms them.

    \b
    Examples:
      flink-boost box retire redbox
      flink-boost box retire redbox --unknown    on another box
      flink-boost box retire redbox --undo
    """
    now = datetime.now(UTC)
    with registry_lock(settings.build):
        registry = load_registry(settings.build)
        before = registry.retirement(name)
        if before is None and not unknown:
            _require_known(settings, registry, name)
        retired = registry.retired
        if before is None and not undo:
            others = (one for one in retired if one.box != name)
            retired = (*others, RetiredBox(box=name, by=by, when=now))
        elif before is not None and undo:
            back = before.model_copy(update={"back": now})
            retired = tuple(back if one == before else one for one in retired)
        alarms = (
            taken_back(registry.alarms, name, by, now)
            if undo
            else left_behind(registry.alarms, retired, now)
        )
        changed = registry.model_copy(update={"retired": retired, "alarms": alarms})
        if changed != registry:
            store_registry(settings.build, changed)
    turned = [one for one, old in zip(alarms, registry.alarms, strict=True) if one != old]
    if as_json:
        print_json(0, _answer(name, changed.retirement(name), turned, undo=undo))
        return
    if undo:
        what = "is no longer retired" if before else "was not retired"
        what += f"; alarms open or watched again: {len(turned)}"
    else:
        when = f" since {before.when:%Y-%m-%d}, by {before.by}" if before else ""
        what = f"is retired{when}; alarms closed now: {len(turned)}"
    say(f"{name} {what}. `flink-boost detect --send` tells the dashboard.")


def _require_known(settings: Settings, registry: AlarmRegistry, name: str) -> None:
    journal = NightJournal(settings.build / "nights")
    known = {one.box for one in registry.alarms} | {one.box for one in registry.retired}
    for night in journal.nights():
        with suppress(BrokenData):
            known.add(journal.load(night).box)
    if name in known:
        return
    near = alike(name, sorted(known)) or sorted(known)
    raise UsageProblem(
        f"There is no box {name!r} here, neither in alarms nor in nights.",
        (f"There is: {', '.join(near)}." if near else "No box has had a night or an alarm yet.")
        + " One that only the dashboard knows is retired with --unknown.",
    )


def _answer(
    name: str, entry: RetiredBox | None, turned: list[AlarmRecord], *, undo: bool
) -> dict[str, object]:
    return {
        "box": name,
        "retired": entry,
        "closed": [] if undo else [one.id for one in turned],
        "undecided_again": [one.id for one in turned] if undo else [],
    }
