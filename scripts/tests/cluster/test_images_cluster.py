"""Images, built with buildah; the services of the compose file, started from them in order.

``make test-images`` runs them, as root on Debian with buildah. Each container has its own root file
system, user and environment; all share one network, in which a hosts file stands for compose's
names. PostgreSQL is Debian's, in an image with the variables of the official one.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from compose_services import (
    BUILDAH,
    Services,
    buildah,
    image_configuration,
    read_compose,
    running,
    start_order,
)

from flink_boost import __version__
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import run_supervised
from flink_boost.flink.lines import Line, load_lines

BUILD_SECONDS = 1800.0
VERSION = __version__

# The first test's time includes the building of the images.
pytestmark = [pytest.mark.built_images, pytest.mark.timeout(2 * BUILD_SECONDS)]

DATA = PROJECT_ROOT / "scripts" / "tests" / "data"
FLINK = "localhost/flink-boost:2.3.0"
CODESPEED = "localhost/flink-boost-codespeed"
RUNNER = "localhost/flink-boost-runner"
DATABASE = "localhost/flink-boost-test-database"

ENVIRONMENT = {
    "FLINK_IMAGE": FLINK,
    "CODESPEED_IMAGE": CODESPEED,
    "RUNNER_IMAGE": RUNNER,
    "POSTGRES_IMAGE": DATABASE,
    "POSTGRES_PASSWORD": "of-the-test",
    "FLINK_BOOST_SECRET_KEY": "secret-key-of-the-test-0123456789-abcdef",
    "FLINK_BOOST_TOKEN": "token-of-the-test-0123456789",
    "JOBMANAGER_MEMORY": "1000m",
    "TASKMANAGER_MEMORY": "1000m",
}


@pytest.fixture(scope="module", autouse=True)
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All images, built by ``docker/build``; BASE_IMAGE names the base."""
    folder = tmp_path_factory.mktemp("images")
    environment = {**os.environ, **BUILDAH, "ENGINE": "buildah"}
    base = environment.setdefault("BASE_IMAGE", "debian:12-slim")
    for name, command in {
        "images": [str(PROJECT_ROOT / "docker" / "build")],
        "database": [
            *("buildah", "bud", "--format", "docker", "--build-arg", f"BASE_IMAGE={base}"),
            *("--file", str(DATA / "Dockerfile.database"), "--tag", DATABASE, str(DATA)),
        ],
    }.items():
        log = folder / f"{name}.log"
        code = run_supervised(command, log, environment, BUILD_SECONDS)
        assert code == 0, log.read_text(errors="replace")[-3000:]


@pytest.mark.parametrize(
    ("image", "user", "check"),
    [
        (FLINK, "flink", "/opt/flink/bin/flink-healthcheck.sh"),
        (CODESPEED, "codespeed", "/opt/flink-boost/docker/codespeed-healthcheck.py"),
        (RUNNER, "runner", ""),
    ],
)
def test_images_keep_their_user_and_health_check(image: str, user: str, check: str) -> None:
    configuration = image_configuration(image)
    assert configuration["User"] == user
    assert configuration["Entrypoint"]
    if check:
        assert configuration["Healthcheck"]["Test"][0] == "CMD"
        assert configuration["Healthcheck"]["Test"][-1] == check
        assert configuration["Healthcheck"]["Retries"] == 3
    else:
        assert "Healthcheck" not in configuration


def test_a_health_check_is_lost_in_the_other_format(tmp_path: Path) -> None:
    """Why docker/build passes ``--format docker``."""
    (tmp_path / "Dockerfile").write_text(f'FROM {FLINK}\nHEALTHCHECK CMD ["true"]\n')
    image = "localhost/flink-boost-test-oci"
    buildah("bud", "--format", "oci", "--tag", image, str(tmp_path))
    try:
        assert image_configuration(image).get("Healthcheck") is None
    finally:
        buildah("rmi", image)


def test_the_image_for_an_init_container_has_the_jars_of_all_lines() -> None:
    """Without a base, for which it has to hold what is copied; ``cp`` is the base's."""
    image = "localhost/flink-boost-jars"
    environment = {**os.environ, **BUILDAH, "ENGINE": "buildah", "BASE_IMAGE": "scratch"}
    subprocess.run([PROJECT_ROOT / "docker" / "build", "jars"], env=environment, check=True)
    container = buildah("from", image)
    try:
        jars = Path(buildah("mount", container)) / "jars"
        built = PROJECT_ROOT / "build" / "jars"
        wanted = {line.dropin_name(VERSION) for line in load_lines().values() if line.enabled}
        assert wanted <= {jar.name for jar in jars.iterdir()}
        for jar in jars.iterdir():
            assert jar.read_bytes() == (built / jar.name).read_bytes()
            assert jar.stat().st_mode & 0o777 == 0o644
    finally:
        buildah("rm", container)
        buildah("rmi", image)


