"""``line add`` for a release with the classes of a line: it gets a row, and is tested."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from newline_shelf import NEW, Shelf, add, project_files, release_of

from flink_boost.base.files import exclusive_lock
from flink_boost.cli import known_classes
from flink_boost.flink.classes import LOCK
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import load_releases, read_releases
from flink_boost.port.newline.rows import steps_of_release, write
from flink_boost.port.newline.suite import Step

pytestmark = pytest.mark.test_all


def test_a_release_with_the_classes_of_a_line_gets_a_row_and_is_tested(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    has_its_row = f"grep -q '{NEW}' releases.toml && echo '[1/9] {NEW}-jdk17-codec: 671 passed'"
    step = Step(f"tests on Flink {NEW}", ("sh", "-c", has_its_row), "test-releases.log")
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: [step])
    assert add(tree, NEW, "--json", own_line=False) == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert (answer["state"], answer["nearest"]) == ("row added", "2.3.0")
    assert f"Flink {NEW} has the class files of Flink 2.3.0, or such as do the same" in shown.err
    assert f"tests on Flink {NEW}: passed in 0 min 00 s, 671 tests" in shown.err
    assert f"Flink {NEW} is in, after 0 min" in shown.err
    after = project_files(tree)
    assert {path for path in after if after[path] != before.get(path)} == {"releases.toml", LOCK}
    release = release_of(tree, NEW)
    assert release is not None
    assert (release.classes, release.jdks) == ("2.3.0", (11, 17, 21))
    assert list(release.jars) == [f"flink-core-{NEW}.jar", f"flink-runtime-{NEW}.jar"]
    assert release_of(tree, "2.3.0") == load_releases().releases["2.3.0"]


def test_what_fails_on_a_release_with_known_classes_is_told_and_nothing_is_entered_as_passed(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    failed = f"echo 'Failed: {NEW}-jdk17-codec. Logs: build/releases.'; exit 1"
    steps = [
        Step("tests", ("sh", "-c", failed), "test-releases.log"),
        Step("what passed", ("sh", "-c", "touch entered"), "record.log"),
    ]
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: steps)
    assert add(tree, NEW, own_line=False) == 7
    assert f"tests failed (Failed: {NEW}-jdk17-codec. Logs: build" in capsys.readouterr().err
    release = release_of(tree, NEW)
    assert release is not None
    assert not release.tested
    assert not (tree / "entered").exists()


def test_what_others_enter_while_a_release_is_looked_at_stays(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.publish()
    file = tree / "releases.toml"
    day = date(2030, 1, 2)

    def files(project: str) -> list[IndexFile]:
        known = read_releases(file)
        passed = replace(known.releases["2.3.0"], tested={"codec, JDK 17": day})
        write(file, replace(known, releases={**known.releases, "2.3.0": passed}))
        return Shelf.files(shelf, project)

    monkeypatch.setattr(shelf, "files", files)
    assert add(tree, NEW, "--untested", own_line=False) == 0
    assert read_releases(file).releases["2.3.0"].tested == {"codec, JDK 17": day}
    assert NEW in read_releases(file).releases


def test_a_release_that_has_its_row_is_tested_anew_and_keeps_what_passed(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    assert add(tree, NEW, "--untested", own_line=False) == 0
    known = read_releases(tree / "releases.toml")
    day = known.releases[NEW].looked_at
    passed = replace(known.releases[NEW], tested={"codec, JDK 17": day})
    write(tree / "releases.toml", replace(known, releases={**known.releases, NEW: passed}))
    load_releases.cache_clear()
    capsys.readouterr()
    assert add(tree, NEW, "--dry-run", own_line=False) == 0
    assert "releases.toml has its row already, only its tests would run" in capsys.readouterr().out
    step = Step("tests", ("sh", "-c", "exit 1"), "test-releases.log")
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: [step])
    assert add(tree, NEW, own_line=False) == 7
    assert read_releases(tree / "releases.toml").releases[NEW] == passed


def test_the_steps_of_a_release_build_test_it_alone_and_enter_what_passed() -> None:
    build, tests, record = steps_of_release(NEW)
    assert build.command == ("make", "jars")
    assert tests.command[1:] == ("-m", "flink_boost.port.everyrelease", "--only", NEW)
    assert record.command[1:] == (*tests.command[1:], "--record")


@pytest.mark.parametrize("option", ["--only-jar", "--skip-flink-tests"])
def test_what_is_for_a_line_is_refused_where_none_is_needed(
    option: str, tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    assert add(tree, NEW, option, own_line=False) == 2
    assert f"{option} is for one. Leave {option} out, or add --own-line." in capsys.readouterr().err
    assert project_files(tree) == before


def test_nothing_is_built_under_tests_of_releases_that_run(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: pytest.fail("it goes on"))
    with exclusive_lock(tree / "build" / "releases" / ".lock", "make test-releases"):
        before = project_files(tree)
        assert add(tree, NEW, own_line=False) == 4
        assert "Another make test-releases (pid" in capsys.readouterr().err
        assert project_files(tree) == before


def test_a_dry_run_shows_the_row_and_untested_adds_it_alone(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    assert add(tree, NEW, "--dry-run", own_line=False) == 0
    shown = capsys.readouterr().out
    assert f'[releases."{NEW}"]\nclasses = "2.3.0"\n' in shown
    assert "[releases." not in shown.partition(f'[releases."{NEW}".distribution]')[2]
    assert f"Next: `flink-boost line add {NEW}`." in shown
    assert project_files(tree) == before
    assert add(tree, NEW, "--untested", own_line=False) == 0
    shown = capsys.readouterr().out
    assert f"Next: `make test-releases ONLY={NEW}`" in shown
    assert shown.count("Next:") == 1
    release = release_of(tree, NEW)
    assert release is not None
    assert not release.tested


def test_adding_it_twice_says_so_and_changes_nothing(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    assert add(tree, NEW, "--untested") == 0
    before = project_files(tree)
    capsys.readouterr()
    assert add(tree, NEW) == 0
    assert f"names Flink {NEW} already, switched off; nothing was" in capsys.readouterr().out
    assert add(tree, "2.3.0") == 0
    assert "names Flink 2.3.0 already, switched on" in capsys.readouterr().out
    assert project_files(tree) == before
