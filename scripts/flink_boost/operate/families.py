"""What the guard decided for each family of classes: it runs our code, or why it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flink_boost.base.errors import BrokenData
from flink_boost.base.text import printable
from flink_boost.flink.switches import STRINGS


class State(StrEnum):
    """``missed`` is off although nobody switched it off and Flink has these classes."""

    ON = "on"
    OFF = "off"
    MISSED = "missed"


@dataclass(frozen=True)
class Family:
    """One family; ``reason`` is a part of a sentence, empty where it is on."""

    name: str
    state: State
    reason: str = ""

    @property
    def told(self) -> str:
        """As the line of the log has it."""
        return f"{self.name} on" if self.state is State.ON else f"{self.name} off, {self.reason}"


@dataclass(frozen=True)
class Report:
    """What ``BoostMode.report()`` says; ``refusal`` is empty where a process starts."""

    refusal: str
    families: tuple[Family, ...]

    @property
    def told(self) -> str:
        """All families in a line."""
        return told(self.families)


def told(families: Sequence[Family]) -> str:
    """All of them in a line."""
    return "; ".join(family.told for family in families)


def missed(families: Sequence[Family]) -> list[Family]:
    """Those of which somebody should know."""
    return [family for family in families if family.state is State.MISSED]


def read_report(text: str) -> Report:
    """Reads the lines of ``BoostMode.report()``. Raises ``BrokenData`` for what is none."""
    refusal, *rest = text.split("\n")
    families = []
    for line in rest:
        try:
            name, state, reason = line.split("\t")
            families.append(Family(printable(name), State(state), printable(reason)))
        except ValueError as error:
            raise BrokenData(
                f"Our jar does not tell what runs, but {printable(line)!r}.",
                "Uninstall the jar and install it again.",
            ) from error
    return Report(printable(refusal), tuple(families))


def families_in(seen: Mapping[str, str]) -> tuple[Family, ...]:
    """What a JVM of an installation was seen to decide; nothing where an older jar is asked."""
    return read_report(seen["report"]).families if seen.get("report") else ()


def expected(seen: Mapping[str, str], classes: Iterable[str]) -> list[str]:
    """Those of the classes that have to be ours: of a family that is off they need not."""
    off = {f.name for f in families_in(seen) if f.state is not State.ON} - {STRINGS}
    return [name for name in classes if seen.get(f"family.{name}", STRINGS) not in off]
