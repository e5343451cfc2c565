"""Which of the files that a build left is the jar that its recipe names."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from flink_boost.base.errors import BuildFailed

_BESIDE = ("-tests.jar", "-test-sources.jar", "-sources.jar", "-javadoc.jar")


def only_one(names: Sequence[str], pattern: str) -> str:
    """The one name among those that a pattern names, tests and sources aside.

    Raises ``BuildFailed``.
    """
    found = [name for name in names if not name.endswith(_BESIDE)]
    if len(found) != 1:
        told = ", ".join(name.rpartition("/")[2] for name in found) or "none"
        raise BuildFailed(f"{pattern} has to name one jar, and names: {told}.")
    return found[0]


def single_jar(checkout: Path, pattern: str) -> Path:
    """The one jar that a pattern names. Raises ``BuildFailed``."""
    found = {str(path): path for path in sorted(checkout.glob(pattern)) if path.is_file()}
    jar = found[only_one(tuple(found), pattern)]
    if not jar.resolve().is_relative_to(checkout.resolve()):
        raise BuildFailed(f"{jar.name} leads out of the checkout.")
    if not zipfile.is_zipfile(jar):
        raise BuildFailed(f"{jar.name} is no jar.")
    return jar
