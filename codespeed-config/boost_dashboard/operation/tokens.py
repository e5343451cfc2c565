"""Changes the file of writers: a token made, listed or revoked. Comments in it are kept."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import tomlkit
from tomlkit import TOMLDocument

from boost_dashboard.writers import Writer, Writers, digest_of
from flink_boost.base.errors import UsageProblem

TOKEN_BYTES = 48  # of randomness; 64 characters of base64
LONGEST_BRANCH = 32  # Codespeed's column
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


def new_token(writers: Writers, name: str, branches: Sequence[str], today: date) -> str:
    """The token of a writer that is known from now on; nothing but its SHA-256 is kept.

    Without branches it may write into all. Raises ``UsageProblem`` for a name that is taken.
    """
    if not _NAME.fullmatch(name) or name == writers.general.name:
        raise UsageProblem(
            f"{name!r} cannot be the name of a writer.",
            f"Use up to 63 letters, digits, - and _, but not {writers.general.name!r}.",
        )
    for branch in branches:
        if not branch.strip() or not branch.isprintable() or len(branch) > LONGEST_BRANCH:
            raise UsageProblem(
                f"{branch!r} cannot be a branch.", f"Use up to {LONGEST_BRANCH} characters."
            )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    entry = tomlkit.table()
    entry.add("token-sha256", digest_of(token).hex())
    if branches:
        entry.add("branches", list(branches))
    entry.add("created", today)

    def add(document: TOMLDocument) -> None:
        if name in document:
            raise UsageProblem(
                f"There is a writer {name} already.", "Choose another name, or revoke that one."
            )
        document.add(name, entry)

    _change(writers, add)
    return token


def revoke(writers: Writers, name: str) -> Writer:
    """Takes a writer out of the file. Raises ``UsageProblem`` for a name that is not in it."""
    known = {writer.name: writer for writer in writers.read()}
    if name not in known:
        names = ", ".join(sorted(known)) or "none"
        raise UsageProblem(f"There is no writer {name!r}.", f"There are: {names}.")

    def remove(document: TOMLDocument) -> None:
        document.remove(name)

    _change(writers, remove)
    return known[name]


@contextmanager
def private_file(path: Path) -> Iterator[Callable[[str], None]]:
    """Makes a file that only its owner reads, and hands over what fills it; none stays on an error.

    Raises ``UsageProblem`` when there is a file of that name.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise UsageProblem(f"{path} is there already.", "Name another file.") from error
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            yield lambda text: print(text, file=file)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _change(writers: Writers, change: Callable[[TOMLDocument], None]) -> None:
    path = writers.path.resolve()  # a link stays one
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        writers.read()  # a damaged file is not changed
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        document = tomlkit.parse(text)
        change(document)
        _replace(path, tomlkit.dumps(document))
        os.fsync(folder)
    finally:
        os.close(folder)


def _replace(path: Path, text: str) -> None:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            _make_readable_as(file.fileno(), path)
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _make_readable_as(handle: int, path: Path) -> None:
    """The server that reads the file may run as another user than whoever changes it."""
    model = (path if path.exists() else path.parent).stat()
    if os.geteuid() == 0:
        os.fchown(handle, model.st_uid, model.st_gid)
    os.fchmod(handle, stat.S_IMODE(model.st_mode) & 0o777 if path.exists() else 0o600)
