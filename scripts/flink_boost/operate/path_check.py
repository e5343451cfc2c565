"""Judges a class path that is not ``bin/flink``'s: whether our classes are in effect on it."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

from flink_boost.base.errors import BrokenData, HalfWritten, NotInstalled, SeveralDropIns
from flink_boost.flink.dropin import PREFIX, RECORD, DropIn, read_dropin, reading_zip, require_whole
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import fitting_line
from flink_boost.operate.given_path import GUARD, GivenPath
from flink_boost.operate.lib_jars import half_jar
from flink_boost.operate.verify import Check

_LONG = 300


def our_jar(given: GivenPath, lines: Mapping[str, Line], known: Sequence[Path]) -> DropIn:
    """The one jar of ours on a class path.

    Raises ``HalfWritten`` for one that no JVM can open, ``NotInstalled`` where there is none,
    ``SeveralDropIns`` where there are more, and ``BrokenData`` for classes of ours without their
    record.
    """
    ours = [(place, _dropin(place)) for place in given.copies[GUARD]]
    line = _line_of(given, [place for place, _ in ours], lines)
    broken = next(_halves(given, known), "")
    if broken:
        raise HalfWritten(
            f"{broken} A JVM passes over such a file without a word.",
            "Put the whole jar there: `flink-boost install FLINK_HOME` does so in lib/.",
        )
    if not ours:
        raise NotInstalled(
            f"No flink-boost jar is on this class path: {_stock(given)}.", _how(line)
        )
    if len(ours) > 1:
        raise SeveralDropIns(
            f"{len(ours)} flink-boost jars are on this class path: {_told(*ours[0])}, whose"
            f" classes come first, then {', '.join(_told(*other) for other in ours[1:])}. Flink"
            " refuses to start with more than one.",
            f"Keep the one for {'the Flink on it' if line is None else f'Flink {line.version}'}"
            " and take the others off.",
        )
    ((place, dropin),) = ours
    if dropin is None:
        raise BrokenData(
            f"{place} has flink-boost's classes inside, but not their record, {RECORD}.",
            "Take it off the class path, or build it without flink-boost.",
        )
    return dropin


def judge_path(
    given: GivenPath, ours: DropIn, lines: Mapping[str, Line], known: Sequence[Path]
) -> list[Check]:
    """The verdicts on a class path with that one jar of ours."""
    line = _line_of(given, (ours.path,), lines)
    return [
        _jar(ours, known),
        Check("version", given.fits, f"{given.sentence.rstrip('.')}."),
        _classes(given, ours),
        _order(given, ours),
        _families(given, ours, () if line is None else line.family_of.values()),
    ]


def next_step(given: GivenPath, ours: DropIn) -> str:
    """What to do where a check failed."""
    if given.fits:
        return f"Name our jar in front: {_in_front(given, ours)}"
    return (
        "Do not run it so: take the jar off that does not belong there. `flink-boost releases`"
        " lists which Flink has which jar."
    )


def _jar(ours: DropIn, known: Sequence[Path]) -> Check:
    name = ours.path.name
    try:
        compared = require_whole(ours, known)
    except BrokenData as error:
        return Check("jar", False, error.message)
    if compared:
        return Check("jar", True, f"{name} is the one that this flink-boost carries.")
    return Check(
        "jar", None, f"Not checked: this flink-boost carries no {ours.proper_name} to compare with."
    )


def _classes(given: GivenPath, ours: DropIn) -> Check:
    wrong: dict[str, list[str]] = {}
    for name in ours.strings:
        origin = given.origins.get(name)
        if not _same(origin, ours.path):
            wrong.setdefault(str(origin or "nowhere"), []).append(name)
    if wrong:
        told = [f"{', '.join(names)} from {place}" for place, names in wrong.items()]
        return Check("classes", False, f"Not from our jar: {'; '.join(told)}.")
    return Check(
        "classes",
        True,
        f"All {len(ours.strings)} patched classes of strings are loaded from {ours.path.name}.",
    )


def _families(given: GivenPath, ours: DropIn, wanted: Collection[str]) -> Check:
    """Which families are on; one that is not wanted is off because Flink's classes are others."""
    if not given.fits or _classes(given, ours).failed:
        why = "classes" if given.fits else "version"
        return Check("families", None, f"Not checked: `{why}` says why.")
    told, passed = ["Strings on"], True
    for family in ours.families[1:]:
        names = [name for name in ours.classes if ours.family_of.get(name) == family]
        other = next((n for n in names if not _same(given.origins.get(n), ours.path)), "")
        passed = passed and not (other and family in wanted)
        place = given.origins.get(other, "nowhere")
        told.append(f"{family} off, {other} comes from {place}" if other else f"{family} on")
    return Check("families", passed, f"{'; '.join(told)}.")


