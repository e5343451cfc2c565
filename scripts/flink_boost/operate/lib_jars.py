"""What each jar of ours in ``lib/`` is, where there is more than one sound one.

Whoever copies a ``lib/`` to a volume may leave half a jar there, or an older one beside the new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.flink.dropin import OWN, PREFIX, DropIn
from flink_boost.flink.home import FlinkHome
from flink_boost.operate.findings import Finding, Level
from flink_boost.operate.own_lines import fits

_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class HalfJar:
    """A jar of ours that no JVM can open.

    ``built`` is the one that it was to be, None when we do not have it; ``right`` is how many bytes
    from its beginning are as built.
    """

    path: Path
    size: int
    right: int
    built: Path | None

    @property
    def told(self) -> str:
        """What is there, in one sentence."""
        found = f"SHA-256 {sha256(self.path)}"
        if self.built is None:
            return (
                f"{self.path} is not whole: a JVM cannot open its {self.size:,} bytes ({found}),"
                " and this flink-boost carries no jar of that name to compare it with."
            )
        whole = self.built.stat().st_size
        built = f"{found}, built {sha256(self.built)}"
        if self.right == self.size < whole:
            return (
                f"{self.path} is cut off: it has the first {self.size:,} of the {whole:,} bytes"
                f" that were built ({built})."
            )
        return (
            f"{self.path} is not whole: it has {self.size:,} bytes, and of the {whole:,} that were"
            f" built the first {self.right:,} only ({built})."
        )


def half_jar(file: Path, known: Iterable[Path]) -> HalfJar | None:
    """What is left of a jar of ours in a file that cannot be opened; None when it is not ours.

    ``known`` are whole ones. Raises ``EnvironmentProblem`` for one of our name that this user may
    not read.
    """
    named_ours = file.name.startswith(PREFIX)
    try:
        content = file.read_bytes()
    except OSError as error:
        if not named_ours:
            return None
        raise EnvironmentProblem(
            f"{file} cannot be read ({error.strerror}).",
            "Run the command as the user who owns it, or correct its permissions.",
        ) from error
    contents = {jar: jar.read_bytes() for jar in known}
    begun = [jar for jar, whole in contents.items() if content and whole.startswith(content)]
    # Nothing is in it that anybody could miss; a copy may have kept its length.
    empty = not content.strip(b"\0")
    parts = content.startswith(_ZIP) and OWN.encode() in content
    if not begun and not (named_ours and (empty or parts)):
        return None
    named = [jar for jar in contents if jar.name == file.name]
    built = next(iter((*named, *begun)), None)
    right = 0 if built is None else _alike(content, contents[built])
    return HalfJar(file, len(content), right, built)


def _alike(one: bytes, other: bytes) -> int:
    """How many bytes are the same from the beginning on."""
    differing = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def told_first(dropins: Sequence[DropIn]) -> str:
    """Which of several Flink's scripts put first: they sort the paths."""
    return min((dropin.path for dropin in dropins), key=str).name


def told_apart(
    dropins: Sequence[DropIn], halves: int, home: FlinkHome, known: Sequence[Path]
) -> Iterator[Finding]:
    """Which of several jars is for what, so that an upgrade's left-over is known.

    ``halves`` is how many there are beside these.
    """
    if len(dropins) + halves < 2:
        return
    for dropin in dropins:
        yield Finding(
            Level.WARNING,
            f"{dropin.path.name} is of flink-boost {dropin.boost_version} for Flink"
            f" {dropin.flink_version}: it {'fits' if fits(home, dropin) else 'does not fit'} this"
            f" {home.named}."
            f" {_compared(dropin, known)}",
        )


def _compared(dropin: DropIn, known: Iterable[Path]) -> str:
    """Length and checksum of a jar, against those of the one that was built."""
    found = sha256(dropin.path)
    text = f"It has {dropin.path.stat().st_size:,} bytes (SHA-256 {found})"
    for jar in known:
        if jar.name == dropin.proper_name:
            built = sha256(jar)
            if built == found:
                return f"{text}, as it was built."
            return f"{text}; built were {jar.stat().st_size:,} (SHA-256 {built})."
    return f"{text}; this flink-boost carries no jar of that version to compare it with."
