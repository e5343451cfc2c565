"""Secrets that the embedded dashboard makes for itself and keeps beside its database."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

SECRET_BYTES = 48


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
