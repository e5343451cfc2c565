"""Builds of Flink in which one method is slow on purpose, from Flink's own published sources."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.lines import Line

SLOW = "org.apache.flink.types.StringValue.dawdle"
_FILE = "org/apache/flink/types/StringValue.java"
_SIGNATURE = "public static final void writeString(CharSequence cs, DataOutput out)"
_METHOD = """
    private static volatile int dawdled = 1;

    private static void dawdle() {
        for (int i = 0; i < ROUNDS; i++) {
            dawdled = dawdled * 31 + i;
        }
    }

    """


def slow_jar(line: Line, class_path: str, folder: Path, rounds: int) -> Path:
    """A jar with a ``StringValue`` whose ``writeString`` first dawdles for so many rounds."""
    pin = next(pin for pin in line.sources if pin.project.startswith("flink-core"))
    sources = ensure_artifact(pin, classifier="sources", folder="sources")
    with zipfile.ZipFile(sources) as archive:
        text = archive.read(_FILE).decode()
    assert text.count(_SIGNATURE) == 1
    before, _, after = text.partition(_SIGNATURE)
    declared, brace, body = after.partition("{")
    method = _METHOD.replace("ROUNDS", str(rounds))
    text = f"{before}{method}{_SIGNATURE}{declared}{brace}\n        dawdle();{body}"
    source = folder / "src" / _FILE
    source.parent.mkdir(parents=True)
    source.write_text(text, encoding="utf-8")
    classes = folder / "classes"
    subprocess.run(
        [
            *("javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", str(classes)),
            *("-cp", class_path, str(source)),
        ],
        check=True,
        timeout=120,
        capture_output=True,
        env=dict(os.environ),
    )
    jar = folder / f"slow-{rounds}.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, file.relative_to(classes))
    return jar
