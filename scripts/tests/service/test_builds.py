"""Recipes, commits and builds: real Git, real javac, Flink's own sources."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from flink_repository import (
    BROKEN,
    COMMITS,
    SLOW,
    FlinkRepository,
    commit,
    git,
    make_repository,
    recipe_for,
    release_of,
)
from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, BuildFailed, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line, find_line
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.cache import BuildCache
from flink_boost.service.builds.recipe import RECIPES, Recipe, load_recipe
from flink_boost.service.builds.repository import commits_between, resolve

LINE = find_line(default_line())


@pytest.fixture(scope="module")
def flink(tmp_path_factory: pytest.TempPathFactory) -> FlinkRepository:
    return make_repository(LINE, tmp_path_factory.mktemp("flink"))


def builder_for(
    recipe: Recipe, build: Path, told: list[str] | None = None, **environ: str
) -> RecipeBuilder:
    said = told if told is not None else []
    return RecipeBuilder(recipe, build, {**os.environ, **environ}, said.append, release_of)


def small_repository(folder: Path, script: str) -> Recipe:
    """A repository whose only file builds it, and a recipe for it."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "build.py").write_text(script, encoding="utf-8")
    commit(folder, "First")
    return Recipe(
        kind="flink",
        project="small",
        repository=folder,
        command=(sys.executable, "build.py", "{commit}"),
        jars=("out/*.jar",),
    )


OUT = "import pathlib\npathlib.Path('out').mkdir()\n"
JAR = """
import pathlib, sys, zipfile
pathlib.Path("out").mkdir()
with zipfile.ZipFile("out/a.jar", "w") as jar:
    jar.writestr(zipfile.ZipInfo("commit"), sys.argv[1])
"""


@pytest.mark.needs_jars
def test_a_commit_of_flink_becomes_jars_and_is_built_once(
    flink: FlinkRepository, tmp_path: Path
) -> None:
    told: list[str] = []
    builder = builder_for(recipe_for(flink), tmp_path / "build", told)
    found = builder.build(flink.commits[SLOW], LINE)
    assert [jar.name for jar in found.jars] == [
        "1-flink-core-2.4-SNAPSHOT.jar",
        "2-flink-runtime-2.4-SNAPSHOT.jar",
    ]
    assert found.built.commit == flink.commits[SLOW]
    assert found.built.version == "2.4-SNAPSHOT"
    with zipfile.ZipFile(found.jars[0]) as jar:
        assert "org/apache/flink/types/StringValue.class" in jar.namelist()
    assert len(told) == 2
    assert builder.build(flink.commits[SLOW][:10], LINE) == found
    assert len(told) == 2
    assert builder.build(flink.commits[SLOW - 1], LINE).digest != found.digest
    assert git(flink.folder, "worktree", "list").count("\n") == 1


@pytest.mark.needs_jars
def test_a_commit_that_does_not_compile_is_told_with_its_log(
    flink: FlinkRepository, tmp_path: Path
) -> None:
    builder = builder_for(recipe_for(flink), tmp_path / "build")
    with pytest.raises(BuildFailed, match="could not be built") as failed:
        builder.build(flink.commits[BROKEN], LINE)
    assert failed.value.log is not None
    assert "StringValue.java" in failed.value.log.read_text(encoding="utf-8")
    assert builder.cache.find(flink.commits[BROKEN], LINE.version, "") is None
    assert [path.name for path in builder.cache.folder.glob(".building*")] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder to another account")
def test_a_clone_of_another_account_is_named_so(tmp_path: Path) -> None:
    recipe = small_repository(tmp_path / "theirs", "")
    for path in (recipe.repository, recipe.repository / ".git"):
        os.chown(path, 65534, 65534)
    with pytest.raises(UsageProblem, match="dubious ownership") as refused:
        resolve(recipe.repository, "HEAD")
    assert "belongs to the account that calls" in str(refused.value)


