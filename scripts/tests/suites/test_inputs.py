"""What counts as a change for a suite."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import load_lines
from suites.catalogue import Choice, Suite, all_suites
from suites.inputs import Inputs, digest, machine, tree

LINES = tuple(line for line in load_lines().values() if line.enabled)
SUITES = {suite.name: suite for suite in all_suites(Choice(LINES, whole=True))}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a file that git knows, one that it does not know yet, and one it ignores."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True, timeout=60)
    for name, text in (("known", "1"), ("näw file", "2"), ("out", "3"), (".gitignore", "out\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "add", "known", ".gitignore"], cwd=tmp_path, check=True, timeout=60)
    return tmp_path


def test_a_tree_is_what_git_tracks_or_would_track(checkout: Path) -> None:
    assert set(tree(checkout)) == {".gitignore", "known", "näw file"}


def test_content_mode_and_presence_count(checkout: Path) -> None:
    everything = Inputs()
    seen = [digest(everything, tree(checkout))]
    (checkout / "known").write_text("other", encoding="utf-8")
    seen.append(digest(everything, tree(checkout)))
    (checkout / "known").chmod(0o755)
    seen.append(digest(everything, tree(checkout)))
    (checkout / "known").unlink()
    seen.append(digest(everything, tree(checkout)))
    (checkout / "näw file").rename(checkout / "other name")
    seen.append(digest(everything, tree(checkout)))
    assert len(set(seen)) == len(seen)
    (checkout / "out").write_text("other", encoding="utf-8")
    assert digest(everything, tree(checkout)) == seen[-1]


def test_the_command_and_the_machine_count(tmp_path: Path) -> None:
    assert digest(Inputs(), {}, "a") != digest(Inputs(), {}, "b")
    java = tmp_path / "bin" / "java"
    before = machine(java, {"FLINK_BOOST_TOKEN": "secret"})
    assert "secret" not in before
    assert machine(java, {"FLINK_BOOST_CHROMIUM": "/a"}) != machine(java, {})
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.16"', encoding="utf-8")
    assert machine(java, {"FLINK_BOOST_TOKEN": "secret"}) != before


def test_a_folder_that_is_no_checkout_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="git does not list"):
        tree(tmp_path)


def depends(suite: Suite, path: str) -> bool:
    assert (PROJECT_ROOT / path).exists(), path
    return suite.inputs.takes(path)


WORDS = "2.3.0-jdk17-words"


@pytest.mark.parametrize(
    ("path", "unchanged", "changed"),
    [
        (
            "docs/operating.md",
            (WORDS, "flinks-own-2.3.0-jdk17", "lint"),
            ("python-all", "clusters-all"),
        ),
        (
            "flink-core-patch/src/main/java/org/apache/flink/boost/woven/StringValuePatch.java",
            ("lint", "weaver"),
            (WORDS, "flinks-own-2.3.0-jdk17", "clusters-all", "python-all"),
        ),
        (
            "flink-core-patch/src/test/java/org/apache/flink/boost/strings/StringCopyTest.java",
            ("flinks-own-2.3.0-jdk17",),
            (WORDS, "2.3.0-jdk17-opened"),
        ),
        (
            "scripts/flink_boost/judge/ratio.py",
            (WORDS, "weaver", "2.3.0-benchmarks"),
            ("python-all", "dashboard-all", "clusters-all", "lint"),
        ),
        (
            "scripts/flink_boost/flink/modes.py",
            (),
            (WORDS, "2.3.0-benchmarks", "weaver", "python-all"),
        ),
        ("lines.toml", ("lint",), (WORDS, "python-all", "clusters-all", "dashboard-quiet-all")),
        ("benchmarks/floors.toml", (WORDS,), ("2.3.0-benchmarks", "python-all")),
    ],
)
def test_what_a_change_makes_run_again(
    path: str, unchanged: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    assert [name for name in unchanged if depends(SUITES[name], path)] == []
    assert [name for name in changed if not depends(SUITES[name], path)] == []
