"""The manifests of docs/kubernetes follow the published schemas, and put the jar where it belongs.

The schema of a FlinkDeployment is in the operator's jar on Maven Central (1.10.0 is the newest
there), that of Kubernetes itself in a wheel on PyPI.
"""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from installations import LINE, OTHER, VERSION, new_home
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from ruamel.yaml import YAML

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_artifact, ensure_distribution
from flink_boost.flink.downloads import ensure_download
from flink_boost.flink.lines import Line, PinnedFile, find_line, load_lines
from flink_boost.flink.releases import load_releases, served

FOLDER = PROJECT_ROOT / "docs" / "kubernetes"
OPERATOR = PinnedFile(
    "flink-kubernetes-operator-api",
    "1.10.0",
    "flink-kubernetes-operator-api-1.10.0.jar",
    "b1f44814e17514fa8395c61b329a3ee9087123a5bda5b21fe1a495d5182c30b6",
)
KUBERNETES = PinnedFile(
    "kubernetes-validate",
    "1.37.0",
    "kubernetes_validate-1.37.0-py3-none-any.whl",
    "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9",
)
DEFINITIONS = "META-INF/fabric8/{}s.flink.apache.org-v1.yml"
SCHEMAS = "kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict"
JAR = OTHER.dropin_name(VERSION)
PLACE = f"/opt/flink/lib/{JAR}"

# The machine, with an /opt of its own: what is mounted there needs folders that it may not make.
OPT = (folder for folder in sorted(Path("/opt").iterdir()) if folder.name not in {"flink", "jars"})
SANDBOX = [
    *("bwrap", "--bind", "/", "/", "--dev", "/dev", "--tmpfs", "/opt"),
    *(word for folder in OPT for word in ("--bind", str(folder), str(folder))),
]

Document = dict[str, Any]


def documents(name: str) -> list[Document]:
    found: list[Document] = list(YAML(typ="safe").load_all(FOLDER / name))
    return found


@cache
def of_the_operator(kind: str) -> Document:
    with zipfile.ZipFile(ensure_artifact(OPERATOR)) as jar:
        definition = YAML(typ="safe").load(jar.read(DEFINITIONS.format(kind.lower())))
    (version,) = definition["spec"]["versions"]
    assert version["name"] == "v1beta1"
    schema: Document = version["schema"]["openAPIV3Schema"]
    # An API server says nothing of the envelope, and drops what it does not know: here it is wrong.
    schema["properties"] |= {key: {} for key in ("apiVersion", "kind", "metadata")}
    close(schema)
    return schema


def close(schema: Document) -> None:
    """Makes every field that a schema does not name a mistake, as ``kubectl --validate`` has it."""
    if "properties" in schema:
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema.setdefault("additionalProperties", False)
        for below in schema["properties"].values():
            close(below)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            close(schema[key])


@cache
def of_kubernetes(name: str) -> Document:
    with zipfile.ZipFile(ensure_download(KUBERNETES)) as wheel:
        schema: Document = json.loads(wheel.read(f"{SCHEMAS}/{name}"))
    return schema


def known(*schemas: Document) -> Registry[Any]:
    """By their own names, by which they refer to each other."""
    resources = [Resource.from_contents(each, DRAFT202012) for each in schemas]
    return Registry().with_resources((each.id() or "", each) for each in resources)


def mistakes(document: Document) -> list[str]:
    kind, (group, _, version) = document["kind"], document["apiVersion"].rpartition("/")
    if group == "flink.apache.org":
        schema, registry = of_the_operator(kind), known()
    else:
        parts = (kind.lower(), group.partition(".")[0], version)
        schema = of_kubernetes("-".join(part for part in parts if part) + ".json")
        registry = known(schema, of_kubernetes("_definitions.json"))
    validator = jsonschema.Draft202012Validator(schema, registry=registry)
    return [
        f"{error.json_path}: {error.message[-200:]}" for error in validator.iter_errors(document)
    ]


# What the operator's `DefaultValidator` asks of a job that keeps its state, beyond the schema.
OF_STATE = ("state.savepoints.dir", "state.checkpoints.dir")


def lost_state(found: list[Document]) -> list[str]:
    """The options that the operator misses: a job in a session has those of its cluster, too."""
    options = [each["spec"].get("flinkConfiguration", {}) for each in found]
    modes = [each["spec"].get("job", {}).get("upgradeMode", "stateless") for each in found]
    if set(modes) == {"stateless"}:
        return []
    return [name for name in OF_STATE if not any(name in each for each in options)]


