"""Nights of a recipe: which commit is built, what it is compared with, and its builds.

What a branch is at, and what the night before built, is pinned when a night begins; going on with
it means the same commits, wherever the branch is by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line, find_line
from flink_boost.measure.commit_jars import Build, BuildPair, stock_build
from flink_boost.measure.model import OURS
from flink_boost.measure.night_record import Against, NightRecord, NightState, Order
from flink_boost.publish.codespeed import EXECUTABLE_NAME_LENGTH
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.recipe import RECIPES, Recipe, load_recipe
from flink_boost.service.builds.repository import resolve
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import BuildSides, FindClassPaths, Tell
from flink_boost.service.nightly.slots import WHOLE

_SHOWN = 12


def with_recipe(order: Order, name: str, commits: str, against: Against | None) -> Order:
    """The order with a recipe, nothing pinned yet.

    ``commits`` is a revision, ``A..B`` to compare B with A, or empty for the recipe's branch.
    Raises ``UsageProblem`` for a recipe of ours that is not this tree, for a project whose name the
    dashboard has no room for, and for two things to compare with.
    """
    recipe = load_recipe(name)
    if recipe.kind == OURS:
        if recipe.repository != PROJECT_ROOT.resolve() or commits or against is not None:
            raise UsageProblem(
                f"{name} is a recipe for flink-boost, of which a night measures this tree.",
                f"Run `flink-boost nightly` in {recipe.repository}, with what is to be measured"
                " checked out.",
            )
        return order.model_copy(update={"recipe": _path_of(name)})
    good, dots, bad = commits.partition("..")
    if dots and (not good or not bad or bad.startswith(".") or against is not None):
        raise UsageProblem(
            f"{commits!r} is no pair of commits, or --against is given as well.",
            "Write A..B, with a commit, a branch or a tag on both sides.",
        )
    _require_room(recipe, order)
    against = Against.COMMIT if dots else against or Against.RELEASE
    return order.model_copy(
        update={
            "recipe": _path_of(name),
            "project": recipe.project,
            "revision": bad or good,
            "against": against,
            "reference": good if dots else "",
        }
    )


def pinned(order: Order, journal: NightJournal, tell: Tell) -> Order:
    """The order of a night that begins now: full ids of commits. Raises ``UsageProblem``."""
    if not order.project:
        return order
    recipe = load_recipe(order.recipe)
    commit = resolve(recipe.repository, order.revision or recipe.branch)
    reference = ""
    if order.against is Against.COMMIT:
        reference = resolve(recipe.repository, order.reference)
    elif order.against is Against.NIGHT_BEFORE:
        reference = last_complete(journal, order.project, order.shard) or ""
        if not reference:
            tell(f"No night of {order.project} is complete so far: the release is compared with.")
    return order.model_copy(update={"commit": commit, "reference": reference})


def complete_nights(
    journal: NightJournal, project: str, shard: str = WHOLE
) -> Iterator[tuple[str, Order, NightRecord]]:
    """The complete nights of a project, newest first, with their names; ours have no project."""
    for name in reversed(journal.nights()):
        try:
            order, night = journal.order(name), journal.load(name)
        except BrokenData:
            continue
        same = (order.project, order.shard) == (project, shard)
        if same and not order.is_chosen and night.state is NightState.COMPLETE:
            yield name, order, night


def last_complete(journal: NightJournal, project: str, shard: str = WHOLE) -> str | None:
    """The commit of the newest complete night of a project; None where there is none."""
    commits = (order.commit for _, order, _ in complete_nights(journal, project, shard))
    return next(filter(None, commits), None)


def recipe_builds(
    order: Order,
    build: Path,
    environ: Mapping[str, str],
    class_paths: FindClassPaths,
    tell: Tell,
) -> BuildSides:
    """What builds both sides of a line, each commit once. Raises what ``load_recipe`` raises."""

    def pair(line: Line) -> BuildPair:
        builder = RecipeBuilder(
            _same_recipe(order), build, environ, tell, lambda line: class_paths(line).stock
        )
        candidate = builder.build(order.commit, line)
        reference = builder.build(order.reference, line) if order.reference else stock_build(line)
        return BuildPair(reference, candidate)

    return pair


def described(builds: BuildPair) -> str:
    """``flink 0123456789ab against the release 2.3.0``."""
    return f"{_named(builds.candidate)} against {_named(builds.reference)}"


def order_sentence(order: Order) -> str:
    """What a night of a recipe is about, for people; empty for one of ours."""
    if not order.project:
        return ""
    against = {
        Against.RELEASE: "the release",
        Against.NIGHT_BEFORE: "the night before",
        Against.COMMIT: order.reference[:_SHOWN],
    }[order.against]
    if order.against is Against.NIGHT_BEFORE and order.commit:
        against = order.reference[:_SHOWN] or "the release"
    commit = order.commit[:_SHOWN] or order.revision or "its branch"
    return f"{order.project} {commit} against {against}, built by {order.recipe}"


def _named(build: Build) -> str:
    built = build.built
    return f"{built.project} {built.commit[:_SHOWN]}" if built.commit else f"Flink {built.version}"


def _same_recipe(order: Order) -> Recipe:
    recipe = load_recipe(order.recipe)
    if recipe.project != order.project:
        raise UsageProblem(
            f"{order.recipe} builds {recipe.project} by now, and the night is one of"
            f" {order.project}.",
            "Bring the recipe back; the next night may have another one.",
        )
    return recipe


def _path_of(name: str) -> str:
    """The recipe's file, wherever the next start is called from."""
    path = Path(name) if name.endswith(".toml") else RECIPES / f"{name}.toml"
    return str(path.resolve())


def _require_room(recipe: Recipe, order: Order) -> None:
    names = [
        f"patched {version} j{jdk} {recipe.project} prev"
        for version in order.lines
        for jdk in find_line(version).jdks
    ]
    longest = max(names, key=len)
    if len(longest) > EXECUTABLE_NAME_LENGTH:
        raise UsageProblem(
            f"The dashboard has no room for {longest!r}: that is more than"
            f" {EXECUTABLE_NAME_LENGTH} characters.",
            "Give the recipe a shorter `project`.",
        )
