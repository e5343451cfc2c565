"""Plans that compare two builds in turn: reruns of a night's benchmark, and whole groups."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure.classpaths import ClassPaths, sha256_of_all
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Cell, Purpose, RunInfo
from flink_boost.measure.run_plan import plan_run

SIDES = (Side.BEFORE, Side.AFTER)


def plan_rerun(
    night: RunInfo,
    cell: Cell,
    before: Build,
    after: Build,
    *,
    pairs: int,
    purpose: Purpose,
    asked: str,
    started: datetime,
    box: Box,
    stock: tuple[Path, ...],
) -> RunInfo:
    """The plan of a rerun of ``cell`` with the options and timing of that night.

    ``asked`` is what it is measured for: the id of a night's run, or of an alarm. The same question
    under the same circumstances has the same run id, so that it goes on where it was. Raises
    ``UsageProblem`` for a comparator, which is no code of either build, and for a benchmark that
    the night did not measure.
    """
    timings = dict(zip(night.cells, night.timings, strict=False))
    if cell.is_comparator or cell not in timings:
        raise UsageProblem(
            f"{cell.name} cannot be rerun.", f"Choose a benchmark of the run {night.run_id}."
        )
    stock_sha256 = sha256_of_all(stock)
    question = (
        purpose.value, asked, cell.name, before.built.commit, before.digest, after.built.commit,
        after.digest, stock_sha256, box.label, box.jdk, night.heap, str(night.threads),
        timings[cell].model_dump_json(), *night.jvm_options,
    )  # fmt: skip
    digest = hashlib.sha256("\0".join(question).encode()).hexdigest()[:16]
    return RunInfo(
        run_id=f"{night.run_id[:16]}-{night.line}-{purpose.value}-{digest}",
        started=started,
        group=night.group,
        quick_look=night.quick_look,
        line=night.line,
        sides=SIDES,
        pairs=pairs,
        opened=night.opened,
        jvm_options=night.jvm_options,
        purpose=purpose,
        subject=after.built,
        baseline=before.built,
        commit=after.built.commit,
        boost_version=night.boost_version,
        dropin_sha256="",
        stock_sha256=stock_sha256,
        before_digest=before.digest,
        after_digest=after.digest,
        alternating=True,
        threads=night.threads,
        heap=night.heap,
        cells=(cell,),
        timings=(timings[cell],),
        box=box,
    )


def rerun_class_paths(stock: tuple[Path, ...], before: Build, after: Build) -> ClassPaths:
    """The class paths of both builds."""
    return ClassPaths(stock, Path(), builds=((Side.BEFORE, before.jars), (Side.AFTER, after.jars)))


def plan_comparison(
    group: Group,
    line: Line,
    before: Build,
    after: Build,
    *,
    asked: str,
    purpose: Purpose,
    started: datetime,
    box: Box,
    commit: str,
    version: str,
    stock: tuple[Path, ...],
) -> RunInfo:
    """The plan of a comparison of two builds on the benchmarks of a group.

    ``commit`` and ``version`` are those of the flink-boost that measures. The same question, in
    ``asked``, on the same machine has the same run id, so that it goes on where it was. Raises
    ``UsageProblem`` for a comparator, which is no code of either build.
    """
    if any(cell.is_comparator for cell in group.cells):
        raise UsageProblem(
            "A comparator is no code of either build.", "Choose benchmarks that are none."
        )
    paths = rerun_class_paths(stock, before, after)
    plan = plan_run(
        run_id="new",
        started=started,
        group=group,
        line=line,
        sides=SIDES,
        opened=True,
        extra_options=(),
        class_paths=paths,
        box=box,
        commit=commit,
        version=version,
        purpose=purpose,
    )
    question = (
        purpose.value, asked, line.version, before.built.commit, before.digest, after.built.commit,
        after.digest, plan.stock_sha256, box.label, box.jdk, *plan.jvm_options,
        *(cell.name for cell in group.cells), *(one.model_dump_json() for one in group.timings),
        *map(str, group.pairs_in_order()),
    )  # fmt: skip
    digest = hashlib.sha256("\0".join(question).encode()).hexdigest()[:16]
    return plan.model_copy(
        update={
            "run_id": f"{line.version}-{purpose.value}-{digest}",
            "subject": after.built,
            "baseline": before.built,
            "before_digest": before.digest,
            "after_digest": after.digest,
        }
    )
