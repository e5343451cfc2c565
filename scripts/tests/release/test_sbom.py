"""The parts list of a release: valid CycloneDX, with all files and what is inside them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from flink_boost.flink.lines import find_line
from release.sbom import byte_buddy_version, parts_list
from release.tree import names_of

LINES = [find_line("2.3.0"), find_line("1.9.3")]
DROPIN = "flink-boost-2.3.0-1.0.0.jar"
WHEEL = "flink_boost-1.0.0-py3-none-any.whl"
DISTRIBUTION = "flink-2.3.0-boost-replaced.tgz"
NAMES = [*(name for line in LINES for name in names_of(line, "1.0.0")), WHEEL, DISTRIBUTION]


@pytest.fixture
def text(tmp_path: Path) -> str:
    for name in NAMES:
        (tmp_path / name).write_text(name, encoding="ascii")
    made = [
        parts_list(tmp_path, names, "1.0.0", "a" * 40, 1_780_000_000, LINES, "1.17.7")
        for names in (NAMES, NAMES[::-1])
    ]
    assert made[0] == made[1]
    return made[0]


def inside(text: str) -> dict[str, dict[str, Any]]:
    """The files that are listed, by name."""
    return {file["name"]: file for file in json.loads(text)["components"]}


def packages(file: dict[str, Any]) -> set[str]:
    return {part["purl"] for part in file.get("components", ())}


def test_it_follows_the_schema_and_a_mistake_is_found(text: str) -> None:
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(text) is None
    assert validator.validate_str(text.replace('"SHA-256"', '"SHA-255"', 1)) is not None


def test_each_file_is_listed_with_its_checksum(text: str) -> None:
    sums = {name: file["hashes"][0]["content"] for name, file in inside(text).items()}
    assert sums == {name: hashlib.sha256(name.encode("ascii")).hexdigest() for name in NAMES}


def test_what_is_inside_is_named_and_what_it_was_woven_from(text: str) -> None:
    ours = {f"pkg:maven/org.flinkboost/flink-boost-{line.version}@1.0.0" for line in LINES}
    files = inside(text)
    (jar,) = files[DROPIN]["components"]
    assert {found["purl"] for found in jar["pedigree"]["ancestors"]} == {
        f"pkg:maven/org.apache.flink/flink-{name}@2.3.0" for name in ("core", "runtime")
    }
    others = {
        "pkg:maven/net.bytebuddy/byte-buddy@1.17.7",
        "pkg:maven/org.flinkboost/flink-boost-weaver@1.0.0",
        "pkg:maven/tools.profiler/async-profiler@4.5",
        "pkg:maven/tools.profiler/jfr-converter@4.5",
    }
    assert ours | others <= packages(files[WHEEL])
    assert packages(files[DISTRIBUTION]) == {
        "pkg:maven/org.apache.flink/flink-dist@2.3.0",
        "pkg:maven/org.flinkboost/flink-boost-2.3.0@1.0.0",
    }


def test_byte_buddy_is_found_among_the_jars_that_weave() -> None:
    jars = [Path("flink-boost-weaver-1.0.0.jar"), Path("byte-buddy-1.17.7.jar")]
    assert byte_buddy_version(jars) == "1.17.7"
