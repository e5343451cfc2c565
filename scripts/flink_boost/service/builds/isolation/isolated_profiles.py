"""Profiles of strangers' code: forks in a sandbox, stacks as text that is checked line by line.

The profiler is loaded into the JVM that it looks at, so whatever it writes that code may have
written itself. A recording would be read by a parser that trusts it; collapsed stacks are lines of
frames and a number, which are made anew from what was checked. Only CPU time: allocations need a
recording.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from flink_boost.base.errors import BrokenData, NotProfiled, RefusedResult
from flink_boost.base.files import make_folder
from flink_boost.flink.side import Side
from flink_boost.flink.stacks import Stack, parse_collapsed
from flink_boost.measure import jmh
from flink_boost.measure.profiles.take import (
    ProfiledFork,
    ProfileSide,
    Recorded,
    time_per_operation,
)
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.fetching import MOST_RESULT, find_files, read_file
from flink_boost.service.builds.isolation.forks import LIMITS, files_outside
from flink_boost.service.builds.isolation.jmhresult import checked_result
from flink_boost.service.builds.isolation.sandbox import TEMPORARY, Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace

AS_STACKS = ("output=collapsed", "ann=true")
MOST_STACKS = 16 << 20  # bytes of the file; five seconds give about 100 KB
_MOST_LINES = 200_000
_MOST_FRAMES = 2048
_MOST_LETTERS = 300
_LARGEST = 10**9  # samples of one stack; at one a millisecond that is eleven days
_RESULT = "result.json"
_FOLDER = "profile"
_INITIALISER = re.compile(r"<(init|clinit)>(?=(_\[[0ij1]\])?$)")
_UNUSUAL = re.compile(r"[^A-Za-z0-9_$./()\[\]:,~@ -]")


class IsolatedProfiles:
    """A ``Recorder``. ``folder`` is where workplaces are."""

    def __init__(self, sandbox: Bubblewrap, folder: Path, *, limits: Limits = LIMITS) -> None:
        self._sandbox = sandbox
        self._folder = folder
        self._limits = limits

    def __call__(
        self, fork: ProfiledFork, side: ProfileSide, place: Path, environment: Mapping[str, str]
    ) -> Recorded:
        """As the protocol says; what the fork gave and is not as it should be raises it, too."""
        del environment  # nothing of ours is for it
        make_folder(self._folder)
        self._folder.chmod(0o711)
        log = place.with_suffix(".log")
        with fresh_workplace(self._folder, self._sandbox.owners, disk=self._limits.disk) as work:
            files = (Path(fork.java), *map(Path, side.class_path.split(":")))
            ended = self._sandbox.run(
                fork.command(side.class_path, work / _RESULT, work / _FOLDER, TEMPORARY, AS_STACKS),
                work=work,
                readable=(*files_outside(files), fork.profiler.library.absolute()),
                environment={},
                limits=replace(self._limits, seconds=fork.seconds),
                log=log,
                mirrors=False,
            )
            if not ended.well:
                raise _refused(fork, side, ended.sentence)
            try:
                return _read(work, fork)
            except (RefusedResult, BrokenData) as error:
                raise _refused(fork, side, f"gave what is not used: {error.message}") from error


def _refused(fork: ProfiledFork, side: ProfileSide, what: str) -> NotProfiled:
    return NotProfiled(
        f"{fork.cell.name} was not profiled: its fork on {side.name} {what.rstrip('.')}.",
        "Everything measured is kept.",
    )


def _read(work: Path, fork: ProfiledFork) -> Recorded:
    names = find_files(work, f"{_FOLDER}/*/collapsed-*.csv")
    if len(names) != 1:
        raise RefusedResult(f"It left {len(names)} files of stacks and not one.")
    text = read_file(work, names[0], most=MOST_STACKS).decode("ascii", errors="replace")
    content = checked_result(
        read_file(work, _RESULT, most=MOST_RESULT),
        fork.cell,
        threads=fork.info.threads,
        iterations=fork.timing.iterations,
    )
    parsed = jmh.parse_fork(content, _RESULT, fork.cell, Side.STOCK, 1, threads=fork.info.threads)
    return Recorded(checked_stacks(text), None, time_per_operation(parsed))


def checked_stacks(text: str) -> dict[Stack, int]:
    """Stacks of frames that are mere names, whatever a class or a thread was called.

    A page is drawn from them, in which no frame may end a string or begin a tag. Raises
    ``RefusedResult`` for more or longer ones than a profile has, ``BrokenData`` as
    ``parse_collapsed``.
    """
    if text.count("\n") > _MOST_LINES:
        raise RefusedResult("It has more stacks than a profile has.")
    found: dict[Stack, int] = {}
    for stack, weight in parse_collapsed(text, "the file of stacks").items():
        if len(stack) > _MOST_FRAMES or weight > _LARGEST:
            raise RefusedResult("It has a deeper stack, or more samples, than a profile has.")
        plain = tuple(plain_frame(frame) for frame in stack)
        found[plain] = found.get(plain, 0) + weight
    return found


def plain_frame(frame: str) -> str:
    """A frame with nothing but letters of names in it, and not too many; ``<init>`` stays."""
    short = frame if len(frame) <= _MOST_LETTERS else f"{frame[:_MOST_LETTERS]}..."
    kept = _INITIALISER.search(short)
    if kept is None:
        return _UNUSUAL.sub("?", short)
    return f"{_UNUSUAL.sub('?', short[: kept.start()])}{kept[0]}{short[kept.end() :]}"
