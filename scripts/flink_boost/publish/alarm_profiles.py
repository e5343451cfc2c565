"""The flame graphs of alarms: copied below the reports, and named in a night's report."""

from __future__ import annotations

import shutil
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder
from flink_boost.judge.alarm_record import AlarmRecord
from flink_boost.measure.profiles.profile_record import ProfilePair, folder_of, read_profile
from flink_boost.publish.nightly.night_facts import ReportedProfile

FOLDER = "alarms"


def profiles_of(build: Path) -> Path:
    """Where the profiles of alarms are, each as if it were a run of the alarm's id."""
    return build / "alarms" / "profiles"


def page_of(alarm_id: str, pair: ProfilePair) -> str:
    """The differential page, relative to the folder of the reports."""
    return f"{FOLDER}/{alarm_id}/{pair.difference}"


def copy_alarm_profile(build: Path, record: AlarmRecord, reports: Path) -> ReportedProfile | None:
    """Copies an alarm's flame graphs to ``<reports>/alarms/<alarm>``; None where there are none."""
    root = profiles_of(build)
    try:
        pair = read_profile(root, record.id, record.cell)
        if pair is None:
            return None
        source, target = folder_of(root, record.id, record.cell), reports / FOLDER / record.id
        make_folder(target)
        for page in pair.pages.values():
            if not (target / page).exists():
                partial = target / f".{page}.partial"
                shutil.copyfile(source / page, partial)
                partial.replace(target / page)
    except (BrokenData, FileNotFoundError):
        return None
    links = tuple((title, f"{FOLDER}/{record.id}/{page}") for title, page in pair.pages.items())
    return ReportedProfile(alarm=record.id, links=links, text=pair.text)
