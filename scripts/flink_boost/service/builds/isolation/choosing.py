"""Whether this machine has the sandbox, and whether it works."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from flink_boost.base.errors import NoIsolation
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.mirrors import VARIABLE, Mirrors
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace

IMAGE = "FLINK_BOOST_SANDBOX_IMAGE"  # it asks for podman
_NEEDED = ("setpriv", "prlimit", "choom")
INSTALL = "Run as root: apt-get update && apt-get install --yes bubblewrap"
_MIB = 1 << 20
_TRIAL = Limits(seconds=30, memory=256 * _MIB, disk=8 * _MIB, processes=64, output=_MIB)


def choose_sandbox(
    environ: Mapping[str, str],
    which: Callable[[str], str | None] = shutil.which,
) -> Bubblewrap:
    """Bubblewrap. Raises ``NoIsolation`` where it is not installed, or another one is asked for.

    Mirrors are those that ``FLINK_BOOST_MIRRORS`` names: ``host:port``, separated by commas.
    """
    named = (one.strip().lower() for one in environ.get(VARIABLE, "").split(","))
    mirrors = Mirrors(tuple(one for one in named if one))
    if environ.get(IMAGE):
        raise NoIsolation(
            f"{IMAGE} is set: it asks for podman, and bubblewrap is the only sandbox.",
            f"Take {IMAGE} out of the service's settings. {INSTALL}.",
        )
    if not (program := which("bwrap")):
        raise NoIsolation(
            "Code of strangers is not run: bubblewrap is not installed.", f"{INSTALL}."
        )
    if missing := [name for name in _NEEDED if not which(name)]:
        raise NoIsolation(
            f"Code of strangers cannot be limited: {', '.join(missing)} is not installed.",
            "Run as root: apt-get update && apt-get install --yes util-linux",
        )
    return Bubblewrap(program, mirrors=mirrors)


def prove(sandbox: Bubblewrap, folder: Path | None = None) -> None:
    """Runs ``true`` in it. Raises ``NoIsolation`` with what bubblewrap said."""
    parent = folder or Path(tempfile.gettempdir()) / "flink-boost-sandbox"
    with fresh_workplace(parent, sandbox.owners, disk=_TRIAL.disk) as work:
        ended = sandbox.run(
            ("true",),
            work=work,
            readable=(),
            environment={},
            limits=_TRIAL,
            log=work.with_name(f"{work.name}.log"),
            mirrors=False,
        )
        work.with_name(f"{work.name}.log").unlink()
    if not ended.well:
        said = ended.said or "it said nothing"
        raise NoIsolation(
            f"The sandbox does not work here: `true` {ended.sentence} ({said}).",
            "See docs/threat-model.md for what it needs.",
        )
