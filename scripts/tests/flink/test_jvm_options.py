"""Which options a check takes over, and which files decide what code runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_boost.flink.jvm_options import agents, files_of, left_out, taken_over, words_of
from flink_boost.flink.launch import ROLES, Launch

OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"


@pytest.mark.parametrize(
    "word",
    [
        *("-Xms8g", "-Xmx8g", "-Xmn1g", "-XX:MaxHeapSize=8g", "-XX:+AlwaysPreTouch"),
        *("-XX:MaxDirectMemorySize=9g", "-XX:MaxRAMPercentage=80", "-XX:NewSize=1g"),
        *("-Xlog:gc:file=/gc.log", "-Xloggc:/gc.log", "-XX:StartFlightRecording=filename=/f.jfr"),
        *("-XX:ArchiveClassesAtExit=/a.jsa", "-XX:AOTCacheOutput=/a.aot", "-XX:LogFile=/x"),
        *("-Dcom.sun.management.jmxremote.port=9", "-agentlib:jdwp=transport=dt_socket,server=y"),
    ],
)
def test_ports_files_and_memory_are_left_out(word: str) -> None:
    kept = ("-Xss2m", OPENS, "-XX:+UseG1GC", "-javaagent:/a.jar=9404", "@/args", "-Dx=-Xmx8g")
    assert taken_over((*kept, word)) == kept
    assert left_out((*kept, word)) == (word,)
    assert agents((*kept, word)) == ("-javaagent:/a.jar=9404",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-Da=b  -Dc=d", ("-Da=b", "-Dc=d")),
        ("-Da='b c' \"-Dd=e f\"", ("-Da=b c", "-Dd=e f")),
        ("-Da=C:\\x -Db=#1", ("-Da=C:\\x", "-Db=#1")),
        ("-Da='b", ("-Da='b",)),
        ("", ()),
    ],
)
def test_a_variable_is_split_as_a_jvm_splits_it(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_files_that_decide_what_code_runs() -> None:
    words = (
        *("-javaagent:/a.jar=port=1", "-agentpath:/b.so", "-Xbootclasspath/a:/c.jar:/d.jar"),
        *("@/args", "-XX:AOTCache=/e.aot", "--patch-module", "java.base=/f", "-Djava.io.tmpdir=/g"),
    )
    found = list(files_of(words))
    assert found == [
        Path(f) for f in ("/a.jar", "/b.so", "/c.jar", "/d.jar", "/args", "/e.aot")
    ] + [Path("/f")]


def launch(options: str = "", **variables: str) -> Launch:
    words = tuple(options.split())
    return Launch("java", (), dict.fromkeys(ROLES, words), variables=variables)


def test_the_last_switch_counts_whoever_sets_it() -> None:
    on, off = "-Dflink.boost.mode=on", "-Dflink.boost.mode=off"
    for order in (
        launch(on, JAVA_TOOL_OPTIONS=off),
        launch(on, JDK_JAVA_OPTIONS=off),
        launch(JDK_JAVA_OPTIONS=on, JAVA_TOOL_OPTIONS=off),
        launch(off, _JAVA_OPTIONS=on),
    ):
        assert order.mode("client") == "on"
    assert launch(off).switched_by("client") == ""
    assert launch(on, _JAVA_OPTIONS=off).switched_by("client") == "_JAVA_OPTIONS"
    assert launch().mode("client") is None


def test_two_words_open_strings_too() -> None:
    assert launch("--add-opens java.base/java.lang=ALL-UNNAMED").opens_strings("client", 17)
    assert launch(JDK_JAVA_OPTIONS=OPENS).opens_strings("client", 17)
    assert not launch().opens_strings("client", 17)
    assert launch().opens_strings("client", 11)


def test_compact_strings_by_the_last_word() -> None:
    off, on = "-XX:-CompactStrings", "-XX:+CompactStrings"
    assert not launch(f"{on} {off}").compacts_strings("client")
    assert launch(f"{off} {on}").compacts_strings("client")
    assert not launch(_JAVA_OPTIONS=off).compacts_strings("client")