def _order(given: GivenPath, ours: DropIn) -> Check:
    """Who stands before whom, and whether that is by chance."""
    places = list(dict.fromkeys(p for name in ours.strings for p in given.copies[name]))
    others = [place for place in places if not _same(place, ours.path)]
    in_front = [
        place
        for place in others
        if any(_before(place, ours.path, given.copies[name]) for name in ours.strings)
    ]
    chance = ours.path.parent in [folder.resolve() for folder in given.wildcards] or (
        ours.path.parent in given.wildcards
    )
    by = ", in the order in which the file system lists them" if chance else ""
    if in_front:
        return Check(
            "order",
            False,
            f"{' and '.join(map(str, in_front))} stands before {ours.path.name}{by}.",
        )
    behind = " and ".join(place.name for place in others) or "nothing with these classes"
    named = any(_same(Path(entry), ours.path) for entry in given.text.split(os.pathsep))
    if not chance or named:
        return Check("order", True, f"{ours.path.name} stands before {behind}.")
    return Check(
        "order",
        True,
        f"{ours.path.name} stands before {behind}{by}: in a copy of the folder that may differ. To"
        f" be sure, name it in front: {_in_front(given, ours)}",
    )


def _before(place: Path, ours: Path, copies: Sequence[Path]) -> bool:
    own = next((at for at, copy in enumerate(copies) if _same(copy, ours)), len(copies))
    return any(_same(copy, place) for copy in copies[:own])


def _in_front(given: GivenPath, ours: DropIn) -> str:
    # Who wrote a long one knows what it is.
    rest = given.text if len(given.text) < _LONG else "…"
    return f"-cp {quote(os.pathsep.join((str(ours.path), rest)))}"


def _same(one: Path | None, other: Path) -> bool:
    return one is not None and one.resolve() == other.resolve()


def _dropin(place: Path) -> DropIn | None:
    try:
        return read_dropin(place)
    except (zipfile.BadZipFile, OSError):
        return None  # a folder


def _told(place: Path, dropin: DropIn | None) -> str:
    if dropin is None:
        return f"{place} (without a record)"
    return f"{place} (flink-boost {dropin.boost_version} for Flink {dropin.flink_version})"


def _stock(given: GivenPath) -> str:
    places = dict.fromkeys(place for copies in given.copies.values() for place in copies)
    if not places:
        return "nor are the classes that one would replace"
    return f"stock's code runs, from {' and '.join(map(str, places))}"


def _how(line: Line | None) -> str:
    if line is None:
        return "Run `flink-boost install FLINK_HOME`, and name its lib/ on the class path."
    return (
        f"Its classes are those of Flink {line.version}: name flink-boost-{line.version}-….jar in"
        " front of all else; `flink-boost install FLINK_HOME` puts it into lib/."
    )


def _line_of(given: GivenPath, ours: Iterable[Path], lines: Mapping[str, Line]) -> Line | None:
    """The line whose classes Flink has there."""
    own = set(ours)
    found = {}
    for name, copies in given.copies.items():
        place = next((copy for copy in copies if copy not in own), None)
        content = None if place is None else _class_file(place, name)
        if content is not None:
            found[name] = hashlib.sha256(content).hexdigest()
    line = fitting_line(found, (line for line in lines.values() if line.enabled))
    return None if line is None else line.in_effect(found)


def _class_file(place: Path, name: str) -> bytes | None:
    file = f"{name.replace('.', '/')}.class"
    try:
        if place.is_dir():
            return (place / file).read_bytes()
        with reading_zip(), zipfile.ZipFile(place) as archive:
            return archive.read(file)
    except (zipfile.BadZipFile, OSError):
        return None


def _halves(given: GivenPath, known: Sequence[Path]) -> Iterator[str]:
    for entry in given.entries:
        if entry.name.startswith(PREFIX) and entry.is_file() and not zipfile.is_zipfile(entry):
            half = half_jar(entry, known)
            if half is not None:
                yield half.told
