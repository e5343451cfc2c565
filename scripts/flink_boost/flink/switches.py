"""The system properties by which an operator switches our code, as the guard reads them."""

from __future__ import annotations

from dataclasses import dataclass

STRINGS = "strings"
# As `Switches.FAMILIES` of the guard has them, in the order in which they are told.
FAMILIES = (STRINGS, "records")

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


def property_of(family: str) -> str:
    """The property that switches one family."""
    return f"{_PREFIX}{family}"


def values_of(name: str) -> tuple[str, str]:
    """The two values that a property may have."""
    return ("true", "false") if name == STRICT else ("on", "off")


PROPERTIES = (MODE, *map(property_of, FAMILIES), STRICT)
