"""What an answer says, from its rows."""

from __future__ import annotations

import re

import pytest

from flink_boost.flink.side import Side
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.model import Mode
from flink_boost.service.requests.answer import LONGEST, MOST_SHOWN, Circumstances, answer, headline
from flink_boost.service.requests.hub.github import LONGEST_BODY
from flink_boost.service.requests.request import Measured, Request
from flink_boost.service.requests.request_profiles import to_profile
from flink_boost.service.requests.request_rows import rows_of
from flink_boost.service.requests.request_states import RequestState
from flink_boost.service.requests.verdicts import (
    Unjudged,
    judged,
    level_of_second_look,
    suspects,
)
from flink_boost.service.requests.wording import verdict_words
from requesting import samples
from requesting.samples import HEAD, KNOWN, SLOW, STILL, TUPLE, measured, order

FAST = (0.05, 0.052, 0.048, 0.051, 0.049)
WILD = (0.2, -0.3, 0.1, -0.15, 0.25)
NAMES = tuple(KNOWN.by_name)


def test_a_change_counts_when_it_shows_twice() -> None:
    assert suspects({"a": SLOW, "b": STILL}) == ("a",)
    assert judged("a", SLOW, SLOW, 5).told == "slower"
    assert judged("a", FAST, FAST, 5).told == "faster"


@pytest.mark.parametrize("again", [FAST, STILL, WILD, (-0.05, 0.05), ()])
def test_a_change_that_does_not_show_again_is_not_told(again: tuple[float, ...]) -> None:
    found = judged("a", SLOW, again, 5)

    assert found.told in ("same", "undecided")
    assert found.repeated


def test_what_is_told_are_the_fresh_pairs() -> None:
    found = judged("a", (-0.2, -0.21, -0.19), SLOW, 1)

    assert found.ratio == pytest.approx(0.951, abs=0.001)
    assert found.pairs == 5


def test_a_still_row_says_how_large_a_change_would_be() -> None:
    found = judged("a", STILL, None, 1)

    assert found.verdict is Verdict.SAME
    assert found.within is not None
    assert 0.001 < found.within < 0.005


def test_a_wild_row_says_what_it_could_have_seen() -> None:
    found = judged("a", WILD, None, 1)

    assert found.verdict is Verdict.UNDECIDED
    assert found.smallest is not None
    assert found.smallest > 0.2


@pytest.mark.parametrize(
    ("pairs", "said"),
    [(WILD, "changes under "), ((0.2, -1.3, 2.1), "even changes of more than 100% could have")],
)
def test_no_number_is_told_that_says_nothing(pairs: tuple[float, ...], said: str) -> None:
    first = headline(rows_of(measured({TUPLE: pairs})))

    assert first.startswith(f"**Undecided**: 1 of 1, {said}")


@pytest.mark.parametrize("pairs", [(), (0.1,)])
def test_less_than_two_pairs_are_no_measurement(pairs: tuple[float, ...]) -> None:
    assert judged("a", pairs, None, 1).verdict is Unjudged.NOT_MEASURED


def test_the_level_falls_with_the_number_of_benchmarks() -> None:
    assert level_of_second_look(1) == 0.05
    assert level_of_second_look(20) == pytest.approx(0.02)
    assert level_of_second_look(400) == pytest.approx(0.001)


def test_a_time_that_falls_is_faster() -> None:
    given = measured({TUPLE: FAST}, {TUPLE: FAST})
    given = given.model_copy(
        update={
            "forks": tuple(samples.forks({TUPLE: FAST}, Mode.AVERAGE_TIME)),
            "forks_again": tuple(samples.forks({TUPLE: FAST}, Mode.AVERAGE_TIME)),
        }
    )
    (row,) = rows_of(given)

    assert row.told == "faster"
    assert row.head is not None
    assert row.base is not None
    assert row.head < row.base


