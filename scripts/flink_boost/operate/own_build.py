"""A jar for somebody's own build of Flink, whose class files are no official release's.

The weaver, on the installation's own Java, compares them method by method with those of each line
and weaves where nothing differs that our code depends on; then the verifier drives strings through
the result and this installation's own classes. Nothing in the installation is changed here.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    PatchedCodeChanged,
    VerificationFailed,
)
from flink_boost.base.processes import CommandTimeoutError, run_supervised
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import hand_over, lent, read_left
from flink_boost.flink.dropin import ASIDE, DOOR, OWN_BUILD, RECORD, read_dropin, reading_zip
from flink_boost.flink.home import FlinkHome, require_stock_dist
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.launch import Launch
from flink_boost.flink.lines import Line, load_patched
from flink_boost.flink.switches import FAMILIES, STRINGS
from flink_boost.flink.versions import is_apache, version_key
from flink_boost.operate.candidates import candidates, require_new_enough
from flink_boost.operate.carried import Carried
from flink_boost.operate.properties import read_properties, write_properties
from flink_boost.operate.verify import Check, judge, observe

_MAIN = "org.flinkboost.weaver.own.OwnBuildMain"
_FAMILIES = "org.apache.flink.boost.guard.Families"
_OLDEST_JAVA = 11
_SECONDS = 600.0
_SHOWN = 400
# It runs for a second or two, in which the optimising compiler costs more than it saves.
_QUICK = ("-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True)
class Fit:
    """What the comparison found.

    ``line`` is the installation's own, with the name of its combination and its class files, None
    when nothing fits; ``like`` the line whose patches fit, or else the nearest, and ``differences``
    a sentence for each thing in which the installation differs from that. Of a line that fits these
    are in classes of families that its jar is without.
    """

    line: Line | None
    like: str
    differences: tuple[str, ...]


def compare(
    home: FlinkHome,
    lines: Mapping[str, Line],
    package: Carried,
    launch: Launch,
    environment: Mapping[str, str],
    folder: Path,
    out: Path | None = None,
) -> Fit:
    """Compares an installation with all lines, and writes the jar for it to ``out``, if named.

    ``folder`` is for temporary files, and of a kind that ``launch.user`` may enter; ``launch`` is
    without a jar of ours on its class path.
    Raises ``ReplacedClasses``, ``PatchedCodeChanged`` for a ``flink-dist`` that no jar can work
    with, ``UnsupportedFlink`` for a Flink that is too old, ``BrokenData``, ``EnvironmentProblem``.
    """
    require_stock_dist(home)
    require_new_enough(home)
    tried = candidates(home, lines, package)
    jdk = ask_jdk(launch.java, launch.user)
    if jdk.feature < _OLDEST_JAVA:
        raise EnvironmentProblem(
            f"The installation starts {launch.java}, JDK {jdk.version}: weaving needs Java"
            f" {_OLDEST_JAVA} or later.",
            "Set JAVA_HOME or env.java.home to a newer one.",
        )
    work = folder / "weaving"
    work.mkdir()
    request = {
        "dist": str(home.dist),
        "families": _FAMILIES,
        "boost.version": package.version,
        "stock": str(_stock_classes(tried, package, work / "stock")),
        **_numbered("aside.", [family for family in FAMILIES if family != STRINGS]),
        **_numbered("classpath.", [str(entry) for entry in launch.class_path]),
        **_numbered("candidate.", [line.version for line in tried]),
    }
    for name, patched in load_patched().items():
        request |= {f"jar.{name}": patched.jar, f"family.{name}": patched.family}
    for line in tried:
        for name, checksum in line.classes.items():
            request[f"class.{line.version}/{name}"] = checksum
        target = work / "patches" / line.version
        unpack_patches(package.dropin(line), target)
        request[f"patches.{line.version}"] = str(target)
    woven = work / "woven.jar"
    if out is not None:
        request["out"] = str(woven)
    report = _run(request, package, launch, environment, work)
    found = {line.version: _values(report, f"difference.{line.version}.") for line in tried}
    if "line" not in report:
        like = tried[0].version
        if not is_apache(home.version):
            # Its number does not say which line it comes from; of two at one distance, the later.
            later = sorted(found, key=version_key, reverse=True)
            like = min(later, key=lambda version: len(found[version]))
        return Fit(None, like, found[like] or ("the weaver does not say what differs",))
    like = report["line"]
    _require_named(report["version"], like, tried)
    if out is not None:
        out.write_bytes(_left(woven, launch))
        out.chmod(0o644)
    prefix = "class."
    classes = {
        key.removeprefix(prefix): value for key, value in report.items() if key.startswith(prefix)
    }
    family_of = {n: family for n, family in lines[like].family_of.items() if n in classes}
    own = replace(lines[like], version=report["version"], classes=classes, family_of=family_of)
    return Fit(own, like, found[like])


def _require_named(version: str, like: str, tried: Sequence[Line]) -> None:
    """The Java of the installation wrote this, and a file is to have that name."""
    known = like in {line.version for line in tried}
    if not known or not re.fullmatch(f"{re.escape(like)}{OWN_BUILD}[0-9a-f]{{12}}", version):
        raise BrokenData(
            f"The weaver names {version[:_SHOWN]!r}, which is no name of a combination.",
            "Look at the Java of the installation.",
        )


def require_fitting(home: FlinkHome, fit: Fit) -> Line:
    """The installation's own line. Raises ``PatchedCodeChanged`` when no patches fit."""
    if fit.line is not None:
        return fit.line
    first, *more = fit.differences
    further = f" ({len(more)} more: {'; '.join(more)})" if more else ""
    raise PatchedCodeChanged(
        f"No jar can be made for {home.folder}: compared with Flink {fit.like}, {first}{further}.",
        "Nothing was changed. Leave this Flink as it is, or build it with these methods as they are"
        " in the official release.",
    )


