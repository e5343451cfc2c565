"""The wheel holds the product alone: nothing of what we convinced ourselves with."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from installations import CARRIED

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.operate.wheel import build_wheel

LAB = PROJECT_ROOT / "scripts" / "lab"
PRODUCT = "scripts/flink_boost"


def lab_files(wheel: Path) -> list[str]:
    """What a wheel holds of the lab: files in a folder of its name, or with what one has in it."""
    contents = {file.read_bytes() for file in LAB.rglob("*.py")} - {b""}
    with zipfile.ZipFile(wheel) as archive:
        return sorted(
            name
            for name in archive.namelist()
            if "lab" in name.split("/") or archive.read(name) in contents
        )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the source tree as far as a wheel is made of it."""
    copy = tmp_path / "root"
    ignored = shutil.ignore_patterns("__pycache__", "data")
    for folder in (PRODUCT, "scripts/lab"):
        shutil.copytree(PROJECT_ROOT / folder, copy / folder, ignore=ignored)
    for name in ("scripts/pyproject.toml", "LICENSE", "NOTICE", "lines.toml", "classes.lock"):
        shutil.copy(PROJECT_ROOT / name, copy / name)
    shutil.copy(PROJECT_ROOT / "releases.toml", copy)
    (copy / ".cache").symlink_to(PROJECT_ROOT / ".cache")
    return copy


def built(root: Path, target: Path) -> Path:
    """A wheel without jars; those say nothing of the packages in it."""
    return build_wheel(root, (), replace(CARRIED, weaver=lambda: ()), target)


def test_the_wheel_has_nothing_of_the_lab(root: Path, tmp_path: Path) -> None:
    assert next(LAB.rglob("*.py"), None) is not None
    wheel = built(root, tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as archive:
        packages = {name.split("/")[0] for name in archive.namelist()}
    assert {name for name in packages if not name.endswith(".dist-info")} == {"flink_boost"}
    assert lab_files(wheel) == []


def test_a_module_of_the_lab_in_the_product_is_noticed(root: Path, tmp_path: Path) -> None:
    shutil.copy(LAB / "rivals.py", root / PRODUCT / "judge" / "others.py")
    shutil.copytree(LAB / "real", root / PRODUCT / "lab")
    found = lab_files(built(root, tmp_path / "wheel"))
    assert "flink_boost/judge/others.py" in found
    assert [name for name in found if name.startswith("flink_boost/lab/")]
