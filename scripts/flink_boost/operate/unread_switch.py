"""Finds a kill switch that is written in the configuration and does not reach the processes.

From 1.19 on the configuration has two names, of which the scripts of 1.19 and 1.20 read one. From
1.17 on the options of all processes have several keys, of which ``bin/config.sh`` reads one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from flink_boost.flink.home import CONFIGURATIONS, FlinkHome
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.switches import PROPERTIES
from flink_boost.operate.findings import Finding, Level

_SWITCH = re.compile(
    rf"-D(?P<name>{'|'.join(map(re.escape, PROPERTIES))})=(?P<value>off|check|true)(?![\w-])"
)
_WITHOUT = {
    "off": "run our code",
    "check": "hold no records against Flink's own code",
    "true": "start where a family is off, too",
}
_SETTING = re.compile(r"( *)([\w.-]+) *: *(.*)")
# The client of 1.9 reads no options from a file.
_FOR_ALL = ("jobmanager", "taskmanager")
_KEYS = {
    **dict.fromkeys(("env.java.opts", "env.java.opts.all", "env.java.default-opts.all"), _FOR_ALL),
    **{f"env.java.opts.{role}": (role,) for role in ROLES},
}


def unread_switch(
    home: FlinkHome, launch: Launch, environment: Mapping[str, str]
) -> Iterator[Finding]:
    """A warning for each such line: a role for which it stands has no value of the switch at all.

    A value that another key sets is no sign: the last one counts. A file that cannot be read is
    told, too.
    """
    for file in (home.conf(environment) / name for name in CONFIGURATIONS):
        try:
            text = file.read_text(errors="replace") if file.is_file() else ""
        except OSError as error:
            yield Finding(
                Level.WARNING,
                f"Whether {file} sets the kill switch is not known: {error.strerror}.",
                "Run doctor as the user whom Flink runs as.",
            )
            continue
        for key, value in _settings(text):
            found = _SWITCH.search(value)
            roles = _KEYS.get(key, ()) if found else ()
            missed = [
                role for role in roles if found and launch.switch(role, found["name"]) is None
            ]
            if found and missed:
                yield Finding(
                    Level.WARNING,
                    f"{file} sets {found[0]} under {key}, but it does not reach the"
                    f" {' and the '.join(missed)}, which will {_WITHOUT[found['value']]}.",
                    "Set it where docs/operating.md (Roll back) says for this Flink: it reads one"
                    " of config.yaml and flink-conf.yaml, and env.java.opts only where"
                    " env.java.opts.all is not set.",
                )


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Keys with dots and their values, of YAML's nested form, too."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        found = _SETTING.fullmatch(line)
        if found is None:
            continue
        indent, name, value = len(found[1]), found[2], found[3]
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, name))
        if value:
            yield ".".join(part for _, part in above), value.partition(" #")[0]
