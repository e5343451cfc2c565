"""Java programs of the tests, compiled once and without the optimising compiler.

A JVM that is given a source file compiles it at every start, which takes most of a second.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from flink_boost.flink.jdks import java_home

_BRIEF = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-proc:none")
# Waits, with those classes loaded.
SLEEPER = """
class Sleeper {
    public static void main(String[] classes) throws Exception {
        for (String name : classes) Class.forName(name);
        System.out.println("ready");
        Thread.sleep(200_000);
    }
}
"""


def javac(*arguments: str | Path, class_path: Sequence[Path] = ()) -> None:
    """Compiles for JDK 17, if the arguments say nothing else; they name sources and a folder."""
    program = java_home(17) / "bin" / "javac"
    path = os.pathsep.join(map(str, class_path)) or "."
    words = map(str, (program, *_BRIEF, "-cp", path, *arguments))
    subprocess.run([*words], check=True, timeout=120)


@cache
def classes_of(name: str, source: str, class_path: tuple[Path, ...] = ()) -> Path:
    """A folder with the class of that name and source, which nobody changes."""
    folder = Path(tempfile.mkdtemp(prefix="classes-"))
    atexit.register(shutil.rmtree, folder)
    folder.chmod(0o755)
    file = folder / f"{name}.java"
    file.write_text(source, encoding="utf-8")
    javac("-d", folder, file, class_path=class_path)
    return folder
