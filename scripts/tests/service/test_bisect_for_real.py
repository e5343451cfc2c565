"""From nights to the commit: real builds of Flink's sources, and the commands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flink_repository import BROKEN, COMMITS, SLOW, make_repository, recipe_for
from jmh_java import BY_DOUBLE_AND_JMH
from stored_runs import store_complete_run
from synthetic import make_forks

from flink_boost.cli.main import main
from flink_boost.flink.jdks import ask_jdk, find_java
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.side import Side
from flink_boost.measure.box import describe_box
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.model import Built, Mode, Purpose, RunInfo
from flink_boost.measure.run_plan import FORK_OPTIONS

LINE = find_line(default_line())
NIGHTS = 12

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


def night(number: int, commit: str) -> RunInfo:
    """A night of one benchmark; the stored group's times, so that a rerun takes a moment."""
    group = choose_cells(find_group(load_groups(), "smoke"), ["StringSerialization.*write"])
    started = datetime(2026, 3, 1, 1, tzinfo=UTC) + timedelta(days=number)
    return RunInfo(
        run_id=f"{started:%Y%m%dT%H%M%SZ}-{LINE.version}",
        started=started,
        group="smoke",
        quick_look=False,
        line=LINE.version,
        sides=(Side.STOCK, Side.PATCHED),
        pairs=5,
        opened=True,
        jvm_options=(*FORK_OPTIONS, *LINE.jvm_options),
        purpose=Purpose.NIGHTLY,
        subject=Built(project="flink", version="2.4-SNAPSHOT", commit=commit),
        baseline=Built(project="flink", version=LINE.version),
        commit="ab" * 20,
        boost_version="0.2.0",
        dropin_sha256="",
        cells=group.cells[:1],
        timings=group.timings[:1],
        box=describe_box(ask_jdk(find_java(None, dict(os.environ)))),
    )


@pytest.mark.timeout(1200)
@pytest.mark.test_all
@BY_DOUBLE_AND_JMH
def test_a_slow_commit_is_told_and_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], by: str
) -> None:
    flink = make_repository(LINE, tmp_path / "flink")
    recipe = tmp_path / "flink.toml"
    described = recipe_for(flink)
    recipe.write_text(
        f"kind = 'flink'\nrepository = '{flink.folder}'\nversion = '2.4-SNAPSHOT'\n"
        f"modules = {list(described.modules)}\ncommand = {list(described.command)}\n",
        encoding="utf-8",
    )
    build = tmp_path / "build"
    for number in range(NIGHTS + 1):
        # The range between the last good and the first bad night holds one that does not compile.
        commit = flink.commits[2 if number < NIGHTS else COMMITS]
        run = night(number, commit)
        ratio = 1.0 if number < NIGHTS else 0.05
        forks = make_forks(run, ratio=ratio, noise=0.01, seed=number, modes=[Mode.AVERAGE_TIME])
        store_complete_run(build / "results", run, forks)

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["--build", str(build), *arguments])
        said = capsys.readouterr()
        assert code in (0, 8), said.err
        return code, said.out

    code, _ = call("detect", "--confirm", "--recipe", str(recipe), "--fail-on-regression")
    assert code == 8
    alarm = only_alarm(call)
    assert alarm["state"] == "open"
    assert alarm["direction"] == "regression"
    assert alarm["effect"] < 0.5
    assert alarm["commits"] == [flink.commits[2], flink.commits[COMMITS]]
    assert {one["outcome"] for one in alarm["reruns"]} == {"confirmed"}

    # Too few pairs for one commit: what was measured stays, and the next call goes on.
    code, said = call("bisect", alarm["id"], "--recipe", str(recipe), "--pairs", "4")
    assert code == 0
    assert "the same command goes on" in said
    code, said = call("bisect", alarm["id"], "--recipe", str(recipe))
    assert code == 0, said
    found = only_alarm(call)["bisect"]
    assert found["state"] == "done"
    assert found["first_bad"] == flink.commits[SLOW]
    assert found["parts"] == [{"commit": flink.commits[SLOW], "share": 1.0}]
    rest = [(one["commit"], one["outcome"]) for one in found["steps"] if one["against"]]
    assert rest == ([(flink.commits[COMMITS], "good")] if SLOW < COMMITS else [])
    outcomes = {one["commit"]: one["outcome"] for one in found["steps"] if not one["against"]}
    assert all(
        outcome == ("skipped" if place == BROKEN else "bad" if place >= SLOW else "good")
        for place, commit in enumerate(flink.commits)
        if (outcome := outcomes.get(commit)) is not None
    )

    # Once more: nothing is measured, and nothing changes.
    before = sorted((build / "results" / "reruns").glob("*/forks/*.json"))
    call("detect", "--confirm", "--recipe", str(recipe))
    call("bisect", alarm["id"], "--recipe", str(recipe))
    assert sorted((build / "results" / "reruns").glob("*/forks/*.json")) == before
    again = only_alarm(call)
    assert again["bisect"] == found
    assert again["history"] == alarm["history"]

    code, said = call("alarm", "accept", alarm["id"][:5], "--reason", "On purpose.", "--by", "me")
    assert code == 0
    assert call("alarm")[1].startswith("No alarm is open")
    assert "On purpose." in call("alarm", "show", alarm["id"])[1]


def only_alarm(call: Callable[..., tuple[int, str]]) -> dict:  # type: ignore[type-arg]
    code, said = call("alarm", "list", "--all", "--json")
    assert code == 0
    (alarm,) = json.loads(said)["alarms"]
    return dict(alarm)
