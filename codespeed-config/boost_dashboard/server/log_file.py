"""The log file of a server in the background, kept small while it runs.

It is the processes' standard output, opened for appending and shared by all of them. So it is
copied and emptied where it is; whoever holds it writes on at its new end.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger(__name__)

LARGEST_LOG = 5 * 1024 * 1024  # bytes; as much again is kept of what was before


@dataclass(frozen=True)
class LogFile:
    """``path`` is what standard error goes to."""

    path: Path
    largest: int = LARGEST_LOG

    def trim(self) -> bool:
        """Copies a file that has grown too large to ``<name>.1`` and empties it; true if it did.

        On a full disk it is emptied without a copy: bounded is what it has to be.
        """
        try:
            with self.path.open("rb+") as file:
                # Another process of the same server may be at it.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file.fileno()).st_size <= self.largest:
                    return False
                draft = self.path.with_name(f".{self.path.name}.1")
                try:
                    shutil.copyfile(self.path, draft)
                    draft.replace(self.path.with_name(f"{self.path.name}.1"))
                except OSError as error:
                    with suppress(OSError):
                        draft.unlink()
                    file.truncate(0)
                    logger.warning("the log before this line is lost: %s", error.strerror)
                else:
                    file.truncate(0)
                return True
        except OSError:
            return False


def find_log_file(environ: Mapping[str, str]) -> LogFile | None:
    """The file that ``FLINK_BOOST_LOG`` names, if this process does write to it."""
    named = environ.get("FLINK_BOOST_LOG", "")
    if not named:
        return None
    with suppress(OSError, ValueError):
        if os.path.samestat(os.fstat(sys.stderr.fileno()), Path(named).stat()):
            return LogFile(Path(named))
    return None
