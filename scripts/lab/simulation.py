"""Makes cases whose truth is known: what builds do, what boxes do, and how forks scatter."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from lab.cases import CaseNight, DetectionCase, TrueChange, Truth

Array = NDArray[np.float64]

NIGHTS, FEWEST_NIGHTS = 90, 70
PAIRS = 5
REVERTED, LONGEST_REVERT = (0.05, 0.09), 12  # sizes, nights
_SHAPES = ("normal", "heavy-tails", "bimodal")


@dataclass(frozen=True)
class Scenario:
    """Logarithms by night: ``build`` of the patched build's speed, ``night`` of what only that
    night added to patched, ``box`` of what moved both sides; ``missing`` nights; ``moved`` is
    the first night on another box."""

    kind: str
    build: Array
    changes: tuple[TrueChange, ...] = ()
    night: Array | None = None
    box: Array | None = None
    missing: frozenset[int] = frozenset()
    moved: int | None = None
    shape: str = "normal"
    noise: float = 0.01  # of a night's ratio


def make_cases(
    seed: int, copies: int, nights: int = NIGHTS, kinds: Collection[str] = ()
) -> Iterator[tuple[DetectionCase, Truth]]:
    """That many cases of each kind, or of these ``kinds``; equal seeds give equal cases."""
    for kind, maker in KINDS.items():
        if kinds and kind not in kinds:
            continue
        for copy in range(copies):
            chance = default_rng([seed, zlib.crc32(kind.encode()), copy])
            scenario = maker(chance, nights)
            name = f"{kind}-{seed}-{copy}"
            yield make_case(name, replace(scenario, kind=kind), chance)


def fork_noise(shape: str, scale: float, count: int, chance: Generator) -> Array:
    """Log-noise of that many forks of one side with a standard deviation of about ``scale``."""
    if shape == "heavy-tails":
        return np.asarray(np.clip(chance.standard_t(2.5, count), -30, 30) * scale * 0.7)
    if shape == "bimodal":
        modes = chance.choice([-1.0, 1.0], count, p=[0.3, 0.7])
        return np.asarray(modes * scale * 1.0 + chance.normal(0, scale * 0.3, count))
    return np.asarray(chance.normal(0, scale, count))


def rerun_pairs(truth: Truth, before: int, after: int, pairs: int, nonce: int) -> Array:
    """Scores of a rerun as rows (before, after); ``nonce`` counts the reruns of the case."""
    chance = default_rng([truth.seed, before, after, nonce, 99])
    scale = truth.pair_noise / np.sqrt(2)
    speeds = np.stack(
        [
            truth.levels[night] + fork_noise(truth.shape, scale, pairs, chance)
            for night in (before, after)
        ],
        axis=1,
    )
    box = chance.normal(0, 0.03, (pairs, 1))
    return _scores(speeds + box, less_is_better=truth.less_is_better)


def make_case(name: str, scenario: Scenario, chance: Generator) -> tuple[DetectionCase, Truth]:
    """A case of that scenario, and what is true of it."""
    less_is_better = bool(chance.random() < 0.5)
    pair_noise = scenario.noise * np.sqrt(PAIRS)
    nothing = np.zeros(len(scenario.build))
    night = nothing if scenario.night is None else scenario.night
    box = nothing if scenario.box is None else scenario.box
    found: list[CaseNight | None] = []
    for number, level in enumerate(scenario.build):
        stock, patched = (
            fork_noise(scenario.shape, pair_noise / np.sqrt(2), PAIRS, chance) for _ in range(2)
        )
        both = box[number] + chance.normal(0, 0.02, PAIRS)
        speeds = np.stack([stock + both, patched + both + level + night[number]], axis=1)
        if number in scenario.missing:
            found.append(None)
            continue
        scores = _scores(speeds, less_is_better=less_is_better)
        pairs = tuple((float(first), float(second)) for first, second in scores)
        named = None if scenario.moved is None else f"box-{1 + (number >= scenario.moved)}"
        found.append(CaseNight(night=number, commit=f"{number:08x}", pairs=pairs, box=named))
    case = DetectionCase(
        id=name,
        unit="ns/op" if less_is_better else "ops/ms",
        less_is_better=less_is_better,
        pairs_per_night=PAIRS,
        nights=tuple(found),
    )
    truth = Truth(
        id=name,
        kind=scenario.kind,
        changes=scenario.changes,
        levels=tuple(float(level) for level in scenario.build),
        pair_noise=pair_noise,
        shape=scenario.shape,  # type: ignore[arg-type]
        less_is_better=less_is_better,
        seed=int(chance.integers(2**31)),
    )
    return case, truth


def _scores(speeds: Array, *, less_is_better: bool) -> Array:
    return np.asarray(100.0 * np.exp(-speeds if less_is_better else speeds))


def _somewhere(chance: Generator, nights: int) -> int:
    return int(chance.integers(25, nights - 20))


def _steady(_chance: Generator, nights: int) -> Scenario:
    return Scenario("", np.zeros(nights))


def _step(size: float, shape: str = "normal", noise: float = 0.01) -> Maker:
    def make(chance: Generator, nights: int) -> Scenario:
        first = _somewhere(chance, nights)
        ratio = 1 - size if chance.random() < 0.5 else 1 / (1 - size)
        build = np.where(np.arange(nights) >= first, np.log(ratio), 0.0)
        change = TrueChange(first=first, last=first, ratio=ratio)
        return Scenario("", build, (change,), shape=shape, noise=noise)

    return make


def _drift(chance: Generator, nights: int) -> Scenario:
    """0.3 % a night, for 20 nights."""
    first = _somewhere(chance, nights - 10)
    slope = 0.003 * chance.choice([-1, 1])
    build = slope * np.clip(np.arange(nights) - first + 1, 0, 20)
    last = first + 19
    change = TrueChange(first=first, last=last, ratio=float(np.exp(build[last])), kind="drift")
    return Scenario("", build, (change,))


def _box_drift(chance: Generator, nights: int) -> Scenario:
    slope = 0.003 * chance.choice([-1, 1])
    return Scenario("", np.zeros(nights), box=slope * np.arange(nights))


def _box_jump(chance: Generator, nights: int) -> Scenario:
    first = _somewhere(chance, nights)
    size = chance.choice([-1, 1]) * chance.uniform(0.05, 0.4)
    return Scenario("", np.zeros(nights), box=np.where(np.arange(nights) >= first, size, 0.0))


def _jump_of_the_ratio(chance: Generator, nights: int) -> Scenario:
    """Stock alone moves, as after an upgrade of the box that suits one side: no build is slower."""
    first = _somewhere(chance, nights)
    size = chance.choice([-1, 1]) * chance.uniform(0.03, 0.1)
    moved = np.where(np.arange(nights) >= first, size, 0.0)
    return Scenario("", np.zeros(nights), night=moved)


def _outliers(chance: Generator, nights: int) -> Scenario:
    """Single nights with half or one and a half times the ratio."""
    night = np.zeros(nights)
    for number in chance.choice(np.arange(12, nights), 4, replace=False):
        night[number] = np.log(chance.choice([0.5, 1.5]))
    return Scenario("", np.zeros(nights), night=night)


def _bad_night(chance: Generator, nights: int) -> Scenario:
    """Everything is slower for one night, patched more than stock."""
    bad = _somewhere(chance, nights)
    here = np.arange(nights) == bad
    return Scenario(
        "", np.zeros(nights), night=np.where(here, -0.1, 0.0), box=np.where(here, -0.3, 0.0)
    )


def _back(chance: Generator, nights: int) -> Scenario:
    """5 % slower, and as fast as before twelve nights later."""
    return taken_back(_somewhere(chance, nights - 12), 0.05, 12, nights)


def _revert(chance: Generator, nights: int) -> Scenario:
    """5 or 9 % slower, and as fast as before one to twelve nights later."""
    first = _somewhere(chance, nights - LONGEST_REVERT)
    size = float(chance.choice(REVERTED))
    return taken_back(first, size, int(chance.integers(1, LONGEST_REVERT + 1)), nights)


def taken_back(first: int, size: float, after: int, nights: int) -> Scenario:
    """That much slower from ``first`` on, and as fast as before that many nights later."""
    numbers = np.arange(nights)
    slower = (numbers >= first) & (numbers < first + after)
    build = np.where(slower, np.log(1 - size), 0.0)
    back = first + after
    changes = (
        TrueChange(first=first, last=first, ratio=1 - size),
        TrueChange(first=back, last=back, ratio=1 / (1 - size), kind="recovery"),
    )
    return Scenario("", build, changes)


def _second_step(chance: Generator, nights: int) -> Scenario:
    """20 % slower, and 15 nights later another 5 %."""
    first = _somewhere(chance, nights - 15)
    numbers = np.arange(nights)
    build = np.log(0.8) * (numbers >= first) + np.log(0.95) * (numbers >= first + 15)
    changes = (
        TrueChange(first=first, last=first, ratio=0.8),
        TrueChange(first=first + 15, last=first + 15, ratio=0.95),
    )
    return Scenario("", build, changes)


def _missing(chance: Generator, nights: int) -> Scenario:
    """A 5 % step where every fifth night measured nothing."""
    gone = frozenset(int(n) for n in chance.choice(nights, nights // 5, replace=False))
    return replace(_step(0.05)(chance, nights), missing=gone)


def _creeping(chance: Generator, nights: int) -> Scenario:
    """Half a percent a week, as long as there are nights."""
    sign = chance.choice([-1, 1])
    build = sign * 0.005 * (np.arange(nights) // 7)
    ratio = float(np.exp(build[-1]))
    return Scenario("", build, (TrueChange(first=7, last=nights - 1, ratio=ratio, kind="drift"),))


def _first_nights(chance: Generator, nights: int) -> Scenario:
    """A step of 3 to 20 % in one of the first nine nights."""
    first = int(chance.integers(1, 9))
    ratio = 1 - float(chance.uniform(0.03, 0.2))
    build = np.where(np.arange(nights) >= first, np.log(ratio), 0.0)
    return Scenario("", build, (TrueChange(first=first, last=first, ratio=ratio),))


def _another_box(chance: Generator, nights: int) -> Scenario:
    """On another box our builds suit better or worse; 1 to 8 nights later one is 10 % slower."""
    moved = _somewhere(chance, nights - 10)
    first = moved + int(chance.integers(1, 9))
    numbers = np.arange(nights)
    size = chance.choice([-1, 1]) * chance.uniform(0.05, 0.3)
    change = TrueChange(first=first, last=first, ratio=0.9)
    return Scenario(
        "",
        np.where(numbers >= first, np.log(0.9), 0.0),
        (change,),
        night=np.where(numbers >= moved, size, 0.0),
        moved=moved,
    )


def _shaped_steady(shape: str) -> Maker:
    def make(_chance: Generator, nights: int) -> Scenario:
        return Scenario("", np.zeros(nights), shape=shape, noise=0.02)

    return make


Maker = Callable[[Generator, int], Scenario]
KINDS: dict[str, Maker] = {
    "steady": _steady,
    **{f"step-{round(100 * size)}": _step(size) for size in (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)},
    **{f"step-10-{shape}": _step(0.1, shape, 0.02) for shape in _SHAPES[1:]},
    "drift": _drift,
    "box-drift": _box_drift,
    "box-jump": _box_jump,
    "ratio-jump": _jump_of_the_ratio,
    "outliers": _outliers,
    "bad-night": _bad_night,
    "step-and-back": _back,
    "revert": _revert,
    "second-step": _second_step,
    "missing-nights": _missing,
    "creeping": _creeping,
    "first-nights": _first_nights,
    "another-box": _another_box,
    **{f"steady-{shape}": _shaped_steady(shape) for shape in _SHAPES[1:]},
}
