"""Every finished run goes to the spool, whatever one of them holds."""

from __future__ import annotations

from pathlib import Path

from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.flink.side import Side
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import spool_new_runs

TINY = 5e-324  # above 0, and 0 in every ratio


def test_a_run_whose_score_has_no_logarithm_keeps_no_other_back(tmp_path: Path) -> None:
    results = tmp_path / "results"
    hostile, honest = make_run(0), make_run(1)
    forks = [
        fork.model_copy(update={"score": TINY})
        if fork.side is Side.PATCHED and fork.pair == 1
        else fork
        for fork in make_forks(hostile)
    ]
    store_complete_run(results, hostile, forks)
    store_complete_run(results, honest, make_forks(honest))
    spool = Spool(tmp_path / "spool")

    done = spool_new_runs(spool, results, None)

    assert {spool.load_unsent(key).run_id for key in spool.unsent_keys()} == {honest.run_id}
    (sentence,) = done.not_spooled
    assert sentence.startswith(f"Run {hostile.run_id} is not sent: ")
