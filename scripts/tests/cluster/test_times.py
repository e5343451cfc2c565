"""The table at the end of the full form."""

from __future__ import annotations

from times import times_table


def test_phases_of_a_test_are_added_up_by_platform() -> None:
    state = "tests/cluster/test_state.py::test_savepoints_move"
    durations = [
        (f"{state}[2.3.0-jdk17-heap]", 3.0),
        (f"{state}[2.3.0-jdk17-heap]", 39.0),
        (f"{state}[heap-1.9.3-jdk11]", 7.4),
        ("tests/cluster/test_mixed.py::test_a_mixed_cluster[2.3.0-jdk17]", 11.0),
        ("tests/test_install.py::test_an_installation", 5.0),
    ]

    assert times_table(durations, ["1.9.3-jdk11", "1.20.5-jdk11", "2.3.0-jdk17"]) == [
        "                              1.9.3-jdk11   2.3.0-jdk17",
        "mixed: a mixed cluster                             11 s",
        "state: savepoints move heap           7 s          42 s",
    ]


def test_without_platforms_there_is_no_table() -> None:
    assert (
        times_table([("tests/test_install.py::test_an_installation", 5.0)], ["2.3.0-jdk17"]) == []
    )
