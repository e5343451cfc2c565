"""lines.toml as Python reads it, and the Maven arguments made of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from flink_boost.errors import UsageProblem
from flink_boost.lines import PROJECT_ROOT, default_line, find_line, load_lines
from flink_boost.maven import maven_arguments

SHA256 = re.compile(r"[0-9a-f]{64}")


def test_every_line_pins_its_jars_and_the_four_patched_classes() -> None:
    assert set(load_lines()) == {"1.9.3", "1.20.5", "2.3.0"}
    for line in load_lines().values():
        assert len(line.jars) == 2
        assert len(line.classes) == 4
        assert all(SHA256.fullmatch(sum_) for sum_ in [*line.jars.values(), *line.classes.values()])
        assert all(line.version in jar for jar in line.jars)


def test_the_default_line_is_switched_on_and_opens_java_lang() -> None:
    line = find_line(default_line())
    assert "--add-opens=java.base/java.lang=ALL-UNNAMED" in line.jvm_options


def test_a_line_that_is_not_named_or_not_switched_on_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"no Flink line '1\.0\.0'.*Choose one of: 2\.3\.0"):
        find_line("1.0.0")
    with pytest.raises(UsageProblem, match=r"1\.9\.3 is known but not switched on"):
        find_line("1.9.3")


def test_maven_arguments_select_the_line(tmp_path: Path) -> None:
    lines = '[lines."9.9"]\nenabled = true\nartifact-suffix = "_x"\n'
    (tmp_path / "lines.toml").write_text('default = "9.9"\n' + lines, encoding="utf-8")
    assert maven_arguments(root=tmp_path) == [
        f"-Dmaven.repo.local={tmp_path}/.cache/m2",
        "-Dflink.version=9.9",
        "-Dflink.artifact.suffix=_x",
    ]


@pytest.mark.parametrize("version", ["1.0.0", "1.9.3"])
def test_the_script_refuses_such_a_line_without_a_traceback(version: str) -> None:
    script = PROJECT_ROOT / "scripts" / "flink_boost" / "maven.py"
    done = subprocess.run(
        [sys.executable, str(script), version],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert done.stderr == (
        f"There is no switched-on Flink line '{version}' in lines.toml. Choose one of: 2.3.0.\n"
    )


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
    assert "no switched-on Flink line '1.0.0'" in done.stderr
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
