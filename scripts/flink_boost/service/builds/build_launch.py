"""Runs the command of a recipe and takes the jars: here, or in a sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flink_boost.base.errors import BuildFailed
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import end_supervised, has_ended, start_supervised
from flink_boost.base.text import without_sequences
from flink_boost.service.builds.jars import single_jar

_NAMED_LINES = 12  # of a log


@dataclass(frozen=True)
class BuildOrder:
    """A command to be run in the root of a checkout.

    ``links`` are folders of flink-boost's root that the checkout shares. ``environment`` is all
    that the command gets here, ``named`` what of it the recipe names.
    """

    command: tuple[str, ...]
    checkout: Path
    links: tuple[str, ...]
    environment: Mapping[str, str]
    named: Mapping[str, str]
    seconds: float
    log: Path


class BuildLaunch(Protocol):
    """Runs builds, one at a time."""

    @property
    def isolated(self) -> bool:
        """Whether a build can reach nothing but its checkout; its jars are kept apart then."""

    @property
    def most_bytes(self) -> int | None:
        """What a checkout may have; None for commits that are trusted."""

    def place(self, aside: Path) -> AbstractContextManager[Path]:
        """A folder for the checkout, while the build lasts; ``aside`` is gone after it."""

    def run(self, order: BuildOrder) -> None:
        """Runs the command. No process of it is left then. Raises ``BuildFailed``."""

    def jars(self, checkout: Path, patterns: Sequence[str], aside: Path) -> tuple[Path, ...]:
        """The jars, one for each pattern, in places that no build writes to.

        Raises ``BuildFailed``.
        """


class BuildsHere:
    """Builds of commits that are trusted: processes of this user, on this machine."""

    isolated = False
    most_bytes: int | None = None

    @contextmanager
    def place(self, aside: Path) -> Iterator[Path]:
        """As the protocol says."""
        yield aside

    def run(self, order: BuildOrder) -> None:
        """As the protocol says."""
        for name in order.links:
            link = order.checkout / name
            if (PROJECT_ROOT / name).exists() and not link.exists():
                link.symlink_to(PROJECT_ROOT / name, target_is_directory=True)
        guard = start_supervised(order.command, order.log, order.environment, order.checkout)
        try:
            ended = has_ended(guard, order.seconds)
        finally:
            end_supervised(guard)
        if not ended:
            raise BuildFailed(f"it took more than {order.seconds / 60:g} minutes.")
        if guard.returncode != 0:
            said = _last_lines(order.log)
            raise BuildFailed(f"{order.command[0]} ended with code {guard.returncode}: {said}")

    def jars(self, checkout: Path, patterns: Sequence[str], aside: Path) -> tuple[Path, ...]:  # noqa: ARG002
        """As the protocol says."""
        return tuple(single_jar(checkout, pattern) for pattern in patterns)


def _last_lines(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = without_sequences(text).splitlines()
    return " / ".join(line.strip() for line in lines[-_NAMED_LINES:] if line.strip())[-1500:]
