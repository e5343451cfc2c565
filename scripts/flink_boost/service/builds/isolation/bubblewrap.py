"""Shuts a command in by bubblewrap: namespaces of its own for all that Linux has namespaces for.

Started by root, the command's processes belong to a user that nobody else is, the owner of
``work``.
Started by anybody else they belong to that user, who inside is another. Either way they have no
capability, can gain none, and can make no user namespace.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flink_boost.base.errors import NoIsolation, UsageProblem
from flink_boost.service.builds.isolation.cgroups import ControlGroup, fresh_group
from flink_boost.service.builds.isolation.mirrors import Mirrors
from flink_boost.service.builds.isolation.sandbox import (
    BEGIN,
    MOST_TEMPORARY,
    USUAL,
    Ended,
    Limits,
    Owners,
)
from flink_boost.service.builds.isolation.supervising import supervise

_INSIDE = "1000"  # the user that it is inside, whatever it is outside
_ETC = Path(__file__).with_name("templates") / "etc"
_OWN_FILES = ("passwd", "group", "hosts")
# Settings of Maven, pip or git of the machine are not among them: they may hold passwords.
_SYSTEM_FILES = (
    "/etc/alternatives", "/etc/ca-certificates", "/etc/ssl/certs", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf",
    "/etc/maven/m2.conf", "/etc/maven/logging",
)  # fmt: skip
_JDK_FILES = "java-*-openjdk"  # in /etc, by Debian
_ROOTS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_MOST_OPEN = 4096  # files of one process; an open one takes memory of the kernel
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Bubblewrap:
    """Runs commands of strangers. ``program`` is bwrap's, ``mirrors`` what they may reach at times.

    ``first_owner`` begins the range of users for root; nobody on the machine may be one of them.
    """

    program: str = "bwrap"
    first_owner: int = 2_000_000_000
    count: int = 4096
    mirrors: Mirrors = field(default_factory=Mirrors)

    @property
    def owners(self) -> Owners:
        """To whom ``work`` has to belong: see ``fresh_workplace``."""
        return Owners(self.first_owner if os.geteuid() == 0 else None, self.count)

    def run(
        self,
        argv: Sequence[str],
        *,
        work: Path,
        readable: Sequence[Path],
        environment: Mapping[str, str],
        limits: Limits,
        log: Path,
        mirrors: bool,
        folder: Path | None = None,
    ) -> Ended:
        """Runs a command in ``folder``, by default ``work``; none of its processes is left then.

        It sees the system's programs, the ``readable`` files and folders under their own names,
        ``work``, which it alone may write, and the ``environment``, nothing else. With ``mirrors``
        it reaches the configured package mirrors. ``log`` is written by us and lies outside
        ``work``. Raises ``NoIsolation`` when the command could not be shut in; it has not run then.
        """
        uid = owner_of(work, self.owners)
        require_readable([*readable, work], uid)
        started = secrets.token_hex(16)
        files = limits.disk if work.is_mount() else 0
        with (
            fresh_group(started, limits, files=files) as group,
            self.mirrors.served(work, uid, wanted=mirrors) as way,
        ):
            command = wrapped(
                self.program,
                [*way.command, *argv],
                uid=uid,
                work=work,
                readable=[*readable, *way.readable],
                environment=way.added_to(environment),
                limits=limits,
                started=started,
                folder=folder,
                group=group,
            )
            return supervise(
                command, started=started, work=work, limits=limits, log=log, group=group
            )


def owner_of(work: Path, owners: Owners) -> int | None:
    """The user that a command in ``work`` runs as; None for our own, in a namespace of its own.

    Raises ``NoIsolation`` when ``work`` is no folder, or root's and nobody else's.
    """
    found = work.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NoIsolation(f"{work} is no folder.", "Make it with `fresh_workplace`.")
    if owners.first is None:
        return None
    if found.st_uid not in range(owners.first, owners.first + owners.count):
        raise NoIsolation(
            f"{work} belongs to user {found.st_uid}, whom code of strangers is not run as.",
            "Make it with `fresh_workplace`.",
        )
    return found.st_uid


def require_readable(paths: Sequence[Path], uid: int | None) -> None:
    """Raises ``NoIsolation`` for a path that is not there, or that the other user cannot reach."""
    for path in paths:
        if not path.is_absolute() or not path.exists():
            raise NoIsolation(f"{path} is not there to be read.", "Build or fetch it first.")
        for part in (path.resolve(), *path.resolve().parents):
            found = part.stat()
            wanted = 0o005 if stat.S_ISDIR(found.st_mode) and part == path else 0o001
            if stat.S_ISREG(found.st_mode):
                wanted = 0o004
            if uid is not None and found.st_uid != uid and found.st_mode & wanted != wanted:
                raise NoIsolation(
                    f"{part} is closed to other users, and code of strangers runs as one.",
                    f"Run `chmod o+rX {part}`, or put flink-boost where others may read it.",
                )


def wrapped(
    program: str,
    argv: Sequence[str],
    *,
    uid: int | None,
    work: Path,
    readable: Sequence[Path],
    environment: Mapping[str, str],
    limits: Limits,
    started: str,
    folder: Path | None = None,
    group: ControlGroup | None = None,
) -> list[str]:
    """The whole command: user dropped, shut in, limited. It is the same for the same arguments."""
    other: tuple[str, ...] = ()
    if uid is not None:
        user = f"--reuid={uid}", f"--regid={uid}"
        other = ("setpriv", *user, "--clear-groups", "--no-new-privs", "--")
    temporary = str(min(MOST_TEMPORARY, limits.memory))
    return [
        *(group.entering if group else ()),
        *other,
        program,
        *("--unshare-user", "--disable-userns", "--uid", _INSIDE, "--gid", _INSIDE),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--hostname", "localhost", "--cap-drop", "ALL"),
        *("--die-with-parent", "--new-session", "--clearenv"),
        *_variables({**USUAL, **environment}),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        # All of it is memory, and without a size half of the machine's.
        *("--size", temporary, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108
        *("--size", temporary, "--tmpfs", "/tmp"),  # noqa: S108
        # No link to /tmp: `work` may lie below, and bwrap makes no folders behind a link.
        *("--size", temporary, "--tmpfs", "/var/tmp"),  # noqa: S108
        *(word for path in readable for word in ("--ro-bind", str(path), str(path))),
        *("--bind", str(work), str(work)),
        *("--remount-ro", "/", "--chdir", str(folder or work), "--"),
        *(*BEGIN, started),
        *_limited(limits),
        *argv,
    ]


def _variables(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if not _VARIABLE.fullmatch(name) or "\0" in value:
            raise UsageProblem(f"{name!r} is no name of a variable.", "Correct the recipe.")
        yield from ("--setenv", name, value)


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _ROOTS:
        root = Path("/") / name
        if root.is_symlink():
            yield from ("--symlink", str(root.readlink()), str(root))
        elif root.is_dir():
            yield from ("--ro-bind", str(root), str(root))
    for name in _OWN_FILES:
        yield from ("--ro-bind", str(_ETC / name), f"/etc/{name}")
    files = (*map(Path, _SYSTEM_FILES), *sorted(Path("/etc").glob(_JDK_FILES)))
    for path in files:
        if path.exists():
            yield from ("--ro-bind", str(path), str(path))


def _limited(limits: Limits) -> tuple[str, ...]:
    """What the kernel holds each process to, and all of them in number."""
    return (
        "prlimit",
        f"--nproc={limits.processes}",
        f"--fsize={limits.disk}",
        f"--nofile={_MOST_OPEN}",
        f"--data={limits.memory}",
        "--core=0",
        "--memlock=0",
        "--",
        # If the machine runs out of memory all the same, these processes are the first to go.
        *("choom", "-n", "1000", "--"),
    )
