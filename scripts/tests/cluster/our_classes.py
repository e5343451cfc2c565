"""Which process of a cluster runs our classes, by its log and by the classes that it loaded."""

from __future__ import annotations

from pathlib import Path

from flink_installation import FlinkInstallation, Platform
from running_job import has_records

CLIENT = "org.apache.flink.client.cli.CliFrontend"
JOB_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
TASK_MANAGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
ENTRY_POINTS = {
    "client": CLIENT,
    "standalonesession": JOB_MANAGER,
    "taskexecutor": TASK_MANAGER,
}
CODEC = (
    "org.apache.flink.boost.strings.StringWriter",
    "org.apache.flink.boost.strings.StringReader",
)


def runs_our_classes_from(
    jar: Path, platform: Platform, flink: FlinkInstallation, words: str
) -> None:
    """What logs and loaded classes of a cluster that ran WordCount have to say."""
    line = platform.line
    records = line.classes.keys() - line.strings.keys()
    for process, entry_point in ENTRY_POINTS.items():
        announcements = announced(flink.log(process))
        assert len(announcements) == 1, (process, announcements, flink.log(process))
        assert f"for Flink {line.version}: mode on, {words}" in announcements[0]
        assert "string access opened" in announcements[0]
        loaded = flink.loaded_classes(entry_point)
        for name in line.strings:
            assert loaded.get(name, jar.name) == jar.name
        if has_records(line, platform.jdk):
            by_guard = {name for name in records if not loaded[name].endswith(".jar")}
            assert by_guard == records, (process, loaded)
        else:
            flinks = {loaded.get(name, "flink-dist") for name in records}
            assert all(name.startswith("flink-dist") for name in flinks), (process, flinks)
    loaded = flink.loaded_classes(TASK_MANAGER)
    assert {loaded[name] for name in (*CODEC, *line.strings)} == {jar.name}


def announced(log: str) -> list[str]:
    """The lines in which the guard says which mode it found."""
    return [text for text in log.splitlines() if "- flink-boost " in text and ": mode " in text]
