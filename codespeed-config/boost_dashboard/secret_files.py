"""Secrets in files: those that a service is given, those that the embedded dashboard makes.

The latter are kept beside its database.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SECRET_BYTES = 48
_LARGEST_FILE = 10_000


def given_secret(environ: Mapping[str, str], variable: str) -> str:
    """The variable's value, or the content of the file that ``<variable>_FILE`` names, or ''.

    Raises ``ImproperlyConfigured``, without a word of the secret, for a file that is missing,
    empty, no text, or open to every account of the machine.
    """
    secret = environ.get(variable, "").strip()
    file = environ.get(f"{variable}_FILE", "").strip()
    return secret if secret or not file else _read_given(Path(file), f"{variable}_FILE")


def _read_given(path: Path, named_by: str) -> str:
    what = f"The file {path} named by {named_by}"
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(_LARGEST_FILE + 1)
        text = content.decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"{what} cannot be read: {type(error).__name__}. Correct the path, or give the file to "
            f"the account of this process (number {os.getuid()})."
        ) from error
    if mode & 0o007:
        raise ImproperlyConfigured(
            f"{what} is open to every account of this machine. Run `chmod o= {path}`; a secret "
            "that a container or a cluster mounts needs the mode 0400 or 0440."
        )
    if not text or len(content) > _LARGEST_FILE:
        raise ImproperlyConfigured(
            f"{what} is {'too large' if text else 'empty'}. Write the secret into it, and nothing "
            "else: for example the output of `openssl rand -hex 32`."
        )
    return text


def read_or_create(path: Path) -> str:
    """The secret kept in that file; made on first use, readable by its owner only.

    Several processes may call this at once: all get the same secret. A file that others could read
    is closed to them first. Raises ``OSError`` when the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not _holds_secret(path):
        _publish(path, secrets.token_urlsafe(SECRET_BYTES))
    path.chmod(0o600)
    return path.read_text(encoding="ascii").strip()


def _holds_secret(path: Path) -> bool:
    try:
        return bool(path.read_bytes().strip())
    except FileNotFoundError:
        return False


def _publish(path: Path, secret: str) -> None:
    """Puts a complete file in place; whoever comes second keeps the first one's secret."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secret + "\n")
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and not _holds_secret(path):
            path.unlink(missing_ok=True)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        Path(draft).unlink()
