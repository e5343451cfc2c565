"""Gets async-profiler: its native library, and the converter that draws flame graphs.

Both are jars on Maven Central, pinned by SHA-256; the library comes out of the first::

    <cache>/jars/async-profiler-<version>.jar, jfr-converter-<version>.jar
    <cache>/async-profiler-<version>/libasyncProfiler.so

A wheel carries the two jars. The library is then put below a folder that the caller names.
"""

from __future__ import annotations

import platform
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError, NoProfiler
from flink_boost.base.files import write_durably
from flink_boost.base.places import CARRIED
from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import PinnedFile

GROUP = "tools.profiler"
LIBRARY = PinnedFile(
    "async-profiler",
    "4.5",
    "async-profiler-4.5.jar",
    "d0184907de67ca63363f1a6333c75eb7414fb3e13c564641304fe0fdca97363e",
)
CONVERTER = PinnedFile(
    "jfr-converter",
    "4.5",
    "jfr-converter-4.5.jar",
    "d8a5452b26adb11a2a0abf0c53799a6fd60dbccb0647efa5a734e3c46ced3df4",
)
LIBRARY_NAME = "libasyncProfiler.so"
CARRIED_FOLDER = "profiler"

_FOLDERS = {"x86_64": "linux-x64", "amd64": "linux-x64", "aarch64": "linux-arm64"}


@dataclass(frozen=True)
class Profiler:
    """The native library, which a JVM loads, and the jar that draws."""

    library: Path
    converter: Path


def ensure_profiler(
    cache: Path = CACHE, *, system: str = sys.platform, machine: str = ""
) -> Profiler:
    """The profiler for this machine; fetched and unpacked when it is not there.

    Raises ``NoProfiler`` for a machine that it does not exist for, and when it cannot be had.
    """
    folder = _FOLDERS.get((machine or platform.machine()).lower())
    if system != "linux" or folder is None:
        raise NoProfiler(
            f"There is no profiler for {system} on {machine or platform.machine()}.",
            "Profiles need Linux on x86_64 or aarch64; everything else runs without them.",
        )
    try:
        jars = [_jar(pin, cache) for pin in (LIBRARY, CONVERTER)]
        library = cache / f"{LIBRARY.project}-{LIBRARY.version}" / LIBRARY_NAME
        content = _read(jars[0], f"{folder}/{LIBRARY_NAME}")
        if not library.is_file() or library.read_bytes() != content:
            library.parent.mkdir(parents=True, exist_ok=True)
            write_durably(library, content)
        # A JVM of another user loads it, too.
        library.chmod(0o755)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise NoProfiler(
            f"The profiler cannot be unpacked ({error}).",
            f"Make room in {cache} or correct its permissions; everything else runs without it.",
        ) from error
    return Profiler(library, jars[1])


def _jar(pin: PinnedFile, cache: Path) -> Path:
    carried = CARRIED / CARRIED_FOLDER / pin.file
    if carried.is_file():
        return carried
    try:
        return ensure_profiler_jar(pin, cache)
    except FlinkBoostError as error:
        raise NoProfiler(
            f"The profiler cannot be had: {error.message}",
            f"{error.next_step} Everything else runs without it.".strip(),
        ) from error


def ensure_profiler_jar(pin: PinnedFile, cache: Path = CACHE) -> Path:
    """One of the two jars, verified. Raises as ``ensure_artifact``."""
    return ensure_artifact(pin, cache, group=GROUP)


def _read(jar: Path, name: str) -> bytes:
    with zipfile.ZipFile(jar) as archive:
        return archive.read(name)
