"""A ``java`` for tests that measure: JMH or its double, which may fail when it is told to."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from flink_boost.flink.jdks import find_java

DOUBLE = Path(__file__).with_name("jmh_double.py")
# A test that takes ``by``: by the double; with real forks, which take minutes, in `make test-all`.
BY_DOUBLE_AND_JMH = pytest.mark.parametrize(
    "by", ["double", pytest.param("jmh", marks=[pytest.mark.forks, pytest.mark.test_all])]
)


def make_java(
    folder: Path, *, double: bool = True, failing: Sequence[int] = (), action: str = ":"
) -> Path:
    """``bin/java`` below the folder, which does ``action`` instead of its n-th measurement.

    ``double``: what measures is ``jmh_double.py``, and JMH otherwise. All else is the machine's own
    java.
    """
    found = shutil.which(find_java(None, os.environ))
    assert found
    real = shlex.quote(found)
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    calls = shlex.quote(str(folder / "calls"))
    cases = "|".join(map(str, failing)) or "none"
    measuring = f"{sys.executable} -I -S {DOUBLE} {real}" if double else real
    brief = "-XX:TieredStopAtLevel=1"  # what measures nothing runs for a moment
    mains = "*org.openjdk.jmh.Main*|*benchmark.Launcher*"
    java.write_text(
        "#!/bin/sh\n"
        f'case "$*" in {mains}) ;; *) exec {real} {brief} "$@" ;; esac\n'
        f"echo x >> {calls}; n=$(wc -l < {calls})\n"
        f'case "$n" in {cases}) {action} ;; esac\n'
        f'exec {measuring} "$@"\n',
        encoding="utf-8",
    )
    java.chmod(0o755)
    return java
