"""The spool: results wait here, on disk, until Codespeed has accepted them.

A finished run becomes one *entry* per executable (``stock 2.3.0``, ``patched 2.3.0``): the list of
results that Codespeed takes in one request. Entries live in three folders::

    <spool>/unsent/<key>.json    written by fsync and atomic rename before anything is sent
    <spool>/sent/<key>.json      the same file, moved here once Codespeed has accepted it
    <spool>/dropped/<key>.json   the same file, given up by hand or replaced by a later revision
    <spool>/trouble/<key>.json   how often and why an unsent entry was not accepted

The key is computed from the run alone, so that spooling a run again does nothing. Sending an entry
again does nothing either: Codespeed overwrites by commit id, branch, executable, benchmark and
environment, and all of them are fixed in the entry. For the same reason a run whose scores were
changed by a repair is sent once more, as a later revision of the entry: ``<key>.r2``. It updates
the points that are there, and an earlier revision that still waits is not sent any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, InUse, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, write_durably
from flink_boost.measure.model import Frozen
from flink_boost.publish.codespeed import SpoolEntry, split_key

_LOCK_POLL_SECONDS = 0.2
_NAMED = 10  # so many keys are named to somebody who looks for one


class Trouble(Frozen):
    """What became of an entry so far that is not accepted."""

    failures: int = 0
    reason: str = ""


class Spool:
    """The folders, and the lock that only one sender holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsent = folder / "unsent"
        self._sent = folder / "sent"
        self._dropped = folder / "dropped"
        self._trouble = folder / "trouble"

    def add(self, entry: SpoolEntry) -> bool:
        """Writes the entry; false when it is known already, sent or not."""
        if self.knows(entry.key):
            return False
        make_folder(self._unsent)
        write_durably(self._path(self._unsent, entry.key), entry.model_dump_json(indent=1) + "\n")
        return True

    def knows(self, key: str) -> bool:
        """True when an entry of that key was spooled before, dropped ones included.

        Looks at ``unsent`` first: entries only ever move away from there, so one that is being
        moved at this moment is seen in one of them.
        """
        folders = (self._unsent, self._sent, self._dropped)
        return any(self._path(folder, key).exists() for folder in folders)

    def unsent_keys(self) -> tuple[str, ...]:
        """Keys of the entries that Codespeed has not accepted yet, sorted."""
        return _keys(self._unsent)

    def sent_keys(self) -> tuple[str, ...]:
        """Keys of the entries that Codespeed has accepted, sorted."""
        return _keys(self._sent)

    def dropped_keys(self) -> tuple[str, ...]:
        """Keys of the entries that were given up, sorted."""
        return _keys(self._dropped)

    def load_unsent(self, key: str) -> SpoolEntry:
        """Reads one entry.

        Raises ``BrokenData`` when the file is not what :meth:`add` wrote.
        """
        path = self._path(self._unsent, key)
        try:
            entry = SpoolEntry.model_validate_json(path.read_bytes())
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
        self._move(key, self._sent)

    def drop(self, key: str) -> Path:
        """Gives an unsent entry up, readable or not, and returns where its file is kept.

        It is not spooled again. The caller holds :meth:`sender_lock`. Raises ``UsageProblem``,
        naming the keys that there are, when no unsent entry has that key.
        """
        known = self.unsent_keys()
        if key not in known:
            named = ", ".join(known[:_NAMED]) + (", …" if len(known) > _NAMED else "")
            raise UsageProblem(
                f"No unsent result has the key {key!r}.",
                f"Unsent are: {named}." if known else "Everything is sent already.",
            )
        self._move(key, self._dropped)
        return self._path(self._dropped, key)

    def take_back(self, key: str) -> None:
        """Forgets an unsent entry, which is made anew from its run when that counts again.

        The caller holds :meth:`sender_lock`.
        """
        for folder in (self._trouble, self._unsent):
            self._path(folder, key).unlink(missing_ok=True)

    def drop_replaced(self) -> tuple[str, ...]:
        """Drops unsent entries of which a later revision is here, and returns their keys.

        Sent after it, one would put the old values back. The caller holds :meth:`sender_lock`.
        """
        newest: dict[str, int] = {}
        for key in (*self.unsent_keys(), *self.sent_keys()):
            stem, revision = split_key(key)
            newest[stem] = max(revision, newest.get(stem, 0))
        replaced = []
        for key in self.unsent_keys():
            stem, revision = split_key(key)
            if revision < newest[stem]:
                self.drop(key)
                replaced.append(key)
        return tuple(replaced)

    def replaces_sent(self, key: str) -> bool:
        """True when an earlier revision of that entry was sent."""
        stem, revision = split_key(key)
        return revision > 1 and any(
            split_key(other)[0] == stem and split_key(other)[1] < revision
            for other in self.sent_keys()
        )

    def trouble(self, key: str) -> Trouble:
        """How often an entry was not accepted, in this call and those before."""
        try:
            return Trouble.model_validate_json(self._path(self._trouble, key).read_bytes())
        except (OSError, ValidationError):
            return Trouble()

    def note_trouble(self, key: str, reason: str) -> None:
        """Remembers that an entry was not accepted, so that others are sent before it."""
        noted = Trouble(failures=self.trouble(key).failures + 1, reason=reason)
        make_folder(self._trouble)
        write_durably(self._path(self._trouble, key), noted.model_dump_json() + "\n")

    @contextmanager
    def sender_lock(
        self, wait_seconds: float = 10.0, sleep: Callable[[float], None] = time.sleep
    ) -> Iterator[None]:
        """Held while entries are sent; the kernel frees it when the holder dies.

        Raises ``InUse`` when another process holds it for longer than the wait.
        """
        with ExitStack() as held:
            waited = 0.0
            while True:
                try:
                    held.enter_context(
                        exclusive_lock(self.folder / "sender.lock", "flink-boost upload")
                    )
                    break
                except InUse:
                    if waited >= wait_seconds:
                        raise
                sleep(_LOCK_POLL_SECONDS)
                waited += _LOCK_POLL_SECONDS
            yield

    def _move(self, key: str, folder: Path) -> None:
        make_folder(folder)
        publish(self._path(self._unsent, key), self._path(folder, key))
        with suppress(FileNotFoundError):
            self._path(self._trouble, key).unlink()

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / f"{key}.json"


def _keys(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name.removesuffix(".json") for path in folder.glob("*.json")))
