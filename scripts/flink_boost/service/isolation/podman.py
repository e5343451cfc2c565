"""Shuts a command in by rootless podman: a container without network, of the operator's image.

Podman's own limits hold memory and processes; the watch and our clock do the rest. The programs are
those of the image, so that image and system have to be of one kind where jars of one run in the
other.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import NoIsolation
from flink_boost.service.isolation.bubblewrap import owner_of, require_readable
from flink_boost.service.isolation.mirrors import Mirrors
from flink_boost.service.isolation.sandbox import (
    BEGIN,
    MOST_TEMPORARY,
    USUAL,
    Ended,
    Limits,
    Owners,
)
from flink_boost.service.isolation.supervising import supervise

_END_SECONDS = 60.0


@dataclass(frozen=True)
class Podman:
    """A ``Sandbox``. ``image`` is the operator's; it is never pulled."""

    image: str
    program: str = "podman"
    mirrors: Mirrors = field(default_factory=Mirrors)

    @property
    def owners(self) -> Owners:
        """As the protocol says: podman is used by users other than root only."""
        return Owners(None, 4096)

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
        """As the protocol says."""
        owner_of(work, self.owners)
        require_readable(readable, None)
        for path in (*readable, work, folder or work):
            if ":" in str(path) or "," in str(path):
                raise NoIsolation(f"Podman cannot name the path {path}.", "Use another folder.")
        started = secrets.token_hex(16)
        name = f"flink-boost-{started}"
        with self.mirrors.served(work, None, wanted=mirrors) as way:
            command = podman_command(
                self.program,
                self.image,
                [*way.command, *argv],
                name=name,
                work=work,
                readable=[*readable, *way.readable],
                environment=way.added_to(environment),
                limits=limits,
                started=started,
                folder=folder,
            )

            def end() -> None:
                # The container is no child of ours: it has a monitor of its own.
                run_captured((self.program, "rm", "--force", "--time", "0", name), _END_SECONDS)

            return supervise(command, started=started, work=work, limits=limits, log=log, end=end)


def podman_command(
    program: str,
    image: str,
    argv: Sequence[str],
    *,
    name: str,
    work: Path,
    readable: Sequence[Path],
    environment: Mapping[str, str],
    limits: Limits,
    started: str,
    folder: Path | None = None,
) -> list[str]:
    """The whole command; it is the same for the same arguments."""
    temporary = min(MOST_TEMPORARY, limits.memory)
    return [
        *(program, "run", "--rm", "--pull=never", f"--name={name}", "--network=none"),
        *("--userns=keep-id:uid=1000,gid=1000", "--user=1000:1000", "--hostname=sandbox"),
        *("--cap-drop=all", "--security-opt=no-new-privileges", "--read-only"),
        *("--read-only-tmpfs=false", f"--tmpfs=/tmp:rw,nosuid,nodev,size={temporary}"),
        *(f"--shm-size={temporary}", f"--memory={limits.memory}"),
        *(f"--memory-swap={limits.memory}", f"--pids-limit={limits.processes}"),
        *("--ulimit=core=0:0", f"--ulimit=fsize={limits.disk}:{limits.disk}"),
        *(
            "--log-driver=none",
            "--unsetenv-all",
            "--http-proxy=false",
            f"--timeout={limits.seconds:.0f}",
        ),
        *(f"--env={key}={value}" for key, value in {**USUAL, **environment}.items()),
        *(f"--volume={path}:{path}:ro" for path in readable),
        f"--volume={work}:{work}:rw",
        f"--workdir={folder or work}",
        f"--entrypoint={BEGIN[0]}",
        "--",
        image,
        *(*BEGIN[1:], started),
        *argv,
    ]
