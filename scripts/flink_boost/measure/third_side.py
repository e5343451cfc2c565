"""The third side of a run by its name: upstream's own fix, or another build of our jar.

Another build shows before and after of a change in one run, beside stock.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.dropin import read_dropin
from flink_boost.flink.side import Side
from flink_boost.measure.classpaths import Third
from flink_boost.measure.model import RunInfo
from flink_boost.measure.overlay import ensure_overlay

_BUILD_ONE = "Check an older commit out beside this one and run `make build` there."


def ensure_third(line: str, name: str, build: Path) -> Third:
    """The third side of a run on a line; what is missing under ``build`` is made.

    ``name`` is one of ``overlay.toml``, or the path of a flink-boost jar. Raises ``UsageProblem``
    for a jar that is not ours or of another line, and what ``ensure_overlay`` raises.
    """
    if not name.endswith(".jar"):
        return ensure_overlay(line, name, build)
    jar = Path(name).absolute()
    try:
        found = read_dropin(jar)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageProblem(f"{name} cannot be read as a jar ({error}).", _BUILD_ONE) from error
    if found is None:
        raise UsageProblem(f"{name} is no flink-boost jar.", _BUILD_ONE)
    if found.flink_version != line:
        raise UsageProblem(
            f"{name} is for Flink {found.flink_version}, but the run is on {line}.", _BUILD_ONE
        )
    return Third(str(jar), f"other build {found.boost_version}", jar)


def side_name(info: RunInfo, side: Side) -> str:
    """The word for a side of a run: another build of ours is not upstream's."""
    return "other" if side is Side.UPSTREAM and info.third_is_a_build else side.value
