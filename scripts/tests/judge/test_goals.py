"""Goals: the right cells are held to them, and a missed one is always named."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic import COMPARATOR, JOB, WRITE, make_forks, make_run

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.judge.comparators import compare_with_comparators
from flink_boost.judge.goals import Goal, Judged, State, judge_goals, load_goals
from flink_boost.judge.ratio import compare
from flink_boost.measure.groups import load_groups
from flink_boost.measure.model import RunInfo
from flink_boost.publish.goals_sheet import goals_sheet

FLOORS = PROJECT_ROOT / "benchmarks" / "floors.toml"
TEXT = """
[[goals]]
name = "write"
benchmark = "StringSerializationBenchmark.write"
params = { kind = ["ascii", "cjk"] }
at-length = { 16 = 4, 1024 = 22 }

[[goals]]
name = "every"
benchmark = "*"
floor = 0.98
"""


def goals(tmp_path: Path, text: str) -> tuple[Goal, ...]:
    path = tmp_path / "floors.toml"
    path.write_text(text, encoding="utf-8")
    return load_goals(path)


def judge(info: RunInfo, chosen: tuple[Goal, ...], **forks: float) -> tuple[Judged, ...]:
    made = make_forks(info, **forks)  # type: ignore[arg-type]
    against = compare_with_comparators(info, made)
    return judge_goals(info, compare(info, made), against, chosen)[0]


def test_a_cell_is_held_to_every_goal_that_names_it(tmp_path: Path) -> None:
    judged = judge(make_run(), goals(tmp_path, TEXT), ratio=2.0)
    assert [(one.goal, one.name, one.floor, one.state) for one in judged] == [
        ("write", WRITE.name, 4.0, State.MISSED),
        ("every", WRITE.name, 0.98, State.MET),
        ("every", JOB.name, 0.98, State.MET),
    ]


def test_a_length_or_kind_without_a_floor_is_not_judged(tmp_path: Path) -> None:
    write = goals(tmp_path, TEXT)[:1]
    for changed in ((("length", "64"), ("kind", "ascii")), (("length", "16"), ("kind", "emoji"))):
        cell = WRITE.model_copy(update={"params": changed})
        assert judge(make_run(cells=[cell]), write) == ()


@pytest.mark.parametrize(
    ("ratio", "low", "high", "state"),
    [
        (4.0, 3.0, 5.0, State.OPEN),
        (4.5, 4.0, 5.0, State.MET),
        (3.9, 3.0, 4.0, State.OPEN),
        (3.9, 3.8, 3.99, State.MISSED),
        (3.9, 0.0, float("inf"), State.OPEN),
    ],
)
def test_met_open_and_missed(ratio: float, low: float, high: float, state: State) -> None:
    one = Judged(goal="g", name="n", floor=4.0, ratio=ratio, low=low, high=high, pairs=3)
    assert one.state is state


@pytest.mark.parametrize(
    ("condition", "run", "applies"),
    [
        ("opened = true", {"opened": False}, False),
        ("opened = false", {"opened": False}, True),
        ("heap = true", {}, False),
        ("heap = true", {"heap": "64m"}, True),
        ("heap = false", {"heap": "64m"}, False),
        ('lines = ["1.9.3"]', {}, False),
        ('lines = ["1.9.3"]', {"line": "1.9.3"}, True),
    ],
)
def test_goals_of_other_runs_are_left_out(
    tmp_path: Path, condition: str, run: dict[str, object], applies: bool
) -> None:
    text = f'[[goals]]\nname = "g"\nbenchmark = "*"\nfloor = 1.0\n{condition}\n'
    info = make_run(cells=[JOB], **run)  # type: ignore[arg-type]
    assert bool(judge(info, goals(tmp_path, text))) is applies


def test_time_in_collections_has_floors_of_its_own(tmp_path: Path) -> None:
    text = '[[goals]]\nname = "gc"\nbenchmark = "*"\nfloor = 1.0\nof = "gc-time"\n'
    info = make_run(cells=[JOB], pairs=3, heap="64m")
    forks = [
        fork.model_copy(update={"gc_time_per_op": time, "gc_time_step": 0.1})
        for fork, time in zip(make_forks(info), (2.0, 4.0) * 3, strict=True)
    ]
    (one,), _ = judge_goals(info, compare(info, forks), (), goals(tmp_path, text))
    assert (one.ratio, one.state) == (pytest.approx(0.5), State.MISSED)
    none, unmeasured = judge_goals(info, compare(info, make_forks(info)), (), goals(tmp_path, text))
    assert (none, unmeasured) == ((), ("gc",))


def test_ours_is_held_to_comparators_too(tmp_path: Path) -> None:
    text = (
        '[[goals]]\nname = "ahead"\nbenchmark = "StringComparatorBenchmark.write*"\n'
        'of = "comparator"\nat-length = { 16 = 1.0 }\n'
    )
    info = make_run(cells=[WRITE, COMPARATOR], pairs=3)
    forks = [
        fork.model_copy(update={"score": 25.0}) if fork.cell == COMPARATOR else fork
        for fork in make_forks(info)
    ]
    against = compare_with_comparators(info, forks)
    (one,), _ = judge_goals(info, compare(info, forks), against, goals(tmp_path, text))
    assert one.name == f"{WRITE.name} against writeUtf"
    assert (one.ratio, one.state) == (pytest.approx(0.5), State.MISSED)
    elsewhere = goals(tmp_path, text + 'ours = { view = ["network"] }\n')
    assert judge_goals(info, compare(info, forks), against, elsewhere) == ((), ("ahead",))


def test_the_list_names_what_is_missed_worst_first_and_what_was_not_measured(
    tmp_path: Path,
) -> None:
    text = TEXT + '[[goals]]\nname = "absent"\nbenchmark = "No.such"\nfloor = 1.0\n'
    info = make_run(pairs=3)
    forks = make_forks(info, ratio=0.9)
    judged, unmeasured = judge_goals(info, compare(info, forks), (), goals(tmp_path, text))
    sheet = goals_sheet("floors.toml", judged, unmeasured)
    assert sheet.title == "Goals of floors.toml: 0 met, 0 open, 3 missed"
    assert [row[0].text for row in sheet.rows] == ["write", "every", "every"]
    assert sheet.notes == ("Not measured in this run: absent.",)
    met = goals_sheet("f", judge(info, goals(tmp_path, TEXT), ratio=5.0), ())
    assert (met.title, met.columns, met.rows) == ("Goals of f: 3 met, 0 open, 0 missed", (), ())


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("floor = 0.98", "floor = -1", r"goals\.1\.floor"),
        ("floor = 0.98", "flor = 0.98", r"goals\.1\.flor"),
        ("floor = 0.98", "", "'every' has no floor"),
        ("16 = 4", "16 = 0", "at-length"),
        ("[[goals]]", "[[goals", "is not TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    with pytest.raises(BrokenData, match=complaint):
        goals(tmp_path, TEXT.replace(before, after, 1))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="is missing"):
        load_goals(tmp_path / "floors.toml")


def test_the_goals_of_this_project_hold_the_groups_of_this_project() -> None:
    chosen = load_goals(FLOORS)
    write = next(goal for goal in chosen if goal.name == "write ASCII")
    assert [write.at_length[length] for length in ("1", "8", "256", "1048576")] == [
        1.2,
        2.5,
        12,
        22,
    ]
    cells = [cell for group in load_groups().values() for cell in group.cells]
    for name in (
        "write ASCII",
        "read ASCII",
        "write Cyrillic",
        "read CJK",
        "job with long strings",
    ):
        goal = next(goal for goal in chosen if goal.name == name)
        assert any(goal.floor_of(cell) for cell in cells), f"{name} names no benchmark"
