"""Which of Flink's test classes run, in which order, and in which JVM: ``flink-tests.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.versions import version_key
from flink_boost.measure.model import Frozen
from flink_boost.measure.toml_file import read_toml

FOLDER = PROJECT_ROOT / "scripts" / "flink-tests"
MODULES = ("core", "runtime", "streaming-java")
INTEGRATION_TEST = "ITCase"


class _Table(Frozen):
    """A table of the file, whose keys are written with hyphens."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=lambda name: name.replace("_", "-"),
        # Plans are stored under the names of the fields.
        populate_by_name=True,
    )


class RunLimits(_Table):
    """Sizes of chunks in classes, and how long a JVM may take for a chunk or a single class.

    ``silent_seconds``: how long it may print nothing of tests that begin or end.
    """

    classes_per_chunk: int = Field(ge=1)
    integration_tests_per_chunk: int = Field(ge=1)
    chunk_seconds: float = Field(gt=0)
    class_seconds: float = Field(gt=0)
    silent_seconds: float = Field(gt=0)


class Jvm(_Table):
    """Options and system properties of every JVM.

    ``selection_options`` come in addition where the selection of ``make test`` runs.
    """

    options: tuple[str, ...]
    selection_options: tuple[str, ...] = ()
    properties: dict[str, str]


class Module(_Table):
    """What one module of one line adds to the common settings.

    ``whole``: ``make test-flink`` runs all of its tests, not the selected ones alone.
    """

    jvm_options: tuple[str, ...]
    jdk_options: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    properties: dict[str, str] = Field(default_factory=dict)
    selection: tuple[str, ...]
    whole: bool = True


class Exclusion(_Table):
    """A class that ``make test`` leaves out because it fails on stock in our environment."""

    lines: tuple[str, ...]
    jdks: tuple[int, ...] = ()
    module: str
    class_name: str = Field(alias="class")
    reason: str = Field(min_length=10)

    def applies(self, line: str, jdk: int) -> bool:
        """Whether it holds for that line on that JDK; no JDK named means all."""
        return line in self.lines and (not self.jdks or jdk in self.jdks)


class Catalogue(_Table):
    """The whole file."""

    class_name: str
    prefix: str
    limits: RunLimits
    jvm: Jvm
    selection: dict[str, tuple[str, ...]]
    lines: dict[str, dict[str, Module]]
    exclusions: tuple[Exclusion, ...] = ()
    models: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _modules_are_known(self) -> Self:
        named = {name for modules in self.lines.values() for name in modules}
        named |= set(self.selection) | {exclusion.module for exclusion in self.exclusions}
        if named - set(MODULES):
            raise ValueError(f"unknown module {min(named - set(MODULES))!r}")
        return self


class Chunk(Frozen):
    """Test classes that run in one JVM. ``excluded``: they are known to fail on stock."""

    id: str
    module: str
    classes: tuple[str, ...]
    excluded: bool = False


def load_catalogue(path: Path = FOLDER / "flink-tests.toml") -> Catalogue:
    """Reads the file. Raises ``BrokenData`` naming the first key that is wrong."""
    return read_toml(path, Catalogue)


def modules_of(catalogue: Catalogue, line: str) -> dict[str, Module]:
    """The modules of a line. Raises ``UsageProblem`` for a line not in the file."""
    if line not in catalogue.lines:
        raise UsageProblem(
            f"flink-tests.toml does not know Flink {line}.", f'Add [lines."{line}".core] to it.'
        )
    return catalogue.lines[line]


def for_release(catalogue: Catalogue, version: str, modules: Sequence[str]) -> Catalogue:
    """The same with a release in it that is no line: the settings of its model, no exclusion.

    Raises ``UsageProblem`` for a release that is older than every model.
    """
    older = [first for first in catalogue.models if version_key(first) <= version_key(version)]
    if not older:
        raise UsageProblem(f"flink-tests.toml has no model for Flink {version}.")
    model = modules_of(catalogue, catalogue.models[max(older, key=version_key)])
    added = {name: model[name] for name in modules}
    return catalogue.model_copy(update={"lines": {**catalogue.lines, version: added}})


def present(catalogue: Catalogue, available: Mapping[str, Sequence[str]]) -> Catalogue:
    """The same without the patterns that match no test of a release; tests come and go."""

    def kept(module: str, patterns: Sequence[str]) -> tuple[str, ...]:
        names = available.get(module, ())
        return tuple(
            pattern
            for pattern in patterns
            if any(fnmatchcase(name, catalogue.prefix + pattern) for name in names)
        )

    selection = {module: kept(module, them) for module, them in catalogue.selection.items()}
    lines = {
        line: {
            name: module.model_copy(update={"selection": kept(name, module.selection)})
            for name, module in modules.items()
        }
        for line, modules in catalogue.lines.items()
    }
    return catalogue.model_copy(update={"selection": selection, "lines": lines})


