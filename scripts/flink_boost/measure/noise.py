"""Is the machine quiet enough to measure now? A few seconds of equal work tell, and who ran beside.

Two kinds of work are timed in turn: hashing what fits a core's own caches, and loads that each
depend on the one before, in a table that does not fit. Neither the work nor the wait for a quiet
moment knows what is measured later.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import psutil

from flink_boost.base.errors import NoisyBox
from flink_boost.measure.box_file import QuietLimits

PROBE_SECONDS = 5.0
WAIT_SECONDS = 30.0  # between two probes

_HASHED = bytes(range(256)) * 256  # 64 KiB
_HASHES = 40
_TABLE_ENTRIES = 1 << 20  # 8 MiB
_CHAINS = 2048
_LOADS = 1000
_UNCOUNTED = 3  # first touches of memory, the clock rising
_FEWEST = 5


@dataclass(frozen=True)
class NoiseSamples:
    """What a probe saw: seconds of equal pieces of work, shares of the cores' time, the load."""

    cpu: tuple[float, ...]
    cache: tuple[float, ...]
    steal: float
    busy: float
    load: float


@dataclass(frozen=True)
class NoiseProbe:
    """What a probe says: spreads and shares as ``QuietLimits`` explains them, and a verdict.

    ``reason`` names everything that is over its limit; it is empty on a quiet machine.
    """

    cpu: float
    cache: float
    steal: float
    busy: float
    load: float
    quiet: bool
    reason: str

    def __str__(self) -> str:
        return (
            f"equal work varies by {self.cpu:.1%} on a core and {self.cache:.1%} in memory;"
            f" others used {self.busy:.1%} of the cores, a hypervisor took {self.steal:.1%};"
            f" load {self.load:.2f}"
        )


def sample_machine(seconds: float) -> NoiseSamples:
    """Works for so many seconds on one core and looks at what else happens on those we may use."""
    table = _cycle(_TABLE_ENTRIES)
    at = table[:: _TABLE_ENTRIES // _CHAINS].copy()
    cpu: list[float] = []
    cache: list[float] = []
    cores = sorted(os.sched_getaffinity(0))
    before, own_before, began = _core_times(cores), _own_seconds(), time.monotonic()
    while time.monotonic() - began < seconds or len(cpu) < _UNCOUNTED + _FEWEST:
        start = time.perf_counter()
        for _ in range(_HASHES):
            hashlib.sha256(_HASHED).digest()
        middle = time.perf_counter()
        for _ in range(_LOADS):
            at = table[at]
        cpu.append(middle - start)
        cache.append(time.perf_counter() - middle)
    after, own = _core_times(cores), _own_seconds() - own_before
    spent = max(after.total - before.total, 1e-9)
    return NoiseSamples(
        cpu=tuple(cpu[_UNCOUNTED:]),
        cache=tuple(cache[_UNCOUNTED:]),
        steal=max(0.0, after.steal - before.steal) / spent,
        busy=max(0.0, after.busy - before.busy - own) / spent,
        load=round(psutil.getloadavg()[0], 2),
    )


def assess(samples: NoiseSamples, limits: QuietLimits | None = None) -> NoiseProbe:
    """What the samples say of the machine. Pure."""
    limits = limits or QuietLimits()
    cpu, cache = spread(samples.cpu), spread(samples.cache)
    reasons = []
    if cpu > limits.cpu:
        reasons.append(
            f"equal work on one core takes up to {cpu:.1%} longer from one moment to the next"
            f" ({limits.cpu:.0%} is allowed): its clock changes, or something shares the core"
        )
    if cache > limits.cache:
        reasons.append(
            f"loads from memory take up to {cache:.1%} longer from one moment to the next"
            f" ({limits.cache:.0%} is allowed): something else uses the caches"
        )
    if samples.steal > limits.steal:
        reasons.append(
            f"the hypervisor gave {samples.steal:.1%} of the cores' time to other machines"
            f" ({limits.steal:.0%} is allowed)"
        )
    if samples.busy > limits.busy:
        reasons.append(
            f"other processes use {samples.busy:.1%} of the cores ({limits.busy:.0%} is allowed;"
            f" the load is {samples.load:.2f})"
        )
    reason = "; ".join(reasons)
    return NoiseProbe(
        cpu, cache, samples.steal, samples.busy, samples.load, quiet=not reason, reason=reason
    )


def probe(seconds: float = PROBE_SECONDS, limits: QuietLimits | None = None) -> NoiseProbe:
    """Looks at the machine for so many seconds, and says whether it is quiet."""
    return assess(sample_machine(seconds), limits)


def wait_for_quiet(
    look: Callable[[], NoiseProbe],
    minutes: float,
    tell: Callable[[str], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> NoiseProbe:
    """The first probe that finds the machine quiet, within so many minutes; 0 looks once.

    ``tell`` is handed a sentence before each wait. Raises ``NoisyBox`` with the last reason.
    """
    until = clock() + minutes * 60
    while True:
        found = look()
        if found.quiet:
            return found
        left = until - clock()
        if left <= 0:
            waited = f" after {minutes:g} minutes of waiting" if minutes else ""
            raise NoisyBox(
                f"This machine is not quiet enough to measure{waited}: {found.reason}.",
                "End what runs beside (`top` shows it) and try again, or wait with --wait MINUTES;"
                " [quiet] in box.toml holds the limits.",
            )
        tell(f"Not quiet: {found.reason}. Waiting, for {math.ceil(left / 60)} min at most.")
        sleep(min(WAIT_SECONDS, left))


def spread(seconds: Sequence[float]) -> float:
    """How much longer the slow pieces took: 90th ÷ 10th percentile − 1; 0 without any."""
    if not seconds:
        return 0.0
    fast, slow = np.quantile(np.asarray(seconds), (0.1, 0.9))
    return float(slow / fast) - 1 if fast > 0 else 0.0


@dataclass(frozen=True)
class _CoreTimes:
    total: float
    busy: float
    steal: float


def _core_times(cores: Sequence[int]) -> _CoreTimes:
    every = psutil.cpu_times(percpu=True)
    # In a container there may be fewer lines than numbers; then all of them have to do.
    mine = [every[core] for core in cores] if len(every) > max(cores) else every
    # Time of guests is part of user's; time of a guest that was stolen is nobody's here.
    idle = sum(one.idle + getattr(one, "iowait", 0.0) for one in mine)
    steal = sum(getattr(one, "steal", 0.0) for one in mine)
    busy = sum(
        one.user + one.nice + one.system + getattr(one, "irq", 0.0) + getattr(one, "softirq", 0.0)
        for one in mine
    )
    return _CoreTimes(idle + steal + busy, busy, steal)


def _own_seconds() -> float:
    own = os.times()
    return own.user + own.system


def _cycle(entries: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """A table whose every entry names another one, all of them in one cycle; always the same."""
    order = np.random.default_rng(1).permutation(entries)
    table = np.empty(entries, dtype=np.int64)
    table[order] = np.roll(order, -1)
    return table
