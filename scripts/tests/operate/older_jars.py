"""Jars of ours as earlier versions left them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from installations import CARRIED, LINE, OTHER, VERSION, java_environment, small_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.environ", java_environment(LINE))
    return small_home(tmp_path / "flink")


def put_old_jar(home: Path, name: str) -> None:
    """A jar as a former flink-boost of that version would have left it."""
    if name == OTHER.dropin_name(VERSION):
        shutil.copy(CARRIED.dropin(OTHER), home / "lib" / name)
        return
    version = name.removesuffix(".jar").rpartition("-")[2]
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / name)
    record = "META-INF/flink-boost/weave.properties"
    text = f"boost.version={version}\nflink.version=2.3.0\n"
    text += "".join(f"class.{name}=00\n" for name in LINE.classes)
    folder = home / "tmp" / "record"
    (folder / record).parent.mkdir(parents=True)
    (folder / record).write_text(text)
    subprocess.run(
        [sys.executable, "-c", REWRITE, home / "lib" / name, record, folder / record],
        timeout=60,
        check=True,
    )
    shutil.rmtree(folder)


REWRITE = """
import sys, zipfile
jar, name, file = sys.argv[1:]
with zipfile.ZipFile(jar) as old:
    entries = {i.filename: old.read(i) for i in old.infolist()}
entries[name] = open(file, "rb").read()
with zipfile.ZipFile(jar, "w") as new:
    for entry, content in entries.items():
        new.writestr(entry, content)
"""
