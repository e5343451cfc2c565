"""Who may write, and into which branches: the token of all, and tokens of single writers.

``FLINK_BOOST_WRITERS`` names a TOML file with a table per writer. Whoever measures the code of a
pull request gets a token that cannot touch the curve of the nights::

    [requests]
    token-file = "requests.token"
    branches = ["request", "confirmation"]
"""

from __future__ import annotations

import hmac
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True)
class Writer:
    """A holder of a token; ``branches`` is None for one who may write into all of them."""

    name: str
    token: str = field(repr=False)
    branches: frozenset[str] | None = None

    def may_write(self, branch: object) -> bool:
        """Whether results of that branch are taken from this writer."""
        return self.branches is None or (isinstance(branch, str) and branch in self.branches)


def find_writer(writers: Iterable[Writer], sent: bytes) -> Writer | None:
    """The writer whose token that is. All are compared, so that the time tells nothing."""
    found = None
    for writer in writers:
        if hmac.compare_digest(sent, writer.token.encode()):
            found = writer
    return found


def read_writers(path: Path, shortest: int) -> tuple[Writer, ...]:
    """The writers that a file names; paths in it are relative to its folder.

    Raises ``ImproperlyConfigured`` with a sentence that names what is wrong.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(path, f"cannot be read: {type(error).__name__}") from error
    writers = tuple(_writer(path, name, table, shortest) for name, table in document.items())
    if len({writer.token for writer in writers}) < len(writers):
        raise _wrong(path, "gives two writers the same token")
    return writers


def _writer(path: Path, name: str, table: Any, shortest: int) -> Writer:
    if not isinstance(table, dict) or table.keys() != {"token-file", "branches"}:
        raise _wrong(path, f"has to give {name} a token-file and branches, and nothing else")
    branches = table["branches"]
    named = isinstance(branches, list) and all(isinstance(one, str) and one for one in branches)
    if not named or not branches:
        raise _wrong(path, f"has to give {name} a list of branches, such as ['request']")
    file = path.parent / str(table["token-file"])
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"names {file}, which cannot be read: {type(error).__name__}") from error
    if len(token) < shortest:
        raise _wrong(path, f"names {file}, whose token is shorter than {shortest} characters")
    return Writer(name, token, frozenset(branches))


def _wrong(path: Path, what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"The file {path} named by FLINK_BOOST_WRITERS {what}.")
