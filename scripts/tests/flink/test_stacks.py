"""What collapsed stacks mean: own shares, what is ours, what differs between two sides."""

from __future__ import annotations

import pytest

from flink_boost.base.errors import BrokenData
from flink_boost.flink.stacks import (
    MARK,
    by_method,
    change_lines,
    changes,
    marked,
    ours_of,
    ours_share,
    parse_collapsed,
    shares,
    top,
)

STRING_VALUE = "org/apache/flink/types/StringValue"
OURS = ours_of({"org.apache.flink.types.StringValue"})


def test_stacks_are_read_with_spaces_in_frames_and_equal_ones_added() -> None:
    text = "Main.run_[j];void operator new(unsigned long) 3\nMain.run_[j] 4\nMain.run_[j] 1\n"
    assert parse_collapsed(text, "file") == {
        ("Main.run_[j]", "void operator new(unsigned long)"): 3,
        ("Main.run_[j]",): 5,
    }


@pytest.mark.parametrize("text", ["", "Main.run_[j] 0\n", "Main.run_[j]\n", "Main.run x\n", " 3\n"])
def test_a_file_without_samples_or_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BrokenData, match="file holds"):
        parse_collapsed(text, "file")


@pytest.mark.parametrize("weight", ["9" * 5000, "9" * 19, "\u0663", "\uff13"])
def test_a_weight_that_no_profiler_writes_is_refused(weight: str) -> None:
    with pytest.raises(BrokenData, match="which is no stack"):
        parse_collapsed(f"Main.run_[j] {weight}\n", "file")


def test_only_a_newline_ends_a_stack() -> None:
    text = "A.a\rB.b\u2028\x85C.c 3\n"
    assert parse_collapsed(text, "file") == {("A.a\rB.b\u2028\x85C.c",): 3}


@pytest.mark.parametrize(
    ("frame", "is_ours"),
    [
        (f"{STRING_VALUE}.writeString_[i]", True),
        (f"{STRING_VALUE}.<clinit>_[0]", True),
        (f"{STRING_VALUE}$$Lambda.0x00007f.run_[j]", True),
        ("org/apache/flink/boost/strings/StringWriter.write_[1]", True),
        (f"{STRING_VALUE}Serializer.copy_[j]", False),
        (f"{STRING_VALUE}$Inner.copy_[j]", False),
        ("org/apache/flink/boosted/Other.write_[j]", False),
        # An allocated object, and the C library.
        ("org.apache.flink.types.StringValue_[k]", False),
        ("memcpy", False),
    ],
)
def test_ours_are_classes_that_the_jar_replaces_or_adds(frame: str, is_ours: bool) -> None:
    assert OURS.holds(frame) is is_ours


def test_marks_go_before_how_a_frame_ran_so_that_colours_stay() -> None:
    stacks = {("Main.run_[j]", f"{STRING_VALUE}.get_[i]"): 2.4, ("Main.run_[j]",): 0.2}
    assert marked(stacks, OURS) == f"Main.run_[j];{STRING_VALUE}.get {MARK}_[i] 2\n"


def test_native_code_and_every_way_to_run_count_as_the_methods_own() -> None:
    stacks = {
        ("Main.run_[j]", "A.copy_[i]", "memcpy"): 3,
        ("Main.run_[j]", "A.copy_[0]"): 1,
        ("start_thread", "GC"): 4,
        ("Main.run_[j]",): 2,
    }
    assert shares(stacks) == {"A.copy": 0.4, "GC": 0.4, "Main.run": 0.2}
    assert top(stacks, OURS, 1) == (("A.copy", 0.4),)


def test_a_method_that_alone_became_slow_comes_first_also_where_a_side_is_slower_as_a_whole() -> (
    None
):
    before = {("A.big_[j]",): 60, ("A.small_[j]",): 40}
    after = {("A.big_[j]",): 6, ("A.small_[j]",): 4, ("A.slow_[j]",): 10}
    found = changes(before, after, (10.0, 40.0), OURS)
    assert [one.method for one in found] == ["A.slow", "A.big", "A.small"]
    assert (found[0].before, found[0].after, found[0].cost_after) == (0, 0.5, 20.0)
    assert found[1].change == pytest.approx(-0.3)
    lines = change_lines(found, ("stock", "patched"), "ns/op")
    assert lines[0].split() == ["own", "time", "stock", "→", "patched"]
    assert lines[1].split() == ["A.slow", "0.0%", "→", "50.0%", "(0", "→", "20", "ns/op)"]


def test_a_method_that_takes_all_from_one_other_comes_before_it() -> None:
    found = changes({("A.a_[j]",): 1}, {("B.b_[j]",): 1}, (1.0, 1.0), OURS)
    assert [one.method for one in found] == ["B.b", "A.a"]


def test_what_allocates_is_a_method_and_not_the_object() -> None:
    stacks = {("A.copy_[j]", "byte[]_[i]"): 3, ("A.copy_[j]", "java.lang.String_[i]"): 1}
    assert top(by_method(stacks), OURS) == (("A.copy", 1.0),)
    assert by_method({("byte[]_[i]",): 2}) == {("byte[]_[i]",): 2}


def test_the_share_of_ours_counts_what_runs_below_it() -> None:
    stacks = {(f"{STRING_VALUE}.get_[j]", "memcpy"): 1, ("Main.run_[j]",): 3}
    assert ours_share(stacks, OURS) == 0.25
