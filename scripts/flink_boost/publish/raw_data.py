"""A run's raw data in its report: one archive beside the page, so that both move together."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from flink_boost.base.files import make_folder, write_durably
from flink_boost.measure.model import RunInfo

RAW_DATA = "raw-data.zip"
_LONGEST_LOG = 1 << 20  # bytes: of a longer one the end is taken, where errors are
_ANY_TIME = (1980, 1, 1, 0, 0, 0)  # so that the same data gives the same archive


@dataclass(frozen=True)
class RawData:
    """An archive; ``link`` is relative to the folder of the run's report, ``size`` in bytes."""

    link: str
    results: int
    logs: int
    size: int

    def below(self, folder: str) -> RawData:
        """The same for a page that is one folder further up."""
        return replace(self, link=f"{quote(folder)}/{self.link}")

    @property
    def title(self) -> str:
        """What is in it, in words."""
        return f"{self.results} JMH results and {self.logs} logs, {self.size / 1024:,.0f} KB"


def pack_raw_data(results: Path, info: RunInfo, report: Path) -> RawData:
    """Packs the plan of a run, each fork's JMH JSON, and the logs that are still there."""
    run = results / info.run_id
    forks = sorted(path for path in (run / "forks").glob("*") if path.is_file())
    found = [path for path in forks if path.suffix == ".json"]
    logs = [path for path in forks if path.suffix == ".log"]
    packed: set[Path] = set()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (*sorted(run.glob("*.json")), *found, *logs):
            name = f"{info.run_id}/{path.relative_to(run).as_posix()}"
            with suppress(FileNotFoundError):  # a night deletes old logs at any moment
                bare = zipfile.ZipInfo(name, _ANY_TIME)
                archive.writestr(bare, _read(path), zipfile.ZIP_DEFLATED)
                packed.add(path)
    make_folder(report)
    write_durably(report / RAW_DATA, content.getvalue())
    return RawData(RAW_DATA, len(packed & {*found}), len(packed & {*logs}), len(content.getvalue()))


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        if path.suffix == ".log":
            file.seek(max(0, path.stat().st_size - _LONGEST_LOG))
        return file.read()
