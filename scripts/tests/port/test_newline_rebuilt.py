"""``line add`` for releases whose classes are not those of a line: compiled anew, or changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from newline_shelf import (
    MODEL,
    NEW,
    Changes,
    Shelf,
    add,
    lines_of,
    project_files,
    release_of,
    write_lines,
)

from flink_boost.flink.classes import LOCK
from flink_boost.flink.lines import Line, read_lock

pytestmark = pytest.mark.test_all


VALUE = "org.apache.flink.types.StringValue"
READ = "public static String readString(DataInput in) throws IOException {"
OTHER_BODY = {VALUE: (READ, f"{READ} if (in == null) return null;")}
BESIDE = {VALUE: ("public int hashCode() {", "public int hashCode() { if (true) return 7;")}


@pytest.mark.parametrize(("changes", "other"), [({}, 0), (BESIDE, 1)])
def test_rebuilt_classes_that_do_the_same_for_our_patches_are_known(
    changes: Changes, other: int, tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish(changes=changes)
    assert add(tree, NEW, "--untested") == 0
    told = capsys.readouterr().out
    same = len(MODEL.classes) - other
    assert told.count("does what the class file of Flink 2.3.0 does") == same
    assert told.count("what we depend on is as in Flink 2.3.0") == other
    line = lines_of(tree)[NEW]
    assert not set(line.classes.values()) & set(MODEL.classes.values())
    taken = [MODEL.version in own for own in equal_releases(tree, line)]
    assert taken.count(True) == same


def equal_releases(tree: Path, line: Line) -> list[set[str]]:
    """The releases whose files do what the line's do, a set for each class."""
    lock = read_lock(tree / LOCK)
    return [
        {
            release
            for group in lock.groups[name]
            if checksum in group
            for releases in group.values()
            for release in releases
        }
        for name, checksum in line.classes.items()
    ]


def test_a_release_compiled_anew_gets_a_row_as_the_jar_of_the_line_fits(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish(changes={})
    assert add(tree, NEW, "--untested", own_line=False) == 0
    assert "or such as do the same, so that its jar fits" in capsys.readouterr().out
    release = release_of(tree, NEW)
    assert release is not None
    assert release.classes == MODEL.version
    assert NEW not in lines_of(tree)
    found = read_lock(tree / LOCK).of(NEW)
    assert all(found[name] in lines_of(tree)["2.3.0"].equal[name] for name in MODEL.classes)
    assert not set(found.values()) & set(MODEL.classes.values())


def test_a_changed_method_is_named_and_only_taken_when_accepted(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish(changes=OTHER_BODY)
    before = project_files(tree)
    assert add(tree, NEW, "--untested") == 7
    shown = capsys.readouterr()
    changed = f"Flink {NEW} changed what our patches depend on: (compared with Flink 2.3.0) "
    sentence = "readString(java.io.DataInput)java.lang.String, instruction 2 is `ifnonnull L0`, exp"
    assert f"{changed}StringValue: {sentence}" in shown.err
    assert "--accept-changes" in shown.err
    assert f"StringValue: not as in Flink 2.3.0: {sentence}" in shown.out
    assert project_files(tree) == before
    assert add(tree, NEW, "--untested", "--accept-changes", "--json") == 0
    (value,) = [
        each for each in json.loads(capsys.readouterr().out)["classes"] if each["name"] == VALUE
    ]
    assert (value["like"], value["same_file"], value["known"]) == ("2.3.0", False, False)
    assert value["differences"][0].startswith(sentence)
    assert NEW in lines_of(tree)


def test_what_no_patch_fits_is_not_accepted(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(tree / "lines.toml", "1.9.3")
    shelf.publish(version="1.20.5", model="1.20.5")
    before = project_files(tree)
    assert add(tree, "1.20.5", "--untested", "--accept-changes") == 7
    shown = capsys.readouterr()
    assert "Our patches do not fit Flink 1.20.5: (compared with Flink 1.9.3) " in shown.err
    assert "it is not in flink-dist-1.20.5.jar" in shown.err
    assert project_files(tree) == before
