"""The spool: results wait here, on disk, until Codespeed has accepted them.

A finished run becomes one *entry* per executable (``stock 2.3.0``, ``patched 2.3.0``): the list of
results that Codespeed takes in one request. Entries live in two folders::

    <spool>/unsent/<key>.json    written by fsync and atomic rename before anything is sent
    <spool>/sent/<key>.json      the same file, moved here once Codespeed has accepted it

The key is computed from the run alone, so that spooling a run again does nothing. Sending an entry
again does nothing either: Codespeed overwrites by commit id, branch, executable, benchmark and
environment, and all of them are fixed in the entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, write_durably
from flink_boost.measure.history import load_history
from flink_boost.measure.model import RunInfo
from flink_boost.publish.codespeed import Entry, entries_of, entry_keys

_LOCK_POLL_SECONDS = 0.2


class Spool:
    """The two folders, and the lock that only one sender holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsent = folder / "unsent"
        self._sent = folder / "sent"

    def add(self, entry: Entry) -> bool:
        """Writes the entry; false when it is known already, sent or not."""
        if self.knows(entry.key):
            return False
        make_folder(self._unsent)
        write_durably(self._path(self._unsent, entry.key), entry.model_dump_json(indent=1) + "\n")
        return True

    def knows(self, key: str) -> bool:
        """True when an entry of that key was spooled before.

        Looks at ``unsent`` before ``sent``: entries only ever move that way, so one that is being
        moved at this moment is seen in one of the two.
        """
        return self._path(self._unsent, key).exists() or self._path(self._sent, key).exists()

    def unsent_keys(self) -> tuple[str, ...]:
        """Keys of the entries that Codespeed has not accepted yet, sorted."""
        return _keys(self._unsent)

    def sent_keys(self) -> tuple[str, ...]:
        """Keys of the entries that Codespeed has accepted, sorted."""
        return _keys(self._sent)

    def load_unsent(self, key: str) -> Entry:
        """Reads one entry.

        Raises ``BrokenData`` when the file is not what :meth:`add` wrote.
        """
        path = self._path(self._unsent, key)
        try:
            entry = Entry.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise BrokenData(
                f"The spooled result {path} cannot be read ({type(error).__name__}).",
                "Delete it and run `flink-boost upload` again: it is made anew from its run.",
            ) from error
        if entry.key != key:
            raise BrokenData(
                f"The spooled result {path} holds the entry {entry.key!r}.",
                "Give the file its own name back.",
            )
        return entry

    def mark_sent(self, key: str) -> None:
        """Moves an accepted entry; after a crash just before, it is merely sent once more."""
        make_folder(self._sent)
        publish(self._path(self._unsent, key), self._path(self._sent, key))

    @contextmanager
    def sender_lock(
        self, wait_seconds: float = 10.0, sleep: Callable[[float], None] = time.sleep
    ) -> Iterator[None]:
        """Held while entries are sent; the kernel frees it when the holder dies.

        Raises ``EnvironmentProblem`` when another process holds it for longer than the wait.
        """
        with ExitStack() as held:
            waited = 0.0
            while True:
                try:
                    held.enter_context(
                        exclusive_lock(self.folder / "sender.lock", "flink-boost upload")
                    )
                    break
                except EnvironmentProblem:
                    if waited >= wait_seconds:
                        raise
                sleep(_LOCK_POLL_SECONDS)
                waited += _LOCK_POLL_SECONDS
            yield

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / f"{key}.json"


def spool_new_runs(spool: Spool, results: Path, environment: str | None) -> tuple[str, ...]:
    """Spools every complete run of the results store that is not spooled yet.

    Gives a sentence for each run that cannot be spooled; it does not keep the others from it.
    """

    def is_new(run: RunInfo) -> bool:
        return not all(spool.knows(key) for key in entry_keys(run))

    history = load_history(results, wanted=is_new)
    problems = list(history.broken)
    for run in history.runs:
        try:
            for entry in entries_of(run.info, run.forks, environment):
                spool.add(entry)
        except BrokenData as error:
            problems.append(f"Run {run.info.run_id} is not sent: {error}")
    return tuple(problems)


def _keys(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name.removesuffix(".json") for path in folder.glob("*.json")))
