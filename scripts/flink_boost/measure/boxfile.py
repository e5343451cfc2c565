"""The name of a box, from ``box.toml``: what its series and its results are called.

A host name is no name of a box: a container's is another one each night. The file holds the name
and the fingerprint of the machine that it was written on, so that a copy on another machine, or a
container with other limits, is noticed instead of going on with a series that is not its own.
"""

from __future__ import annotations

import hashlib
import platform
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import make_folder, write_durably
from flink_boost.measure.model import Frozen

VARIABLE = "FLINK_BOOST_BOX"
USUAL_PLACE = Path("/etc/flink-boost/box.toml")

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"

_KIB_PER_STEP = 4 * 1024 * 1024  # 4 GiB: what a kernel keeps for itself never crosses a border


class BoxFile(Frozen):
    """What ``box.toml`` says."""

    name: Annotated[str, Field(pattern=rf"^{NAME_PATTERN}$")]
    fingerprint: str


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
            "Write it with `flink-boost box --name NAME`.",
        ) from None
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} cannot be read ({error.strerror}).", "Correct its permissions."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise BrokenData(
            f"{path} is no box.toml: it has to hold a name and a fingerprint.",
            "Write it again with `flink-boost box --name NAME`.",
        ) from error


def write_box_file(path: Path, box: BoxFile) -> None:
    """Writes the file, replacing another one at once. Raises ``EnvironmentProblem``."""
    try:
        make_folder(path.parent)
        write_durably(path, f'name = "{box.name}"\nfingerprint = "{box.fingerprint}"\n')
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} cannot be written ({error.strerror}).",
            "Run this command as root, or name another place with --file.",
        ) from error


def fingerprint(cpu: str, cores: int, memory_kib: int) -> str:
    """12 hexadecimal digits that change with what a score depends on most, and with nothing else.

    Not the kernel and not the JDK, which get updates: those are in every run.
    """
    facts = (platform.machine(), cpu, str(cores), str(round(memory_kib / _KIB_PER_STEP)))
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def require_same_box(named: BoxFile, found: str) -> None:
    """Raises ``EnvironmentProblem`` when this machine is not the one that the file was made on."""
    if named.fingerprint != found:
        raise EnvironmentProblem(
            f"box.toml calls this machine {named.name!r} with the fingerprint {named.fingerprint},"
            f" but its processor, cores and memory give {found}.",
            "Give the container the limits that it had, or name this machine anew with"
            " `flink-boost box --name NAME`.",
        )
