"""``flink-boost line add`` with registries that are folders; the jars are parts of real ones."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest
import tomlkit
from installations import VERSION, everything_in, flink_boost
from own_flinks import classes_around, compiled, entries_of

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import exclusive_lock
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli import known_classes
from flink_boost.cli.commands import line as line_command
from flink_boost.flink.classes import LOCK, ClassLock
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.javatests import PATCHES
from flink_boost.flink.lines import Line, load_lines, read_lock
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.pinned_maven import CHECKSUMS
from flink_boost.flink.releases import Release, load_releases, read_releases
from flink_boost.port.newline import suite as linesuite
from flink_boost.port.newline.line_files import projects_of_tests, with_tests
from flink_boost.port.newline.registries import Artifact
from flink_boost.port.newline.rows import steps_of_release, write
from flink_boost.port.newline.suite import Step
from flink_boost.port.sources.tree import fetch_sources

pytestmark = pytest.mark.test_all

NEW = "2.2.9"
LINES = ("1.9.3", "1.20.5", "2.3.0")
MODEL = load_lines()["2.3.0"]
CONFIG = """\
FLINK_CONF_DIR="$(dirname "$0")/../conf"
YAML_CONF="parallelism.default: 1"
readFromConfig() { echo "$2"; }
constructFlinkClassPath() { echo "{dist}"; }
JAVA_RUN="$JAVA_HOME/bin/java"
FLINK_ENV_JAVA_OPTS="-XX:+IgnoreUnrecognizedVMOptions {opens} --add-exports=a.b/c=ALL-UNNAMED -Dx=y"
"""
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"

# What the class path of Flink's own tests needs and the release did not publish.
MISSING = ("flink-architecture-tests-test", "flink-architecture-tests-base")

# By class the text that is replaced in its source, and by what.
Changes = Mapping[str, tuple[str, str]]


def jar_of_line(artifact: Artifact) -> Path | None:
    """An official jar of a line, with whose class files new ones are compared."""
    if artifact.version not in LINES or (artifact.classifier, artifact.type) != ("", "jar"):
        return None
    jar = CACHE / "m2/org/apache/flink" / artifact.project / artifact.version / artifact.file
    return jar if jar.is_file() else None


@cache
def class_files(version: str) -> dict[str, bytes]:
    """The class files that we patch, out of the official jars."""
    line = load_lines()[version]
    found = {}
    for name in line.jars:
        project = name.removesuffix(f"-{line.version}.jar")
        jar = CACHE / "m2/org/apache/flink" / project / line.version / name
        with zipfile.ZipFile(jar) as archive:
            members = {each.replace(".", "/") + ".class" for each in line.classes}
            found |= {each: archive.read(each) for each in members & set(archive.namelist())}
    return found


@cache
def rebuilt_classes(folder: Path, changes: tuple[tuple[str, str, str], ...]) -> dict[str, bytes]:
    """The default line's, compiled anew without numbers of lines, with these changes."""
    texts = {name: (old, new) for name, old, new in changes}
    place = folder / str(abs(hash(changes)))
    return entries_of(compiled(place, MODEL.classes, changes=texts))