def test_a_folder_without_a_repository_is_named_so(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="not a git repository"):
        resolve(tmp_path, "HEAD")


def test_the_history_is_that_of_first_parents(flink: FlinkRepository) -> None:
    found = commits_between(flink.folder, flink.commits[0], "master")
    assert found == flink.commits[1:]
    assert len(found) == COMMITS
    side = resolve(flink.folder, "side")
    assert side not in found
    with pytest.raises(UsageProblem, match="does not come after"):
        commits_between(flink.folder, flink.commits[3], flink.commits[2])
    with pytest.raises(UsageProblem, match="does not come after"):
        commits_between(flink.folder, side, "master")


@pytest.mark.parametrize("name", ["--upload-pack=touch x", "nowhere", "0" * 40])
def test_what_is_no_commit_is_refused(flink: FlinkRepository, name: str) -> None:
    with pytest.raises(UsageProblem):
        resolve(flink.folder, name)


def test_a_build_gets_no_secret_and_only_the_variables_that_its_recipe_names(
    tmp_path: Path,
) -> None:
    script = JAR + "import os\nprint(sorted(os.environ))\n"
    recipe = small_repository(tmp_path / "repository", script)
    recipe = recipe.model_copy(update={"environment": ("EXTRA",)})
    builder = builder_for(
        recipe, tmp_path / "build", EXTRA="x", FLINK_BOOST_TOKEN="secret", OTHER="y"
    )
    found = builder.build("HEAD", LINE)
    said = (found.jars[0].parent.parent / "build.log").read_text(encoding="utf-8")
    assert "'EXTRA'" in said
    assert "FLINK_BOOST_TOKEN" not in said
    assert "OTHER" not in said
    with pytest.raises(ValidationError, match="may hold a token"):
        Recipe.model_validate({**recipe.model_dump(), "environment": ["FLINK_BOOST_TOKEN"]})


def test_a_build_of_another_jdk_is_made_anew(tmp_path: Path) -> None:
    recipe = small_repository(tmp_path / "repository", JAR)
    told: list[str] = []
    jdks = [tmp_path / "jdk-11", tmp_path / "jdk-17"]
    for jdk in jdks:
        jdk.mkdir()
        (jdk / "release").write_text('JAVA_VERSION="1"\n', encoding="utf-8")

    def built(jdk: Path, **more: str) -> int:
        told.clear()
        builder_for(recipe, tmp_path / "build", told, JAVA_HOME=str(jdk), **more).build(
            "HEAD", LINE
        )
        return len(told)

    assert built(jdks[0])
    assert not built(jdks[0], OTHER="no matter")
    assert built(jdks[1])
    assert not built(jdks[1])
    (jdks[1] / "release").write_text('JAVA_VERSION="2"\n', encoding="utf-8")
    assert built(jdks[1]), "updated where it is"
    assert not built(jdks[1])


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("print('so much')\nraise SystemExit(3)", "ended with code 3: so much"),
        ("print('\\x1b[31mred\\x1b[0m')\nraise SystemExit(3)", "ended with code 3: red Read"),
        ("pass", "has to name one jar, and names: none"),
        (JAR + "pathlib.Path('out/b.jar').touch()", "names: a.jar, b.jar"),
        (OUT + "pathlib.Path('out/a.jar').write_text('no')", "is no jar"),
        (OUT + "pathlib.Path('out/a.jar').symlink_to('/proc/self/environ')", "leads out"),
    ],
)
def test_a_build_that_leaves_something_else_fails(tmp_path: Path, script: str, words: str) -> None:
    recipe = small_repository(tmp_path / "repository", script)
    with pytest.raises(BuildFailed, match=words):
        builder_for(recipe, tmp_path / "build").build("HEAD", LINE)


def test_a_build_that_hangs_is_ended(tmp_path: Path) -> None:
    recipe = small_repository(tmp_path / "repository", "import time\ntime.sleep(600)")
    recipe = recipe.model_copy(update={"minutes": 0.01})
    with pytest.raises(BuildFailed, match="took more than"):
        builder_for(recipe, tmp_path / "build").build("HEAD", LINE)


