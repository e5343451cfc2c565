"""Which lines' patches may fit an installation, and whether any jar of ours can work with it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping

from flink_boost.base.errors import EnvironmentProblem, PatchedCodeChanged, UnsupportedFlink
from flink_boost.flink.dropin import table_of_contents
from flink_boost.flink.home import (
    FlinkHome,
    home_checksums,
    opened,
    require_unsigned,
    whole,
)
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import patched_names
from flink_boost.flink.versions import distance, is_apache, version_key
from flink_boost.operate.carried import Carried

_OLDEST_FLINK = (1, 9)
# It came with 1.9: what has it is no older Flink, whatever number it has.
_SINCE_OLDEST = "org/apache/flink/core/plugin/PluginManager.class"


def candidates(home: FlinkHome, lines: Mapping[str, Line], package: Carried) -> list[Line]:
    """The lines that have a jar here, the nearest to the installation first.

    Of those only the ones whose classes of strings are all there; if there is none, the nearest
    alone.
    """
    carried = [line for line in lines.values() if line.enabled and package.dropins([line])]
    if not carried:
        raise EnvironmentProblem("There is no jar to begin from.", "Run `make jars`.")
    with whole(home.dist):
        archive = opened(home.dist)
        require_unsigned(home, archive)
        _require_plain(home, archive, patched_names(carried))
    found = home_checksums(home, carried)

    def remoteness(line: Line) -> tuple[int, ...]:
        missing = sum(name not in found for name in line.strings)
        other = sum(not line.accepts(name, found.get(name)) for name in line.strings)
        return missing, other, *_apart(home.version, line.version)

    ordered = sorted(carried, key=remoteness)
    complete = [line for line in ordered if line.strings.keys() <= found.keys()]
    return complete or ordered[:1]


def _apart(version: str, line: str) -> tuple[int, ...]:
    """How far a line is from a build; of one that has no number it may be the newest."""
    if re.match(r"\d+\.\d", version):
        return distance(version, line)
    return tuple(-number for number in version_key(line))


def _require_plain(home: FlinkHome, archive: zipfile.ZipFile, names: set[str]) -> None:
    """Refuses jars of which a JVM would load other class files than the ones that are compared."""
    entries = {f"{name.replace('.', '/')}.class" for name in names}
    listed = archive.namelist()
    for name in sorted(entries):
        if listed.count(name) > 1:
            raise PatchedCodeChanged(
                f"{home.dist} has {name} twice: which of them a JVM loads is not certain.",
                "Pack it anew.",
            )
    for name in listed:
        if name.startswith("META-INF/versions/") and name.split("/", 3)[-1] in entries:
            raise PatchedCodeChanged(
                f"{home.dist} has {name}, a second form for newer Javas.", "Pack it without."
            )
    if not entries & set(listed):
        simple = {name.rpartition("/")[2] for name in entries}
        moved = [n for n in listed if n.rpartition("/")[2] in simple and "StringValue.class" in n]
        where = f"; it has {moved[0]}: were they moved to another package?" if moved else "."
        raise PatchedCodeChanged(
            f"{home.dist} has none of the classes that our jar replaces{where}",
            "Nothing was changed. Our jar works with classes of Flink's own names only.",
        )


def require_new_enough(home: FlinkHome) -> None:
    """Raises ``UnsupportedFlink`` for an old release of Apache's, by its number and its classes."""
    if not is_apache(home.version) or version_key(home.version)[:2] >= _OLDEST_FLINK:
        return
    with whole(home.dist):
        known = _SINCE_OLDEST.encode() in table_of_contents(home.dist)
    if not known:
        raise UnsupportedFlink(
            f"{home.folder} holds Flink {home.version}, which is older than 1.9, the first that"
            " there are patches for.",
            "Use a later Flink.",
        )
