"""The plan of a run: what is measured under which circumstances, and whether it may be resumed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from datetime import datetime

from flink_boost.base.errors import UsageProblem
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure.classpaths import ClassPaths, sha256_of_all
from flink_boost.measure.commit_jars import BuildPair
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Built, Purpose, RunInfo

# The JVM's own choice of collector depends on the machine. The heap, of fixed size, is that of each
# benchmark (@Fork in its class); JMH puts it behind our options, so it would win over them.
FORK_OPTIONS = ("-XX:+UseG1GC",)
HEAP_OPTION = re.compile(r"-Xm[snx]|-XX:[+-]Use\w*GC$|-XX:(Max|Initial|Min)HeapSize|-XX:\w+RAM")
_GIT_SECONDS = 20.0


def plan_run(
    *,
    run_id: str,
    started: datetime,
    group: Group,
    line: Line,
    release: str = "",
    sides: tuple[Side, ...],
    pairs: int | None = None,
    opened: bool,
    extra_options: Sequence[str],
    class_paths: ClassPaths,
    box: Box,
    commit: str,
    version: str,
    purpose: Purpose | None = None,
    threads: int = 1,
    heap: str = "",
    builds: BuildPair | None = None,
) -> RunInfo:
    """The plan of a run and its circumstances.

    The subject is this project's code as it is checked out, the baseline the official release, by
    default the line's; with ``builds`` they are those of a recipe.
    ``pairs`` is for every benchmark; without it each has what the group says.
    Without a purpose a group of quick looks gives a quick look of a measured line; else by hand.
    ``heap`` is a size as the JVM reads it (``64m``); empty leaves each benchmark its own. Raises
    ``UsageProblem`` for an extra option that a benchmark's own would silently override, and when
    nothing is left to be measured.
    """
    if extra_options and purpose is Purpose.NIGHTLY:
        raise UsageProblem(
            "With options of its own a run is no point of the trend.",
            "Leave out one of --jvm-arg, --purpose.",
        )
    for option in extra_options:
        if HEAP_OPTION.match(option):
            raise UsageProblem(
                f"{option} would have no effect: every benchmark fixes its own heap.",
                "Give --heap SIZE, or change @Fork in the benchmark's class.",
            )
    if Side.PATCHED not in sides and all(cell.is_comparator for cell in group.cells):
        raise UsageProblem(
            "Comparators alone cannot be measured stock against stock: they are the same code.",
            "Leave out --aa, or choose other benchmarks.",
        )
    opening = line.jvm_options if opened else _closing_options(box.jdk_feature)
    third = class_paths.third
    a_point = group.quick_look and line.measured and release in ("", line.version)
    return RunInfo(
        run_id=run_id,
        started=started,
        group=group.name,
        quick_look=group.quick_look,
        line=line.version,
        sides=sides,
        pairs=pairs or group.pairs,
        cell_pairs=() if pairs else group.cell_pairs,
        opened=opened,
        purpose=purpose or (Purpose.QUICK_LOOK if a_point else Purpose.BY_HAND),
        subject=builds.candidate.built
        if builds
        else Built(project="flink-boost", version=version, commit=commit),
        baseline=builds.reference.built
        if builds
        else Built(project="flink", version=release or line.version),
        jvm_options=(*FORK_OPTIONS, *opening, *extra_options),
        commit=commit,
        boost_version=version,
        dropin_sha256=sha256(class_paths.dropin) if class_paths.loads_dropin(sides) else "",
        stock_sha256=sha256_of_all(class_paths.stock),
        third=third.name if third else "",
        third_title=third.title if third else "",
        third_sha256=sha256(third.jar) if third else "",
        before_digest=builds.reference.digest if builds else "",
        after_digest=builds.candidate.digest if builds else "",
        alternating=True,
        threads=threads,
        heap=heap,
        cells=group.cells,
        timings=group.timings,
        box=box,
    )


def _closing_options(jdk: int) -> tuple[str, ...]:
    # JDK 17 keeps java.lang closed by itself; older ones let the class path in, with a warning.
    return ("--illegal-access=deny",) if 9 <= jdk < 17 else ()


def require_same_circumstances(info: RunInfo, class_paths: ClassPaths, box: Box) -> None:
    """Refuses to mix forks of different jars, machines or JDKs in one run (``UsageProblem``)."""
    if Side.BEFORE in info.sides:
        raise UsageProblem(
            f"The run {info.run_id} is a rerun of two builds.",
            "`flink-boost detect --confirm` or `flink-boost bisect` goes on with it.",
        )
    jar = sha256(class_paths.dropin) if class_paths.loads_dropin(info.sides) else ""
    before, after = (class_paths.digest_of(side) for side in info.main_sides)
    stock = sha256_of_all(class_paths.stock)
    third = sha256(class_paths.third.jar) if class_paths.third else ""
    changes = {
        "drop-in jar": jar != info.dropin_sha256,
        "benchmark class path": stock != info.stock_sha256,
        "reference's build": before != info.before_digest,
        "candidate's build": after != info.after_digest,
        "third side's jar": third != info.third_sha256,
        "machine": not same_machine(box, info.box),
        "JDK": box.jdk != info.box.jdk,
    }
    for what, changed in changes.items():
        if changed:
            raise UsageProblem(
                f"The run {info.run_id} cannot go on: the {what} has changed since it began.",
                "Start a new run, or bring the old one back.",
            )


def same_machine(now: Box, then: Box) -> bool:
    """Whether a run that was begun on one may go on on the other."""
    # A machine may be named, and a container called otherwise, between two sittings.
    if now.fingerprint and then.fingerprint and not (now.name and then.name):
        return (now.fingerprint, now.cpu) == (then.fingerprint, then.cpu)
    return (now.label, now.cpu, now.cores) == (then.label, then.cpu, then.cores)


def current_commit() -> str:
    """The commit that is checked out, with ``-dirty`` when files differ; 'unknown' without git."""
    try:
        head = _git("rev-parse", "HEAD")
        return f"{head}-dirty" if _git("status", "--porcelain") else head
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(PROJECT_ROOT), *arguments],
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
        check=True,
        stdin=subprocess.DEVNULL,
    ).stdout.strip()
