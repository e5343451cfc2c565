"""The profiles of a run in its report: copied beside the page, so that both move together."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder
from flink_boost.measure.model import RunInfo
from flink_boost.measure.profiles.profile_record import FOLDER, folder_of, read_profile


@dataclass(frozen=True)
class ProfileLinks:
    """The profiles of one benchmark: links by their titles, and the top frames as lines.

    Links are relative to the folder of the run's report.
    """

    name: str
    links: tuple[tuple[str, str], ...]
    text: tuple[str, ...]


def copy_profiles(
    results: Path, info: RunInfo, report: Path, tell: Callable[[str], None] = lambda _: None
) -> tuple[ProfileLinks, ...]:
    """Copies the flame graphs of a run to ``<report>/profiles``; says which are damaged."""
    found = []
    for cell in info.cells:
        try:
            pair = read_profile(results, info.run_id, cell)
            if pair is None:
                continue
            source, target = folder_of(results, info.run_id, cell), report / FOLDER / cell.slug
            make_folder(target)
            for page in pair.pages.values():
                shutil.copyfile(source / page, target / page)
        except BrokenData as error:
            tell(str(error))
            continue
        except FileNotFoundError as error:
            tell(f"A flame graph of {cell.name} is missing: {error.filename}.")
            continue
        links = ((t, f"{FOLDER}/{quote(cell.slug)}/{quote(p)}") for t, p in pair.pages.items())
        found.append(ProfileLinks(cell.name, tuple(links), pair.text))
    return tuple(found)
