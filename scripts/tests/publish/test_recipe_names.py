"""Runs of a recipe share no series, branch or name with ours, whose names stay what they were."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError
from synthetic import make_run

from flink_boost.flink.side import Side
from flink_boost.judge.series import settings_of, without_recipe
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.model import Built, Purpose, RunInfo
from flink_boost.publish.codespeed import branch, commit_id, executable
from flink_boost.publish.run_note import bench_command
from flink_boost.service.builds.recipe import Recipe

COMMIT, BEFORE = "c0ffee" * 6 + "abcd", "deadbeef" * 5


def of_a_recipe(reference: str = "", project: str = "flink") -> RunInfo:
    subject = Built(project=project, version="2.4-SNAPSHOT", commit=COMMIT)
    baseline = Built(project=project if reference else "flink", version="2.3.0", commit=reference)
    return make_run(commit="ab" * 20).model_copy(
        update={"subject": subject, "baseline": baseline, "purpose": Purpose.NIGHTLY}
    )


def test_series_of_a_recipe_are_its_own() -> None:
    ours, release = settings_of(make_run()), settings_of(of_a_recipe())
    before, other = settings_of(of_a_recipe(BEFORE)), settings_of(of_a_recipe(project="flink22"))
    assert len({one.identity for one in (ours, release, before, other)}) == 4
    assert {without_recipe(one).identity for one in (ours, release, before, other)} == {
        ours.identity
    }
    # Keys of alarms and of reruns hang on it: ours has the fields that it always had.
    assert list(json.loads(ours.identity)) == [
        *("line", "environment", "opened", "quick_look", "jvm_options", "jdk", "threads", "heap")
    ]


def test_names_on_the_dashboard() -> None:
    ours = make_run(commit="ab" * 20).model_copy(update={"purpose": Purpose.NIGHTLY})
    assert (branch(ours), executable(ours, Side.PATCHED)) == ("master", "patched 2.3.0")
    found, before = of_a_recipe(), of_a_recipe(BEFORE)
    assert (branch(found), executable(found, Side.PATCHED)) == ("flink", "patched 2.3.0 flink")
    assert executable(before, Side.STOCK) == "stock 2.3.0 flink prev"
    assert commit_id(found).startswith(COMMIT[:8])
    assert commit_id(ours).startswith("abababab")
    by_hand = found.model_copy(update={"purpose": Purpose.BY_HAND})
    assert branch(by_hand) == "by-hand"


def test_what_measures_it_again_and_what_its_sides_are_called() -> None:
    found, group = of_a_recipe(BEFORE), find_group(load_groups(), "spine")
    cell = group.cells[0]
    command = bench_command(found, cell)
    assert command.startswith(
        f"flink-boost nightly --recipe FILE --commits {BEFORE[:12]}..{COMMIT[:12]} --line 2.3.0"
    )
    (_, pattern, _) = command.split("'")
    assert choose_cells(group, [pattern]).cells == (cell,), "--only takes it"
    assert found.title_of(Side.PATCHED) == f"flink, {COMMIT[:8]}"
    assert found.title_of(Side.STOCK) == f"flink, {BEFORE[:8]}"
    assert of_a_recipe().title_of(Side.STOCK) == "flink, 2.3.0"
    assert make_run().title_of(Side.STOCK) == "stock"


@pytest.mark.parametrize("project", ["master", "canary", "by-hand", "flink-boost"])
def test_a_recipe_takes_no_name_of_ours(project: str) -> None:
    with pytest.raises(ValidationError, match="another's name"):
        Recipe.model_validate({"kind": "flink", "project": project, "repository": "/x"})
