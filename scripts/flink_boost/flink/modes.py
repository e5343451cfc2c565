"""The modes in which the codec's tests run: how a JVM can hand strings to our code."""

from __future__ import annotations

from dataclasses import dataclass

from flink_boost.flink.lines import OPENS_JAVA_LANG, Line, default_line, measured_lines

# The modes after the first share its loops: a quarter of the random cases is enough.
_FEWER_CASES = ("-Dcodec.cases=5000", "-Djqwik.tries.default=250")
# Where a mode's code does not depend on the optimising compiler, or another line tests it with
# that: a quarter of the tests' time is that compiler's, an eighth that of a collector in parallel.
_ONE_COLLECTOR = ("-XX:+UseSerialGC",)
_FIRST_COMPILER = ("-XX:TieredStopAtLevel=1", *_ONE_COLLECTOR)
# Below a test there are fifty frames of JUnit, which each of its exceptions would write down.
_SHORT_TRACES = "-XX:MaxJavaStackTraceDepth=40"
# Where it has compiled a throw the JVM leaves its message out, on one side before the other.
_WHOLE_MESSAGES = "-XX:-OmitStackTraceInFastThrow"
# Kryo looks into it, whatever our code sees of strings.
_OPENS_JAVA_UTIL = "--add-opens=java.base/java.util=ALL-UNNAMED"
# JDK 11 opens everything unless it is told not to. java.nio stays open: without it Flink 1.9 has no
# memory off the heap.
_CLOSED_ON_11 = ("--illegal-access=deny", "--add-opens=java.base/java.nio=ALL-UNNAMED")
# They start JVMs of their own, with options of their own: the mode does not reach them.
_FULL_HEAPS = ("FullHeapTest", "GrowthFailureTest", "FirstRecordTest")
_FORKED = (*_FULL_HEAPS, "FirstStringTest", "RestrictedRuntimeTest")
# Generated code; it asks how strings are reached, and nothing else of what a mode changes.
_RECORDS = ("RandomRecordsTest",)
# On a Java before 16 nothing is generated: there Flink's own code runs, as one of them shows.
_GENERATED = (r".*\.boost\.records\.(?!WovenSerializersTest$).*", "OtherFamiliesTest")
# Only where records are on can they be checked.
_CHECKED = (r".*\.boost\.records\.check\..*", "(Kryo)?CheckedProcessTest")
_HIDDEN_CLASSES = 16
# More input for what other tests look at as well.
_MORE_INPUT = (r"Malformed\w*Test", r"\w*SoakTest", r"\w*FuzzTest", r"\w*ConcurrencyTest")
# They look at class files and at switches that they set themselves.
_GUARD = (r".*\.boost\.guard\.(?!BoostModeTest$).*",)
# They compare with stock what "opened" and "not-opened" generate.
_RECORDS_ALL = (r".*\.boost\.records\..*",)
# Stock against stock, or code that "not-opened" tests whole: that everything works is enough.
_LONG = (*_MORE_INPUT, "AllocationTest", *_RECORDS, *_FORKED)
_CODEC = (
    "StringAccessTest",
    r"\w*StringReadTest",
    "StringTargetTest",
    "CodeUnitTest",
    "StringCopyTest",
    "StringCodecPropertyTest",
)


@dataclass(frozen=True)
class CodecMode:
    """How a JVM is started, and which test classes run in it, by patterns of their simple names.

    ``only`` empty: all of them. ``access``: what the tests expect of our access to strings.
    ``brief``: what is left out besides where another run of ``make test`` has it.
    """

    name: str
    access: str
    options: tuple[str, ...] = ()
    opens: bool = True
    first_compiler: bool = False
    only: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    brief: tuple[str, ...] = ()


