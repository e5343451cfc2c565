"""Which of a new release's classes are those of a line, and what differs in the others.

A class file that a line's jar stands for needs no more questions. Whether another does what our
patches depend on is the weaver's to say, as for somebody's own build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flink_boost.flink.lines import Line
from flink_boost.flink.versions import distance

_ELSEWHERE = "other classes"
_NOT_THERE = (" is missing", "it is not in")


@dataclass(frozen=True)
class ClassVerdict:
    """One patched class of the release, and the line that it is compared with.

    ``same_file`` tells that the line's jar stands for its class file; ``differences`` are the
    weaver's sentences on what is not as in the line and matters.
    """

    name: str
    line: str
    same_file: bool
    differences: tuple[str, ...] = ()

    @property
    def simple_name(self) -> str:
        """The name without the package."""
        return self.name.rpartition(".")[2]

    @property
    def fits(self) -> bool:
        """Whether the weaver can patch it, which does not mean that the patch is still right."""
        return not any(word in text for text in self.differences for word in _NOT_THERE)


def same_files(
    version: str, checksums: Mapping[str, str], lines: Sequence[Line]
) -> dict[str, ClassVerdict]:
    """Verdicts on the classes, by name, that are those of a line: of several the nearest."""
    nearest = sorted(lines, key=lambda line: distance(version, line.version))
    return {
        name: ClassVerdict(name, line.version, True)
        for name, checksum in checksums.items()
        for line in reversed(nearest)
        if name in line.classes and line.accepts(name, checksum)
    }


def judge_classes(
    checksums: Mapping[str, str],
    same: Mapping[str, ClassVerdict],
    like: str,
    differences: Sequence[str],
) -> tuple[ClassVerdict, ...]:
    """A verdict on each class of the release, and on what the weaver says of further ones.

    ``like`` is the line that the weaver took, ``differences`` its sentences, each of which begins
    with the name of a class.
    """
    by_name: dict[str, tuple[str, ...]] = {}
    for text in differences:
        name, colon, what = text.partition(": ")
        # What is said of a class is said in its row, however it is called.
        key, sentence = (name, what) if colon and " " not in name else (_ELSEWHERE, text)
        by_name[key] = (*by_name.get(key, ()), sentence)
    return tuple(
        same.get(name) or ClassVerdict(name, like, False, by_name.get(name, ()))
        for name in dict.fromkeys((*checksums, *by_name))
    )
