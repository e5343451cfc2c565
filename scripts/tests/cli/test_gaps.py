"""A run that lacks some forks: every command takes the rest and says the same sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from damages import DAMAGES
from failing_codespeed import TOKEN, FailingCodespeed, failing_codespeed
from stored_runs import fork_path, store_complete_run, store_forks
from synthetic import JOB, WRITE, make_forks, make_run

from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.measure import finalize, store
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RunInfo
from flink_boost.publish.spool import Spool
from flink_boost.publish.trends import StoredVerdicts

COMMANDS = ("compare", "detect", "report", "upload")
NIGHTS = 3
RESULTS = 6  # of a run: two benchmarks, each with stock, patched and their ratio
NEWEST = make_run(NIGHTS - 1)


def forks_of(run: RunInfo, seed: int = 0) -> tuple[Fork, ...]:
    return make_forks(run, noise=0.02, seed=seed)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Three nights as a store of before has them: forks and the mark that they are complete."""
    for night in range(NIGHTS):
        run = make_run(night)
        store_complete_run(tmp_path / "results", run, forks_of(run))
    return tmp_path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FailingCodespeed]:
    with failing_codespeed() as server:
        monkeypatch.setenv("FLINK_BOOST_CODESPEED_URL", server.url)
        monkeypatch.setenv("FLINK_BOOST_TOKEN", TOKEN)
        monkeypatch.setenv("FLINK_BOOST_ENVIRONMENT", "box-1")
        yield server


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(build: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls a command on the store: exit code, output and errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["--build", str(build), *arguments])
        captured = capsys.readouterr()
        assert "Unexpected" not in captured.err
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    return call


def values(server: FailingCodespeed, run: RunInfo) -> dict[tuple[str, str], tuple[float, float]]:
    """Extremes of what the server holds of a run, by executable and benchmark."""
    stamp = f"{run.started:%Y%m%dT%H%M%S}"
    return {
        (key[3], key[4]): (result["min"], result["max"])
        for key, result in server.stored.items()
        if stamp in key[2] and not key[4].endswith(".ratio")
    }


def extremes(forks: list[Fork], cell: object, side: Side) -> tuple[float, float]:
    scores = [fork.score for fork in forks if fork.cell == cell and fork.side is side]
    return min(scores), max(scores)


def absent(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [*DAMAGES.values(), absent], ids=[*DAMAGES, "absent"])
def test_one_lost_fork_is_a_gap_of_its_pair_in_all_commands_alike(
    build: Path, server: FailingCodespeed, call: Call, damage: Callable[[Path], object]
) -> None:
    forks = forks_of(NEWEST)
    lost = next(fork for fork in forks if fork.cell == JOB and fork.side is Side.PATCHED)
    path = fork_path(build / "results", NEWEST, lost)
    damage(path)
    sentences = set()
    for command in COMMANDS:
        code, _, errors = call(command)
        assert code == (5 if command == "upload" else 0), errors
        sentences |= {line for line in errors.splitlines() if "has gaps" in line}
    (sentence,) = sentences
    assert f"Run {NEWEST.run_id} has gaps: 1 of 20 forks are missing" in sentence
    assert f"`flink-boost bench --resume {NEWEST.run_id}`" in sentence
    assert (f"forks/{path.name}" in sentence) == (damage is not absent)
    assert os.path.lexists(path) == (damage is not absent), "nothing is moved by reading"

    verdicts = StoredVerdicts.model_validate_json((build / "verdicts.json").read_bytes()).verdicts
    assert {verdict.points for verdict in verdicts} == {NIGHTS}
    page = (build / "report" / "index.html").read_text(encoding="utf-8")
    assert "1 of 20 forks are missing" in page
    assert "Left out, as a half of the pair is missing" in page
    left = [fork for fork in forks if (fork.cell, fork.pair) != (JOB, lost.pair)]
    assert values(server, NEWEST) == {
        (f"{side.value} 2.3.0", name): extremes(left, cell, side)
        for cell, name in ((JOB, "serializerTuple"), (WRITE, "write.ascii.16"))
        for side in (Side.STOCK, Side.PATCHED)
    }
    assert len(values(server, make_run(0))) == 4, "other runs are whole"

    code, output, _ = call("upload")
    assert (code, server.requests) == (0, 2 * NIGHTS), "it is said once, and sent once"
    assert "1 run of before has gaps" in output


