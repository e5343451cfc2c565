"""The class paths of the sides of a run, as the build has left them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line, default_line
from flink_boost.flink.side import Side


@dataclass(frozen=True)
class Third:
    """A third side: the jar of ``third_side.ensure_third``, and what to call it."""

    name: str
    title: str
    jar: Path


@dataclass(frozen=True)
class ClassPaths:
    """What each side loads: all but stock have jars of their own in front of stock's.

    ``builds`` are the jars of sides that are builds of a commit, such as both sides of a rerun. A
    side that is named there does not load the drop-in jar.
    """

    stock: tuple[Path, ...]
    dropin: Path
    third: Third | None = None
    builds: tuple[tuple[Side, tuple[Path, ...]], ...] = ()

    def of(self, side: Side) -> str:
        """The value of ``-cp``."""
        return os.pathsep.join(str(entry) for entry in (*self._in_front(side), *self.stock))

    def loads_dropin(self, sides: Sequence[Side]) -> bool:
        """Whether one of the sides is the drop-in jar."""
        return Side.PATCHED in sides and Side.PATCHED not in dict(self.builds)

    def digest_of(self, side: Side) -> str:
        """The digest of a side that is a build, as ``measure.commit_jars`` has it; else empty."""
        jars = dict(self.builds).get(side, ())
        return sha256_of_all(jars) if jars else ""

    def _in_front(self, side: Side) -> tuple[Path, ...]:
        for built, jars in self.builds:
            if built is side:
                return jars
        if side is Side.PATCHED:
            return (self.dropin,)
        return (self.third.jar,) if side is Side.UPSTREAM and self.third else ()


def find_class_paths(
    line: Line,
    build: Path,
    version: str,
    sides: Sequence[Side],
    root: Path = PROJECT_ROOT,
    third: Third | None = None,
) -> ClassPaths:
    """The class paths that ``make build`` has left, with the third side's jar in addition.

    Raises ``EnvironmentProblem`` when a file that one of the sides needs is missing.
    """
    listing = root / "benchmarks" / "target" / line.version / "classpath.txt"
    if not listing.is_file():
        raise EnvironmentProblem(
            f"The benchmarks are not built: {listing} is missing.", build_step(line)
        )
    entries = listing.read_text(encoding="utf-8").strip().split(":")
    # Relative entries are relative to the project: the file may be read from anywhere.
    stock = tuple(root / entry for entry in entries if entry)
    dropin = build / "jars" / line.dropin_name(version)
    needed = (*stock, dropin) if Side.PATCHED in sides else stock
    for path in needed:
        if not path.exists():
            raise EnvironmentProblem(f"{path} is missing.", build_step(line))
    if not stock:
        raise EnvironmentProblem(f"{listing} names no class path.", build_step(line))
    return ClassPaths(stock, dropin, third)


def stock_class_path(line: Line) -> tuple[Path, ...]:
    """The class path of the benchmarks on stock. Raises as ``find_class_paths`` does."""
    return find_class_paths(line, Path(), "", ()).stock


def build_step(line: Line) -> str:
    """What to run when something of a line is not built."""
    is_default = line.version == default_line()
    return f"Run `make build{'' if is_default else f' LINE={line.version}'}` first."


def sha256_of_all(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0")
        digest.update(sha256(path).encode() + b"\n")
    return digest.hexdigest()
