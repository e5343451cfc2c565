"""Whether generated code moved the records of a job in a TaskManager, by what it left behind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from our_classes import announced

_OURS = "org.apache.flink.boost.records"
_MADE = ("purchase", "visit")
# Those of POJOs and Java records are named after these, the others after our own class.
_RECORDS = frozenset(
    [
        "Address",
        "Buyer",
        "Purchase",
        "Visit",
        *(f"{_OURS}.ColumnAccess${t}" for t in ("Tuple3", "Row")),
    ]
)


def assert_generated_code_moves_records(
    log: str, loaded: Mapping[str, str], folder: Path, pid: int, *, reads: int
) -> None:
    """What a TaskManager logged and loaded, and a run of the job in it, say that records are on.

    ``reads``: how many records of a kind have to be read by generated code.
    """
    lines = announced(log)
    assert [line for line in lines if ": mode on" in line and "records off" not in line], lines
    missing = _RECORDS - generated_for(loaded)
    assert not missing, missing
    called = makers(folder, pid)
    for kind in _MADE:
        assert _by_ours(called, kind, "copy"), called
        assert _by_ours(called, kind, "deserialize") >= reads, called


def assert_flink_moves_records(loaded: Mapping[str, str], folder: Path, pid: int) -> None:
    """The same of a TaskManager without our code."""
    assert not generated_for(loaded)
    called = makers(folder, pid)
    assert called
    assert not [name for name in called if _OURS in name]


def generated_for(loaded: Mapping[str, str]) -> set[str]:
    """The records that a process has generated classes for, by the classes that it loaded."""
    hidden = [name.partition("/0x")[0] for name in loaded if "/0x" in name]
    return {
        name.removesuffix("$FlinkBoostAccess")
        for name in hidden
        if name.endswith("$FlinkBoostAccess") or name.startswith(f"{_OURS}.ColumnAccess$")
    }


def _by_ours(called: Mapping[str, int], kind: str, method: str) -> int:
    start, end = f"{kind} by {_OURS}.", f".{method}"
    return sum(n for name, n in called.items() if name.startswith(start) and name.endswith(end))


def makers(folder: Path, pid: int) -> dict[str, int]:
    """How often whose method made records, as ``purchase by org.apache…PojoSerializer.copy``."""
    lines = (folder / f"makers-{pid}.txt").read_text().splitlines()
    return {name: int(times) for name, _, times in (line.rpartition(": ") for line in lines)}