_ALL = (
    CodecMode("opened", "opened", brief=(*_FULL_HEAPS, *_MORE_INPUT)),
    CodecMode("not-opened", "not-opened", opens=False, left_out=_FORKED, brief=_GUARD),
    CodecMode(
        "switched-off",
        "opened",
        ("-Dflink.boost.mode=off",),
        first_compiler=True,
        left_out=(*_LONG, *_CHECKED),
        brief=_GUARD,
    ),
    # As on a JDK whose check for ASCII is not where we look for it.
    CodecMode("words", "opened", ("-Dflink.boost.access=words",), first_compiler=True, only=_CODEC),
    CodecMode(
        "no-compact-strings",
        "not-opened",
        ("-XX:-CompactStrings",),
        left_out=(*_RECORDS, *_FORKED),
        brief=(*_MORE_INPUT, "AllocationTest", *_GUARD, *_RECORDS_ALL),
    ),
)
MODES = tuple(mode.name for mode in _ALL)


def find_mode(name: str) -> CodecMode:
    """The mode of that name, one of ``MODES``; ``KeyError`` for another."""
    return {mode.name: mode for mode in _ALL}[name]


def modes_of_tests(line: Line, jdk: int, all_modes: bool = False) -> tuple[str, ...]:
    """The modes in which the codec's tests run there.

    Every mode on the default line's first JDK, opened and not opened on that of another line. On
    further JDKs opened only, because it alone depends on the JDK's own classes; on a line that is
    not measured opened only, too. ``all_modes`` gives each of them what the one above it has.
    """
    if jdk == line.jdks[0] and (line.measured or all_modes):
        return MODES if all_modes or line.version == default_line() else MODES[:2]
    return MODES[:2] if all_modes else MODES[:1]


def classes_left_out(mode: CodecMode, jdk: int, *, brief: bool = False) -> tuple[str, ...]:
    """Patterns of test classes that do not run in the mode.

    In ``brief`` also those that another run of ``make test`` stands for.
    """
    generated = _GENERATED if jdk < _HIDDEN_CLASSES else ()
    return tuple(dict.fromkeys((*mode.left_out, *generated, *(mode.brief if brief else ()))))


def mode_options(
    line: Line,
    jdk: int,
    mode: CodecMode,
    *,
    optimised: bool = False,
    brief: bool = False,
    fewer: bool = False,
) -> tuple[str, ...]:
    """The options of a JVM that runs the line's tests on that JDK in that mode.

    By default the optimising compiler has the tests of measured lines: opened on each line's first
    JDK and on a JDK that is the first of none, and not opened on the default line. ``optimised``:
    wherever the mode's code depends on it. ``brief``: nowhere, and with fewer cases. ``fewer``:
    with fewer cases only.
    """
    opened = (OPENS_JAVA_LANG,) if OPENS_JAVA_LANG in line.jvm_options else ()
    util = (_OPENS_JAVA_UTIL,) if _OPENS_JAVA_UTIL in line.jvm_options else ()
    closed = _CLOSED_ON_11 if jdk == 11 else ()
    served = (brief or not line.measured) and not optimised
    first = mode.first_compiler or served or not (optimised or _needs_optimising(line, jdk, mode))
    return (
        "-Xmx1g",
        _SHORT_TRACES,
        _WHOLE_MESSAGES,
        # "Opened" means: as the line's own configuration leaves java.lang.
        *(opened if mode.opens else closed),
        *util,
        *(_FEWER_CASES if brief or fewer or _is_shortened(line, mode, optimised) else ()),
        *(_FIRST_COMPILER if first else _ONE_COLLECTOR if fewer else ()),
        *mode.options,
        f"-Dexpected.access={mode.access}",
    )


def _is_shortened(line: Line, mode: CodecMode, optimised: bool) -> bool:
    """Whether the loops of a measured line, opened, stand for those of this run."""
    return mode.name != "opened" or not (line.measured or optimised)


def _needs_optimising(line: Line, jdk: int, mode: CodecMode) -> bool:
    """Whether no other JVM of the tests runs this code optimised on a JDK with these intrinsics.

    Without compact strings our code is that of "not opened"; what differs is the JDK's.
    """
    if mode.name != "opened":
        return mode.name == "not-opened" and line.version == default_line()
    firsts = {one.jdks[0] for one in measured_lines()}
    return jdk == line.jdks[0] or jdk not in firsts
