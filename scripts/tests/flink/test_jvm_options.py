"""Which options a check takes over, and which files decide what code runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.jvm_options import (
    agents,
    files_of,
    left_out,
    taken_over,
    text_taken_over,
    words_of,
    writing,
)
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.option_files import opened, with_files
from flink_boost.flink.switches import MODE, Switch

OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"


@pytest.mark.parametrize(
    "word",
    [
        *("-Xms8g", "-Xmx8g", "-Xmn1g", "-XX:MaxHeapSize=8g", "-XX:+AlwaysPreTouch"),
        *("-XX:MaxDirectMemorySize=9g", "-XX:MaxRAMPercentage=80", "-XX:NewSize=1g"),
        *("-Xlog:gc:file=/gc.log", "-Xloggc:/gc.log", "-XX:StartFlightRecording=filename=/f.jfr"),
        *("-XX:ArchiveClassesAtExit=/a.jsa", "-XX:AOTCacheOutput=/a.aot", "-XX:LogFile=/x"),
        *("-Dcom.sun.management.jmxremote.port=9", "-agentlib:jdwp=transport=dt_socket,server=y"),
        *(
            "-agentpath:/jdk/lib/libjdwp.so=address=9",
            "-XX:OnError=/x",
            "-XX:+HeapDumpOnOutOfMemoryError",
        ),
        *(
            "-Dlog4j2.configurationFile=/l",
            "-Dlog4j.configuration=/l",
            "-Dlogback.configurationFile=/l",
        ),
    ],
)
def test_ports_files_and_memory_are_left_out(word: str) -> None:
    kept = ("-Xss2m", OPENS, "-XX:+UseG1GC", "-javaagent:/a.jar=9404", "@/args", "-Dx=-Xmx8g")
    assert taken_over((*kept, word)) == kept
    assert left_out((*kept, word)) == (word,)
    assert agents((*kept, word)) == ("-javaagent:/a.jar=9404",)


@pytest.mark.parametrize(
    "word",
    [
        "-agentpath:/libasyncProfiler.so=start,event=itimer,jfr,file=/tm.jfr",
        "-javaagent:/jacoco.jar=destfile=/x,append=false",
        "-javaagent:/jacoco.jar=port=9,output=file",
    ],
)
def test_agents_that_write_are_known_by_what_they_are_told(word: str) -> None:
    kept = ("-javaagent:/a.jar=9404:file.yaml", "-Dfile=1", "-javaagent:/file=x.jar=profile=1")
    assert writing((*kept, word)) == (word,)
    assert taken_over((*kept, word), writing((word,))) == kept


def test_a_variable_has_what_is_taken_over_of_it() -> None:
    text = f"-Da='b c' -Xmx8g -javaagent:/a.jar {OPENS}"
    assert words_of(text_taken_over(text)) == ("-Da=b c", "-javaagent:/a.jar", OPENS)
    own = {"PATH": "/bin", "LOG4J_CONFIGURATION_FILE": "/l", "JDK_JAVA_OPTIONS": "-Xmx8g"}
    found = launch(JAVA_TOOL_OPTIONS=text, JDK_JAVA_OPTIONS="-Xmx8g").environment(own)
    assert found.pop("PATH") == "/bin"
    assert words_of(found.pop("JAVA_TOOL_OPTIONS")) == ("-Da=b c", OPENS)
    assert not found
    # No JVM starts with a quote alone, nor does one of a check.
    assert text_taken_over("-Da='b") == "-Da='b"


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
        *("-p", "/h:/i", "-Dsun.boot.library.path=/j"),
    )
    named = ("a.jar", "b.so", "c.jar", "d.jar", "args", "e.aot", "f", "h", "i", "j")
    assert list(files_of(words)) == [Path("/", name) for name in named]


# --- files of options -----------------------------------------------------------------------------


def test_the_words_in_a_file_of_options_stand_in_its_place(tmp_path: Path) -> None:
    """As a JVM reads each kind of these files."""
    args, options, flags = (tmp_path / name for name in ("args", "options", "flags"))
    args.write_text(
        f'# -Dnot=1\n-Da=\'b c\'"d" -Dq="\\tx"\n  @{options} -XX:VMOptionsFile={options}'
        " -De='f\n-Dg=1"
    )
    options.write_text(f"-Dh='i j'\n-XX:Flags={flags}")
    flags.write_text("+UseG1GC # -Dnot=1\nMaxHeapSize=1\n")

    of_options = ("-Dh=i j", "-XX:+UseG1GC", "-XX:MaxHeapSize=1")
    of_args = ("-Da=b cd", "-Dq=\tx", f"@@{options}", *of_options, "-De=f", "-Dg=1")
    words = ("-Dy=1", f"@{args}", f"-XX:Flags={flags}", f"@@{args}", f"@{tmp_path}/no", "-Dz=1")
    behind = (*of_options[1:], *words[3:])
    assert with_files(words, None) == ("-Dy=1", *of_args, *behind)
    # The program `java` reads @, and a JVM does not.
    text = f"-Dy=1 @{args} -XX:VMOptionsFile={options}"
    assert words_of(opened("JDK_JAVA_OPTIONS", text, None)) == ("-Dy=1", *of_args, *of_options)
    assert words_of(opened("_JAVA_OPTIONS", text, None)) == ("-Dy=1", f"@{args}", *of_options)


@pytest.mark.parametrize("content", ["-Dx=\0", "-Dx " * 400_000, "-XX:VMOptionsFile={}"])
def test_what_is_no_file_of_options_is_refused(content: str, tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.write_text(content.format(odd))
    with pytest.raises(EnvironmentProblem, match=f"{odd} is no file of options"):
        with_files((f"-XX:VMOptionsFile={odd}",), None)


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
        assert order.off_by("client") is None
    assert launch(off).off_by("client") == Switch(MODE, "off")
    assert launch(on, _JAVA_OPTIONS=off).off_by("client") == Switch(MODE, "off", "_JAVA_OPTIONS")
    assert launch().switch("client", MODE) is None


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
