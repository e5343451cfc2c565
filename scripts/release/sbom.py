"""The parts list of a release, in CycloneDX: each file that is published, and what is inside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType, Pedigree
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from flink_boost.base.files import sha256
from flink_boost.flink.line_jars import patched_jars, pin_of
from flink_boost.flink.lines import Line
from flink_boost.flink.profiler import CONVERTER, GROUP, LIBRARY
from release.pom import GROUP as OWN_GROUP
from release.pom import artifact

_APACHE = "Apache-2.0"
_FLINK = "org.apache.flink"


def parts_list(
    out: Path,
    names: Sequence[str],
    version: str,
    commit: str,
    time: int,
    lines: Sequence[Line],
    byte_buddy: str,
) -> str:
    """The list of the files ``names`` in ``out`` as JSON.

    ``time``: when the commit was made, in seconds since 1970. Same files, same text.
    """
    whole = _component("flink-boost", version, PackageURL("generic", None, "flink-boost", version))
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"{whole.purl}@{commit}"))
    bom.metadata.timestamp = datetime.fromtimestamp(time, UTC)
    bom.metadata.component = whole
    inside = dict(_insides(names, version, lines, byte_buddy))
    for name in names:
        file = Component(
            name=name,
            version=version,
            type=ComponentType.FILE,
            bom_ref=f"file:{name}",
            licenses=[LicenseExpression(_APACHE)],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256(out / name))],
            components=inside.get(name, ()),
        )
        bom.components.add(file)
        bom.register_dependency(whole, [file])
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _insides(
    names: Sequence[str], version: str, lines: Sequence[Line], byte_buddy: str
) -> Iterator[tuple[str, list[Component]]]:
    jars = {line.version: f"{artifact(line)}-{version}.jar" for line in lines}
    for line in lines:
        yield jars[line.version], [_dropin(jars[line.version], line, version)]
        for ending in ("", "-replaced"):
            name = f"flink-{line.version}-boost{ending}.tgz"
            flink = _maven(name, _FLINK, "flink-dist", line.version)
            yield name, [flink, _dropin(name, line, version)]
    for name in names:
        if name.endswith(".whl"):
            yield (
                name,
                [
                    *(_dropin(name, line, version) for line in lines),
                    *(
                        _maven(name, _FLINK, "flink-examples-streaming", line.version)
                        for line in lines
                    ),
                    _maven(name, OWN_GROUP, "flink-boost-weaver", version),
                    _maven(name, "net.bytebuddy", "byte-buddy", byte_buddy),
                    *(
                        _maven(name, GROUP, pin.project, pin.version)
                        for pin in (LIBRARY, CONVERTER)
                    ),
                ],
            )


def _dropin(file: str, line: Line, version: str) -> Component:
    """Our classes, and Flink's own jars that they were woven from."""
    ours = _maven(file, OWN_GROUP, artifact(line), version)
    sources = sorted(pin_of(line, jar).project for jar in patched_jars(line))
    ours.pedigree = Pedigree(
        ancestors=[_maven(f"{ours.bom_ref}", _FLINK, name, line.version) for name in sources]
    )
    return ours


def _maven(place: str, group: str, name: str, version: str) -> Component:
    return _component(name, version, PackageURL("maven", group, name, version), place)


def _component(name: str, version: str, purl: PackageURL, place: str = "") -> Component:
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        purl=purl,
        bom_ref=f"{place}#{purl}" if place else str(purl),
        licenses=[LicenseExpression(_APACHE)],
    )


def byte_buddy_version(weaver: Sequence[Path]) -> str:
    """The version of the ByteBuddy jar among the weaver's."""
    (jar,) = (jar for jar in weaver if jar.name.startswith("byte-buddy-"))
    return jar.stem.removeprefix("byte-buddy-")
