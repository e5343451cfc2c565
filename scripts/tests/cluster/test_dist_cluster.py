"""Clusters of the tarballs, and of Flink's jar with our classes inside, by Flink's scripts."""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from flink_installation import ONE_PER_LINE, FlinkInstallation, Install, Platform, count_words
from installations import VERSION
from our_classes import runs_our_classes_from
from test_wrong_version import PROCESSES, refused_at_start, replace_entry

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line
from flink_boost.operate.carried import of_tree
from flink_boost.operate.dist.build import Variant, build_tarball
from flink_boost.operate.dist.jar import write_replaced

MANIFEST = "META-INF/MANIFEST.MF"


@pytest.fixture(scope="module")
def replaced_dist(
    line: Line, distribution: Path, dropin_jar: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Flink's jar of the line with our classes inside."""
    (official,) = (distribution / "lib").glob("flink-dist*.jar")
    jar = tmp_path_factory.mktemp("replaced") / official.name
    with jar.open("wb") as file:
        write_replaced(official, dropin_jar, file.write)
    yield jar
    jar.unlink()


def put_in_place(jar: Path, flink: FlinkInstallation) -> Path:
    """Gives an installation another ``flink-dist``."""
    dist = flink.dist
    dist.unlink()
    os.link(jar, dist)
    return dist


def test_word_count_gives_stocks_output_with_our_classes_inside_flink_dist(
    platform: Platform,
    install: Install,
    replaced_dist: Path,
    word_count: Path,
    stock_counts: list[str],
    tmp_path: Path,
) -> None:
    with install(tmp_path / "flink") as flink:
        dist = put_in_place(replaced_dist, flink)
        flink.start_cluster()
        counts = count_words(flink, word_count, tmp_path / "counts")

    assert counts == stock_counts
    runs_our_classes_from(dist, platform, flink, f"the manifest of {dist} names this version")


@pytest.mark.in_full_form_only
@pytest.mark.parametrize("variant", Variant)
def test_a_cluster_of_the_tarball_gives_stocks_output(
    variant: Variant,
    line: Line,
    platform: Platform,
    word_count: Path,
    stock_counts: list[str],
    tmp_path: Path,
) -> None:
    package = of_tree(VERSION)
    tarball = build_tarball(line, variant, package, PROJECT_ROOT, CACHE, tmp_path / "dist")
    with tarfile.open(tarball.path) as archive:
        archive.extractall(tmp_path, filter="data")
    tarball.path.unlink()
    unpacked = tmp_path / variant.folder(line.version)

    with FlinkInstallation(unpacked, java_home(platform.jdk), tmp_path / "flink") as flink:
        ours = sorted(jar.name for jar in (flink.home / "lib").glob("flink-boost-*"))
        flink.start_cluster()
        counts = count_words(flink, word_count, tmp_path / "counts")
        dist = flink.dist
    shutil.rmtree(unpacked)

    assert counts == stock_counts
    if variant is Variant.SHADOWED:
        (name,) = ours
        runs_our_classes_from(dist.with_name(name), platform, flink, "the class files it")
    else:
        assert ours == []
        runs_our_classes_from(dist, platform, flink, f"the manifest of {dist} names this version")


@pytest.mark.test_all
@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
def test_our_classes_inside_another_release_end_the_process(
    line: Line, install: Install, replaced_dist: Path, word_count: Path, tmp_path: Path
) -> None:
    jar = tmp_path / replaced_dist.name
    shutil.copy(replaced_dist, jar)
    with zipfile.ZipFile(jar) as archive:
        manifest = archive.read(MANIFEST)
    old = f"Implementation-Version: {line.version}\r\n".encode()
    assert manifest.count(old) == 1
    replace_entry(jar, MANIFEST, manifest.replace(old, b"Implementation-Version: 9.9.9\r\n"))

    with install(tmp_path / "flink") as flink:
        dist = put_in_place(jar, flink)
        ended = PROCESSES["taskexecutor"](flink, word_count)
        log = flink.log("taskexecutor")
    jar.unlink()

    sentence = (
        f"flink-boost {VERSION} is built for Flink {line.version} but found Flink 9.9.9 in {dist}:"
        " put the original jar back, or install the flink-boost jar for Flink 9.9.9."
    )
    refused_at_start(ended, log, sentence)


@pytest.mark.in_full_form_only
@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
def test_our_jar_beside_our_classes_ends_the_process(
    line: Line,
    install: Install,
    replaced_dist: Path,
    dropin_jar: Path,
    word_count: Path,
    tmp_path: Path,
) -> None:
    with install(tmp_path / "flink", [dropin_jar]) as flink:
        dist = put_in_place(replaced_dist, flink)
        ended = PROCESSES["taskexecutor"](flink, word_count)
        log = flink.log("taskexecutor")

    both = " and ".join(
        f"{jar} (built for Flink {line.version})" for jar in (dist.with_name(dropin_jar.name), dist)
    )
    sentence = (
        f"More than one flink-boost jar is on the class path, {both}: keep only the one for your"
        " Flink version in lib/."
    )
    refused_at_start(ended, log, sentence)
