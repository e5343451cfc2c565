"""Reruns two builds on real forks, in turn, and keeps every fork.

They are runs of a store of their own, ``<results>/reruns``, laid out like any other: so they are no
points of a trend, are never uploaded, and cost a night's detection nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost.base.errors import BenchmarkFailed
from flink_boost.base.files import make_folder
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import Line, find_line
from flink_boost.flink.side import Side
from flink_boost.judge.detection.nights import effects_of
from flink_boost.measure import finalize, fork_files, runner, store
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.box_file import BoxFile
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.fork import Fork
from flink_boost.measure.fork_launch import ForkLaunch
from flink_boost.measure.model import Cell, Purpose, RunInfo
from flink_boost.measure.two_builds import SIDES, plan_rerun, rerun_class_paths

FOLDER = "reruns"


@dataclass(frozen=True)
class BuildQuestion:
    """What is asked: which is faster, ``before`` or ``after``, on that benchmark of that night.

    ``asked`` names what it is for; pairs of one question add up.
    """

    night: RunInfo
    cell: Cell
    before: Build
    after: Build
    purpose: Purpose
    asked: str


@dataclass(frozen=True)
class ForkRerun:
    """Reruns on this machine; ``launch`` starts the forks. The caller holds the machine's lock."""

    results: Path
    environ: Mapping[str, str]
    stock_of: Callable[[Line], tuple[Path, ...]]
    box: BoxFile | None
    progress: runner.Progress
    now: Callable[[], datetime]
    launch: ForkLaunch | None = None

    @property
    def store(self) -> Path:
        """Where the runs are."""
        return self.results / FOLDER

    def rerun(self, question: BuildQuestion, known: int, pairs: int) -> tuple[float, ...]:
        """Log speed-ups of ``after`` against ``before``: pairs ``known + 1`` to ``known + pairs``.

        Fewer where forks failed, and none where all did. Raises ``EnvironmentProblem`` where
        nothing can be measured.
        """
        return differences(self.measure(question, known, pairs), known + 1, known + pairs)

    def asked_before(self, question: BuildQuestion) -> int:
        """How many pairs of a question are in the store, those among them that failed.

        ``rerun`` reads them; raises as it does.
        """
        run_id = self._plan(question, 1).run_id
        if run_id not in store.run_ids(self.store):
            return 0
        return store.load_run(self.store, run_id).pairs

    def measure(self, question: BuildQuestion, known: int, pairs: int) -> tuple[Fork, ...]:
        """All forks of a question, once it has ``known + pairs`` pairs; raises as ``rerun``."""
        plan = self._plan(question, known + pairs)
        java, stock = self._java(question), self.stock_of(find_line(question.night.line))
        make_folder(self.store)
        with store.lock(self.store):
            info = self._begun(plan)
            first = known + 1
            if store.state(self.store, info.run_id).is_final:
                stored = fork_files.read_forks(self.store, info)
                if not any(one.damage for one in stored.missing):
                    return stored.forks
                finalize.reopen(self.store, info)
                first = 1
            paths = rerun_class_paths(stock, question.before, question.after)
            with suppress(BenchmarkFailed):  # what failed is a gap; its log stays
                runner.run_missing_forks(
                    self.store,
                    info,
                    paths,
                    java=java,
                    environment=self.environ,
                    progress=self.progress,
                    launch=self.launch,
                    first_pair=first,
                )
            return fork_files.read_forks(self.store, info).forks

    def _java(self, question: BuildQuestion) -> str:
        line, feature = find_line(question.night.line), question.night.jdk_feature
        return choose_java(None, feature, line.jdks, dict(self.environ))

    def _plan(self, question: BuildQuestion, pairs: int) -> RunInfo:
        return plan_rerun(
            question.night,
            question.cell,
            question.before,
            question.after,
            pairs=pairs,
            purpose=question.purpose,
            asked=question.asked,
            started=self.now(),
            box=describe_box(ask_jdk(self._java(question)), self.box),
            stock=self.stock_of(find_line(question.night.line)),
        )

    def _begun(self, plan: RunInfo) -> RunInfo:
        """The run of a question, longer where more pairs are asked for.

        Not where no pair of those before was whole: whatever crashes then would crash again, for
        its whole time limit and under the machine's lock.
        """
        if plan.run_id not in store.run_ids(self.store):
            store.create_run(self.store, plan)
            return plan
        info = store.load_run(self.store, plan.run_id)
        if info.pairs >= plan.pairs:
            return info
        forks = fork_files.read_forks(self.store, info).forks
        ended = store.state(self.store, info.run_id).is_final
        if ended and not pairs_of(forks, SIDES, 1, info.pairs):
            return info
        return finalize.extend(self.store, info, plan.pairs)


def differences(forks: tuple[Fork, ...], first: int, last: int) -> tuple[float, ...]:
    """Log speed-ups of whole pairs with those numbers, by ascending number."""
    less_is_better = bool(forks) and forks[0].mode.less_is_better
    return effects_of(pairs_of(forks, SIDES, first, last), less_is_better=less_is_better)


def pairs_of(
    forks: Iterable[Fork], sides: tuple[Side, Side], first: int, last: int
) -> tuple[tuple[float, float], ...]:
    """Scores of whole pairs with those numbers on two sides, by ascending number."""
    scores = {(fork.pair, fork.side): fork.score for fork in forks}
    one, other = sides
    return tuple(
        (scores[number, one], scores[number, other])
        for number in range(first, last + 1)
        if (number, one) in scores and (number, other) in scores
    )
