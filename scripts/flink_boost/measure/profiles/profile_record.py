"""What is kept of the profiles of one cell.

They are beside the forks of the run, and appear whole or not at all::

    <results>/<run id>/profiles/<cell slug>/profile.json     ProfilePair, written last
    …/before-cpu.html, after-cpu.html                        flame graphs of each side
    …/before-alloc.html, after-alloc.html                    missing where nothing was allocated
    …/difference.html                                        the second side against the first
    …/before.jfr, after.jfr                                  the recordings
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.flink.stacks import FrameChange, change_lines
from flink_boost.measure.model import Cell, Frozen

FOLDER = "profiles"
FILE = "profile.json"


class ProfiledSide(Frozen):
    """One side: what it is called, and its flame graphs by file name."""

    name: str
    cpu: str
    alloc: str = Field(default="", description="empty: nothing was allocated")
    samples: int = Field(description="of CPU time")
    time_per_operation: float | None = Field(
        description="ns of CPU time, else by the clock, of this fork"
    )


class TopFrame(Frozen):
    """A method whose own time differs; see ``flink.stacks.FrameChange``."""

    method: str
    ours: bool
    before: float
    after: float
    cost_before: float
    cost_after: float


class ProfilePair(Frozen):
    """The profiles of one cell on two sides."""

    schema_version: int = 1
    cell: Cell
    event: str = Field(description="of async-profiler, for CPU time")
    profiler: str = Field(description="its version")
    before: ProfiledSide
    after: ProfiledSide
    difference: str
    top: tuple[TopFrame, ...] = Field(description="largest difference first")

    @property
    def text(self) -> tuple[str, ...]:
        """The top frames as lines: own share before and after."""
        frames = [FrameChange(**one.model_dump()) for one in self.top]
        times = (self.before.time_per_operation, self.after.time_per_operation)
        unit = "ns/op" if None not in times else ""
        return tuple(change_lines(frames, (self.before.name, self.after.name), unit))

    @property
    def pages(self) -> dict[str, str]:
        """The flame graphs that there are: what to call each, and its file name."""
        first, second = self.before, self.after
        found = {
            f"{second.name} against {first.name}": self.difference,
            f"CPU, {first.name}": first.cpu,
            f"CPU, {second.name}": second.cpu,
            f"allocation, {first.name}": first.alloc,
            f"allocation, {second.name}": second.alloc,
        }
        return {title: page for title, page in found.items() if page}


def folder_of(results: Path, run_id: str, cell: Cell) -> Path:
    """Where the profiles of a cell of a run are, if there are any."""
    return results / run_id / FOLDER / cell.slug


def read_profile(results: Path, run_id: str, cell: Cell) -> ProfilePair | None:
    """The profiles of a cell; None when none were taken. Raises ``BrokenData``."""
    path = folder_of(results, run_id, cell) / FILE
    try:
        return ProfilePair.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise BrokenData(
            f"{path} cannot be read.", f"Delete {path.parent} and profile again."
        ) from error
