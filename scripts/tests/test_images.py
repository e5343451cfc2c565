"""What the images are made of: the entry point with real Flink processes, the compose file.

Images are built and started by ``make test-images``; see ``cluster/test_images_cluster.py``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from compose_services import read_compose, start_order, write_secrets
from installations import CARRIED, LINE, VERSION, java_environment, new_home
from ruamel.yaml import YAML

from flink_boost.base.net import free_ports
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.lines import default_line, load_lines, measured_lines
from flink_boost.measure import box_file, machine_lock

DOCKER = PROJECT_ROOT / "docker"
ENTRY_POINT = DOCKER / "flink-entrypoint.sh"
HEALTH_CHECK = DOCKER / "flink-healthcheck.sh"
COMPOSE = DOCKER / "compose.yaml"

SET = {
    "POSTGRES_PASSWORD": "of-the/data@base:1",
    "FLINK_BOOST_SECRET_KEY": "secret-key-of-the-test-0123456789-abcdef",
    "FLINK_BOOST_TOKEN": "token-of-the-test-0123456789",
}

# --- the bases ------------------------------------------------------------------------------------

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


# --- the compose file -----------------------------------------------------------------------------

# The schema of the Compose specification, as check-jsonschema 0.39.0 carries it.
SCHEMA = "builtin_schemas/vendor/compose-spec.json"
SCHEMA_SHA256 = "d549057ebc2925f39f62799eab0db7b9e2c18b35b6c00595199116da3ed10e64"


def schema() -> dict[str, Any]:
    content = files("check_jsonschema").joinpath(SCHEMA).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    assert found == SCHEMA_SHA256, "another schema: read what changed, then pin it"
    document: dict[str, Any] = json.loads(content)
    return document


def compose_document() -> dict[str, Any]:
    document: dict[str, Any] = YAML(typ="safe").load(COMPOSE)
    return document


def test_the_compose_file_follows_the_specification() -> None:
    validator = jsonschema.validators.validator_for(schema())(schema())
    assert [error.message for error in validator.iter_errors(compose_document())] == []


def misspelt_condition(document: dict[str, Any]) -> None:
    document["services"]["dashboard"]["depends_on"]["database"]["condition"] = "service_ready"


def unknown_key(document: dict[str, Any]) -> None:
    document["services"]["jobmanager"]["enviroment"] = {}


@pytest.mark.parametrize("spoil", [misspelt_condition, unknown_key])
def test_the_schema_finds_mistakes(spoil: Callable[[dict[str, Any]], None]) -> None:
    document = compose_document()
    spoil(document)
    validator = jsonschema.validators.validator_for(schema())(schema())
    assert list(validator.iter_errors(document))


def test_services_wait_for_what_they_need() -> None:
    services = read_compose(COMPOSE, SET)["services"]

    order = start_order(services)
    assert set(order) == {"jobmanager", "taskmanager", "database", "dashboard"}
    assert order.index("jobmanager") < order.index("taskmanager")
    assert order.index("database") < order.index("dashboard")
    assert start_order(services, ["nightly"])[-1] == "runner"
    conditions = {
        how["condition"]
        for service in services.values()
        for how in service.get("depends_on", {}).values()
    }
    assert conditions == {"service_healthy"}
    # What others wait for has a health check: from the file, or in the image's Dockerfile.
    for needed in {name for service in services.values() for name in service.get("depends_on", {})}:
        built_from = services[needed].get("build", {}).get("dockerfile")
        own = "healthcheck" in services[needed]
        assert own or "\nHEALTHCHECK " in (PROJECT_ROOT / built_from).read_text(), needed


def test_services_that_wait_for_each_other_are_found_out() -> None:
    waiting = {"depends_on": {"b": {}}}, {"depends_on": {"a": {}}}
    with pytest.raises(ValueError, match="waits for itself"):
        start_order(dict(zip("ab", waiting, strict=True)))


@pytest.mark.parametrize("missing", SET)
def test_secrets_have_no_default(missing: str) -> None:
    with pytest.raises(KeyError, match=f"{missing}: required"):
        read_compose(COMPOSE, {name: value for name, value in SET.items() if name != missing})


def values_shown(services: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Which service shows which secret outside its files."""
    return [
        (name, variable)
        for name, service in services.items()
        for variable, value in SET.items()
        if value in json.dumps(service)
    ]


