"""The drop-in jar in ``lib/`` of a real cluster: on by default, off by the kill switch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from flink_installation import ONE_PER_LINE, QUICK, Install, Platform, count_words
from our_classes import (
    CODEC,
    ENTRY_POINTS,
    TASK_MANAGER,
    announced,
    runs_our_classes_from,
)

from flink_boost.flink.lines import Line

STRING_VALUE = "org.apache.flink.types.StringValue"
PROBE = Path(__file__).with_name("KillSwitchProbe.java")


@pytest.mark.on_every_line
def test_word_count_gives_stocks_output_with_our_classes(
    platform: Platform,
    install: Install,
    dropin_jar: Path,
    word_count: Path,
    stock_counts: list[str],
    tmp_path: Path,
) -> None:
    with install(tmp_path / "flink", [dropin_jar]) as flink:
        flink.start_cluster()
        counts = count_words(flink, word_count, tmp_path / "counts")
        assert len(flink.daemons()) == 2

    assert flink.daemons() == []
    assert counts == stock_counts
    runs_our_classes_from(dropin_jar, platform, flink, "the class files it")


@pytest.mark.test_all
@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
def test_the_kill_switch_runs_stocks_code_with_the_jar_in_place(
    line: Line,
    install: Install,
    dropin_jar: Path,
    word_count: Path,
    stock_counts: list[str],
    tmp_path: Path,
) -> None:
    off = "-Dflink.boost.mode=off"
    with install(tmp_path / "flink", [dropin_jar], off) as flink:
        flink.start_cluster()
        counts = count_words(flink, word_count, tmp_path / "counts")

    assert counts == stock_counts
    for process in ENTRY_POINTS:
        announcements = announced(flink.log(process))
        assert len(announcements) == 1, (process, announcements, flink.log(process))
        assert "mode off, switched off by -Dflink.boost.mode=off" in announcements[0]
        # The switch is in the configuration file, beside what Flink has there itself.
        options = jvm_options(flink.log(process))
        assert off in options
        if process != "client" or line.version != "1.9.3":  # its client does not read any there
            assert set(line.jvm_options) <= options
    loaded = flink.loaded_classes(TASK_MANAGER)
    assert {loaded[name] for name in line.strings} == {dropin_jar.name}
    for name in (line.classes.keys() - line.strings.keys()) & loaded.keys():
        assert loaded[name].startswith("flink-dist")
    # The test above shows that the codec cannot work without these two.
    assert not set(CODEC) & set(loaded)


@pytest.mark.on_every_line
@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
@pytest.mark.parametrize("mode", ["on", "off"])
def test_the_switch_decides_whose_method_body_runs(
    distribution: Path, dropin_jar: Path, mode: str
) -> None:
    probe = subprocess.run(
        [
            *("java", QUICK, f"-Dflink.boost.mode={mode}"),
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            *("-cp", f"{dropin_jar}:{distribution}/lib/*", str(PROBE)),
        ],
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )

    report = dict(line.split("=", 1) for line in probe.stdout.splitlines() if "=" in line)
    assert report["enabled"] == ("true" if mode == "on" else "false")
    assert report["bytes"] == "06666c696e6b"
    assert ("org.apache.flink.boost.strings.StringWriter" in report["stack"]) is (mode == "on")
    assert (f"{STRING_VALUE}.writeString$flinkBoostStock" in report["stack"]) is (mode == "off")


def jvm_options(log: str) -> set[str]:
    """What a process says at its start that it was started with."""
    after = log.partition(" JVM Options:\n")[2].partition(" Program Arguments:")[0]
    found = {text.rpartition(" - ")[2].strip() for text in after.splitlines()}
    assert len(found) > 1, log
    return found
