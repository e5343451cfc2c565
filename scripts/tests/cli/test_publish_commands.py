"""`flink-boost detect` and `flink-boost report` on a results store as `bench` leaves it."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.judge.trend import TrendKind
from flink_boost.measure.model import Purpose
from flink_boost.measure.night_record import NightRecord, NightState
from flink_boost.publish.nightly.night_page import night_markdown, night_page
from flink_boost.publish.nightly.night_report import kept_nights
from flink_boost.publish.run_places import Places
from flink_boost.publish.trends import StoredVerdicts
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.slots import night_id


def store_nights(build: Path, ratios: list[float]) -> None:
    for night, ratio in enumerate(ratios):
        run = make_run(night)
        forks = make_forks(run, ratio=ratio, noise=0.005, seed=night)
        store_complete_run(build / "results", run, forks)


def read_verdicts(build: Path) -> StoredVerdicts:
    return StoredVerdicts.model_validate_json((build / "verdicts.json").read_bytes())


def test_detect_prints_and_stores_a_verdict_per_series(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_nights(tmp_path, [2.0] * 12 + [1.6] * 3)
    assert main(["--build", str(tmp_path), "detect"]) == 0
    printed = capsys.readouterr().out
    assert "StringSerializationBenchmark.write[length=16,kind=ascii]" in printed
    assert printed.count("candidate-regression") == 2
    stored = read_verdicts(tmp_path)
    assert [verdict.kind for verdict in stored.verdicts] == [TrendKind.CANDIDATE_REGRESSION] * 2
    change = stored.verdicts[0].change
    assert change is not None
    assert change.after_commit == make_run(12).commit
    assert change.ratio == pytest.approx(0.8, abs=0.02)


def test_detect_and_the_report_of_a_night_say_how_small_a_change_this_box_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_nights(tmp_path, [2.0] * 12)
    assert main(["--build", str(tmp_path), "detect"]) == 0
    printed = capsys.readouterr().out
    found = [verdict.smallest_change for verdict in read_verdicts(tmp_path).verdicts]
    assert len(found) == 2
    for one in found:
        assert one is not None
        assert 0.019 < one.size < 0.05
        assert 0.8 <= one.power <= 1
        assert str(one) in printed
    assert "“Finds” is the smallest change" in " ".join(printed.split())

    slot = datetime(2026, 11, 25, 1, tzinfo=UTC)
    newest = make_run(11)
    night = NightRecord(
        box=newest.box.label,
        night=night_id(slot),
        slot=slot,
        state=NightState.COMPLETE,
        runs=(newest.run_id,),
    )
    places = Places(tmp_path / "results", tmp_path / "spool", tmp_path)
    People(places, {}, lambda: slot).write(night)
    (report,) = kept_nights(tmp_path / "report").reports
    assert {row.finds for row in report.rows} == {str(one) for one in found}
    for page in (night_page(report), night_markdown(report)):
        assert all(row.finds in page for row in report.rows)
        assert "“Finds” is the smallest change" in page


def test_detect_says_learning_for_a_short_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_nights(tmp_path, [2.0, 1.0])
    assert main(["--build", str(tmp_path), "detect"]) == 0
    assert len(re.findall(r"\blearning\b", capsys.readouterr().out)) == 2
    assert {verdict.kind for verdict in read_verdicts(tmp_path).verdicts} == {TrendKind.LEARNING}
    assert {one.smallest_change for one in read_verdicts(tmp_path).verdicts} == {None}


def test_detect_replaces_the_verdicts_of_before(tmp_path: Path) -> None:
    assert main(["--build", str(tmp_path), "detect"]) == 0
    assert read_verdicts(tmp_path).verdicts == ()
    store_nights(tmp_path, [2.0])
    assert main(["--build", str(tmp_path), "detect"]) == 0
    assert len(read_verdicts(tmp_path).verdicts) == 2
    assert [path.name for path in tmp_path.glob("*verdicts*")] == ["verdicts.json"]


def test_a_run_that_is_not_complete_is_not_used(tmp_path: Path) -> None:
    store_nights(tmp_path, [2.0] * 3)
    (tmp_path / "results" / make_run(2).run_id / "complete").unlink()
    assert main(["--build", str(tmp_path), "detect"]) == 0
    assert {verdict.points for verdict in read_verdicts(tmp_path).verdicts} == {2}


def test_a_stock_against_stock_run_of_another_group_or_jdk_is_not_the_reports(
    tmp_path: Path,
) -> None:
    store_nights(tmp_path, [2.0])
    for night, (group, jdk) in enumerate((("strings", "17.0.9+9"), ("spine", "21.0.8+9")), start=3):
        aa = make_run(night, sides=(Side.STOCK, Side.CONTROL), jdk=jdk)
        aa = aa.model_copy(update={"group": group})
        store_complete_run(tmp_path / "results", aa, make_forks(aa, ratio=1.0))
    assert main(["--build", str(tmp_path), "report"]) == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "no stock-against-stock run of this group" in page


def test_report_takes_the_newest_run_of_stock_against_patched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_nights(tmp_path, [2.0, 3.0])
    aa = make_run(5, sides=(Side.STOCK, Side.CONTROL))
    store_complete_run(tmp_path / "results", aa, make_forks(aa, ratio=1.0, noise=0.02, seed=5))
    assert main(["--build", str(tmp_path), "report"]) == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "report" / "index.html").as_uri() in capsys.readouterr().out
    assert make_run(1).run_id in page
    assert "2 clearly faster" in page
    assert f"Newest stock-against-stock run of the group spine: {aa.run_id}" in page
    assert "of 2 rows exclude 1.00; expected up to 1" in page
    assert main(["--build", str(tmp_path), "report", make_run(0).run_id]) == 0
    assert make_run(0).run_id in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert main(["--build", str(tmp_path), "report", aa.run_id]) == 0
    assert "stock against stock" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("run_id", ["latest", "no-such-run", "../../etc/passwd"])
def test_report_on_what_is_not_there_says_so_and_keeps_the_old_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run_id: str
) -> None:
    page = tmp_path / "report" / "index.html"
    page.parent.mkdir()
    page.write_text("the page of before")
    assert main(["--build", str(tmp_path), "report", run_id]) == 2
    error = capsys.readouterr().err
    missing = "There is no complete run" if run_id == "latest" else f"There is no run {run_id!r}"
    assert missing in error
    assert "Traceback" not in error
    assert page.read_text() == "the page of before"


def test_detect_tells_of_a_regression_by_its_exit_code_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_nights(tmp_path, [2.0] * 12)
    asked = ["--build", str(tmp_path), "detect", "--fail-on-regression"]
    assert main(asked) == 0
    shutil.rmtree(tmp_path / "results")
    store_nights(tmp_path, [2.0] * 12 + [2.5] * 3)
    assert main(asked) == 0, "an improvement is no regression"
    shutil.rmtree(tmp_path / "results")
    store_nights(tmp_path, [2.0] * 12 + [1.6] * 3)
    assert main(asked[:-1]) == 0, "only when asked"
    capsys.readouterr()
    assert main(asked) == 8
    assert "2 of 2 series have become slower lately" in capsys.readouterr().err
    assert main([*asked, "--json"]) == 8
    answer = json.loads(capsys.readouterr().out)
    assert (answer["ok"], answer["exit_code"]) == (False, 8)
    assert {one["kind"] for one in answer["verdicts"]} == {"candidate-regression"}


def test_each_run_keeps_its_report_and_has_it_in_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_nights(tmp_path, [2.0, 3.0])
    pages = {}
    for night in (0, 1):
        run_id = make_run(night).run_id
        assert main(["--build", str(tmp_path), "report", run_id, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["run"] == run_id
        pages[run_id] = Path(answer["page"]).read_text(encoding="utf-8")
        # The same page one folder further up, so with another way to its raw data.
        newest = Path(answer["newest"])
        moved = newest.read_text(encoding="utf-8").replace(
            f'"{run_id}/raw-data.zip"', '"raw-data.zip"'
        )
        assert moved == pages[run_id] != newest.read_text(encoding="utf-8")
        assert (newest.parent / run_id / "raw-data.zip").is_file()
        table = Path(answer["markdown"]).read_text(encoding="utf-8")
        assert table.startswith("**Flink 2.3.0, JDK 17, patched against stock, 5 pairs")
        assert ("| 3.0" if night else "| 2.0") in table
    for run_id, page in pages.items():
        kept = tmp_path / "report" / run_id / "index.html"
        assert kept.read_text(encoding="utf-8") == page
        assert run_id in page


def test_compare_json_has_two_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store_nights(tmp_path, [2.0])
    assert main(["--build", str(tmp_path), "compare", "--json"]) == 0
    short = capsys.readouterr().out
    assert main(["--build", str(tmp_path), "compare", "--format", "json"]) == 0
    assert capsys.readouterr().out == short
    assert len(json.loads(short)["comparisons"]) == 2


def test_stop_and_upload_answer_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--build", str(tmp_path), "stop", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stopped"] is False
    assert main(["--build", str(tmp_path), "upload", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sent"] == []
    store_nights(tmp_path, [2.0])
    url = "http://127.0.0.1:9/"  # nobody listens there
    code = main(["--build", str(tmp_path), "upload", "--json", "--attempts", "1", "--url", url])
    answer = json.loads(capsys.readouterr().out)
    assert code == answer["exit_code"]
    assert answer["ok"] is False


def test_detect_says_when_newer_runs_are_no_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise a cron job without --purpose would end the trend without a word."""
    store_nights(tmp_path, [2.0] * 3)
    assert main(["--build", str(tmp_path), "detect"]) == 0
    assert "no points" not in capsys.readouterr().err
    by_hand = make_run(5).model_copy(update={"purpose": Purpose.BY_HAND})
    store_complete_run(tmp_path / "results", by_hand, make_forks(by_hand))
    assert main(["--build", str(tmp_path), "detect"]) == 0
    said = capsys.readouterr().err
    assert f"1 newer run is no point of the trend, the last one {by_hand.run_id} (by-hand)" in said
    assert "--purpose nightly" in said


def test_a_dropped_result_is_told_to_a_program_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--build", str(tmp_path), "upload", "--json", "--drop"]
    assert main([*asked, "nothing"]) == 2
    assert json.loads(capsys.readouterr().out)["ok"] is False
    store_nights(tmp_path, [2.0])
    url = "http://127.0.0.1:9/"  # nobody listens there
    main(["--build", str(tmp_path), "upload", "--attempts", "1", "--url", url])
    key = min(path.stem for path in (tmp_path / "spool" / "unsent").iterdir())
    capsys.readouterr()
    assert main([*asked, key]) == 0
    assert json.loads(capsys.readouterr().out)["dropped"] == key
