"""The system properties by which an operator switches our code, as the guard reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STRINGS = "strings"
RECORDS = "records"
# As `Switches.FAMILIES` of the guard has them, in the order in which they are told.
FAMILIES = (STRINGS, RECORDS)

# On, and held against stock as it runs.
_CHECK = "check"

_PREFIX = "flink.boost."
MODE = f"{_PREFIX}mode"
STRICT = f"{_PREFIX}strict"
# No switch of an operator's: what the guard is asked with before a process starts.
ALL_NEIGHBOURS = f"-D{_PREFIX}neighbours=true"


@dataclass(frozen=True)
class Switch:
    """A property as an option sets it; ``where`` is the variable that it is from, if any."""

    name: str
    value: str
    where: str = ""

    @property
    def option(self) -> str:
        """As it is written."""
        return f"-D{self.name}={self.value}"

    @property
    def is_valid(self) -> bool:
        """Whether a process starts with that value."""
        return self.value in values_of(self.name)

    @property
    def problem(self) -> str:
        """What the guard says of another value: a part of a sentence."""
        known = values_of(self.name)
        if len(known) == len(("on", "off")):
            return "neither '{}' nor '{}'".format(*known)
        return f"none of {', '.join(map(repr, known))}"


def property_of(family: str) -> str:
    """The property that switches one family."""
    return f"{_PREFIX}{family}"


def values_of(name: str) -> tuple[str, ...]:
    """The values that a property may have."""
    if name == STRICT:
        return ("true", "false")
    return ("on", "off", _CHECK) if name == property_of(RECORDS) else ("on", "off")


PROPERTIES = (MODE, *map(property_of, FAMILIES), STRICT)


def switches_in(words: Iterable[str]) -> dict[str, str]:
    """The properties of ours that a JVM with these options has; the last value of each counts."""
    pairs = (word.removeprefix("-D").partition("=") for word in words if word.startswith("-D"))
    return {name: value for name, _, value in pairs if name in PROPERTIES}


def checks_records(switches: Mapping[str, str]) -> bool:
    """Whether a JVM with these properties holds its records against stock's."""
    return switches.get(property_of(RECORDS)) == _CHECK
