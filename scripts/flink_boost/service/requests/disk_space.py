"""Keeps what requests leave on the disk small: after each, and before one that lacks room.

Results stay, whatever else goes. What is deleted is made or fetched again when it is asked for.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.requests.commits import MOST_KEPT, forget_commits
from flink_boost.service.requests.request import RequestOrder
from flink_boost.service.retention.kept_kinds import delete_all
from flink_boost.service.retention.runs import old_logs

GIB = 1 << 30


@dataclass(frozen=True)
class Tidying:
    """What requests of one repository leave: ``commits``, builds of ``builder``, ``results``.

    ``keep`` is for how long logs and profiles stay, ``least_free`` how many bytes have to be free
    before a request begins.
    """

    commits: Path
    builder: RecipeBuilder
    results: Path
    keep: timedelta
    least_free: int
    tell: Callable[[str], None]
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free

    def after(self, order: RequestOrder, now: datetime) -> None:
        """What is old goes. A failure is told: what was measured counts all the same."""
        try:
            self.builder.prune(order.line, (order.base, order.head))
            forget_commits(self.commits, (order.base, order.head), MOST_KEPT)
            delete_old_logs(self.results, now, self.keep)
        except (FlinkBoostError, OSError) as problem:
            self.tell(f"Old commits and logs stay: {problem}")

    def make_room(self, order: RequestOrder, now: datetime) -> None:
        """Where less is free than has to be, everything goes that no request needs now.

        The oldest kind of thing first, until there is enough: logs and profiles, builds of other
        commits, commits. Raises ``EnvironmentProblem`` when that is not enough.
        """
        steps: tuple[Callable[[], object], ...] = (
            lambda: delete_old_logs(self.results, now, timedelta(0)),
            lambda: self.builder.prune(order.line, (order.base, order.head), keep=0),
            lambda: self._forget_commits(order),
        )
        place = self._place()
        before = self.free(place)
        for step in steps:
            if self.free(place) >= self.least_free:
                break
            try:
                step()
            except FlinkBoostError as problem:  # somebody works on them
                self.tell(str(problem))
        after = self.free(place)
        if after < self.least_free:
            raise EnvironmentProblem(
                f"Only {after / GIB:.1f} GiB are free below {place}, and a request begins with"
                f" {self.least_free / GIB:.1f} GiB.",
                "Make room on the machine, or set least_free_gib in its settings.",
            )
        if after > before:
            self.tell(f"Made room for a request: {(after - before) / GIB:.1f} GiB.")

    def require_room(self, problem: FlinkBoostError) -> None:
        """After what failed: raises ``EnvironmentProblem`` where the disk became full meanwhile.

        What others wrote may say so or not; what is free is what counts. If the problem is of the
        commit all the same, it shows the next time, with room.
        """
        left = self.free(self._place())
        if left < self.least_free:
            raise EnvironmentProblem(
                f"Only {left / GIB:.1f} GiB were free on the disk when this failed:"
                f" {problem.message}",
                "Make room on the machine.",
            ) from problem

    def _place(self) -> Path:
        return next(one for one in (self.commits, *self.commits.parents) if one.is_dir())

    def _forget_commits(self, order: RequestOrder) -> None:
        if (self.commits / "HEAD").exists():
            forget_commits(self.commits, (order.base, order.head), 0)


def delete_old_logs(results: Path, now: datetime, keep: timedelta) -> int:
    """Deletes logs and profiles of requests that were measured longer ago; how many had some.

    Raises ``EnvironmentProblem`` in the end when some could not go.
    """
    gone, stay = delete_all(tuple(old_logs(results, now - keep)))
    if stay:
        raise EnvironmentProblem(f"Logs of {len(stay)} runs of requests stay: {stay[0]}")
    return len(gone)