def test_the_first_line_is_the_verdict() -> None:
    rows = rows_of(measured({TUPLE: SLOW, NAMES[0]: STILL}, {TUPLE: SLOW}))
    first = answer(rows, Circumstances(measured({TUPLE: SLOW}))).splitlines()[0]

    assert first.startswith("**Slower**: 1 of 2, by 4.9% (`Serialization")
    assert "the same within ±0.2%: 1 of 2" in first


def test_a_base_or_head_that_fails_is_named() -> None:
    given = measured({TUPLE: STILL})
    half = tuple(one for one in given.forks if one.side.value == "before")
    (row,) = rows_of(given.model_copy(update={"forks": half}))

    assert row.verdict is Unjudged.NOT_MEASURED
    assert "head" in row.reason
    assert headline((row,)).startswith("**Not measured**: 1 of 1")


def _crashed(
    given: Measured, side: Side, after: int, name: str = TUPLE, again: bool = False
) -> Measured:
    """The same without a benchmark's forks of a side whose pair has a higher number."""
    field = "forks_again" if again else "forks"
    left = (
        one
        for one in getattr(given, field)
        if one.cell.name != name or one.side is not side or one.pair <= after
    )
    return given.model_copy(update={field: tuple(left)})


@pytest.mark.parametrize(("side", "title"), [(Side.BEFORE, "base"), (Side.AFTER, "head")])
@pytest.mark.parametrize("speeds", [STILL, WILD])
def test_where_forks_of_one_side_crashed_it_is_told_and_no_verdict(
    side: Side, title: str, speeds: tuple[float, ...]
) -> None:
    given = _crashed(measured({TUPLE: speeds, NAMES[0]: speeds}), side, 3)
    rows = rows_of(given)
    text = answer(rows, Circumstances(given))

    assert rows[0].verdict is Unjudged.FORKS_FAILED
    assert rows[1].verdict is not Unjudged.FORKS_FAILED
    assert text.startswith(f"**Forks failed**: 1 of 2, 2 of 5 JVMs of {title}. ")
    assert f"**forks failed**: 2 of 5 JVMs of {title}; the numbers are of 3 whole pairs |" in text
    assert "says nothing of speed" in text


@pytest.mark.parametrize("again", [False, True])
def test_a_head_that_crashes_is_not_faster(again: bool) -> None:
    given = _crashed(measured({TUPLE: FAST}, {TUPLE: FAST}), Side.AFTER, 4, again=again)
    (row,) = rows_of(given)

    assert row.verdict is Unjudged.FORKS_FAILED
    assert headline((row,)) == "**Forks failed**: 1 of 1, 1 of 10 JVMs of head."


@pytest.mark.parametrize("mode", [Mode.THROUGHPUT, Mode.AVERAGE_TIME])
@pytest.mark.parametrize(
    ("first", "again"),
    [
        ((0.40, 0.42, 0.41, 0.43, 0.40), FAST),
        ((-0.40, -0.42, -0.41, -0.43, -0.40), SLOW),
        (FAST, WILD),
        ((*WILD, 2.0), None),
    ],
)
def test_the_columns_fit_the_ratio_beside_them(
    mode: Mode, first: tuple[float, ...], again: tuple[float, ...] | None
) -> None:
    given = measured({TUPLE: first}, {TUPLE: again} if again else None)
    forks = samples.forks({TUPLE: first}, mode)
    fresh = samples.forks({TUPLE: again}, mode) if again else []
    given = given.model_copy(update={"forks": tuple(forks), "forks_again": tuple(fresh)})
    alone = _crashed(given, Side.BEFORE, 4)  # halves of a pair that differ from the rest

    for one in (given, alone):
        (row,) = rows_of(one)
        assert row.base is not None
        assert row.head is not None
        speed = row.base / row.head if mode.less_is_better else row.head / row.base
        assert row.ratio == pytest.approx(speed)


def test_bytes_are_of_the_pairs_that_the_ratio_is_of() -> None:
    given = measured({TUPLE: FAST}, {TUPLE: FAST})
    other = (one.model_copy(update={"alloc_bytes_per_op": 9000.0}) for one in given.forks)
    (row,) = rows_of(given.model_copy(update={"forks": tuple(other)}))

    assert (row.base_alloc, row.head_alloc) == (784.0, 640.0)


