"""Nights of our own and of a recipe on one box: neither takes the place of the other."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from flink_boost.base.errors import UsageProblem
from flink_boost.measure.groups import load_groups
from flink_boost.measure.night_record import Against, NightRecord, NightState, Order
from flink_boost.service.nightly.checking import NightFinding, check_all
from flink_boost.service.nightly.choose_night import Start, choose_night
from flink_boost.service.nightly.night import close_older
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.slots import slot_from_id

AT = time(1)
SLOT = datetime(2026, 11, 24, 1, tzinfo=UTC)
GRACE = timedelta(hours=2)


def night_of(name: str, state: NightState = NightState.COMPLETE) -> NightRecord:
    return NightRecord(box="box-1", night=name, slot=slot_from_id(name), state=state)


def test_nights_of_a_recipe_stand_beside_our_own(tmp_path: Path) -> None:
    journal, said = NightJournal(tmp_path), list[str]()
    # At 15:00 the box is back: both timers fire, that of the recipe wins.
    now = SLOT + timedelta(hours=14)
    ours = Order(lines=("2.3.0",), group="spine", strings=1)
    recipe = ours.model_copy(update={"project": "flink", "recipe": "flink.toml"})

    def choose(order: Order, at: time) -> Start | None:
        return choose_night(
            *(journal, now, at, order, load_groups()),
            label="box-1", resume=False, tell=said.append,
        )  # fmt: skip

    theirs = choose(recipe, time(13))
    assert theirs is not None
    assert theirs.night.night == "2026-11-24T1300"
    night_before = night_of("2026-11-23T0100")
    missing = check_all([night_before, theirs.night], (), now, AT, GRACE)
    assert [(one.night, one.finding) for one in missing] == [
        ("2026-11-24T0100", NightFinding.MISSING)
    ]

    own = choose(ours, AT)
    assert own is not None
    assert (own.night.night, own.goes_on) == ("2026-11-24T0100", False)
    # Told once more each hour while it has not come, and what becomes of it, too.
    told = own.night.model_copy(update={"state": NightState.MISSING})
    stopped = own.night.model_copy(update={"state": NightState.SHORT})
    theirs_done = theirs.night.model_copy(update={"state": NightState.COMPLETE})
    for left, finding in ((told, NightFinding.MISSING), (stopped, NightFinding.SHORT)):
        (found,) = check_all([night_before, left, theirs_done], (), now, AT, GRACE)
        assert (found.night, found.finding) == (own.night.night, finding)
    # What the recipe's call finds of ours in the middle stays to be gone on with.
    close_older(journal, tmp_path, theirs.night.slot, said.append, project="flink")
    assert journal.load(own.night.night).state is NightState.RUNNING
    close_older(
        journal, tmp_path, theirs.night.slot + timedelta(days=1), said.append, project="flink"
    )
    assert journal.load(own.night.night).state is not NightState.RUNNING
    resumed = choose_night(
        *(journal, now, AT, ours, load_groups()),
        label="box-1", resume=True, tell=said.append,
    )  # fmt: skip
    assert resumed is not None
    assert resumed.night.night == own.night.night
    said.clear()
    journal.write(theirs.night)

    journal.write(own.night.model_copy(update={"state": NightState.COMPLETE}))
    assert choose(ours, AT) is None
    again = choose(recipe, time(13))
    assert again is not None
    assert again.goes_on
    assert said == []

    # A later one by hand is no reason for the timer's call to fail.
    later = night_of("2026-11-24T1405")
    chosen = recipe.model_copy(update={"revision": "v2", "against": Against.COMMIT})
    journal.begin(later, chosen.model_copy(update={"reference": "a" * 40}))
    left = choose(recipe, time(13))
    assert left is not None
    assert left.night.night == theirs.night.night
    journal.write(theirs_done)
    assert choose(recipe, time(13)) is None
    with pytest.raises(UsageProblem, match="one night per slot"):
        choose_night(
            *(journal, now + timedelta(minutes=10), time(14, 5), chosen, load_groups()),
            label="box-1", resume=False, tell=said.append,
            pin=lambda order: order.model_copy(update={"reference": "c" * 40}),
        )  # fmt: skip

    # By hand, in the slot of our own night, and for another commit than that of the slot.
    with pytest.raises(UsageProblem, match="2026-11-24T0100 is about this tree, and there is"):
        choose(recipe.model_copy(update={"project": "other"}), AT)
    with pytest.raises(UsageProblem, match="2026-11-24T1300 is about flink its branch"):
        choose(recipe.model_copy(update={"revision": "release-2.2.0"}), time(13))


def test_a_box_that_measures_at_another_time_of_day_owes_no_night_of_before() -> None:
    nights = [night_of("2026-11-22T0100"), night_of("2026-11-23T0100")]
    nights += [night_of("2026-11-24T0200"), night_of("2026-11-25T0200")]
    now = SLOT + timedelta(days=1, hours=3)
    assert [one.finding for one in check_all(nights, (), now, AT, GRACE)] == [NightFinding.WELL]


def test_to_resume_is_the_newest_night_and_none_of_weeks_ago(tmp_path: Path) -> None:
    """The box measured ours until that one was told to be missing, and a recipe since."""
    journal = NightJournal(tmp_path)
    ours = Order(lines=("2.3.0",), group="spine", strings=1)
    recipe = ours.model_copy(update={"project": "flink", "recipe": "flink.toml"})
    journal.begin(night_of("2026-11-05T0100", NightState.MISSING), ours)
    journal.begin(night_of("2026-11-24T1300", NightState.SHORT), recipe)

    def resumed(name: str) -> str:
        found = choose_night(
            *(journal, SLOT + timedelta(days=1), AT, ours, load_groups()),
            label="box-1", resume=True, tell=print,
        )  # fmt: skip
        assert found is not None, name
        return found.night.night

    assert resumed("ours is old") == "2026-11-24T1300"
    journal.begin(night_of("2026-11-24T0100", NightState.SHORT), ours)
    assert resumed("ours of that day") == "2026-11-24T0100"