def jvm_options(
    catalogue: Catalogue,
    line: str,
    module: str,
    jdk: int,
    line_options: Sequence[str],
    *,
    selection: bool = False,
) -> tuple[str, ...]:
    """All options of the JVM: common ones, the line's own configuration, the module's POM."""
    settings = modules_of(catalogue, line)[module]
    properties = catalogue.jvm.properties | settings.properties
    options = (
        *catalogue.jvm.options,
        *(catalogue.jvm.selection_options if selection else ()),
        *line_options,
        *settings.jvm_options,
        *settings.jdk_options.get(str(jdk), ()),
        *(f"-D{name}={value}" for name, value in properties.items()),
    )
    return tuple(dict.fromkeys(options))


def test_classes(catalogue: Catalogue, class_files: Iterable[str]) -> list[str]:
    """Names of the test classes among files such as ``org/apache/…/FooTest.class``, sorted."""
    pattern = re.compile(catalogue.class_name)
    names = (file.removesuffix(".class").replace("/", ".") for file in class_files)
    return sorted(name for name in names if "$" not in name and pattern.search(name))


def select(catalogue: Catalogue, line: str, module: str, classes: Sequence[str]) -> list[str]:
    """The classes that ``make test`` runs, exclusions still among them.

    Raises ``BrokenData`` for a pattern that matches none: a test that silently disappeared.
    """
    of_line = modules_of(catalogue, line)[module].selection
    patterns = (*catalogue.selection.get(module, ()), *of_line)
    chosen: set[str] = set()
    for pattern in patterns:
        matching = {name for name in classes if fnmatchcase(name, catalogue.prefix + pattern)}
        if not matching:
            raise BrokenData(
                f"flink-tests.toml selects {pattern}, but Flink {line} has no such {module} test.",
                "Correct the pattern.",
            )
        chosen |= matching
    return sorted(chosen)


def matching(classes: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """The classes whose name contains a match of one of the regular expressions.

    Raises ``UsageProblem`` for an expression that is not one.
    """
    try:
        compiled = [re.compile(pattern) for pattern in patterns]
    except re.error as error:
        raise UsageProblem(f"{error.pattern!r} is not a regular expression ({error}).") from error
    return [name for name in classes if any(pattern.search(name) for pattern in compiled)]


def excluded_classes(catalogue: Catalogue, line: str, jdk: int, module: str) -> dict[str, str]:
    """Full names of the module's excluded classes, with the reason."""
    return {
        catalogue.prefix + exclusion.class_name: exclusion.reason
        for exclusion in catalogue.exclusions
        if exclusion.module == module and exclusion.applies(line, jdk)
    }


def chunks_of(
    module: str, classes: Sequence[str], excluded: Iterable[str], limits: RunLimits
) -> list[Chunk]:
    """Unit tests in large chunks, integration tests in small ones, excluded classes one by one."""
    apart = set(excluded)
    ordinary = [name for name in classes if name not in apart]
    unit = [name for name in ordinary if not name.endswith(INTEGRATION_TEST)]
    integration = [name for name in ordinary if name.endswith(INTEGRATION_TEST)]
    groups = [
        *((group, False) for group in _split(unit, limits.classes_per_chunk)),
        *((group, False) for group in _split(integration, limits.integration_tests_per_chunk)),
        *(((name,), True) for name in classes if name in apart),
    ]
    return [
        Chunk(id=f"{module}-{number:03}", module=module, classes=group, excluded=known)
        for number, (group, known) in enumerate(groups, start=1)
    ]


def _split(names: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(names[start : start + size]) for start in range(0, len(names), size)]


def selection_of(
    catalogue: Catalogue, line: str, jdk: int, available: Mapping[str, Sequence[str]]
) -> list[Chunk]:
    """The chunks of ``make test``: selected classes of all modules, without the excluded ones."""
    chunks = []
    for module, classes in available.items():
        excluded = excluded_classes(catalogue, line, jdk, module)
        chosen = [c for c in select(catalogue, line, module, classes) if c not in excluded]
        chunks += chunks_of(module, chosen, (), catalogue.limits)
    return chunks


def all_of(
    catalogue: Catalogue, line: str, jdk: int, available: Mapping[str, Sequence[str]]
) -> list[Chunk]:
    """The chunks of ``make test-flink``: every test class, excluded ones on their own.

    Of a module that is not taken whole, those that ``make test`` runs.

    Raises ``BrokenData`` for an exclusion of a class that does not exist.
    """
    chunks = []
    for module, classes in available.items():
        excluded = excluded_classes(catalogue, line, jdk, module)
        for name in excluded:
            if name not in classes:
                raise BrokenData(
                    f"flink-tests.toml excludes {name}, but Flink {line} has no such test.",
                    "Take it out.",
                )
        whole = modules_of(catalogue, line)[module].whole
        chosen = classes if whole else select(catalogue, line, module, classes)
        chunks += chunks_of(module, chosen, excluded, catalogue.limits)
    return chunks


def chosen_of(
    catalogue: Catalogue, available: Mapping[str, Sequence[str]], patterns: Sequence[str]
) -> list[Chunk]:
    """The chunks of classes named by regular expressions, excluded ones among them.

    Raises ``UsageProblem`` when none matches.
    """
    chunks = []
    for module, classes in available.items():
        chunks += chunks_of(module, matching(classes, patterns), (), catalogue.limits)
    if not chunks:
        raise UsageProblem(
            f"No test class of Flink matches {' or '.join(patterns)}.",
            "Give a regular expression that matches part of a class name.",
        )
    return chunks
