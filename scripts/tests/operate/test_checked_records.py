"""What ``doctor`` reads from processes that hold their records against stock's."""

from __future__ import annotations

from pathlib import Path

import pytest
from spinning import Start

from flink_boost.flink.switches import checks_records, switches_in
from flink_boost.operate import checked_records as checking
from flink_boost.operate.checked_records import checked_records
from flink_boost.operate.findings import Finding, Level
from flink_boost.operate.flink_processes import FlinkProcess

PROC = Path("/proc")


def asked(pid: int, *, checks: bool = True) -> list[Finding]:
    switches = {"flink.boost.records": "check"} if checks else {}
    return list(checked_records(FlinkProcess(pid, "Task", (), switches=switches), PROC))


@pytest.mark.parametrize(
    ("words", "checks"),
    [
        ((), False),
        (("-Dflink.boost.records=check",), True),
        (("-Dflink.boost.records=check", "-Dflink.boost.records=on"), False),
        (("-Dflink.boost.records=off", "-Dflink.boost.records=check"), True),
        (("-Dflink.boost.strings=check",), False),
    ],
)
def test_the_last_option_counts(words: tuple[str, ...], checks: bool) -> None:
    assert checks_records(switches_in(["java", *words, "-cp", "a.jar", "Main"])) is checks


def test_each_class_is_told_and_what_differs_first(start: Start) -> None:
    told = (
        "checked 10,000 records of com.example.Order: equal\n"
        "checked 17 records of com.example.Käufer (a=1): one differed,"
        " so that Flink's own code runs"
    )
    with start(f"-Dflink.boost.records.checked={told}", words=("sleep",)) as process:
        differing, equal = asked(process.pid)
        assert asked(process.pid, checks=False) == []
    assert differing.level is Level.WARNING
    assert differing.text == (
        f"Task (pid {process.pid}) told last: checked 17 records of com.example.Käufer (a=1): one"
        " differed, so that Flink's own code runs."
    )
    assert "-Dflink.boost.records=off" in differing.next_step
    assert equal == Finding(
        Level.FINE,
        f"Task (pid {process.pid}) told last: checked 10,000 records of com.example.Order: equal.",
    )


def test_a_class_of_which_nothing_was_checked_is_no_difference(start: Start) -> None:
    told = "checked no records of com.example.Order: its code could not be made"
    with start(f"-Dflink.boost.records.checked={told}", words=("sleep",)) as process:
        (found,) = asked(process.pid)
    assert (found.level, found.next_step) == (Level.FINE, "")


def test_a_process_that_lets_nobody_attach_is_not_asked(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take ten seconds, and put a dump of its threads into its .out file."""

    def ask(*_: object) -> str:
        raise AssertionError("it was asked")

    monkeypatch.setattr(checking, "system_property", ask)
    refusing, allowing = "-XX:+DisableAttachMechanism", "-XX:-DisableAttachMechanism"
    with start(allowing, refusing, words=("sleep",)) as process:
        (found,) = asked(process.pid)
    assert found.level is Level.WARNING
    assert found.text.endswith(f"is not known: it was started with {refusing}.")
    with (
        start(refusing, allowing, words=("sleep",)) as process,
        pytest.raises(AssertionError, match="it was asked"),
    ):
        asked(process.pid)


def test_many_classes_are_counted(start: Start) -> None:
    told = "\n".join(f"checked 1 records of Type{i}: equal" for i in range(1000))
    with start(f"-Dflink.boost.records.checked={told}", words=("sleep",)) as process:
        *each, rest = asked(process.pid)
    assert len(each) == 20
    assert rest.text == f"Task (pid {process.pid}) has checked 980 more classes of records."


def test_nothing_checked_yet_is_fine(start: Start) -> None:
    with start("-Dflink.boost.records.checked=", words=("sleep",)) as process:
        (nothing,) = asked(process.pid)
    assert nothing == Finding(Level.FINE, f"Task (pid {process.pid}) has checked no records yet.")


def test_a_process_that_checks_none_though_it_should_and_one_that_is_gone(start: Start) -> None:
    with start(words=("sleep",)) as process:
        (nothing,) = asked(process.pid)
    assert nothing == Finding(
        Level.WARNING,
        f"Task (pid {process.pid}) checks no records: they are off there, or it is still starting.",
        "The first line of flink-boost in its log says why.",
    )
    process.wait(60)
    (gone,) = asked(process.pid)
    assert gone.next_step.startswith("List Flink's with")
    assert gone.next_step.endswith(" Its log tells it, too.")
    assert gone.level is Level.WARNING
    assert gone.text.startswith(f"What Task (pid {process.pid}) has checked of its records is not")