def prove(
    home: FlinkHome,
    line: Line,
    like: Line,
    jar: Path,
    launch: Launch,
    package: Carried,
    environment: Mapping[str, str],
) -> list[Check]:
    """Drives the strings of ``verify`` through a new jar and the installation's own classes.

    Raises ``VerificationFailed`` when a check failed.
    """
    with_ours = replace(launch, class_path=(jar, *launch.class_path))
    seen = observe(home.dist, with_ours, package.verifier(like), environment)
    checks = [
        check for check in judge(seen, home.dist, line, with_ours, jar, jar) if check.name != "jar"
    ]
    failed = [check for check in checks if check.failed]
    if failed:
        raise VerificationFailed(
            f"The jar that was made for {home.folder} did not pass: {failed[0].detail}",
            "Nothing was changed.",
        )
    return checks


def judge_own_jar(
    home: FlinkHome,
    lines: Mapping[str, Line],
    package: Carried,
    launch: Launch,
    environment: Mapping[str, str],
    jar: Path,
) -> Check:
    """Whether an installed jar is what is woven from this installation's classes now."""
    with scratch_folder(launch.user) as folder:
        anew = folder / "woven.jar"
        fit = compare(home, lines, package, without_ours(launch), environment, folder, anew)
        if fit.line is None:
            return Check("jar", False, f"It does not fit: {fit.differences[0]}.")
        other = _differing_entry(jar, anew)
    if other:
        return Check("jar", False, f"{jar}: {other} is not what is woven from these classes.")
    return Check("jar", True, f"{jar.name} is what is woven from this installation's own classes.")


def _differing_entry(jar: Path, anew: Path) -> str:
    """The first entry with another content; how it is packed depends on the JDK that did it."""
    try:
        with reading_zip(), zipfile.ZipFile(jar) as found, zipfile.ZipFile(anew) as expected:
            names = expected.namelist()
            if found.namelist() != names:
                return "its list of entries"
            return next((name for name in names if found.read(name) != expected.read(name)), "")
    except zipfile.BadZipFile as error:
        return str(error)


def without_ours(launch: Launch) -> Launch:
    """The same class path, with stock's classes only."""
    return replace(launch, class_path=tuple(e for e in launch.class_path if not _is_ours(e)))


def unpack_patches(jar: Path, target: Path) -> None:
    """Writes the content of a drop-in jar but for its woven classes to a folder."""
    dropin = read_dropin(jar)
    if dropin is None:
        raise BrokenData(f"{jar} is none of our jars.", "Install the wheel anew.")
    woven = {name.replace(".", "/") + ".class" for name in dropin.classes}
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name not in woven and not name.startswith(ASIDE) and not name.endswith(DOOR):
                archive.extract(name, target)
        # The record says what the line's classes need of others.
        archive.extract(RECORD, target)


def _is_ours(entry: Path) -> bool:
    try:
        return entry.is_file() and read_dropin(entry) is not None
    except (zipfile.BadZipFile, BrokenData, OSError):
        return False


def _stock_classes(lines: Sequence[Line], package: Carried, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for line in lines:
        for name, checksum in line.classes.items():
            (folder / checksum).write_bytes(package.stock_class(line, name))
    return folder


def _run(
    request: Mapping[str, str],
    package: Carried,
    launch: Launch,
    environment: Mapping[str, str],
    work: Path,
) -> dict[str, str]:
    asked, answered, log = work / "request.xml", work / "report.xml", work.with_name("log.txt")
    write_properties(asked, request)
    jars = [lent(jar, work.parent, launch.user) for jar in package.weaver()]
    class_path = os.pathsep.join(map(str, jars))
    hand_over(work, launch.user)
    command = [launch.java, *_QUICK, "-cp", class_path, _MAIN, str(asked), str(answered)]
    try:
        own = launch.environment(environment)
        code = run_supervised(command, log, own, _SECONDS, launch.user)
    except CommandTimeoutError as error:
        raise EnvironmentProblem(
            f"Weaving did not end within {_SECONDS:.0f} s.", "Try it on a quieter machine."
        ) from error
    if code != 0:
        words = log.read_text(errors="replace").strip().splitlines() or ["it printed nothing"]
        raise EnvironmentProblem(
            f"The weaver did not run with {launch.java} ({printable(words[0])[:_SHOWN]}).",
            "Correct the JDK of the installation, or free space in TMPDIR.",
        )
    try:
        return read_properties(_left(answered, launch))
    except (ET.ParseError, KeyError) as error:
        raise BrokenData(
            f"The weaver left a report that cannot be read ({error}).", "Run the command again."
        ) from error


def _left(file: Path, launch: Launch) -> bytes:
    try:
        return read_left(file, launch.user)
    except OSError as error:
        raise BrokenData(
            f"The weaver left no {file.name} that can be read ({error}).", "Run the command again."
        ) from error


def _numbered(prefix: str, values: Sequence[str]) -> dict[str, str]:
    return {f"{prefix}{number}": value for number, value in enumerate(values)}


def _values(report: Mapping[str, str], prefix: str) -> tuple[str, ...]:
    return tuple(printable(report[key]) for key in sorted(report) if key.startswith(prefix))
