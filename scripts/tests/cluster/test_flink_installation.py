"""What the tests of clusters read of a process is all that it logged."""

from __future__ import annotations

from pathlib import Path

from flink_installation import whole_log


def test_a_log_that_was_begun_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    for name, text in {
        "flink-t-taskexecutor-0-vm.log": "third",
        "flink-t-taskexecutor-0-vm.log.1": "first ",
        "flink-t-taskexecutor-0-vm.log.2": "second ",
        "flink-t-taskexecutor-0-vm.out": "not logged",
        "flink-t-standalonesession-0-vm.log": "another process",
    }.items():
        (tmp_path / name).write_text(text)

    assert whole_log(tmp_path, "taskexecutor") == "first second third"
    assert whole_log(tmp_path, "client") == ""
