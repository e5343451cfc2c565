"""Runs suites side by side: each after those it needs, quiet ones after all that are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar


class Schedulable(Protocol):
    """What the order depends on: whom to wait for, whether the machine must be calm, and the load.

    A suite of weight 2 takes the place of two.
    """

    @property
    def name(self) -> str: ...

    @property
    def after(self) -> tuple[str, ...]: ...

    @property
    def quiet(self) -> bool: ...

    @property
    def weight(self) -> int: ...


_Suite = TypeVar("_Suite", bound=Schedulable)


def run_all(
    suites: Sequence[_Suite],
    run: Callable[[_Suite], bool],
    *,
    workers: int,
    silence: float = 60.0,
    tell: Callable[[list[_Suite]], None] = lambda _: None,
) -> dict[str, bool]:
    """Runs every suite, at most a weight of ``workers`` at once, the first of the sequence first.

    A suite waits for the ones of ``after`` that are in the sequence, and runs even if they failed:
    it says best what it lacks. For one that is ready but too heavy a place is kept free, so that
    lighter ones behind it do not hold it up to the end. Quiet ones
    start when only quiet ones are left, and one less of them at once. ``run`` says whether a suite
    passed. ``tell`` gets those that run when none ended for ``silence`` seconds. When an exception
    ends it, as Ctrl-C does, what runs is not waited for.

    Raises ``ValueError`` when suites wait for each other in a circle.
    """
    pending = list(suites)
    known = {suite.name for suite in suites}
    running: dict[Future[bool], _Suite] = {}
    passed: dict[str, bool] = {}
    pool = ThreadPoolExecutor(workers)
    try:
        while pending or running:
            loud = any(not suite.quiet for suite in (*pending, *running.values()))
            limit = workers if loud else max(1, workers - 1)
            full = False
            for suite in list(pending):
                load = sum(other.weight for other in running.values())
                fits = load == 0 or load + suite.weight <= limit
                ready = all(name in passed for name in suite.after if name in known)
                if not ready or (suite.quiet and loud):
                    continue
                full = full or not fits
                if full:
                    continue
                pending.remove(suite)
                running[pool.submit(run, suite)] = suite
            if not running:
                names = ", ".join(suite.name for suite in pending)
                raise ValueError(f"suites wait for each other: {names}")
            ended, _ = wait(running, timeout=silence, return_when=FIRST_COMPLETED)
            if not ended:
                tell(list(running.values()))
            for future in ended:
                passed[running.pop(future).name] = future.result()
    finally:
        # After an interrupt nobody waits for what still runs.
        pool.shutdown(wait=not running, cancel_futures=True)
    return passed
