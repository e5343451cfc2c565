"""Who may write, and into which branches: the token of all, and tokens of single writers.

A TOML file has a table per writer: ``FLINK_BOOST_WRITERS`` names it, else it is ``writers.toml``
in the data folder. Whoever measures the code of a pull request gets a token that cannot touch the
curve of the nights. ``flink-boost dashboard token`` writes tables of the first form::

    [requests]
    token-sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    branches = ["benchmark-request", "confirmation"]      # without it: all
    created = 2026-03-01

    [by-hand]
    token-file = "by-hand.token"                # beside this file
    branches = ["by-hand"]

The token itself cannot be had from its SHA-256: it is random, so nothing can be guessed.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

SHORTEST_TOKEN = 20  # characters
FILE_NAME = "writers.toml"

logger = logging.getLogger(__name__)

_KEYS = {"token-file", "token-sha256", "branches", "created"}


@dataclass(frozen=True)
class Writer:
    """A holder of a token; ``branches`` is None for one who may write into all of them.

    ``digest`` is the SHA-256 of the token, 32 bytes.
    """

    name: str
    digest: bytes = field(repr=False)
    branches: frozenset[str] | None = None
    created: date | None = None

    @property
    def fingerprint(self) -> str:
        """Enough to tell tokens apart, and nothing that opens anything."""
        return self.digest.hex()[:12]

    def may_write(self, branch: object) -> bool:
        """Whether results of that branch are taken from this writer."""
        return self.branches is None or (isinstance(branch, str) and branch in self.branches)


def digest_of(token: str | bytes) -> bytes:
    """What is kept of a token, and compared."""
    return hashlib.sha256(token.encode() if isinstance(token, str) else token).digest()


def find_writer(writers: Iterable[Writer], sent: bytes) -> Writer | None:
    """The writer whose token that is. All are compared, so that the time tells nothing."""
    found = None
    digest = digest_of(sent)
    for writer in writers:
        if hmac.compare_digest(digest, writer.digest):
            found = writer
    return found


def sent_token(authorization: str) -> str:
    """The token in a header ``Authorization: Bearer <token>``; none is empty, which is nobody's."""
    scheme, _, sent = authorization.partition(" ")
    return sent.strip() if scheme.lower() == "bearer" else ""


@dataclass(frozen=True)
class Writers:
    """All writers of a dashboard; iterating reads the file again, so that a revoked token is none.

    A file that is damaged while the server runs lets nobody in but the token of all. The default
    file (``required`` false) may be missing.
    """

    general: Writer
    path: Path
    required: bool

    def __iter__(self) -> Iterator[Writer]:
        yield self.general
        try:
            yield from self.read()
        except ImproperlyConfigured as error:
            logger.error("only the token of all is taken: %s", error)

    def read(self) -> tuple[Writer, ...]:
        """Those of the file. Raises ``ImproperlyConfigured`` with a sentence that says what is
        wrong."""
        if not self.required and not self.path.exists():
            return ()
        writers = read_writers(self.path)
        if any(writer.digest == self.general.digest for writer in writers):
            raise ImproperlyConfigured(
                f"A writer in {self.path} has the token of all: give it one of its own."
            )
        return writers


def read_writers(path: Path) -> tuple[Writer, ...]:
    """The writers that a file names; paths in it are relative to its folder.

    Raises ``ImproperlyConfigured`` with a sentence that names what is wrong.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        will_do = "; an empty one will do" if isinstance(error, FileNotFoundError) else ""
        raise _wrong(path, f"cannot be read: {type(error).__name__}{will_do}") from error
    writers = tuple(_writer(path, name, table) for name, table in document.items())
    if len({writer.digest for writer in writers}) < len(writers):
        raise _wrong(path, "gives two writers the same token")
    return writers


def _writer(path: Path, name: str, table: Any) -> Writer:
    if not isinstance(table, dict) or not table.keys() <= _KEYS:
        raise _wrong(path, f"has to give {name} a token and branches, and nothing else")
    created = table.get("created")
    return Writer(
        name,
        _digest(path, name, table),
        _branches(path, name, table),
        created if isinstance(created, date) else None,
    )


def _digest(path: Path, name: str, table: dict[str, Any]) -> bytes:
    kinds = table.keys() & {"token-file", "token-sha256"}
    if len(kinds) != 1:
        raise _wrong(path, f"has to give {name} either a token-file or a token-sha256")
    if kinds == {"token-sha256"}:
        text = table["token-sha256"]
        if not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{64}", text):
            raise _wrong(path, f"gives {name} a token-sha256 that is not 64 hexadecimal digits")
        return bytes.fromhex(text)
    file = path.parent / str(table["token-file"])
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"names {file}, which cannot be read: {type(error).__name__}") from error
    if len(token) < SHORTEST_TOKEN:
        raise _wrong(path, f"names {file}, whose token is shorter than {SHORTEST_TOKEN} characters")
    return digest_of(token)


def _branches(path: Path, name: str, table: dict[str, Any]) -> frozenset[str] | None:
    if "branches" not in table and "token-sha256" in table:
        return None
    branches = table.get("branches")
    named = isinstance(branches, list) and all(isinstance(one, str) and one for one in branches)
    if not named or not branches:
        raise _wrong(path, f"has to give {name} a list of branches, such as ['benchmark-request']")
    return frozenset(branches)


def _wrong(path: Path, what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"The file of writers {path} {what}.")