def volumes(word_count: Path, shared: Path) -> Mapping[str, Mapping[Path, str]]:
    return {
        "jobmanager": {word_count: "/opt/flink/usrlib/WordCount.jar:ro", shared: "/output"},
        "taskmanager": {shared: "/output"},
    }


@pytest.fixture(scope="module")
def services(
    images: None, word_count: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("services")
    shared = folder / "output"
    shared.mkdir()
    shared.chmod(0o777)
    document = read_compose(PROJECT_ROOT / "docker" / "compose.yaml", ENVIRONMENT)
    with running(document, folder, volumes(word_count, shared)) as services:
        yield services


def test_all_services_become_healthy_in_order(services: Services) -> None:
    document = read_compose(PROJECT_ROOT / "docker" / "compose.yaml", ENVIRONMENT)
    assert services.started == start_order(document["services"])
    for name in services.started:
        healthy, said = services.check_health(name)
        assert healthy, said


def test_a_job_in_the_containers_gives_stocks_output(
    services: Services, line: Line, stock_counts: list[str], tmp_path: Path
) -> None:
    code, said = services.run_in(
        "jobmanager",
        *("flink", "run", "/opt/flink/usrlib/WordCount.jar", "--output", "file:///output/counts"),
    )
    assert code == 0, said

    code, counts = services.run_in("jobmanager", "sh", "-c", "cat $(find /output -type f)")
    assert code == 0, counts
    assert sorted(counts.splitlines()) == stock_counts
    for name in ("jobmanager", "taskmanager"):
        text = services.log_file(name).read_text(errors="replace")
        version = __version__
        assert f"flink-boost {version} for Flink {line.version}: mode on" in text
        assert "string access opened" in text
        assert services.run_in(name, "id", "-un") == (0, "flink\n")


def test_the_dashboard_keeps_results_in_the_database(services: Services) -> None:
    asked = (
        "import urllib.request as r; print(r.urlopen('http://dashboard:8321/', timeout=60).status)"
    )
    code, said = services.run_in("dashboard", "/opt/flink-boost/.venv/bin/python", "-c", asked)
    assert (code, said) == (0, "200\n")
    url = "postgresql://codespeed:of-the-test@database:5432/codespeed"
    query = "select count(*) from codespeed_executable"
    code, said = services.run_in(
        "database", "psql", "--no-align", "--tuples-only", url, "-c", query
    )
    assert code == 0, said
    assert int(said) >= 6  # stock and patched of each line
    code, said = services.run_in("dashboard", "id", "-un")
    assert (code, said) == (0, "codespeed\n")


def test_a_stopped_service_is_unhealthy_and_ends_as_told(services: Services) -> None:
    """The last test: what it stops stays stopped."""
    assert services.stop("taskmanager") == 143
    healthy, said = services.check_health("jobmanager")
    assert healthy, said
    assert services.stop("jobmanager") == 143
    assert not services.check_health("jobmanager")[0]
    assert not services.check_health("taskmanager")[0]


def test_a_cluster_for_one_job_ends_with_it(
    images: None, word_count: Path, stock_counts: list[str], tmp_path: Path
) -> None:
    """Application mode: the job's jar is in ``usrlib/`` of both containers."""
    document = read_compose(PROJECT_ROOT / "docker" / "compose.yaml", ENVIRONMENT)
    main = "org.apache.flink.streaming.examples.wordcount.WordCount"
    document["services"]["jobmanager"]["command"] = [
        *("standalone-job", "--job-classname", main, "--output", "file:///output/counts"),
    ]
    shared = tmp_path / "output"
    shared.mkdir()
    shared.chmod(0o777)
    mounts = {shared: "/output", word_count: "/opt/flink/usrlib/WordCount.jar:ro"}
    with Services(document, tmp_path) as services:
        for name in ("jobmanager", "taskmanager"):
            services.start(name, mounts)
        assert services.await_end("jobmanager") == 0
        text = services.log_file("jobmanager").read_text(errors="replace")
    assert f"flink-boost {__version__} for Flink" in text
    parts = [part for part in shared.rglob("*") if part.is_file()]
    counts = "".join(part.read_text() for part in parts).splitlines()
    assert sorted(counts) == stock_counts


def test_the_runner_builds_what_is_mounted_and_says_when_nothing_is(tmp_path: Path) -> None:
    container = buildah("from", "--pull-never", RUNNER)
    try:
        tools = "java -version && mvn --version && git --version && python3.11 --version && id -un"
        assert "runner" in buildah("run", container, "--", "sh", "-c", tools).splitlines()[-1]
        entry_point = image_configuration(RUNNER)["Entrypoint"]
        with pytest.raises(AssertionError, match=r"there is no checkout in /srv/flink-boost"):
            buildah("run", container, "--", *entry_point, "nightly")
        mounted = f"{PROJECT_ROOT}:/srv/flink-boost:ro"
        listing = buildah("run", f"--volume={mounted}", container, "--", *entry_point, "make")
        assert "make dist" in listing
    finally:
        buildah("rm", container)