def test_a_head_that_crashes_and_is_slower_is_both() -> None:
    given = _crashed(measured({TUPLE: SLOW}, {TUPLE: SLOW}), Side.AFTER, 4)
    text = answer(rows_of(given), Circumstances(given))

    assert text.startswith("**Slower**: 1 of 1, by 4.9% (")
    assert "). **Forks failed**: 1 of 1, 1 of 10 JVMs of head." in text.splitlines()[0]
    assert "🔻 **clearly slower**; 1 of 10 JVMs of head failed |" in text


def test_a_head_without_any_fork_is_told_in_the_first_line() -> None:
    names = (TUPLE, NAMES[0])
    one = _crashed(measured({TUPLE: STILL}), Side.AFTER, 0)
    two = measured(dict.fromkeys(names, STILL))
    for name in names:
        two = _crashed(two, Side.AFTER, 0, name)

    assert headline(rows_of(one)) == "**Not measured**: 1 of 1, as all 5 JVMs of head failed."
    assert headline(rows_of(two)) == "**Not measured**: 2 of 2, as JVMs of head failed."


def test_where_no_fork_failed_nothing_is_said_of_it() -> None:
    given = measured({TUPLE: STILL})

    assert "failed" not in answer(rows_of(given), Circumstances(given)).lower()


def test_only_five_rows_are_open_and_none_is_lost() -> None:
    names = NAMES[:12]
    given = measured(dict.fromkeys(names, STILL))
    text = answer(rows_of(given), Circumstances(given))
    open_part = text.partition("<details>")[0]

    assert open_part.count("\n| `") == MOST_SHOWN
    assert all(text.count(f"| `{name}` |") == 1 for name in names)
    assert f"{12 - MOST_SHOWN} more" in text


def test_the_answer_says_what_was_measured_and_how_to_repeat_it() -> None:
    given = measured({TUPLE: STILL})
    text = answer(rows_of(given), Circumstances(given, links={"Dashboard": "https://s.example/"}))

    assert f"--head {HEAD}" in text
    assert "--pairs 5" in text
    assert "in turn" in text
    assert "was quiet" in text
    assert "[Dashboard](https://s.example/)" in text
    assert "784 → **640**" in text
    assert text.count("How to read it") == 1


@pytest.mark.parametrize("isolated", [True, False])
def test_what_ran_in_a_sandbox_is_repeated_in_one(isolated: bool) -> None:
    given = measured({TUPLE: STILL})
    order_then = given.order.model_copy(update={"isolated": isolated})
    given = given.model_copy(update={"order": order_then})

    text = answer(rows_of(given), Circumstances(given, public=True))
    (command,) = [line for line in text.splitlines() if line.startswith("flink-boost request run")]
    assert ("--isolated" in command.split()) is isolated


def test_a_name_of_the_box_cannot_be_mark_up() -> None:
    box = samples.BOX.model_copy(update={"hostname": "a`](http://x) @all <b>"})
    given = measured({TUPLE: STILL}).model_copy(update={"box": box})

    text = answer(rows_of(given), Circumstances(given))
    assert "`a?](http://x) @all <b>`" in text


def test_equal_builds_are_told_without_measuring() -> None:
    given = Measured(order=order(TUPLE), same=True, quiet="", box=samples.BOX)
    text = answer(rows_of(given), Circumstances(given))

    assert text.startswith("**No change**: base and head build to the same bytes")
    assert "| benchmark |" not in text


def test_a_push_meanwhile_is_said() -> None:
    given = measured({TUPLE: STILL})

    assert HEAD[:12] in answer(rows_of(given), Circumstances(given, stale=True)).split("\n\n")[1]


