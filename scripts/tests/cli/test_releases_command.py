"""``flink-boost releases``: what it prints, for people and for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from flink_boost.base.files import exclusive_lock
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.commands import releases as command
from flink_boost.cli.main import main
from flink_boost.flink.lines import load_lines
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import load_releases
from flink_boost.port.newline.registries import Artifact


def without_tests(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """As a release is that was looked at and nothing else."""
    known = load_releases()
    bare = replace(known.releases[version], tested={})
    seen = replace(known, releases={**known.releases, version: bare})
    monkeypatch.setattr(command, "load_releases", lambda: seen)


def test_every_release_has_a_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_tests(monkeypatch, "2.2.0")
    assert main(["releases"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["release", "line", "JDKs", "run", "on", "it"]
    assert [row.split()[0] for row in rows] == list(load_releases().releases)
    by_release = {row.split()[0]: row for row in rows}
    assert by_release["1.18.0"].split()[1] == "1.18.1"
    assert by_release["2.2.0"].split()[1] == "2.2.1"
    assert by_release["2.2.0"].endswith("nothing; same classes")
    assert re.search(r"\d: make test\b", by_release["2.3.0"])


def test_a_machine_reads_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_tests(monkeypatch, "1.18.0")
    assert main(["releases", "1.20.2", "1.18.0", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is True
    one, other = answer["releases"]
    assert (one["release"], one["line"], one["jdks"]) == ("1.20.2", "1.20.5", [11, 17, 21])
    assert set(one["jars"]) == {"flink-core-1.20.2.jar", "flink-runtime-1.20.2.jar"}
    assert (other["release"], other["line"], other["tested"]) == ("1.18.0", "1.18.1", {})


def test_a_release_without_a_jar_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without = {version: line for version, line in load_lines().items() if version != "1.18.1"}
    monkeypatch.setattr(command, "load_lines", lambda: without)

    assert main(["releases", "1.18.1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[1:3] == ["not", "yet"]
    assert main(["releases", "1.18.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["releases"][0]["line"] is None


def test_an_unknown_release_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "9.9.9"]) == 2
    assert "Flink 9.9.9 is not among the releases" in capsys.readouterr().err


def test_an_unknown_release_may_have_a_jar_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["releases", "1.20.99"]) == 2
    said = capsys.readouterr().err
    assert "`flink-boost install FLINK_HOME` goes by the classes" in said
    assert "`releases --look` in the source tree" in said


def test_look_needs_the_source_tree(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "CARRIED", tmp_path)
    assert main(["releases", "--look"]) == 2
    assert "--look needs the source tree" in capsys.readouterr().err


def test_look_is_refused_before_it_fetches_while_tests_of_releases_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "PROJECT_ROOT", tmp_path)
    monkeypatch.setattr(command, "Registries", lambda _: pytest.fail("it goes on"))
    with exclusive_lock(tmp_path / "build" / "releases" / ".lock", "make test-releases"):
        assert main(["releases", "--look"]) == 4
    assert "Another make test-releases (pid" in capsys.readouterr().err


def test_look_with_nothing_new_leaves_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Nothing:
        def __init__(self, cache: Path) -> None:
            assert cache.name == ".cache"

        def releases(self, project: str) -> tuple[str, ...]:
            return tuple(load_releases().releases) if project == "flink-core" else ()

        def fetch(self, artifacts: Iterable[Artifact]) -> Mapping[Artifact, Path]:
            raise AssertionError(f"nothing to fetch, asked for {list(artifacts)}")

        def files(self, project: str) -> Sequence[IndexFile]:
            assert project in ("apache-flink", "apache-flink-libraries")
            return ()

    files = [tmp_path / name for name in ("lines.toml", "classes.lock", "releases.toml")]
    monkeypatch.setattr(command, "Registries", Nothing)
    monkeypatch.setattr(command, "PROJECT_ROOT", tmp_path)
    for file in files:
        file.write_bytes((PROJECT_ROOT / file.name).read_bytes())
    written = [file.stat().st_mtime_ns for file in files]

    assert main(["releases", "--look"]) == 0

    assert [file.stat().st_mtime_ns for file in files] == written
    assert "1.20.5" in capsys.readouterr().out
