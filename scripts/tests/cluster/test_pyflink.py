"""PyFlink's own Flink, laid out as pip does it, with our jar in its ``lib/``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ruamel.yaml
from flink_installation import DEFAULT_PLATFORM, Platform
from installations import VERSION
from our_classes import announced

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.downloads import ensure_download
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, PinnedFile, load_lines
from flink_boost.operate.example_job import loaded_classes

# What PyFlink imports for a job without functions in Python; each is importable as it is.
PACKAGES = [
    PinnedFile(project, version, file, sha256)
    for project, version, file, sha256 in (
        (
            "py4j",
            "0.10.9.7",
            "py4j-0.10.9.7-py2.py3-none-any.whl",
            "85defdfd2b2376eb3abf5ca6474b51ab7e0de341c75a02f46dc9b5976f5a5c1b",
        ),
        (
            "cloudpickle",
            "3.1.3",
            "cloudpickle-3.1.3-py3-none-any.whl",
            "1654f4f18e416447210a63c5c25a135d65a292156aa5fa519dfa4baf7726dddb",
        ),
        (
            "python-dateutil",
            "2.9.0.post0",
            "python_dateutil-2.9.0.post0-py2.py3-none-any.whl",
            "a8b2bc7bffae282281c8140a97d3aa9c14da0b136dfe83f850eea9a5f7470427",
        ),
        (
            "pytz",
            "2026.6",
            "pytz-2026.6-py2.py3-none-any.whl",
            "7fed3fee8fd6bd4a2b7b75a8d56021d0624127bf69bd5691f115db929ac570b3",
        ),
        (
            "six",
            "1.17.0",
            "six-1.17.0-py2.py3-none-any.whl",
            "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274",
        ),
    )
]
SECONDS = 300
JARS = PROJECT_ROOT / "build" / "jars"
CODEC = "org.apache.flink.boost.strings.StringWriter"
STRING_VALUE = "org.apache.flink.types.StringValue"
JOB = """
from pyflink.table import EnvironmentSettings, TableEnvironment

table = TableEnvironment.create(EnvironmentSettings.in_batch_mode()).execute_sql(
    "SELECT word, COUNT(*) AS times"
    " FROM (VALUES ('wörter'), ('слова'), ('wörter'), ('文字'), ('wörter'), ('слова')) AS t (word)"
    " GROUP BY word"
)
with table.collect() as rows:
    for row in rows:
        print("counted", row[0], row[1])
"""
COUNTED = {("wörter", "3"), ("слова", "2"), ("文字", "1")}
MEMORY = Path("/dev/shm")

pytestmark = [
    pytest.mark.in_full_form_only,
    pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True),
]


class PyFlink:
    """The folder ``pyflink`` among the packages of a Python."""

    def __init__(self, line: Line, distribution: Path, packages: Path, java: Path) -> None:
        wheel = next(pin for pin in line.distribution if pin.file.endswith(".whl"))
        with zipfile.ZipFile(ensure_download(wheel)) as archive:
            archive.extractall(packages)
        self.home = packages / "pyflink"
        for script in (self.home / "bin").iterdir():
            script.chmod(0o755)
        # These come from `apache-flink-libraries`; in memory there is no room for them.
        shutil.copy(distribution / "bin" / "bash-java-utils.jar", self.home / "bin")
        for folder in ("lib", "opt", "plugins"):
            (self.home / folder).mkdir()
            for file in sorted((distribution / folder).iterdir()):
                (self.home / folder / file.name).symlink_to(file)
        self.job = packages / "job.py"
        self.job.write_text(JOB, encoding="utf-8")
        self._java = java

    def run(self, *command: str | Path) -> set[tuple[str, str]]:
        """What a job counted that was started by that command."""
        for former in self.home.glob("log/classes.*.txt"):
            former.unlink()
        done = subprocess.run(
            [str(word) for word in command],
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return set(re.findall(r"^counted (\w+) (\d+)$", done.stdout, re.MULTILINE))

    def source_of(self, name: str) -> str:
        """The jar from which the last JVM that ran the job took a class; empty for none."""
        for file in self.home.glob("log/classes.*.txt"):
            loaded = loaded_classes(file)
            if STRING_VALUE in loaded:
                return loaded.get(name, "").rpartition("/")[2]
        raise AssertionError("no JVM ran a job")

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLINK", "JVM_ARGS"))}
        yaml = Path(ruamel.yaml.__file__).parents[2]
        packages = [self.home.parent, *map(ensure_download, PACKAGES), yaml]
        return {
            **kept,
            "JAVA_HOME": str(self._java),
            "JVM_ARGS": f"-Xlog:class+load:file={self.home}/log/classes.%p.txt",
            "PYTHONPATH": os.pathsep.join(map(str, packages)),
            # Functions in Python would need Apache Beam beside us; this job has none.
            "_python_worker_execution_mode": "process",
        }


@pytest.fixture
def pyflink(line: Line, distribution: Path, platform: Platform) -> Iterator[PyFlink]:
    """In memory, where a folder lists first what was added last: so the order can be chosen."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        yield PyFlink(line, distribution, Path(folder), java_home(platform.jdk))


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, platform: Platform
) -> Any:
    monkeypatch.setenv("JAVA_HOME", str(java_home(platform.jdk)))

    def answer(command: str, pyflink: PyFlink) -> dict[str, Any]:
        capsys.readouterr()
        main([command, str(pyflink.home), "--json"])
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return answer


