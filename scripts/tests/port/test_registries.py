"""Maven Central as the real Maven sees it, with a folder for the registry."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.flink.downloads import CACHE
from flink_boost.port.newline.registries import Artifact, Registries

# Maven starts seven times, which takes long on a machine that is busy.
pytestmark = pytest.mark.test_all

CORE = Artifact("flink-core", "7.0.0")
SOURCES = Artifact("flink-core", "7.0.0", "sources")
NOT_THERE = Artifact("flink-core", "7.0.0", "WordCount")
POM = """\
<project><modelVersion>4.0.0</modelVersion><groupId>org.apache.flink</groupId>
<artifactId>flink-core</artifactId><version>7.0.0</version></project>
"""
METADATA = """\
<metadata><groupId>org.apache.flink</groupId><artifactId>flink-core</artifactId>
<versioning><latest>7.0.0</latest><release>7.0.0</release>
<versions><version>6.9.9</version><version>7.0-preview1</version><version>7.0.0</version></versions>
</versioning></metadata>
"""
SETTINGS = """\
<settings><mirrors><mirror><id>central</id><mirrorOf>*</mirrorOf><url>{url}</url></mirror></mirrors>
</settings>
"""


@pytest.fixture(autouse=True)
def quick_maven(monkeypatch: pytest.MonkeyPatch) -> None:
    # Runs of a second or two, for which the second compiler is work for nothing.
    monkeypatch.setenv("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def publish(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    checksum = hashlib.sha1(content.encode(), usedforsecurity=False).hexdigest()
    path.with_name(f"{path.name}.sha1").write_text(checksum, encoding="ascii")


@pytest.fixture(scope="module")
def central(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Maven repository with one release of flink-core."""
    folder = tmp_path_factory.mktemp("central") / "org/apache/flink/flink-core"
    publish(folder / "maven-metadata.xml", METADATA)
    publish(folder / "7.0.0" / "flink-core-7.0.0.pom", POM)
    publish(folder / "7.0.0" / CORE.file, "the jar")
    publish(folder / "7.0.0" / SOURCES.file, "the sources")
    return folder.parents[3]


@pytest.fixture(scope="module")
def real_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with Maven's plugins, which are the real ones, and nothing of Flink."""
    # Also fetches the plugin where nothing has done so yet.
    Registries(CACHE).fetch([Artifact("flink-core", "2.3.0")])
    cache = tmp_path_factory.mktemp("cache")
    ignored = shutil.ignore_patterns("flink", "resolver-status.properties")
    shutil.copytree(CACHE / "m2", cache / "m2", copy_function=_linked, ignore=ignored)
    return cache


def _linked(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)
    return target


def registries(cache: Path, central: Path, folder: Path) -> Registries:
    settings = folder / "settings.xml"
    settings.write_text(SETTINGS.format(url=central.as_uri()), encoding="utf-8")
    # What is in the cache counts, wherever it came from.
    return Registries(cache, ("-s", str(settings), "-Dmaven.legacyLocalRepo=true"))


def test_releases_and_files_are_what_the_repository_has(
    real_cache: Path, central: Path, tmp_path: Path
) -> None:
    maven = registries(real_cache, central, tmp_path)
    assert maven.releases("flink-core") == ("6.9.9", "7.0-preview1", "7.0.0")
    assert maven.releases("flink-none") == ()
    found = maven.fetch([CORE, NOT_THERE, SOURCES])
    assert list(found) == [CORE, SOURCES]
    assert found[CORE] == real_cache / "jars" / "flink-core-7.0.0.jar"
    assert found[SOURCES] == real_cache / "sources" / "flink-core-7.0.0-sources.jar"
    assert found[SOURCES].read_text(encoding="utf-8") == "the sources"
    assert not list((real_cache / "jars").glob(".fetch-*"))
    # What is there is not asked for again.
    assert registries(real_cache, tmp_path / "gone", tmp_path).fetch([CORE]) == {CORE: found[CORE]}


def test_a_file_that_is_not_what_the_repository_says_is_refused(
    real_cache: Path, central: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(central, damaged)
    jar = damaged / "org/apache/flink/flink-core/7.0.0/flink-core-7.0.0-tests.jar"
    publish(jar, "the tests")
    jar.write_text("something else", encoding="utf-8")
    maven = registries(real_cache, damaged, tmp_path)
    with pytest.raises(BrokenData, match=r"flink-core-7\.0\.0-tests\.jar differs from"):
        maven.fetch([Artifact("flink-core", "7.0.0", "tests")])


def test_without_a_network_nothing_is_said_to_be_missing(real_cache: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.xml"
    # A port that nobody listens on.
    settings.write_text(SETTINGS.format(url="http://127.0.0.1:9/maven"), encoding="utf-8")
    maven = Registries(real_cache, ("-s", str(settings), "-Dmaven.legacyLocalRepo=true"))
    with pytest.raises(EnvironmentProblem, match=r"could not fetch flink-core-8\.0\.0\.jar"):
        maven.fetch([Artifact("flink-core", "8.0.0")])
    with pytest.raises(EnvironmentProblem, match="could not list the releases of flink-nothing"):
        maven.releases("flink-nothing")
