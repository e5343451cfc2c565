"""The distribution is put together from pinned files, here from packages in a folder."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from installations import private_copy

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink import distribution
from flink_boost.flink.distribution import ensure_distribution, ensure_example
from flink_boost.flink.downloads import CACHE, ensure_download, verify
from flink_boost.flink.lines import Line, PinnedFile, default_line, find_line

SET_UP = """\
from setuptools import setup
setup(name="fake-flink-libraries", version="7.0", packages=[])
"""
METADATA = "Metadata-Version: 2.1\nName: fake-flink\nVersion: 7.0\n"


@pytest.fixture
def line(registry: Path) -> Line:
    """A line whose two packages lie in the registry."""
    return dataclasses.replace(
        find_line(default_line()),
        version="7.0",
        distribution=(
            pin(write_wheel(registry), "fake-flink"),
            pin(write_source_package(registry), "fake-flink-libraries"),
        ),
    )


def write_wheel(folder: Path) -> Path:
    file = folder / "fake_flink-7.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("pyflink/bin/config.sh", "echo configured\n")
        wheel.writestr("pyflink/conf/config.yaml", "rest:\n  port: 8081\n")
        wheel.writestr("pyflink/bin/../../../outside.jar", "must not be written")
        wheel.writestr("pyflink/table/table.py", "not part of it\n")
        wheel.writestr("fake_flink-7.0.dist-info/METADATA", METADATA)
        wheel.writestr("fake_flink-7.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        wheel.writestr("fake_flink-7.0.dist-info/RECORD", "")
    return file


def write_source_package(folder: Path, set_up: str = SET_UP, library: str = "lib") -> Path:
    file = folder / "fake-flink-libraries-7.0.tar.gz"
    content = {
        "setup.py": set_up,
        "PKG-INFO": METADATA.replace("fake-flink", "fake-flink-libraries"),
        "deps/bin/bash-java-utils.jar": "tool",
        f"deps/{library}/flink-dist-7.0.jar": "all of Flink",
        "deps/opt/flink-sql-client-7.0.jar": "client",
        "deps/plugins/metrics/metrics.jar": "metrics",
        "deps/licenses/LICENSE": "not part of it",
        "pyflink/bin/other.sh": "not part of it",
    }
    with tarfile.open(file, "w:gz") as package:
        for name, text in content.items():
            member = tarfile.TarInfo(f"fake-flink-libraries-7.0/{name}")
            member.size = len(text)
            package.addfile(member, io.BytesIO(text.encode()))
    return file


def pin(file: Path, project: str) -> PinnedFile:
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    return PinnedFile(project, "7.0", file.name, checksum)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_distribution_is_put_together_from_its_packages(line: Line, cache: Path) -> None:
    folder = ensure_distribution(line, cache)

    assert folder == cache / "flink-7.0"
    assert files(folder) == {
        "bin/bash-java-utils.jar",
        "bin/config.sh",
        "conf/config.yaml",
        "lib/flink-dist-7.0.jar",
        "opt/flink-sql-client-7.0.jar",
        "plugins/metrics/metrics.jar",
    }
    assert (folder / "lib/flink-dist-7.0.jar").read_text() == "all of Flink"
    assert os.access(folder / "bin/config.sh", os.X_OK)
    assert (folder / "log").is_dir()
    assert not list(cache.rglob("outside.jar"))
    assert [path.name for path in cache.iterdir() if path.name.startswith(".")] == []


def test_what_is_there_is_not_fetched_again(
    line: Line, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ensure_distribution(line, cache)
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")

    assert ensure_distribution(line, cache) == folder


def test_downloads_are_kept_when_unpacking_has_to_be_repeated(
    line: Line, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_distribution(line, cache).rename(cache / "moved")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")

    assert files(ensure_distribution(line, cache)) == files(cache / "moved")


def test_a_file_that_differs_is_refused_and_its_set_up_is_not_run(
    line: Line, cache: Path, registry: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "set-up-ran"
    file = write_source_package(registry, f"open({str(trace)!r}, 'w').close()\n" + SET_UP)
    found = hashlib.sha256(file.read_bytes()).hexdigest()

    with pytest.raises(BrokenData) as problem:
        ensure_distribution(line, cache)

    assert found in str(problem.value)
    assert line.distribution[1].sha256 in str(problem.value)
    assert not trace.exists()
    assert not (cache / "flink-7.0").exists()
    assert not (cache / "downloads" / file.name).exists()


def test_the_set_up_of_the_right_file_is_not_run_either(
    line: Line, cache: Path, registry: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "set-up-ran"
    file = write_source_package(registry, f"open({str(trace)!r}, 'w').close()\n" + SET_UP)
    pins = (line.distribution[0], pin(file, "fake-flink-libraries"))

    ensure_distribution(dataclasses.replace(line, distribution=pins), cache)

    assert (cache / "downloads" / file.name).is_file()
    assert not trace.exists()


def test_a_download_that_was_damaged_on_disk_is_deleted_and_fetched_anew(
    line: Line, cache: Path
) -> None:
    ensure_distribution(line, cache).rename(cache / "moved")
    file = cache / "downloads" / line.distribution[1].file
    file.write_bytes(file.read_bytes()[:-1])

    with pytest.raises(BrokenData, match="the file was deleted") as problem:
        ensure_distribution(line, cache)

    assert line.distribution[1].sha256 in str(problem.value)
    assert not file.exists()
    assert files(ensure_distribution(line, cache)) == files(cache / "moved")


def test_a_package_without_the_libraries_is_refused_and_nothing_is_left(
    line: Line, cache: Path, registry: Path
) -> None:
    file = write_source_package(registry, library="other")
    line = dataclasses.replace(
        line, distribution=(line.distribution[0], pin(file, "fake-flink-libraries"))
    )

    with pytest.raises(BrokenData, match="do not hold lib"):
        ensure_distribution(line, cache)

    assert not (cache / "flink-7.0").exists()


def test_a_registry_without_the_package_gives_one_sentence(
    line: Line, cache: Path, registry: Path
) -> None:
    (registry / line.distribution[0].file).unlink()

    with pytest.raises(EnvironmentProblem, match="index does not have fake_flink-") as problem:
        ensure_distribution(line, cache)

    assert "Check pip's configuration" in problem.value.next_step


def test_a_line_without_pinned_packages_is_refused(line: Line, cache: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="pins no distribution for Flink 7"):
        ensure_distribution(dataclasses.replace(line, distribution=()), cache)


def test_a_cache_that_cannot_be_written_gives_one_sentence(line: Line, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")

    with pytest.raises(EnvironmentProblem, match="cannot be filled"):
        ensure_distribution(line, in_the_way)


def test_two_processes_at_once_end_with_one_distribution(line: Line, cache: Path) -> None:
    for pinned in line.distribution:
        ensure_download(pinned, cache)
    program = (
        "import pathlib, pickle, sys\n"
        "from flink_boost.flink.distribution import ensure_distribution\n"
        "line = pickle.loads(sys.stdin.buffer.read())\n"
        "print(ensure_distribution(line, pathlib.Path(sys.argv[1])))\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(cache)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=False,
            cwd=Path(distribution.__file__).parents[2],
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(pickle.dumps(line), timeout=60)[0] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert set(outputs) == {f"{cache / 'flink-7.0'}\n".encode()}
    assert (cache / "flink-7.0/lib/flink-dist-7.0.jar").read_text() == "all of Flink"
    assert [path.name for path in cache.iterdir() if path.name.startswith(".")] == []


def test_a_private_copy_can_be_changed_without_changing_the_original(
    line: Line, cache: Path, tmp_path: Path
) -> None:
    original = ensure_distribution(line, cache)

    copy = private_copy(original, tmp_path / "copy")
    (copy / "conf/config.yaml").write_text("changed")
    (copy / "lib/flink-dist-7.0.jar").unlink()
    (copy / "lib/added.jar").write_text("")

    assert files(original) == files(copy) - {"lib/added.jar"} | {"lib/flink-dist-7.0.jar"}
    assert "8081" in (original / "conf/config.yaml").read_text()
    assert (copy / "log").is_dir()
    assert (copy / "tmp").is_dir()
    assert (copy / "opt/flink-sql-client-7.0.jar").stat().st_nlink == 2


def test_a_private_copy_on_another_disk_uses_symbolic_links(
    line: Line, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    original = ensure_distribution(line, cache)
    monkeypatch.setattr(os, "link", refuse)

    copy = private_copy(original, tmp_path / "copy")

    jar = copy / "lib/flink-dist-7.0.jar"
    assert jar.is_symlink()
    assert jar.read_text() == "all of Flink"


def test_an_example_job_is_fetched_and_verified() -> None:
    jar = ensure_example(find_line(default_line()), "WordCount")

    with zipfile.ZipFile(jar) as content:
        assert any(name.endswith("/WordCount.class") for name in content.namelist())


def test_a_jar_is_fetched_from_the_root_of_the_project(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its POM cannot be read without a line, and Maven reads the one of the current folder."""
    (cache / "m2").symlink_to(CACHE / "m2")
    monkeypatch.chdir(PROJECT_ROOT)

    jar = ensure_example(find_line(default_line()), "WordCount", cache)

    assert jar.is_relative_to(cache)


def test_an_example_job_with_another_checksum_is_deleted(line: Line, cache: Path) -> None:
    pinned = line.examples["WordCount"]
    jar = cache / "examples" / pinned.file
    jar.parent.mkdir()
    jar.write_text("something else")

    with pytest.raises(BrokenData, match=pinned.sha256):
        ensure_example(line, "WordCount", cache)

    assert not jar.exists()


def test_an_unknown_example_job_names_those_that_exist(line: Line, cache: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="Choose one of: WordCount"):
        ensure_example(line, "Wordcount", cache)


@pytest.mark.parametrize("change", [lambda text: text + "x", lambda text: text.upper()])
def test_verify_accepts_only_the_exact_content(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    file = tmp_path / "file"
    file.write_text("content")
    pinned = pin(file, "project")

    verify(file, pinned)
    file.write_text(change("content"))
    with pytest.raises(BrokenData):
        verify(file, pinned)
