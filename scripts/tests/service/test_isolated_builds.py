"""Hostile commits in real builds: each is held, told by name, and reaches nothing of ours.

Needs bubblewrap and Git. The builds are small Python programs; our own with Maven is in
``test_isolated_for_real.py``.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import BrokenData, BuildFailed, EnvironmentProblem, NoIsolation
from flink_boost.flink.lines import default_line, find_line
from flink_boost.service.builds import build_launch, repository
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.isolation.building import IsolatedBuilds
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.recipe import Recipe, load_recipe
from flink_boost.service.builds.repository import check_out

pytestmark = pytest.mark.quiet

LINE = find_line(default_line())
MIB = 1 << 20
LIMITS = Limits(seconds=60, memory=512 * MIB, disk=32 * MIB, processes=100, output=MIB)
GOOD = """
import os, sys, zipfile
os.mkdir("out")
with zipfile.ZipFile("out/a.jar", "w") as jar:
    jar.writestr(zipfile.ZipInfo("commit"), sys.argv[1])
"""
TOKEN = "ghs_thisIsTheTokenOfTheService"


class Clone:
    """A repository whose commits are programs; builds them in a sandbox."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self.root = folder / "root"
        self.build = folder / "build"
        self.folder.mkdir()
        jar = self.root / ".cache" / "m2" / "org" / "x" / "x.jar"
        jar.parent.mkdir(parents=True)
        jar.write_text("the real x")
        (jar.parent / "_remote.repositories").write_text("central")
        self.jar = jar
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str, given: str = "") -> str:
        names = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = subprocess.run(
            ("git", *names, *words), cwd=self.folder, capture_output=True, text=True, check=True,
            timeout=60, input=given,
        )  # fmt: skip
        return done.stdout.strip()

    def blob(self, content: str) -> str:
        return self.git("hash-object", "-w", "--stdin", given=content)

    def tree(self, *entries: tuple[str, str]) -> str:
        """Made of objects by their ids, as no work tree could hold it."""
        lines = [
            f"{'040000 tree' if self.git('cat-file', '-t', one) == 'tree' else '100644 blob'}"
            f" {one}\t{name}\n"
            for name, one in entries
        ]
        return self.git("mktree", given="".join(lines))

    def commit_of(self, tree: str) -> str:
        return self.git("commit-tree", tree, "-m", "x")

    def commit(self, program: str, change: Callable[[Path], object] = lambda _: None) -> str:
        (self.folder / "build.py").write_text(program)
        change(self.folder)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def recipe(self, **values: object) -> Recipe:
        return Recipe.model_validate(
            {
                "kind": "flink",
                "project": "flink",
                "repository": self.folder,
                "command": ("python3", "-I", "build.py", "{commit}"),
                "jars": ("out/*.jar",),
                "links": (".cache",),
                "isolated": True,
                **values,
            }
        )

    def builder(self, limits: Limits = LIMITS, **values: object) -> RecipeBuilder:
        launch = IsolatedBuilds(
            choose_sandbox({}), self.build / "places", limits=limits, root=self.root
        )
        environ = {**os.environ, "FLINK_BOOST_GITHUB_TOKEN": TOKEN, "JAVA_HOME": "/usr/lib/jvm"}
        recipe = self.recipe(**values)
        return RecipeBuilder(recipe, self.build, environ, lambda _: None, launch=launch)


@pytest.fixture
def clone(open_folder: Path) -> Clone:
    return Clone(open_folder)


def test_a_commit_is_built_and_kept_apart_from_those_that_nights_measure(clone: Clone) -> None:
    commit = clone.commit(f"import os\nassert not os.path.exists('.git')\n{GOOD}")
    builder = clone.builder()
    found = builder.build(commit, LINE)
    assert found.jars[0].is_relative_to(clone.build / "isolated" / "builds")
    assert found.jars[0].stat().st_uid == os.geteuid()
    assert builder.build(commit, LINE) == found
    trusted = RecipeBuilder(
        clone.recipe(isolated=False, links=()), clone.build, os.environ, lambda _: None
    )
    assert trusted.cache.folder != builder.cache.folder
    assert trusted.cache.find(commit, LINE.version, "") is None
    assert not [one for one in (clone.build / "places").iterdir() if one.name != "owners"]


def test_a_recipe_that_asks_for_a_sandbox_is_not_built_without_one(clone: Clone) -> None:
    with pytest.raises(NoIsolation, match="asks for a sandbox"):
        RecipeBuilder(clone.recipe(), clone.build, os.environ, lambda _: None)
    recipe = clone.root / "told.toml"
    recipe.write_text(
        f'kind = "flink"\nrepository = "{clone.folder}"\nisolated = true\n'
        'environment = ["GITHUB_TOKEN"]\n'
    )
    with pytest.raises(BrokenData, match="GITHUB_TOKEN is not for an isolated build"):
        load_recipe(str(recipe))


