"""Writes the list of patched classes in NOTICE, from ``lines.toml``. ``make format`` runs it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.classes import PatchedClass
from flink_boost.flink.lines import load_patched

NOTICE = Path("NOTICE")
_LIST = re.compile(r"(?<=, changed as follows:\n\n)(?:  [^\n]*\n)*")


def main(root: Path = PROJECT_ROOT) -> None:
    """Writes it."""
    before = (root / NOTICE).read_text(encoding="utf-8")
    after = with_list(before, load_patched(root / "lines.toml").values())
    if after != before:
        write_durably(root / NOTICE, after)


def with_list(notice: str, patched: Iterable[PatchedClass]) -> str:
    """The text as it should be. Raises ``BrokenData`` where it has no place for the list."""
    entries = "".join(f"  {each.name}{_bounds(each)}\n" for each in patched)
    result, count = _LIST.subn(lambda _: entries, notice)
    if count != 1:
        raise BrokenData(f"{NOTICE} has no list of the patched classes.", "Put it back.")
    return result


def _bounds(patched: PatchedClass) -> str:
    """The releases that have the class; empty for all."""
    if not patched.since and not patched.until:
        return ""
    if not patched.since:
        releases = f"to {patched.until}"
    elif not patched.until:
        releases = f"from {patched.since}"
    else:
        releases = f"{patched.since} to {patched.until}"
    return f" (Flink {releases} only)"


if __name__ == "__main__":
    main()
