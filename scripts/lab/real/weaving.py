"""Puts a delay into one method of a drop-in jar: a regression of known size."""

from __future__ import annotations

from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import make_folder, publish
from flink_boost.flink.downloads import CACHE

METHOD = "StringWriter.write"
_PROGRAM = Path(__file__).parent / "data" / "WeaveDelay.java"
_BYTE_BUDDY = "m2/net/bytebuddy/byte-buddy"
_SECONDS = 120.0


def slowed_jar(jar: Path, rounds: int, folder: Path, java: str) -> Path:
    """The jar with ``METHOD`` slower by so many rounds; made once.

    Raises ``EnvironmentProblem`` where it cannot be woven.
    """
    target = folder / f"slow-{rounds}.jar"
    if target.exists():
        return target
    make_folder(folder)
    partial = folder / f".{target.name}.partial"
    words = [java, "-cp", str(_byte_buddy()), str(_PROGRAM), str(jar), str(partial), str(rounds)]
    done = run_captured(words, _SECONDS)
    if done.returncode != 0:
        raise EnvironmentProblem(
            f"A delay could not be put into {jar.name}: {_last_line(done.stdout)}.",
            f"Look whether it has {METHOD}.",
        )
    publish(partial, target)
    return target


def _byte_buddy(cache: Path = CACHE) -> Path:
    """The library that weaves jars, which building one has fetched."""
    found = sorted((cache / _BYTE_BUDDY).glob("*/byte-buddy-*.jar"), key=_version)
    if not found:
        raise EnvironmentProblem("What weaves jars is not there.", "Run `make build` first.")
    return found[-1]


def _version(jar: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in jar.parent.name.split(".") if part.isdecimal())


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith("at ")]
    return (telling or ["it said nothing"])[0].rstrip(".")[:300]
