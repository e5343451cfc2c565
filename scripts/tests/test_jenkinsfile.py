"""The Jenkinsfile, run by JenkinsPipelineUnit: what it calls, when, and with which secrets."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.commands import run_captured
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.pinned_maven import maven_command

FOLDER = PROJECT_ROOT / "scripts" / "jenkins"
_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
# Groovy 2.4, Jenkins' own version, looks into the JDK's classes.
_OPENED = [
    f"--add-opens=java.base/java.{name}=ALL-UNNAMED"
    for name in ("lang", "util", "io", "net", "lang.reflect", "text", "math")
]
# It ends before optimised code or a collector in parallel would pay.
_BRIEF = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
NIGHT = {
    **dict.fromkeys(("LINE", "GROUP", "BENCHMARKS", "RECIPE", "COMMITS", "HEAD"), ""),
    "TASK": "nightly",
    "BASE": "main",
    "DRY_RUN": False,
}


@pytest.fixture(scope="module")
def class_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Fetched with Maven's check of checksums."""
    file = tmp_path_factory.mktemp("jenkins") / "class-path"
    command = [*maven_command(), "-q", "--file", str(FOLDER / "pom.xml"), _GOAL]
    done = run_captured([*command, f"-Dmdep.outputFile={file}"], 600)
    assert done.returncode == 0, done.stdout
    return file.read_text(encoding="utf-8").strip()


@functools.cache
def answer_to(class_path: str, plan: str) -> str:
    """What a run of that plan did, as JSON. Each takes a JVM some seconds."""
    command = ["java", *_BRIEF, *_OPENED, "-cp", class_path, "groovy.ui.GroovyMain"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, str(FOLDER / "run.groovy"), str(PROJECT_ROOT / "Jenkinsfile"), plan],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    found = [line for line in done.stdout.splitlines() if line.startswith("STEPS ")]
    assert found, done.stdout + done.stderr
    return found[-1].removeprefix("STEPS ")


class Ran:
    """The steps of a run of the Jenkinsfile."""

    def __init__(self, class_path: str, **plan: Any) -> None:
        answer = json.loads(answer_to(class_path, json.dumps({"params": NIGHT, **plan})))
        self.steps: list[dict[str, Any]] = answer["steps"]
        self.failed: str = answer["failed"]

    def of(self, step: str) -> list[dict[str, Any]]:
        return [one for one in self.steps if one["step"] == step]

    def script(self, part: str) -> dict[str, Any]:
        (only,) = [one for one in self.of("sh") if part in one["script"]]
        return only


def test_a_night_holds_the_lock_builds_measures_and_publishes(
    class_path: str,
) -> None:
    ran = Ran(class_path)
    assert ran.failed == ""
    assert "disableConcurrentBuilds" in ran.of("properties")[0]["given"]
    assert "0 1 * * *" in ran.of("pipelineTriggers")[0]["given"][0]
    parts = ("setup", "nightly", "upload", "notify", "date", "test-all")
    order = [next(part for part in parts if part in one["script"]) for one in ran.of("sh")]
    # On Sundays, and the double of a shell says that it is one.
    assert order == list(parts)
    for one in (*ran.of("checkout"), *ran.of("sh"), *ran.of("archiveArtifacts")):
        assert one["within"][:3] == [
            "node flink-boost-box",
            "lock flink-boost-box",
            "ws /var/lib/flink-boost/checkout",
        ]
    for one in ran.of("sh"):
        assert any(name.startswith("timeout ") for name in one["within"]), one


def test_the_build_and_requests_get_no_secret_and_no_line_holds_one(
    class_path: str,
) -> None:
    for task, with_secrets in (
        ("nightly", [False, True, True, True, False, False]),
        ("request", [False] * 2),
        ("compare", [False] * 2),
    ):
        ran = Ran(class_path, params={**NIGHT, "TASK": task})
        found = [any("codespeed-token" in name for name in one["within"]) for one in ran.of("sh")]
        assert found[: len(with_secrets)] == with_secrets
    text = (PROJECT_ROOT / "Jenkinsfile").read_text(encoding="utf-8")
    assert "$FLINK_BOOST_TOKEN" not in text
    assert "string(credentialsId" not in text


def test_a_release_has_the_key_alone_and_is_kept(class_path: str) -> None:
    ran = Ran(class_path, params={**NIGHT, "TASK": "release"})
    assert ran.failed == ""
    made = ran.script("make release")
    assert "-u LINE make" in made["script"]
    assert "withCredentials gpg-key" in made["within"]
    assert [one for one in ran.of("sh") if "withCredentials gpg-key" in one["within"]] == [made]
    assert not [one for one in ran.of("sh") if "flink-boost nightly" in one["script"]]
    (archived,) = ran.of("archiveArtifacts")
    assert archived["given"]["artifacts"] == "build/release/flink-boost-*/*"
    night = Ran(class_path)
    assert not [one for one in night.of("sh") if "gpg-key" in str(one["within"])]
    assert "build/release/flink" not in night.of("archiveArtifacts")[0]["given"]["artifacts"]


