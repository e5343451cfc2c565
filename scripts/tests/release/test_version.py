"""The version stands in one place; pages and manifests, which cannot take it from there, agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import pages

from flink_boost import __version__
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.operate.releases_to_leave import TO_LEAVE

_NUMBER = r"(\d+\.\d+\.\d+)"
_NAMED = [
    re.compile(pattern.replace("N", _NUMBER))
    for pattern in (
        r"flink-boost-\d+\.\d+\.\d+-N\.jar",
        r"flink_boost-N-py3",
        r"flink-boost N (?:for|is built for) Flink",
        r"flink-boost-jars:N",
        r"Version N, Apache License",
    )
]


def versions(text: str) -> Iterator[str]:
    """Those of flink-boost that a text names as the present one."""
    for pattern in _NAMED:
        yield from pattern.findall(text)


def texts() -> dict[str, str]:
    """Pages, and what people copy from: by name."""
    folders = ("docs/kubernetes", "docker")
    files = [path for folder in folders for path in (PROJECT_ROOT / folder).iterdir()]
    named = {str(file): file.read_text(encoding="utf-8") for file in files if file.is_file()}
    return {name: text for name, text in pages().items() if name != "CHANGELOG.md"} | named


def test_pages_and_manifests_name_the_version_of_the_tree() -> None:
    found = {name: set(versions(text)) for name, text in texts().items()}
    others = {name: sorted(each - {__version__, *TO_LEAVE}) for name, each in found.items()}
    assert {name: each for name, each in others.items() if each} == {}
    assert {Path(name).name for name, each in found.items() if each} >= {
        *("README.md", "operating.md", "where-it-runs.md", "session.yaml", "Dockerfile.official"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "`flink-boost-2.3.0-0.0.1.jar`",
        "pip install flink_boost-0.0.1-py3-none-any.whl",
        "flink-boost 0.0.1 for Flink 2.3.0: mode on",
        "flink-boost 0.0.1 is built for Flink 2.3.0",
        "image: registry.example/flink-boost-jars:0.0.1",
        "Version 0.0.1, Apache License 2.0.",
    ],
)
def test_another_version_is_noticed(text: str) -> None:
    assert list(versions(text)) == ["0.0.1"]


@pytest.mark.parametrize("name", ["pom.xml", "scripts/pyproject.toml", "flink-patch/pom.xml"])
def test_no_build_file_has_a_version_of_its_own(name: str) -> None:
    text = (PROJECT_ROOT / name).read_text(encoding="utf-8")
    assert __version__ not in re.sub(r"(?m)^.*(?:\.version>|==|>=|,<).*$", "", text)
