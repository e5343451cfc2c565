"""What the tests need of Debian: a browser, a database, a sandbox, systemd, a Linux, gpg."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem

_APT_SECONDS = 1200.0
POSTGRESQL = Path("/usr/lib/postgresql")  # Debian's; the server is on no PATH


@dataclass(frozen=True)
class Need:
    """Something that tests run, the packages that bring it, and who asks for it."""

    title: str
    packages: tuple[str, ...]
    tests: str


BROWSER = Need("Chromium", ("chromium", "fonts-liberation"), "The browser tests need")
DATABASE = Need("PostgreSQL", ("postgresql",), "The dashboard's tests need")
SANDBOX = Need("bubblewrap", ("bubblewrap",), "The tests of strangers' code need")
KERNEL = Need(
    "User Mode Linux", ("user-mode-linux", "gcc", "libc6-dev"), "The tests of control groups need"
)
SIGNATURES = Need("GnuPG", ("gnupg",), "The tests of signatures need")
UNITS = Need("systemd-analyze", ("systemd",), "The tests of the systemd units need")


def ensure_for_tests(
    tell: Callable[[str], None],
    which: Callable[[str], str | None] = shutil.which,
    postgresql: Path = POSTGRESQL,
) -> bool:
    """Installs what is missing of all that; false when nothing is.

    Raises ``EnvironmentProblem`` with the line to run when we are not root.
    """
    missing = [] if which("chromium") else [BROWSER]
    if not any(postgresql.glob("*/bin/initdb")):
        missing.append(DATABASE)
    if not which("bwrap"):
        missing.append(SANDBOX)
    # Debian has it for this processor only, and the test is left out elsewhere.
    if platform.machine() == "x86_64" and not which("linux.uml"):
        missing.append(KERNEL)
    if not which("systemd-analyze"):
        missing.append(UNITS)
    if not which("gpg"):
        missing.append(SIGNATURES)
    for need in missing:
        _install(need, tell, which)
    return bool(missing)


def _install(need: Need, tell: Callable[[str], None], which: Callable[[str], str | None]) -> None:
    line = f"apt-get update && apt-get install --yes {' '.join(need.packages)}"
    if os.geteuid() != 0 or not which("apt-get"):
        raise EnvironmentProblem(
            f"{need.tests} {need.title}, and only root can install it.", f"Run as root: {line}"
        )
    tell(f"Installing {need.title}")
    for command in (
        ["apt-get", "update", "--quiet"],
        ["apt-get", "install", "--yes", "--quiet", *need.packages],
    ):
        try:
            done = subprocess.run(
                command,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_APT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EnvironmentProblem(
                f"{need.title} was not installed within {_APT_SECONDS:.0f} s.",
                f"Run as root: {line}",
            ) from error
        if done.returncode != 0:
            words = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
            raise EnvironmentProblem(
                f"{need.title} could not be installed: {words}", f"Run as root: {line}"
            )
