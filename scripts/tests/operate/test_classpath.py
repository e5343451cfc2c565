"""The class path that Flink's scripts make, and what on it keeps our classes from running."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    OFF,
    java_environment,
    new_home,
    problems,
    put_in_front,
    put_jar,
    set_options,
)

from flink_boost.base.errors import SeveralDropIns, VerificationFailed
from flink_boost.flink.dropin import DropIn
from flink_boost.flink.home import open_home
from flink_boost.flink.launch import ROLES, Launch, ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.operate.classpath import require_in_effect

Answer = Callable[..., dict[str, Any]]

OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer"
ENTRY = f"{OUTPUT.replace('.', '/')}.class"


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.version)
def test_what_is_for_hadoop_stands_behind_the_jars(line: Line, tmp_path: Path) -> None:
    home = new_home(tmp_path / "flink", line)
    hadoop = tmp_path / "hadoop"
    hadoop.mkdir()
    for name in ("b.jar", "a.jar", "c.JAR", "readme.txt"):
        (hadoop / name).touch()
    environment = java_environment(line) | {
        "HADOOP_CLASSPATH": f"/one.jar::{hadoop}/*:{tmp_path}/none/*",
        "HADOOP_CONF_DIR": "/hadoop/conf",
        "YARN_CONF_DIR": "",
        "HBASE_CONF_DIR": "/hbase/conf",
    }

    found = ask_scripts(open_home(home), environment).class_path

    place = found.index(home / "lib" / f"flink-dist{line.artifact_suffix}-{line.version}.jar")
    assert all(jar.parent == home / "lib" for jar in found[: place + 1])
    assert found[place + 1 :] == (
        Path("/one.jar"),
        *(hadoop / name for name in ("a.jar", "b.jar", "c.JAR")),
        Path("/hadoop/conf"),
        Path("/hbase/conf"),
    )


@pytest.mark.parametrize("packed", [True, False], ids=["jar", "folder"])
@pytest.mark.needs_jars
def test_an_older_class_among_what_is_for_hadoop(
    packed: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    older = tmp_path / "hadoop" / ("older.jar" if packed else "classes")
    if packed:
        older.parent.mkdir()
        with zipfile.ZipFile(older, "w") as archive:
            archive.writestr(ENTRY, b"another")
        monkeypatch.setenv("HADOOP_CLASSPATH", f"{older.parent}/*")
    else:
        (older / ENTRY).parent.mkdir(parents=True)
        (older / ENTRY).write_bytes(b"another")
        monkeypatch.setenv("HBASE_CONF_DIR", str(older))

    found = answer("doctor", home)

    assert found["exit_code"] == VerificationFailed.exit_code
    (problem,) = problems(found)
    assert problem.startswith(f"{older} has a {OUTPUT} that is not the one which")


@pytest.mark.needs_jars
def test_a_second_jar_of_ours_among_what_is_for_hadoop(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    second = Path(shutil.copy(CARRIED.dropin(LINE), tmp_path / "second.jar"))
    monkeypatch.setenv("HADOOP_CLASSPATH", str(second))

    found = answer("doctor", home)

    assert found["exit_code"] == SeveralDropIns.exit_code
    (problem,) = problems(found)
    assert problem.startswith(
        f"More than one flink-boost jar is on the class path, {home / 'lib' / JAR} and {second}:"
    )

    # The same file by another name is the same entry.
    second.unlink()
    second.symlink_to(home / "lib" / JAR)
    assert answer("doctor", home)["ok"]


@pytest.mark.parametrize("count", [1, len(LINE.classes)], ids=["one", "all"])
@pytest.mark.needs_jars
def test_switched_off_it_does_not_matter_what_stands_in_front(
    count: int, home: Path, answer: Answer
) -> None:
    put_jar(home)
    front = put_in_front(home, list(LINE.classes)[:count])
    set_options(home, **{"env_java_default-opts_all": OFF})

    found = answer("doctor", home)

    assert found["ok"], problems(found)
    (warning,) = [f for f in found["findings"] if f["text"].startswith(f"{front} stands before")]
    assert warning["level"] == "warning"
    assert "stock's code runs" in warning["text"]


@pytest.mark.needs_jars
def test_one_role_that_is_on_still_refuses_to_start(home: Path, answer: Answer) -> None:
    put_jar(home)
    put_in_front(home, [OUTPUT])
    set_options(home, env_java_opts_taskmanager=OFF)
    found = answer("doctor", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert "no process of this Flink will start, unless ours is switched off" in problems(found)[0]


# --- made-up class paths --------------------------------------------------------------------------

STOCK, OTHER = b"stock's", b"another"


def jar_with(jar: Path, classes: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(jar, "w") as archive:
        for name, content in classes.items():
            archive.writestr(f"{name.replace('.', '/')}.class", content)
    return jar


def ours_at(jar: Path) -> DropIn:
    """A jar that says of itself that it replaces ``a.B`` and ``a.C``."""
    jar_with(jar, {"a.B": b"woven", "a.C": b"woven"})
    checksum = hashlib.sha256(STOCK).hexdigest()
    return DropIn(jar, "2.3.0", "0.2.0", {"a.B": checksum, "a.C": checksum})


def launch(*class_path: Path) -> Launch:
    return Launch("java", class_path, dict.fromkeys(ROLES, ()))


@pytest.mark.parametrize(
    ("name", "way_back"),
    [
        ("flink-boost-2.3.0-0.2.0.jar", "run `flink-boost uninstall`"),
        ("flink-dist-2.3.0.jar", "put the original {ours} back"),
    ],
)
def test_the_way_back_is_that_of_the_variant(name: str, way_back: str, tmp_path: Path) -> None:
    ours = ours_at(tmp_path / name)
    front = jar_with(tmp_path / "front.jar", {"a.B": STOCK})
    with pytest.raises(VerificationFailed) as raised:
        require_in_effect(launch(front, ours.path), ours)
    told = raised.value.next_step
    assert told == f"Take Flink's classes out of {front}, or {way_back.format(ours=ours.path)}."


def test_the_jars_own_record_says_what_it_replaces(tmp_path: Path) -> None:
    ours = ours_at(tmp_path / "flink-boost.jar")
    dist = jar_with(tmp_path / "flink-dist.jar", {"a.B": STOCK, "a.C": STOCK, OUTPUT: OTHER})
    assert require_in_effect(launch(ours.path, dist), ours) == ""

    jar_with(dist, {"a.B": STOCK, "a.C": OTHER})
    with pytest.raises(VerificationFailed, match=r"has a a\.C that is not the one which"):
        require_in_effect(launch(ours.path, dist), ours)


def test_a_jar_that_is_not_on_the_class_path(tmp_path: Path) -> None:
    ours = ours_at(tmp_path / "flink-boost.jar")
    with pytest.raises(VerificationFailed, match="is not on the class path"):
        require_in_effect(launch(tmp_path / "flink-dist.jar"), ours)