def test_a_damaged_build_is_made_again(tmp_path: Path) -> None:
    told: list[str] = []
    recipe = small_repository(tmp_path / "repository", JAR)
    builder = builder_for(recipe, tmp_path / "build", told)
    found = builder.build("HEAD", LINE)
    found.jars[0].write_bytes(b"cut off")
    again = builder.build("HEAD", LINE)
    assert again == found
    assert zipfile.is_zipfile(again.jars[0])
    assert len(told) == 4
    # What another command built is another build.
    other = recipe.model_copy(update={"command": (*recipe.command, "more")})
    builder_for(other, tmp_path / "build", told).build("HEAD", LINE)
    assert len(told) == 6


def test_leftovers_of_a_killed_build_go_with_the_next(tmp_path: Path) -> None:
    recipe = small_repository(tmp_path / "repository", JAR)
    builder = builder_for(recipe, tmp_path / "build")
    left = builder.cache.folder / ".building.dead"
    left.mkdir(parents=True)
    builder.build("HEAD", LINE)
    assert not left.exists()


def test_old_builds_are_pruned_and_wanted_ones_stay(tmp_path: Path) -> None:
    recipe = small_repository(tmp_path / "repository", JAR)
    builder = builder_for(recipe, tmp_path / "build")
    commits = []
    for place in range(4):
        (recipe.repository / "note").write_text(str(place), encoding="utf-8")
        commits.append(commit(recipe.repository, f"Change {place}"))
        found = builder.build(commits[-1], LINE)
        os.utime(found.jars[0].parent.parent / "build.json", (place, place))
    cache = BuildCache(tmp_path / "build", "small")
    for place in range(3):
        os.utime(cache.keep_log(f"{place}", LINE.version, tmp_path / "none"), (place, place))
    builder.recipe = recipe.model_copy(update={"keep": 2})
    assert builder.prune(LINE.version, {commits[0]}) == (commits[1],)
    assert builder.prune(LINE.version, {commits[0]}) == ()
    assert sorted(path.name for path in (cache.folder / "failed").iterdir()) == [
        f"{place}-{LINE.version}.log" for place in (1, 2)
    ]
    shutil.rmtree(cache.folder / "failed")
    assert sorted(path.name for path in cache.folder.iterdir() if path.is_dir()) == sorted(
        [commits[0], commits[2], commits[3]]
    )


def test_the_recipes_of_the_tree_are_read() -> None:
    ours, flinks = load_recipe("flink-boost"), load_recipe("flink")
    assert ours.repository == PROJECT_ROOT
    assert ours.command[0] == "make"
    assert flinks.modules == ("flink-core", "flink-runtime", "flink-streaming-java")
    assert "flink-core,flink-runtime,flink-streaming-java" in flinks.command
    assert sorted(path.name for path in RECIPES.glob("*")) == ["flink-boost.toml", "flink.toml"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind = 'other'", "kind"),
        ("kind = 'flink'", "repository"),
        ("kind = 'flink'\nrepository = 'x'\njars = ['/etc/passwd']", "leaves the checkout"),
        ("kind = 'flink'\nrepository = 'x'\njars = ['../x.jar']", "leaves the checkout"),
        ("kind = 'flink'\nrepository = 'x'\ncommand = ['sh', '{jdk}']", "known are"),
        ("kind = 'flink'\nrepository = 'x'\nproject = '../..'", "project"),
        ("kind = 'flink'\nrepository = 'x'\nmodules = 3", "modules is a list"),
        ("kind = 'flink'\nrepository = 'x'\ncolour = 'red'", "colour"),
        ("kind = ", "not TOML"),
    ],
)
def test_a_broken_recipe_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenData, match=words):
        load_recipe(str(path))
    with pytest.raises(UsageProblem, match=r"recipes/: flink, flink-boost"):
        load_recipe("unknown")
