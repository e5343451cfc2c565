"""Runs of bench: their order, and what kills, failures, locks and a full disk leave of them."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
from pathlib import Path

import pytest
from bench_calls import COMMAND, WRITE, call, finished, flink_boost, run, smoke
from eventual import eventually
from jmh_java import BY_DOUBLE_AND_JMH, make_java
from stored_runs import complete_run_ids

from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.measure import fork_files, run_plan, store
from flink_boost.measure.store import RunState

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


def java_processes(results: Path) -> list[str]:
    """Command lines of JVMs that write to that store."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if str(results) in line and "org.openjdk.jmh" in line:
                found.append(line)
    return found


@pytest.mark.quiet
@pytest.mark.forks
def test_stock_and_patched_are_measured_in_turn_and_compared(tmp_path: Path) -> None:
    answer = run(smoke(tmp_path, "--pairs", "2"))
    assert answer.returncode == 0, answer.stderr
    (run_id,) = complete_run_ids(tmp_path)
    info = store.load_run(tmp_path, run_id)
    assert (info.group, info.quick_look, info.pairs) == ("smoke", True, 2)
    assert info.sides == (Side.STOCK, Side.PATCHED)
    assert info.jvm_options == (*run_plan.FORK_OPTIONS, *find_line(info.line).jvm_options)
    assert re.fullmatch("[0-9a-f]{64}", info.dropin_sha256)

    files = sorted((tmp_path / run_id / "forks").glob("*.json"), key=lambda p: p.stat().st_mtime_ns)
    assert [file.name.split(".")[:2] for file in files] == [
        ["p01", "stock"],
        ["p01", "patched"],
        ["p02", "patched"],
        ["p02", "stock"],
    ]
    for file in files:
        (result,) = json.loads(file.read_text())
        # After where temporary files go. What follows is the benchmark's own heap, the same on
        # both sides.
        options, rest = result["jvmArgs"][1:], len(info.jvm_options)
        assert options[:rest] == list(info.jvm_options)
        assert not any(arg.startswith("--add-") for arg in options[rest:])
    forks = fork_files.load_forks(tmp_path, run_id)
    assert all(fork.alloc_bytes_per_op is not None for fork in forks)
    # Counted in steps of 10 ms: a fork that had to wait may have none in such short iterations.
    assert all(fork.cpu_time_per_op is not None for fork in forks)
    assert any(fork.cpu_time_per_op for fork in forks)

    assert f"Run: {run_id}" in answer.stdout
    assert "2 pairs" in answer.stdout
    assert answer.stderr.count(" pair ") == 4
    assert "[1/4] pair 1/2 " in answer.stderr
    again = call(flink_boost(tmp_path, "compare", "latest", "--format", "json"))
    rows = json.loads(again.stdout)["comparisons"]
    assert [row["pairs"] for row in rows] == [2]
    assert rows[0]["low"] < rows[0]["ratio"] < rows[0]["high"]
    pooled = call(flink_boost(tmp_path, "compare", run_id, run_id, "--format", "json"))
    assert (pooled.returncode, "is named twice" in pooled.stdout) == (2, True)


