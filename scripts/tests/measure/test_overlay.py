"""The third side's jar: only the named classes, from pinned jars, the same bytes every time."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.lines import PinnedFile, load_lines
from flink_boost.measure.overlay import UPSTREAM_FILE, ensure_overlay, find_fix

CLASS = "org.apache.flink.types.StringValue"


def published(path: Path, *entries: str) -> Path:
    with zipfile.ZipFile(path, "w") as jar:
        for entry in entries:
            jar.writestr(entry, f"bytes of {entry}")
    return path


def data(path: Path, classes: str = f'"{CLASS}"') -> Path:
    path.write_text(
        '["1.9.3".upstream]\ntitle = "later"\n'
        f'jars = [{{ project = "p", version = "1", file = "p-1.jar", sha256 = "{"0" * 64}",'
        f" classes = [{classes}] }}]\n",
        encoding="utf-8",
    )
    return path


def test_only_the_named_class_is_taken(tmp_path: Path) -> None:
    entry = "org/apache/flink/types/StringValue.class"
    jar = published(tmp_path / "p.jar", "META-INF/MANIFEST.MF", "a/Other.class", entry)
    asked: list[PinnedFile] = []

    def fetch(pin: PinnedFile) -> Path:
        asked.append(pin)
        return jar

    path = data(tmp_path / "upstream.toml")
    third = ensure_overlay("1.9.3", "upstream", tmp_path / "build", path=path, fetch=fetch)
    assert asked == [PinnedFile("p", "1", "p-1.jar", "0" * 64)]
    assert (third.name, third.title) == ("upstream", "later")
    with zipfile.ZipFile(third.jar) as overlay:
        assert overlay.namelist() == [entry]
        assert overlay.read(entry) == f"bytes of {entry}".encode()


def test_the_jar_is_the_same_every_time_and_repaired_when_it_is_not(tmp_path: Path) -> None:
    jar = published(tmp_path / "p.jar", "org/apache/flink/types/StringValue.class")
    path = data(tmp_path / "upstream.toml")

    def make() -> Path:
        build = tmp_path / "build"
        return ensure_overlay("1.9.3", "upstream", build, path=path, fetch=lambda _: jar).jar

    first = make()
    content, written = first.read_bytes(), first.stat().st_mtime_ns
    assert make().stat().st_mtime_ns == written, "a jar that is right is not touched"
    first.write_bytes(content[:50])
    assert hashlib.sha256(make().read_bytes()).digest() == hashlib.sha256(content).digest()


def test_a_class_that_is_not_there_is_named(tmp_path: Path) -> None:
    jar = published(tmp_path / "p.jar", "org/apache/flink/types/Other.class")
    path = data(tmp_path / "upstream.toml")
    with pytest.raises(BrokenData, match=r"does not hold org/apache/flink/types/StringValue"):
        ensure_overlay("1.9.3", "upstream", tmp_path, path=path, fetch=lambda _: jar)
    assert not (tmp_path / "upstream").exists()


def test_a_line_without_a_third_side_names_those_that_have_one() -> None:
    with pytest.raises(UsageProblem, match=r"no third side 'upstream' for Flink 2\.3\.0") as caught:
        find_fix("2.3.0", "upstream")
    assert "upstream (Flink 1.9.3)" in caught.value.next_step


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[", "is not TOML"),
        ('["1.9.3".upstream]\ntitle = "x"\njars = []\n', r"1\.9\.3\.upstream\.jars: .*at least 1"),
    ],
)
def test_damaged_data_is_named(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "upstream.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenData, match=rf"upstream\.toml.*{what}"):
        find_fix("1.9.3", "upstream", path)


def test_the_official_classes_load_in_front_of_the_line(tmp_path: Path) -> None:
    """The real jars: fetched or from the cache, and the class is not the line's own."""
    third = ensure_overlay("1.9.3", "upstream-all", tmp_path, path=UPSTREAM_FILE)
    own = load_lines()["1.9.3"].classes[CLASS]
    with zipfile.ZipFile(third.jar) as overlay:
        assert sorted(name.rsplit("/", 1)[-1] for name in overlay.namelist()) == [
            "SpanningRecordSerializer.class",
            "StringValue.class",
        ]
        content = overlay.read("org/apache/flink/types/StringValue.class")
    assert content[:4] == bytes.fromhex("cafebabe")
    assert hashlib.sha256(content).hexdigest() != own
