"""What strangers leave: files are taken without following links, results read as an enemy's."""

from __future__ import annotations

import copy
import errno
import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import RefusedResult
from flink_boost.flink.side import Side
from flink_boost.measure.jmh import parse_fork
from flink_boost.measure.model import Cell
from flink_boost.service.builds.isolation import cleaning
from flink_boost.service.builds.isolation.fetching import (
    MOST_RESULT,
    fetch_file,
    find_files,
    read_file,
)
from flink_boost.service.builds.isolation.jmhresult import checked_result
from flink_boost.service.requests.wording import fenced

DATA = Path(__file__).parents[1] / "data" / "jmh-1.37.json"
CELL = Cell(
    benchmark="org.apache.flink.benchmark.StringSerializationBenchmark.write",
    params=(("kind", "ascii"), ("length", "16"), ("profile", "pure"), ("view", "serializer")),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "work"
    (folder / "target").mkdir(parents=True)
    (folder / "target" / "a.jar").write_text("jar")
    return folder


def test_a_regular_file_is_read_and_fetched_as_ours(work: Path, tmp_path: Path) -> None:
    assert read_file(work, "target/a.jar", most=3) == b"jar"
    (work / "target" / "a.jar").chmod(0o6777)
    fetch_file(work, "target/a.jar", tmp_path / "taken", most=3)
    assert (tmp_path / "taken").read_text() == "jar"
    assert (tmp_path / "taken").stat().st_uid == os.geteuid()
    assert (tmp_path / "taken").stat().st_mode & 0o7111 == 0
    assert find_files(work, "target/*.jar") == ("target/a.jar",)
    assert find_files(work, "*/b*.jar") == ()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("link", "no file of its own"),
        ("dangling", "no file of its own"),
        ("folder/secret", "no file of its own"),
        ("target", "no regular file"),
        ("pipe", "no regular file"),
        ("socket", "no file of its own"),
        ("twice", "more than one name"),
        ("large", "may have 1048576"),
        ("nothing", "was not written"),
        ("../secret", "leads out"),
        ("target/../../secret", "leads out"),
        ("", "leads out"),
        ("a\0b", "leads out"),
    ],
)
def test_nothing_else_is_read(work: Path, tmp_path: Path, name: str, why: str) -> None:
    (work / "link").symlink_to(tmp_path / "secret")
    (work / "dangling").symlink_to(tmp_path / "new")
    (work / "folder").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(work / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(work / "socket"))
    os.link(tmp_path / "secret", work / "twice")
    with (work / "large").open("wb") as file:
        file.truncate(1 << 30)  # a gigabyte that takes no space
    for take in (
        lambda: read_file(work, name, most=1 << 20),
        lambda: fetch_file(work, name, tmp_path / "taken", most=1 << 20),
    ):
        with pytest.raises(RefusedResult, match=why) as told:
            take()
        assert told.value.exit_code == 36
    assert not (tmp_path / "taken").exists()
    assert not (tmp_path / "new").exists()
    assert not list(tmp_path.glob("*.partial"))


def test_an_absolute_name_and_what_links_name_are_not_found(work: Path, tmp_path: Path) -> None:
    with pytest.raises(RefusedResult, match="leads out"):
        read_file(work, str(tmp_path / "secret"), most=99)
    (work / "target" / "b.jar").symlink_to(tmp_path / "secret")
    (work / "other").symlink_to(work / "target", target_is_directory=True)
    assert find_files(work, "*/*.jar") == ("target/a.jar",)
    with pytest.raises(RefusedResult, match="leads out"):
        find_files(work, "../*")


