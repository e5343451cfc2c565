"""Calls of nightly that are killed, interrupted, doubled or out of space, and the next ones."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from eventual import eventually
from jmh_java import BY_DOUBLE_AND_JMH
from night_world import World, environment, forks_of, java_processes, nightly
from stored_runs import complete_run_ids

from flink_boost.measure import store
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.night_record import NightState, StepState
from flink_boost.publish.spool import Spool

pytestmark = pytest.mark.needs_jars


def steps_on(world: World, process: subprocess.Popen[bytes], count: int) -> None:
    """Waits until so many things were seen to happen to a night's record and forks, or it ends.

    Moments that are counted in seconds would all be before the first fork on a busy machine.
    """
    before = happened(world)
    while count and process.poll() is None:
        if (now := happened(world)) != before:
            before, count = now, count - 1
        time.sleep(0.01)


def happened(world: World) -> dict[str, int]:
    """When each record was written, and each fork began or ended."""
    found = {}
    for pattern in ("nights/*/night.json", "results/*/forks/*.json", "results/*/attempts/*.log"):
        for path in world.folder.glob(pattern):
            with suppress(FileNotFoundError):
                found[path.name] = path.stat().st_mtime_ns if path.name == "night.json" else 0
    return found


@pytest.mark.timeout(3600)
@BY_DOUBLE_AND_JMH
def test_a_night_killed_at_random_moments_loses_nothing_and_does_nothing_twice(
    world: World, request: pytest.FixtureRequest, by: str
) -> None:
    moments: int = request.config.getoption("--moments")
    source = random.Random(20261124)
    # A night that is too short ends before all moments have come.
    pairs = max(6, moments // 2 if moments < 50 else 2 * moments)
    command = nightly(world, "--pairs", str(pairs))
    environ = environment(world)
    seen: dict[str, bytes] = {}
    killed: dict[str, int] = {}
    nights = 0
    for _ in range(moments):
        process = subprocess.Popen(
            command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        steps_on(world, process, source.randrange(1, 13))
        try:
            process.wait(timeout=source.uniform(0.0, 1.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        else:
            nights += 1
        assert eventually(lambda: not java_processes(world.folder), 10), "a JVM outlived its night"
        forks = forks_of(world.results)
        assert seen.items() <= forks.items(), "a finished fork was lost or measured again"
        seen = forks
        assert len(store.run_ids(world.results)) <= 1
        if process.returncode >= 0:
            continue  # it had ended by itself
        for name in world.service().journal.nights():
            record = world.night(name)
            at_work = [step.name for step in record.steps if step.state is StepState.RUNNING]
            where = at_work[0] if at_work else record.state.value
            killed[where] = killed.get(where, 0) + 1
    assert sum(killed.values()) + nights == moments
    assert killed, "no night was killed: every call had come to its end"
    last = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=1800)
    assert last.returncode == 0, last.stderr
    (name,) = world.service().journal.nights()
    night = world.night(name)
    assert night.state is NightState.COMPLETE, night.reason
    (run_id,) = complete_run_ids(world.results)
    assert night.runs == (run_id,)
    assert len(forks_of(world.results)) == 2 * pairs
    assert seen.items() <= forks_of(world.results).items()
    assert len(world.server.stored) == 3
    assert Spool(world.folder / "spool").unsent_keys() == ()
    assert not list(world.folder.rglob("*.partial"))
    assert world.server.nights[night.box, name]["state"] == "complete"
    count = sum(killed.values())
    print(f"killed at {count} moments: {killed}")  # noqa: T201 the figures of make test-nightly


def test_two_at_once_and_a_request_make_one_night(world: World) -> None:
    environ = environment(world)
    lock = Path(environ["FLINK_BOOST_MACHINE_LOCK"])
    with machine_lock(lock, "a request"):
        first = subprocess.Popen(
            nightly(world, "--pairs", "1"),
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert eventually(lambda: list((world.folder / "nights").glob("*/night.json")), 60)
        second = subprocess.run(
            nightly(world, "--json"), env=environ, capture_output=True, text=True, timeout=100
        )
        assert second.returncode == 30
        told = json.loads(second.stdout)
        assert f"Another flink-boost nightly (pid {first.pid})" in told["error"]
        assert first.poll() is None
    _, errors = first.communicate(timeout=200)
    assert first.returncode == 0, errors
    assert "a request" in errors
    assert len(complete_run_ids(world.results)) == 1


@pytest.mark.test_all
def test_an_interrupted_night_ends_as_the_timer_wants_it_and_goes_on(world: World) -> None:
    process = subprocess.Popen(
        nightly(world, "--pairs", "40"), env=environment(world), stderr=subprocess.PIPE, text=True
    )
    assert eventually(lambda: forks_of(world.results), 100)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not java_processes(world.folder)
    (name,) = world.service().journal.nights()
    assert world.night(name).state is NightState.RUNNING


ON_A_FULL_DISK = """
set -e
build=$1; shift
mkdir -p "$build/spool"
mount -t tmpfs -o size=256k tmpfs "$build/spool"
dd if=/dev/zero of="$build/spool/filler" bs=1k 2> /dev/null || true
set +e
"$@"; echo "full: $?"
rm "$build/spool/filler"
"$@" --resume; echo "after: $?"
"""


def test_a_disk_that_is_full_while_spooling_costs_one_step_and_the_next_start_sends(
    world: World,
) -> None:
    private = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    done = subprocess.run(
        [*private, "sh", "-c", ON_A_FULL_DISK, "sh", str(world.folder), *nightly(world)],
        env=environment(world),
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert "full: 4" in done.stdout, done.stdout + done.stderr
    assert "upload failed: A file could not be used: No space left on device" in done.stdout
    assert "after: 0" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    # What was measured is not measured again for it.
    assert len(re.findall(r"\] pair ", done.stderr)) == 2
    assert len(world.server.stored) == 3
    (name,) = world.service().journal.nights()
    assert world.night(name).state is NightState.COMPLETE
