"""What docs/operating.md promises in tables is what the code has."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from installations import CARRIED, java_environment, new_home

from flink_boost.base import errors
from flink_boost.base.errors import FlinkBoostError
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import ORDER
from flink_boost.cli.problems import INTERRUPTED
from flink_boost.flink.lines import load_lines, measured_lines
from flink_boost.flink.releases import load_releases
from flink_boost.operate.verify import STRINGS

# Exit codes of commands that need the source tree; scripts/README.md lists them.
MEASURING = frozenset(range(24, 40))
TEXT = (PROJECT_ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
FLOWING = " ".join(TEXT.split())


def rows(heading: str) -> list[list[str]]:
    """Cells of the first table of a section, without its head."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip() for line in section.splitlines() if line.strip().startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_exit_code_of_an_installation_is_listed_once() -> None:
    listed = [int(cell) for row in rows("Exit codes") for cell in (row[0], row[2]) if cell]
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    every = {c.exit_code for c in classes if issubclass(c, FlinkBoostError)}
    codes = every - MEASURING
    developers = (PROJECT_ROOT / "scripts" / "README.md").read_text(encoding="utf-8")
    sentence = developers.partition("Exit codes: ")[2].partition("\n\n")[0]
    assert {str(code) for code in every & MEASURING} <= set(re.findall(r"\d+", sentence))
    assert len(listed) == len(set(listed))
    own = {code for code in codes if code >= 10} | {errors.PatchedCodeChanged.exit_code}
    assert set(listed) == own | {0, 1, 2, 3, 4, INTERRUPTED}


def test_lines_and_jdks_are_those_that_are_switched_on() -> None:
    table = {row[0]: row[1] for row in rows("Compatibility")}
    assert table == {line.version: ", ".join(map(str, line.jdks)) for line in measured_lines()}


def test_releases_without_a_cluster_are_counted() -> None:
    clusters = [any("cluster" in e for e in r.tested) for r in load_releases().releases.values()]
    assert f"PyPI has no distribution of {clusters.count(False)} releases" in FLOWING


@pytest.mark.needs_jars
def test_how_many_class_files_jars_and_releases_there_are_is_counted() -> None:
    words = r"(\d+) class files in (\d+) jars, of (\d+) to (\d+) KB each, serve (\d+) releases:"
    (found,) = re.findall(words, FLOWING)
    files, jars, smallest, largest, releases = map(int, found)
    lines = [line for line in load_lines().values() if line.enabled]
    assert files == len({checksum for line in lines for checksum in line.classes.values()})
    assert jars == len(lines)
    known = load_releases().releases.values()
    assert releases == sum(release.classes in load_lines() for release in known)
    built = PROJECT_ROOT / "build" / "jars"
    sizes = [jar.stat().st_size / 1000 for jar in built.glob("flink-boost-*.jar")]
    assert sizes
    assert all(smallest - 5 < size < largest + 5 for size in sizes)


def test_checks_and_commands_exist() -> None:
    assert f"{STRINGS:,} strings" in TEXT
    checks = [re.findall(r"`(\w+)`", row[0])[0] for row in rows("Verify")]
    every = ["jar", "version", "classes", "stock", "bytes", "mode", "families", "options", "job"]
    assert checks == every
    checks = [re.findall(r"`(\w+)`", row[0])[0] for row in rows("Verify another class path")]
    assert checks == ["jar", "version", "classes", "order", "families"]
    called = set(re.findall(r"(?:^|`)flink-boost ([a-z]+)", TEXT, re.MULTILINE))
    assert called == {"install", "verify", "uninstall", "doctor", "releases"}
    assert called <= set(ORDER)


@pytest.mark.parametrize(
    ("version", "lines"),
    [
        pytest.param(version, lines, marks=pytest.mark.needs_jars("1.9.3", version))
        for version, lines in (("1.9.3", 5), ("1.17.0", 5), ("1.19.3", 0))
    ],
)
def test_what_jdk_11_prints_until_1_17_is_quoted(tmp_path: Path, version: str, lines: int) -> None:
    line = load_lines()[version]
    home = new_home(tmp_path / "flink", line)
    jar = CARRIED.dropin(line)
    shutil.copy(jar, home / "lib")
    done = subprocess.run(
        [str(home / "bin" / "flink"), "run", str(tmp_path / "no.jar")],
        env=java_environment(line),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    warnings = [text for text in done.stderr.splitlines() if text.startswith("WARNING")]
    # Flink's own options name modules that the runtime alone does not have.
    printed = [text for text in warnings if "Unknown module" not in text]
    assert len(printed) == lines
    names = {f"{home}/lib/": "…/lib/", jar.name: CARRIED.dropin(load_lines()["1.9.3"]).name}
    quoted = printed
    for real, told in names.items():
        quoted = [text.replace(real, told) for text in quoted]
    assert "\n".join(quoted[:2]) in TEXT
    assert "JDK 11 prints five harmless lines" in TEXT


def test_the_words_in_doubt_are_those_of_the_programs() -> None:
    """Each quotation of ``doctor`` and ``verify`` is in the code that says it."""
    code = "".join(
        (PROJECT_ROOT / "scripts" / "flink_boost" / f"{name}.py").read_text()
        for name in ("operate/doctor", "operate/classpath", "operate/lib_jars", "operate/verify")
    )
    # Sentences are broken over lines, and names stand between braces.
    spoken = re.sub(r'"\s+f?"', "", re.sub(r"\{[^}]*\}", "…", code))
    for words in (
        "stock's code runs",
        "is cut off: ",
        "is not whole: ",
        "Not checked: ",
        "whose owner, permissions or links were changed",
    ):
        assert words.rstrip(": ") in TEXT
        assert words in spoken
