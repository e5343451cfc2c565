"""Whether the disk has room for a whole run, said before it begins and not when it is full."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.text import size_text

# Of a fresh clone: 5 GB in .cache, 300 MB of builds and reports, 2 GB of what tests write aside.
NEEDED = 8 * 10**9
# Of that what tests write, which no cache saves.
LEAST = 2 * 10**9


def short_of_room(root: Path) -> str:
    """A line for people when less is free than a run needs that has to fetch what is not cached.

    Empty when there is enough. Raises ``EnvironmentProblem`` when not even its tests have room.
    """
    for place in (root, Path(tempfile.gettempdir())):
        free = shutil.disk_usage(place).free
        if free < LEAST:
            raise EnvironmentProblem(
                f"{place} has {size_text(free)} free, and tests need {size_text(LEAST)}.",
                "Make room, then run the command again.",
            )
    free = shutil.disk_usage(root).free
    needed = max(LEAST, NEEDED - sum(_sizes(root / ".cache")))
    if free >= needed:
        return ""
    return (
        f"{root} has {size_text(free)} free, and a run may need {size_text(needed)}:"
        " make room, or what is fetched may fill the disk."
    )


def _sizes(folder: Path) -> Iterator[int]:
    """Bytes on disk of each file below the folder, of one with several names once."""
    seen = set()
    for path, _, names in os.walk(folder):
        for name in names:
            found = Path(path, name).lstat()
            if found.st_ino not in seen:
                seen.add(found.st_ino)
                yield found.st_blocks * 512
