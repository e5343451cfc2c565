"""Tells what kind of installation a Flink home is, and what follows from that for our jar.

Flink's scripts take the jars of ``lib/`` in one order. What starts Flink without them may take them
in another order, from another place, or from another copy of the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from flink_boost.flink.dropin import PREFIX, DropIn
from flink_boost.flink.home import FlinkHome
from flink_boost.flink.launch import Launch
from flink_boost.operate.findings import Finding, Level

_PAGE = "docs/where-it-runs.md"

# With this file PyFlink starts a JVM for `python job.py`; before 1.11 it was a script of Flink's.
_GATEWAY = "pyflink_gateway_server.py"
# Of the official image, and of ours.
_ENTRY_POINTS = ("docker-entrypoint.sh", "opt/flink/bin/flink-entrypoint.sh")
_NAMED = 3


class HomeKind(StrEnum):
    """Who put an installation there."""

    STANDALONE = "standalone"
    PYFLINK = "PyFlink"
    IMAGE = "container image"


def kind_of(home: FlinkHome, environment: Mapping[str, str], root: Path = Path("/")) -> HomeKind:
    """The kind of an installation; ``root`` is what the machine or container has at ``/``."""
    if (home.folder / "find_flink_home.py").is_file():
        return HomeKind.PYFLINK
    named = environment.get("FLINK_HOME", "")
    own = bool(named) and Path(named).resolve() == home.folder
    if own and any((root / entry).is_file() for entry in _ENTRY_POINTS):
        return HomeKind.IMAGE
    return HomeKind.STANDALONE


def look_around(
    home: FlinkHome,
    kind: HomeKind,
    launch: Launch | None,
    ours: DropIn | None,
) -> Iterator[Finding]:
    """What follows from where an installation is.

    ``launch`` is None where its scripts do not answer, ``ours`` where it has no jar of ours.
    """
    match kind:
        case HomeKind.PYFLINK:
            yield Finding(
                Level.FINE,
                "It is PyFlink's own Flink, which pip installed.",
                "pip leaves our jar there when it installs another PyFlink: then run"
                f" `flink-boost install {home.quoted}` again.",
            )
        case HomeKind.IMAGE:
            yield Finding(
                Level.FINE,
                "It is a container image's Flink: what changes here is lost with this container.",
                f"Install when the image is built, or mount the jar: {_PAGE}.",
            )
        case HomeKind.STANDALONE:
            yield Finding(
                Level.FINE, "It is a standalone installation: bin/ starts Flink from lib/."
            )
    if ours is not None and ours.path != home.dist and (home.folder / _GATEWAY).is_file():
        yield _gateway(home, ours)
    yield from _application_mode(home)
    if launch is not None:
        yield from _elsewhere(launch)
        if launch.user is not None:
            yield Finding(
                Level.FINE,
                f"Its scripts and its Java were run as {launch.user.name}, not as root, because"
                " others than root can change them.",
            )


def _gateway(home: FlinkHome, ours: DropIn) -> Finding:
    """PyFlink makes a class path without Flink's scripts: it lists ``lib/`` and does not sort.

    So do we.
    """
    listed = [jar.name for jar in home.lib.iterdir()]
    if listed.index(home.dist.name) < listed.index(ours.path.name):
        return Finding(
            Level.WARNING,
            "`python job.py` runs stock's code: PyFlink takes the jars of lib/ in the order in"
            f" which this file system lists them, {home.dist.name} before {ours.path.name}.",
            "Start jobs by `bin/flink run --python job.py`, which sorts them; with"
            " `--target local` it needs no cluster either.",
        )
    return Finding(
        Level.FINE,
        "`python job.py` finds our classes first, too: this file system lists them before"
        f" {home.dist.name}.",
    )


def _application_mode(home: FlinkHome) -> Iterator[Finding]:
    jars = sorted((home.folder / "usrlib").rglob("*.jar"))
    if jars:
        names = ", ".join(jar.name for jar in jars[:_NAMED]) + (", …" if jars[_NAMED:] else "")
        yield Finding(
            Level.FINE,
            f"It is set up for application mode: usrlib/ holds {names}. The job's classes come from"
            " there, Flink's and ours from lib/.",
        )
    for jar in jars:
        if jar.name.startswith(PREFIX):
            yield Finding(
                Level.WARNING,
                f"{jar} has no effect there: usrlib/ is for the job's own jars.",
                f"Delete it, and run `flink-boost install {home.quoted}`.",
            )


def _elsewhere(launch: Launch) -> Iterator[Finding]:
    """Settings by which a cluster takes Flink from another place than this ``lib/``."""
    if launch.yarn_folders:
        yield Finding(
            Level.WARNING,
            f"yarn.provided.lib.dirs is {launch.yarn_folders}: what is started on YARN takes Flink"
            " and our jar from there, not from lib/.",
            f"Put the same jar into lib/ there: {_PAGE}.",
        )
    if launch.kubernetes_image:
        yield Finding(
            Level.WARNING,
            f"kubernetes.container.image is {launch.kubernetes_image}: what is started on"
            " Kubernetes takes Flink and our jar from that image, not from lib/.",
            f"Take an image with the jar in it, or mount it: {_PAGE}.",
        )
