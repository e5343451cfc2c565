"""Finds a kill switch that is written in the configuration and that Flink's scripts do not read.

From 1.19 on there are two names for the file, of which the scripts read one; and from 1.17 on the
options for all processes have two keys, of which ``config.sh`` takes the one that ends in ``all``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from flink_boost.flink.home import FlinkHome
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.operate.findings import Finding, Level

_FILES = ("config.yaml", "flink-conf.yaml")
_SWITCH = re.compile(r"^[^#\n]*-Dflink\.boost\.mode=off\b", re.MULTILINE)


def unread_switch(
    home: FlinkHome, launch: Launch, environment: Mapping[str, str]
) -> Iterator[Finding]:
    """A warning for each such file, where no process would be switched off."""
    if any(launch.mode(role) == "off" for role in ROLES):
        return
    conf = Path(environment.get("FLINK_CONF_DIR") or home.folder / "conf")
    there = [conf / name for name in _FILES if (conf / name).is_file()]
    for file in there:
        if not _SWITCH.search(file.read_text(errors="replace")):
            continue
        why = "another key of it counts"
        for other in there:
            if other != file:
                why = f"{other.name} beside it is read in its place, or {why}"
        yield Finding(
            Level.WARNING,
            f"{file} says -Dflink.boost.mode=off, but no process would start so: {why}.",
            "Set it in the file and under the key that docs/operating.md names for this Flink"
            " (Roll back).",
        )
