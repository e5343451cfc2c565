"""Reads which other jars a jar names: a JVM loads classes from these as well."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.dropin import reading_zip
from flink_boost.flink.home import FileNow

# Javas before 22 read the second one, too. They take the first one in any case of its letters.
_MANIFEST, _INDEX = "META-INF/MANIFEST.MF", "META-INF/INDEX.LIST"
# The second one is an agent's.
_NAMED = re.compile(r"^(?:Boot-)?Class-Path: *(.*)$", re.IGNORECASE | re.MULTILINE)
_CONTINUED = re.compile(r"(?:\r\n|\r|\n) ")
_PATH_ONLY = ("", "")


def named_jars(jar: Path) -> Iterator[Path]:
    """The jars and folders that its manifest and its index name, none for a file that is no jar.

    Raises ``EnvironmentProblem`` for an address that is no file's.
    """
    for address in _addresses(jar):
        parts = urlsplit(address)
        if (
            parts.scheme not in ("", "file")
            or parts.netloc not in ("", "localhost")
            or (parts.query, parts.fragment) != _PATH_ONLY
        ):
            raise EnvironmentProblem(
                f"Root runs no {jar}, whose manifest names {address}: what that is cannot be seen"
                " from here.",
                "Run this as the user whose program it is: `sudo -u USER flink-boost …`.",
            )
        # A JVM goes by where a link leads to, but not for a jar that another jar names.
        for folder in {jar.parent, jar.resolve().parent}:
            yield folder / unquote(parts.path)


def _addresses(jar: Path) -> tuple[str, ...]:
    try:
        return _addresses_in(FileNow.of(jar)) if jar.is_file() else ()
    except (zipfile.BadZipFile, OSError):
        return ()


@lru_cache(maxsize=256)
def _addresses_in(jar: FileNow) -> tuple[str, ...]:
    found: list[str] = []
    with reading_zip(), zipfile.ZipFile(jar.path) as archive:
        for name in archive.namelist():
            if name.upper() == _MANIFEST:
                lines = _CONTINUED.sub("", archive.read(name).decode(errors="replace"))
                for value in _NAMED.findall("\n".join(lines.splitlines())):
                    found += value.split()
            elif name.upper() == _INDEX:
                lines = archive.read(name).decode(errors="replace")
                found += (line for line in lines.splitlines() if line.endswith(".jar"))
    return tuple(found)
