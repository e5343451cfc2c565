"""From a comment to its verdict, with real builds, real forks and the real sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flink_boost.measure import store
from flink_boost.measure.model import Purpose
from flink_boost.publish.spool import Spool
from flink_boost.service.requests.comparing import FOLDER
from flink_boost.service.requests.queue import RequestQueue
from requesting.whole_way import COMMAND, whole_way

pytestmark = [pytest.mark.forks, pytest.mark.needs_jars]


@pytest.mark.timeout(2400)
@pytest.mark.parametrize("wish", ["", pytest.param(" profile", marks=pytest.mark.test_all)])
def test_a_comment_becomes_an_answer(
    wish: str, queue: RequestQueue, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The process has one database, which outlives this test.
    monkeypatch.setenv("FLINK_BOOST_DASHBOARD_DATA", os.environ["FLINK_BOOST_DASHBOARD_DATA"])
    build = open_folder / "build"
    with whole_way(open_folder, build) as place:
        with place.server.lock:
            place.server.state.write(1, "alice", f"{COMMAND}{wish}")
        place.serving.once()

        (verdict,) = place.verdicts()
    assert f"Base `{place.base}`" in verdict, verdict
    assert f"head `{place.head}`" in verdict
    assert "StringSerializationBenchmark.write[length=16" in verdict
    assert "3 pairs of fresh JVMs in turn" in verdict
    profiled = "write[length=16,kind=ascii,profile=mixed,view=serializer] spends its time"
    assert (profiled in verdict) == bool(wish)
    assert "file:" not in verdict, "a page on our disk is none for others"
    assert len(list((build / "results" / FOLDER).glob("*/profiles/*/difference.html"))) == len(
        wish.split()
    )
    runs = [
        store.load_run(build / "results" / FOLDER, one)
        for one in store.run_ids(build / "results" / FOLDER)
    ]
    assert runs
    assert {run.purpose for run in runs} == {Purpose.REQUEST}
    assert not store.run_ids(build / "results")
    entries = [
        Spool(build / "spool").load_unsent(key) for key in Spool(build / "spool").unsent_keys()
    ]
    assert {result.branch for entry in entries for result in entry.results} == {"benchmark-request"}
