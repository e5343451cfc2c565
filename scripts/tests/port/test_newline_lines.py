"""``line add`` for a release that becomes a line of its own: its entry, its tests, its refusals."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from installations import VERSION
from newline_shelf import (
    MISSING,
    MODEL,
    NEW,
    OPENS,
    Shelf,
    add,
    distribution,
    lines_of,
    project_files,
    write_jar,
)

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.cli.commands import line as line_command
from flink_boost.flink.classes import LOCK
from flink_boost.flink.pinned_maven import CHECKSUMS
from flink_boost.port.newline import suite as linesuite
from flink_boost.port.newline.line_files import with_tests
from flink_boost.port.newline.registries import Artifact
from flink_boost.port.newline.suite import Step

pytestmark = pytest.mark.test_all


def test_a_release_is_added_switched_off(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    assert add(tree, NEW, "--untested") == 0
    shown = capsys.readouterr().out
    assert shown.count("does what the class file of Flink 2.3.0 does") == len(MODEL.classes)
    assert f"Flink {NEW} is in, after 0 min" in shown
    assert "It is switched off. Next: set enabled = true" in shown
    lines = lines_of(tree)
    line = lines[NEW]
    assert list(lines) == ["1.9.3", "1.20.5", NEW, "2.3.0"]
    assert not line.enabled
    assert (line.artifact_suffix, line.jdks) == ("", MODEL.jdks)
    assert line.classes == MODEL.classes
    assert list(line.classes) == list(MODEL.classes)
    assert line.jvm_options == (OPENS, "--add-exports=a.b/c=ALL-UNNAMED")
    assert list(line.jars) == [f"flink-core-{NEW}.jar", f"flink-runtime-{NEW}.jar"]
    assert [pin.project for pin in line.sources] == ["flink-core", "flink-runtime"]
    assert [pin.project for pin in line.distribution] == ["apache-flink", "apache-flink-libraries"]
    assert line.examples["WordCount"].version == "2.3.0"
    assert "has example jobs there is 2.3.0." in (tree / "lines.toml").read_text(encoding="utf-8")
    assert line.nearest == {"avro": "2.3.0", "table": "2.3.0"}
    assert (tree / "benchmarks/src/line" / NEW).is_dir()
    pom = (tree / f"scripts/flink-tests/flink-{NEW}.xml").read_text(encoding="utf-8")
    for project in MISSING:
        assert re.search(rf"{project}</artifactId>\s*<version>2\.3\.0<", pom)
    assert pom.count("<version>2.3.0<") == len(MISSING)
    assert re.search(rf"flink-core</artifactId>\s*<version>{NEW}<", pom)


def test_of_example_jobs_a_newer_one_is_taken_only_where_all_are_newer(
    tree: Path, shelf: Shelf
) -> None:
    shelf.publish()
    for version in ("2.1.0", "2.3.0"):
        example = Artifact("flink-examples-streaming", version, "WordCount")
        path = shelf.cache / example.folder / example.file
        shelf.artifacts[example] = write_jar(path, {"job": ""})
    assert add(tree, NEW, "--untested") == 0
    assert lines_of(tree)[NEW].examples["WordCount"].version == "2.1.0"


def test_a_dry_run_shows_the_line_and_changes_nothing(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    assert add(tree, NEW, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert f'\n[lines."{NEW}"]\nenabled = true\n' in shown
    assert f"Next: `flink-boost line add {NEW}`." in shown
    assert project_files(tree) == before


def test_a_class_path_of_flinks_tests_that_is_not_complete_is_told_first(
    tree: Path, shelf: Shelf
) -> None:
    shelf.publish()
    tests = tree / "scripts/flink-tests/flink-tests.toml"
    tests.write_text(with_tests(tests.read_text("utf-8"), NEW, MODEL.version), encoding="utf-8")
    with pytest.raises(EnvironmentProblem) as caught:
        line_command._require_class_path(replace(MODEL, version=NEW), tree)
    assert f"flink-{NEW}.xml is missing" in caught.value.message
    assert f"into scripts/flink-tests/flink-{NEW}.xml, which is kept" in caught.value.next_step
    assert "--skip-flink-tests" in caught.value.next_step


UNRECORDED = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>class-path</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.opentest4j</groupId><artifactId>opentest4j</artifactId><version>1.2.0</version>
  </dependency></dependencies>
  <profiles><profile><id>core</id></profile></profiles>
</project>
"""


