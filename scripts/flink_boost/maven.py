"""Prints the Maven arguments for a line: ``python3 scripts/flink_boost/maven.py [VERSION]``.

``--default`` prints the version of the default line instead. Runs on a bare Python 3.11, because
Maven is called before the project's own environment exists.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def maven_arguments(version: str | None = None, root: Path = ROOT) -> list[str]:
    """Arguments that select a line: versions, the artefact suffix, the local repository.

    Raises ``KeyError`` for a version that ``lines.toml`` does not name or has not switched on.
    """
    document = tomllib.loads((root / "lines.toml").read_text(encoding="utf-8"))
    version = version or str(document["default"])
    line = document["lines"][version]
    if not line["enabled"]:
        raise KeyError(version)
    return [
        f"-Dmaven.repo.local={root / '.cache' / 'm2'}",
        f"-Dflink.version={version}",
        f"-Dflink.artifact.suffix={line['artifact-suffix']}",
    ]


def default_version(root: Path = ROOT) -> str:
    """The line that is worked on when none is named."""
    return str(tomllib.loads((root / "lines.toml").read_text(encoding="utf-8"))["default"])


def enabled_versions(root: Path = ROOT) -> list[str]:
    """The lines that can be built."""
    lines = tomllib.loads((root / "lines.toml").read_text(encoding="utf-8"))["lines"]
    return [version for version, line in lines.items() if line["enabled"]]


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["--default"]:
            print(default_version())
        else:
            print(" ".join(maven_arguments(sys.argv[1] if sys.argv[1:] else None)))
    except KeyError as error:
        sys.exit(
            f"There is no switched-on Flink line {error} in lines.toml."
            f" Choose one of: {', '.join(enabled_versions())}."
        )
