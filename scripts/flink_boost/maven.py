"""Prints the Maven arguments for a line: ``python3 scripts/flink_boost/maven.py [VERSION]``.

Runs on a bare Python 3.11, because Maven is called before the project's own environment exists.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def maven_arguments(version: str | None = None, root: Path = ROOT) -> list[str]:
    """Arguments that select a line: versions, the artefact suffix, the local repository.

    Raises ``KeyError`` for a version that ``lines.toml`` does not name.
    """
    document = tomllib.loads((root / "lines.toml").read_text(encoding="utf-8"))
    version = version or document["default"]
    line = document["lines"][version]
    if not line["enabled"]:
        raise KeyError(version)
    return [
        f"-Dmaven.repo.local={root / '.cache' / 'm2'}",
        f"-Dflink.version={version}",
        f"-Dflink.artifact.suffix={line['artifact-suffix']}",
    ]


if __name__ == "__main__":
    try:
        print(" ".join(maven_arguments(sys.argv[1] if len(sys.argv) > 1 else None)))
    except KeyError as error:
        sys.exit(f"There is no switched-on Flink line {error} in lines.toml.")