def test_a_release_that_fails_fails_the_run(class_path: str) -> None:
    ran = Ran(class_path, params={**NIGHT, "TASK": "release"}, broken="make release")
    assert ran.failed == "broken"
    assert len(ran.of("archiveArtifacts")) == 1


def test_a_run_that_ends_badly_is_published_all_the_same(class_path: str) -> None:
    ran = Ran(class_path, codes={"nightly": 31})
    assert [one["given"] for one in ran.of("unstable")] == ["flink-boost ended with 31"]
    assert ran.script("upload")
    assert len(ran.of("archiveArtifacts")) == 1


def test_all_tests_run_on_sundays_and_when_asked_for(class_path: str) -> None:
    weekday = Ran(class_path, codes={"date -u": 1})
    assert not [one for one in weekday.of("sh") if "test-all" in one["script"]]
    asked = Ran(class_path, params={**NIGHT, "TASK": "test-all"}, codes={"test-all": 1})
    assert not [one for one in asked.of("sh") if "flink-boost nightly" in one["script"]]
    assert [one["given"] for one in asked.of("unstable")] == ["make test-all ended with 1"]
    # It would begin anew each time, and test another line, or run what stands in it.
    assert "-u CI -u LINE make" in asked.script("make test-all")["script"]
    assert "-u LINE make" in asked.script("make setup")["script"]
    dry = Ran(class_path, params={**NIGHT, "DRY_RUN": True})
    assert not [one for one in dry.of("sh") if "make test-all" in one["script"]]
    assert asked.script("upload")


@pytest.mark.parametrize("broken", ["checkout", "make", "nightly"])
def test_a_stage_that_breaks_still_publishes_and_fails(class_path: str, broken: str) -> None:
    ran = Ran(class_path, broken=broken)
    assert ran.failed == "broken"
    assert ran.script("upload")
    assert ran.script("notify send")
    assert len(ran.of("archiveArtifacts")) == 1


def test_an_upload_that_fails_holds_up_no_message(class_path: str) -> None:
    ran = Ran(class_path, codes={"upload": 5})
    assert ran.script("notify send")
    assert len(ran.of("unstable")) == 1
    broken = Ran(class_path, broken="upload")
    assert len(broken.of("archiveArtifacts")) == 1


def test_what_people_type_is_never_a_part_of_a_line(class_path: str, tmp_path: Path) -> None:
    """The lines run here in a real shell, with a command that only says what it was given."""
    evil = "x'; touch owned; echo \"$(touch owned)"
    params = {**NIGHT, "TASK": "request", "BENCHMARKS": evil, "LINE": "2.3.0"}
    params |= {"RECIPE": "--flink", "COMMITS": f"a..{evil}", "HEAD": "-x"}
    ran = Ran(class_path, params=params)
    request = ran.script("--purpose request")
    assert all(evil not in one["script"] for one in ran.of("sh"))
    program = tmp_path / ".venv" / "bin" / "flink-boost"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n', encoding="utf-8")
    program.chmod(0o755)
    given = dict(line.split("=", 1) for line in ran.of("withEnv")[0]["given"])
    for script, expected in (
        (request["script"], ["--purpose", "request", "--line", "2.3.0", "--", evil]),
        (
            Ran(class_path).script("nightly")["script"],
            [
                *("--no-build", "--line", "2.3.0", "--only", evil),
                *("--recipe", "--flink", "--commits", f"a..{evil}"),
            ],
        ),
        (
            Ran(class_path, params={**NIGHT, "TASK": "compare"}).script("--isolated")["script"],
            [
                *("request", "run", "--isolated", "--base", "main", "--head", "-x"),
                *("--output", "build/report/compare.md", "--line", "2.3.0"),
                *("--recipe", "--flink", "--", evil),
            ],
        ),
    ):
        done = subprocess.run(
            ["/bin/sh", "-xec", script],
            cwd=tmp_path,
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        said = done.stdout.splitlines()
        assert said[-len(expected) :] == expected
    assert not (tmp_path / "owned").exists()


def test_a_dry_run_publishes_nothing(class_path: str) -> None:
    ran = Ran(class_path, params={**NIGHT, "DRY_RUN": True})
    assert [one["script"] for one in ran.of("sh") if "flink-boost upload" in one["script"]] == []