def test_no_secret_is_in_the_environment_of_a_service() -> None:
    services = read_compose(COMPOSE, SET)["services"]
    assert values_shown(services) == []
    # A service that is told a secret in its environment would be found.
    services["database"]["environment"]["POSTGRES_PASSWORD"] = SET["POSTGRES_PASSWORD"]
    assert values_shown(services) == [("database", "POSTGRES_PASSWORD")]


def test_every_secret_goes_to_those_alone_that_need_it() -> None:
    document = read_compose(COMPOSE, SET)
    given = {
        name: {s if isinstance(s, str) else s["source"] for s in service.get("secrets", ())}
        for name, service in document["services"].items()
    }
    assert given == {
        "jobmanager": set(),
        "taskmanager": set(),
        "database": {"database-password"},
        "dashboard": {"database-password", "secret-key", "codespeed-token"},
        "runner": {"codespeed-token"},
    }
    for name, service in document["services"].items():
        files = {
            value
            for variable, value in service.get("environment", {}).items()
            if variable.endswith("_FILE")
        }
        assert files == {f"/run/secrets/{secret}" for secret in given[name]}, name


def test_only_the_account_of_the_image_can_read_its_secrets() -> None:
    document = read_compose(COMPOSE, SET)
    for name, dockerfile in (("dashboard", "codespeed"), ("runner", "runner")):
        text = (DOCKER / f"Dockerfile.{dockerfile}").read_text()
        (number,) = re.findall(r"useradd --uid (\d+)", text)
        for secret in document["services"][name]["secrets"]:
            assert (secret["uid"], secret["gid"], secret["mode"]) == (number, number, 400)


