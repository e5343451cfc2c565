"""A run's raw data in its report: one archive beside the page, so that both move together."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably
from flink_boost.measure import fork_files, packing
from flink_boost.measure.model import RunInfo

RAW_DATA = "raw-data.zip"
_LONGEST_LOG = 1 << 20  # bytes: of a longer one the end is taken, where errors are


@dataclass(frozen=True)
class RawData:
    """An archive; ``link`` is relative to the folder of the run's report, ``size`` in bytes."""

    link: str
    results: int
    logs: int
    size: int

    @property
    def title(self) -> str:
        """What is in it, in words."""
        return f"{self.results} JMH results and {self.logs} logs, {self.size / 1024:,.0f} KB"


def pack_raw_data(results: Path, info: RunInfo, report: Path, *, logs: bool = True) -> RawData:
    """Packs the plan of a run, each fork's JMH JSON, and with ``logs`` those still there.

    A fork that the run has lost stays as the last archive had it, which may be the only copy.
    """
    run = results / info.run_id
    found = _forks(run, packing.FORKS, ".json")
    lost = {f"forks/{one.stem}.json" for one in fork_files.planned_forks(info)} - found.keys()
    if lost:
        with suppress(BrokenData):
            kept = packing.members(report, RAW_DATA).whole
            names = {name: f"{info.run_id}/{name}" for name in sorted(lost)}
            found |= {name: kept[full] for name, full in names.items() if full in kept}
    said = _forks(run, packing.LOGS, ".log") if logs else {}
    own: dict[str, bytes] = {}
    for path in sorted(run.glob("*.json")):
        with suppress(FileNotFoundError):  # a summary is replaced at any moment
            own[path.name] = path.read_bytes()
    content = packing.packed(
        {f"{info.run_id}/{name}": data for name, data in (own | found | said).items()}
    )
    make_folder(report)
    write_durably(report / RAW_DATA, content)
    return RawData(RAW_DATA, len(found), len(said), len(content))


def drop_logs(results: Path, info: RunInfo, report: Path) -> None:
    """Takes the logs out of the archive. One that is damaged is made anew from the run."""
    try:
        kept = packing.contents(report, RAW_DATA)
    except BrokenData:
        pack_raw_data(results, info, report, logs=False)
        return
    without = {name: data for name, data in kept.items() if not name.endswith(".log")}
    write_durably(report / RAW_DATA, packing.packed(without))


def _forks(run: Path, archive: str, ending: str) -> dict[str, bytes]:
    """What lies in ``forks/`` of that ending, and before it what is packed."""
    plain: dict[str, bytes] = {}
    for path in sorted(one for one in (run / "forks").glob(f"*{ending}") if one.is_file()):
        with suppress(FileNotFoundError):  # a night packs them, and deletes old logs, at any moment
            plain[path.name] = _read(path)
    packed = packing.members(run, archive).whole
    merged = (
        {name: data[-_LONGEST_LOG:] for name, data in packed.items()}
        if ending == ".log"
        else packed
    )
    return {f"forks/{name}": data for name, data in sorted((merged | plain).items())}


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        if path.suffix == ".log":
            file.seek(max(0, path.stat().st_size - _LONGEST_LOG))
        return file.read()
