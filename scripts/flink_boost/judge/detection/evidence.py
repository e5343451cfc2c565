"""A test of paired reruns that may be looked at after every pair, and stopped at any time.

Where the two builds are equally fast, each is as likely to be the faster one of a pair, by the same
amount: the differences are symmetric about 0, whatever the noise of forks looks like. Then
``1 + tanh(bet * difference)`` has the mean 1, and the product over all pairs is a fair game's
capital: the chance that it ever reaches C is at most 1/C (Ville's inequality). The mean of such
capitals over several bets is one again, so no bet has to be right. Heavy tails and forks of two
modes do not break it, and no scale has to be known; ``scale`` only makes it fast.

Sources: Ramdas, Ruf, Larsson and Koolen, "Admissible anytime-valid sequential inference must rely
on nonnegative martingales" (2020), for tests of symmetry; Ville (1939).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

BETS = np.array([0.15, 0.3, 0.6, 1.2, 2.5, 5.0])  # of 1/scale
_STEPS_OF_BISECTION = 40
_DOUBLINGS = 40


class Evidence:
    """Differences of pairs so far, and what they say of a shift. ``scale``: that of one pair."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self._bets = BETS / scale
        self._found: list[float] = []

    def add(self, differences: Iterable[float]) -> None:
        """Takes further pairs in, in the order in which they were measured."""
        self._found.extend(differences)

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self._found)

    @property
    def differences(self) -> tuple[float, ...]:
        """All pairs so far."""
        return tuple(self._found)

    def above(self, shift: float) -> float:
        """The logarithm of the capital against "the true shift is at most ``shift``"."""
        return self._log_capital(np.array(self._found, np.float64) - shift)

    def below(self, shift: float) -> float:
        """The logarithm of the capital against "the true shift is at least ``shift``"."""
        return self._log_capital(shift - np.array(self._found, np.float64))

    def interval(self, error: float) -> tuple[float, float]:
        """Holds the true shift with all but that chance, also when it is looked at after each pair.

        Infinite ends where too few pairs are there.
        """
        enough = math.log(2 / error)
        return (
            self._end(self.above, enough, -math.inf),
            self._end(self.below, enough, math.inf),
        )

    def _end(self, capital: Callable[[float], float], enough: float, none: float) -> float:
        if not self._found:
            return none
        reach = max(self._found) - min(self._found) + 1e-6
        sign = 1 if none > 0 else -1
        edge = max(self._found) if none > 0 else min(self._found)
        # Where pairs scatter far less than ``scale`` says, the end is many of their ranges away.
        tried = (edge + sign * reach * 2**doubled for doubled in range(_DOUBLINGS))
        outside = next((shift for shift in tried if capital(shift) >= enough), none)
        if outside == none:
            return none
        inside = float(np.median(self._found))
        if capital(inside) >= enough:
            return inside
        for _ in range(_STEPS_OF_BISECTION):
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if capital(middle) >= enough else (outside, middle)
        return outside

    def _log_capital(self, differences: NDArray[np.floating[Any]]) -> float:
        # log(1 + tanh x) = log 2 - log(1 + exp(-2x)), without losing digits far from 0
        steps = math.log(2) - np.logaddexp(0.0, -2.0 * np.outer(self._bets, differences))
        return float(np.logaddexp.reduce(steps.sum(axis=1)) - math.log(len(self._bets)))
