"""Which process of a cluster runs our classes, by its log and by the classes that it loaded."""

from __future__ import annotations

from pathlib import Path

from flink_installation import FlinkInstallation

from flink_boost.flink.lines import Line

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


def runs_our_classes_from(jar: Path, line: Line, flink: FlinkInstallation, words: str) -> None:
    """What logs and loaded classes of a cluster that ran WordCount have to say."""
    for process, entry_point in ENTRY_POINTS.items():
        announcements = announced(flink.log(process))
        assert len(announcements) == 1, (process, announcements, flink.log(process))
        assert f"for Flink {line.version}: mode on, {words}" in announcements[0]
        assert "string access opened" in announcements[0]
        loaded = flink.loaded_classes(entry_point)
        for name in line.strings:
            assert loaded.get(name, jar.name) == jar.name
        for name in line.classes.keys() - line.strings.keys():
            assert not loaded[name].endswith(".jar"), (
                process,
                name,
                "was not defined by our guard",
            )
    loaded = flink.loaded_classes(TASK_MANAGER)
    assert {loaded[name] for name in (*CODEC, *line.strings)} == {jar.name}


def announced(log: str) -> list[str]:
    """The lines in which the guard says which mode it found."""
    return [text for text in log.splitlines() if "- flink-boost " in text and ": mode " in text]
