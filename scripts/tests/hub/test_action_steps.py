"""The steps of the action, run as a runner would, against a GitHub of ours.

Only measuring is replaced: its call is read by the real command, and its answer is written here.
"""

from __future__ import annotations

import copy
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.commands import request
from flink_boost.service.requests.hub.workflow_comment import HOSTED, MARKER, STRANGER
from hub.action_file import ANSWER, action
from hub.double import TOKEN, GitHubDouble, github_double
from hub.faults import forbidden
from hub.state import GitHubState, PullRequestState
from hub.workflow_steps import Ran, run_action

HEAD = "a" * 40
EVIL = "$(touch pwned)`touch pwned`; touch pwned #'\"\n--output=/etc/pwned"


@pytest.fixture
def server() -> Iterator[GitHubDouble]:
    state = GitHubState(us="github-actions[bot]", tokens={TOKEN: "github-actions[bot]"})
    state.pulls[7] = PullRequestState(7, head_sha=HEAD)
    with github_double(state) as running:
        yield running


class Runner:
    """A machine of GitHub's: the action's sources, and the workspace of a pull request."""

    def __init__(self, tmp_path: Path, server: GitHubDouble) -> None:
        self.folder = tmp_path
        self.server = server
        self.calls = tmp_path / "calls"
        self.workspace = tmp_path / "work space"
        self.source = tmp_path / "the action's"
        self.temporary = tmp_path / "temp"
        for folder in (self.workspace, self.temporary, self.source / ".venv" / "bin"):
            folder.mkdir(parents=True)
        (self.source / "scripts").mkdir()
        write_program(self.source / "scripts" / "bootstrap-venv", f'echo setup "$@" >> {self.log}')
        (self.source / "Makefile").write_text(
            f"LINE ?= newest\nbuild:\n\t@echo build $(LINE) >> {self.log}\n"
        )
        real = f"{shlex.quote(sys.executable)} -m flink_boost.cli"
        write_program(
            self.source / ".venv" / "bin" / "flink-boost",
            f"""
            if [ "$1" = comment ]; then exec {real} "$@"; fi
            printf '%s\\0' "$@" > {self.log}.argv
            while [ $# -gt 0 ]; do
              if [ "$1" = --output ]; then cp {shlex.quote(str(tmp_path / "answer.md"))} "$2"; fi
              shift
            done
            exit $(cat {self.log}.code)""",
        )
        (tmp_path / "answer.md").write_text(ANSWER, encoding="utf-8")
        self.ends_with(0)

    @property
    def log(self) -> str:
        return shlex.quote(str(self.calls))

    def ends_with(self, code: int) -> None:
        """From now on ``flink-boost request run`` does."""
        Path(f"{self.calls}.code").write_text(str(code), encoding="utf-8")

    @property
    def arguments(self) -> list[str]:
        """Of ``flink-boost request run``."""
        content = Path(f"{self.calls}.argv").read_text(encoding="utf-8")
        return content.split("\0")[:-1]

    def run(self, event: dict[str, Any], **inputs: str) -> Ran:
        context = {
            "github": {
                "action_path": str(self.source),
                "workspace": str(self.workspace),
                "repository": "apache/flink-boost",
                "api_url": self.server.url,
                "token": TOKEN,
                "event": event,
            },
            "runner": {"temp": str(self.temporary)},
        }
        environment = {
            "PYTHONPATH": str(PROJECT_ROOT / "scripts"),
            "HOME": os.environ.get("HOME", "/"),
        }
        values = {name.replace("_", "-"): value for name, value in inputs.items()}
        return run_action(action(), context, environment, self.workspace, self.temporary, values)


def write_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def runner(tmp_path: Path, server: GitHubDouble) -> Runner:
    return Runner(tmp_path, server)


PULL_REQUEST = {"pull_request": {"number": 7, "base": {"ref": "2.x"}, "head": {"sha": HEAD}}}


