"""The real Maven on private copies of the repository folder: what is not recorded stops it."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.line_build import line_arguments
from flink_boost.flink.lines import find_line
from flink_boost.flink.maven import jdk_arguments, maven_arguments
from flink_boost.flink.pinned_maven import (
    CHECKSUMS,
    MODE_VARIABLE,
    PIN,
    ensure_maven,
    maven_command,
)

RECORD = "checksums.sha256"
PLUGIN = "org/apache/maven/plugins/maven-dependency-plugin/3.8.1/maven-dependency-plugin-3.8.1.jar"
GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
POM = """\
<project><modelVersion>4.0.0</modelVersion><groupId>acme</groupId><artifactId>part</artifactId>
<version>1</version><packaging>pom</packaging><dependencies><dependency>
<groupId>info.picocli</groupId><artifactId>picocli</artifactId><version>VERSION</version>
</dependency></dependencies></project>
"""


def recorded() -> dict[str, str]:
    """SHA-256 of each recorded file, by its path in a repository."""
    rows = (CHECKSUMS / RECORD).read_text(encoding="utf-8").splitlines()
    return {path: checksum for checksum, path in (row.split(maxsplit=1) for row in rows)}


JAR = next(path for path in recorded() if re.search(r"/picocli-[\d.]+\.jar$", path))
VERSION = Path(JAR).parent.name


@dataclasses.dataclass(frozen=True)
class Build:
    """A small project, with a repository folder and a record of its own."""

    folder: Path

    @property
    def repository(self) -> Path:
        return self.folder / "m2"

    @property
    def record(self) -> Path:
        return self.folder / "checksums" / RECORD

    def run(self, mode: str = "verify") -> subprocess.CompletedProcess[str]:
        command = maven_command(self.folder, mode=mode, checksums=self.record.parent)
        return subprocess.run(
            [*command, "--offline", "-f", str(self.folder / "pom.xml"), GOAL],
            env={**os.environ, "MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=200,
            check=False,
        )

    def change(self, path: str) -> None:
        """One byte more, in a file of its own: what is linked belongs to the cache."""
        file = self.repository / path
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(content + b"\n")

    def forget(self, path: str) -> None:
        rows = self.record.read_text(encoding="utf-8").splitlines(keepends=True)
        left = [row for row in rows if not row.rstrip().endswith(f" {path}")]
        assert len(left) == len(rows) - 1
        self.record.write_text("".join(left), encoding="utf-8")


@pytest.fixture
def build(tmp_path: Path) -> Build:
    build = Build(tmp_path)
    # Of the cache only what is recorded.
    for path in recorded():
        kept = CACHE / "m2" / path
        if kept.is_file() and "/flink/" not in path:
            target = build.repository / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(kept, target) if path == JAR else os.link(kept, target)
    build.record.parent.mkdir()
    shutil.copy(CHECKSUMS / RECORD, build.record)
    (tmp_path / "pom.xml").write_text(POM.replace("VERSION", VERSION), encoding="utf-8")
    return build


def test_what_is_recorded_builds(build: Build) -> None:
    done = build.run()
    assert done.returncode == 0, done.stdout
    assert "picocli" in done.stdout


@pytest.mark.parametrize(
    "path", [JAR, PLUGIN, pytest.param(PLUGIN.replace(".jar", ".pom"), marks=pytest.mark.test_all)]
)
@pytest.mark.parametrize("mode", ["verify", pytest.param("known", marks=pytest.mark.test_all)])
def test_a_changed_file_stops_the_build(build: Build, path: str, mode: str) -> None:
    """A jar, a plugin, a plugin's POM."""
    build.change(path)
    done = build.run(mode)
    assert done.returncode != 0
    name = path.split("/")[-3]
    assert re.search(rf"ERROR.*\b{name}:\w+:[\d.]+ trusted checksum mismatch", done.stdout)
    assert recorded()[path] in done.stdout


