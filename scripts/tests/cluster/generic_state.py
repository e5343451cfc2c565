"""What ``GenericStates`` has to hold: keys of two texts that go through Kryo, and what they keep.

Keys, entries and texts are those of ``texts.encode``, as in the job's commands and files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from texts import decode, encode

# A reader that shares some of its strings shares the shortest ones. The others lie around them.
TEXTS = (
    *("", "Y", " ", "\x00", "\x7f", "\x80", "é", "ÿ"),
    *("ab", "Flink", "naïve", "Ā", "Ж", "流", "😀", "\ud800", "Flink 1.9-2.3" * 8),
)

# First and second text of a key.
Key = tuple[str, str]


@dataclass
class GenericState:
    """State by key; entries of a map by key and user key."""

    counts: Counter[Key] = field(default_factory=Counter)
    latest: dict[Key, Key] = field(default_factory=dict)
    entries: Counter[tuple[Key, Key]] = field(default_factory=Counter)
    operator: list[Key] = field(default_factory=list)

    def keep(self, first: str, second: str, third: str, fourth: str) -> None:
        """Does what the job does with ``generic-keep``."""
        key = first, second
        self.counts[key] += 1
        self.latest[key] = third, fourth
        self.entries[key, (third, fourth)] += 1
        self.operator.append(key)

    def finds(self) -> list[str]:
        """The commands that make the job write down all that it should have."""
        return [
            *(",".join(["generic-find", *key]) for key in self.counts),
            *(",".join(["generic-find-entry", *key, *entry]) for key, entry in self.entries),
        ]

    def lines(self) -> list[str]:
        """What all subtasks together write down for ``finds`` when they hold everything."""
        found = [["generic-operator", *key] for key in self.operator]
        for key, count in self.counts.items():
            third, fourth = self.latest[key]
            found += [
                ["generic-count", *key, encode(str(count))],
                ["generic-list", *key, third, fourth, key[0], third],
                ["generic-java", *key, third, fourth],
                ["generic-pojo", *key, third, fourth, third],
            ]
        for (key, entry), count in self.entries.items():
            for kind in ("generic-entry", "generic-java-entry"):
                found.append([kind, *key, *entry, encode(str(count))])
        return sorted(map(",".join, found))


def generic_commands(turn: int) -> list[str]:
    """Changes of every key; each turn has some entries of the turn before, and some new ones."""
    texts = list(map(encode, TEXTS))
    found = []
    for number, (first, second) in enumerate(keys()):
        third = texts[(number + turn) % len(texts)]
        entries = [(third, third), (texts[number % len(texts)], third)]
        found += [",".join(["generic-keep", first, second, *entry]) for entry in entries]
    return found


def keys() -> list[Key]:
    """Each text with an equal one, and with another one."""
    texts = list(map(encode, TEXTS))
    return [*zip(texts, texts, strict=True), *zip(texts, [*texts[1:], texts[0]], strict=True)]


def written_otherwise_when_shared(key: Key) -> bool:
    """Whether a reader that shares strings of no or one character of Latin-1 changes its bytes."""
    first, second = map(decode, key)
    return first == second and (first == "" or (len(first) == 1 and first < "\u0100"))


def lost(found: Iterable[str], expected: Iterable[str]) -> list[str]:
    """A sentence for each key, or user key of a map, whose state the job did not find."""
    missing = sorted((_owner(line), line) for line in Counter(expected) - Counter(found))
    return [
        lost_sentence(owner, dict.fromkeys(line.split(",")[0] for _, line in lines))
        for owner, lines in groupby(missing, key=lambda each: each[0])
    ]


def lost_by_sharing(expected: GenericState) -> list[str]:
    """What ``lost`` says after a swap of sides one of which shares the shortest strings."""
    of_key = ("generic-count", "generic-java", "generic-list", "generic-pojo")
    of_entry = ("generic-entry", "generic-java-entry")
    changed = written_otherwise_when_shared
    return sorted(
        [
            *(lost_sentence(owner_of(key), of_key) for key in expected.counts if changed(key)),
            *(
                lost_sentence(owner_of(key, entry), of_entry)
                for key, entry in expected.entries
                if changed(key) or changed(entry)
            ),
        ]
    )


def lost_sentence(owner: str, kinds: Iterable[str]) -> str:
    """What a failing test says of one key, or user key."""
    return f"{owner} starts from empty state: {', '.join(kinds)}."


def owner_of(key: Key, entry: Key | None = None) -> str:
    """How ``lost`` names a key, or a user key of its map."""
    named = f"The key ({_quoted(key)})"
    return named if entry is None else f"{named} with the user key ({_quoted(entry)})"


def _owner(line: str) -> str:
    kind, first, second, *rest = line.split(",")
    is_entry = kind.endswith("-entry")
    return owner_of((first, second), (rest[0], rest[1]) if is_entry else None)


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(ascii(decode(text)) for text in texts)
