"""What ``StateJob`` has to hold: the test's own account of the texts that were put in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generic_state import GenericState
from record_state import RecordState
from texts import encode, long_texts, short_texts

SUBTASKS = 2


@dataclass
class StringState:
    """State by kind, all texts as the digits of ``texts.encode``."""

    values: dict[tuple[str, str], str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    maps: dict[tuple[str, str], str] = field(default_factory=dict)
    broadcast: dict[str, str] = field(default_factory=dict)
    operator: list[str] = field(default_factory=list)
    union: list[str] = field(default_factory=list)
    generic: GenericState = field(default_factory=GenericState)
    records: RecordState = field(default_factory=RecordState)

    def apply(self, commands: Iterable[str]) -> None:
        """Does what the job does with the lines of ``commands.txt``."""
        for command in commands:
            kind, first, *rest = command.split(",")
            match kind:
                case "value" | "string-value":
                    self.values[kind, first] = rest[0]
                case "list":
                    self.lists.setdefault(first, []).append(rest[0])
                case "map":
                    self.maps[first, rest[0]] = rest[1]
                case "broadcast":
                    self.broadcast[first] = rest[0]
                case "operator":
                    self.operator.append(first)
                case "union":
                    self.union.append(first)
                case "generic-keep":
                    self.generic.keep(first, *rest)
                case "record-keep":
                    self.records.keep(first, *rest)
                case _:
                    raise AssertionError(kind)

    def lines(self) -> list[str]:
        """What all subtasks together write down after they were restored, sorted."""
        subtasks = range(SUBTASKS)
        return sorted(
            [
                *(f"{kind},{key},{text}" for (kind, key), text in self.values.items()),
                *(",".join(["list", key, *texts]) for key, texts in self.lists.items()),
                *(f"map,{key},{name},{text}" for (key, name), text in self.maps.items()),
                *(f"broadcast{s},{n},{t}" for s in subtasks for n, t in self.broadcast.items()),
                *(f"operator,{text}" for text in self.operator),
                *(f"union{s},{text}" for s in subtasks for text in self.union),
                *self.generic.lines(),
                *self.records.lines(),
            ]
        )

    def finds(self) -> list[str]:
        """The commands that make the job write down what it does not by itself."""
        return [*self.generic.finds(), *self.records.finds()]


def commands(turn: int) -> list[str]:
    """Changes of all kinds of state; each turn overwrites values and adds to lists and maps."""
    short = [encode(text) for text in short_texts()]
    long = [encode(text) for text in long_texts()]
    found = []
    for number, key in enumerate(short):
        # Each turn goes over all keys, but leaves some of what they have as it was.
        others = [short[(number + step + 7 * turn) % len(short)] for step in range(1, 6)]
        found.append(f"value,{key},{others[0]}")
        found.append(f"string-value,{key},{others[1]}")
        if number % 3 == turn % 3:
            found += [f"list,{key},{others[2]}", f"map,{key},{others[3]},{others[4]}"]
        if number % 5 == turn % 5:
            found.append(f"broadcast,{key},{others[0]}")
            found += [f"operator,{others[1]}", f"union,{others[2]}"]
    for number, text in enumerate(long):
        other = long[(number + turn) % len(long)]
        found += [f"value,{text},{other}", f"list,{short[turn]},{text}"]
        found += [f"map,{short[turn]},{text},{other}"]
    if turn == 0:
        found += [f"broadcast,{long[1]},{long[2]}", f"operator,{long[0]}", f"union,{long[2]}"]
    return found


def written_down(folder: Path) -> list[str]:
    """What the job wrote down, of all subtasks, sorted."""
    names = [
        f"{name}-{subtask}.txt" for name in ("state", "generic") for subtask in range(SUBTASKS)
    ]
    # Only jobs of Flink 2 hold records.
    files = [*(folder / name for name in names), *folder.glob("records-*.txt")]
    return sorted(line for file in files for line in file.read_text().splitlines())


def differences(found: Sequence[str], expected: Sequence[str]) -> list[str]:
    """Lines that only one side has, with its sign; a line that is there twice counts twice."""
    extra, missing = Counter(found), Counter(expected)
    return [
        *(f"-{line}" for line in sorted((missing - extra).elements())),
        *(f"+{line}" for line in sorted((extra - missing).elements())),
    ]
