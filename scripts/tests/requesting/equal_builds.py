"""Counts what is said of a pull request that adds a comment: many requests, the whole way each.

    python -m requesting.equal_builds --requests 100 --folder /var/tmp/equal-builds

Can be stopped and started again on the same folder: what was counted stays.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from flink_boost.service.requests.request import Request
from requesting.whole_way import WholeWay, whole_way

_NAMES = "*write[length=16,kind={},profile=mixed,view=serializer]"
COMMAND = f"/benchmark-request {_NAMES.format('ascii')} {_NAMES.format('cjk')} pairs=5"
TOLD = ("**Slower**", "**Faster**")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    kept = given.folder / "verdicts.jsonl"
    began = time.monotonic()
    now = time.time_ns()
    place_of_this_run = given.folder / f"at-{now}"
    place_of_this_run.mkdir()
    with whole_way(place_of_this_run, given.folder / "build", given.requests, now) as place:
        for number in range(_counted(kept) + 1, given.requests + 1):
            if time.monotonic() - began > 60 * given.minutes:
                break
            ended = _answered(place, number)
            first = ended.answer.partition("\n")[0] or f"failed: {ended.note}"
            minutes = (ended.ended - ended.asked).total_seconds() / 60 if ended.ended else None
            line = json.dumps({"request": number, "verdict": first, "minutes": minutes})
            with kept.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    return _report(kept)


def _answered(place: WholeWay, number: int) -> Request:
    """The request of a new comment, ended. Raises ``RuntimeError`` when it was not served."""
    with place.server.lock:
        place.server.state.write(number, "alice", COMMAND)
    known = {request.id for request in place.serving.desks[0].queue.latest(1)}
    place.serving.once()
    (ended,) = place.serving.desks[0].queue.latest(1)
    if ended.id in known:
        raise RuntimeError(f"The comment on pull request {number} was not served.")
    return ended


def _counted(kept: Path) -> int:
    return len(kept.read_text(encoding="utf-8").splitlines()) if kept.exists() else 0


def _report(kept: Path) -> int:
    found = [json.loads(line)["verdict"] for line in kept.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(verdict.partition(":")[0] for verdict in found)
    wrong = sum(verdict.startswith(TOLD) for verdict in found)
    sys.stdout.write(f"{len(found)} requests: {dict(kinds)}; {wrong} said slower or faster\n")
    return 0 if wrong <= max(1, len(found) // 100) else 1


if __name__ == "__main__":
    sys.exit(main())
