"""What ``RecordStates`` has to hold: records of each kind, whose classes change between two runs.

Keys and texts are those of ``texts.encode``, as in the job's commands and files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from texts import decode, encode, long_texts, short_texts

_ROW_KINDS = ("INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE")
_STEP = 12


@dataclass(frozen=True)
class Record:
    """What a text and a number make; ``gone``, or ``new``, is kept until the class loses it."""

    text: str
    number: int
    gone: bool
    new: bool

    def restored(self, *, evolved: bool) -> Record:
        """What comes back where the class has the fields of before, or of after."""
        return replace(self, gone=self.gone and not evolved, new=self.new and evolved)

    def purchase(self, *, evolved: bool) -> list[str]:
        """The fields of ``Purchase``."""
        number, text = self.number, decode(self.text)
        units = [int(self.text[at : at + 4], 16) for at in range(0, min(len(self.text), 12), 4)]
        return [
            *(str(number), text, str(number / 4)),
            "null" if number % 3 == 0 else str(number % 100),
            *self._place(evolved=evolved),
            *(text, str(number), str(number), text, str(units), _boolean(number)),
            *(self._news() if evolved else [str(number % 1000 + 1 if self.gone else 0)]),
        ]

    def visit(self, *, evolved: bool) -> list[str]:
        """The components of ``Visit``."""
        gone = str(self.number % 100 + 0.5 if self.gone else 0.0)
        return [
            *(decode(self.text), str(self.number * 1000)),
            *self._place(evolved=evolved),
            *(_boolean(self.number), self._news()[0] if evolved else gone),
        ]

    def _place(self, *, evolved: bool) -> list[str]:
        place = [decode(self.text), str(self.number % 7), *(self._news()[1:] if evolved else [])]
        return ["null"] * len(place) if self.number % 5 == 0 else place

    def _news(self) -> list[str]:
        return [str(self.number + 1), decode(self.text)] if self.new else ["0", "null"]


def _boolean(number: int) -> str:
    return "true" if number % 2 else "false"


@dataclass
class RecordState:
    """State by key; of the map by key and user key."""

    evolved: bool = False
    latest: dict[str, Record] = field(default_factory=dict)
    lists: dict[str, list[Record]] = field(default_factory=dict)
    maps: dict[tuple[str, str], Record] = field(default_factory=dict)
    operator: list[Record] = field(default_factory=list)

    def restore(self, *, evolved: bool) -> None:
        """Goes on with the classes of before or after."""
        self.evolved = evolved
        self.latest = {k: r.restored(evolved=evolved) for k, r in self.latest.items()}
        self.maps = {k: r.restored(evolved=evolved) for k, r in self.maps.items()}
        self.operator = [record.restored(evolved=evolved) for record in self.operator]
        self.lists = {
            key: [record.restored(evolved=evolved) for record in records]
            for key, records in self.lists.items()
        }

    def keep(self, key: str, text: str, number: str) -> None:
        """Does what the job does with ``record-keep``."""
        record = Record(text, int(decode(number)), gone=not self.evolved, new=self.evolved)
        self.latest[key] = record
        self.lists.setdefault(key, []).append(record)
        self.maps[key, text] = record
        self.operator.append(record)

    def finds(self) -> list[str]:
        """The commands that make the job write down all that it should have."""
        return [f"record-find,{key}" for key in self.latest]

    def lines(self) -> list[str]:
        """What all subtasks together write down for ``finds`` when they hold everything."""
        evolved = self.evolved
        found = [("record-operator", "", r.purchase(evolved=evolved)) for r in self.operator]
        for key, record in self.latest.items():
            text, number = decode(record.text), record.number
            purchase, visit = record.purchase(evolved=evolved), record.visit(evolved=evolved)
            row_kind = _ROW_KINDS[number % 4]
            found += [
                ("record-pojo", key, purchase),
                ("record-visit", key, visit),
                ("record-parcel", key, [text, str(number), str(number + 1)]),
                ("record-tuple", key, [text, str(number), *purchase]),
                ("record-row", key, [row_kind, text, str(number), *visit, "null"]),
            ]
        for key, records in self.lists.items():
            found += [("record-list", key, r.purchase(evolved=evolved)) for r in records]
        for (key, name), record in self.maps.items():
            found.append(("record-map", key, [decode(name), *record.visit(evolved=evolved)]))
        return sorted(_line(*each) for each in found)


def _line(kind: str, key: str, texts: Sequence[str]) -> str:
    # An operator's records have no key; one that is empty is there all the same.
    keys = [] if kind == "record-operator" else [key]
    return ",".join([kind, *keys, *map(encode, texts)])


def record_commands(turn: int) -> list[str]:
    """Changes of every third key, with some user keys of the turn before, and some new ones."""
    texts = [encode(text) for text in (*short_texts()[::_STEP], long_texts()[2])]
    found = []
    for number, key in enumerate(texts):
        if turn == 0 or number % 3 == turn % 3:
            text = texts[(number + turn) % len(texts)]
            found.append(f"record-keep,{key},{text},{encode(str(number + 1000 * turn))}")
    return found
