"""lines.toml as Python reads it, and the Maven arguments made of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from flink_boost import __version__
from flink_boost.base.errors import UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.classes import LOCK
from flink_boost.flink.lines import (
    default_line,
    find_line,
    find_measured_line,
    load_lines,
    load_patched,
    measured_lines,
)
from flink_boost.flink.maven import jdk_arguments, maven_arguments
from flink_boost.flink.modes import find_mode, mode_options

OPENED = "--add-opens=java.base/java.lang=ALL-UNNAMED"
LINES = load_lines()
SHA256 = re.compile(r"[0-9a-f]{64}")


def test_every_line_pins_its_jars_and_its_patched_classes() -> None:
    assert {"1.9.3", "1.20.5", "2.3.0"} <= set(load_lines())
    for line in load_lines().values():
        patched = [each.name for each in load_patched().values() if each.is_in(line.version)]
        assert list(line.classes) == patched
        assert all(SHA256.fullmatch(sum_) for sum_ in [*line.jars.values(), *line.classes.values()])
        assert all(line.version in jar for jar in line.jars)


def test_a_patched_class_is_in_a_jar_of_every_line_that_it_is_in_and_in_a_line() -> None:
    for patched in load_patched().values():
        of_lines = [line for line in LINES.values() if patched.is_in(line.version)]
        assert of_lines, patched.name
        for line in of_lines:
            assert {
                f"{patched.jar}-{line.version}.jar",
                f"{patched.jar}_2.11-{line.version}.jar",
            } & {*line.jars}


def test_the_default_line_is_switched_on_and_opens_java_lang() -> None:
    line = find_line(default_line())
    assert OPENED in line.jvm_options


def test_a_line_that_is_not_named_or_not_switched_on_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"no Flink line '1\.0\.0'.*Choose one of: 1\.9\.1"):
        find_line("1.0.0")
    text = (PROJECT_ROOT / "lines.toml").read_text(encoding="utf-8")
    switched_off = text.replace("enabled = true", "enabled = false", 1)
    (tmp_path / "lines.toml").write_text(switched_off, encoding="utf-8")
    (tmp_path / LOCK).write_bytes((PROJECT_ROOT / LOCK).read_bytes())
    with pytest.raises(UsageProblem, match=r"1\.9\.1 is known but not switched on"):
        find_line("1.9.1", tmp_path / "lines.toml")


def test_a_line_without_benchmarks_cannot_be_measured() -> None:
    assert find_measured_line("1.9.3") == LINES["1.9.3"]
    assert [line.version for line in measured_lines()] == ["1.9.3", "1.20.5", "2.3.0"]
    with pytest.raises(
        UsageProblem, match=r"1\.19\.3 has a jar but no benchmarks.*: 1\.9\.3, 1\.20\.5, 2\.3\.0\."
    ):
        find_measured_line("1.19.3")


def test_maven_builds_no_benchmarks_of_a_line_that_is_not_measured(tmp_path: Path) -> None:
    option = "-Dwithout.benchmarks"
    assert [v for v, line in LINES.items() if option not in maven_arguments(line, tmp_path)] == [
        line.version for line in measured_lines()
    ]


def test_a_folder_that_a_line_names_is_there() -> None:
    folders = PROJECT_ROOT / "flink-runtime-patch" / "src" / "line"
    assert {line.folder for line in LINES.values()} == {each.name for each in folders.iterdir()}


def test_maven_arguments_select_the_line(tmp_path: Path) -> None:
    flink = f"{tmp_path}/.cache/m2/org/apache/flink"
    assert maven_arguments(find_line("1.9.3"), tmp_path) == [
        f"-Dmaven.repo.local={tmp_path}/.cache/m2",
        f"-Dboost.version={__version__}",
        "-Dflink.version=1.9.3",
        "-Dflink.artifact.suffix=_2.11",
        (
            f"-Dstock.jars={flink}/flink-core/1.9.3/flink-core-1.9.3.jar"
            f":{flink}/flink-runtime_2.11/1.9.3/flink-runtime_2.11-1.9.3.jar"
        ),
        "-Dline.folder=1.9.3",
    ]


def test_a_line_may_take_avro_format_and_rows_of_another_release(tmp_path: Path) -> None:
    assert maven_arguments(find_line("1.20.5"), tmp_path)[4:6] == [
        "-Dflink.avro.version=1.20.3",
        "-Dflink.table.version=1.20.4",
    ]
    assert maven_arguments(find_line("1.20.5"), tmp_path)[-3:] == [
        "-Dline.folder=newer",
        "-Drecords",
        "-Dkryo.folder=kryo2",
    ]
    assert maven_arguments(find_line("2.0.2"), tmp_path)[-2:] == [
        "-Drecords",
        "-Dkryo.folder=kryo5",
    ]


def test_maven_runs_tests_on_the_jdk_and_in_the_mode_that_are_named() -> None:
    home = Path("/opt/some jdk")
    assert jdk_arguments(find_line("2.3.0"), 21, "words", lambda _: home) == [
        "-Dtest.jvm=/opt/some jdk/bin/java",
        f"-Dtest.options={' '.join(mode_options(find_line('2.3.0'), 21, find_mode('words')))}",
    ]


def test_a_jdk_that_the_line_does_not_run_on_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"1\.9\.3 does not run on JDK 17\. Choose one of: 11\."):
        jdk_arguments(find_line("1.9.3"), 17, "opened", lambda _: Path())
    with pytest.raises(UsageProblem, match=r"no mode 'closed'\. Choose one of: opened, not-opened"):
        jdk_arguments(find_line("1.9.3"), 11, "closed", lambda _: Path())


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    """As Make calls it: without the project's environment, and with nothing installed."""
    bare = str(Path(sys.base_prefix) / "bin" / "python3")
    return subprocess.run(
        [PROJECT_ROOT / "scripts" / "lines", *arguments],
        env={**os.environ, "PYTHON": bare},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_script_tells_lines_and_jdks_on_a_bare_python() -> None:
    assert run_script("--default").stdout == f"{default_line()}\n"
    assert run_script().stdout.split() == [v for v, each in LINES.items() if each.enabled]
    assert run_script("2.3.0", "--jdks").stdout == "17 21\n"


def test_the_script_refuses_a_line_that_is_none_without_a_traceback() -> None:
    done = run_script("1.0.0")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Choose one of: 1" in done.stderr


def test_make_stops_at_an_unknown_line_with_that_sentence() -> None:
    done = subprocess.run(
        ["make", "build", "LINE=1.0.0"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "There is no Flink line '1.0.0'" in done.stderr
    assert "Traceback" not in done.stderr
    assert "mvn" not in done.stdout


def test_no_other_file_names_a_version() -> None:
    """The build reads the line; a version in a pom or in the Makefile would be a second truth."""
    makefile = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8")
    named = [v for v in load_lines() if v in makefile]
    for pom in (PROJECT_ROOT / "pom.xml", *PROJECT_ROOT.glob("*/pom.xml")):
        elements = ET.parse(pom).iter()  # noqa: S314 - our own poms
        versions = {e.tag.rpartition("}")[2]: e.text for e in elements if "ersion" in e.tag}
        versions.pop("jqwik.version", None)  # happens to be 1.9.3 too
        named += [v for v in versions.values() if v in load_lines()]
    assert named == []
