"""What is too old goes, in one way for every kind; what anything needs stays."""

from __future__ import annotations

import errno
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kept_nights import Machine, at, keep_days
from seen_alarms import seen
from synthetic import make_run

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.judge.alarm_record import AlarmState
from flink_boost.measure import finalize, fork_files, packing, store
from flink_boost.measure.model import RunInfo
from flink_boost.publish.codespeed import commit_id
from flink_boost.publish.raw_data import RAW_DATA
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import spool_new_runs
from flink_boost.service.detect.alarm_registry import AlarmRegistry, registry_lock, store_registry
from flink_boost.service.requests.disk_space import delete_old_logs
from flink_boost.service.retention import runs
from flink_boost.service.retention.retention_settings import Retention, load_retention

SHORT = Retention(forks=1, logs=1, abandoned=1, sent=1, messages=1, reports=1)
LONG_AFTER = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    for day in range(3):
        made.night(day)
    return made


def everything(machine: Machine) -> dict[str, bytes]:
    """All files but locks, by name, with their content."""
    return {
        str(path.relative_to(machine.folder)): path.read_bytes()
        for path in machine.folder.rglob("*")
        if path.is_file() and not path.name.endswith("lock")
    }


def test_the_command_shows_all_kinds_and_deletes_only_when_told(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep_days(tmp_path, monkeypatch, logs=1, forks=1, sent=1)
    for path in (machine.places.spool / "sent").iterdir():
        at(path, make_run(0).started)
    before = everything(machine)
    assert machine.call("retention", "--json") == 0
    kinds = json.loads(capsys.readouterr().out)["kinds"]
    assert {name: len(one["too_old"]) for name, one in kinds.items()} == {
        "abandoned": 0, "forks": 3, "logs": 6, "sent": 6, "messages": 0, "reports": 0,
    }  # fmt: skip
    assert kinds["forks"]["files"] == 3 * (2 + 2)  # forks, plan and summary
    assert kinds["messages"]["files"] == 3
    assert machine.call("retention", "--details") == 0
    assert "repeat the command with --yes" in capsys.readouterr().out
    assert everything(machine) == before

    assert machine.call("retention", "--yes", "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert done["stays"] == []
    assert {name: one["gone"] for name, one in done["kinds"].items()} == {
        "abandoned": 0, "forks": 3, "logs": 6, "sent": 6, "messages": 0, "reports": 0,
    }  # fmt: skip
    assert machine.call("retention") == 0
    assert "Nothing is too old." in capsys.readouterr().out


def test_results_stay_and_the_trend_sees_the_same(machine: Machine) -> None:
    before = machine.places.history.load().runs
    forks = [fork_files.load_forks(machine.places.results, one.info.run_id) for one in before]
    machine.sweep(SHORT, LONG_AFTER)
    after = machine.places.history.load()
    assert (after.runs, after.broken) == (before, ())
    for one, were in zip(before, forks, strict=True):
        run = machine.places.results / one.info.run_id
        assert fork_files.load_forks(machine.places.results, one.info.run_id) == were
        assert {path.name for path in run.iterdir() if path.is_file()} == {
            "run.json", "summary.json", "complete", "forks.zip",
        }  # fmt: skip
        assert list((run / "forks").iterdir()) == []


def test_packed_forks_are_measured_on_where_a_run_is_opened_again(machine: Machine) -> None:
    results, info = machine.places.results, make_run(0, cells=make_run(0).cells[1:], pairs=1)
    plain = everything(machine)
    packing.pack(results / info.run_id)
    # Killed while it packed: some lie there as well.
    packing.unpack(results / info.run_id)
    assert everything(machine) == plain
    packing.pack(results / info.run_id)
    assert fork_files.missing_forks(results, info) == ()
    longer = finalize.extend(results, info, 2)
    assert everything(machine).keys() >= {name for name in plain if "forks/" in name}
    assert {one.pair for one in fork_files.missing_forks(results, longer)} == {2}


def test_an_archive_that_is_damaged_is_told_as_missing_forks_are(machine: Machine) -> None:
    results, info = machine.places.results, make_run(0, cells=make_run(0).cells[1:], pairs=1)
    packing.pack(results / info.run_id)
    archive = results / info.run_id / packing.FORKS
    archive.write_bytes(archive.read_bytes()[:-30])
    stored = fork_files.read_forks(results, info)
    assert stored.forks == ()
    assert all("forks.zip is damaged" in one.damage for one in stored.missing)
    with pytest.raises(BrokenData, match="is damaged"):
        finalize.reopen(results, info)


def test_what_an_open_alarm_names_is_not_finished_or_not_sent_stays(machine: Machine) -> None:
    results, build = machine.places.results, machine.places.build
    named, unfinished, given_up = (make_run(day) for day in range(3))
    (results / unfinished.run_id / "complete").unlink()
    store.abandon(results, given_up.run_id)
    at(results / given_up.run_id / "abandoned", given_up.started)
    grown = machine.night(39, alarms=("a1+1",))
    kept = machine.night(40, alarms=("a1",))
    waiting = machine.places.spool / "unsent" / "waiting.json"
    waiting.parent.mkdir(exist_ok=True)
    waiting.write_text("{}")
    alarm = seen(id="a1", state=AlarmState.OPEN, since=commit_id(named), since_run=named.run_id)
    closed = seen(id="a2", state=AlarmState.ACCEPTED, since_run=kept.run_id)
    with registry_lock(build):
        store_registry(build, AlarmRegistry(alarms=(alarm, closed)))
    machine.night(41)
    machine.sweep(SHORT, LONG_AFTER)
    assert (results / named.run_id / packing.LOGS).exists()
    assert (build / "report" / named.run_id).is_dir()
    assert len(list((results / unfinished.run_id / "forks").glob("*.log"))) == 2
    assert not (results / given_up.run_id).exists()
    assert not (results / kept.run_id / packing.LOGS).exists()
    assert waiting.read_text() == "{}"
    left = [path.stem for path in (build / "notifications" / "sent").iterdir()]
    assert sorted(left) == [  # of an open alarm, and the newest
        f"mail-night-{one.started:%Y-%m-%dT%H%M}" for one in (grown, kept, make_run(41))
    ]


def test_nothing_goes_while_nobody_can_say_what_alarms_need(machine: Machine) -> None:
    (machine.places.build / "alarms").mkdir()
    (machine.places.build / "alarms" / "registry.json").write_text("torn")
    before = everything(machine)
    with pytest.raises(BrokenData, match="no list of alarms"):
        machine.sweep(SHORT, LONG_AFTER)
    assert everything(machine) == before


def test_what_was_sent_is_not_sent_again_when_its_copy_is_gone(machine: Machine) -> None:
    machine.sweep(SHORT, LONG_AFTER)
    spool = Spool(machine.places.spool)
    assert {path.stat().st_size for path in (machine.places.spool / "sent").iterdir()} == {0}
    assert spool_new_runs(spool, machine.places.results, None).sentences == ()
    assert spool.unsent_keys() == ()


def test_what_is_worked_on_stays_until_the_next_time(machine: Machine) -> None:
    with store.lock(machine.places.results):
        busy = {one.kind for one in machine.sweep(SHORT, LONG_AFTER) if one.stays}
    assert busy == {"forks", "logs"}
    assert list(machine.places.results.glob("*/forks/*.log"))
    assert not any(one.stays for one in machine.sweep(SHORT, LONG_AFTER))
    assert not list(machine.places.results.glob("*/forks/*.log"))


def test_a_night_packs_a_part_of_what_older_nights_have_left(machine: Machine) -> None:
    def packed() -> int:
        return len(list(machine.places.results.glob(f"*/{packing.FORKS}")))

    machine.sweep(SHORT, LONG_AFTER, most_packed=2)
    assert packed() == 2
    machine.sweep(SHORT, LONG_AFTER, most_packed=2)
    assert packed() == 3


def test_a_full_disk_keeps_no_logs(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> bool:
        return any(machine.places.results.glob("2*/forks/*.log"))

    real = runs.drop_logs

    def drop(results: Path, info: RunInfo, report: Path) -> None:
        if (results / info.run_id / "forks" / "full.log").exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        real(results, info, report)

    for day in range(3):
        run = machine.places.results / make_run(day).run_id
        (run / "forks" / "full.log").write_text("said")
    monkeypatch.setattr(runs, "drop_logs", drop)
    assert full()
    machine.sweep(Retention(logs=1), LONG_AFTER)
    assert not full()


def test_logs_of_requests_stay_as_long_as_those_who_serve_them_say(machine: Machine) -> None:
    run = machine.places.results / make_run(0).run_id
    asked = machine.places.results / "requests" / run.name
    shutil.copytree(run, asked)
    machine.sweep(SHORT, LONG_AFTER)
    assert not (run / packing.LOGS).exists()
    assert (asked / packing.LOGS).exists()
    assert not list((asked / "forks").iterdir())
    assert delete_old_logs(asked.parent, LONG_AFTER, timedelta(days=1)) == 1
    assert not (asked / packing.LOGS).exists()


def test_logs_that_prune_deletes_are_not_kept_in_the_raw_data(machine: Machine) -> None:
    run_id = make_run(0).run_id
    raw = machine.places.build / "report" / run_id / RAW_DATA

    def endings() -> list[str]:
        with zipfile.ZipFile(raw) as archive:
            return [name.rpartition(".")[2] for name in archive.namelist()]

    assert "log" in endings()
    assert machine.call("runs", "prune", "--logs-older-than", "1", "--yes") == 0
    assert sorted(set(endings())) == ["json"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[retention]\nlogs = 0\n", "logs: .* Give days, 1 or more, for any of forks, logs"),
        ("[retention]\nlogz = 1\n", "logz"),
        ("logs = 1\n", r"'logs' outside of the table \[retention\]"),
        ("[retention", "is not TOML"),
    ],
)
def test_a_setting_that_is_wrong_is_told(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "retention.toml"
    file.write_text(text)
    with pytest.raises(BrokenData, match=said):
        load_retention({"FLINK_BOOST_RETENTION": str(file)})


def test_days_of_a_call_stand_for_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "retention.toml"
    file.write_text("[retention]\nlogs = 30\nsent = 5\n")
    environ = {"FLINK_BOOST_RETENTION": str(file)}
    assert load_retention(environ) == Retention(logs=30, sent=5)
    assert load_retention(environ, logs=7) == Retention(logs=7, sent=5)
    file.unlink()
    with pytest.raises(UsageProblem, match="named in FLINK_BOOST_RETENTION, is not there"):
        load_retention(environ)


class Killed(BaseException):
    """As if the process were gone: nothing of ours catches it."""


_moments: list[Callable[[], None]] = []
_CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "shutil.rmtree")


def _at_change(event: str, _: object) -> None:
    if _moments and event in _CHANGES:
        _moments[0]()


@contextmanager
def killed_at(moment: int) -> Iterator[list[int]]:
    """Ends the block at its so manieth change of a file; the list is empty where it came sooner."""
    left, killed = [moment], list[int]()

    def change() -> None:
        left[0] -= 1
        if left[0] == 0:
            killed.append(moment)
            raise Killed

    _moments.append(change)
    try:
        yield killed
    except Killed:
        pass
    finally:
        _moments.clear()


def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    sys.addaudithook(_at_change)

    first = Machine(tmp_path / "first")
    for day in (0, 40):
        first.night(day)
    given_up = make_run(40).run_id
    store.abandon(first.places.results, given_up)
    at(first.places.results / given_up / "abandoned", make_run(40).started)

    def made(name: str) -> Machine:
        return Machine(shutil.copytree(first.folder, tmp_path / name))

    whole = made("whole")
    whole.sweep(SHORT, LONG_AFTER)
    moment = 0
    killed = [1]
    while killed:
        moment += 1
        machine = made(f"killed-{moment}")
        forks = fork_files.load_forks(machine.places.results, make_run(0).run_id)
        with killed_at(moment) as killed:
            machine.sweep(SHORT, LONG_AFTER)
        assert fork_files.load_forks(machine.places.results, make_run(0).run_id) == forks
        machine.sweep(SHORT, LONG_AFTER + timedelta(days=1))
        assert everything(machine) == everything(whole), f"killed at change {moment}"
    assert moment > 10