def write_jar(path: Path, content: Mapping[str, bytes | str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # It may be a link into the real cache.
    path.unlink(missing_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in content.items():
            jar.writestr(name, data)
    return path


@dataclass
class Shelf:
    """Registries that are a folder: what lies there is published."""

    cache: Path
    made: Path
    artifacts: dict[Artifact, Path] = field(default_factory=dict)
    packages: dict[str, Path] = field(default_factory=dict)
    wheels: dict[str, bool] = field(
        default_factory=lambda: {"apache-flink": True, "apache-flink-libraries": False}
    )

    def releases(self, project: str) -> tuple[str, ...]:
        return (
            *("0.9.0-milestone-1", "2.0-preview1", "1.9.3", "2.3.0"),
            *sorted({each.version for each in self.artifacts if each.project == project}),
        )

    def fetch(self, artifacts: Iterable[Artifact]) -> dict[Artifact, Path]:
        found = {each: self.artifacts.get(each) or jar_of_line(each) for each in artifacts}
        return {each: path for each, path in found.items() if path is not None}

    def files(self, project: str) -> list[IndexFile]:
        path = self.packages.get(project)
        return [] if path is None else [IndexFile(path.name, "", "0" * 64)]

    def package(self, project: str, version: str, wheel: bool) -> Path | None:
        assert version in str(self.packages)
        return self.packages.get(project) if wheel == self.wheels[project] else None

    def publish(
        self,
        *,
        version: str = NEW,
        model: str = MODEL.version,
        changes: Changes | None = None,
    ) -> None:
        """A release whose code is that of a line; with ``changes`` it was compiled anew."""
        binary = class_files(model)
        if changes is not None:
            listed = tuple((name, *words) for name, words in changes.items())
            binary = rebuilt_classes(self.made, listed)
        for project in ("flink-core", "flink-runtime"):
            runtime = project == "flink-runtime"
            members = {n: data for n, data in binary.items() if ("runtime" in n) == runtime}
            for classifier, content in (("", members), ("sources", {})):
                artifact = Artifact(project, version, classifier)
                path = self.cache / artifact.folder / artifact.file
                self.artifacts[artifact] = write_jar(path, content)
        for project in projects_of_tests(PROJECT_ROOT, MODEL.version):
            if project not in MISSING:
                pom = Artifact(project, version, type="pom")
                self.artifacts[pom] = self.cache / pom.folder / pom.file
        example = Artifact("flink-examples-streaming", "2.3.0", "WordCount")
        path = self.cache / example.folder / example.file
        self.artifacts[example] = write_jar(path, {"job": ""})
        for project in ("apache-flink", "apache-flink-libraries"):
            file = self.cache / "downloads" / f"{project}-{version}.whl"
            # What is compared has to have all that our patches link to.
            compared = changes is not None or model != MODEL.version
            around = {**classes_around(load_lines()[model]), **binary} if compared else {}
            self.packages[project] = write_jar(file, distribution(version, around))


def distribution(
    version: str, classes: Mapping[str, bytes] = MappingProxyType({}), opens: str = OPENS
) -> dict[str, bytes | str]:
    """The least that Flink's own scripts are; all else is where the default line has it."""
    (dist,) = (ensure_distribution(MODEL) / "lib").glob("flink-dist*.jar")
    return {
        "pyflink/bin/config.sh": CONFIG.replace("{opens}", opens).replace("{dist}", str(dist)),
        "pyflink/bin/flink": "exec $JAVA_RUN $FLINK_ENV_JAVA_OPTS\n",
        "pyflink/conf/config.yaml": "",
        f"pyflink/lib/flink-dist-{version}.jar": dist_jar(version, classes),
        "pyflink/opt/empty": "",
        "pyflink/plugins/empty": "",
    }


def dist_jar(version: str, classes: Mapping[str, bytes]) -> bytes:
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Implementation-Version: {version}\r\n")
        for name, code in classes.items():
            archive.writestr(name, code)
    return jar.getvalue()


def write_lines(path: Path, *kept: str) -> None:
    """The project's file with these lines only."""
    document = tomlkit.parse((PROJECT_ROOT / "lines.toml").read_text(encoding="utf-8"))
    for version in set(document["lines"]) - set(kept):
        del document["lines"][version]
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The parts of a source tree that the command reads and writes."""
    root = tmp_path / "tree"
    for name in ("benchmarks/src/line", "scripts/flink-tests"):
        shutil.copytree(PROJECT_ROOT / name, root / name)
    for module in PATCHES:
        name = f"{module}/src/main"
        shutil.copytree(PROJECT_ROOT / name, root / name)
    # Whatever lines were added since these tests were written.
    write_lines(root / "lines.toml", *LINES)
    known = load_releases()
    kept = {name: each for name, each in known.releases.items() if each.classes == MODEL.version}
    lock = ClassLock({})
    for version in LINES:
        lock = lock.having(version, load_lines()[version].classes)
    write(root / "releases.toml", replace(known, releases=kept, lock=lock))
    for line in load_lines().values():
        for pin in line.sources:
            place = root / ".cache" / "sources" / pin.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(fetch_sources(pin, CACHE))
    # What the weaver needs, which compares.
    (root / ".cache" / "m2").symlink_to(CACHE / "m2")
    (root / "build").mkdir()
    for name in ("build/jars", "weaver", "pom.xml"):
        (root / name).symlink_to(PROJECT_ROOT / name)
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where classes are compiled."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def shelf(tree: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """What the command finds published."""
    shelf = Shelf(tree / ".cache", made)
    monkeypatch.setattr(line_command, "Registries", lambda _cache: shelf)
    return shelf


def lines_of(tree: Path) -> dict[str, Line]:
    # Every call of the command is a process of its own, which reads the file anew.
    load_lines.cache_clear()
    return load_lines(tree / "lines.toml")


def add(tree: Path, *arguments: str, own_line: bool = True) -> int:
    load_lines.cache_clear()
    load_releases.cache_clear()
    called = (*arguments, "--own-line") if own_line else arguments
    return flink_boost("--build", tree.parent / "build", "line", "add", "--tree", tree, *called)


def project_files(tree: Path) -> dict[str, str]:
    left = (".cache", "build")
    found = everything_in(tree).items()
    return {path: what for path, what in found if path.partition("/")[0] not in left}


VALUE = "org.apache.flink.types.StringValue"
READ = "public static String readString(DataInput in) throws IOException {"
OTHER_BODY = {VALUE: (READ, f"{READ} if (in == null) return null;")}
BESIDE = {VALUE: ("public int hashCode() {", "public int hashCode() { if (true) return 7;")}


def test_a_release_is_added_switched_off(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    assert add(tree, NEW, "--untested") == 0
    shown = capsys.readouterr().out
    assert shown.count("does what the class file of Flink 2.3.0 does") == len(MODEL.classes)
    assert f"Flink {NEW} is in, after 0 min" in shown
    assert "It is switched off. Next: set enabled = true" in shown
    lines = lines_of(tree)
    line = lines[NEW]
    assert list(lines) == ["1.9.3", "1.20.5", NEW, "2.3.0"]
    assert not line.enabled
    assert (line.artifact_suffix, line.jdks) == ("", MODEL.jdks)
    assert line.classes == MODEL.classes
    assert list(line.classes) == list(MODEL.classes)
    assert line.jvm_options == (OPENS, "--add-exports=a.b/c=ALL-UNNAMED")
    assert list(line.jars) == [f"flink-core-{NEW}.jar", f"flink-runtime-{NEW}.jar"]
    assert [pin.project for pin in line.sources] == ["flink-core", "flink-runtime"]
    assert [pin.project for pin in line.distribution] == ["apache-flink", "apache-flink-libraries"]
    assert line.examples["WordCount"].version == "2.3.0"
    assert "has example jobs there is 2.3.0." in (tree / "lines.toml").read_text(encoding="utf-8")
    assert line.nearest == {"avro": "2.3.0", "table": "2.3.0"}
    assert (tree / "benchmarks/src/line" / NEW).is_dir()
    pom = (tree / f"scripts/flink-tests/flink-{NEW}.xml").read_text(encoding="utf-8")
    for project in MISSING:
        assert re.search(rf"{project}</artifactId>\s*<version>2\.3\.0<", pom)
    assert pom.count("<version>2.3.0<") == len(MISSING)
    assert re.search(rf"flink-core</artifactId>\s*<version>{NEW}<", pom)


def release_of(tree: Path, version: str) -> Release | None:
    load_releases.cache_clear()
    return load_releases(tree / "releases.toml").releases.get(version)


def test_a_release_with_the_classes_of_a_line_gets_a_row_and_is_tested(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    has_its_row = f"grep -q '{NEW}' releases.toml && echo '[1/9] {NEW}-jdk17-codec: 671 passed'"
    step = Step(f"tests on Flink {NEW}", ("sh", "-c", has_its_row), "test-releases.log")
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: [step])
    assert add(tree, NEW, "--json", own_line=False) == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert (answer["state"], answer["nearest"]) == ("row added", "2.3.0")
    assert f"Flink {NEW} has the class files of Flink 2.3.0, or such as do the same" in shown.err
    assert f"tests on Flink {NEW}: passed in 0 min 00 s, 671 tests" in shown.err
    assert f"Flink {NEW} is in, after 0 min" in shown.err
    after = project_files(tree)
    assert {path for path in after if after[path] != before.get(path)} == {"releases.toml", LOCK}
    release = release_of(tree, NEW)
    assert release is not None
    assert (release.classes, release.jdks) == ("2.3.0", (11, 17, 21))
    assert list(release.jars) == [f"flink-core-{NEW}.jar", f"flink-runtime-{NEW}.jar"]
    assert release_of(tree, "2.3.0") == load_releases().releases["2.3.0"]


def test_what_fails_on_a_release_with_known_classes_is_told_and_nothing_is_entered_as_passed(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    failed = f"echo 'Failed: {NEW}-jdk17-codec. Logs: build/releases.'; exit 1"
    steps = [
        Step("tests", ("sh", "-c", failed), "test-releases.log"),
        Step("what passed", ("sh", "-c", "touch entered"), "record.log"),
    ]
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: steps)
    assert add(tree, NEW, own_line=False) == 7
    assert f"tests failed (Failed: {NEW}-jdk17-codec. Logs: build" in capsys.readouterr().err
    release = release_of(tree, NEW)
    assert release is not None
    assert not release.tested
    assert not (tree / "entered").exists()


def test_what_others_enter_while_a_release_is_looked_at_stays(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.publish()
    file = tree / "releases.toml"
    day = date(2030, 1, 2)

    def files(project: str) -> list[IndexFile]:
        known = read_releases(file)
        passed = replace(known.releases["2.3.0"], tested={"codec, JDK 17": day})
        write(file, replace(known, releases={**known.releases, "2.3.0": passed}))
        return Shelf.files(shelf, project)

    monkeypatch.setattr(shelf, "files", files)
    assert add(tree, NEW, "--untested", own_line=False) == 0
    assert read_releases(file).releases["2.3.0"].tested == {"codec, JDK 17": day}
    assert NEW in read_releases(file).releases


def test_a_release_that_has_its_row_is_tested_anew_and_keeps_what_passed(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    assert add(tree, NEW, "--untested", own_line=False) == 0
    known = read_releases(tree / "releases.toml")
    day = known.releases[NEW].looked_at
    passed = replace(known.releases[NEW], tested={"codec, JDK 17": day})
    write(tree / "releases.toml", replace(known, releases={**known.releases, NEW: passed}))
    load_releases.cache_clear()
    capsys.readouterr()
    assert add(tree, NEW, "--dry-run", own_line=False) == 0
    assert "releases.toml has its row already, only its tests would run" in capsys.readouterr().out
    step = Step("tests", ("sh", "-c", "exit 1"), "test-releases.log")
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: [step])
    assert add(tree, NEW, own_line=False) == 7
    assert read_releases(tree / "releases.toml").releases[NEW] == passed


def test_of_example_jobs_a_newer_one_is_taken_only_where_all_are_newer(
    tree: Path, shelf: Shelf
) -> None:
    shelf.publish()
    for version in ("2.1.0", "2.3.0"):
        example = Artifact("flink-examples-streaming", version, "WordCount")
        path = shelf.cache / example.folder / example.file
        shelf.artifacts[example] = write_jar(path, {"job": ""})
    assert add(tree, NEW, "--untested") == 0
    assert lines_of(tree)[NEW].examples["WordCount"].version == "2.1.0"


def test_the_steps_of_a_release_build_test_it_alone_and_enter_what_passed() -> None:
    build, tests, record = steps_of_release(NEW)
    assert build.command == ("make", "jars")
    assert tests.command[1:] == ("-m", "flink_boost.port.everyrelease", "--only", NEW)
    assert record.command[1:] == (*tests.command[1:], "--record")


@pytest.mark.parametrize("option", ["--only-jar", "--skip-flink-tests"])
def test_what_is_for_a_line_is_refused_where_none_is_needed(
    option: str, tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    assert add(tree, NEW, option, own_line=False) == 2
    assert f"{option} is for one. Leave {option} out, or add --own-line." in capsys.readouterr().err
    assert project_files(tree) == before


def test_nothing_is_built_under_tests_of_releases_that_run(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    monkeypatch.setattr(known_classes, "steps_of_release", lambda _: pytest.fail("it goes on"))
    with exclusive_lock(tree / "build" / "releases" / ".lock", "make test-releases"):
        before = project_files(tree)
        assert add(tree, NEW, own_line=False) == 4
        assert "Another make test-releases (pid" in capsys.readouterr().err
        assert project_files(tree) == before


def test_a_dry_run_shows_the_row_and_untested_adds_it_alone(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    assert add(tree, NEW, "--dry-run", own_line=False) == 0
    shown = capsys.readouterr().out
    assert f'[releases."{NEW}"]\nclasses = "2.3.0"\n' in shown
    assert "[releases." not in shown.partition(f'[releases."{NEW}".distribution]')[2]
    assert f"Next: `flink-boost line add {NEW}`." in shown
    assert project_files(tree) == before
    assert add(tree, NEW, "--untested", own_line=False) == 0
    shown = capsys.readouterr().out
    assert f"Next: `make test-releases ONLY={NEW}`" in shown
    assert shown.count("Next:") == 1
    release = release_of(tree, NEW)
    assert release is not None
    assert not release.tested


def test_adding_it_twice_says_so_and_changes_nothing(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    assert add(tree, NEW, "--untested") == 0
    before = project_files(tree)
    capsys.readouterr()
    assert add(tree, NEW) == 0
    assert f"names Flink {NEW} already, switched off; nothing was" in capsys.readouterr().out
    assert add(tree, "2.3.0") == 0
    assert "names Flink 2.3.0 already, switched on" in capsys.readouterr().out
    assert project_files(tree) == before


def test_a_dry_run_shows_the_line_and_changes_nothing(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    assert add(tree, NEW, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert f'\n[lines."{NEW}"]\nenabled = true\n' in shown
    assert f"Next: `flink-boost line add {NEW}`." in shown
    assert project_files(tree) == before


@pytest.mark.parametrize(("changes", "other"), [({}, 0), (BESIDE, 1)])
def test_rebuilt_classes_that_do_the_same_for_our_patches_are_known(
    changes: Changes, other: int, tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish(changes=changes)
    assert add(tree, NEW, "--untested") == 0
    told = capsys.readouterr().out
    same = len(MODEL.classes) - other
    assert told.count("does what the class file of Flink 2.3.0 does") == same
    assert told.count("what we depend on is as in Flink 2.3.0") == other
    line = lines_of(tree)[NEW]
    assert not set(line.classes.values()) & set(MODEL.classes.values())
    taken = [MODEL.version in own for own in equal_releases(tree, line)]
    assert taken.count(True) == same


def equal_releases(tree: Path, line: Line) -> list[set[str]]:
    """The releases whose files do what the line's do, a set for each class."""
    lock = read_lock(tree / LOCK)
    return [
        {
            release
            for group in lock.groups[name]
            if checksum in group
            for releases in group.values()
            for release in releases
        }
        for name, checksum in line.classes.items()
    ]


def test_a_release_compiled_anew_gets_a_row_as_the_jar_of_the_line_fits(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish(changes={})
    assert add(tree, NEW, "--untested", own_line=False) == 0
    assert "or such as do the same, so that its jar fits" in capsys.readouterr().out
    release = release_of(tree, NEW)
    assert release is not None
    assert release.classes == MODEL.version
    assert NEW not in lines_of(tree)
    found = read_lock(tree / LOCK).of(NEW)
    assert all(found[name] in lines_of(tree)["2.3.0"].equal[name] for name in MODEL.classes)
    assert not set(found.values()) & set(MODEL.classes.values())


def test_a_changed_method_is_named_and_only_taken_when_accepted(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish(changes=OTHER_BODY)
    before = project_files(tree)
    assert add(tree, NEW, "--untested") == 7
    shown = capsys.readouterr()
    changed = f"Flink {NEW} changed what our patches depend on: (compared with Flink 2.3.0) "
    sentence = "readString(java.io.DataInput)java.lang.String, instruction 2 is `ifnonnull L0`, exp"
    assert f"{changed}StringValue: {sentence}" in shown.err
    assert "--accept-changes" in shown.err
    assert f"StringValue: not as in Flink 2.3.0: {sentence}" in shown.out
    assert project_files(tree) == before
    assert add(tree, NEW, "--untested", "--accept-changes", "--json") == 0
    (value,) = [
        each for each in json.loads(capsys.readouterr().out)["classes"] if each["name"] == VALUE
    ]
    assert (value["like"], value["same_file"], value["known"]) == ("2.3.0", False, False)
    assert value["differences"][0].startswith(sentence)
    assert NEW in lines_of(tree)


def test_what_no_patch_fits_is_not_accepted(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(tree / "lines.toml", "1.9.3")
    shelf.publish(version="1.20.5", model="1.20.5")
    before = project_files(tree)
    assert add(tree, "1.20.5", "--untested", "--accept-changes") == 7
    shown = capsys.readouterr()
    assert "Our patches do not fit Flink 1.20.5: (compared with Flink 1.9.3) " in shown.err
    assert "it is not in flink-dist-1.20.5.jar" in shown.err
    assert project_files(tree) == before


def test_a_class_path_of_flinks_tests_that_is_not_complete_is_told_first(
    tree: Path, shelf: Shelf
) -> None:
    shelf.publish()
    tests = tree / "scripts/flink-tests/flink-tests.toml"
    tests.write_text(with_tests(tests.read_text("utf-8"), NEW, MODEL.version), encoding="utf-8")
    with pytest.raises(EnvironmentProblem) as caught:
        line_command._require_class_path(replace(MODEL, version=NEW), tree)
    assert f"flink-{NEW}.xml is missing" in caught.value.message
    assert f"into scripts/flink-tests/flink-{NEW}.xml, which is kept" in caught.value.next_step
    assert "--skip-flink-tests" in caught.value.next_step


UNRECORDED = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>class-path</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.opentest4j</groupId><artifactId>opentest4j</artifactId><version>1.2.0</version>
  </dependency></dependencies>
  <profiles><profile><id>core</id></profile></profiles>
</project>
"""


def test_a_class_path_of_which_no_checksum_is_recorded_yet_is_taken(tree: Path) -> None:
    tests = tree / "scripts/flink-tests"
    catalogue = tests / "flink-tests.toml"
    catalogue.write_text(with_tests(catalogue.read_text("utf-8"), NEW, MODEL.version), "utf-8")
    (tests / f"flink-{NEW}.xml").write_text(UNRECORDED, encoding="utf-8")
    assert "opentest4j-1.2.0" not in (CHECKSUMS / "checksums.sha256").read_text("utf-8")
    # Maven has fetched it; that it is no Flink comes afterwards.
    with pytest.raises(BrokenData, match=f"flink-core-{NEW}.jar is not on the class path"):
        line_command._require_class_path(replace(MODEL, version=NEW), tree)


def run_suite_of(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step in place of Maven's, in the copy of the tree."""
    step = Step("tests on JDK 17", ("sh", "-c", script), "jdk-17.log")
    monkeypatch.setattr(line_command, "steps_of", lambda *_: [step])
    monkeypatch.setattr(linesuite, "_FOLDERS", ("benchmarks", "flink-core-patch", "scripts"))
    monkeypatch.setattr(linesuite, "_FILES", ("lines.toml", LOCK))


def test_what_passed_the_suite_is_switched_on(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    jar = f"flink-boost-{NEW}-{VERSION}.jar"
    has_it_already = f"grep -q '{NEW}.*jars' lines.toml && test -d benchmarks/src/line/{NEW}"
    run_suite_of(f"{has_it_already} && mkdir -p build/jars && touch build/jars/{jar}", monkeypatch)
    assert add(tree, NEW, "--skip-flink-tests") == 0
    shown = capsys.readouterr().out
    assert "tests on JDK 17: passed in 0 min" in shown
    assert f"Next: run `make checksums`, read `git diff`, run `make test LINE={NEW}`" in shown
    assert lines_of(tree)[NEW].enabled
    logs = tree.parent / "build" / "line-add" / NEW
    assert sorted(path.name for path in logs.iterdir()) == [jar, "jdk-17.log"]


def test_what_failed_the_suite_is_not_added(
    tree: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    before = project_files(tree)
    run_suite_of("echo '[ERROR]   AllocationTest.reads:12 expected 1'; exit 1", monkeypatch)
    assert add(tree, NEW, "--skip-flink-tests") == 7
    assert "tests on JDK 17 failed (AllocationTest.reads:12 expected 1)" in capsys.readouterr().err
    assert project_files(tree) == before


@pytest.mark.parametrize(
    ("version", "code", "sentence"),
    [
        ("2.2", 2, "'2.2' is not a Flink release"),
        ("9.9.9", 2, f"no Flink 9.9.9. The nearest releases are 1.9.3, {NEW}, 2.3.0."),
    ],
)
def test_a_release_that_does_not_exist_is_refused(
    version: str, code: int, sentence: str, tree: Path, shelf: Shelf,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shelf.publish()
    assert add(tree, version) == code
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("flink-runtime", f"no flink-runtime of Flink {NEW}"),
        ("sources", f"no flink-core-{NEW}-sources.jar, flink-runtime-{NEW}-sources.jar"),
        ("apache-flink", f"PyPI has no apache-flink {NEW}"),
    ],
)
def test_a_release_of_which_a_part_is_not_published_is_refused(
    missing: str, sentence: str, tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    shelf.packages.pop(missing, None)
    for artifact in list(shelf.artifacts):
        if missing in (artifact.project, artifact.classifier):
            del shelf.artifacts[artifact]
    before = project_files(tree)
    assert add(tree, NEW, "--untested") == 4
    assert sentence in capsys.readouterr().err
    assert project_files(tree) == before


def test_jdks_that_cannot_run_the_release_are_left_out(
    tree: Path, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.publish()
    wheel = shelf.cache / "downloads" / f"apache-flink-{NEW}.whl"
    write_jar(wheel, distribution(NEW, opens=""))
    other = shelf.cache / "downloads" / f"apache-flink-libraries-{NEW}.whl"
    write_jar(other, distribution(NEW, opens=""))
    assert add(tree, NEW, "--untested") == 2
    assert "its configuration does not open java.lang" in capsys.readouterr().err
