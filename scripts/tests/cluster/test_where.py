"""Where Flink is started by something else than ``start-cluster.sh``, with our jar in ``lib/``."""

from __future__ import annotations

from pathlib import Path

import pytest
from flink_installation import (
    DEFAULT_PLATFORM,
    JOB_SECONDS,
    START_SECONDS,
    FlinkInstallation,
    Install,
    eventually,
)
from our_classes import announced

from flink_boost.base.net import free_ports
from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.lines import Line, PinnedFile

WORD_COUNT = "org.apache.flink.streaming.examples.wordcount.WordCount"
STRING_VALUE = "org.apache.flink.types.StringValue"
CODEC = "org.apache.flink.boost.strings.StringWriter"

GATEWAY = PinnedFile(
    "flink-sql-gateway",
    "2.3.0",
    "flink-sql-gateway-2.3.0.jar",
    "aad296a152dc367ddd70727f5a57dd61958cff3d8dceb1f947bf8d9705c8d724",
)
QUERY = """
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
SELECT word, COUNT(*) AS times
FROM (VALUES ('wörter'), ('слова'), ('wörter'), ('文字'), ('wörter'), ('слова')) AS t (word)
GROUP BY word;
"""
ANSWERS = {"wörter": "3", "слова": "2", "文字": "1"}

pytestmark = pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)


def test_application_mode_runs_the_job_of_usrlib_with_our_classes(
    line: Line,
    install: Install,
    dropin_jar: Path,
    word_count: Path,
    stock_counts: list[str],
    tmp_path: Path,
) -> None:
    counts = tmp_path / "counts"
    with install(tmp_path / "flink", [dropin_jar]) as flink:
        (flink.home / "usrlib").mkdir()
        (flink.home / "usrlib" / "job.jar").hardlink_to(word_count)
        begun = flink.run(
            *("standalone-job.sh", "start", "--job-classname", WORD_COUNT),
            *("--output", counts.as_uri()),
            seconds=START_SECONDS,
        )
        assert begun.exit_code == 0, begun.output
        task_manager = flink.start_task_manager("test")
        # The JobManager ends with its job; a part of the output is renamed when it is complete.
        job_manager = "flink-test-standalonejob.pid"
        assert eventually(lambda: not flink.running(job_manager), JOB_SECONDS), (
            flink.everything_logged()
        )
        assert written(counts) == stock_counts
        for process in ("standalonejob", "taskexecutor"):
            (announcement,) = announced(flink.log(process))
            assert f"for Flink {line.version}: mode on" in announcement
        loaded = flink.loaded_by(task_manager)
        assert {loaded[STRING_VALUE], loaded[CODEC]} == {dropin_jar.name}


def written(folder: Path) -> list[str]:
    parts = [file for file in folder.rglob("part-*") if file.is_file()]
    return sorted(line for part in parts for line in part.read_text().splitlines())


@pytest.mark.in_full_form_only
def test_the_sql_client_and_gateway_answer_as_on_stock_with_our_classes(
    line: Line, install: Install, dropin_jar: Path, tmp_path: Path
) -> None:
    query = tmp_path / "query.sql"
    query.write_text(QUERY, encoding="utf-8")
    (port,) = free_ports(1)
    with install(tmp_path / "flink", [dropin_jar]) as flink:
        # In Flink's own opt/, but not in PyPI's.
        (flink.home / "opt" / GATEWAY.file).hardlink_to(ensure_artifact(GATEWAY))
        flink.start_cluster()
        assert answers(flink, "-f", query) == ANSWERS
        gateway = flink.run(
            *("sql-gateway.sh", "start", "-Dsql-gateway.endpoint.rest.address=localhost"),
            f"-Dsql-gateway.endpoint.rest.port={port}",
            seconds=START_SECONDS,
        )
        assert gateway.exit_code == 0, gateway.output
        assert eventually(lambda: "Rest endpoint listening" in flink.log("sql-gateway"), 180), (
            flink.everything_logged()
        )
        assert answers(flink, "gateway", "-e", f"localhost:{port}", "-f", query) == ANSWERS
        for process in ("standalonesession", "taskexecutor", "sql-client", "sql-gateway"):
            found = announced(flink.log(process))
            assert found, (process, flink.log(process))
            assert all(f"for Flink {line.version}: mode on" in each for each in found)


def answers(flink: FlinkInstallation, *arguments: str | Path) -> dict[str, str]:
    """What the SQL client prints as a table of words and numbers."""
    ended = flink.run("sql-client.sh", *map(str, arguments), seconds=JOB_SECONDS)
    assert ended.exit_code == 0, ended.output + flink.everything_logged()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in ended.output.splitlines()
        if line.startswith("|")
    ]
    assert rows[:1] == [["word", "times"]], ended.output
    return dict(rows[1:])