def test_a_benchmark_without_a_pair_is_a_gap_of_that_night(
    build: Path, server: FailingCodespeed, call: Call
) -> None:
    for fork in forks_of(NEWEST):
        if fork.cell == JOB and fork.side is Side.PATCHED:
            fork_path(build / "results", NEWEST, fork).unlink()
    assert call("upload")[0] == 5
    assert {name for _, name in values(server, NEWEST)} == {"write.ascii.16"}
    assert call("detect")[0] == 0
    verdicts = StoredVerdicts.model_validate_json((build / "verdicts.json").read_bytes()).verdicts
    assert {one.cell: (one.points, one.gaps) for one in verdicts} == {WRITE: (3, 0), JOB: (2, 1)}
    code, output, _ = call("compare")
    assert code == 0
    assert "serializerTuple: pairs 1, 2, 3, 4, 5" in output


@pytest.mark.parametrize("content", ["", "{", None], ids=["empty", "cut off", "a folder"])
@pytest.mark.parametrize("read_before", [False, True])
def test_a_damaged_plan_is_named_by_all_commands_and_costs_its_run_only(
    build: Path, server: FailingCodespeed, call: Call, content: str | None, read_before: bool
) -> None:
    if read_before:
        assert call("detect")[0] == 0
    path = build / "results" / NEWEST.run_id / "run.json"
    path.unlink()
    if content is None:
        path.mkdir()
    else:
        path.write_text(content)
    for command in COMMANDS:
        code, output, errors = call(command)
        assert code == (5 if command == "upload" else 0), errors
        assert f"Run {NEWEST.run_id} is left out: {path} is damaged" in errors
        assert "Everything is sent already" not in output
    assert len(server.stored) == RESULTS * (NIGHTS - 1)
    code, _, errors = call("upload")
    assert code == 5, "until somebody mends or abandons it"
    assert "1 run could not be sent whole" in errors
    store.abandon(build / "results", NEWEST.run_id)
    code, output, errors = call("upload")
    assert (code, errors) == (0, "")
    assert "Everything is sent already." in output


def test_a_run_without_any_pair_is_not_sent_and_not_the_latest(
    build: Path, server: FailingCodespeed, call: Call
) -> None:
    for fork in forks_of(NEWEST):
        if fork.side is Side.STOCK:
            fork_path(build / "results", NEWEST, fork).unlink()
    for _ in range(2):
        code, _, errors = call("upload")
        assert code == 5
        assert f"Run {NEWEST.run_id} is not sent: no pair is whole." in errors
    assert values(server, NEWEST) == {}
    assert json.loads(call("compare", "--format", "json")[1])["run"]["run_id"] == (
        make_run(NIGHTS - 2).run_id
    )
    assert call("report")[0] == 0
    assert make_run(NIGHTS - 2).run_id in (build / "report" / "index.html").read_text()
    assert call("report", NEWEST.run_id)[0] == 0
    assert "this run compared no benchmark" in (build / "report" / "index.html").read_text()


def repair(build: Path, forks: tuple[Fork, ...], lost: Fork, score: float) -> list[Fork]:
    """What ``bench --resume`` does, with that score for the lost fork, and its other half again."""
    results = build / "results"
    finalize.reopen(results, NEWEST)
    again = lost.model_copy(update={"score": score, "iterations": (score,)})
    halves = [fork for fork in forks if (fork.cell, fork.pair) == (lost.cell, lost.pair)]
    store_forks(results, NEWEST, [again if fork == lost else fork for fork in halves])
    finalize.finish(results, NEWEST)
    return [again if fork == lost else fork for fork in forks]


@pytest.mark.parametrize("without_summary", [False, True], ids=["", "sent before summaries"])
def test_a_repaired_run_updates_what_was_sent_of_it_and_says_so(
    build: Path, server: FailingCodespeed, call: Call, without_summary: bool
) -> None:
    forks = forks_of(NEWEST)
    DAMAGES["empty"](fork_path(build / "results", NEWEST, forks[0]))
    assert call("upload")[0] == 5
    requests = server.requests
    if without_summary:
        (build / "results" / NEWEST.run_id / "summary.json").unlink()
    repaired = repair(build, forks, forks[0], 1234.5)
    code, output, errors = call("upload")
    assert (code, errors) == (0, "")
    assert output.count("(in place of what was sent before its run was repaired)") == 2
    assert server.requests == requests + 2
    assert values(server, NEWEST)["stock 2.3.0", "write.ascii.16"] == (
        extremes(repaired, WRITE, Side.STOCK)
    )
    assert 1234.5 in values(server, NEWEST)["stock 2.3.0", "write.ascii.16"]
    assert "Everything is sent already." in call("upload")[1]
    assert call("detect")[2] == ""


