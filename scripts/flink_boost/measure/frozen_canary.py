"""The canary: a jar of ours and the class path of stock that are kept as they are, for years.

Measured every night beside what changes, it tells the box from the code: nothing in it can become
faster or slower by itself. Under ``build/canary/<line>/``::

    files/<sha256>/<name>   every jar of both sides, the benchmarks among them
    canary.json             FrozenCanary: which they are, and what is measured with them

The files are written first, so that a canary that can be read is whole.
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import make_folder, publish, sha256, write_durably
from flink_boost.flink.dropin import read_dropin
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure import run_plan
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Built, Cell, Frozen, Purpose, RunInfo, Timing

GROUP = "canary"
SIDES = (Side.STOCK, Side.PATCHED)

_MANIFEST = "canary.json"


class FrozenFile(Frozen):
    """A jar by its name and checksum."""

    name: Annotated[str, Field(pattern=r"^[^/\x00]+$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class FrozenCanary(Frozen):
    """What is measured each night, unchanged."""

    schema_version: Literal[1] = 1
    line: str
    boost_version: str
    frozen: datetime = Field(description="UTC")
    dropin: FrozenFile
    stock: tuple[FrozenFile, ...] = Field(min_length=1, description="in class path order")
    pairs: int = Field(ge=1)
    cells: tuple[Cell, ...] = Field(min_length=1)
    timings: tuple[Timing, ...]

    @property
    def identity(self) -> str:
        """12 hexadecimal digits; another jar, class path or plan has others."""
        fixed = self.model_dump_json(exclude={"frozen", "schema_version"})
        return hashlib.sha256(fixed.encode()).hexdigest()[:12]

    @property
    def group(self) -> Group:
        """The plan as a group, as it was when it was frozen."""
        return Group(
            name=GROUP,
            title="Canary",
            quick_look=False,
            pairs=self.pairs,
            cells=self.cells,
            timings=self.timings,
        )


def folder_of(build: Path, line: str) -> Path:
    """Where the canary of a line is."""
    return build / "canary" / line


def freeze(
    build: Path,
    line: str,
    jar: Path,
    stock: Sequence[Path],
    group: Group,
    now: datetime,
    *,
    replace: bool = False,
) -> FrozenCanary:
    """Keeps a jar of ours, stock's class path and a plan as the canary of a line.

    Freezing the same again changes nothing. Raises ``UsageProblem`` for a jar that is not ours or
    of another line, and when there is another canary already that is not to be replaced.
    """
    version = _version_of(jar, line)
    canary = FrozenCanary(
        line=line,
        boost_version=version,
        frozen=now,
        dropin=FrozenFile(name=jar.name, sha256=sha256(jar)),
        stock=tuple(FrozenFile(name=path.name, sha256=sha256(path)) for path in stock),
        pairs=group.pairs,
        cells=group.cells,
        timings=group.timings,
    )
    old = load(build, line)
    if old is not None and old.identity == canary.identity:
        return old
    if old is not None and not replace:
        raise UsageProblem(
            f"Flink {line} has a canary already: {old.boost_version}, frozen on"
            f" {old.frozen:%Y-%m-%d}.",
            "Leave it as it is; --replace begins a new series, which learns for some nights.",
        )
    folder = folder_of(build, line)
    try:
        for source, kept in zip((jar, *stock), (canary.dropin, *canary.stock), strict=True):
            _keep(source, _path_of(folder, kept), kept)
        write_durably(folder / _MANIFEST, canary.model_dump_json(indent=1) + "\n")
        _drop_others(folder, canary)
    except OSError as error:
        raise EnvironmentProblem(
            f"The canary cannot be kept in {folder} ({error.strerror}).",
            "Free some space or correct its permissions, then freeze it again.",
        ) from error
    return canary


def load(build: Path, line: str) -> FrozenCanary | None:
    """The canary of a line, None when none was frozen. Raises ``BrokenData``."""
    path = folder_of(build, line) / _MANIFEST
    try:
        return FrozenCanary.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise BrokenData(f"{path} is damaged.", _AGAIN) from error


def class_paths(build: Path, canary: FrozenCanary) -> ClassPaths:
    """What both sides load. Raises ``BrokenData`` when a file is not what was frozen."""
    folder = folder_of(build, canary.line)
    for kept in (canary.dropin, *canary.stock):
        path = _path_of(folder, kept)
        if not path.is_file() or sha256(path) != kept.sha256:
            raise BrokenData(f"{path} is not what was frozen.", _AGAIN)
    stock = tuple(_path_of(folder, kept) for kept in canary.stock)
    return ClassPaths(stock, _path_of(folder, canary.dropin))


def plan_canary(
    canary: FrozenCanary,
    paths: ClassPaths,
    *,
    run_id: str,
    started: datetime,
    line: Line,
    box: Box,
) -> RunInfo:
    """The run of one night: purpose ``canary``, so that it is no point of a trend."""
    info = run_plan.plan_run(
        run_id=run_id,
        started=started,
        group=canary.group,
        line=line,
        sides=SIDES,
        pairs=canary.pairs,
        opened=True,
        extra_options=(),
        class_paths=paths,
        box=box,
        commit=run_plan.current_commit(),
        version=canary.boost_version,
        purpose=Purpose.CANARY,
    )
    # What was frozen has no commit that is checked out here.
    subject = Built(project="flink-boost", version=canary.boost_version)
    return info.model_copy(update={"subject": subject})


_AGAIN = (
    "Freeze it again with `flink-boost canary freeze LINE JAR --replace`; it then learns anew, so"
    " bring back the old files from a backup where you can."
)


def _version_of(jar: Path, line: str) -> str:
    try:
        found = read_dropin(jar)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageProblem(f"{jar} cannot be read as a jar ({error}).", "Name another.") from error
    if found is None:
        raise UsageProblem(f"{jar} is no flink-boost jar.", "Name one from build/jars/.")
    if found.flink_version != line:
        raise UsageProblem(
            f"{jar} is for Flink {found.flink_version}, not for {line}.",
            f"Run `flink-boost canary freeze {found.flink_version} {jar}`.",
        )
    return found.boost_version


def _path_of(folder: Path, kept: FrozenFile) -> Path:
    # The name is kept too: the checksum over a class path holds names.
    return folder / "files" / kept.sha256 / kept.name


def _keep(source: Path, target: Path, kept: FrozenFile) -> None:
    if target.is_file() and sha256(target) == kept.sha256:
        return
    make_folder(target.parent)
    # Copied, not linked: a build may write into the file that it came from.
    partial = target.with_name(f".{target.name}.partial")
    shutil.copyfile(source, partial)
    if sha256(partial) != kept.sha256:
        partial.unlink()
        raise EnvironmentProblem(
            f"{source} was changed while it was copied.",
            "Wait for the build, then freeze it again.",
        )
    publish(partial, target)


def _drop_others(folder: Path, canary: FrozenCanary) -> None:
    wanted = {kept.sha256 for kept in (canary.dropin, *canary.stock)}
    for path in (folder / "files").iterdir():
        if path.name not in wanted:
            shutil.rmtree(path, ignore_errors=True)
