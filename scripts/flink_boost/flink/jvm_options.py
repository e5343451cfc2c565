"""JVM options as Flink's scripts and the environment give them, and which a check takes over.

A check starts a second JVM beside the processes of an installation. What would take their port,
write into their files or wait for a debugger is left out, and so is their memory. That holds for
the variables, too, which each JVM takes by itself.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

# A JVM reads the first one before its command line and the last one behind it; the one between is
# put in front of the command line by the program `java`. Where options contradict, the last counts.
TOOL_OPTIONS, LAUNCHER_OPTIONS, LAST_OPTIONS = VARIABLES = (
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
)

_LEFT_OUT = re.compile(
    # ports, and a debugger that is waited for
    r"-Dcom\.sun\.management\..*|-(agentlib:|Xrun)jdwp.*|-agentpath:[^=]*jdwp\b.*"
    # files
    r"|-Xlog\b.*|-Xloggc:.*|-XX:(LogFile|DumpLoadedClassList|ArchiveClassesAtExit)=.*"
    r"|-XX:\+(LogVMOutput|AutoCreateSharedArchive)|-Xshare:dump"
    r"|-XX:(StartFlightRecording|FlightRecorderOptions)\b.*"
    r"|-XX:(AOTCacheOutput|AOTConfiguration)=.*|-XX:AOTMode=(record|create)"
    r"|-XX:\+HeapDump.*|-XX:(HeapDumpPath|ErrorFile|OnError|OnOutOfMemoryError)=.*"
    r"|-D(log4j2?|logback)\.configuration(File)?=.*|-Djava\.util\.logging\.config\.file=.*"
    # memory
    r"|-Xm[nsx]\d.*|-XX:(Initial|Min|Max|SoftMax)?HeapSize=.*|-XX:(Max)?(New|Old)Size=.*"
    r"|-XX:MaxDirectMemorySize=.*|-XX:(Initial|Min|Max)RAM(Percentage|Fraction)?=.*"
    r"|-XX:[+-]AlwaysPreTouch"
)
# Behind what is taken over.
SMALL = ("-Xms64m", "-Xmx1g", "-XX:-AlwaysPreTouch")

_AGENT = re.compile(r"-(javaagent|agentpath|agentlib):.*|-Xrun.*")
# As the words of profilers and of those that measure coverage name it.
_WRITTEN = re.compile(r"[=,;:](dest|dump|log|out)?(file|output)=", re.IGNORECASE)
# Files that a JVM runs code from, or takes further options from.
_FILES = re.compile(
    r"(?:-javaagent:|-agentpath:|-Xbootclasspath(?:/[ap])?:|@|-XX:(?:Flags|VMOptionsFile)="
    r"|-XX:(?:SharedArchiveFile|AOTCache|JVMCILibPath)=|--patch-module=[\w.]+="
    r"|-p=|--(?:upgrade-)?module-path="
    r"|-D(?:sun\.boot\.library\.path|java\.(?:library\.path|ext\.dirs|endorsed\.dirs|home))=)(.+)"
)
_TWO_WORDS = frozenset(
    {
        *("--add-opens", "--add-exports", "--patch-module"),
        *("-p", "--module-path", "--upgrade-module-path"),
    }
)


def words_of(text: str) -> tuple[str, ...]:
    """The options in one of the ``VARIABLES``; quotes there keep words together."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return tuple(lexer)
    except ValueError:  # a quote without its other half: no JVM starts with it
        return tuple(text.split())


def joined(words: Sequence[str]) -> Iterator[str]:
    """The options, those of two words as one: ``--add-opens=…``."""
    rest = iter(words)
    for word in rest:
        yield f"{word}={next(rest, '')}" if word in _TWO_WORDS else word


def in_effect(words: Sequence[str], variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each option of a JVM with the variable that it is from, if any; the last one counts."""
    for name in VARIABLES:
        if name == LAST_OPTIONS:
            yield from ((word, "") for word in joined(words))
        for word in joined(words_of(variables.get(name, ""))):
            yield word, name


def taken_over(words: Sequence[str], without: Collection[str] = ()) -> tuple[str, ...]:
    """Those that a check starts its JVM with; agents are among them, if not in ``without``."""
    return tuple(w for w in words if w not in without and not _LEFT_OUT.fullmatch(w))


def text_taken_over(text: str, without: Collection[str] = ()) -> str:
    """The same for one of the ``VARIABLES``."""
    words = words_of(text)
    kept = taken_over(words, without)
    return text if kept == words else shlex.join(kept)


def left_out(words: Sequence[str]) -> tuple[str, ...]:
    """Those that it does not."""
    return tuple(word for word in words if _LEFT_OUT.fullmatch(word))


def agents(words: Sequence[str]) -> tuple[str, ...]:
    """Those that load an agent, which may put other classes in the place of ours."""
    return tuple(word for word in words if _AGENT.fullmatch(word) and not _LEFT_OUT.fullmatch(word))


def writing(words: Sequence[str]) -> tuple[str, ...]:
    """The agents that are told a file to write: a second process would write into the same."""
    return tuple(word for word in agents(words) if _WRITTEN.search(word))


def files_of(words: Sequence[str]) -> Iterator[Path]:
    """The files that decide, by these options, what code a JVM runs."""
    for word in joined(words):
        if found := _FILES.fullmatch(word.strip("\"'")):
            value = found[1].partition("=")[0] if _AGENT.fullmatch(word) else found[1]
            yield from (Path(file) for file in value.split(os.pathsep) if file)
