"""What the sandbox takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

How = Literal["exited", "time", "memory", "disk", "processes", "output", "killed"]

# Prints that we are inside, then becomes the command.
BEGIN = ("/bin/sh", "-c", 'printf "%s\\n" "$0"; exec "$@"')
# What a command has in its environment besides what it is given.
TEMPORARY = Path("/tmp")  # noqa: S108 - each command has one of its own
USUAL = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(TEMPORARY), "LANG": "C.UTF-8"}
MOST_TEMPORARY = 1 << 30  # bytes of /tmp inside; it is memory

_GIB = 1 << 30
_WORDS: Mapping[How, str] = {
    "time": "took longer than it may",
    "memory": "used more memory than it may",
    "disk": "wrote more to the disk than it may",
    "processes": "started more processes and threads than it may",
    "output": "printed more than it may",
}


@dataclass(frozen=True)
class Limits:
    """What a command may use: seconds; bytes of memory, disk and output; processes and threads.

    ``memory`` is for all of its processes together, ``disk`` for all that it leaves in ``work``.
    """

    seconds: float
    memory: int = 6 * _GIB
    disk: int = 4 * _GIB
    processes: int = 1024
    output: int = 64 << 20


@dataclass(frozen=True)
class Ended:
    """How a command ended: which limit held it, or ``exited`` by itself, or ``killed`` by a signal.

    ``code`` is its exit code where it ended by itself. ``said`` are the last lines of its log,
    cleaned so that they are mere text in a comment.
    """

    how: How
    code: int | None
    said: str

    @property
    def well(self) -> bool:
        """True when it ended by itself with code 0."""
        return self.how == "exited" and self.code == 0

    @property
    def sentence(self) -> str:
        """What became of it, for an answer: "took longer than it may and was stopped"."""
        if self.how == "exited":
            return f"ended with code {self.code}"
        if self.how == "killed":
            return "was ended by a signal"
        return f"{_WORDS[self.how]} and was stopped"


@dataclass(frozen=True)
class Owners:
    """The users that commands may run as: numbers that nobody on this machine has.

    ``first`` is None when we are no root: then a command runs as another user by its own user
    namespace only.
    """

    first: int | None
    count: int = 1
