"""Where the codec's tests run in which mode, and what starts the JVM."""

from __future__ import annotations

import re

import pytest

from flink_boost.flink.lines import OPENS_JAVA_LANG, find_line, measured_lines
from flink_boost.flink.modes import (
    MODES,
    classes_left_out,
    find_mode,
    mode_options,
    modes_of_tests,
)

FIRST_COMPILER = "-XX:TieredStopAtLevel=1"
PACKAGE = "org.apache.flink.boost"
NAMES = {
    **dict.fromkeys(("MalformedInputTest", "StringReadTest", "AllocationTest"), "sidebyside"),
    **dict.fromkeys(("RandomRecordsTest", "KryoReaderTest"), "records"),
    **dict.fromkeys(("BoostModeTest", "VersionGuardTest"), "guard"),
    "FullHeapTest": "strings",
}


def taken(mode: str, *, brief: bool = True) -> set[str]:
    """Those of ``NAMES`` that run there on JDK 17."""
    without = classes_left_out(find_mode(mode), 17, brief=brief)
    left = re.compile(rf"(.*[.$])?({'|'.join(without)})") if without else None
    return {
        name
        for name, package in NAMES.items()
        if not (left and left.fullmatch(f"{PACKAGE}.{package}.{name}"))
    }


def test_every_mode_runs_somewhere_and_on_demand_on_every_line() -> None:
    two = ("opened", "not-opened")
    places = [("1.9.3", 11), ("1.20.5", 11), ("1.20.5", 17), ("2.3.0", 17), ("2.3.0", 21)]
    assert [modes_of_tests(find_line(line), jdk) for line, jdk in places] == [
        *(two, two, ("opened",), MODES, ("opened",))
    ]
    assert [modes_of_tests(find_line(line), jdk, all_modes=True) for line, jdk in places] == [
        *(MODES, MODES, two, MODES, two)
    ]


@pytest.mark.parametrize(
    ("version", "jdk", "opened"),
    [("1.9.3", 11, False), ("1.20.5", 11, True), ("1.20.5", 17, True), ("2.3.0", 17, True)],
)
def test_opened_is_what_the_lines_own_configuration_opens(
    version: str, jdk: int, opened: bool
) -> None:
    line = find_line(version)
    for mode in MODES:
        options = mode_options(line, jdk, find_mode(mode))
        assert (OPENS_JAVA_LANG in options) == (opened and mode != "not-opened")
        assert ("--illegal-access=deny" in options) == (jdk == 11 and mode == "not-opened")


def test_the_codec_is_tested_optimised_in_both_ways_to_reach_a_string() -> None:
    line = find_line("2.3.0")
    optimised = [m for m in MODES if FIRST_COMPILER not in mode_options(line, 17, find_mode(m))]
    assert optimised == ["opened", "not-opened"]
    assert FIRST_COMPILER in mode_options(find_line("1.9.3"), 11, find_mode("not-opened"))
    assert FIRST_COMPILER not in mode_options(find_line("1.9.3"), 11, find_mode("opened"))


def test_every_measured_line_is_tested_optimised_and_every_jdk_by_one_line() -> None:
    lines = measured_lines()
    opened = find_mode("opened")
    found = [
        (line.version, jdk)
        for line in lines
        for jdk in line.jdks
        if FIRST_COMPILER not in mode_options(line, jdk, opened)
    ]
    assert {version for version, _ in found} == {line.version for line in lines}
    assert {jdk for _, jdk in found} == {jdk for line in lines for jdk in line.jdks}
    assert ("2.3.0", 21) in found, "no line's first"
    assert ("1.20.5", 17) not in found, "the default line's first"


def test_a_line_that_is_not_measured_is_tested_by_the_first_compiler_with_fewer_cases() -> None:
    opened = find_mode("opened")
    options = mode_options(find_line("1.19.3"), 11, opened)
    assert FIRST_COMPILER in options
    assert "-Dcodec.cases=5000" in options
    assert FIRST_COMPILER not in mode_options(find_line("1.19.3"), 11, opened, optimised=True)