def test_a_folder_with_endless_names_is_refused(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flink_boost.service.builds.isolation.fetching._MOST_NAMES", 5)
    for number in range(6):
        (work / "target" / f"{number}.jar").touch()
    with pytest.raises(RefusedResult, match="too many files"):
        find_files(work, "target/*.jar")


def original() -> Any:
    return json.loads(DATA.read_text(encoding="utf-8"))


def check(document: Any) -> bytes:
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    return checked_result(text, CELL, threads=1, iterations=1)


def test_what_jmh_writes_passes_and_gives_the_same_fork() -> None:
    kept = check(DATA.read_bytes())
    assert parse_fork(kept, "kept", CELL, Side.BEFORE, 1) == parse_fork(
        DATA.read_bytes(), "written", CELL, Side.BEFORE, 1
    )
    assert check(kept) == kept
    (result,) = json.loads(kept)
    assert "jvmArgs" not in result
    assert set(result["secondaryMetrics"]) == {"cpu.time.norm", "gc.alloc.rate.norm", "gc.count"}


def test_threads_whose_allocation_is_lost_are_handed_on() -> None:
    uncounted = {"score": 7.0, "scoreError": "NaN", "scoreUnit": "threads", "rawData": [[7.0]]}
    path = (0, "secondaryMetrics", "threads.uncounted")
    kept = check(changed(_set(*path, value=uncounted)))
    assert parse_fork(kept, "kept", CELL, Side.BEFORE, 1).alloc_bytes_per_op is None


def changed(change: Callable[[Any], object]) -> Any:
    document = copy.deepcopy(original())
    change(document)
    return document


def _set(*path: Any, value: Any) -> Callable[[Any], object]:
    def change(document: Any) -> None:
        for part in path[:-1]:
            document = document[part]
        document[path[-1]] = value

    return change


_PRIMARY = (0, "primaryMetric")
_SCORE = (*_PRIMARY, "score")
_RAW = (*_PRIMARY, "rawData")
_ALLOCATION = (0, "secondaryMetrics", "gc.alloc.rate.norm")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_set(0, "benchmark", value="../../x"), r"is of '\.\./\.\./x', not of"),
        (_set(0, "benchmark", value=CELL.benchmark + "\u202e"), r"\\u202e"),
        (_set(0, "benchmark", value="x" * 1_000_000), "is of 'xxx"),
        (_set(0, "benchmark", value=None), "is of None"),
        (_set(0, "benchmark", value=["a"]), "a list or an object"),
        (_set(0, "mode", value="fast"), "mode"),
        (_set(0, "mode", value=["avgt"]), "mode"),
        (_set(0, "threads", value=2), "threads is 2, not 1"),
        (_set(0, "threads", value=True), "threads is True"),
        (_set(0, "forks", value=10), "forks"),
        (_set(0, "measurementIterations", value=5), "measurementIterations"),
        (_set(0, "params", "length", value="1024"), "parameters"),
        (_set(0, "params", value={}), "parameters"),
        (_set(0, "params", value=[]), "no object"),
        (_set(0, "params", "extra", value="a\nb"), "not printed"),
        (_set(0, "params", "extra", value="x" * 2000), "no text"),
        (_set(0, "params", "extra", value=7), "no text"),
        (lambda d: d[0]["params"].update({str(n): "" for n in range(99)}), "parameters"),
        (_set(*_SCORE, value=-1.0), "which cannot be"),
        (_set(*_SCORE, value=0), "which cannot be"),
        (_set(*_SCORE, value=1e300), "which cannot be"),
        (_set(*_SCORE, value=5e-324), "which cannot be"),
        (_set(*_RAW, value=[[5e-324]]), "which cannot be"),
        (_set(*_SCORE, value=10**400), "which cannot be"),
        (_set(*_SCORE, value="NaN"), "no number"),
        (_set(*_SCORE, value=True), "no number"),
        (_set(*_SCORE, value={"a": 1}), "a list or an object"),
        (_set(*_PRIMARY, value=[]), "no object"),
        (_set(*_PRIMARY, "scoreUnit", value="ns/op\n@all"), "scoreUnit"),
        (_set(*_PRIMARY, "scoreUnit", value=7), "scoreUnit"),
        (_set(*_RAW, value=[[1.0, 2.0]]), "2 iterations"),
        (_set(*_RAW, value=[[1.0], [2.0]]), "one fork"),
        (_set(*_RAW, value=[[]]), "0 iterations"),
        (_set(*_RAW, value=[["1"]]), "no number"),
        (_set(*_RAW, value="x"), "one fork"),
        (_set(*_ALLOCATION, "score", value=-5), "which cannot be"),
        (_set(*_ALLOCATION, "scoreUnit", value="GB/op"), "in 'GB/op'"),
        (_set(*_ALLOCATION, value=1), "no object"),
        (lambda d: d[0]["secondaryMetrics"].update({"·gc.count": {"score": 1}}), "twice"),
        (lambda d: d.append(d[0]), "one result"),
        (lambda d: d.clear(), "one result"),
        (_set(0, value="x"), "no object"),
    ],
)
def test_a_result_that_was_not_asked_for_is_refused(
    change: Callable[[Any], object], why: str
) -> None:
    with pytest.raises(RefusedResult, match=why) as told:
        check(changed(change))
    assert len(told.value.message) < 400
    assert told.value.message.isascii()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "deeper"),
        (b'[{"a":' * 50_000 + b"1", "deeper"),
        (b"[" + b"1," * 200_000 + b"1]", "more values"),
        (b"[1" + b"0" * 5000 + b"]", "that JMH writes"),
        (b"[NaN]", "the number NaN"),
        (b"[-Infinity]", "the number -Infinity"),
        (b'[{"a":1,"a":2}]', "a name twice"),
        (b"\xff\xfe[]", "not JSON"),
        (b'"' + b"x" * (3 << 20) + b'"', "too large"),
        (DATA.read_bytes()[:-20], "not JSON"),
        (b'"[[[[[[[[[[[[[[[[[[[[["', "one result"),
        (rb'["\\\\\\\"[[[[[[[[[[[[[[[[[["]', "no object"),
        (rb'["\\\\\\"[[[[[[[[[[[[[[[[[["]', "deeper"),
    ],
)
def test_what_is_no_result_at_all_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(RefusedResult, match=why):
        check(content)