HOSTILE = {
    "reads the token": (
        f"""
import glob, os
text = repr(dict(os.environ))
for path in glob.glob("/proc/[0-9]*/environ"):
    text += open(path, errors="replace").read()
assert "{TOKEN}" not in text and "FLINK_BOOST" not in text, "found it"
raise SystemExit("no token")
""",
        "ended with code 1: no token",
    ),
    "forks a bomb": (
        "import os, time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.01)",
        "started more processes and threads than it may",
    ),
    "fills the disk": (
        "import time\nfor n in range(99): open(str(n), 'wb').write(b'x' * (1 << 20))\n",
        "wrote more to the disk than it may",
    ),
    "never ends": ("import time\ntime.sleep(999)", "took longer than it may"),
    "prints for ever": ("while True: print('x' * 999)", "printed more than it may"),
    "kills its parents": (
        "import os\nos.kill(0, 9)",
        "was ended by a signal",
    ),
    "leaves a link for a jar": (
        "import os\nos.mkdir('out')\nos.symlink('/etc/passwd', 'out/a.jar')",
        "has to name one jar, and names: none",
    ),
    "leaves a folder of links": (
        "import os\nos.symlink('/usr/share/java', 'out')",
        "has to name one jar, and names: none",
    ),
    "leaves a jar of two names": (
        f"{GOOD}\nos.link('out/a.jar', 'b')",
        "more than one name",
    ),
    "leaves what is no jar": (
        f"{GOOD}\nos.truncate('out/a.jar', 30 << 20)",
        "no jar",
    ),
    "leaves a jar named for two": (
        f"{GOOD}\nos.rename('out/a.jar', 'out/a:b.jar')",
        "no name for a jar",
    ),
    "leaves a jar that is a bomb": (
        """
import os, zipfile
os.mkdir("out")
with zipfile.ZipFile("out/a.jar", "w", zipfile.ZIP_DEFLATED) as jar:
    with jar.open("META-INF/flink-boost/woven.properties", "w") as entry:
        for _ in range(64):
            entry.write(bytes(1 << 20))
""",
        "entry in META-INF that is too large",
    ),
    "leaves no jar": ("print('nothing to do')", "has to name one jar, and names: none"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_a_hostile_build_does_is_held_and_named(clone: Clone, what: str) -> None:
    program, told = HOSTILE[what]
    limits = replace(LIMITS, seconds=3) if what == "never ends" else LIMITS
    commit = clone.commit(program)
    with pytest.raises(BuildFailed) as failed:
        clone.builder(limits).build(commit, LINE)
    assert told in failed.value.message
    assert failed.value.exit_code == 24
    assert failed.value.log is not None
    assert failed.value.log.is_file()
    assert clone.builder().build(clone.commit(GOOD), LINE).jars, "the next one is built"


SPOILING = """
import os, sys
jar = os.path.join(os.path.realpath(".cache/m2/org/x"), "x.jar")
read = open(jar).read()
for spoil in (lambda: open(jar, "w").write("spoilt"), lambda: open(jar, "a").write("spoilt")):
    try:
        spoil()
    except OSError as error:
        print(error.strerror)
os.remove(jar)
open(jar, "w").write("spoilt")
open(".cache/m2/org/x/_remote.repositories", "w").write("spoilt")
open(".cache/m2/y.jar", "w").write("spoilt")
print("read:", read, "now:", open(".cache/m2/org/x/x.jar").read())
"""


def test_mavens_local_repository_stays_as_it_is(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        commit = clone.commit(f"{SPOILING}{GOOD}# {os.urandom(4).hex()}")
        found = clone.builder().build(commit, LINE)
        log = (found.jars[0].parents[1] / "build.log").read_text()
        refused = {"Read-only file system", "Permission denied"}
        assert len([line for line in log.splitlines() if line in refused]) == 2
        assert "read: the real x now: spoilt" in log
        assert clone.jar.read_text() == "the real x"
        assert clone.jar.with_name("_remote.repositories").read_text() == "central"
        assert not (clone.root / ".cache" / "m2" / "y.jar").exists()
    monkeypatch.setattr(build_launch, "PROJECT_ROOT", clone.root)
    trusted = RecipeBuilder(clone.recipe(isolated=False), clone.build, os.environ, lambda _: None)
    trusted.build(commit, LINE)
    assert clone.jar.read_text() == "spoilt", "what it does without a sandbox"


def test_a_commit_cannot_have_our_folders_written_to(clone: Clone) -> None:
    target = clone.folder.parent / "target"
    target.mkdir()
    commit = clone.commit(GOOD, lambda folder: (folder / ".cache").symlink_to(target))
    with pytest.raises(BuildFailed, match=r"has a \.cache of its own"):
        clone.builder().build(commit, LINE)
    assert list(target.iterdir()) == []


def test_a_path_that_is_too_long_is_the_commit_s_fault(clone: Clone) -> None:
    good = clone.blob(GOOD)
    folder = clone.tree(("x", good))
    for _ in range(19):
        folder = clone.tree(("d" * 205, folder))
    commit = clone.commit_of(clone.tree(("build.py", good), ("d" * 100, folder)))
    with pytest.raises(BuildFailed, match="a path of more than 1000 letters"):
        clone.builder().build(commit, LINE)


def test_a_commit_of_endless_folders_is_not_checked_out(clone: Clone) -> None:
    top = clone.tree(*((f"f{number}", clone.blob("")) for number in range(10)))
    for _ in range(9):
        top = clone.tree(*((f"d{number}", top) for number in range(10)))
    commit = clone.commit_of(top)
    # A billion names out of a dozen objects: git would take all memory for their list.
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with pytest.raises(BuildFailed, match="more than 400000 files"):
        clone.builder().build(commit, LINE)
    # A child begins as a copy of this process, which may be a large one.
    known = max(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 256 << 10)  # KiB
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= known


def test_a_commit_larger_than_its_folder_is_its_own_fault(clone: Clone) -> None:
    large = clone.blob("x\n" * LIMITS.disk)
    commit = clone.commit_of(clone.tree(("build.py", clone.blob(GOOD)), ("z", large)))
    with pytest.raises(BuildFailed, match=r"the commit has files of more than"):
        clone.builder().build(commit, LINE)


def test_many_names_for_one_file_are_counted_before_any_is_written(
    clone: Clone, tmp_path: Path
) -> None:
    """A commit of some kilobytes: where no folder in memory holds it, root would fill the disk."""
    blob = clone.blob("x" * (LIMITS.disk // 100))
    commit = clone.commit_of(clone.tree(*((f"f{number:03}", blob) for number in range(101))))
    with pytest.raises(BuildFailed, match=r"the commit has files of more than"):
        check_out(clone.folder, commit, tmp_path / "whole", most=LIMITS.disk)
    assert not (tmp_path / "whole").exists()
    fits = clone.commit_of(clone.tree(*((f"f{number:03}", blob) for number in range(99))))
    check_out(clone.folder, fits, tmp_path / "fits", most=LIMITS.disk)
    assert len(list((tmp_path / "fits").glob("f*"))) == 99


def test_a_commit_that_takes_git_too_long_is_its_own_fault(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a million patterns of attributes: a machine in trouble would try it again for days."""
    real = repository.run_captured

    def slow(command: Sequence[str], *words: Any, **more: Any) -> Any:
        if "checkout" in command:
            late = subprocess.TimeoutExpired(command, 1)
            raise EnvironmentProblem("git did not finish within 1 s.") from late
        return real(command, *words, **more)

    monkeypatch.setattr(repository, "run_captured", slow)
    commit = clone.commit(GOOD)
    with pytest.raises(BuildFailed, match=r"took more than \d+ s to check out"):
        check_out(clone.folder, commit, tmp_path / "there", most=LIMITS.disk)
    # Of our own commits it is the machine's.
    with pytest.raises(EnvironmentProblem, match="did not finish"):
        check_out(clone.folder, commit, tmp_path / "ours")


def test_a_commit_that_leaves_no_room_for_its_build_is_told(clone: Clone) -> None:
    # Maven rewrites these, so each build has its own: a page each.
    for number in range(60):
        clone.jar.with_name(f"_remote.repositories{number}").write_text("x" * 4096)
    large = clone.blob("x\n" * ((LIMITS.disk - 200 * 1024) // 2))
    commit = clone.commit_of(clone.tree(("build.py", clone.blob(GOOD)), ("z", large)))
    with pytest.raises(BuildFailed, match=r"does not fit into|wrote more to the disk"):
        clone.builder().build(commit, LINE)


def test_a_jar_with_a_damaged_record_is_refused(clone: Clone) -> None:
    program = """
import os, zipfile
os.mkdir("out")
with zipfile.ZipFile("out/a.jar", "w") as jar:
    jar.writestr("META-INF/flink-boost/weave.properties", "flink.version=1")
content = open("out/a.jar", "rb").read()
open("out/a.jar", "wb").write(content.replace(b"version=1", b"version=2"))
"""
    builder = clone.builder(kind="flink-boost", project="flink-boost")
    with pytest.raises(BuildFailed, match=r"a\.jar is damaged"):
        builder.build(clone.commit(program), LINE)
