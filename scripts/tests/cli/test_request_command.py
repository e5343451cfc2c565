"""What ``request run`` says before it runs code of others as whoever calls it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from requesting.samples import TUPLE, measured

from flink_boost.base.errors import UsageProblem
from flink_boost.cli.commands import request
from flink_boost.cli.main import cli

WARNING = "built and run as you"


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe whose commits would be built; what they would measure is given."""
    for words in (
        ("init", "--quiet", "--initial-branch=main"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-mx"),
    ):
        subprocess.run(("git", *words), cwd=tmp_path, check=True, timeout=60)
    given = measured({TUPLE: (0.0, 0.001, -0.001)})
    monkeypatch.setattr(request, "_measured", lambda *_: given)
    return tmp_path / "told.toml"


@pytest.mark.parametrize(
    ("isolated", "words", "warned"),
    [
        (False, (), True),
        (False, ("--trusted",), False),
        (False, ("--isolated",), False),
        (True, (), False),
    ],
)
def test_code_that_runs_as_the_caller_is_told(
    recipe: Path, isolated: bool, words: tuple[str, ...], warned: bool
) -> None:
    recipe.write_text(
        f'kind = "flink"\nrepository = "{recipe.parent}"\nisolated = {str(isolated).lower()}\n'
    )
    called = ("request", "run", "--base", "main", "--recipe", str(recipe), *words, TUPLE)
    done = CliRunner().invoke(cli, called, catch_exceptions=False)

    assert done.exit_code == 0, done.output
    assert (WARNING in done.stderr) is warned
    assert WARNING not in done.stdout


@pytest.mark.parametrize("words", [("--isolated",), ()])
def test_a_strangers_build_gets_no_secret_of_a_recipe(recipe: Path, words: tuple[str, ...]) -> None:
    """What is right for commits of one's own is not for those that a sandbox is for."""
    recipe.write_text(
        f'kind = "flink"\nrepository = "{recipe.parent}"\nenvironment = ["NEXUS_PASSWORD"]\n'
    )
    called = ("request", "run", "--base", "main", "--recipe", str(recipe), *words, TUPLE)
    done = CliRunner().invoke(cli, called)
    assert (done.exit_code == 0) is (not words), done.output
    if words:
        assert isinstance(done.exception, UsageProblem)
        assert "NEXUS_PASSWORD is not for an isolated build" in done.exception.message