@BY_DOUBLE_AND_JMH
def test_a_run_killed_at_random_points_ends_with_every_fork_once(
    tmp_path: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    results = tmp_path / "results"
    source = random.Random(20260301)
    seen: dict[str, bytes] = {}
    # More forks than there is time for in all rounds together: the double's take a moment.
    rounds, pairs = (6, 8) if by == "jmh" else (3, 30)
    command = smoke(results, "--aa", "--pairs", str(pairs))
    longest = 2.6
    while rounds > 0 or not seen:
        rounds -= 1
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=source.uniform(0.4, longest))
        process.kill()
        process.wait()
        assert eventually(lambda: not java_processes(results), 10), "a JVM outlived its run"
        for run_id in store.run_ids(results):
            command = flink_boost(results, "bench", "--resume", run_id)
            forks = finished(results, run_id)
            assert len(fork_files.load_forks(results, run_id)) == len(forks)
            assert seen.items() <= forks.items(), "a finished fork was lost or measured again"
            seen = forks
        # A busy machine has finished no fork by then: go on for longer, until it has.
        longest *= 1 if seen else 1.5
    assert len(store.run_ids(results)) == 1
    assert 0 < len(seen) < 2 * pairs
    answer = run(command)
    assert answer.returncode == 0, answer.stderr
    (run_id,) = complete_run_ids(results)
    info = store.load_run(results, run_id)
    assert {path.removesuffix(".json") for path in finished(results, run_id)} == {
        planned.stem for planned in fork_files.planned_forks(info)
    }
    assert seen.items() <= finished(results, run_id).items()
    assert len(fork_files.load_forks(results, run_id)) == 2 * pairs
    assert not (results / run_id / "attempts").exists()
    assert list(temporary.iterdir()) == [], "a killed fork's files"
    assert "A/A: " in answer.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on_and_keeps_others_out(
    tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        # Far more forks than there is time for.
        smoke(tmp_path, "--aa", "--pairs", "200"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A test run in the background of a shell hands down that SIGINT is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            assert eventually(lambda: java_processes(tmp_path), 60)
            second = call(smoke(tmp_path, "--aa"))
            assert second.returncode == 4
            assert f"Another flink-boost bench (pid {process.pid})" in second.stderr
            assert process.poll() is None
            process.send_signal(number)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    (run_id,) = store.run_ids(tmp_path)
    assert process.returncode == 130
    assert f"Continue with `flink-boost bench --resume {run_id}`." in errors
    assert errors.rstrip().endswith("Interrupted; what was finished is kept.")
    assert "Traceback" not in errors
    assert eventually(lambda: not java_processes(tmp_path), 10)


def test_a_failed_fork_costs_neither_the_others_nor_the_run(tmp_path: Path) -> None:
    java = str(make_java(tmp_path / "flaky", failing=[2], action="echo the fork broke; exit 3"))
    results = tmp_path / "results"
    answer = call(smoke(results, "--aa", "--pairs", "2", "--java", java))
    assert answer.returncode == 6
    (run_id,) = store.run_ids(results)
    assert complete_run_ids(results) == ()
    assert "stock again FAILED: it ended with code 3" in answer.stderr
    assert "    the fork broke\n" in answer.stderr
    assert "1 of 4 forks failed." in answer.stderr, answer.stderr
    assert f"--resume {run_id}" in answer.stderr
    assert "Left out, as a half of the pair is missing" in answer.stdout
    assert "They are: " in answer.stderr
    assert ", stock again, pair 1." in answer.stderr
    assert store.state(results, run_id) is RunState.WITH_FAILURES
    before = finished(results, run_id)
    assert len(before) == 3

    # What was damaged meanwhile is measured again, too.
    damaged = next(name for name in before if name.startswith("p02.control."))
    del before[damaged]
    (results / run_id / "forks" / damaged).write_text("[")
    again = call(flink_boost(results, "bench", "--resume", run_id, "--java", java))
    assert again.returncode == 0, again.stderr
    assert f"forks/{damaged} is not a result file of JMH" in again.stderr
    assert "1 damaged fork is measured again, and kept in " in again.stderr
    # The other halves, too: a pair is measured together, or it says nothing.
    assert again.stderr.count("] pair ") == 4
    assert "[1/4] pair 1/2 " in again.stderr
    assert complete_run_ids(results) == (run_id,)
    halves = [file.read_bytes() for file in (results / run_id / "halves").iterdir()]
    assert sorted(halves) == sorted(before.values())
    assert len(fork_files.load_forks(results, run_id)) == 4
    (aside,) = (results / run_id / "damaged").iterdir()
    assert aside.read_text() == "["

    store.abandon(results, run_id)
    given_up = call(flink_boost(results, "bench", "--resume", run_id, "--java", java))
    assert given_up.returncode == 2
    assert f"The run {run_id} was abandoned." in given_up.stderr


@pytest.mark.forks
def test_options_that_a_jvm_refuses_fail_every_fork(tmp_path: Path) -> None:
    answer = run(smoke(tmp_path, "--aa", "--jvm-arg", "-XX:+NoSuchOption"))
    assert answer.returncode == 6
    assert "2 of 2 forks failed." in answer.stderr
    assert "Unrecognized VM option 'NoSuchOption'" in answer.stderr


ON_A_FULL_DISK = """
set -e
folder=$1; tool=$2; shift 2
mount -t tmpfs -o size=176k none "$folder"
dd if=/dev/zero of="$folder/ballast" bs=1k count=100 2>/dev/null
code=0; "$tool" --results "$folder" bench "$@" || code=$?
echo "full: $code"
run=$(ls "$folder" | grep Z-)
echo "kept: $(ls "$folder/$run/forks" | grep -c json$ || true)"
rm "$folder/ballast"
code=0; "$tool" --results "$folder" bench --resume "$run" || code=$?
echo "resumed: $code"
echo "complete: $(ls "$folder/$run/forks" | grep -c json$) $(ls "$folder/$run" | grep complete)"
"""


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_with_space(tmp_path: Path) -> None:
    # A mount of its own that no other process sees; without root, as root of a user namespace.
    private = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    arguments = ["--group", "smoke", WRITE, "--aa", "--pairs", "12"]
    answer = run(
        [*private, "sh", "-c", ON_A_FULL_DISK, "sh", str(tmp_path), str(COMMAND), *arguments]
    )
    assert "full: 4" in answer.stdout, answer.stdout + answer.stderr
    assert "There is no space left on the disk" in answer.stderr
    assert "Traceback" not in answer.stderr
    kept = int(re.search(r"kept: (\d+)", answer.stdout)[1])  # type: ignore[index]
    assert 0 < kept < 24
    assert "resumed: 0" in answer.stdout
    assert "complete: 24 complete" in answer.stdout
