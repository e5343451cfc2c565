"""Runs an example job of Flink's on a small cluster, started by an installation's own scripts.

The job runs a second time without our jar, to know what stock writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.users import (
    User,
    copy_into,
    hand_over,
    lent,
    lent_of_others,
    open_to,
    read_left,
)
from flink_boost.flink.home import FlinkHome, is_dist
from flink_boost.flink.launch import Launch
from flink_boost.flink.lines import Line
from flink_boost.flink.switches import STRINGS
from flink_boost.operate.minicluster import CLASSES, running_cluster
from flink_boost.operate.verify import Check

# Without it no string is written or read, neither by stock's code nor by ours.
_STRING_VALUE = "org.apache.flink.types.StringValue"

# Where a JVM says that a class is from which another class has defined, as the guard does.
_DEFINED = "__JVM_LookupDefineClass__"

# Loaded by the codec the first time a string is written or read.
_CODEC = (
    "org.apache.flink.boost.strings.StringWriter",
    "org.apache.flink.boost.strings.StringReader",
)


@dataclass(frozen=True)
class JobOutcome:
    """What a job wrote, sorted, and where the TaskManager's classes came from."""

    lines: tuple[str, ...]
    classes: Mapping[str, str]


def compare_job(
    home: FlinkHome,
    line: Line,
    launch: Launch,
    jar: Path,
    job: Path,
    environment: Mapping[str, str],
    stock: Path,
) -> Check:
    """Runs the job with our jar and without it, and compares what it wrote.

    ``jar`` is the one that has our classes, ``stock`` the official ``flink-dist``.

    Raises ``VerificationFailed`` when a process or the job fails, or when the job does not do as on
    stock, ``EnvironmentProblem`` when the machine is too slow to tell, or has no space for
    temporary files.
    """
    with scratch_folder(launch.user) as aside:
        job = lent(job, aside, launch.user)
        readable = lent_of_others(stock, aside, launch.user)
        stock_home = _without(home, jar, readable, aside / "flink", launch.user)
        try:
            conf = home.conf(environment)
            expected = _run(stock_home, conf, line, aside / "stock", launch, job, environment)
        except VerificationFailed as error:
            raise EnvironmentProblem(
                f"Without our jar: {error.message}", error.next_step
            ) from error
        ours = _run(home.folder, conf, line, aside / "ours", launch, job, environment)
        check = compare_outcomes(ours, expected, line, launch, jar, job.name)
        if check.failed:
            # In here, so that a full disk is told with it.
            raise VerificationFailed(check.detail)
    return check


def _is_foreign(name: str, place: Path, line: Line, own: Path) -> bool:
    """Whether a patched class is neither ours nor what the guard leaves in its place.

    Classes of other families than strings are defined by the guard, or are Flink's own where it
    does not: `classes` and `families` judge which.
    """
    if place.resolve() == own:
        return False
    of_strings = line.family_of.get(name, STRINGS) == STRINGS
    return of_strings or not (place.name == _DEFINED or is_dist(place))


def compare_outcomes(
    ours: JobOutcome, stock: JobOutcome, line: Line, launch: Launch, jar: Path, job: str
) -> Check:
    """The verdict on a job that ran with our jar and without it."""
    # A JVM names the file behind all links.
    own = jar.resolve()
    foreign = [
        name
        for name in line.classes
        if name in ours.classes and _is_foreign(name, Path(ours.classes[name]), line, own)
    ]
    used = set(_CODEC) <= set(ours.classes)
    off = launch.off_by("taskmanager") is not None
    text = f"{job} wrote {len(ours.lines):,} lines"
    if ours.lines != stock.lines or not ours.lines:
        differing = sum((Counter(ours.lines) - Counter(stock.lines)).values())
        missing = sum((Counter(stock.lines) - Counter(ours.lines)).values())
        return Check(
            "job", False, f"{text}, {differing:,} of them not as on stock, {missing:,} are missing."
        )
    if _STRING_VALUE not in ours.classes:
        return Check(
            "job",
            False,
            f"{text}, but its TaskManager did not write down where {_STRING_VALUE} comes from.",
        )
    if foreign:
        origin = ours.classes[foreign[0]]
        return Check("job", False, f"{text}, but its TaskManager took {foreign[0]} from {origin}.")
    if used == off:
        state = "ran although it is switched off" if off else "was not used"
        return Check("job", False, f"{text}, but our codec {state}.")
    how = "with our codec switched off" if off else "with our codec"
    return Check("job", True, f"{text} {how}, the same as without the jar.")


def _run(
    home: Path,
    conf: Path,
    line: Line,
    folder: Path,
    launch: Launch,
    job: Path,
    environment: Mapping[str, str],
) -> JobOutcome:
    with running_cluster(home, conf, line, folder, launch, environment) as cluster:
        output = cluster.folder / "output"
        cluster.submit(job, output)
        # 1.9 writes a file, newer releases a folder.
        try:
            parts = [file for file in (output, *output.rglob("*")) if file.is_file()]
            texts = [read_left(part, launch.user).decode(errors="replace") for part in parts]
            classes = loaded_classes(cluster.folder / CLASSES, launch.user)
        except OSError as error:
            raise VerificationFailed(f"What {job.name} left cannot be read ({error}).") from error
        lines = sorted(line for text in texts for line in text.splitlines())
    return JobOutcome(tuple(lines), classes)


def _without(home: FlinkHome, jar: Path, stock: Path, target: Path, user: User | None) -> Path:
    """An installation with the same files but for our classes; all linked except the scripts."""
    # Scripts find their installation by the folder that they are in, so a link would not do.
    (target / "bin").mkdir(parents=True)
    open_to(target, user)
    hand_over(target / "bin", user)
    copy_into(list((home.folder / "bin").iterdir()), target / "bin", user)
    for file in home.lib.rglob("*"):
        if file.is_file() and (file != jar or file == home.dist):
            link = target / "lib" / file.relative_to(home.lib)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(stock if file == home.dist else file)
    for name in ("opt", "plugins"):
        if (home.folder / name).exists():
            (target / name).symlink_to(home.folder / name)
    for folder in (target / "lib", *(target / "lib").glob("**/")):
        open_to(folder, user)
    return target


def loaded_classes(file: Path, user: User | None = None) -> dict[str, str]:
    """Class name to the jar it came from, of ``-Xlog:class+load`` lines that a user has left."""
    found = {}
    if file.is_file():
        for line in read_left(file, user).decode(errors="replace").splitlines():
            before, separator, source = line.partition(" source: ")
            if separator:
                name = before.rsplit(" ", 1)[-1]
                found[name] = source.strip().removeprefix("file:")
    return found
