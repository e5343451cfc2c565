"""What cannot go, or is damaged, keeps nothing else; and no copy that is whole is lost."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kept_nights import Machine, at, keep_days
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.base.errors import BrokenData
from flink_boost.measure import finalize, fork_files, packing, store
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.model import RunInfo
from flink_boost.measure.store import RunState
from flink_boost.publish.raw_data import RAW_DATA, pack_raw_data
from flink_boost.publish.spool import Spool
from flink_boost.service.nightly import service
from flink_boost.service.nightly.service import NightService
from flink_boost.service.retention.retention_settings import Retention
from flink_boost.service.retention.sweep import swept_text

SHORT = Retention(forks=1, logs=1, abandoned=1, sent=1, messages=1, reports=10_000)
LONG_AFTER = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def damage_first(archive: Path) -> str:
    """Spoils the content of the first file of an archive, and returns its name."""
    with zipfile.ZipFile(archive) as opened:
        first = opened.infolist()[0]
    content = bytearray(archive.read_bytes())
    begin = first.header_offset + 30 + len(first.filename)
    content[begin : begin + 20] = b"\xff" * 20
    archive.write_bytes(content)
    return first.filename


def names(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return {Path(name).name for name in opened.namelist()}


def test_what_cannot_go_keeps_no_other_and_is_told(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    results = machine.places.results
    runs = [machine.night(day) for day in range(5)]
    for run in runs[:4]:
        store.abandon(results, run.run_id)
        at(results / run.run_id / "abandoned", run.started)
    for run in runs[:2]:  # their disk was full: somebody put them on another
        elsewhere = machine.folder / run.run_id
        (results / run.run_id).rename(elsewhere)
        (results / run.run_id).symlink_to(elsewhere)
    done = machine.sweep(SHORT, LONG_AFTER)
    assert store.run_ids(results) == tuple(run.run_id for run in (*runs[:2], runs[4]))
    said = swept_text(done)
    assert "2 abandoned" in said
    assert f"Of abandoned, 2 stay: {results / runs[0].run_id} is a link. Delete what" in said
    assert machine.call("retention", "--yes", "--json") == 0
    capsys.readouterr()

    third = machine.night(5)
    store.abandon(results, third.run_id)
    assert machine.call("runs", "prune", "--yes") == 2
    out, err = capsys.readouterr()
    said = out + err
    assert f"Could not delete abandoned run {runs[1].run_id}" in said
    assert f"Deleted abandoned run {third.run_id}" in said
    assert "is a link. Delete what it leads to" in said


def test_a_listing_that_fails_stops_no_other_kind(machine: Machine) -> None:
    machine.night(0)
    (machine.places.spool / "sent" / "0.json").symlink_to("nowhere")
    said = swept_text(machine.sweep(SHORT, LONG_AFTER))
    assert "2 logs" in said
    assert "Of sent, all stay: " in said


def test_no_byte_of_an_archive_stops_a_reader(machine: Machine) -> None:
    run = machine.folder / "run"
    (run / "forks").mkdir(parents=True)
    for name in ("a", "b"):
        (run / "forks" / f"{name}.json").write_text(name * 40)
    packing.pack(run)
    archive = run / packing.FORKS
    whole = archive.read_bytes()
    read = 0
    for place in range(len(whole)):
        for bits in (0xFF, 0x01):
            content = bytearray(whole)
            content[place] ^= bits
            archive.write_bytes(content)
            try:
                packing.names(run)
                read += len(packing.members(run).whole) == 1
            except BrokenData as error:
                assert "is damaged" in error.message  # noqa: PT017 what else is raised fails
    assert read > 50


def test_a_damaged_fork_costs_no_other_and_is_measured_again(machine: Machine) -> None:
    results, run = machine.places.results, make_run(pairs=3)
    folder = store_complete_run(results, run, make_forks(run))
    planned = fork_files.planned_forks(run)
    finalize.load_summary(results, run.run_id)
    packing.pack(folder)
    bad = damage_first(folder / packing.FORKS)
    stored = fork_files.read_forks(results, run)
    assert len(stored.forks) == len(planned) - 1
    (missing,) = stored.missing
    assert f"forks.zip is damaged at {bad}" in missing.damage
    assert fork_files.missing_forks(results, run) == ()
    told = finalize.reopen(results, run)
    assert "1 damaged fork is measured again" in told
    assert str(folder / "damaged") in told
    assert [path.name for path in (folder / "damaged").iterdir()] == ["1.forks.zip"]
    assert {one.pair for one in fork_files.missing_forks(results, run)} == {missing.pair}
    assert len(fork_files.missing_forks(results, run)) == 2  # with its other half
    assert len(list((folder / "forks").glob("*.json"))) == len(planned) - 2
    assert store.state(results, run.run_id) is RunState.WITH_FAILURES


def test_what_is_damaged_keeps_neither_logs_nor_its_last_whole_copy(machine: Machine) -> None:
    runs = [machine.night(day) for day in range(3)]
    places = [machine.places.results / run.run_id for run in runs]
    raw = [machine.places.build / "report" / run.run_id / RAW_DATA for run in runs]
    forks = {path.name for path in (places[0] / "forks").glob("*.json")}
    for place in places[:2]:
        packing.pack(place)
    archive = places[0] / packing.FORKS
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(BrokenData, match=r"`raw-data.zip` in the folder of the run's report"):
        packing.members(places[0])
    archive.rename(archive.with_suffix(".away"))
    damage_first(places[1] / packing.FORKS)
    done = machine.sweep(SHORT, LONG_AFTER)
    assert [one.sentence for one in done if one.stays] == []
    assert list(machine.places.results.glob("*/forks/*.log")) == []
    assert list(machine.places.results.glob("*/logs.zip")) == []
    for one in raw:
        assert forks <= names(one)
        assert not any(name.endswith(".log") for name in names(one))
    for run, one in zip(runs, raw, strict=True):  # as `report` does
        packed = pack_raw_data(machine.places.results, run, one.parent)
        assert forks <= names(one)
        assert packed.results == len(forks)


def test_a_nearly_full_disk_and_damage_end_no_night(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_room() -> str:
        told: list[str] = []
        itself: Any = SimpleNamespace(
            places=machine.places,
            retention=SHORT,
            clock=lambda: LONG_AFTER,
            tell=told.append,
            waiting=SimpleNamespace(lock=machine.lock),
        )
        NightService._make_room(cast("NightService", itself))
        (sentence,) = told
        return sentence

    monkeypatch.setattr(service, "_LEAST_FREE", 1 << 60)
    run = machine.night(0)
    packing.pack(machine.places.results / run.run_id)
    damage_first(machine.places.results / run.run_id / packing.FORKS)
    assert "2 logs" in make_room()

    def unforeseen(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(service, "sweep", unforeseen)
    assert "not all that is too old: unforeseen." in make_room()


def test_runs_with_failures_are_packed_and_opened_again(machine: Machine) -> None:
    results, run = machine.places.results, make_run(pairs=3)
    folder = store_complete_run(results, run, make_forks(run)[1:])
    assert finalize.finish(results, run) is RunState.WITH_FAILURES
    before = finalize.load_summary(results, run.run_id)
    machine.sweep(SHORT, LONG_AFTER)
    assert list((folder / "forks").iterdir()) == []
    assert len(fork_files.missing_forks(results, run)) == 1
    (folder / "summary.json").unlink()
    assert finalize.load_summary(results, run.run_id).cells == before.cells
    assert finalize.reopen(results, run) == ""
    assert len(fork_files.missing_forks(results, run)) == 2


def test_what_was_dropped_can_be_moved_back(machine: Machine) -> None:
    machine.night(0)
    spool = Spool(machine.places.spool)
    (key, *_) = spool.sent_keys()
    dropped = machine.places.spool / "dropped" / f"{key}.json"
    dropped.parent.mkdir()
    (machine.places.spool / "sent" / f"{key}.json").rename(dropped)
    machine.sweep(SHORT, LONG_AFTER)
    (machine.places.spool / "unsent").mkdir(exist_ok=True)
    dropped.rename(machine.places.spool / "unsent" / dropped.name)
    assert spool.load_unsent(key).key == key


def test_how_long_files_stay_and_what_goes_is_said(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep_days(tmp_path, monkeypatch, abandoned=11)
    run = machine.night(0)
    assert machine.call("runs", "abandon", run.run_id) == 0
    assert f"Abandoned {run.run_id}. Its files stay for 11 days." in capsys.readouterr().out
    assert machine.call("runs", "prune", "--help") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Logs and flame graphs of runs that ended as well, with failures or not" in said


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("change", [packing.pack, packing.unpack])
def test_no_fork_is_missing_while_a_run_is_packed_or_unpacked(
    change: Callable[[Path], None],
    first: bool,
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Somebody else does all of it just before, or just after, the archive is opened."""
    results, run = machine.places.results, make_run(pairs=1)
    forks = make_forks(run)  # one is missing indeed: the one that opens the archive too early
    left = forks[1:] if change is packing.pack else forks[:-1]
    folder = store_complete_run(results, run, left)
    real = zipfile.ZipFile

    def changed_meanwhile(path: Path, *words: Any) -> zipfile.ZipFile:
        monkeypatch.setattr(zipfile, "ZipFile", real)
        if first:
            change(folder)
            return real(path, *words)
        try:
            return real(path, *words)
        finally:
            change(folder)

    for look in (_missing, _unread):
        (packing.pack if change is packing.unpack else packing.unpack)(folder)
        monkeypatch.setattr(zipfile, "ZipFile", changed_meanwhile)
        assert look(results, run) == 1
        assert zipfile.ZipFile is real


def _missing(results: Path, run: RunInfo) -> int:
    return len(fork_files.missing_forks(results, run))


def _unread(results: Path, run: RunInfo) -> int:
    return len(fork_files.read_forks(results, run).missing)


def test_nothing_is_packed_while_somebody_measures(machine: Machine) -> None:
    run = machine.night(0)
    archive = machine.places.results / run.run_id / packing.FORKS
    with machine_lock(machine.lock, "a request"):
        said = swept_text(machine.sweep(SHORT, LONG_AFTER))
    assert not archive.exists()
    assert "Of forks, all stay: Something else measures on this machine: a request" in said
    assert not list(machine.places.results.glob("*/*/*.log"))
    machine.sweep(SHORT, LONG_AFTER)
    assert archive.exists()
