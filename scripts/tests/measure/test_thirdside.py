"""The third side by its name: upstream's fix, or another build of our jar, and nothing else."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.dropin import RECORD
from flink_boost.measure.classpaths import Third
from flink_boost.measure.third_side import ensure_third


def jar(path: Path, record: str | None) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/Other.class", b"")
        if record is not None:
            archive.writestr(RECORD, record)
    return path


def test_a_jar_of_ours_is_another_build(tmp_path: Path) -> None:
    other = jar(tmp_path / "other.jar", "flink.version=2.3.0\nboost.version=0.0.9\n")
    assert ensure_third("2.3.0", str(other), tmp_path) == Third(
        str(other), "other build 0.0.9", other
    )


def test_a_run_can_go_on_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = jar(tmp_path / "other.jar", "flink.version=2.3.0\nboost.version=0.0.9\n")
    monkeypatch.chdir(tmp_path)
    third = ensure_third("2.3.0", "other.jar", tmp_path)
    monkeypatch.chdir("/")
    assert ensure_third("2.3.0", third.name, tmp_path).jar == other


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (None, "is no flink-boost jar"),
        ("flink.version=1.9.3\nboost.version=0.0.9\n", r"is for Flink 1\.9\.3, but .* on 2\.3\.0"),
    ],
)
def test_another_jar_is_refused(tmp_path: Path, record: str | None, complaint: str) -> None:
    with pytest.raises(UsageProblem, match=complaint):
        ensure_third("2.3.0", str(jar(tmp_path / "other.jar", record)), tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"no jar"])
def test_a_file_that_is_no_jar_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.jar"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageProblem, match=r"cannot be read as a jar|is no flink-boost jar"):
        ensure_third("2.3.0", str(path), tmp_path)


def test_any_other_name_is_looked_up(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"no third side 'upstream' for Flink 2\.3\.0"):
        ensure_third("2.3.0", "upstream", tmp_path)
