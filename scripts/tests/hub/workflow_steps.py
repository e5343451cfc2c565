"""Runs the steps of a composite action on this machine, as a runner of GitHub's would."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
_PART = re.compile(r"'[^']*'|==|!=|&&|\|\||[\w.-]+")


@dataclass
class Ran:
    """What the steps did: names in order, job summary, what they printed, and the outputs."""

    names: list[str] = field(default_factory=list)
    summary: str = ""
    output: str = ""
    outputs: dict[str, str] = field(default_factory=dict)


def evaluate(expression: str, context: Mapping[str, Any]) -> str:
    """The value of an expression of names, texts, ``==``, ``!=``, ``&&`` and ``||``."""
    for alternative in _split(expression, "||"):
        value = ""
        for factor in _split(alternative, "&&"):
            value = _comparison(factor, context)
            if value in ("", "false"):
                break
        if value not in ("", "false"):
            return value
    return value


def run_action(
    action: Mapping[str, Any],
    context: dict[str, Any],
    environment: Mapping[str, str],
    workspace: Path,
    temporary: Path,
    inputs: Mapping[str, str],
) -> Ran:
    """Runs it; raises ``CalledProcessError`` at the first step that fails, as a job ends there."""
    known = action["inputs"]
    assert set(inputs) <= set(known), "an input that the action does not have"
    values = {
        name: inputs.get(name, filled(str(one.get("default", "")), context))
        for name, one in known.items()
    }
    here: dict[str, Any] = {**context, "inputs": values, "steps": {}}
    ran = Ran()
    for number, step in enumerate(action["runs"]["steps"]):
        if "if" in step and evaluate(step["if"], here) in ("", "false"):
            continue
        ran.names.append(step["name"])
        written = {name: temporary / f"{name}-{number}" for name in ("OUTPUT", "STEP_SUMMARY")}
        for file in written.values():
            file.touch()
        script = temporary / f"step-{number}.sh"
        assert step["shell"] == "bash"
        script.write_text(filled(step["run"], here), encoding="utf-8")
        own = {name: filled(str(value), here) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=workspace,
            env={
                **environment,
                "PATH": os.environ["PATH"],
                "RUNNER_TEMP": str(temporary),
                **{f"GITHUB_{name}": str(file) for name, file in written.items()},
                **own,
            },
            capture_output=True,
            text=True,
            timeout=250,
            check=False,
        )
        ran.output += done.stdout + done.stderr
        if done.returncode:
            raise subprocess.CalledProcessError(
                done.returncode, step["name"], done.stdout, done.stderr
            )
        ran.summary += written["STEP_SUMMARY"].read_text(encoding="utf-8")
        pairs = (
            line.partition("=")
            for line in written["OUTPUT"].read_text(encoding="utf-8").splitlines()
        )
        outputs = {name: value for name, _, value in pairs}
        if "id" in step:
            here["steps"][step["id"]] = {"outputs": outputs}
        ran.outputs |= outputs
    return ran


def filled(text: str, context: Mapping[str, Any]) -> str:
    """The text with its expressions replaced."""
    return _EXPRESSION.sub(lambda match: evaluate(match[1], context), text)


def _split(expression: str, operator: str) -> list[str]:
    parts: list[list[str]] = [[]]
    for token in _PART.findall(expression):
        if token == operator:
            parts.append([])
        else:
            parts[-1].append(token)
    return [" ".join(tokens) for tokens in parts]


def _comparison(expression: str, context: Mapping[str, Any]) -> str:
    tokens = _PART.findall(expression)
    if len(tokens) == 1:
        return _value(tokens[0], context)
    left, operator, right = tokens
    same = _value(left, context) == _value(right, context)
    return str(same if operator == "==" else not same).lower()


def _value(token: str, context: Mapping[str, Any]) -> str:
    if token.startswith("'"):
        return token[1:-1]
    place: Any = context
    for name in token.split("."):
        place = place.get(name, "") if isinstance(place, Mapping) else ""
    return str(place)