def test_the_dashboard_starts_from_the_files_that_compose_gives_it(tmp_path: Path) -> None:
    """Its configuration in a process of its own, with the environment of the file and no more."""
    document = read_compose(COMPOSE, SET)
    mounts = write_secrets(document, "dashboard", tmp_path)
    places = {mount.partition(":")[0]: str(file) for file, mount in mounts.items()}
    told = document["services"]["dashboard"]["environment"]
    environment = {name: places.get(value, value) for name, value in told.items()}
    assert len(places) == 3
    code = (
        "import os, json; from pathlib import Path\n"
        "from boost_dashboard.configuration import read_configuration as read\n"
        "found = read(os.environ, Path('.'))\n"
        "print(json.dumps([found.secret_key, found.token, found.database['PASSWORD'],"
        " found.database['USER'], found.database['HOST']]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT / "codespeed-config",
        env={**environment, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        SET["FLINK_BOOST_SECRET_KEY"],
        SET["FLINK_BOOST_TOKEN"],
        SET["POSTGRES_PASSWORD"],
        "codespeed",
        "database",
    ]


def test_ports_are_published_to_this_machine_only() -> None:
    published = [
        port for s in compose_document()["services"].values() for port in s.get("ports", ())
    ]
    assert len(published) == 2
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_only_the_dashboard_reaches_the_database() -> None:
    document = compose_document()
    networks = {name: set(service["networks"]) for name, service in document["services"].items()}
    assert set.union(*networks.values()) == set(document["networks"])
    reach = {name for name in networks if networks[name] & networks["database"]}
    assert reach == {"database", "dashboard"}
    # Each still reaches what it waits for.
    for name, service in document["services"].items():
        assert all(networks[name] & networks[needed] for needed in service.get("depends_on", {}))
    assert networks["runner"] & networks["dashboard"]
    assert not networks["jobmanager"] & networks["dashboard"]


def test_the_runner_shares_the_machines_lock_and_name_and_has_no_token_in_its_environment() -> None:
    document = compose_document()
    runner = document["services"]["runner"]
    assert (
        f"{machine_lock.USUAL_PLACE.parent}:{machine_lock.USUAL_PLACE.parent}" in runner["volumes"]
    )
    assert f"{box_file.USUAL_PLACE.parent}:{box_file.USUAL_PLACE.parent}:ro" in runner["volumes"]
    assert "FLINK_BOOST_TOKEN" not in runner["environment"]
    (secret,) = runner["secrets"]
    assert runner["environment"]["FLINK_BOOST_TOKEN_FILE"] == f"/run/secrets/{secret['source']}"
    assert document["secrets"][secret["source"]] == {"environment": "FLINK_BOOST_TOKEN"}


def test_the_runner_has_one_host_name_and_cores_of_its_own_when_told_so() -> None:
    usual = read_compose(COMPOSE, SET)["services"]["runner"]
    assert usual["hostname"] == "flink-boost-runner"
    assert usual["cpuset"] == ""
    assert box_file.box_file(usual["environment"]) == box_file.USUAL_PLACE
    told = {**SET, "RUNNER_CPUS": "1-3", "FLINK_BOOST_BOX": "/srv/box.toml"}
    runner = read_compose(COMPOSE, told)["services"]["runner"]
    assert runner["cpuset"] == "1-3"
    assert box_file.box_file(runner["environment"]) == Path("/srv/box.toml")


@pytest.mark.parametrize(("built", "night", "code"), [(0, 0, 0), (0, 6, 6), (0, 31, 31), (2, 0, 2)])
def test_the_runner_builds_without_the_token_and_ends_as_the_night_does(
    built: int, night: int, code: int, tmp_path: Path
) -> None:
    """The runner's entry point, with programs that note their call in the place of ours."""
    calls = tmp_path / "calls"
    (tmp_path / "lines.toml").touch()
    for program, ends in (("bin/make", built), (".venv/bin/flink-boost", night)):
        file = tmp_path / program
        file.parent.mkdir(parents=True)
        file.write_text(
            f'#!/bin/sh\necho "$@${{FLINK_BOOST_TOKEN_FILE+ with token}}" >> {calls}\nexit {ends}\n'
        )
        file.chmod(0o755)
    done = subprocess.run(
        ["sh", DOCKER / "runner-entrypoint.sh"],
        env={
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "FLINK_BOOST_CHECKOUT": str(tmp_path),
            "FLINK_BOOST_TOKEN_FILE": "/run/secrets/codespeed-token",
            "FLINK_BOOST_GROUP": "two words; false",
        },
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    expected = ["setup jars", "nightly --no-build --group two words; false with token"]
    assert calls.read_text().splitlines() == expected[: 1 if built else 2]


def test_names_and_versions_are_those_of_the_rest() -> None:
    services = read_compose(COMPOSE, SET)["services"]
    assert services["jobmanager"]["image"] == f"flink-boost:{default_line()}"
    dockerfile = (DOCKER / "Dockerfile").read_text()
    assert f"\nARG FLINK=flink-{default_line()}-boost\n" in dockerfile


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


# --- the entry point, without a container ---------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Flink with our jar, as the image has it."""
    home = new_home(tmp_path / "flink")
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    (home / "run").mkdir()
    return home


def environment(home: Path, **more: str) -> dict[str, str]:
    return {**java_environment(LINE), "FLINK_HOME": str(home), **more}


def call(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ENTRY_POINT), *arguments],
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.needs_jars
def test_help_names_what_can_be_started(home: Path) -> None:
    for arguments in ((), ("help",)):
        shown = call(home, *arguments)
        assert shown.returncode == 0
        for word in ("jobmanager", "taskmanager", "standalone-job", "FLINK_PROPERTIES"):
            assert word in shown.stdout


@pytest.mark.needs_jars
def test_a_line_that_is_no_property_stops_the_start(home: Path) -> None:
    refused = call(home, "jobmanager", FLINK_PROPERTIES="rest.port: 1\nnonsense\n")
    assert refused.returncode == 2
    assert refused.stderr == (
        'flink-boost image: FLINK_PROPERTIES has a line that is not of the form "key: value":'
        " nonsense\n"
    )


@pytest.mark.needs_jars
def test_properties_override_what_is_shipped_at_every_start_anew(home: Path) -> None:
    shipped = (home / "conf" / "config.yaml").read_text()
    properties = """
        # of this test
        rest.port: 18081
        env.java.opts.taskmanager: -Da=b -Dc=d: e

        taskmanager.numberOfTaskSlots: 7
    """
    for _ in range(2):
        shown = call(
            home,
            *("cat", str(home / "run" / "conf" / "config.yaml")),
            FLINK_PROPERTIES=properties,
            JOB_MANAGER_RPC_ADDRESS="jm.example.org",
            TASK_MANAGER_NUMBER_OF_TASK_SLOTS="3",
        )
        assert shown.returncode == 0, shown.stderr
        found = YAML(typ="safe").load(shown.stdout)
        assert found["rest"]["port"] == "18081"
        assert found["jobmanager"]["rpc"]["address"] == "jm.example.org"
        assert found["taskmanager"]["numberOfTaskSlots"] == "7"  # the last one counts
        assert found["env"]["java"]["opts"]["taskmanager"] == "-Da=b -Dc=d: e"
        assert "--add-opens=java.base/java.lang" in found["env"]["java"]["opts"]["all"]
    assert (home / "conf" / "config.yaml").read_text() == shipped


def test_the_older_configuration_gets_them_too(tmp_path: Path) -> None:
    home = new_home(tmp_path / "flink", load_lines()["1.9.3"])
    (home / "run").mkdir()
    shown = call(
        home,
        *("cat", str(home / "run" / "conf" / "flink-conf.yaml")),
        FLINK_PROPERTIES="rest.port: 18081",
        JOB_MANAGER_RPC_ADDRESS="jm.example.org",
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.endswith("\njobmanager.rpc.address: jm.example.org\nrest.port: 18081\n")


@pytest.mark.needs_jars
@pytest.mark.parametrize("written", ["{}", "{}/", "{}/../conf"])
def test_a_configuration_elsewhere_is_read_and_stays(
    home: Path, tmp_path: Path, written: str
) -> None:
    own = tmp_path / "own" / "conf"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text("rest:\n  port: 4711\n", encoding="utf-8")
    (own / "precious.txt").write_text("mine", encoding="utf-8")
    for _ in range(2):
        shown = call(
            home,
            *("sh", "-c", 'echo "$FLINK_CONF_DIR"; cat "$FLINK_CONF_DIR/config.yaml"'),
            FLINK_CONF_DIR=written.format(own),
            TASK_MANAGER_NUMBER_OF_TASK_SLOTS="3",
        )
        assert shown.returncode == 0, shown.stderr
        place, _, text = shown.stdout.partition("\n")
        assert place == str(home / "run" / "conf")
        found = YAML(typ="safe").load(text)
        assert (found["rest"]["port"], found["taskmanager"]["numberOfTaskSlots"]) == (4711, "3")
    assert {file.name for file in own.iterdir()} == {"config.yaml", "precious.txt"}
    assert (own / "config.yaml").read_text() == "rest:\n  port: 4711\n"


@pytest.mark.needs_jars
def test_what_others_put_where_it_is_made_is_not_deleted(home: Path, tmp_path: Path) -> None:
    made = home / "run" / "conf"
    missing = call(home, "true", FLINK_CONF_DIR=str(tmp_path / "nowhere"))
    assert (missing.returncode, "there is no folder" in missing.stderr) == (2, True)
    inside = call(home, "true", FLINK_CONF_DIR=f"{made}/mine")
    assert (inside.returncode, "is made anew" in inside.stderr) == (2, True)
    made.mkdir()
    (made / "precious.txt").write_text("mine", encoding="utf-8")
    refused = call(home, "true")
    assert refused.returncode == 2
    assert f"mount a configuration at {home}/conf" in refused.stderr
    assert (made / "precious.txt").read_text() == "mine"


@contextmanager
def started(home: Path, role: str, log: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(ENTRY_POINT), role],
            env=environment(home, **more),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def health(home: Path) -> tuple[int, str]:
    done = subprocess.run(
        [str(HEALTH_CHECK)],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout


def until_healthy(home: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + 100
    while True:
        code, said = health(home)
        if code == 0:
            return said
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, f"{said}\n{log.read_text()}"
        time.sleep(0.5)


@pytest.mark.needs_jars
@pytest.mark.parametrize(
    ("role", "script", "properties"),
    [
        ("history-server", "historyserver.sh", "historyserver.web.port: {}"),
        ("jobmanager", "jobmanager.sh", "rest.port: {}\nsecurity.ssl.rest.enabled: true"),
        ("taskmanager", "taskmanager.sh", "rest.port: {}\nsecurity.ssl.rest.enabled: true"),
    ],
)
def test_the_check_asks_where_its_process_listens(
    role: str, script: str, properties: str, home: Path
) -> None:
    """Of one that speaks TLS no more is asked than that."""
    (home / "bin" / script).unlink()
    (home / "bin" / script).write_text("#!/bin/sh\n", encoding="utf-8")
    (home / "bin" / script).chmod(0o755)
    answer = b'HTTP/1.0 200 OK\r\n\r\n{"flink-version":"2.3.0"}'
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
        done = call(home, role, FLINK_PROPERTIES=properties.format(port))
        assert done.returncode == 0, done.stderr

        def serve() -> None:
            with server.accept()[0] as client:
                if role == "history-server":
                    asked = b""
                    while not asked.endswith(b"\r\n\r\n"):
                        asked += client.recv(1000)
                    client.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        code, said = health(home)
        thread.join(20)
    assert code == 0, said
    assert said.strip() in ('"flink-version":"2.3.0"', f"localhost listens on port {port}")
    assert health(home)[0] != 0


@pytest.mark.needs_jars
def test_a_cluster_of_two_entry_points_is_healthy_and_ends_when_told(
    home: Path, tmp_path: Path
) -> None:
    worker_home = tmp_path / "worker"
    shutil.copytree(home, worker_home, copy_function=os.link)
    assert health(home)[0] != 0  # nothing was started yet
    rest_port, rpc_port = free_ports(2)
    settings: Mapping[str, str] = {
        "JOB_MANAGER_RPC_ADDRESS": "localhost",
        "FLINK_PROPERTIES": f"rest.port: {rest_port}\njobmanager.rpc.port: {rpc_port}\n"
        "taskmanager.memory.process.size: 1000m\njobmanager.memory.process.size: 1000m\n"
        "env.java.opts.all: -XX:TieredStopAtLevel=1\n",
    }
    logs = tmp_path / "jobmanager.log", tmp_path / "taskmanager.log"
    with started(home, "jobmanager", logs[0], **settings) as manager:
        until_healthy(home, manager, logs[0])
        with started(worker_home, "taskmanager", logs[1], **settings) as worker:
            assert "registered as" in until_healthy(worker_home, worker, logs[1])
        # Flink ends by itself on SIGTERM, which reaches it because the entry point became it.
        assert worker.returncode == 143
        code, said = health(worker_home)
        assert code == 0 or "does not know" in said
    assert manager.returncode == 143
    assert health(home)[0] != 0
    for log in logs:
        assert "mode on, the class files it replaces are those of this version" in log.read_text()


def test_the_distribution_that_goes_in_has_what_the_entry_point_uses() -> None:
    for line in measured_lines():
        scripts = ensure_distribution(line) / "bin"
        for name in ("jobmanager.sh", "taskmanager.sh", "standalone-job.sh", "historyserver.sh"):
            assert (scripts / name).is_file(), (line.version, name)
        assert "readFromConfig()" in (scripts / "config.sh").read_text()