NAMES = sorted(file.name for file in FOLDER.glob("*.yaml"))


def test_there_is_one_for_each_way() -> None:
    assert NAMES == [
        "application.yaml",
        "operator-image.yaml",
        "operator-official-image.yaml",
        "operator-session.yaml",
        "pod-template.yaml",
        "session.yaml",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_it_follows_the_published_schema(name: str) -> None:
    found = documents(name)
    assert found
    assert [mistakes(document) for document in found] == [[]] * len(found)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("operator")])
def test_the_operator_misses_no_place_for_the_state_of_a_job(name: str) -> None:
    found = documents(name)
    assert lost_state(found) == []
    found[-1]["spec"]["job"]["upgradeMode"] = "savepoint"
    assert lost_state(found) == list(OF_STATE)
    found[0]["spec"]["flinkConfiguration"] |= dict.fromkeys(OF_STATE, "s3://bucket/words")
    assert lost_state(found) == []


def misspelt_mount(document: Document) -> None:
    container = pod_of(document)["containers"][0]
    container["volumeMounts"][0]["subpath"] = container["volumeMounts"][0].pop("subPath")


def path_that_is_a_number(document: Document) -> None:
    pod_of(document)["containers"][0]["volumeMounts"][0]["mountPath"] = 7


def unknown_field(document: Document) -> None:
    pod_of(document)["initContainer"] = []


def command_that_is_no_list(document: Document) -> None:
    pod_of(document)["initContainers"][0]["command"] = "cp"


def unknown_flink(document: Document) -> None:
    document["spec"]["flinkVersion"] = "v1_99"


def misspelt_memory(document: Document) -> None:
    document["spec"]["taskManager"]["resource"]["memroy"] = "1g"


def job_without_its_cluster(document: Document) -> None:
    document["spec"]["deployment"] = document["spec"].pop("deploymentName")


def unknown_upgrade(document: Document) -> None:
    document["spec"]["job"]["upgradeMode"] = "hopeful"


POD_MISTAKES = [misspelt_mount, path_that_is_a_number, unknown_field, command_that_is_no_list]


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        *(
            (name, spoil)
            for name in ("pod-template.yaml", "session.yaml")
            for spoil in POD_MISTAKES
        ),
        *(
            ("operator-official-image.yaml", spoil)
            for spoil in (*POD_MISTAKES, unknown_flink, misspelt_memory)
        ),
        *(("operator-session.yaml", spoil) for spoil in (job_without_its_cluster, unknown_upgrade)),
    ],
)
def test_a_mistake_is_found(name: str, spoil: Callable[[Document], None]) -> None:
    document = documents(name)[-1]
    assert not mistakes(document)
    spoil(document)
    assert mistakes(document)


def pod_of(document: Document) -> Document:
    """The specification of the pods that a document makes."""
    spec: Document = document["spec"]
    if document["kind"] == "FlinkDeployment":
        spec = spec.get("podTemplate", {}).get("spec", {})
    elif "template" in spec:
        spec = spec["template"]["spec"]
    return spec


def pods_with_the_jar() -> Iterator[tuple[str, Document]]:
    for name in NAMES:
        for document in documents(name):
            pod = pod_of(document)
            if "initContainers" in pod:
                yield f"{name}, {document['metadata']['name']}", pod


def test_the_official_image_gets_the_jar_of_its_line() -> None:
    found = [name.partition(",")[0] for name, _ in pods_with_the_jar()]
    assert found == [
        "operator-official-image.yaml",
        "operator-session.yaml",
        "pod-template.yaml",
        *["session.yaml"] * 2,
    ]
    for name in NAMES:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert set(re.findall(r"flink-boost-\d[\w.-]*\.jar", text)) <= {JAR}
        assert set(re.findall(r"flinkVersion: v(\w+)", text)) <= {"1_20"}


def test_the_page_says_how_often_the_jar_is_named_and_which_another_flink_takes() -> None:
    page = (PROJECT_ROOT / "docs" / "where-it-runs.md").read_text(encoding="utf-8")
    for name in NAMES:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert text.count(JAR) == 3 * text.count("initContainers:")
    assert "the jar (three times for each init container)" in " ".join(page.split())
    (named,) = re.findall(r"`flink:([\d.]+)` takes\s+`(flink-boost-[\w.-]+\.jar)`", page)
    version, jar = named
    line, _ = served(version, load_releases(), load_lines())
    assert jar == line.dropin_name(VERSION)
    assert version != line.version


