"""How the profiler is had: by checksum, for this machine, or with words that say why not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flink_boost.base.errors import NoProfiler
from flink_boost.flink import profiler as module
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import PinnedFile
from flink_boost.flink.profiler import LIBRARY, ensure_profiler


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    ensure_profiler()
    shutil.copytree(CACHE / "jars", tmp_path / "jars")
    return tmp_path


def test_the_library_comes_out_of_the_jar_and_is_mended(cache: Path) -> None:
    found = ensure_profiler(cache, system="linux", machine="x86_64")
    content = found.library.read_bytes()
    assert content.startswith(b"\x7fELF")
    assert found.library.stat().st_mode & 0o777 == 0o755
    found.library.write_bytes(b"cut off")
    assert ensure_profiler(cache, machine="x86_64").library.read_bytes() == content
    other = ensure_profiler(cache, machine="aarch64").library.read_bytes()
    assert other.startswith(b"\x7fELF")
    assert other != content


@pytest.mark.parametrize(
    ("system", "machine"), [("darwin", "arm64"), ("linux", "riscv64"), ("win32", "AMD64")]
)
def test_other_machines_are_told_that_there_is_none(cache: Path, system: str, machine: str) -> None:
    with pytest.raises(NoProfiler, match=f"no profiler for {system} on {machine}"):
        ensure_profiler(cache, system=system, machine=machine)


def test_a_changed_jar_is_refused_and_deleted(cache: Path) -> None:
    jar = cache / "jars" / LIBRARY.file
    jar.write_bytes(jar.read_bytes()[:-1] + b"x")
    with pytest.raises(NoProfiler, match="instead of the pinned") as raised:
        ensure_profiler(cache, machine="x86_64")
    assert "Everything else runs without it." in raised.value.next_step
    assert not jar.exists()


def test_without_a_registry_it_says_what_runs_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = PinnedFile(LIBRARY.project, "0.0", "async-profiler-0.0.jar", "0" * 64)
    monkeypatch.setattr(module, "LIBRARY", gone)
    monkeypatch.setattr("flink_boost.flink.distribution.maven_command", lambda *_, **__: ["false"])
    with pytest.raises(NoProfiler, match="The profiler cannot be had: Could not fetch"):
        ensure_profiler(tmp_path, machine="x86_64")
