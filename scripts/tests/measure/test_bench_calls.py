"""Calls of bench and compare that are refused, or find no whole run."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_calls import call, flink_boost, planned_run, smoke

from flink_boost.measure import fork_files, store
from flink_boost.measure.classpaths import ClassPaths

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "complaint"),
    [
        (["--group", "nothing"], 2, "There is no group 'nothing'"),
        (["--line", "9.9.9"], 2, "There is no Flink line '9.9.9'"),
        (["--group", "smoke", "writ3"], 2, "is called 'writ3'. Near are: "),
        (["--resume", "nothing"], 2, "There is no run 'nothing'"),
        (["--resume", "nothing", "--pairs", "3"], 2, "--pairs cannot be given with --resume"),
        (["--resume", "nothing", "write"], 2, "a pattern cannot be given with --resume"),
        (["--java", "/nothing/java"], 4, "There is no java at '/nothing/java'"),
        (["--pairs", "0"], 2, "Invalid value for '--pairs'"),
        (["--aa", "--jvm-arg", "-Xmx4g"], 2, "-Xmx4g would have no effect"),
        (["--aa", "--jvm-arg", "-XX:+UseZGC"], 2, "-XX:+UseZGC would have no effect"),
        (["--jvm-arg", "-Xint", "--purpose", "nightly"], 2, "is no point of the trend"),
        (["--aa", "--third", "upstream"], 2, "Leave out one of --aa and --third."),
        (["--third", "upstream"], 2, "There is no third side 'upstream' for Flink 2.3.0."),
        (["--heap", "lots"], 2, "'lots' is not a heap size. Write it as in 64m or 1g."),
        (["--threads", "0"], 2, "Invalid value for '--threads'"),
        (["--jdk", "25"], 2, "does not run on JDK 25. Choose --jdk 17 or 21."),
        (["--resume", "nothing", "--jdk", "21"], 2, "--jdk cannot be given with --resume"),
        (["--resume", "nothing", "--threads", "8"], 2, "--threads cannot be given with --resume"),
        (["--resume", "nothing", "--heap", "64m"], 2, "--heap cannot be given with --resume"),
        (["--resume", "nothing", "--third", "x"], 2, "--third cannot be given with --resume"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_starts_nothing(
    tmp_path: Path, arguments: list[str], exit_code: int, complaint: str
) -> None:
    answer = call(flink_boost(tmp_path, "bench", *arguments))
    assert answer.returncode == exit_code
    assert complaint in answer.stderr
    assert "Traceback" not in answer.stderr
    assert store.run_ids(tmp_path) == ()


def test_a_jdk_that_the_line_does_not_run_on_is_refused(tmp_path: Path) -> None:
    java = tmp_path / "java"
    properties = ("java.specification.version = 11", "java.runtime.version = 11.0.13+8")
    answer = "\n".join((*properties, "java.home = /a/jdk"))
    java.write_text(f"#!/bin/sh\necho '{answer}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    refused = call(smoke(tmp_path / "results", "--java", str(java)))
    assert refused.returncode == 4
    assert "is JDK 11, but Flink 2.3.0 runs on 17 or 21." in refused.stderr


@pytest.mark.parametrize("content", ["", "[]", "<html>"])
def test_a_damaged_fork_is_named_by_compare(
    tmp_path: Path, class_paths: ClassPaths, content: str
) -> None:
    """It is left out; that ``--resume`` measures it again is tested with the runs of bench."""
    info = planned_run(class_paths)
    store.create_run(tmp_path, info)
    path = fork_files.json_path(tmp_path, "run", fork_files.planned_forks(info)[0])
    path.write_text(content, encoding="utf-8")
    answer = call(flink_boost(tmp_path, "compare", "run"))
    assert answer.returncode == 0
    assert f"forks/{path.name}" in answer.stderr
    assert "`flink-boost bench --resume run`" in answer.stderr
    assert path.read_text(encoding="utf-8") == content


def test_compare_without_a_run_says_what_to_do(tmp_path: Path) -> None:
    answer = call(flink_boost(tmp_path, "compare"))
    assert answer.returncode == 2
    assert "There is no complete run" in answer.stderr
    assert "flink-boost bench" in answer.stderr
