"""What images are built from: their bases, the jar, the distribution.

Images are built and started by ``make test-images``; see ``cluster/test_images_cluster.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from compose_services import COMPOSE, DOCKER
from installations import VERSION

from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.lines import measured_lines

BY_DIGEST = re.compile(r"[a-z]+:[0-9a-z.-]+@sha256:[0-9a-f]{64}")


@pytest.mark.parametrize(
    ("base", "required", "built"),
    [
        (f"debian:12-slim@sha256:{'0' * 64}", "1", True),
        ("localhost/own:1", "1", True),
        ("debian:12-slim", "1", False),
        ("debian:12-slim", "", True),
        ("", "1", True),
    ],
)
def test_a_base_without_digest_is_refused_where_one_is_required(
    base: str, required: str, built: bool, tmp_path: Path
) -> None:
    engine = tmp_path / "buildah"
    engine.write_text('#!/bin/sh\necho "built $*"\n', encoding="utf-8")
    engine.chmod(0o755)
    done = subprocess.run(
        [DOCKER / "build", "codespeed", "runner"],
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "ENGINE": "buildah",
            "BASE_IMAGE": base,
            "REQUIRE_DIGEST": required,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode == 0) == built
    assert done.stdout.count("built bud") == (2 if built else 0)
    assert built or "Name it by digest" in done.stderr


def test_the_official_image_gets_the_jar_that_is_asked_for(tmp_path: Path) -> None:
    """As its page calls it; each of the images that a page names can be built."""
    engine = tmp_path / "buildah"
    engine.write_text('#!/bin/sh\necho "built $*"\n', encoding="utf-8")
    engine.chmod(0o755)
    folder = tmp_path / "project"
    for name in ("docker", "scripts"):
        (folder / name).mkdir(parents=True)
    for path in (DOCKER / "build", DOCKER / "Dockerfile.official"):
        shutil.copy(path, folder / "docker")
    (folder / "scripts" / "lines").write_text("#!/bin/sh\necho 2.3.0\n", encoding="utf-8")
    (folder / "scripts" / "lines").chmod(0o755)

    def build(**more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [folder / "docker" / "build", "official"],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "ENGINE": "buildah", **more},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    missing = build()
    assert missing.returncode == 4
    assert "is missing. Run `make jars` first." in missing.stderr
    (folder / "build" / "jars").mkdir(parents=True)
    for version in ("1.20.5", "2.3.0"):
        (folder / "build" / "jars" / f"flink-boost-{version}-{VERSION}.jar").touch()
    assert "--tag flink-boost-official:1.20.5" in build(REQUIRE_DIGEST="1").stdout
    own = build(JAR=f"flink-boost-2.3.0-{VERSION}.jar", FLINK_IMAGE="localhost/flink:2.3.0")
    assert "--tag flink-boost-official:2.3.0" in own.stdout
    assert "--build-arg FLINK_IMAGE=localhost/flink:2.3.0" in own.stdout
    assert "Name it by digest" in build(FLINK_IMAGE="flink:2.3.0", REQUIRE_DIGEST="1").stderr
    named = set(re.findall(r"docker/build ([a-z]+)", (DOCKER / "README.md").read_text("utf-8")))
    known = set(
        re.findall(r"^        ([a-z]+)\)", (DOCKER / "build").read_text("utf-8"), re.MULTILINE)
    )
    assert named <= known


# Nothing is pulled for these: they are ours, built just before.
OUR_IMAGES = re.compile(r"flink-boost(-[a-z]+)?(:[0-9.]+)?")
BASE = re.compile(
    r"^(?:ARG [A-Z_]*IMAGE=|FROM |\s+image: (?:\$\{[A-Z_]+:-)?)([^$\s}]+)", re.MULTILINE
)


def bases(text: str) -> list[str]:
    """The images from a registry that a Dockerfile or a compose file starts with by default."""
    stages = set(re.findall(r" AS (\S+)", text))
    found = BASE.findall(text)
    return [name for name in found if name not in stages and not OUR_IMAGES.fullmatch(name)]


def test_each_base_is_named_by_digest() -> None:
    named = {path.name: bases(path.read_text("utf-8")) for path in DOCKER.glob("Dockerfile*")}
    named["compose.yaml"] = bases(COMPOSE.read_text("utf-8"))
    assert all(named.values()), named
    every = {base for found in named.values() for base in found}
    assert sorted(base.split(":")[0] for base in every) == ["debian", "flink", "postgres"]
    tags = {base for base in every if not BY_DIGEST.fullmatch(base)}
    assert not tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ARG BASE_IMAGE=debian:12-slim\nFROM ${BASE_IMAGE} AS a\nFROM a", ["debian:12-slim"]),
        ("FROM python:3.11", ["python:3.11"]),
        ("    image: ${POSTGRES_IMAGE:-postgres:16}", ["postgres:16"]),
        ("    image: ${RUNNER_IMAGE:-flink-boost-runner}", []),
        ("    image: postgres:16", ["postgres:16"]),
    ],
)
def test_a_base_is_found_however_it_is_named(text: str, found: list[str]) -> None:
    assert bases(text) == found


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.codespeed", "Dockerfile.runner"])
def test_every_image_can_get_another_base_and_is_not_run_as_root(name: str) -> None:
    text = (DOCKER / name).read_text()
    bases = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    stages = re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE)
    assert set(bases) <= {"${BASE_IMAGE}", *stages}
    last = text.rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (\S+)", last, re.MULTILINE)[-1] in {"flink", "codespeed", "runner"}
    assert re.search(r'^ENTRYPOINT \["', last, re.MULTILINE)
    if "flink-entrypoint.sh" in last:
        # The usual kubernetes.entry.path; the manifest of the operator names none.
        assert "ln -s /opt/flink/bin/flink-entrypoint.sh /docker-entrypoint.sh" in last
    assert "--no-install-recommends" in text


def test_the_distribution_that_goes_in_has_what_the_entry_point_uses() -> None:
    for line in measured_lines():
        scripts = ensure_distribution(line) / "bin"
        for name in ("jobmanager.sh", "taskmanager.sh", "standalone-job.sh", "historyserver.sh"):
            assert (scripts / name).is_file(), (line.version, name)
        assert "readFromConfig()" in (scripts / "config.sh").read_text()