def test_a_measured_line_may_be_tested_as_briefly_as_the_others() -> None:
    opened = find_mode("opened")
    options = mode_options(find_line("1.9.3"), 11, opened, brief=True)
    assert FIRST_COMPILER in options
    assert "-Dcodec.cases=5000" in options


def test_with_fewer_cases_the_optimising_compiler_stays() -> None:
    line = find_line("2.3.0")
    options = mode_options(line, 17, find_mode("opened"), fewer=True)
    assert "-Dcodec.cases=5000" in options
    assert FIRST_COMPILER not in options
    assert "-Dcodec.cases=5000" not in mode_options(line, 17, find_mode("opened"))


def test_on_demand_every_line_is_tested_optimised() -> None:
    for name in ("opened", "not-opened", "no-compact-strings"):
        for version, jdk in (("1.9.3", 11), ("1.20.5", 17)):
            options = mode_options(find_line(version), jdk, find_mode(name), optimised=True)
            assert FIRST_COMPILER not in options


def test_only_the_first_mode_has_all_random_cases() -> None:
    line = find_line("2.3.0")
    fewer = [m for m in MODES if "-Dcodec.cases=5000" in mode_options(line, 17, find_mode(m))]
    assert fewer == list(MODES[1:])


def test_heaps_are_filled_in_the_first_mode_and_not_in_brief() -> None:
    heaps = {"FullHeapTest", "GrowthFailureTest", "FirstRecordTest"}
    where = {m: heaps.isdisjoint(classes_left_out(find_mode(m), 17)) for m in MODES if m != "words"}
    assert where == {m: m == "opened" for m in where}
    assert heaps < set(classes_left_out(find_mode("opened"), 17, brief=True))


def test_what_other_tests_look_at_as_well_is_left_out_of_brief_runs_alone() -> None:
    opened = find_mode("opened")
    assert not classes_left_out(opened, 17)
    assert "MalformedInputTest" in taken("not-opened"), "its reading is its own"
    brief = "|".join(classes_left_out(opened, 17, brief=True))
    for name in ("MalformedInputTest", "SoakTest", "StringCodecFuzzTest", "ConcurrencyTest"):
        assert re.fullmatch(brief, name)
    for name in ("StringReadTest", "StringCopyTest", "AllocationTest", "RandomRecordsTest"):
        assert not re.fullmatch(brief, name)


def test_each_class_is_in_make_test_where_its_mode_matters() -> None:
    assert taken("opened", brief=False) == NAMES.keys()
    assert taken("not-opened") == {
        *("MalformedInputTest", "StringReadTest", "AllocationTest", "RandomRecordsTest"),
        *("KryoReaderTest", "BoostModeTest"),
    }
    assert taken("no-compact-strings") == {"StringReadTest", "BoostModeTest"}
    assert taken("switched-off") == {"StringReadTest", "BoostModeTest", "KryoReaderTest"}


def test_test_all_has_them_in_the_other_modes_too() -> None:
    for mode in ("not-opened", "no-compact-strings", "switched-off"):
        assert {"VersionGuardTest", "KryoReaderTest"} < taken(mode, brief=False)


def test_generated_code_is_tested_where_there_are_hidden_classes() -> None:
    generated, families = classes_left_out(find_mode("opened"), 11)
    assert families == "OtherFamiliesTest"
    package = "org.apache.flink.boost.records."
    assert re.fullmatch(generated, f"{package}RandomRecordsTest")
    assert re.fullmatch(generated, f"{package}generation.MethodSizeTest")
    assert not re.fullmatch(generated, f"{package}WovenSerializersTest")
    assert not re.fullmatch(generated, "org.apache.flink.boost.sidebyside.StringReadTest")
    assert not classes_left_out(find_mode("opened"), 17)