def test_a_pull_request_of_the_repository_itself(runner: Runner, server: GitHubDouble) -> None:
    ran = runner.run(PULL_REQUEST, benchmarks="serializer*\nwrite.ascii.16\n", line="2.3.0")
    assert ran.names == [
        "Set up flink-boost",
        "Build the benchmarks",
        "Measure",
        "Put the answer into the job summary",
        "Comment",
    ]
    assert runner.calls.read_text(encoding="utf-8") == "setup --group measure\nbuild 2.3.0\n"
    assert runner.arguments[:2] == ["request", "run"]
    context = request.run_command.make_context("run", runner.arguments[2:], resilient_parsing=False)
    asked = context.params
    assert (asked["base"], asked["head"], asked["pairs"]) == ("origin/2.x", HEAD, 5)
    assert asked["patterns"] == ("serializer*", "write.ascii.16")
    assert (asked["line_version"], asked["isolated"]) == ("2.3.0", False)
    assert (asked["fail_on_failed_forks"], asked["fail_on_regression"]) == (True, False)

    assert ran.summary.startswith("**1 of 1 is slower.**\n")
    assert HOSTED in ran.summary
    (comment,) = server.state.comments.values()
    assert comment.number == 7
    assert "| One.write | 0.80 |" in comment.body
    assert comment.body.rstrip().endswith(MARKER)
    assert TOKEN not in ran.output + ran.summary

    (runner.folder / "answer.md").write_text("**No change.**\n", encoding="utf-8")
    runner.run(PULL_REQUEST)
    assert runner.calls.read_text(encoding="utf-8").endswith("build newest\n")
    (again,) = server.state.comments.values()
    assert (again.id, again.body.splitlines()[0]) == (comment.id, "**No change.**")


@pytest.mark.test_all
def test_jvms_that_failed_fail_the_job_once_the_answer_is_there(
    runner: Runner, server: GitHubDouble
) -> None:
    runner.ends_with(6)
    with pytest.raises(subprocess.CalledProcessError) as failed:
        runner.run(PULL_REQUEST)
    assert (failed.value.returncode, failed.value.cmd) == (6, "Fail where JVMs of the head failed")
    (comment,) = server.state.comments.values()
    assert "| One.write | 0.80 |" in comment.body

    ran = runner.run(PULL_REQUEST, fail_on_failed_forks="false")
    assert ran.names[-1] == "Comment"
    assert "slower" in ran.summary


