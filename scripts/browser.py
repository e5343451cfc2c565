"""Chromium for the browser tests, from Debian's packages."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

from flink_boost.base.errors import EnvironmentProblem

_APT_SECONDS = 1200.0
_BROWSER_PACKAGES = ("chromium", "fonts-liberation")


def ensure_browser(
    tell: Callable[[str], None], which: Callable[[str], str | None] = shutil.which
) -> bool:
    """Installs Chromium from Debian's packages for the browser tests; false when it is there.

    Raises ``EnvironmentProblem`` with the line to run when we are not root.
    """
    if which("chromium"):
        return False
    line = f"apt-get update && apt-get install --yes {' '.join(_BROWSER_PACKAGES)}"
    if os.geteuid() != 0 or not which("apt-get"):
        raise EnvironmentProblem(
            "The browser tests need Chromium, and only root can install it.", f"Run as root: {line}"
        )
    tell("Installing Chromium")
    for command in (
        ["apt-get", "update", "--quiet"],
        ["apt-get", "install", "--yes", "--quiet", *_BROWSER_PACKAGES],
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
                f"Chromium was not installed within {_APT_SECONDS:.0f} s.", f"Run as root: {line}"
            ) from error
        if done.returncode != 0:
            words = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
            raise EnvironmentProblem(
                f"Chromium could not be installed: {words}", f"Run as root: {line}"
            )
    return True
