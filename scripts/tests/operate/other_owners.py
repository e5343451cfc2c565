"""Installations that belong to another user, and commands that are called on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from installations import LINE, java_environment

from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home

OWNER, OTHER = 4711, 4712
ROOT = os.geteuid() == 0
# Whoever root's call runs things as; another user's call runs them as that user.
EXPECTED = OWNER if ROOT else os.geteuid()
Marks = Callable[[], set[int]]
# What Flink's own script has, as far as it is asked for.
CONFIG = """
bin=$(cd "$(dirname "$0")" && pwd)
FLINK_CONF_DIR="${FLINK_CONF_DIR:-$bin/../conf}"
YAML_CONF="$FLINK_CONF_DIR/config.yaml"
readFromConfig() { sed -n "s/^$1: //p" "$3" | tail -n 1; }
JAVA_RUN=$(readFromConfig env.java.home "" "$YAML_CONF")/bin/java
FLINK_ENV_JAVA_OPTS=$(readFromConfig env.java.opts.all "" "$YAML_CONF")
constructFlinkClassPath() { printf %s "$bin/../lib/flink-dist-2.3.0.jar"; }
id -u >> /dev/null
"""


def own(folder: Path, uid: int = OWNER) -> None:
    """Gives it away, where that can be done."""
    if ROOT:
        for path in (folder, *folder.rglob("*")):
            os.lchown(path, uid, uid)


def telling_java(folder: Path, marks: Path) -> Path:
    """A home of Java whose program first writes down as whom it runs."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    real = f"{java_home(17)}/bin/java -XX:TieredStopAtLevel=1"
    java.write_text(f'#!/bin/sh\nid -u >> {marks}/$(id -u)\nexec {real} "$@"\n')
    java.chmod(0o755)
    return folder


def small(place: Path) -> Path:
    """A Flink with a script of ours, whose configuration names the Java."""
    home = place / "flink"
    for name in ("bin", "conf", "lib"):
        (home / name).mkdir(parents=True)
    (home / "bin" / "config.sh").write_text(CONFIG)
    (home / "bin" / "flink").write_text("FLINK_ENV_JAVA_OPTS\n")
    java = telling_java(place / "jdk", place / "marks")
    (home / "conf" / "config.yaml").write_text(f"env.java.home: {java}\n")
    with zipfile.ZipFile(home / "lib" / "flink-dist-2.3.0.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Implementation-Version: 2.3.0\r\n")
    return home


def whole(place: Path) -> Path:
    """A copy of the real one, nothing of it linked: its files get another owner."""
    home = place / "flink"
    shutil.copytree(ensure_distribution(LINE), home)
    own_java(home, place)
    return home


def own_java(home: Path, place: Path) -> None:
    java = telling_java(place / "jdk", place / "marks")
    with (home / "conf" / "config.yaml").open("a") as conf:
        conf.write(f"\nenv.java.home: {java}\n")


def command(
    *words: str | Path, prefix: tuple[str, ...] = (), answer: tuple[str, ...] = ("--json",)
) -> subprocess.CompletedProcess[str]:
    """The real command; what it prints has to be JSON, if nothing else is said."""
    return subprocess.run(
        [*prefix, sys.executable, "-m", "flink_boost.cli", *map(str, words), *answer],
        env={**java_environment(LINE), "SECRET_OF_ROOT": "1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        # What root makes is for root alone, if nothing is done about it.
        umask=0o077,
    )
