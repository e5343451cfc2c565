"""A command that gets a signal at the n-th change that it makes to the file system."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

_PROGRAM = textwrap.dedent("""
    import os, sys
    from pathlib import Path
    from flink_boost.cli import main as cli
    from flink_boost.operate import verify

    number, left = map(int, sys.argv[1:3])
    is_after = sys.argv[3] == "after"
    # This is about files, not about strings.
    verify.STRINGS = 5000

    def counted(original):
        def call(*arguments, **options):
            global left
            left -= 1
            if is_after:
                returned = original(*arguments, **options)
            if left == 0:
                os.kill(os.getpid(), number)
            return returned if is_after else original(*arguments, **options)
        return call

    os.fsync = counted(os.fsync)
    for name in ("rename", "replace", "unlink"):
        setattr(Path, name, counted(getattr(Path, name)))
    sys.exit(cli.main(sys.argv[4:]))
""")


def run_signalled_at(
    number: int, step: int, *arguments: str | Path, seconds: float = 60, moment: str = "before"
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end; SIGKILL ends it as ``kill -9`` or a power cut would.

    ``moment``: the signal comes "before" the change, or "after" it, before anybody noted it.
    """
    program = [sys.executable, "-c", _PROGRAM, str(number), str(step), moment]
    return subprocess.run(
        [*program, *map(str, arguments)],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
