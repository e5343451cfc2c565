"""Our classes inside flink-dist: nothing else differs, and what is not as expected is refused."""

from __future__ import annotations

import io
import operator
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from installations import CARRIED, LINES
from small_distribution import (
    CLASS,
    OFFICIAL,
    SERVICES,
    TEXTS,
    Inputs,
    entry_of,
    files_in,
    small_dist,
    small_dropin,
    unpacked,
)

from flink_boost.base.errors import BrokenData
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.dropin import ASIDE, RECORD
from flink_boost.flink.lines import Line
from flink_boost.operate.dist import jar as dist_jar
from flink_boost.operate.dist.build import Variant
from flink_boost.operate.dist.jar import write_replaced

pytestmark = pytest.mark.needs_jars


OUR_ENTRIES = {
    "META-INF/flink-boost/LICENSE": b"our licence",
    "META-INF/flink-boost/NOTICE": b"our notice",
    SERVICES: b"flink.OtherFactory\nboost.Guard\n",
    "org/apache/flink/boost/Codec.class": b"our codec",
    entry_of(CLASS): b"our class file",
    f"{ASIDE}org/acme/Row.class": b"our class file aside",
    "org/acme/FlinkBoostDoor.class": b"our door",
}


def raw_entries(jar: Path) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Each entry as it lies in the file: local header, compressed content, what follows it."""
    content = jar.read_bytes()
    with zipfile.ZipFile(jar) as archive:
        infos = archive.infolist()
        starts = sorted(info.header_offset for info in infos)
        ends = dict(zip(starts, [*starts[1:], archive.start_dir], strict=True))
    for info in infos:
        yield info, content[info.header_offset : ends[info.header_offset]]


# What the table of contents says about an entry, but for its place.
attributes = operator.attrgetter(
    *("filename", "date_time", "compress_type", "comment", "extra", "create_system", "volume"),
    *("create_version", "extract_version", "reserved", "flag_bits", "internal_attr"),
    *("external_attr", "CRC", "compress_size", "file_size"),
)


def differing_entries(official: Path, changed: Path) -> dict[str, bytes]:
    """Names whose bytes differ, or that are new, with their content; others have to be equal."""
    before, after = list(raw_entries(official)), list(raw_entries(changed))
    names = [info.filename for info, _ in before]
    assert [info.filename for info, _ in after][: len(names)] == names
    different = [info.filename for info, _ in after[len(names) :]]
    for (info, raw), (new_info, new_raw) in zip(before, after, strict=False):
        if raw != new_raw:
            different.append(info.filename)
        else:
            assert attributes(info) == attributes(new_info)
    with zipfile.ZipFile(changed) as archive:
        return {name: archive.read(name) for name in different}


def test_in_the_replaced_variant_only_our_entries_differ(inputs: Inputs, tmp_path: Path) -> None:
    home = unpacked(inputs.build(Variant.REPLACED), tmp_path / "there")
    official = tmp_path / "official.jar"
    official.write_bytes(inputs.dist)

    assert home.name == "flink-7.0-boost-replaced"
    assert files_in(home) == OFFICIAL | TEXTS
    changed = home / "lib/flink-dist-7.0.jar"
    with zipfile.ZipFile(inputs.dropin) as ours:
        expected = OUR_ENTRIES | {RECORD: ours.read(RECORD)}
    assert differing_entries(official, changed) == expected
    with zipfile.ZipFile(changed) as archive:
        assert archive.comment == b"a comment"
        assert archive.testzip() is None


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.version)
def test_in_flinks_real_jar_only_our_entries_differ(line: Line, tmp_path: Path) -> None:
    (official,) = (ensure_distribution(line) / "lib").glob("flink-dist*.jar")
    dropin = CARRIED.dropin(line)
    changed = tmp_path / official.name
    with changed.open("wb") as file:
        write_replaced(official, dropin, file.write)

    different = differing_entries(official, changed)

    with zipfile.ZipFile(dropin) as archive:
        ours = {name: archive.read(name) for name in archive.namelist()}
    del ours["META-INF/MANIFEST.MF"]
    for name in ("LICENSE", "NOTICE"):
        ours[f"META-INF/flink-boost/{name}"] = ours.pop(f"META-INF/{name}")
    if line.version == "1.9.3":
        providers = different[SERVICES].decode().split()
        assert "org.apache.flink.runtime.fs.maprfs.MapRFsFactory" in providers
        assert ours[SERVICES].decode().split()[0] in providers
        ours[SERVICES] = different[SERVICES]
    assert different == ours
    aside = {f"{ASIDE}{entry_of(name)}" for name in line.classes.keys() - line.strings.keys()}
    assert {*map(entry_of, line.strings), *aside} <= set(different)


def with_entry(content: bytes, name: str) -> bytes:
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a") as jar:
        jar.writestr(name, "once more")
    return file.getvalue()


REFUSED_DIST: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "no zip file": (lambda _: b"not a jar", "cannot be put together"),
    "cut off": (lambda content: content[:-40], "cannot be put together"),
    "something in front": (lambda content: b"#!/bin/sh\n" + content, "plain zip file"),
    "a class that is not stock's": (
        lambda _: with_entry(small_dist_without_class(), entry_of(CLASS)),
        "was not made from",
    ),
    "no such class": (lambda _: small_dist_without_class(), "0 times, expected once"),
    "our classes are there already": (
        lambda content: with_entry(content, "org/apache/flink/boost/Codec.class"),
        "inside already",
    ),
    "a class of ours lies aside there already": (
        lambda content: with_entry(content, f"{ASIDE}org/acme/Row.class"),
        "inside already",
    ),
    "a door of ours is there already": (
        lambda content: with_entry(content, "org/acme/FlinkBoostDoor.class"),
        "inside already",
    ),
}


def small_dist_without_class() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(small_dist())) as whole, zipfile.ZipFile(file, "w") as jar:
        for name in whole.namelist():
            if name != entry_of(CLASS):
                jar.writestr(name, whole.read(name))
    return file.getvalue()


@pytest.mark.parametrize("case", REFUSED_DIST)
def test_a_flink_dist_that_is_not_as_expected_is_refused(case: str, tmp_path: Path) -> None:
    spoil, words = REFUSED_DIST[case]
    dist, dropin = tmp_path / "flink-dist.jar", tmp_path / "dropin.jar"
    dist.write_bytes(spoil(small_dist()))
    dropin.write_bytes(small_dropin())
    written = io.BytesIO()

    with pytest.raises(BrokenData, match=words):
        write_replaced(dist, dropin, written.write)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_class_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    dist, dropin = tmp_path / "flink-dist.jar", tmp_path / "dropin.jar"
    dist.write_bytes(with_entry(small_dist(), entry_of(CLASS)))
    dropin.write_bytes(small_dropin())

    with pytest.raises(BrokenData, match="2 times, expected once"):
        write_replaced(dist, dropin, io.BytesIO().write)


def test_an_entry_that_is_not_where_it_should_be_is_refused(tmp_path: Path) -> None:
    dist, dropin = tmp_path / "flink-dist.jar", tmp_path / "dropin.jar"
    with zipfile.ZipFile(io.BytesIO(small_dist())) as jar:
        start = jar.getinfo("plain.bin").header_offset
    content = bytearray(small_dist())
    content[start : start + 4] = b"XXXX"
    dist.write_bytes(content)
    dropin.write_bytes(small_dropin())

    with pytest.raises(BrokenData, match=r"plain\.bin is not where"):
        write_replaced(dist, dropin, io.BytesIO().write)


def test_a_jar_that_needs_another_kind_of_zip_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dist, dropin = tmp_path / "flink-dist.jar", tmp_path / "dropin.jar"
    dist.write_bytes(small_dist())
    dropin.write_bytes(small_dropin())
    monkeypatch.setattr(dist_jar, "_MOST_ENTRIES", 10)

    with pytest.raises(BrokenData, match="too many entries"):
        write_replaced(dist, dropin, io.BytesIO().write)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (small_dropin(more="surprise.txt"), "not known where surprise.txt"),
        (small_dist(), "is no flink-boost jar"),
        (b"not a jar", "cannot be put together"),
    ],
)
def test_a_drop_in_jar_that_is_not_as_expected_is_refused(
    content: bytes, words: str, tmp_path: Path
) -> None:
    dist, dropin = tmp_path / "flink-dist.jar", tmp_path / "dropin.jar"
    dist.write_bytes(small_dist())
    dropin.write_bytes(content)

    with pytest.raises(BrokenData, match=words):
        write_replaced(dist, dropin, io.BytesIO().write)
