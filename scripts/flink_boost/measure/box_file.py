"""The name of a box, from ``box.toml``: what its series and its results are called.

A host name is no name of a box: a container's is another one each night. The file holds the name
and the fingerprint of the machine that it was written on, so that a copy on another machine, or a
container with other limits, is noticed instead of going on with a series that is not its own.
Version 2 holds the facts behind that as well, how the machine was set, and how quiet it has to be;
what it does not hold is not compared.
"""

from __future__ import annotations

import hashlib
import platform
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import tomlkit
from pydantic import Field, ValidationError

from flink_boost.base.errors import BrokenData, DifferentBox, EnvironmentProblem, UsageProblem
from flink_boost.base.files import make_folder, write_durably
from flink_boost.measure.box_change import differences
from flink_boost.measure.model import BoxFacts, Frozen

VARIABLE = "FLINK_BOOST_BOX"
USUAL_PLACE = Path("/etc/flink-boost/box.toml")

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"

_KIB_PER_STEP = 4 * 1024 * 1024  # 4 GiB: what a kernel keeps for itself never crosses a border


_Share = Annotated[float, Field(gt=0, le=1)]


class QuietLimits(Frozen):
    """How quiet a machine has to be before it measures; shares are between 0 and 1."""

    cpu: Annotated[float, Field(gt=0)] = 0.10
    """Spread of equal work on one core: slow ÷ fast (90th and 10th percentile) − 1."""

    cache: Annotated[float, Field(gt=0)] = 0.50
    """The same of loads from a table larger than a core's own caches."""

    steal: _Share = 0.02
    """Share of the cores' time that a hypervisor gave to others."""

    busy: _Share = 0.15
    """Share of the cores' time that other processes used."""


class BoxFile(Frozen):
    """What ``box.toml`` says."""

    version: Literal[1, 2] = 1
    name: Annotated[str, Field(pattern=rf"^{NAME_PATTERN}$")]
    fingerprint: str
    recorded: BoxFacts = BoxFacts()
    quiet: QuietLimits = QuietLimits()


def box_file(environ: Mapping[str, str]) -> Path:
    """Where the file is, or would be."""
    return Path(environ.get(VARIABLE) or USUAL_PLACE)


def read_box_file(environ: Mapping[str, str]) -> BoxFile | None:
    """The box's file; None when there is none in the usual place.

    Raises ``EnvironmentProblem`` when the variable names one that is not there, and ``BrokenData``
    for a file that is not one.
    """
    path = box_file(environ)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        return BoxFile.model_validate(document)
    except FileNotFoundError:
        if not environ.get(VARIABLE):
            return None
        raise EnvironmentProblem(
            f"{VARIABLE} names {path}, and there is no such file.",
            f"Write it with `flink-boost box record --name NAME --file {path}`.",
        ) from None
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} cannot be read ({error.strerror}).", "Correct its permissions."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise BrokenData(
            f"{path} is no box.toml: it has to hold a name and a fingerprint{_where(error)}.",
            "Write it again with `flink-boost box record --name NAME`.",
        ) from error


def _where(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False)[0]
    return f" ({'.'.join(map(str, first['loc']))}: {first['msg']})"


def write_box_file(path: Path, box: BoxFile) -> None:
    """Writes the file, replacing another one at once. Raises ``EnvironmentProblem``."""
    try:
        make_folder(path.parent)
        write_durably(path, tomlkit.dumps(_document(box)))
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} cannot be written ({error.strerror}).",
            "Run this command as root, or name another place with --file.",
        ) from error


def _document(box: BoxFile) -> dict[str, object]:
    document: dict[str, object] = {"name": box.name, "fingerprint": box.fingerprint}
    if box.version == 1:
        return document
    recorded = {name: value for name, value in box.recorded.model_dump().items() if value}
    changed = box.quiet.model_dump(exclude_defaults=True)
    tables = {"recorded": recorded, **({"quiet": changed} if changed else {})}
    return {"version": box.version, **document, **tables}


def fingerprint(cpu: str, cores: int, memory_kib: int) -> str:
    """12 hexadecimal digits that change with what a score depends on most, and with nothing else.

    Not the kernel and not the JDK, which get updates: those are in every run.
    """
    facts = (platform.machine(), cpu, str(cores), str(round(memory_kib / _KIB_PER_STEP)))
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def require_name(name: str) -> None:
    """Raises ``UsageProblem`` for a text that cannot be the name of a box."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageProblem(
            f"{name!r} is no name of a box.",
            "Use up to 63 letters, digits, dots, dashes and underscores.",
        )


def require_same_box(named: BoxFile, fingerprint_found: str, found: BoxFacts) -> None:
    """Raises ``EnvironmentProblem`` when this machine is not the one that the file was made on.

    That is ``DifferentBox`` when it is the same one, but set otherwise. Updates (kernel, JDK,
    microcode) are no reason.
    """
    if named.fingerprint != fingerprint_found:
        raise EnvironmentProblem(
            f"box.toml calls this machine {named.name!r} with the fingerprint {named.fingerprint},"
            f" but its processor, cores and memory give {fingerprint_found}.",
            "Give the container the limits that it had, name this machine anew with `flink-boost"
            " box record --name NAME`, or measure as another box with --environment NAME.",
        )
    refused = [change for change in differences(named.recorded, found) if change.refuses]
    if refused:
        raise DifferentBox(
            f"This machine is not set as {named.name!r} was when box.toml was written:"
            f" {'; '.join(map(str, refused))}.",
            f"{refused[0].next_step} If it stays so, run `flink-boost box record`, or measure as"
            " another box with --environment NAME.",
        )
