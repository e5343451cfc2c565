"""``request run``: exit codes, files and warnings, with the measuring left out."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from flink_boost.cli.commands import request
from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.service.builds import recipe
from flink_boost.service.requests.request import Measured
from requesting.samples import BOX, KNOWN, SLOW, STILL, TUPLE, measured

RUN = ("request", "run", "--base", "main")


def given(monkeypatch: pytest.MonkeyPatch, found: Measured) -> list[Measured]:
    """Has every call find that; what is returned tells how often."""
    calls: list[Measured] = []

    def measure(*_: object) -> Measured:
        calls.append(found)
        return found

    monkeypatch.setattr(request, "_order", lambda *_: found.order)
    monkeypatch.setattr(request, "_measured", measure)
    return calls


def without(found: Measured, side: Side, pairs: int) -> Measured:
    """The same when the first pairs of a side have failed."""
    left = (one for one in found.forks if one.side is not side or one.pair > pairs)
    return found.model_copy(update={"forks": tuple(left)})


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_folder_that_is_not_there_is_told_before_anything_is_measured(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls = given(monkeypatch, measured({TUPLE: STILL}))
    output = tmp_path / "not there" / "answer.md"

    assert main([*RUN, "--output", str(output), *words]) == 2
    told = capsys.readouterr()
    assert not calls
    assert f"{output.parent} is no folder" in told.err
    assert f"mkdir -p '{output.parent}'" in told.err
    if words:
        assert f"{output.parent} is no folder" in json.loads(told.out)["error"]
        assert json.loads(told.out)["exit_code"] == 2
    output.parent.mkdir()
    assert main([*RUN, "--output", str(output), *words]) == 0
    assert output.read_text(encoding="utf-8").startswith("**The same**")


def test_an_answer_whose_file_cannot_be_written_is_printed_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given(monkeypatch, measured({TUPLE: STILL}))

    assert main([*RUN, "--output", "/dev/full", "--json"]) == 1
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert document["headline"].startswith("**The same**")
    assert (document["ok"], document["exit_code"]) == (False, 1)
    assert "/dev/full" in document["error"]
    assert "could not be written to /dev/full (No space left on device)" in told.err


@pytest.fixture
def worked_on(tmp_path: Path) -> Path:
    """A recipe for a repository with one commit."""
    git(tmp_path, "init", "--quiet", "--initial-branch", "main", "tree")
    (tmp_path / "tree" / "A.java").write_text("class A {}\n")
    commit(tmp_path / "tree")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('kind = "flink-boost"\nrepository = "tree"\n')
    return recipe


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def commit(tree: Path) -> None:
    git(tree, "add", ".")
    git(tree, "commit", "--quiet", "--message", "Work")


def same_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found of two commits that build to the same bytes."""
    monkeypatch.setattr(
        request,
        "_measured",
        lambda _, order, *__: Measured(order=order, same=True, quiet="", box=BOX),
    )


def test_work_that_is_not_committed_is_said_to_be_left_out(
    worked_on: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = worked_on.parent / "tree"
    same_builds(monkeypatch)
    (tree / "A.java").write_text("class A { int slow; }\n")
    (tree / "B.java").write_text("class B {}\n")
    call = [*RUN, "--trusted", "--recipe", str(worked_on), TUPLE]

    assert main([*call, "--json"]) == 0
    told = capsys.readouterr()
    assert f"2 files are not committed in {tree}: these changes are not measured." in told.err
    assert "base and head are the same commit" in json.loads(told.out)["headline"]
    # Of another head than what is checked out the work tree says nothing.
    commit(tree)
    (tree / "A.java").write_text("class A {}\n")
    assert main([*call, "--head", "HEAD^"]) == 0
    assert "not committed" not in capsys.readouterr().err
    git(tree, "checkout", "--quiet", ".")
    assert main([*RUN[:-1], "main^", "--trusted", "--recipe", str(worked_on), TUPLE]) == 0
    told = capsys.readouterr()
    assert "not committed" not in told.err
    assert "build to the same bytes" in told.out


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        ("recipe.toml", "", "--recipe flink-boost --"),  # it differs by its clone alone
        ("tree/ci/recipe.toml", "", "--recipe ci/recipe.toml --"),
        ("recipe.toml", 'links = ["x"]', "The recipe is a file of the machine that measured"),
        # Without it a sandbox has no network: the recipe of that name would build nothing.
        ("recipe.toml", "mirrors = true", "The recipe is a file of the machine that measured"),
    ],
)
def test_no_path_of_this_machine_is_printed_to_be_repeated(
    place: str,
    changed: str,
    said: str,
    worked_on: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    same_builds(monkeypatch)
    recipe = worked_on.parent / place
    recipe.parent.mkdir(exist_ok=True)
    tree = worked_on.parent / "tree"
    recipe.write_text(f'kind = "flink-boost"\nrepository = "{tree}"\n{changed}\n')
    monkeypatch.chdir(tree)

    assert main([*RUN, "--trusted", "--profile", "--recipe", str(recipe), TUPLE]) == 0
    told = capsys.readouterr().out
    assert said in told
    assert str(worked_on.parent) not in told


def test_a_draft_among_the_recipes_ends_no_call_of_another(
    worked_on: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    same_builds(monkeypatch)
    ours = tmp_path / "recipes"
    shutil.copytree(recipe.RECIPES, ours)
    (ours / "draft.toml").write_text("kind = ")
    monkeypatch.setattr(recipe, "RECIPES", ours)

    assert main([*RUN, "--trusted", "--profile", "--recipe", str(worked_on), TUPLE]) == 0
    assert "--recipe flink-boost --" in capsys.readouterr().out


@pytest.mark.parametrize("pairs", [5, 1])
def test_a_head_that_crashes_is_no_success_where_a_regression_must_fail(
    pairs: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given(monkeypatch, without(measured({TUPLE: STILL}), Side.AFTER, pairs))

    assert main([*RUN, "--fail-on-regression", "--json"]) == 6
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert (document["ok"], document["exit_code"]) == (False, 6)
    assert "head failed" in document["headline"] or "JVMs of head" in document["headline"]
    assert "JVMs of head failed in 1 of 1 benchmarks" in told.err
    assert main([*RUN]) == 0


def test_a_base_that_crashes_is_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, without(measured({TUPLE: STILL}), Side.BEFORE, 5))

    assert main([*RUN, "--fail-on-regression"]) == 0


def test_slower_comes_before_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(iter(KNOWN.by_name))
    found = measured({TUPLE: SLOW, name: STILL}, {TUPLE: SLOW})
    left = (one for one in found.forks if one.cell.name != name or one.side is Side.BEFORE)
    given(monkeypatch, found.model_copy(update={"forks": tuple(left)}))

    assert main([*RUN, "--fail-on-regression"]) == 25
    assert main([*RUN, "--fail-on-failed-forks"]) == 6
