"""A canary is kept by checksum, is measured once a night, and is no point of the trend."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.flink.dropin import RECORD
from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.measure import frozen_canary
from flink_boost.measure.groups import find_group, load_groups
from flink_boost.measure.model import Box, Purpose

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LINE = "2.3.0"
GROUP = find_group(load_groups(), "canary")
BOX = Box(
    hostname="h", cpu="c", cores=4, memory_mb=16000, kernel="6.1", jdk="17.0.9+9", load=0.1
)  # fmt: skip


def jar_of(path: Path, line: str = LINE, version: str = "0.1.0") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(RECORD, f"flink.version={line}\nboost.version={version}\n")
    return path


def stock_of(folder: Path) -> tuple[Path, ...]:
    folder.mkdir(exist_ok=True)
    paths = (folder / "benchmarks.jar", folder / "flink-core.jar")
    for path in paths:
        path.write_bytes(path.name.encode())
    return paths


def test_what_is_frozen_outlives_what_it_was_made_of(tmp_path: Path) -> None:
    jar, stock = jar_of(tmp_path / "old.jar"), stock_of(tmp_path / "stock")
    kept = frozen_canary.freeze(tmp_path, LINE, jar, stock, GROUP, NOW)
    before = [sha256(path) for path in (jar, *stock)]
    for path in (jar, *stock):
        path.write_bytes(b"the next build")
    loaded = frozen_canary.load(tmp_path, LINE)
    assert loaded == kept
    paths = frozen_canary.class_paths(tmp_path, kept)
    assert [sha256(path) for path in (paths.dropin, *paths.stock)] == before
    assert [path.name for path in paths.stock] == ["benchmarks.jar", "flink-core.jar"]
    assert paths.of(Side.PATCHED).startswith(f"{paths.dropin}:{paths.stock[0]}")


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    kept = frozen_canary.freeze(
        tmp_path, LINE, jar_of(tmp_path / "o.jar"), stock_of(tmp_path / "s"), GROUP, NOW
    )
    paths = frozen_canary.class_paths(tmp_path, kept)
    paths.stock[1].write_bytes(b"touched")
    with pytest.raises(BrokenData, match="is not what was frozen"):
        frozen_canary.class_paths(tmp_path, kept)
    paths.stock[1].unlink()
    with pytest.raises(BrokenData, match="is not what was frozen"):
        frozen_canary.class_paths(tmp_path, kept)
    (frozen_canary.folder_of(tmp_path, LINE) / "canary.json").write_text('{"line": 1}')
    with pytest.raises(BrokenData, match="is damaged"):
        frozen_canary.load(tmp_path, LINE)


def test_a_canary_is_not_replaced_by_the_way(tmp_path: Path) -> None:
    jar, stock = jar_of(tmp_path / "old.jar"), stock_of(tmp_path / "stock")
    kept = frozen_canary.freeze(tmp_path, LINE, jar, stock, GROUP, NOW)
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert frozen_canary.freeze(tmp_path, LINE, jar, stock, GROUP, later) == kept
    newer = jar_of(tmp_path / "new.jar", version="0.2.0")
    with pytest.raises(UsageProblem, match=r"has a canary already: 0\.1\.0, frozen on 2026-03-01"):
        frozen_canary.freeze(tmp_path, LINE, newer, stock, GROUP, later)
    # So are other benchmarks: the plan is frozen as well.
    with pytest.raises(UsageProblem, match="has a canary already"):
        frozen_canary.freeze(tmp_path, LINE, jar, stock, replace(GROUP, pairs=9), later)
    assert frozen_canary.load(tmp_path, LINE) == kept
    replaced = frozen_canary.freeze(tmp_path, LINE, newer, stock, GROUP, later, replace=True)
    assert replaced.identity != kept.identity
    assert frozen_canary.class_paths(tmp_path, replaced).dropin.name == "new.jar"
    files = frozen_canary.folder_of(tmp_path, LINE) / "files"
    assert kept.dropin.sha256 not in {path.name for path in files.iterdir()}


def test_freezing_that_was_killed_is_done_again(tmp_path: Path) -> None:
    """Without a manifest there is no canary; half a file under a partial name is in no way."""
    jar, stock = jar_of(tmp_path / "old.jar"), stock_of(tmp_path / "stock")
    kept = frozen_canary.freeze(tmp_path, LINE, jar, stock, GROUP, NOW)
    folder = frozen_canary.folder_of(tmp_path, LINE)
    (folder / "canary.json").unlink()
    path = frozen_canary.class_paths(tmp_path, kept).stock[0]
    path.with_name(f".{path.name}.partial").write_bytes(b"half")
    path.write_bytes(b"half")
    assert frozen_canary.load(tmp_path, LINE) is None
    assert frozen_canary.freeze(tmp_path, LINE, jar, stock, GROUP, NOW) == kept
    frozen_canary.class_paths(tmp_path, kept)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda path: path.write_bytes(b"no jar"), "cannot be read as a jar"),
        (lambda path: zipfile.ZipFile(path, "w").close(), "is no flink-boost jar"),
        (lambda path: jar_of(path, line="1.20.5"), r"is for Flink 1\.20\.5, not for 2\.3\.0"),
    ],
)
def test_only_our_own_jar_of_that_line_is_frozen(
    make: object, complaint: str, tmp_path: Path
) -> None:
    jar = tmp_path / "some.jar"
    assert callable(make)
    make(jar)
    with pytest.raises(UsageProblem, match=complaint):
        frozen_canary.freeze(tmp_path, LINE, jar, stock_of(tmp_path / "stock"), GROUP, NOW)
    assert frozen_canary.load(tmp_path, LINE) is None


def test_its_run_has_a_purpose_of_its_own_and_its_own_plan(tmp_path: Path) -> None:
    jar, stock = jar_of(tmp_path / "old.jar"), stock_of(tmp_path / "stock")
    kept = frozen_canary.freeze(tmp_path, LINE, jar, stock, GROUP, NOW)
    paths = frozen_canary.class_paths(tmp_path, kept)
    info = frozen_canary.plan_canary(
        kept, paths, run_id="r", started=NOW, line=find_line(LINE), box=BOX
    )
    assert info.purpose is Purpose.CANARY
    assert not info.purpose.makes_a_point
    assert (info.boost_version, info.dropin_sha256) == ("0.1.0", sha256(jar))
    assert info.cells == GROUP.cells
    assert info.subject is not None
    assert (info.subject.version, info.subject.commit) == ("0.1.0", "")
