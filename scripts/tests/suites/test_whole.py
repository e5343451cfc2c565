"""When `make test-all` passed last is known, and when that no longer says anything."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from suites.inputs import tree
from suites.whole import TRACKED, WholeRun, clean_commit, note, product_digest, sentence

CODEC = "flink-core-patch/src/main/java/Codec.java"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in (CODEC, "flink-core-patch/src/test/java/CodecTest.java", "README.md", "weaver/W"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    (tmp_path / ".gitignore").write_text("build\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True, timeout=60
    ).stdout


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a")
    return git(folder, "rev-parse", "HEAD").strip()


def passed(root: Path, day: str = "2026-11-27") -> WholeRun:
    head = git(root, "rev-parse", "HEAD").strip()
    return WholeRun(day, head, 12345, product_digest(tree(root)))


def said(root: Path) -> str:
    return sentence(root, tree(root))


def test_without_a_record_it_says_so(checkout: Path) -> None:
    assert "has not passed here yet" in said(checkout)
    (checkout / "docs").mkdir()
    for damaged in ("[", '{"day": 1, "commit": "a", "tests": "x", "digest": "b"}'):
        (checkout / TRACKED).write_text(damaged)
        assert "has not passed here yet" in said(checkout)


def test_what_passed_counts_until_code_of_a_jar_changes(checkout: Path) -> None:
    run = passed(checkout)
    note(checkout, run, tracked=False)
    as_then = f"passed last on 2026-11-27 ({run.commit[:10]}, 12,345 tests); codec, families"
    assert as_then in said(checkout)
    (checkout / "README.md").write_text("2")
    (checkout / "flink-core-patch/src/test/java/CodecTest.java").write_text("2")
    assert as_then in said(checkout), "neither page nor test is in a jar"
    (checkout / CODEC).write_text("2")
    (checkout / "weaver/W").write_text("2")
    assert f"have changed since ({CODEC} and 1 more): such a change is done when" in said(checkout)
    (checkout / CODEC).write_text("1")
    (checkout / "weaver/W").write_text("1")
    assert as_then in said(checkout)


def test_a_fresh_clone_knows_what_went_with_the_commit(checkout: Path, tmp_path: Path) -> None:
    note(checkout, passed(checkout), tracked=True)
    commit(checkout)
    clone = tmp_path / "clone"
    git(checkout, "clone", "-q", str(checkout), str(clone))
    assert "codec, families, guard and weaver are as they were then" in said(clone)


def test_a_later_run_here_counts_and_an_older_one_of_the_same_code_as_well(checkout: Path) -> None:
    note(checkout, passed(checkout, "2026-11-20"), tracked=True)
    (checkout / CODEC).write_text("2")
    note(checkout, passed(checkout, "2026-11-26"), tracked=False)
    assert "on 2026-11-26" in said(checkout)
    assert "as they were then" in said(checkout)
    (checkout / CODEC).write_text("1")
    assert "on 2026-11-20" in said(checkout)
    assert "as they were then" in said(checkout)


def test_what_is_tested_before_it_is_committed_has_no_commit(checkout: Path) -> None:
    assert clean_commit(checkout) == git(checkout, "rev-parse", "HEAD").strip()
    (checkout / "README.md").write_text("2")
    assert clean_commit(checkout)
    (checkout / CODEC).write_text("2")
    assert clean_commit(checkout) == ""
    note(checkout, WholeRun("2026-11-27", "", 7, product_digest(tree(checkout))), tracked=True)
    assert "on 2026-11-27 (7 tests); codec" in said(checkout)
    (checkout / CODEC).write_text("3")
    assert "have changed since: such a change" in said(checkout)
