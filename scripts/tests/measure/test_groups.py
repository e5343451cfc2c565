"""Groups are read and expanded exactly; what is wrong in them is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.measure.groups import GROUPS_FILE, Group, choose_cells, find_group, load_groups
from flink_boost.measure.model import Timing

TEXT = """
[quick]
title = "A quick look"
quick-look = true
pairs = 3

[[quick.benchmarks]]
benchmark = "org.apache.flink.benchmark.StringSerializationBenchmark.write"
params = { length = ["16", "1024"], kind = ["ascii", "cjk"] }
warmup-iterations = 3
warmup-time-ms = 200
iterations = 5
iteration-time-ms = 250

[[quick.benchmarks]]
benchmark = "org.apache.flink.benchmark.SerializationFrameworkMiniBenchmarks.serializerTuple"
warmup-iterations = 2
warmup-time-ms = 1000
iterations = 4
iteration-time-ms = 500
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "groups.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def quick(tmp_path: Path) -> Group:
    return load_groups(write(tmp_path, TEXT))["quick"]


def test_an_entry_stands_for_all_combinations(quick: Group) -> None:
    assert (quick.title, quick.quick_look, quick.pairs) == ("A quick look", True, 3)
    assert [cell.name for cell in quick.cells] == [
        "StringSerializationBenchmark.write[length=16,kind=ascii]",
        "StringSerializationBenchmark.write[length=16,kind=cjk]",
        "StringSerializationBenchmark.write[length=1024,kind=ascii]",
        "StringSerializationBenchmark.write[length=1024,kind=cjk]",
        "SerializationFrameworkMiniBenchmarks.serializerTuple",
    ]
    short = Timing(warmup_iterations=3, warmup_time_ms=200, iterations=5, iteration_time_ms=250)
    assert quick.timings[:4] == (short,) * 4
    assert short.seconds == pytest.approx(1.85)
    assert quick.timings[4].iterations == 4


def test_timing_of_a_group_holds_for_entries_without_their_own(tmp_path: Path) -> None:
    shared = "warmup-time-ms = 90\niterations = 7\n"
    own = "iterations = 5\niteration-time-ms = 250"
    text = TEXT.replace("pairs = 3\n", f"pairs = 3\n{shared}").replace("warmup-time-ms = 200\n", "")
    quick = load_groups(write(tmp_path, text.replace(own, "iteration-time-ms = 250")))["quick"]
    assert [(t.warmup_time_ms, t.iterations) for t in quick.timings] == [(90, 7)] * 4 + [(1000, 4)]


def test_patterns_choose_and_keep_the_order(quick: Group) -> None:
    chosen = choose_cells(quick, ["serializertuple", r"write\[.*ascii"])
    assert [cell.name for cell in chosen.cells] == [
        "StringSerializationBenchmark.write[length=16,kind=ascii]",
        "StringSerializationBenchmark.write[length=1024,kind=ascii]",
        "SerializationFrameworkMiniBenchmarks.serializerTuple",
    ]
    assert [timing.iterations for timing in chosen.timings] == [5, 5, 4]
    assert (chosen.name, chosen.pairs, chosen.quick_look) == ("quick", 3, True)
    assert choose_cells(quick, []) is quick


def test_a_pattern_without_a_match_names_what_is_near(quick: Group) -> None:
    with pytest.raises(UsageProblem, match="'serialiserTupel'") as caught:
        choose_cells(quick, ["write", "serialiserTupel"])
    near = caught.value.next_step.removeprefix("Near are: ").split("; ")
    assert near[0] == "SerializationFrameworkMiniBenchmarks.serializerTuple"
    assert len(near) == 3


def test_a_name_of_another_group_is_told_with_that_group(quick: Group) -> None:
    small = choose_cells(quick, ["serializerTuple"])
    with pytest.raises(UsageProblem, match=r"does not have 'write\.cjk\.16'") as caught:
        choose_cells(small, ["write.cjk.16"], {"small": small, "quick": quick})
    assert caught.value.next_step == "Say --group quick. It is in: quick."


def test_a_pattern_that_is_no_regular_expression_is_a_part_of_a_name(quick: Group) -> None:
    assert len(choose_cells(quick, ["write[length=16,"]).cells) == 2
    with pytest.raises(UsageProblem, match=r"called 'write\('"):
        choose_cells(quick, ["write("])


def test_an_unknown_group_names_the_known(quick: Group) -> None:
    assert find_group({"quick": quick}, "quick") is quick
    with pytest.raises(UsageProblem, match=r"no group 'quik'. Choose one of: quick\."):
        find_group({"quick": quick}, "quik")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("pairs = 3", "pairs = 0", r"quick\.pairs"),
        ("pairs = 3", "", r"quick\.pairs: Field required"),
        ("iterations = 5", "iterations = 0", r"quick\.benchmarks\.0\.iterations"),
        ("iteration-time-ms = 250", "iteration-time = 250", r"quick\.benchmarks\.0\."),
        ('["16", "1024"]', "[16, 1024]", r"params\.length\.0: Input should be a valid string"),
        ('["16", "1024"]', "[]", r"params\.length"),
        ('["16", "1024"]', '["16", "16"]', "names .*length=16,kind=ascii.* twice"),
        ("Benchmark.write", "Benchmark write", r"quick\.benchmarks\.0\.benchmark"),
        ("[quick]", "[quick", "is not TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    assert before in TEXT
    with pytest.raises(BrokenData, match=complaint):
        load_groups(write(tmp_path, TEXT.replace(before, after, 1)))


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "groups.toml"
    path.write_bytes(b'[quick]\nkind = "\xe9"\n')
    with pytest.raises(BrokenData, match="is not TOML"):
        load_groups(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="is missing"):
        load_groups(tmp_path / "groups.toml")


def test_the_groups_of_this_project() -> None:
    groups = load_groups(GROUPS_FILE)
    assert groups["quick"].quick_look
    assert (len(groups["quick"].cells), groups["quick"].pairs) == (8, 3)
    assert not groups["spine"].quick_look
    assert groups["spine"].pairs >= 5
    smoke = [cell.benchmark for cell in groups["smoke"].cells]
    assert len(smoke) == len(set(smoke))
    for group in groups.values():
        # Not every JDK can run the one; of the other a job stands for all.
        if group.name not in ("java-records", "session-jobs"):
            assert {cell.benchmark for cell in group.cells} <= set(smoke), group.name
