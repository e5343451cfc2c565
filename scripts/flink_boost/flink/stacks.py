"""Sampled stacks: how they are written, which frames are ours, and what differs between two sides.

A file of *collapsed* stacks has a line each, ``outer;inner;innermost 42``; the number is samples,
or bytes. A frame of Java ends with how it ran, ``java/lang/String.length_[j]``: ``j`` compiled,
``i`` inlined, ``0`` interpreted, ``1`` by the quick compiler. Others are native or the JVM's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from flink_boost.base.errors import BrokenData

# Put behind a frame of ours, in pictures and in text.
MARK = "◆"
_OUR_PACKAGE = "org.apache.flink.boost."
_JAVA = re.compile(r"(?P<name>.+)_\[[0ij1]\]")
_SUFFIX = re.compile(r"_\[[0ij1k]\]$")
_WEIGHT = re.compile(r"[0-9]{1,18}")  # Python reads no number of thousands of digits

Stack = tuple[str, ...]


@dataclass(frozen=True)
class Ours:
    """The classes that the drop-in jar replaces; those that it adds are known by their package."""

    classes: frozenset[str]

    def holds(self, frame: str) -> bool:
        """Whether a frame is a method of such a class, or of a class inside it."""
        found = _JAVA.fullmatch(frame)
        if found is None or "." not in found["name"]:
            return False
        owner = found["name"].rpartition(".")[0].replace("/", ".")
        return owner.startswith(_OUR_PACKAGE) or any(
            owner == name or owner.startswith(f"{name}$$") for name in self.classes
        )


def parse_collapsed(text: str, origin: str) -> dict[Stack, int]:
    """The stacks of a file with their weights. Raises ``BrokenData``, also when there are none."""
    stacks: Counter[Stack] = Counter()
    # Not splitlines: a name of a frame may hold what Unicode takes for the end of a line.
    for line in text.removesuffix("\n").split("\n") if text else ():
        frames, _, weight = line.rpartition(" ")
        if not frames or not _WEIGHT.fullmatch(weight):
            raise BrokenData(f"{origin} holds {line[:60]!r}, which is no stack.", "Profile again.")
        stacks[tuple(frames.split(";"))] += int(weight)
    if not sum(stacks.values()):
        raise BrokenData(f"{origin} holds no samples.", "Profile for longer.")
    return dict(stacks)


def marked(stacks: Mapping[Stack, float], ours: Ours) -> str:
    """Collapsed stacks with ``MARK`` behind each frame of ours; weights of 0 are left out."""
    lines = []
    for stack, weight in sorted(stacks.items()):
        if round(weight) > 0:
            frames = (_with_mark(one) if ours.holds(one) else one for one in stack)
            lines.append(f"{';'.join(frames)} {round(weight)}\n")
    return "".join(lines)


def _with_mark(frame: str) -> str:
    found = _SUFFIX.search(frame)
    return f"{frame[: found.start()]} {MARK}{found[0]}" if found else f"{frame} {MARK}"


def shares(stacks: Mapping[Stack, int]) -> dict[str, float]:
    """Each method's own part of the whole, between 0 and 1, by its frame without how it ran.

    What runs below a Java method without being Java, such as a copy in the C library, counts as the
    method's own; a stack without Java counts as its innermost frame.
    """
    total = sum(stacks.values())
    own: Counter[str] = Counter()
    for stack, weight in stacks.items():
        innermost = next((one for one in reversed(stack) if _JAVA.fullmatch(one)), stack[-1])
        own[innermost] += weight
    result: Counter[str] = Counter()
    for frame, weight in own.items():
        result[_SUFFIX.sub("", frame)] += weight / total  # type: ignore[assignment]
    return dict(result)


@dataclass(frozen=True)
class FrameChange:
    """A method's own share of each side, and its own cost per operation where that is known."""

    method: str
    ours: bool
    before: float
    after: float
    cost_before: float
    cost_after: float

    @property
    def change(self) -> float:
        """How much larger its share is after than before."""
        return self.after - self.before


def changes(
    before: Mapping[Stack, int],
    after: Mapping[Stack, int],
    costs: tuple[float, float],
    ours: Ours,
    most: int = 5,
) -> tuple[FrameChange, ...]:
    """The methods whose own share differs most, in either direction, the largest first.

    Shares, as forks of one build differ in speed: then all methods cost more, none has a larger
    share. When a single method becomes slow, all others lose share to it, so it comes first.
    ``costs`` is what an operation takes on each side, for those who read.
    """
    first, second = shares(before), shares(after)
    frames = [
        FrameChange(
            method=_readable(name),
            ours=ours.holds(f"{name}_[j]"),
            before=first.get(name, 0.0),
            after=second.get(name, 0.0),
            cost_before=first.get(name, 0.0) * costs[0],
            cost_after=second.get(name, 0.0) * costs[1],
        )
        for name in {*first, *second}
    ]
    # Of two that change alike, the one that grows; the name settles the rest.
    return tuple(sorted(frames, key=lambda f: (-abs(f.change), -f.change, f.method))[:most])


def top(stacks: Mapping[Stack, int], ours: Ours, most: int = 5) -> tuple[tuple[str, float], ...]:
    """The methods with the largest own shares, ours with ``MARK``."""
    found = sorted(shares(stacks).items(), key=lambda item: (-item[1], item[0]))[:most]
    return tuple(
        (_readable(name) + (f" {MARK}" if ours.holds(f"{name}_[j]") else ""), share)
        for name, share in found
    )


def by_method(stacks: Mapping[Stack, int]) -> dict[Stack, int]:
    """Stacks of allocations or locks without their innermost frame, which is the object."""
    found: Counter[Stack] = Counter()
    for stack, weight in stacks.items():
        found[stack[:-1] or stack] += weight
    return dict(found)


def ours_share(stacks: Mapping[Stack, int], ours: Ours) -> float:
    """The part of all samples in which a method of ours is anywhere on the stack."""
    inside = sum(weight for stack, weight in stacks.items() if any(map(ours.holds, stack)))
    return inside / sum(stacks.values())


def _readable(name: str) -> str:
    return name.replace("/", ".")


def ours_of(classes: Collection[str]) -> Ours:
    """What a line's patched classes, as ``lines.toml`` names them, make ours."""
    return Ours(frozenset(classes))


def change_lines(found: Sequence[FrameChange], names: tuple[str, str], unit: str) -> list[str]:
    """The changes as lines of text; ``unit`` is that of the costs, empty where they are shares."""
    width = max((len(one.method) + 2 for one in found), default=6)
    head = f"{'own time':{width}}  {names[0]:>12} → {names[1]}"
    lines = [head]
    for one in found:
        name = one.method + (f" {MARK}" if one.ours else "")
        cost = f"  ({one.cost_before:.3g} → {one.cost_after:.3g} {unit})" if unit else ""
        lines.append(f"{name:{width}}  {one.before:>12.1%} → {one.after:.1%}{cost}")
    return lines