@pytest.mark.timeout(1800)
def test_doctor_foretells_whose_classes_a_job_started_by_python_runs(
    pyflink: PyFlink, dropin_jar: Path, call: Any
) -> None:
    (dist,) = (pyflink.home / "lib").glob("flink-dist*.jar")
    seen = set()
    assert call("install", pyflink)["ok"]
    for _ in range(2):
        findings = call("doctor", pyflink)["findings"]
        assert any("It is PyFlink's own Flink" in f["text"] for f in findings)
        (order,) = [f for f in findings if "`python job.py`" in f["text"]]
        assert pyflink.run(sys.executable, pyflink.job) == COUNTED
        ours = order["level"] == "fine"
        assert pyflink.source_of(STRING_VALUE) == (dropin_jar.name if ours else dist.name)
        seen.add(ours)
        # Now the other one was added last.
        target = dist.readlink()
        dist.unlink()
        dist.symlink_to(target)
    if pyflink.home.is_relative_to(MEMORY):
        assert seen == {True, False}


@pytest.mark.timeout(1800)
def test_flink_run_puts_our_classes_first_whatever_the_folder_lists(
    pyflink: PyFlink, dropin_jar: Path, line: Line, call: Any
) -> None:
    assert call("install", pyflink)["ok"]
    (dist,) = (pyflink.home / "lib").glob("flink-dist*.jar")
    target = dist.readlink()
    dist.unlink()
    dist.symlink_to(target)

    counted = pyflink.run(
        *(pyflink.home / "bin" / "flink", "run", "--target", "local"),
        *("--pyClientExecutable", sys.executable, "--python", pyflink.job),
    )

    assert counted == COUNTED
    assert pyflink.source_of(STRING_VALUE) == dropin_jar.name
    (log,) = pyflink.home.glob("log/flink-*-client-*.log")
    (announcement,) = announced(log.read_text(encoding="utf-8"))
    assert f"for Flink {line.version}: mode on" in announcement


@pytest.mark.timeout(1800)
def test_a_jar_for_another_flink_stays_switched_off_in_python_and_ends_flink_run(
    pyflink: PyFlink, line: Line, call: Any
) -> None:
    """The check hangs on Flink's file systems, which this job's JVM does not start."""
    (other,) = [each for each in load_lines().values() if each.version == "1.20.5"]
    wrong = Path(shutil.copy(JARS / other.dropin_name(VERSION), pyflink.home / "lib"))
    sentence = f"{wrong.name} is built for Flink {other.version}"
    assert any(sentence in f["text"] for f in call("doctor", pyflink)["findings"])

    assert pyflink.run(sys.executable, pyflink.job) == COUNTED

    assert pyflink.source_of(CODEC) == ""
    with pytest.raises(AssertionError, match=f"but found Flink {line.version}"):
        pyflink.run(
            *(pyflink.home / "bin" / "flink", "run", "--target", "local"),
            *("--pyClientExecutable", sys.executable, "--python", pyflink.job),
        )
