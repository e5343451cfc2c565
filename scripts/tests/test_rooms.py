"""The rooms of the package: the contracts hold, and a wrong import is caught; packages of Java."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT

SCRIPTS = PROJECT_ROOT / "scripts"
PACKAGES = ("flink_boost", "lab")
LINTER = Path(sys.executable).with_name("lint-imports")


def lint(scripts: Path) -> subprocess.CompletedProcess[str]:
    """What ``lint-imports`` says of the package in that folder."""
    return subprocess.run(
        [LINTER, "--no-cache"],
        cwd=scripts,
        env={**os.environ, "PYTHONPATH": str(scripts)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(
            SCRIPTS / package,
            tmp_path / package,
            ignore=shutil.ignore_patterns("__pycache__", "data"),
        )
    shutil.copy(SCRIPTS / "pyproject.toml", tmp_path)
    return tmp_path


# A module, an import that it may not have, and the contract that says so.
WRONG = (
    (
        "base/files.py",
        "import flink_boost.flink.lines",
        "A room imports only from rooms below it",
    ),
    (
        "judge/ratio.py",
        "import flink_boost.publish.sheet",
        "A room imports only from rooms below it",
    ),
    (
        "operate/install.py",
        "import flink_boost.measure.store",
        "An operator's wheel knows nothing of measuring",
    ),
    ("flink/lines.py", "import click", "base and flink run on the standard library alone"),
    ("judge/ratio.py", "import otava.analysis", "The product needs nothing of the lab"),
    (
        "judge/verdict.py",
        "import flink_boost.base.text",
        "The rule of verdicts, which the dashboard imports, stands alone",
    ),
    (
        "judge/alarm_record.py",
        "import scipy",
        "Nights and alarms, which the dashboard imports, need pydantic alone",
    ),
    ("port/soak.py", "import httpx", "Only publish and service speak HTTP by httpx"),
    (
        "judge/series.py",
        "import subprocess",
        "Judging touches no files, clock, network or processes",
    ),
    ("base/errors.py", "import flink_boost.base.files", "No cycles inside a room"),
    ("judge/ratio.py", "import lab.rivals", "The product needs nothing of the lab"),
    (
        "service/builds/cache.py",
        "import flink_boost.service.detect.confirming",
        "Builds know nothing of reruns, nights and requests, nor nights of requests",
    ),
)


def test_each_wrong_import_is_caught(copy: Path) -> None:
    for module, statement, _ in WRONG:
        file = copy / "flink_boost" / module
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace("\nimport ", f"\n{statement}\nimport ", 1)
            if "\nimport " in text
            else f"{text}\n\n{statement}\n",
            encoding="utf-8",
        )
    done = lint(copy)
    assert done.returncode == 1, done.stdout
    for module, statement, contract in WRONG:
        assert f"{contract} BROKEN" in done.stdout, contract
        importer = f"flink_boost.{module.removesuffix('.py').replace('/', '.')}"
        imported = statement.removeprefix("import ")
        assert re.search(
            rf"{re.escape(importer)} -> {re.escape(imported.split('.')[0])}", done.stdout
        ), (
            module,
            statement,
        )


def test_a_module_outside_of_all_rooms_is_caught(copy: Path) -> None:
    (copy / "flink_boost" / "helpers.py").write_text('"""Whatever."""\n', encoding="utf-8")
    done = lint(copy)
    assert done.returncode == 1, done.stdout
    assert "helpers" in done.stdout


def of_the_packages() -> list[Path]:
    return [file for package in PACKAGES for file in (SCRIPTS / package).rglob("*.py")]


def test_no_module_is_longer_than_a_person_reads_at_once() -> None:
    long = {
        str(file.relative_to(SCRIPTS)): count
        for file in of_the_packages()
        if (count := len(file.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for file in sorted(of_the_packages()):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(file.relative_to(SCRIPTS)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def alike(files: list[Path]) -> set[str]:
    """Names that two modules have; a module of commands is named after its command."""
    names = [file.stem for file in files if file.parent.name != "commands"]
    return {name for name in names if names.count(name) > 1} - {"__init__", "__main__"}


def test_no_two_modules_of_the_product_have_one_name() -> None:
    assert alike(list((SCRIPTS / "flink_boost").rglob("*.py"))) == set()


def test_two_modules_of_one_name_are_seen() -> None:
    files = [Path("a/plan.py"), Path("b/plan.py"), Path("a/runs.py"), Path("commands/runs.py")]
    assert alike(files) == {"plan"}


JAVA = ("flink-core-patch", "flink-runtime-patch", "weaver")
WEAVER = "weaver/src/main/java/org/flinkboost/weaver"
IMPORT = re.compile(r"\nimport (?:static )?org\.flinkboost\.weaver\.(?:([a-z]+)\.)?[A-Z]")


def java_sources(root: Path) -> list[Path]:
    return [
        file
        for module in JAVA
        for file in (root / module / "src").rglob("*.java")
        if "resources" not in file.parts and file.stem != "package-info"
    ]


def large_packages(files: list[Path]) -> dict[str, int]:
    """How many classes there are in packages of more than twelve; those of all lines together.

    Tests do not count: they stand in the package of what they test.
    """
    classes: dict[str, set[str]] = {}
    for file in files:
        if "test" not in file.parts:
            package = ".".join(file.parts[file.parts.index("java") + 1 : -1])
            classes.setdefault(package, set()).add(file.stem)
    return {name: len(each) for name, each in classes.items() if len(each) > 12}


def test_packages_of_java_are_small() -> None:
    sources = [file.relative_to(PROJECT_ROOT) for file in java_sources(PROJECT_ROOT)]
    assert large_packages(sources) == {}


def test_a_package_of_thirteen_classes_is_seen() -> None:
    files = [Path(f"weaver/src/main/java/org/acme/Class{i}.java") for i in range(13)]
    line = Path("flink-runtime-patch/src/line/1.9.3/main/java/org/acme/Class0.java")
    test = Path("weaver/src/test/java/org/acme/Class0.java")
    assert large_packages([*files, line]) == {"org.acme": 13}
    assert large_packages([*files[1:], line]) == {"org.acme": 13}
    assert large_packages([*files[1:], test]) == {}


def imported(folder: Path) -> dict[str, set[str]]:
    """Which packages below a folder each of them imports from; the folder itself has no name."""
    packages: dict[str, set[str]] = {}
    for file in folder.rglob("*.java"):
        name = "" if file.parent == folder else file.parent.name
        found = IMPORT.findall(file.read_text(encoding="utf-8"))
        packages.setdefault(name, set()).update(set(found) - {name})
    return packages


def test_packages_of_the_weaver_have_no_circle() -> None:
    packages = imported(PROJECT_ROOT / WEAVER)
    assert packages.keys() == {"", "own", "jar", "weave", "form", "line", "patch"}
    TopologicalSorter(packages).prepare()


def test_a_circle_of_packages_is_seen(tmp_path: Path) -> None:
    shutil.copytree(PROJECT_ROOT / WEAVER, tmp_path, dirs_exist_ok=True)
    words = tmp_path / "form" / "Words.java"
    text = words.read_text(encoding="utf-8")
    words.write_text(
        text.replace("\nimport ", "\nimport org.flinkboost.weaver.jar.Links;\nimport ", 1),
        encoding="utf-8",
    )
    with pytest.raises(CycleError):
        TopologicalSorter(imported(tmp_path)).prepare()


def test_no_class_of_java_is_longer_than_a_person_reads_at_once() -> None:
    long = {
        str(file.relative_to(PROJECT_ROOT)): count
        for file in java_sources(PROJECT_ROOT)
        if (count := len(file.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
