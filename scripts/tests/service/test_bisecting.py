"""The right commit is found wherever it is, with gaps, stopped anywhere, within the pairs given."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from synthetic import FIRST_NIGHT, JOB, make_run

from flink_boost.base.errors import BuildFailed, UsageProblem
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, find_line
from flink_boost.judge.alarm_record import AlarmRecord, AlarmState
from flink_boost.judge.bisection import BisectPart, BisectRecord, BisectStep, Trial, search_of
from flink_boost.measure.commit_jars import Build, build_of
from flink_boost.measure.fork_files import Attempt
from flink_boost.measure.fork_launch import ForkOrder
from flink_boost.measure.model import Built, Purpose, Timing
from flink_boost.service.detect.bisecting import BisectJob, bisect
from flink_boost.service.detect.reruns.bench import BuildQuestion, ForkRerun

GOOD = "g" * 40
EFFECT = -0.05


def commits(count: int) -> tuple[str, ...]:
    return tuple(f"{place:040x}" for place in range(count))


class Builds:
    """A jar per commit; some do not build, some are the same bytes as the good one."""

    def __init__(
        self, folder: Path, failing: Collection[str] = (), same: Collection[str] = ()
    ) -> None:
        self._folder, self._failing, self._same = folder, failing, same
        folder.mkdir(exist_ok=True)

    def build(self, commit: str, line: Line) -> Build:
        if commit in self._failing:
            raise BuildFailed("It does not compile.", "Read its log.")
        jar = self._folder / f"{GOOD if commit in self._same else commit}.jar"
        jar.write_text(jar.stem, encoding="utf-8")
        return build_of(Built(project="flink", version="0", commit=commit), line.version, (jar,))


class Forks:
    """Slow from the first bad commit on; kept pairs answer again without being measured.

    Or slow in parts: commits with the share of the change that each brings.
    """

    def __init__(
        self, first_bad: int | Mapping[int, float], noise: float = 0.01, stop_after: int = 10**9
    ) -> None:
        self._parts = {first_bad: 1.0} if isinstance(first_bad, int) else first_bad
        self._noise, self.stop_after = noise, stop_after
        self.kept: dict[tuple[str, int], float] = {}
        self.measured = 0

    def rerun(self, question: BuildQuestion, known: int, pairs: int) -> tuple[float, ...]:
        level = self._level(question.after) - self._level(question.before)
        found = []
        for number in range(known, known + pairs):
            if (question.asked, number) not in self.kept:
                if self.measured == self.stop_after:
                    raise KeyboardInterrupt
                self.measured += 1
                source = random.Random(f"{question.asked} {number}")
                self.kept[question.asked, number] = level + source.gauss(0, self._noise)
            found.append(self.kept[question.asked, number])
        return tuple(found)

    def asked_before(self, question: BuildQuestion) -> int:
        return sum(asked == question.asked for asked, _ in self.kept)

    def _level(self, build: Build) -> float:
        commit = build.built.commit
        if commit == GOOD:
            return 0.0
        return EFFECT * sum(part for place, part in self._parts.items() if place <= int(commit, 16))


def job(count: int, record: BisectRecord | None = None, kind: str = "step") -> BisectJob:
    alarm = AlarmRecord.model_validate(
        {
            "id": "a0123456789", "box": "b", "executable": "e", "benchmark": "w", "line": "2.3.0",
            "kind": kind, "direction": "regression", "state": AlarmState.OPEN,
            "effect": math.exp(EFFECT), "low": None, "high": None, "before": "x", "since": "y",
            "told": "n", "commits": (GOOD, commits(count)[-1]), "nights": 1, "command": "c",
            "series": "s", "cell": JOB, "first": 3, "delay": 0, "before_run": "r",
            "since_run": "q", "bisect": record,
        }
    )  # fmt: skip
    return BisectJob(alarm, GOOD, commits(count), find_line("2.3.0"), make_run(), JOB)


def run(
    folder: Path,
    count: int,
    forks: Forks,
    *,
    record: BisectRecord | None = None,
    failing: Sequence[int] = (),
    pairs: int = 10**6,
    kept: list[BisectRecord] | None = None,
) -> BisectRecord:
    builds = Builds(folder / "jars", [commits(count)[place] for place in failing])
    keep = kept.append if kept is not None else (lambda _: None)
    return bisect(job(count, record), builds, forks, pairs, keep, lambda _: None)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 16])
def test_the_first_bad_commit_is_found_wherever_it_is(tmp_path: Path, count: int) -> None:
    for first_bad in range(count):
        found = run(tmp_path, count, Forks(first_bad))
        assert found.state == "done"
        assert found.first_bad == commits(count)[first_bad]
        assert found.left == 1
        assert found.parts == (BisectPart(commit=commits(count)[first_bad], share=1.0),)
        # Both ends, each half, and what is left after the commit that was found.
        assert len(found.steps) <= 2 + math.ceil(math.log2(count))


@pytest.mark.parametrize("first", [0.3, 0.35, 0.4, 0.6, 0.7])
def test_a_commit_with_a_part_of_the_change_is_blamed_for_that_part_alone(
    tmp_path: Path, first: float
) -> None:
    for early, late in ((2, 9), (4, 5), (0, 15), (13, 15)):
        found = run(tmp_path, 16, Forks({early: first, late: 1 - first}, noise=0.005))
        assert found.state == "done"
        assert [part.commit for part in found.parts] == [commits(16)[early], commits(16)[late]]
        shares = [part.share or 0 for part in found.parts]
        assert shares == pytest.approx([first, 1 - first], abs=0.1)
        assert found.first_bad == commits(16)[early]
        assert found.left == 1


def test_three_parts_are_found_oldest_first(tmp_path: Path) -> None:
    found = run(tmp_path, 16, Forks({3: 0.35, 7: 0.3, 12: 0.35}, noise=0.003))
    assert [part.commit for part in found.parts] == [commits(16)[place] for place in (3, 7, 12)]


def test_a_part_is_told_while_the_rest_is_looked_for(tmp_path: Path) -> None:
    kept = list[BisectRecord]()
    run(tmp_path, 16, Forks({3: 0.4, 12: 0.6}, noise=0.003), kept=kept)
    first = next(record for record in kept if record.parts)
    assert (first.state, first.left) == ("running", 12)
    assert first.parts[0].share == pytest.approx(0.4, abs=0.1)


def test_a_change_that_both_ends_do_not_show_again_is_no_commit_s(tmp_path: Path) -> None:
    found = run(tmp_path, 8, Forks({}))
    assert (found.state, found.first_bad, found.parts, found.left) == ("done", None, (), 0)
    assert [(step.commit, step.outcome) for step in found.steps] == [(commits(8)[-1], "good")]


def test_a_part_after_which_nothing_builds_says_how_many_may_be_the_rest(tmp_path: Path) -> None:
    forks = Forks({3: 0.4, 9: 0.6}, noise=0.003)
    found = run(tmp_path, 12, forks, failing=[6, 7, 8, 9, 10])
    assert [part.commit for part in found.parts] == [commits(12)[3]]
    assert found.parts[0].share == pytest.approx(0.4, abs=0.1)
    assert (found.state, found.left) == ("done", 6)


def test_commits_that_do_not_build_are_passed_over(tmp_path: Path) -> None:
    found = run(tmp_path, 12, Forks(7), failing=[5, 6])
    # The two before the bad one cannot be told from it.
    assert (found.state, found.first_bad, found.left) == ("done", None, 3)
    assert {step.outcome for step in found.steps} == {"good", "bad", "skipped"}
    elsewhere = run(tmp_path, 12, Forks(7), failing=[2, 3, 9])
    assert elsewhere.first_bad == commits(12)[7]
    nothing = run(tmp_path, 5, Forks(2), failing=[0, 1, 2, 3])
    assert (nothing.first_bad, nothing.left) == (None, 5)


def test_stopped_anywhere_it_goes_on_and_measures_nothing_twice(tmp_path: Path) -> None:
    whole = Forks(9)
    expected = run(tmp_path, 16, whole)
    for stop in range(1, whole.measured, 3):
        forks, kept = Forks(9, stop_after=stop), list[BisectRecord]()
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, 16, forks, kept=kept)
        forks.stop_after = 10**9
        again = run(tmp_path, 16, forks, record=kept[-1] if kept else None)
        assert again == expected
        assert forks.measured == whole.measured


def test_a_call_keeps_to_its_pairs_and_the_next_goes_on(tmp_path: Path) -> None:
    forks, record, calls = Forks(9), None, 0
    while record is None or record.state == "stopped":
        before = forks.measured
        record = run(tmp_path, 16, forks, record=record, pairs=30)
        calls += 1
        assert forks.measured - before <= 30
        assert calls < 20
    assert record.first_bad == commits(16)[9]
    assert calls > 1


@pytest.mark.parametrize("pairs", [1, 20])
def test_calls_of_few_pairs_come_to_an_end_where_a_commit_takes_more(
    tmp_path: Path, pairs: int
) -> None:
    forks, record, calls = Forks(9, noise=0.03), None, 0
    while record is None or record.state == "stopped":
        before = forks.measured
        record = run(tmp_path, 16, forks, record=record, pairs=pairs)
        assert forks.measured - before <= pairs
        calls += 1
        assert calls <= 400 / pairs, "it goes on for ever"
    assert (record.state, record.first_bad) == ("done", commits(16)[9])
    most = Counter(asked for asked, _ in forks.kept).most_common(1)[0][1]
    assert most > 20


class Crashing:
    """Forks that all end with an error."""

    has_own_temporary_files = True

    def launch(self, _: ForkOrder, attempt: Attempt) -> int:
        attempt.log.write_text("it crashed", encoding="utf-8")
        return 1


class NoProgress:
    def started(self, *_: object) -> None: ...

    def ended(self, *_: object) -> None: ...


def test_pairs_that_failed_count_as_asked_for_too(tmp_path: Path) -> None:
    """Else a call of few pairs would measure the same ones again, and come no further."""
    builds = Builds(tmp_path / "jars")
    line = find_line("2.3.0")
    before, after = (builds.build(commit, line) for commit in (GOOD, commits(1)[0]))
    timing = Timing(warmup_iterations=1, warmup_time_ms=1, iterations=1, iteration_time_ms=1)
    night = make_run(cells=(JOB,)).model_copy(update={"timings": (timing,)})
    question = BuildQuestion(night, JOB, before, after, Purpose.BISECT, "a0123456789")
    java = {"JAVA_HOME": str(java_home(17))}
    bench = ForkRerun(
        *(tmp_path, java, lambda _: before.jars, None, NoProgress()),
        now=lambda: FIRST_NIGHT,
        launch=Crashing(),
    )
    assert bench.asked_before(question) == 0
    assert bench.rerun(question, 0, 3) == ()
    assert bench.asked_before(question) == 3


def test_what_noise_hides_is_unclear_and_no_commit_is_blamed(tmp_path: Path) -> None:
    found = run(tmp_path, 8, Forks(5, noise=1.0))
    assert found.first_bad is None
    assert {step.outcome for step in found.steps} == {"unclear"}
    assert found.left == 8


def test_a_build_of_the_same_bytes_is_good_without_a_fork(tmp_path: Path) -> None:
    forks = Forks(7)
    builds = Builds(tmp_path / "jars", same=[GOOD, *commits(8)[:7]])
    found = bisect(job(8), builds, forks, 100, lambda _: None, lambda _: None)
    assert found.first_bad == commits(8)[7]
    # The ends differ, and have to show it; of the others nothing is measured.
    assert {asked.split("/")[-1] for asked, _ in forks.kept} == {commits(8)[7]}


def test_a_drift_is_not_bisected(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="is a drift"):
        bisect(
            job(8, kind="drift"),
            Builds(tmp_path / "jars"),
            Forks(1),
            9,
            lambda _: None,
            lambda _: None,
        )


def test_a_good_commit_that_does_not_build_ends_it(tmp_path: Path) -> None:
    builds = Builds(tmp_path / "jars", [GOOD])
    with pytest.raises(BuildFailed):
        bisect(job(4), builds, Forks(1), 9, lambda _: None, lambda _: None)


def test_steps_that_contradict_each_other_lead_to_the_older_bad_one() -> None:
    steps = [
        BisectStep(commit=commits(8)[7], outcome="bad", ratio=0.95),
        BisectStep(commit=commits(8)[5], outcome="good"),
        BisectStep(commit=commits(8)[3], outcome="bad", ratio=0.95),
    ]
    search = search_of(GOOD, commits(8), steps, 0.95)
    assert search.trial == Trial(GOOD, commits(8)[1])
