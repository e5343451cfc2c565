"""The compose file: its services, secrets, ports and names."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from compose_services import COMPOSE, DOCKER, read_compose, start_order, write_secrets
from ruamel.yaml import YAML

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line
from flink_boost.measure import box_file, machine_lock

SET = {
    "POSTGRES_PASSWORD": "of-the/data@base:1",
    "FLINK_BOOST_SECRET_KEY": "secret-key-of-the-test-0123456789-abcdef",
    "FLINK_BOOST_TOKEN": "token-of-the-test-0123456789",
}
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
