"""What the guard decided for each family of classes: it runs our code, or why it does not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flink_boost.base.errors import BrokenData
from flink_boost.base.text import printable
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.switches import MODE, STRINGS, Switch, property_of, values_of


class FamilyState(StrEnum):
    """``missed`` is off although nobody switched it off and Flink has these classes."""

    ON = "on"
    OFF = "off"
    MISSED = "missed"


@dataclass(frozen=True)
class Family:
    """One family; ``reason`` is a part of a sentence, empty where it is on."""

    name: str
    state: FamilyState
    reason: str = ""

    @property
    def told(self) -> str:
        """As the line of the log has it."""
        return (
            f"{self.name} on" if self.state is FamilyState.ON else f"{self.name} off, {self.reason}"
        )


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
    return [family for family in families if family.state is FamilyState.MISSED]


def read_report(text: str) -> Report:
    """Reads the lines of ``BoostMode.report()``. Raises ``BrokenData`` for what is none."""
    refusal, *rest = text.split("\n")
    families = []
    for line in rest:
        try:
            # A reason may name a file, whose path may have a tab.
            name, state, reason = line.split("\t", 2)
            families.append(Family(printable(name), FamilyState(state), printable(reason)))
        except ValueError as error:
            raise BrokenData(
                f"Our jar does not tell what runs, but {printable(line)!r}.",
                "Uninstall the jar and install it again.",
            ) from error
    return Report(printable(refusal), tuple(families))


def families_in(seen: Mapping[str, str]) -> tuple[Family, ...]:
    """What a JVM of an installation was seen to decide; nothing where an older jar is asked."""
    return read_report(seen["report"]).families if seen.get("report") else ()


def verdict_of(seen: Mapping[str, str], wanted: Collection[str]) -> tuple[bool | None, str]:
    """Whether none of the ``wanted`` families is off unasked, and what is said of all.

    Of strings ``mode`` tells. One that is not wanted is off because Flink's classes are others.
    """
    families = families_in(seen)
    if not families or read_report(seen["report"]).refusal:
        return None, "Not checked: `version` says why."
    text = told(families)
    others = [f for f in missed(families) if f.name in wanted and f.name != STRINGS]
    return not others, f"{text[0].upper()}{text[1:]}."


def expected(seen: Mapping[str, str], classes: Iterable[str]) -> list[str]:
    """Those of the classes that have to be ours: of a family that is off they need not."""
    off = {f.name for f in families_in(seen) if f.state is not FamilyState.ON} - {STRINGS}
    return [name for name in classes if seen.get(f"family.{name}", STRINGS) not in off]


def switches_in(seen: Mapping[str, str], launch: Launch, measured: str) -> dict[str, Switch]:
    """What strings are switched by in each role.

    What the options do not show, as in a file of options, the JVM does that had one role's.
    """
    found = {
        role: launch.off_by(role) or launch.switch(role, MODE) or Switch(MODE, "on")
        for role in ROLES
    }
    for name, key in ((MODE, "mode"), (property_of(STRINGS), "mode.strings")):
        value = seen.get(key)
        if value and value not in {"on", found[measured].value}:
            found[measured] = Switch(name, value)
    return found


def wrong_value(of_strings: Mapping[str, Switch], launch: Launch) -> str:
    """The first property with a value that no process starts with, in a sentence; or nothing."""
    wrong = [(role, each) for role in ROLES for each in launch.switches(role) if not each.is_valid]
    wrong += [(role, each) for role, each in of_strings.items() if not each.is_valid]
    if not wrong:
        return ""
    name = wrong[0][1].name
    where = dict.fromkeys(f"{s.value!r} for the {role}" for role, s in wrong if s.name == name)
    known = " or ".join(map(repr, values_of(name)))
    return f"-D{name} is {', '.join(where)}: it has to be {known}."
