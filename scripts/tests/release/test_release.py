"""A release as a whole: what was done is kept, and the same commit gives the same bytes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.classes import LOCK
from flink_boost.flink.lines import Line
from flink_boost.operate.carried import BYTE_BUDDY, Carried
from release import __main__ as command
from release import sums
from release.__main__ import Release
from release.tree import names_of

LINES = ("1.20.5", "2.3.0")


def git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(
        ["git", *names, *words], cwd=folder, check=True, timeout=300, capture_output=True
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with as much of the tree as this needs."""
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "CHANGELOG.md").write_text("## [1.0.0]\n\nFirst.\n", encoding="ascii")
    (folder / ".gitignore").write_text(".cache/\nbuild/\ntarget/\n", encoding="ascii")
    for name in ("pom.xml", "lines.toml", LOCK):
        shutil.copy(PROJECT_ROOT / name, folder)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "First")
    text = (PROJECT_ROOT / "pom.xml").read_text(encoding="utf-8")
    version = text.partition("<bytebuddy.version>")[2].partition("<")[0]
    jar = folder / ".cache" / "m2" / BYTE_BUDDY / version / f"byte-buddy-{version}.jar"
    jar.parent.mkdir(parents=True)
    jar.touch()
    return folder


class Doubles:
    """In the place of Maven and pip: they leave files that say for what they are."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.built: list[str] = []
        self.failing = ""
        monkeypatch.setattr(command, "build_line", self.line)
        monkeypatch.setattr(command, "build_wheel", self.wheel)

    def line(self, tree: Path, line: Line, package: Carried, out: Path) -> None:
        if line.version == self.failing:
            raise EnvironmentProblem("Maven could not.")
        self.built.append(line.version)
        version = package.version
        for file in (
            tree / "build" / "jars" / line.dropin_name(version),
            tree / f"flink-patch/target/{line.version}/flink-patch-{version}-verifier.jar",
            tree / f"weaver/target/{line.version}/flink-boost-weaver-{version}.jar",
            *(out / name for name in names_of(line, version)),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(file.name, encoding="ascii")

    def wheel(self, root: Path, lines: list[Line], package: Carried, target: Path) -> Path:
        target.mkdir(exist_ok=True)
        wheel = target / f"flink_boost-{package.version}-py3-none-any.whl"
        wheel.write_text(f"{root.name} {len(lines)}", encoding="ascii")
        return wheel


@pytest.fixture
def doubles(monkeypatch: pytest.MonkeyPatch) -> Doubles:
    monkeypatch.delenv(sums.KEY_FILE, raising=False)
    return Doubles(monkeypatch)


def test_a_release_that_failed_goes_on_where_it_was(root: Path, doubles: Doubles) -> None:
    doubles.failing = "2.3.0"
    release = Release(root, "1.0.0", LINES, distributions=False)
    with pytest.raises(EnvironmentProblem, match="Maven could not"):
        release.make()
    assert not (release.out / sums.SUMS).exists()
    doubles.failing = ""
    Release(root, "1.0.0", LINES, distributions=False).make()
    assert doubles.built == list(LINES)
    there = sorted(path.name for path in release.out.iterdir())
    assert there == sorted([*release.names, sums.SUMS])
    assert not release.tree.exists()
    # And once more: all is there.
    Release(root, "1.0.0", LINES, distributions=False).make()
    assert doubles.built == list(LINES)


def test_a_key_that_is_missing_ends_it_before_anything_is_built(
    root: Path, doubles: Doubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(sums.KEY_FILE, "gone.asc")
    with pytest.raises(EnvironmentProblem, match=r"gone\.asc.*is missing"):
        Release(root, "1.0.0", LINES, distributions=False).make()
    assert doubles.built == []


def test_half_a_signature_and_one_of_other_sums_do_not_stay(
    root: Path, doubles: Doubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of one is what a full disk leaves."""
    release = Release(root, "1.0.0", LINES, distributions=False)
    release.make()
    signed = release.out / sums.SIGNATURE
    signed.write_bytes(b"")
    key = root / ".cache" / "key.asc"
    key.touch()
    monkeypatch.setenv(sums.KEY_FILE, str(key))
    monkeypatch.setattr(sums, "signature", lambda *_: b"by the key")
    release.make()
    assert signed.read_bytes() == b"by the key"
    monkeypatch.delenv(sums.KEY_FILE)
    (release.out / sums.SUMS).unlink()
    release.make()
    assert not signed.exists()


def test_a_line_half_of_which_is_there_is_built_again(root: Path, doubles: Doubles) -> None:
    doubles.failing = "2.3.0"
    release = Release(root, "1.0.0", LINES, distributions=False)
    with pytest.raises(EnvironmentProblem):
        release.make()
    (release.out / "flink-boost-1.20.5-1.0.0.pom").unlink()
    doubles.failing = ""
    release.make()
    assert doubles.built == ["1.20.5", "1.20.5", "2.3.0"]


def test_a_file_that_was_changed_afterwards_is_noticed(root: Path, doubles: Doubles) -> None:
    release = Release(root, "1.0.0", LINES, distributions=False)
    release.make()
    (release.out / "RELEASE-NOTES.md").write_text("other", encoding="ascii")
    with pytest.raises(BrokenData, match=r"is not what SHA256SUMS says"):
        release.make()


def test_another_commit_has_a_folder_of_its_own(root: Path, doubles: Doubles) -> None:
    first = Release(root, "1.0.0", LINES, distributions=False)
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Second")
    second = Release(root, "1.0.0", LINES, distributions=False)
    whole = Release(root, "1.0.0")
    assert len({first.out, second.out, whole.out}) == 3
    assert {"flink-2.3.0-boost.tgz", "flink-2.3.0-boost-replaced.tgz"} <= set(whole.names)


@pytest.mark.test_all
@pytest.mark.timeout(3600)
def test_the_same_commit_gives_the_same_bytes_in_another_folder(tmp_path: Path) -> None:
    written = []
    for name in ("one", "another"):
        folder = tmp_path / name / "checkout"
        folder.parent.mkdir()
        git(tmp_path, "clone", "--quiet", "--shared", str(PROJECT_ROOT), str(folder))
        (folder / ".git" / "info" / "exclude").write_text(".cache\n", encoding="ascii")
        (folder / ".cache").symlink_to(PROJECT_ROOT / ".cache")
        release = Release(folder, __version__, ["2.3.0"], distributions=False)
        release.make()
        written.append((release.out / sums.SUMS).read_text(encoding="ascii"))
    assert written[0].count("\n") == len(release.names)
    assert written[0] == written[1]