@pytest.mark.parametrize("path", [JAR, PLUGIN])
@pytest.mark.test_all
def test_a_file_without_a_record_stops_the_build(build: Build, path: str) -> None:
    build.forget(path)
    done = build.run()
    assert done.returncode != 0
    name = path.split("/")[-3]
    assert re.search(rf"ERROR.*Missing from .*trusted checksum.*\b{name}:jar", done.stdout)
    # A release that is being added brings files that are not recorded.
    assert build.run("known").returncode == 0


@pytest.mark.test_all
def test_recording_adds_what_was_missing_and_nothing_else(build: Build) -> None:
    build.forget(JAR)
    assert build.run("record").returncode == 0
    assert sorted(build.record.read_text().splitlines()) == sorted(
        f"{checksum}  {path}" for path, checksum in recorded().items()
    )


def test_the_record_is_of_what_is_in_the_cache() -> None:
    found = recorded()
    assert all(re.fullmatch("[0-9a-f]{64}", checksum) for checksum in found.values())
    assert found[JAR] == hashlib.sha256((CACHE / "m2" / JAR).read_bytes()).hexdigest()
    # The goal that fetches single jars checks only what is recorded: its plugin has to be.
    copier = "org/apache/maven/plugins/maven-dependency-plugin/2.10/maven-dependency-plugin-2.10"
    assert {f"{copier}.jar", f"{copier}.pom"} <= set(found)


def test_what_is_built_here_is_in_no_record_and_nothing_else_is_exempt() -> None:
    """Maven checks no snapshots: our own modules are the only ones."""
    assert not [path for path in recorded() if "flinkboost" in path or "SNAPSHOT" in path]
    poms = [PROJECT_ROOT / "pom.xml", *PROJECT_ROOT.glob("*/pom.xml")]
    poms += (PROJECT_ROOT / "scripts" / "flink-tests").glob("*.xml")
    for pom in poms:
        text = pom.read_text(encoding="utf-8")
        assert text.count("-SNAPSHOT") == text.count("<version>local-SNAPSHOT</version>") <= 1, pom


def test_every_call_of_maven_goes_through_the_check() -> None:
    for name in ("Makefile", "scripts/record-checksums", ".ci/run"):
        text = (PROJECT_ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"(?m)^(?!\s*#).*(?<![/\w-])mvn\s", text), name
    sources = [
        path
        for path in (PROJECT_ROOT / "scripts" / "flink_boost").rglob("*.py")
        if re.search(r"""["']mvn["']""", path.read_text(encoding="utf-8"))
    ]
    # recipe.py: a checkout of Flink is built by Maven with POMs of its own.
    assert {path.name for path in sources} == {"pinned_maven.py", "recipe.py"}


def test_what_records_checksums_knows_the_goals_of_the_modules_that_it_names() -> None:
    script = PROJECT_ROOT / "scripts" / "record-checksums"
    # What stands before its first call of Maven; without a goal it ends there.
    begin, _, _ = script.read_text(encoding="utf-8").partition("# The old record stays")
    told = f'{begin}\necho "$class_path_goal $copy_goal"'
    said = run_captured(["sh", "-euc", told, str(script)], 60.0)
    assert said.returncode == 0, said.stdout
    goals = said.stdout.split()
    assert [goal.rpartition(":")[2] for goal in goals] == ["build-classpath", "copy"]