@pytest.mark.parametrize(("code", "answer"), [(6, ""), (3, ANSWER), (1, ANSWER)])
def test_what_gave_no_answer_fails_at_once(runner: Runner, code: int, answer: str) -> None:
    runner.ends_with(code)
    (runner.folder / "answer.md").write_text(answer, encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        runner.run(PULL_REQUEST, fail_on_failed_forks="false")
    assert (failed.value.returncode, failed.value.cmd) == (code, "Measure")


def test_the_recipe_is_this_workspace(runner: Runner) -> None:
    from flink_boost.service.builds.recipe import load_recipe

    runner.run(PULL_REQUEST, comment="false")
    (name,) = (one for one in runner.arguments if one.startswith("--recipe="))
    assert load_recipe(name.removeprefix("--recipe=")).repository == runner.workspace


def test_a_token_that_may_not_write_is_no_failure(runner: Runner, server: GitHubDouble) -> None:
    server.faults.append(forbidden("/issues/"))
    ran = runner.run(PULL_REQUEST)
    assert "Nothing was posted" in ran.output
    assert "slower" in ran.summary
    assert server.state.comments == {}


@pytest.mark.parametrize("login", ["", "my-app[bot]"])
def test_a_token_of_somebody_s_keeps_one_comment_too(
    runner: Runner, server: GitHubDouble, login: str
) -> None:
    server.state.tokens["own"] = server.state.us = login or "somebody"
    for answer in (ANSWER, "**No change.**\n"):
        (runner.folder / "answer.md").write_text(answer, encoding="utf-8")
        runner.run(PULL_REQUEST, token="own", **({"login": login} if login else {}))
    (comment,) = server.state.comments.values()
    assert comment.body.startswith("**No change.**")


def test_jobs_with_names_keep_a_comment_each(runner: Runner, server: GitHubDouble) -> None:
    for name in ("", "2.1.0", "2.3.0", "2.1.0", ""):
        (runner.folder / "answer.md").write_text(f"**Of {name}.**\n", encoding="utf-8")
        runner.run(PULL_REQUEST, name=name)
    texts = [one.body.splitlines() for one in server.state.comments.values()]
    assert [(text[0], text[-1]) for text in texts] == [
        ("**Of .**", MARKER),
        ("**Of 2.1.0.**", "<!-- flink-boost workflow 2.1.0 -->"),
        ("**Of 2.3.0.**", "<!-- flink-boost workflow 2.3.0 -->"),
    ]


@pytest.mark.parametrize("name", ["a b", "-->", "x" * 41, "\n", EVIL])
def test_a_name_that_is_none_is_refused(runner: Runner, server: GitHubDouble, name: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        runner.run(PULL_REQUEST, name=name)
    assert failed.value.returncode == 2
    assert server.state.comments == {}
    assert list(runner.folder.rglob("pwned")) == []


@pytest.mark.test_all
def test_a_pull_request_that_moved_on_keeps_its_comment(
    runner: Runner, server: GitHubDouble
) -> None:
    server.state.pulls[7].head_sha = "c" * 40
    ran = runner.run(PULL_REQUEST)
    assert "is about cccc" in ran.output
    assert server.state.comments == {}


def test_words_of_a_stranger_are_never_run(runner: Runner) -> None:
    event = copy.deepcopy(PULL_REQUEST)
    event["pull_request"]["head"] = {"sha": EVIL}
    runner.run(event, benchmarks=EVIL, pairs=EVIL, recipe=EVIL, base=EVIL, comment="false")
    assert list(runner.folder.rglob("pwned")) == []
    assert not Path("/etc/pwned").exists()
    assert f"--head={EVIL}" in runner.arguments
    assert f"--base={EVIL}" in runner.arguments
    words = runner.arguments[runner.arguments.index("--") + 1 :]
    assert words == EVIL.split(), "what looks like an option is a name, too"

    with pytest.raises(subprocess.CalledProcessError) as failed:
        runner.run(event, line="2.3.0; touch pwned")
    assert (failed.value.returncode, failed.value.cmd) == (2, "Build the benchmarks")


def test_globs_of_an_input_meet_no_files(runner: Runner) -> None:
    (runner.workspace / "serializerFile").touch()
    runner.run(PULL_REQUEST, benchmarks="serializer* *", comment="false")
    assert runner.arguments[-2:] == ["serializer*", "*"]


def fork_run(runner: Runner, answer: str = ANSWER, number: str = "7\n", head: str = HEAD) -> Ran:
    folder = runner.folder / "downloaded"
    folder.mkdir(exist_ok=True)
    (folder / "answer.md").write_text(answer, encoding="utf-8")
    (folder / "number").write_text(number, encoding="utf-8")
    return runner.run({"workflow_run": {"head_sha": head}}, answer=str(folder))


def test_the_answer_of_a_fork_is_posted_by_the_second_workflow(
    runner: Runner, server: GitHubDouble
) -> None:
    measured = runner.run(PULL_REQUEST, comment="false")
    assert server.state.comments == {}
    handed = Path(measured.outputs["answer"])
    assert {one.name for one in handed.iterdir()} == {"answer.md", "number"}

    ran = runner.run({"workflow_run": {"head_sha": HEAD}}, answer=str(handed))
    assert ran.names == ["Set up flink-boost", "Comment on the pull request of another run"]
    (comment,) = server.state.comments.values()
    assert STRANGER in comment.body
    assert "| One.write | 0.80 |" in comment.body


def test_a_run_speaks_about_its_own_pull_request_only(runner: Runner, server: GitHubDouble) -> None:
    server.state.pulls[8] = PullRequestState(8, head_sha="d" * 40)
    ran = fork_run(runner, number="8")
    assert "Nothing was posted" in ran.output
    assert server.state.comments == {}


@pytest.mark.parametrize("number", ["", "x", "7 8", "0", "-7", "7; touch pwned", "9" * 30])
def test_a_number_that_is_none_is_refused(runner: Runner, number: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        fork_run(runner, number=number)
    assert failed.value.returncode == 3
    assert list(runner.folder.rglob("pwned")) == []


@pytest.mark.parametrize("what", ["link", "folder", "fifo", "empty", "missing"])
def test_an_answer_that_is_no_plain_file_is_refused(
    runner: Runner, server: GitHubDouble, what: str
) -> None:
    folder = runner.folder / "downloaded"
    folder.mkdir()
    (folder / "number").write_text("7")
    answer = folder / "answer.md"
    if what == "link":
        answer.symlink_to("/etc/passwd")
    elif what == "folder":
        answer.mkdir()
    elif what == "fifo":
        os.mkfifo(answer)
    elif what == "empty":
        answer.touch()
    with pytest.raises(subprocess.CalledProcessError) as failed:
        runner.run({"workflow_run": {"head_sha": HEAD}}, answer=str(folder))
    assert failed.value.returncode == 3
    assert server.state.comments == {}
