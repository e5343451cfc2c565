"""What alarms that are not closed point to: it stays, however old it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.judge.alarm_record import CURRENT, AlarmState
from flink_boost.measure.model import RunInfo
from flink_boost.publish.codespeed import commit_id

_CLOSED = frozenset(AlarmState) - frozenset(CURRENT)


@dataclass(frozen=True)
class References:
    """``alarms`` are ids of those that are not closed, ``text`` all that is written of them."""

    alarms: frozenset[str] = frozenset()
    text: str = ""

    def name(self, thing: str) -> bool:
        """Whether a run, a night or a commit of the dashboard is named by one of them."""
        return f'"{thing}' in self.text

    def name_run(self, info: RunInfo) -> bool:
        """Whether they lead to that run, by its name or by the dashboard's."""
        return self.name(info.run_id) or self.name(commit_id(info))


def load_references(build: Path) -> References:
    """Raises ``BrokenData`` when alarms cannot be read: nobody knows then what they point to."""
    found: list[dict[str, object]] = []
    for path in sorted((build / "alarms").glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            found += [one for one in document["alarms"] if one["state"] not in _CLOSED]
            ids = frozenset(str(one["id"]) for one in found)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BrokenData(
                f"{path} is no list of alarms.",
                "Restore it: nothing is deleted while nobody knows what alarms need.",
            ) from error
    ids = frozenset(str(one["id"]) for one in found)
    return References(ids, json.dumps(found))
