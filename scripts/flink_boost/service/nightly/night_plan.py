"""What a night will do and how long that takes, before anything runs. Pure.

The time of a run follows from its group: iterations and start of each fork, times pairs, times
sides. Every other step takes as long as it took on the night before, or as long as is usual.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flink_boost.base.errors import UsageProblem
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Cell, Timing
from flink_boost.measure.runner import START_SECONDS

_SIDES = 2
_USUAL_SECONDS = {
    "box": 15,
    "build": 120,
    "verify": 30,
    "canary": 240,
    "old-against-new": 0,  # only in the first night after an update of the box
    "upload": 20,
    "detect": 10,
    "confirm": 1200,
    "profiles": 120,
    "report": 10,
    "notify": 5,
    "prune": 5,
}
_STEPS_AFTER = ("upload", "detect", "confirm", "profiles", "report", "notify", "prune")


@dataclass(frozen=True)
class PlannedCell:
    """One benchmark on one line, and how long its forks take."""

    line: str
    cell: Cell
    pairs: int
    seconds: float


@dataclass(frozen=True)
class PlannedStep:
    """A step; ``needs`` are steps without which it is skipped, ``pointless`` why it always is."""

    name: str
    kind: str
    line: str
    seconds: float
    needs: tuple[str, ...] = ()
    pointless: str = ""


@dataclass(frozen=True)
class NightPlan:
    """All steps in the order in which they run, and what is measured."""

    steps: tuple[PlannedStep, ...]
    cells: tuple[PlannedCell, ...]

    @property
    def seconds(self) -> float:
        """How long all of it takes."""
        return sum(step.seconds for step in self.steps)

    @property
    def expected(self) -> int:
        """How many benchmarks are to be measured, over all lines."""
        return len(self.cells)

    def seconds_after(self, name: str) -> float:
        """How long the steps behind that one take."""
        names = [step.name for step in self.steps]
        return sum(step.seconds for step in self.steps[names.index(name) + 1 :])


def plan_night(
    lines: Sequence[str],
    groups: Mapping[str, Group],
    pairs: int | None = None,
    taken: Mapping[str, float] | None = None,
    project: str = "",
) -> NightPlan:
    """The plan; ``groups`` is what each line measures, ``taken`` the seconds of steps before.

    ``project`` is whose commits a recipe builds, where they are not ours.
    """
    cells = [one for line in lines for one in planned_cells(line, groups[line], pairs)]
    known = taken or {}

    def step(kind: str, line: str = "", needs: tuple[str, ...] = ()) -> PlannedStep:
        name = f"{kind} {line}".strip()
        return PlannedStep(name, kind, line, known.get(name, _USUAL_SECONDS[kind]), needs)

    not_ours = f"the check knows flink-boost's code, not that of {project}"
    steps = [step("box")]
    for line in lines:
        steps.append(step("build", line, ("box",)))
        verify = step("verify", line, (f"build {line}",))
        steps.append(replace(verify, seconds=0.0, pointless=not_ours) if project else verify)
    steps.append(step("canary", needs=("box",)))
    steps.append(step("old-against-new", needs=("box", *(f"build {line}" for line in lines[:1]))))
    for line in lines:
        seconds = sum(one.seconds for one in cells if one.line == line)
        # A later sitting looks at the box again, and may find that it is not quiet.
        needs = ("box", f"build {line}" if project else f"verify {line}")
        steps.append(PlannedStep(f"measure {line}", "measure", line, seconds, needs))
    needed = {"confirm": ("box", "detect"), "profiles": ("confirm",)}
    steps += [step(kind, needs=needed.get(kind, ())) for kind in _STEPS_AFTER]
    return NightPlan(tuple(steps), tuple(cells))


def planned_cells(line: str, group: Group, pairs: int | None) -> list[PlannedCell]:
    """What a line measures, with pairs and seconds of each benchmark."""
    own = (pairs,) * len(group.cells) if pairs else group.pairs_in_order()
    return [
        PlannedCell(line, cell, many, cell_seconds(cell, timing, many))
        for cell, timing, many in zip(group.cells, group.timings, own, strict=True)
    ]


def cell_seconds(cell: Cell, timing: Timing, pairs: int) -> float:
    """How long all forks of a benchmark take."""
    sides = 1 if cell.is_comparator else _SIDES
    return pairs * sides * (timing.seconds + START_SECONDS)


def parse_shard(text: str) -> tuple[int, int]:
    """``2/3``: the second of three boxes. Raises ``UsageProblem``."""
    number, _, count = text.partition("/")
    if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count) <= 99:
        return int(number), int(count)
    raise UsageProblem(f"{text!r} is no shard.", "Write it as in 1/3: the first of three boxes.")


def take_shard(group: Group, number: int, count: int) -> Group:
    """The part of a group that one of several boxes measures.

    Longest first, each benchmark goes to the box that has least to do so far: the boxes end at
    about the same time, and together they measure the whole group. What a box measures depends on
    the group alone. Raises ``UsageProblem`` when nothing is left for this box.
    """
    loads = [(0.0, box) for box in range(1, count + 1)]
    mine: set[Cell] = set()
    ordered = sorted(planned_cells("", group, None), key=lambda one: (-one.seconds, one.cell.name))
    for one in ordered:
        load, box = heapq.heappop(loads)
        if box == number:
            mine.add(one.cell)
        heapq.heappush(loads, (load + one.seconds, box))
    if not mine:
        raise UsageProblem(
            f"The group {group.name!r} is too small for {count} boxes: it has {len(group.cells)}"
            " benchmarks.",
            "Take fewer shards.",
        )
    return group.only(mine)
