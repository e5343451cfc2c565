"""Whether a machine is quiet is decided by what a probe saw, whoever made the noise."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import pytest

from flink_boost.base.errors import NoisyBox
from flink_boost.measure import noise
from flink_boost.measure.box_file import QuietLimits
from flink_boost.measure.noise import NoiseProbe, NoiseSamples

pytestmark = pytest.mark.quiet


def samples(seed: int = 1, cpu: float = 0.01, cache: float = 0.03) -> NoiseSamples:
    """Times of equal work with such relative noise, on a machine that is quiet otherwise."""
    chance = random.Random(seed)
    return NoiseSamples(
        cpu=tuple(0.005 * chance.lognormvariate(0, cpu) for _ in range(200)),
        cache=tuple(0.008 * chance.lognormvariate(0, cache) for _ in range(200)),
        steal=0.0,
        busy=0.01,
        load=0.3,
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_quiet_machine(seed: int) -> None:
    probe = noise.assess(samples(seed))
    assert probe.quiet
    assert probe.reason == ""
    assert 0.015 < probe.cpu < 0.04
    assert 0.05 < probe.cache < 0.12


@pytest.mark.parametrize(
    ("disturbed", "reason"),
    [
        (samples(cpu=0.1), "equal work on one core"),
        (samples(cache=0.2), "loads from memory"),
        (replace(samples(), steal=0.05), "hypervisor gave 5.0%"),
        (replace(samples(), busy=0.5, load=2.5), "other processes use 50.0%.*load is 2.50"),
    ],
)
def test_each_kind_of_noise_is_refused_with_its_reason(
    disturbed: NoiseSamples, reason: str
) -> None:
    assert not noise.assess(disturbed).quiet
    with pytest.raises(NoisyBox, match=reason) as refused:
        noise.wait_for_quiet(lambda: noise.assess(disturbed), minutes=0)
    assert refused.value.exit_code == 33


def test_all_reasons_are_named_and_the_limits_are_the_boxs() -> None:
    loud = replace(samples(cpu=0.1, cache=0.2), steal=0.05, busy=0.5)
    assert noise.assess(loud).reason.count(";") == 4  # three between, one within the last
    limits = QuietLimits(cpu=2, cache=2, steal=0.9, busy=0.9)
    assert noise.assess(loud, limits).quiet


def test_one_interrupt_is_no_noise() -> None:
    quiet = samples()
    assert noise.assess(replace(quiet, cpu=(*quiet.cpu[:-3], 0.5, 0.5, 0.5))).quiet


class SimulatedMachine:
    """A clock that only waiting moves, and a machine that is loud until a given second."""

    def __init__(self, loud_until: float) -> None:
        self.now = 0.0
        self.loud_until = loud_until
        self.looks = 0

    def look(self) -> NoiseProbe:
        self.looks += 1
        self.now += 5
        busy = 0.8 if self.now < self.loud_until else 0.02
        return noise.assess(replace(samples(self.looks), busy=busy))

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def test_a_wait_ends_with_the_first_quiet_moment() -> None:
    machine, told = SimulatedMachine(loud_until=200), list[str]()
    probe = noise.wait_for_quiet(
        machine.look, 10, told.append, clock=lambda: machine.now, sleep=machine.sleep
    )
    assert probe.quiet
    assert 200 <= machine.now < 240
    assert len(told) == machine.looks - 1
    assert "Waiting, for 10 min at most." in told[0]


def test_a_wait_ends_with_its_time() -> None:
    machine = SimulatedMachine(loud_until=1e9)
    with pytest.raises(NoisyBox, match="after 10 minutes of waiting: other processes use 80"):
        noise.wait_for_quiet(machine.look, 10, clock=lambda: machine.now, sleep=machine.sleep)
    assert 600 <= machine.now < 640


def test_a_wait_of_no_minutes_looks_once() -> None:
    machine = SimulatedMachine(loud_until=1e9)
    with pytest.raises(NoisyBox, match="enough to measure: "):
        noise.wait_for_quiet(machine.look, 0, clock=lambda: machine.now, sleep=machine.sleep)
    assert machine.looks == 1


def test_this_machine_is_looked_at() -> None:
    """Whatever it finds: the figures belong to a real machine and the verdict to the figures."""
    seen = noise.sample_machine(0.3)
    assert len(seen.cpu) == len(seen.cache) >= 5
    assert min(*seen.cpu, *seen.cache) > 0
    assert 0 <= seen.steal <= 1
    assert 0 <= seen.busy <= 1.01
    probe = noise.assess(seen)
    assert probe.quiet == (probe.reason == "")


def test_the_chase_goes_through_the_whole_table() -> None:
    table = noise._cycle(64)
    at, seen = 0, set()
    for _ in range(64):
        at = int(table[at])
        seen.add(at)
    assert len(seen) == 64


def test_a_busy_loop_beside_is_refused() -> None:
    loops = [
        subprocess.Popen([sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=-1)
        for _ in range(4)
    ]
    try:
        for loop in loops:
            assert loop.stdout is not None
            loop.stdout.readline()
        probe = noise.probe(1.5)
    finally:
        for loop in loops:
            loop.kill()
            loop.communicate()
    assert not probe.quiet
    assert "other processes use" in probe.reason