def test_a_line_a_jdk_and_a_mode_are_turned_into_mavens_arguments() -> None:
    line = find_line("1.20.5")
    home = Path("/some jdk")
    opened = jdk_arguments(line, 11, "opened", lambda _: home)
    assert line_arguments(["-q", "verify"]) == ["-q", "verify"]
    assert line_arguments(["--line", "1.20.5", "verify"]) == [*maven_arguments(line), "verify"]
    asked = ["--line", "1.20.5", "--jdk", "11", "verify", "--jdk"]
    assert line_arguments(asked, lambda _: home) == [
        *maven_arguments(line),
        *opened,
        "verify",
        "--jdk",
    ]
    of_first = line_arguments(["--line", "1.20.5", "--mode", "words"], lambda jdk: Path(f"/{jdk}"))
    assert "-Dtest.jvm=/11/bin/java" in of_first
    assert "-Dflink.boost.access=words" in of_first[-1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--line",), "--line lacks its value"),
        (("--line", "1.0.0"), "no Flink line '1.0.0'"),
        (("--line", "1.9.3", "--jdk", "17"), "1.9.3 does not run on JDK 17"),
        (("--jdk", "new", "verify"), "--jdk is 'new'. Give a number"),
        (("--mode", "closed", "verify"), "no mode 'closed'"),
    ],
)
def test_what_no_line_has_is_refused_without_a_traceback(
    arguments: tuple[str, ...], complaint: str
) -> None:
    done = subprocess.run(
        [PROJECT_ROOT / "scripts" / "mvn", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_unknown_mode_is_not_taken_for_none() -> None:
    with pytest.raises(UsageProblem, match="FLINK_BOOST_CHECKSUMS is 'off'"):
        maven_command(environment={MODE_VARIABLE: "off"})
    strict = maven_command(environment={})
    assert any(option.endswith("failIfMissing=true") for option in strict)
    assert any(option.endswith("record=false") for option in strict)


# --- the pinned Maven itself ----------------------------------------------------------------------


def archive_of(program: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text, mode in (
            ("bin/mvn", program, 0o755),
            ("lib/part.jar", "jar", 0o644),
            ("../../outside", "must not be written", 0o644),
        ):
            member = tarfile.TarInfo(f"apache-maven-{PIN.version}/{name}")
            member.size, member.mode = len(text), mode
            archive.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


@pytest.fixture
def central(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A repository with a Maven of its own, which the machine's Maven takes for its mirror."""
    content = archive_of("#!/bin/sh\necho I am Maven\n")
    folder = tmp_path / "central" / "org" / "apache" / "maven" / PIN.project / PIN.version
    folder.mkdir(parents=True)
    (folder / PIN.file).write_bytes(content)
    sha1 = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    (folder / f"{PIN.file}.sha1").write_text(sha1, encoding="ascii")
    settings = tmp_path / "home" / ".m2" / "settings.xml"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        "<settings><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf>"
        f"<url>{(tmp_path / 'central').as_uri()}</url></mirror></mirrors></settings>",
        encoding="utf-8",
    )
    monkeypatch.setenv("MAVEN_OPTS", f"-Duser.home={tmp_path / 'home'}")
    return content


@pytest.mark.test_all
def test_maven_is_fetched_with_the_settings_of_the_machine(central: bytes, tmp_path: Path) -> None:
    pin = dataclasses.replace(PIN, sha256=hashlib.sha256(central).hexdigest())
    cache = tmp_path / "cache"

    program = ensure_maven(cache, pin)

    assert subprocess.check_output([program], text=True, timeout=60) == "I am Maven\n"
    assert (cache / f"apache-maven-{PIN.version}" / "lib" / "part.jar").is_file()
    assert not list(tmp_path.rglob("outside"))
    assert sorted(path.name for path in cache.iterdir()) == [program.parents[1].name, "downloads"]
    assert [path.name for path in (cache / "downloads").iterdir()] == [PIN.file]


@pytest.mark.test_all
def test_another_maven_than_the_pinned_one_is_refused(central: bytes, tmp_path: Path) -> None:
    assert hashlib.sha256(central).hexdigest() != PIN.sha256
    with pytest.raises(BrokenData, match=f"instead of the pinned {PIN.sha256}"):
        ensure_maven(tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("mvn"))


def test_what_is_recorded_does_not_touch_the_record_that_builds_are_held_to() -> None:
    record = maven_command(environment={MODE_VARIABLE: "record"})
    verify = maven_command(environment={})
    bases = [next(word for word in each if ".basedir=" in word) for each in (record, verify)]
    assert bases[0].endswith("=" + str(PROJECT_ROOT / "build" / "checksums" / "new"))
    assert bases[1].endswith(f"={CHECKSUMS}")
