"""A java that calls itself Java 8."""

from __future__ import annotations

import os
from pathlib import Path


def java_8(folder: Path) -> Path:
    """A java that calls itself Java 8; what Flink's scripts ask of it the real one answers."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        'case "$*" in *-XshowSettings*)\n'
        f"printf '%s\\n' 'java.home = {folder}' 'java.runtime.version = 1.8.0_402-b06'"
        " 'java.specification.version = 1.8' >&2 ;;\n"
        f'*) exec {os.environ["JAVA_HOME"]}/bin/java "$@" ;;\n'
        "esac\n"
    )
    java.chmod(0o755)
    return folder
