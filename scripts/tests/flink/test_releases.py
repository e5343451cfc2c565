"""Which releases have the classes of a line, as releases.toml says and as class files say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from flink_boost.flink.classes import LOCK
from flink_boost.flink.line_jars import patched_jars
from flink_boost.flink.lines import load_lines, load_patched, with_classes
from flink_boost.flink.releases import (
    RELEASES_FILE,
    KnownReleases,
    as_tested,
    fitting_line,
    jdks_of,
    load_releases,
    ranges_of,
)
from flink_boost.flink.switches import STRINGS
from flink_boost.flink.versions import version_key
from flink_boost.port.newline.look import render

LINES = load_lines()
KNOWN = load_releases()
PATCHED = load_patched()
SHARED = "NonSpanningWrapper"
STRING_VALUE = "org.apache.flink.types.StringValue"
OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer"


def test_every_line_is_one_of_the_releases_and_was_tested() -> None:
    for version, line in LINES.items():
        release = KNOWN.releases[version]
        assert release.classes == version
        assert release.tested
        woven = {jar: line.jars[jar] for jar in patched_jars(line)}
        seen = {PurePosixPath(name).name: sum_ for name, sum_ in release.jars.items()}
        assert {**seen, **woven} == seen
        assert set(line.jdks) <= set(release.jdks)


def test_a_combination_is_of_files_that_do_the_same_and_named_after_a_release_of_it() -> None:
    found: dict[str, dict[str, frozenset[str]]] = {}
    for version, release in KNOWN.releases.items():
        # Of a jar that is nowhere to be had the classes are not known.
        jars = [PurePosixPath(name).name for name in release.jars]
        had = [e for e in PATCHED.values() if any(name.startswith(e.jar) for name in jars)]
        assert KNOWN.has_all(version, had)
        files = KNOWN.lock.of(version)
        strings = {
            name: KNOWN.lock.equal(name, files[name])
            for name in files
            if PATCHED[name].family == STRINGS
        }
        assert found.setdefault(release.classes, strings) == strings
        fitting = fitting_line(files, LINES.values())
        assert release.classes == (release.classes if fitting is None else fitting.version)
    assert all(KNOWN.releases[name].classes == name for name in found)
    # As few as can be: no two of them do the same in all families.
    alike = {
        tuple((name, KNOWN.lock.equal(name, file)) for name, file in KNOWN.lock.of(each).items())
        for each in found
    }
    assert len(alike) == len(found)


def test_releases_are_in_order_and_only_what_fits_is_tested() -> None:
    versions = list(KNOWN.releases)
    assert versions == sorted(versions, key=version_key)
    for release in KNOWN.releases.values():
        assert not release.tested or release.classes in LINES
        assert release.jdks
        strings = {e.jar for e in PATCHED.values() if e.family == STRINGS}
        assert all(any(name.startswith(jar) for name in release.jars) for jar in strings)


# The first six digits of the class files, compared by somebody else by other means.
@pytest.mark.parametrize(
    ("releases", "string_value", "output", "input_", "wrapper"),
    [
        ("1.9.3", "c4b5e6", "1cb38d", "72b08c", "ae13d8"),
        ("1.10.3", "59bc4b", "1cb38d", "72b08c", "ae13d8"),
        ("1.11.6", "8c423c", "ba9406", "a23b27", "7811ed"),
        ("1.12.7 1.13.6", "8c423c", "3c3191", "a23b27", "7811ed"),
        ("1.14.6 1.15.4", "8c423c", "3c3191", "a23b27", "6c6e01"),
        ("1.16.3", "8c423c", "3c3191", "083c4b", "7811ed"),
        ("1.17.2 1.18.0 1.18.1 1.19.0 1.19.3", *("8c423c", "3c3191", "083c4b", "6c6e01")),
        ("1.20.0 1.20.2 1.20.5", "8c423c", "b9e523", "66712e", "6c6e01"),
        ("2.0.0 2.0.2", "84d6b7", "d0773a", "d288b7", "ebe9a4"),
        (
            "2.1.0 2.1.1 2.1.3 2.2.0 2.2.1 2.3.0",
            *("2a39ba", "d0773a", "d288b7", "ebe9a4"),
        ),
    ],
)
def test_class_files_are_those_that_were_seen_elsewhere(
    releases: str, string_value: str, output: str, input_: str, wrapper: str
) -> None:
    expected = {
        "StringValue": string_value,
        "DataOutputSerializer": output,
        "DataInputDeserializer": input_,
        SHARED: wrapper,
    }
    for version in releases.split():
        found = {
            name.replace("$", ".").rpartition(".")[2]: checksum[:6]
            for name, checksum in KNOWN.lock.of(version).items()
        }
        assert {name: found.get(name) for name in expected} == expected, version


def test_the_line_with_more_classes_wins_and_one_that_differs_does_not_fit() -> None:
    line = LINES["1.20.5"]
    smaller = replace(line, version="small", classes=dict(list(line.classes.items())[:2]))
    found = {**line.classes, "some.Other": "00"}
    assert fitting_line(found, [smaller, line]) is line
    for name in line.strings:
        assert fitting_line({**found, name: "00"}, [line]) is None
        assert fitting_line({k: v for k, v in found.items() if k != name}, [line]) is None


def test_a_line_fits_class_files_that_do_the_same_and_its_own_go_first() -> None:
    older, files = LINES["1.11.3"], KNOWN.lock.of("1.11.6")
    newer = with_classes(replace(older, version="1.11.6"), KNOWN.lock, PATCHED.values())
    assert newer.classes == {name: files[name] for name in newer.classes}
    assert all(older.classes[name] != newer.classes[name] for name in (STRING_VALUE, OUTPUT))
    assert fitting_line(newer.classes, [older]) is older
    assert fitting_line(newer.classes, [older, newer]) is newer
    assert fitting_line(older.classes, [newer, older]) is older
    mixed = {**newer.classes, OUTPUT: older.classes[OUTPUT]}
    assert fitting_line(mixed, [older]) is older
    assert fitting_line(mixed, [LINES["1.17.0"]]) is None
    # What no release has may do the same: nobody has compared it.
    assert fitting_line({**newer.classes, OUTPUT: "00"}, LINES.values()) is None


def test_classes_of_another_family_turn_that_off_and_keep_no_jar_away() -> None:
    line = LINES["2.3.0"]
    records = set(line.classes) - set(line.strings)
    assert records
    assert all(line.family_of[name] == "records" for name in records)
    others = [{**line.classes, name: "00"} for name in sorted(records)]
    lacking = [{n: c for n, c in line.classes.items() if n != name} for name in sorted(records)]
    for found in (*others, *lacking):
        assert fitting_line(found, LINES.values()) is line
        assert line.without(found) == {"records"}
        assert line.in_effect(found).classes == line.strings
        assert set(line.in_effect(found).family_of.values()) == {STRINGS}
    assert line.without(line.classes) == frozenset()
    assert line.in_effect(line.classes) == line
    # Of two that fit, the one with which more is on.
    other = replace(line, version="other", classes=others[0], equal={})
    assert fitting_line(line.classes, [other, line]) is line
    assert fitting_line(line.classes, [line, other]) is line


def test_every_release_of_a_line_with_records_says_whether_they_are_on() -> None:
    on = {
        version
        for version, release in KNOWN.releases.items()
        if (line := LINES.get(release.classes)) is not None
        and line.strings != line.classes
        and not line.without(KNOWN.lock.of(version))
    }
    assert on == {each for each in KNOWN.releases if version_key(each) >= (1, 19)}


def test_jdks_are_those_of_the_latest_entry_before() -> None:
    first = {"1.9.0": (11,), "1.18.0": (11, 17), "2.0.0": (17, 21)}
    found = [jdks_of(each, first) for each in ("1.8.3", "1.17.2", "1.18.0", "1.20.9", "2.5.0")]
    assert found == [(), (11,), (11, 17), (11, 17), (17, 21)]


def test_the_file_is_as_the_command_writes_it() -> None:
    text = RELEASES_FILE.read_text(encoding="utf-8")
    assert render(KNOWN) == text
    lock = RELEASES_FILE.with_name(LOCK).read_text(encoding="utf-8")
    assert KNOWN.lock.only(load_patched()).render() == lock


def test_a_release_is_tested_on_the_jdks_that_something_passed_on_or_else_as_its_line() -> None:
    line = LINES["2.2.1"]
    day = KNOWN.releases["2.2.1"].looked_at

    def with_tested(**passed: str) -> KnownReleases:
        release = replace(KNOWN.releases["2.2.0"], tested=dict.fromkeys(passed.values(), day))
        return replace(KNOWN, releases={**KNOWN.releases, "2.2.0": release})

    assert as_tested(line, "2.2.0", with_tested()).jdks == (17, 21)
    assert as_tested(line, "2.2.0", with_tested(one="savepoints")).jdks == (17, 21)
    some = with_tested(one="codec, JDK 17", two="savepoints")
    assert as_tested(line, "2.2.0", some).jdks == (17,)
    assert as_tested(line, "2.2.0", with_tested(one="cluster, JDK 11")).jdks == (11,)
    # What make test runs is on the line's own release.
    assert as_tested(line, "2.2.1", KNOWN).jdks == (11, 17, 21)
    # 1.17 has another newest JDK than 1.18.1, whose jar it gets, also when nothing passed.
    assert as_tested(LINES["1.18.1"], "1.17.2", KNOWN).jdks == (11,)
    none = replace(KNOWN.releases["1.17.2"], tested={})
    known = replace(KNOWN, releases={**KNOWN.releases, "1.17.2": none})
    assert as_tested(LINES["1.18.1"], "1.17.2", known).jdks == (11,)
    assert as_tested(line, "2.2.9", with_tested(one="cluster, JDK 11")).jdks == (17, 21)
    # A build of one's own under the number of a release: other classes, another jar.
    own = replace(line, version="2.2.0-own-12345678")
    assert as_tested(own, "2.2.0", with_tested(one="cluster, JDK 11")).jdks == (17, 21)


def test_what_passed_is_told_by_kind() -> None:
    day = KNOWN.releases["2.3.0"].looked_at
    entries = ("make test", "codec, JDK 11", "codec, JDK 17", "Flink's tests, JDK 17")
    release = replace(KNOWN.releases["2.3.0"], tested=dict.fromkeys(entries, day))
    assert release.passed == "make test, codec (JDK 11, 17), Flink's tests (JDK 17)"
    assert replace(release, tested={}).passed == ""


def test_what_a_jar_fits_has_gaps_where_other_classes_lie_between() -> None:
    assert ranges_of("1.20.5", KNOWN)[0][0] == "1.20.0"
    assert ranges_of("1.17.0", KNOWN) == [("1.12.0", "1.16.1"), ("1.17.0", "1.17.0")]
    assert ranges_of("1.18.1", KNOWN) == [("1.16.2", "1.16.3"), ("1.17.1", "1.18.1")]
    assert ranges_of("1.19.3", KNOWN) == [("1.19.0", "1.19.3")]
    assert ranges_of("1.11.3", KNOWN) == [("1.11.0", "1.11.6")]
    assert ranges_of("9.9.9", KNOWN) == []


def test_no_lines_example_job_is_newer_than_the_oldest_flink_that_it_is_run_on() -> None:
    """A newer one may call what that release lacks: 1.18's WordCount does not run on 1.14."""
    for version, line in LINES.items():
        of_line = [each for each in KNOWN.releases.values() if each.classes == version]
        oldest = min((each.version for each in of_line), key=version_key)
        for name, pin in line.examples.items():
            newer = version_key(pin.version)[:2] > version_key(oldest)[:2]
            # Of 2.x only 2.3.0 has examples; the cluster's tests run its WordCount from 2.0 on.
            assert newer == (pin.version == "2.3.0" != version), (version, name)
