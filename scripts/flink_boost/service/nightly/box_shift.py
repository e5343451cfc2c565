"""Old build against new build, in the first night on another kernel, JDK or microcode.

The build of the last complete night before is measured beside stock and tonight's build, all three
in turn. How fast it is against stock now and was then is what the box has changed; how fast
tonight's is against it is what the code has. These runs are in the store of reruns: no points of a
trend, and never uploaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.errors import (
    BenchmarkFailed,
    BrokenData,
    BuildFailed,
    EnvironmentProblem,
    UsageProblem,
)
from flink_boost.base.files import make_folder, sha256
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.judge.series import pair_log_ratios
from flink_boost.judge.shift import common_shift
from flink_boost.measure import finalize, run_plan, runner, store
from flink_boost.measure.box_change import BoxChange, differences
from flink_boost.measure.classpaths import ClassPaths, sha256_of_all
from flink_boost.measure.commit_jars import Build, build_of
from flink_boost.measure.groups import Group
from flink_boost.measure.model import OURS, Box, Built, Cell, Purpose, RunInfo
from flink_boost.measure.night_record import (
    BoxChangeRecord,
    NightRecord,
    OldAgainstNew,
    Order,
    Shift,
)
from flink_boost.publish.run_places import Places
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.recipe import load_recipe
from flink_boost.service.detect.reruns.bench import FOLDER
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import (
    BuildSides,
    DescribeBox,
    FindClassPaths,
    StepSkipped,
    Tell,
)
from flink_boost.service.nightly.recipes import complete_nights

GROUP = "canary"
_PAIRS = 5
_CELLS = 4  # where a line measures none of that group


@dataclass(frozen=True)
class BoxShift:
    """Measures what an update of the box has changed, once: in the first night after it."""

    places: Places
    journal: NightJournal
    environ: Mapping[str, str]
    groups: Mapping[str, Group]
    describe: DescribeBox
    class_paths: FindClassPaths
    shown: Callable[[], AbstractContextManager[runner.Progress]]
    tell: Tell
    clock: Callable[[], datetime]

    def __call__(
        self, night: NightRecord, order: Order, lines: tuple[Line, ...], builds: BuildSides | None
    ) -> tuple[NightRecord, str]:
        """The night with what was found, line by line, and a note of it.

        What the box has changed is told of the first night after it. Raises ``StepSkipped`` on the
        same box.
        """
        found: list[OldAgainstNew] = []
        changes = {one.what: one for one in night.box_changes}
        notes: list[str] = []
        why = "no complete night came before"
        for line in lines:
            java, box = self.describe(line)
            last = self._last(night, line)
            for one in () if last is None else updates_since(last.box, box):
                changed = BoxChangeRecord(what=one.what, before=one.before, after=one.after)
                changes.setdefault(one.what, changed)
            before = self._before(night, order, line)
            if before is None:
                continue
            updates = updates_since(before.box, box)
            why = f"the box is as it was in {before.run_id}"
            if all(one.refuses for one in updates):
                why = "; ".join(map(str, updates)) or why
                continue
            self.tell(f"  {line.version}: {'; '.join(map(str, updates))}")
            try:
                found.append(self._measure(before, order, line, java, box, builds))
                notes.append(found[-1].sentence)
            except (BuildFailed, UsageProblem, EnvironmentProblem) as problem:
                notes.append(f"Flink {line.version}: {problem}")
        if not notes and not changes:
            raise StepSkipped(why)
        notes = notes or [f"nothing to compare: {why}"]
        told = {"box_changes": tuple(changes.values()), "old_against_new": tuple(found)}
        return night.model_copy(update=told), " ".join(notes)

    def _last(self, night: NightRecord, line: Line) -> RunInfo | None:
        """The run of the line in the last night before, whatever it was about and came to."""
        for name in reversed(self.journal.nights()):
            if name >= night.night:
                continue
            with suppress(BrokenData, UsageProblem):
                run = self.journal.runs(name).by_line.get(line.version)
                if run and self.journal.load(name).box == night.box:
                    return store.load_run(self.places.results, run)
        return None

    def _before(self, night: NightRecord, order: Order, line: Line) -> RunInfo | None:
        """The run of the line in the last complete night before, on a box of the same name."""
        for name, _, record in complete_nights(self.journal, order.project, order.shard):
            if name >= night.night or record.box != night.box:
                continue
            try:
                run = self.journal.runs(name).by_line.get(line.version)
                return store.load_run(self.places.results, run) if run else None
            except (BrokenData, UsageProblem) as problem:
                self.tell(f"  {problem}")
        return None

    def _measure(
        self,
        before: RunInfo,
        order: Order,
        line: Line,
        java: str,
        box: Box,
        builds: BuildSides | None,
    ) -> OldAgainstNew:
        paths = self.class_paths(line)
        new = builds(line).candidate if builds else _tree_build(paths, line)
        old = self._old(before, order, line, new, paths)
        sides: tuple[Side, ...] = (Side.STOCK, Side.BEFORE)
        loaded: tuple[tuple[Side, tuple[Path, ...]], ...] = ((Side.BEFORE, old.jars),)
        if old.digest != new.digest:
            sides, loaded = (*sides, Side.AFTER), (*loaded, (Side.AFTER, new.jars))
        info = self._plan(before, old, new, sides, paths.stock, box)
        results = self.places.results / FOLDER
        make_folder(results)
        with store.lock(results), self.shown() as progress:
            if info.run_id in store.run_ids(results):
                info = store.load_run(results, info.run_id)
                finalize.reopen(results, info)
            else:
                store.create_run(results, info)
            with suppress(BenchmarkFailed):  # what failed is a gap; its log stays
                runner.run_missing_forks(
                    *(results, info, ClassPaths(paths.stock, paths.dropin, builds=loaded)),
                    java=java,
                    environment=self.environ,
                    progress=progress,
                )
        return self._judged(before, info)

    def _old(
        self, before: RunInfo, order: Order, line: Line, new: Build, paths: ClassPaths
    ) -> Build:
        """The build of that night: tonight's jar if it is the same, else built again."""
        commit = before.subject_commit
        if before.dropin_sha256 and sha256(paths.dropin) == before.dropin_sha256:
            return new
        if commit.endswith("-dirty") or commit in ("", "unknown"):
            raise UsageProblem(
                f"{before.run_id} measured {commit or 'no commit'}: it cannot be built again.",
                "Let nights measure what is committed.",
            )
        recipe = load_recipe(order.recipe or OURS)
        builder = RecipeBuilder(
            recipe, self.places.build, self.environ, self.tell, lambda _: paths.stock
        )
        return builder.build(commit, line)

    def _plan(
        self,
        before: RunInfo,
        old: Build,
        new: Build,
        sides: tuple[Side, ...],
        stock: tuple[Path, ...],
        box: Box,
    ) -> RunInfo:
        cells = self._cells(before)
        timings = dict(zip(before.cells, before.timings, strict=True))
        stock_sha256 = sha256_of_all(stock)
        question = (
            before.run_id, old.digest, new.digest, stock_sha256, box.label, box.kernel, box.jdk,
            box.microcode, *(cell.name for cell in cells),
        )  # fmt: skip
        digest = hashlib.sha256("\0".join(question).encode()).hexdigest()[:16]
        return before.model_copy(
            update={
                "run_id": f"{before.run_id[:16]}-{before.line}-old-against-new-{digest}",
                "started": self.clock().replace(microsecond=0),
                "sides": sides,
                "pairs": min(_PAIRS, before.pairs),
                "cell_pairs": (),
                "purpose": Purpose.CONFIRMATION,
                "subject": new.built,
                "baseline": old.built,
                "commit": run_plan.current_commit(),
                "boost_version": __version__,
                "dropin_sha256": "",
                "stock_sha256": stock_sha256,
                "before_digest": old.digest,
                "after_digest": new.digest if Side.AFTER in sides else "",
                "cells": cells,
                "timings": tuple(timings[cell] for cell in cells),
                "box": box,
            }
        )

    def _cells(self, before: RunInfo) -> tuple[Cell, ...]:
        """Few and steady ones: those of the canary, as far as that night measured them."""
        measured = [cell for cell in before.cells if not cell.is_comparator]
        steady = set(self.groups[GROUP].cells) if GROUP in self.groups else set()
        return tuple(cell for cell in measured if cell in steady) or tuple(measured[:_CELLS])

    def _judged(self, before: RunInfo, info: RunInfo) -> OldAgainstNew:
        then = finalize.load_summary(self.places.results, before.run_id)
        now = finalize.load_summary(self.places.results / FOLDER, info.run_id)
        earlier = {(one.cell, one.mode, one.unit): one for one in then.cells}
        both = [
            (earlier[one.cell, one.mode, one.unit], one)
            for one in now.cells
            if (one.cell, one.mode, one.unit) in earlier
        ]
        box = None
        against_stock = before.baseline is None or not before.baseline.commit
        if both and against_stock and before.stock_sha256 == info.stock_sha256:
            box = common_shift(
                [pair_log_ratios(one, (Side.STOCK, Side.BEFORE)) for _, one in both],
                [pair_log_ratios(one, before.main_sides) for one, _ in both],
            )
        code = common_shift([pair_log_ratios(one, (Side.BEFORE, Side.AFTER)) for one in now.cells])
        same = Side.AFTER not in info.sides
        return OldAgainstNew(
            line=info.line,
            before=before.subject_commit,
            after=info.subject_commit,
            run=info.run_id,
            same=same,
            box=box,
            code=code,
            sentence=sentence_of(info.line, box, code, same=same),
        )


def sentence_of(line: str, box: Shift | None, code: Shift | None, *, same: bool) -> str:
    """What was found, for people. ``code`` is None, too, where no fork of one side ended."""
    if box is None:
        words = f"Flink {line}: what the box has changed is not known"
    else:
        moved = "the box has moved" if box.shows else "the box makes no difference"
        words = f"Flink {line}: against stock, the build of before is {box} than it was: {moved}"
    if same:
        return f"{words}; tonight's is the same build."
    return f"{words}; tonight's is {code} than it." if code else f"{words}."


def updates_since(before: Box, box: Box) -> tuple[BoxChange, ...]:
    """What of the box is another than in that night; a JDK of another number is another series."""
    recorded = before.facts
    if before.jdk_feature != box.jdk_feature:
        recorded = recorded.model_copy(update={"jdk": ""})
    return differences(recorded, box.facts)


def _tree_build(paths: ClassPaths, line: Line) -> Build:
    version = __version__
    built = Built(project=OURS, version=version, commit=run_plan.current_commit())
    return build_of(built, line.version, (paths.dropin,))