@pytest.mark.parametrize("unit", [b'\\"', b"\\\n", b'"', b'"\\', b'""\n'])
def test_no_result_takes_long_to_be_refused(unit: bytes) -> None:
    content = b'"' + unit * ((MOST_RESULT - 1) // len(unit))
    began = time.thread_time()
    with pytest.raises(RefusedResult):
        check(content)
    # Whoever reads it holds up all other threads of the service.
    assert time.thread_time() - began < 2


def test_what_a_log_says_is_mere_text_in_a_comment() -> None:
    hostile = (
        "first\n"
        "```\n</details> <img src=x onerror=alert(1)> <!-- -->\n"
        "@everyone see https://evil.example/x and www.evil.example, GH-1, #2 [a](b) ![c](d)\n"
        "| a | b |\n# heading\n~~~\n&lt; $x$ \\( *bold*\n"
        "\x1b[31mred\x1b[0m \x1b]8;;http://evil\x07link\x1b]8;;\x07 \x08\x08\r done\n"
        "ab\u202ecd\u2066ef\u200bgh\ufeff\u2028ij\ue000\ud800 z" + "\u0301" * 50 + "\n\n\n"
    )
    said = cleaning.said(hostile)
    for sign in "`<>@#|[]~*\\&$\x1b\x07\x08\r\u202e\u2066\u200b\ufeff\u2028\ue000\ud800":
        assert sign not in said, sign
    assert "://" not in said
    assert "www." not in said
    assert "GH-1" not in said
    assert said.count("\u0301") == 2
    assert "red link  done" in said
    assert fenced(said).count("```") == 2
    assert said.encode("utf-8")
    lines = "\n".join(f"line {number}" for number in range(1000))
    assert cleaning.said(lines).splitlines() == [f"line {number}" for number in range(988, 1000)]
    assert len(cleaning.said("x" * 10_000_000)) <= 1500
    assert cleaning.said("") == ""


COLOURED = (
    "\x1b[1;31mERROR\x1b[0m\x1b[K in \x1b]8;;https://x\x1b\\Main.java\x1b]8;;\x07 "
    "\u009b32mgreen\u009b0m"
    "\x1b(B\x1b=\x1b]0;a title that never ends\r\n10 %\r20 %\rbell\x07 \x1b[999999 ü\n"
)
PLAIN = "ERROR in Main.java green\n10 %\n20 %\nbell? 999999 ü\n"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_colours_leave_nothing_in_a_log_however_it_is_cut(size: int) -> None:
    log, content = cleaning.QuietLog(), COLOURED.encode()
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    kept = "".join(map(log.quiet, pieces))
    assert [line for line in kept.split("\n") if line] == PLAIN.split("\n")[:-1]
    assert "ERROR in Main.java green" in cleaning.said(kept)


@pytest.mark.parametrize("unit", ["\x1b", "\x1b[", "\x1b]", "\x1b[0", "\x9b;", "\x1b]x\x1b"])
def test_no_sequence_takes_long_to_be_left_out(unit: str) -> None:
    log, piece = cleaning.QuietLog(), (unit * 65536).encode()
    began = time.thread_time()
    for _ in range(4):
        log.quiet(piece)
    assert time.thread_time() - began < 2


def test_a_folder_that_was_closed_is_refused_and_no_trouble_of_the_machine(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("os.open", closed)
    with pytest.raises(RefusedResult, match="closed"):
        find_files(work, "build/jars/*.jar")
    with pytest.raises(RefusedResult, match="closed"):
        read_file(work, "result.json", most=MOST_RESULT)