def test_an_image_with_java_17_gets_what_flink_needs_there() -> None:
    """Operators before 1.11 have no options for it, and hide those of the image's ``conf/``."""
    (deployment,) = documents("operator-image.yaml")
    base = re.search(r"FROM\n# flink-boost:(\S+)", (FOLDER / "operator-image.yaml").read_text())
    assert base is not None
    line = find_line(base[1])
    own = YAML(typ="safe").load(ensure_distribution(line) / "conf" / "config.yaml")
    needed = own["env"]["java"]["opts"]["all"].split()
    assert "--add-opens=java.base/java.util=ALL-UNNAMED" in needed
    assert deployment["spec"]["flinkConfiguration"]["env.java.opts.all"].split() == needed


def test_no_option_of_ours_takes_the_place_of_the_operators() -> None:
    """It keeps what Flink needs on Java 17 in ``env.java.default-opts.all``, from 1.19 on."""
    for name in ("operator-image.yaml", "operator-official-image.yaml", "operator-session.yaml"):
        assert "env.java.default-opts.all" not in (FOLDER / name).read_text(encoding="utf-8")
    page = (PROJECT_ROOT / "docs" / "where-it-runs.md").read_text(encoding="utf-8")
    assert "with the operator `env.java.opts.all: -Dflink.boost.mode=off`" in page


def test_a_job_of_a_session_names_its_cluster() -> None:
    cluster, job = documents("operator-session.yaml")
    assert "job" not in cluster["spec"]
    assert job["spec"]["deploymentName"] == cluster["metadata"]["name"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("operator-official-image", OTHER),
        ("operator-session", OTHER),
        ("pod-template", OTHER),
        ("session", OTHER),
        # As the page says: with another Flink, its number and its jar.
        ("operator-official-image", LINE),
    ],
)
@pytest.mark.needs_jars
def test_mounted_as_the_manifest_says_it_stands_before_flinks_own(
    name: str, line: Line, tmp_path: Path
) -> None:
    """The init container's command and the mounts, on a real Flink by the kernel's bind mounts."""
    jar = line.dropin_name(VERSION)
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").replace(JAR, jar)
    pods = map(pod_of, YAML(typ="safe").load_all(text))
    pod = [pod for pod in pods if "initContainers" in pod][-1]
    home = new_home(tmp_path / "flink", line)
    names = {jar.name for jar in (home / "lib").iterdir()}
    volume = tmp_path / "volume"
    volume.mkdir()
    (init,) = pod["initContainers"]
    (main,) = pod["containers"]
    (shared,) = init["volumeMounts"]
    (mount,) = main["volumeMounts"]
    assert shared["name"] == mount["name"] == pod["volumes"][0]["name"]
    assert pod["volumes"][0]["emptyDir"] == {}

    command = [word.replace("/jars/", "/opt/jars/") for word in init["command"]]
    assert command[-1].rstrip("/") == shared["mountPath"]
    jars = ["--bind", str(PROJECT_ROOT / "build" / "jars"), "/opt/jars"]
    subprocess.run([*SANDBOX, *jars, "--", *command[:-1], str(volume)], timeout=60, check=True)

    listed, entries = class_path(home, volume / mount["subPath"], mount["mountPath"])

    assert listed == {*names, jar}
    assert mount["mountPath"] == f"/opt/flink/lib/{jar}"
    assert entries[-1].startswith("/opt/flink/lib/flink-dist")
    assert mount["mountPath"] in entries[:-1]


def test_the_folder_that_a_misspelt_sub_path_makes_is_passed_over(tmp_path: Path) -> None:
    """As docs/where-it-runs.md says: stock's code runs, and nothing tells but the missing line."""
    home = new_home(tmp_path / "flink", OTHER)
    (tmp_path / "empty").mkdir()
    listed, entries = class_path(home, tmp_path / "empty", PLACE)
    assert JAR in listed
    assert PLACE not in entries


def class_path(home: Path, source: Path, target: str) -> tuple[set[str], list[str]]:
    """What is in ``lib/`` of a container with that mount, and what Flink's scripts make of it."""
    asked = 'source "$1"/bin/config.sh; ls "$1"/lib; constructFlinkClassPath'
    mounts = ["--bind", str(home), "/opt/flink", "--ro-bind", str(source), target]
    done = subprocess.run(
        [*SANDBOX, *mounts, "--", "bash", "-c", asked, "/opt/flink/bin/flink", "/opt/flink"],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    *listed, found = done.stdout.split()
    return set(listed), found.split(":")