def test_what_waits_of_a_run_that_was_repaired_or_abandoned_is_not_sent(
    build: Path, server: FailingCodespeed, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    forks = forks_of(NEWEST)
    DAMAGES["empty"](fork_path(build / "results", NEWEST, forks[0]))
    monkeypatch.setenv("FLINK_BOOST_TOKEN", "wrong")
    assert call("upload")[0] == 5
    monkeypatch.setenv("FLINK_BOOST_TOKEN", TOKEN)
    repair(build, forks, forks[0], 1234.5)
    store.abandon(build / "results", make_run(0).run_id)
    code, output, errors = call("upload")
    assert code == 0
    assert output.count("a later revision takes its place") == 2
    assert errors.count(f"Run {make_run(0).run_id} was abandoned") == 2
    assert set(server.times_stored.values()) == {1}
    assert values(server, make_run(0)) == {}
    assert 1234.5 in values(server, NEWEST)["stock 2.3.0", "write.ascii.16"]
    assert len(Spool(build / "spool").dropped_keys()) == 2
    # Who takes the abandonment back gets the results sent.
    (build / "results" / make_run(0).run_id / "abandoned").unlink()
    assert call("upload")[0] == 0
    assert values(server, make_run(0)) != {}
    assert "Everything is sent already." in call("upload")[1], "what is dropped does not come back"


def test_an_abandoned_run_is_no_commands_run(
    build: Path, server: FailingCodespeed, call: Call
) -> None:
    store.abandon(build / "results", NEWEST.run_id)
    for command in COMMANDS:
        code, _, errors = call(command)
        assert (code, errors) == (0, "")
    assert values(server, NEWEST) == {}
    assert make_run(NIGHTS - 2).run_id in (build / "report" / "index.html").read_text()
    verdicts = StoredVerdicts.model_validate_json((build / "verdicts.json").read_bytes()).verdicts
    assert {verdict.points for verdict in verdicts} == {NIGHTS - 1}


def test_a_read_only_store_is_read_by_all_commands(
    build: Path, server: FailingCodespeed, tmp_path_factory: pytest.TempPathFactory
) -> None:
    results = build / "results"
    DAMAGES["a folder"](fork_path(results, NEWEST, forks_of(NEWEST)[0]))
    before = sorted(results.rglob("*"))
    elsewhere = tmp_path_factory.mktemp("build")
    commands = " && ".join(
        f'"$1" -m flink_boost.cli --build "$2" --results "$0" {command}' for command in COMMANDS
    )
    script = f'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && {commands}'
    done = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script),
            *(str(results), sys.executable, str(elsewhere)),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert done.stderr.count("1 of 20 forks are missing") == len(COMMANDS)
    assert "Unexpected" not in done.stderr
    assert len(server.stored) == RESULTS * NIGHTS
    assert sorted(results.rglob("*")) == before


def test_an_unsent_result_is_dropped_by_its_key_and_kept_on_disk(
    build: Path, server: FailingCodespeed, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(build / "spool")
    monkeypatch.setenv("FLINK_BOOST_TOKEN", "wrong")
    assert call("upload")[0] == 5
    key, *others = spool.unsent_keys()
    (build / "spool" / "unsent" / f"{others[0]}.json").write_text("{")
    code, output, _ = call("upload", "--drop", key)
    assert code == 0
    assert f"Dropped {key}: 4 results" in output
    assert "write.ascii.16 " in output
    assert call("upload", "--drop", others[0])[0] == 0, "nobody could send it either"
    assert spool.dropped_keys() == (key, others[0])
    for unknown in (key, "nothing", "../sent/x"):
        code, _, errors = call("upload", "--drop", unknown)
        assert code == 2
        assert f"No unsent result has the key {unknown!r}" in errors
        assert others[1] in errors
    monkeypatch.setenv("FLINK_BOOST_TOKEN", TOKEN)
    assert call("upload")[0] == 0
    assert spool.unsent_keys() == ()
    assert len(spool.sent_keys()) == 2 * NIGHTS - 2
    assert "Everything is sent already." in call("upload")[1]
    assert "Everything is sent already." in call("upload", "--drop", key)[2]


def test_forks_of_before_may_go_once_their_run_is_summarised(build: Path, call: Call) -> None:
    assert call("detect")[0] == 0
    before = (build / "verdicts.json").read_text().partition("verdicts")[2]
    for night in range(NIGHTS):
        shutil.rmtree(build / "results" / make_run(night).run_id / "forks")
    code, _, errors = call("detect")
    assert (code, errors) == (0, "")
    assert (build / "verdicts.json").read_text().partition("verdicts")[2] == before