def test_a_class_path_of_which_no_checksum_is_recorded_yet_is_taken(tree: Path) -> None:
    tests = tree / "scripts/flink-tests"
    catalogue = tests / "flink-tests.toml"
    catalogue.write_text(with_tests(catalogue.read_text("utf-8"), NEW, MODEL.version), "utf-8")
    (tests / f"flink-{NEW}.xml").write_text(UNRECORDED, encoding="utf-8")
    assert "opentest4j-1.2.0" not in (CHECKSUMS / "checksums.sha256").read_text("utf-8")
    # Maven has fetched it; that it is no Flink comes afterwards.
    with pytest.raises(BrokenData, match=f"flink-core-{NEW}.jar is not on the class path"):
        line_command._require_class_path(replace(MODEL, version=NEW), tree)


def run_suite_of(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step in place of Maven's, in the copy of the tree."""
    step = Step("tests on JDK 17", ("sh", "-c", script), "jdk-17.log")
    monkeypatch.setattr(line_command, "steps_of", lambda *_: [step])
    monkeypatch.setattr(linesuite, "_FOLDERS", ("benchmarks", "flink-core-patch", "scripts"))
    monkeypatch.setattr(linesuite, "_FILES", ("lines.toml", LOCK))


def test_what_passed_the_suite_is_switched_on(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    jar = f"flink-boost-{NEW}-{VERSION}.jar"
    has_it_already = f"grep -q '{NEW}.*jars' lines.toml && test -d benchmarks/src/line/{NEW}"
    run_suite_of(f"{has_it_already} && mkdir -p build/jars && touch build/jars/{jar}", monkeypatch)
    assert add(tree, NEW, "--skip-flink-tests") == 0
    shown = capsys.readouterr().out
    assert "tests on JDK 17: passed in 0 min" in shown
    assert f"Next: run `make checksums`, read `git diff`, run `make test LINE={NEW}`" in shown
    assert lines_of(tree)[NEW].enabled
    logs = tree.parent / "build" / "line-add" / NEW
    assert sorted(path.name for path in logs.iterdir()) == [jar, "jdk-17.log"]


def test_what_failed_the_suite_is_not_added(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    run_suite_of("echo '[ERROR]   AllocationTest.reads:12 expected 1'; exit 1", monkeypatch)
    assert add(tree, NEW, "--skip-flink-tests") == 7
    assert "tests on JDK 17 failed (AllocationTest.reads:12 expected 1)" in capsys.readouterr().err
    assert project_files(tree) == before


@pytest.mark.parametrize(
    ("version", "code", "sentence"),
    [
        ("2.2", 2, "'2.2' is not a Flink release"),
        ("9.9.9", 2, f"no Flink 9.9.9. The nearest releases are 1.9.3, {NEW}, 2.3.0."),
    ],
)
def test_a_release_that_does_not_exist_is_refused(
    version: str, code: int, sentence: str, tree: Path, shelf: Shelf,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shelf.publish()
    assert add(tree, version) == code
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("flink-runtime", f"no flink-runtime of Flink {NEW}"),
        ("sources", f"no flink-core-{NEW}-sources.jar, flink-runtime-{NEW}-sources.jar"),
        ("apache-flink", f"PyPI has no apache-flink {NEW}"),
    ],
)
def test_a_release_of_which_a_part_is_not_published_is_refused(
    missing: str, sentence: str, tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    shelf.packages.pop(missing, None)
    for artifact in list(shelf.artifacts):
        if missing in (artifact.project, artifact.classifier):
            del shelf.artifacts[artifact]
    before = project_files(tree)
    assert add(tree, NEW, "--untested") == 4
    assert sentence in capsys.readouterr().err
    assert project_files(tree) == before


def test_jdks_that_cannot_run_the_release_are_left_out(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    write_jar(shelf.packages["apache-flink"], distribution(NEW, opens=""))
    assert add(tree, NEW, "--untested") == 2
    assert "its configuration does not open java.lang" in capsys.readouterr().err