def test_it_fits_into_a_comment() -> None:
    given = measured(dict.fromkeys(NAMES[: samples.BOUNDS.benchmarks], WILD))

    assert len(answer(rows_of(given), Circumstances(given))) < 30_000


@pytest.mark.parametrize("count", [100, 250, 500, 800])
def test_however_many_benchmarks_it_fits_into_a_comment(count: int) -> None:
    given = measured({**dict.fromkeys(NAMES[:count], WILD), NAMES[count - 1]: SLOW})
    text = answer(rows_of(given), Circumstances(given, public=True))
    told = verdict_words(sample_request(), text).body

    assert len(told) < LONGEST_BODY
    assert text.count("<details>") == text.count("</details>")
    assert f"{count - MOST_SHOWN} more</summary>" in text
    shown = text.count("\n| `")
    left_out = re.search(r"(\d+) rows are left out, those that matter least", text)
    assert shown + (int(left_out[1]) if left_out else 0) == count
    assert text.splitlines()[0] == headline(rows_of(given))
    assert "How to read it" in text
    if left_out:
        assert len(text) > LONGEST - 1000, "as much as fits"
        assert f"NAME… are the {count} names of the request." in text
    here = answer(rows_of(given), Circumstances(given))
    assert here.count("\n| `") == count, "on the machine itself nothing is left out"


def sample_request() -> Request:
    return Request(
        id="r0123456789",
        repository="apache/flink",
        number=1,
        comment_id=1,
        author="alice",
        order=order(TUPLE),
        state=RequestState.DONE,
        asked=samples.NOON,
        queued=samples.NOON,
    )


def test_where_the_time_goes_is_told_and_pages_are_linked_here_alone() -> None:
    given = measured({TUPLE: STILL}).model_copy(
        update={
            "profile_texts": ((TUPLE, ("50.0% → 0.0%  a.B.`c`", "the rest")),),
            "profile_links": (("Flame graph", "file:///pages/difference.html"),),
        }
    )
    here = answer(rows_of(given), Circumstances(given))
    assert f"Where {TUPLE} spends its time" in here
    assert "```text\n50.0% → 0.0%  a.B.'c'\nthe rest\n```" in here
    assert "[Flame graph](file:///pages/difference.html)" in here
    links = {"Requests": "https://bench.example.org/requests/"}
    there = answer(rows_of(given), Circumstances(given, links=links, public=True))
    assert "file:" not in there
    assert "[Requests](https://bench.example.org/requests/)" in there


def test_what_is_profiled_is_what_differs() -> None:
    assert to_profile(measured({TUPLE: STILL, NAMES[0]: SLOW}, {NAMES[0]: SLOW})) == (NAMES[0],)
    assert to_profile(measured({TUPLE: STILL, NAMES[0]: STILL})) == (TUPLE,)


def test_why_there_is_no_flame_graph_is_said() -> None:
    given = measured({TUPLE: STILL}).model_copy(update={"profile_note": "No profiler here."})

    text = answer(rows_of(given), Circumstances(given))
    assert "No flame graphs:\n\n```text\nNo profiler here.\n```" in text


@pytest.mark.parametrize(
    "evil",
    [
        "it is of '@apache/flink-pmc <img src=//evil.example/p.png> [ok](//evil.example)', not of",
        "the file of stacks holds '@apache [Approve](//evil.example) ![](//evil.example/x'",
        "```\n\n@apache [ok](//evil.example) <img src=//evil.example>\n\n~~~\n\u202e@apache",
    ],
)
def test_what_a_fork_has_its_refusal_quote_is_mere_text(evil: str) -> None:
    given = measured({TUPLE: STILL})
    without = answer(rows_of(given), Circumstances(given, public=True))
    given = given.model_copy(update={"profile_note": evil})
    text = answer(rows_of(given), Circumstances(given, public=True))

    (block,) = re.findall(r"^```text\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert "evil.example" in block
    assert "`" not in block
    assert text.replace(f"```text\n{block}\n```", "").split() == [
        *without.split(),
        *("No", "flame", "graphs:"),
    ]
