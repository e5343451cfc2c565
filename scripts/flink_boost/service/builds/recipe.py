"""A recipe: a TOML file that says how a commit becomes jars in front of stock's class path.

``recipes/`` in the source tree has one for flink-boost itself and one for a checkout of Flink.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.model import OURS, Frozen, Purpose
from flink_boost.measure.toml_file import read_toml

RECIPES = PROJECT_ROOT / "recipes"
_MODULES = ("flink-core", "flink-runtime", "flink-streaming-java")
_HARMLESS = {"JAVA_HOME", "LANG", "MAVEN_ARGS", "MAVEN_OPTS", "TZ"}
_PLACEHOLDERS = {"line", "commit", "release", "project"}

Word = Annotated[str, Field(min_length=1)]


class Recipe(Frozen):
    """How the commits of one repository are built.

    The words of ``command`` and the patterns of ``jars`` may hold ``{line}``, ``{commit}``,
    ``{release}`` (the class path of the benchmarks on stock) and ``{project}`` (the root of
    flink-boost). The command runs in the root of a fresh checkout, not through a shell.
    """

    kind: Literal["flink-boost", "flink"]
    project: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    repository: Path = Field(description="a clone on this machine")
    branch: Annotated[str, Field(pattern=r"^[^-\s]\S*$")] = "HEAD"
    version: str = ""
    modules: tuple[Word, ...] = ()
    command: Annotated[tuple[Word, ...], Field(min_length=1)]
    jars: Annotated[tuple[Word, ...], Field(min_length=1)] = Field(
        description="patterns below the checkout, one file each, in class path order"
    )
    links: tuple[Word, ...] = Field(
        default=(), description="folders of flink-boost's root that the checkout shares"
    )
    environment: tuple[Word, ...] = Field(
        default=("JAVA_HOME",), description="variables that the command gets besides the usual"
    )
    isolated: bool = Field(default=False, description="built in a sandbox: commits of strangers")
    mirrors: bool = Field(
        default=False, description="a build in a sandbox may reach the named package mirrors"
    )
    minutes: Annotated[float, Field(gt=0, le=1440)] = 60.0
    keep: Annotated[int, Field(ge=2)] = Field(default=40, description="newest builds, per line")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        """What a recipe of each kind need not say."""
        if not isinstance(values, dict):
            return values
        usual: dict[str, Any] = {}
        if values.get("kind") == OURS:
            usual = {
                "project": OURS,
                "repository": PROJECT_ROOT,
                "command": ("make", "build", "LINE={line}"),
                "jars": ("build/jars/flink-boost-{line}-*.jar",),
                "links": (".cache",),
            }
        elif values.get("kind") == "flink":
            modules = values.get("modules") or _MODULES
            if not isinstance(modules, list | tuple) or not all(
                isinstance(module, str) for module in modules
            ):
                raise ValueError("modules is a list of names")
            words = ("mvn", "--batch-mode", "--quiet", "package", "-DskipTests", "-Dfast")
            usual = {
                "project": "flink",
                "modules": tuple(modules),
                "command": (*words, "-Pskip-webui-build", "-pl", ",".join(modules), "-am"),
                "jars": tuple(f"{module}/target/{module}[-_]*.jar" for module in modules),
            }
        return {**usual, **values}

    @model_validator(mode="after")
    def _name_of_its_own(self) -> Self:
        # It names a branch on the dashboard and a series; those of ours are taken.
        taken = {"master", *(purpose.value for purpose in Purpose)}
        if self.project in taken or (self.project == OURS) != (self.kind == OURS):
            raise ValueError(f"project: {self.project} is another's name; choose one")
        return self

    @field_validator("environment")
    @classmethod
    def _no_token(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name.startswith("FLINK_BOOST_"):
                raise ValueError(f"{name} is ours and may hold a token")
        return names

    @model_validator(mode="after")
    def _nothing_for_strangers(self) -> Self:
        """A variable that a stranger's build gets is told to the stranger."""
        if told := set(self.environment) - _HARMLESS if self.isolated else set():
            raise ValueError(f"environment: {min(told)} is not for an isolated build")
        return self

    @field_validator("jars", "links")
    @classmethod
    def _inside(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
                raise ValueError(f"{pattern} leaves the checkout")
        return patterns

    @model_validator(mode="after")
    def _known_placeholders(self) -> Self:
        for text in (*self.command, *self.jars):
            filled(text, dict.fromkeys(_PLACEHOLDERS, ""))
        return self


def filled(text: str, values: dict[str, str]) -> str:
    """The text with ``{name}`` replaced, and nothing else. Raises ``ValueError`` for a new name."""
    found = text
    for name, value in values.items():
        found = found.replace(f"{{{name}}}", value)
    rest = text
    for name in _PLACEHOLDERS:
        rest = rest.replace(f"{{{name}}}", "")
    if "{" in rest or "}" in rest:
        raise ValueError(f"{text!r}: known are {', '.join(sorted(_PLACEHOLDERS))} in braces")
    return found


def load_recipe(name: str, folder: Path = RECIPES) -> Recipe:
    """The recipe of that name in ``recipes/``, or in the TOML file at that path.

    A relative ``repository`` is relative to the recipe's folder. Raises ``UsageProblem`` when there
    is no such file, ``BrokenData`` when it is no recipe.
    """
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    try:
        recipe = read_toml(path, Recipe)
    except OSError as error:
        known = ", ".join(sorted(one.stem for one in folder.glob("*.toml"))) or "none"
        raise UsageProblem(
            f"There is no recipe {name} ({error.strerror}).",
            f"Name a TOML file, or one of recipes/: {known}.",
        ) from error
    repository = (path.parent / recipe.repository.expanduser()).resolve()
    return recipe.model_copy(update={"repository": repository})


def isolated(recipe: Recipe, value: bool = True) -> Recipe:
    """The same recipe, built in a sandbox or not.

    Raises ``UsageProblem`` for one that must not be: as where it gives a secret to the build.
    """
    try:
        return Recipe.model_validate({**recipe.model_dump(), "isolated": value})
    except ValidationError as error:
        why = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise UsageProblem(
            f"This recipe cannot be built in a sandbox ({why}).", "Correct it, or take another one."
        ) from error


def public_name(name: str, recipe: Recipe) -> str:
    """What those call it who read of it elsewhere; empty for a file of this machine alone.

    A name in ``recipes/``, also of a file that says the same of another clone, or the path of a
    file in the repository.
    """
    if not name.endswith(".toml"):
        return name
    path = Path(name).resolve()
    if path.is_relative_to(recipe.repository):
        return path.relative_to(recipe.repository).as_posix()
    own = {"repository", "branch", "isolated", "minutes", "keep"}
    for known in sorted(RECIPES.glob("*.toml")):
        with suppress(FlinkBoostError):  # a draft of somebody's that is none of this call's
            if load_recipe(str(known)).model_dump(exclude=own) == recipe.model_dump(exclude=own):
                return known.stem
    return ""
