"""Tarballs of whole distributions: what is in them, that they repeat, what they refuse."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import json
import operator
import os
import shutil
import struct
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    OTHER,
    everything_in,
    flink_boost,
    java_environment,
    new_home,
)

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    FlinkBoostError,
    ReplacedClasses,
    SeveralDropIns,
    UsageProblem,
    VendorFlink,
)
from flink_boost.base.files import exclusive_lock, sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.dropin import ASIDE, RECORD
from flink_boost.flink.lines import Line, PinnedFile
from flink_boost.operate.dist import jar as dist_jar
from flink_boost.operate.dist.build import PAGE, Tarball, Variant, build_tarball, kill_switch
from flink_boost.operate.dist.jar import write_replaced
from flink_boost.operate.dist.tarball import EPOCH, write_tarball
from flink_boost.operate.verify import judge_jar

pytestmark = pytest.mark.needs_jars

CLASS = "org.apache.flink.types.Text"
STOCK_CLASS = b"stock's class file " * 40
SERVICES = "META-INF/services/org.apache.flink.core.fs.FileSystemFactory"


def entry_of(name: str) -> str:
    return name.replace(".", "/") + ".class"


# --- a made-up Flink 7.0, small enough to be packed in a moment -----------------------------------


def small_dist(services: bool = True) -> bytes:
    """A ``flink-dist`` with what real ones have: packed and plain entries, folders, a comment."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as jar:
        manifest = "Manifest-Version: 1.0\r\nImplementation-Version: 7.0\r\n"
        jar.writestr("META-INF/MANIFEST.MF", manifest)
        jar.writestr("META-INF/LICENSE", "the licence of Flink's jar")
        jar.writestr("META-INF/NOTICE", "the notice of Flink's jar")
        jar.mkdir("org/apache/flink/types/")
        jar.writestr("before.class", os.urandom(0) + b"before " * 100)
        jar.writestr(entry_of(CLASS), STOCK_CLASS)
        if services:
            jar.writestr(SERVICES, "flink.OtherFactory")
        jar.writestr(zipfile.ZipInfo("plain.bin"), bytes(range(256)))
        # Without a known size, as a stream writes it: the size follows the content.
        with jar.open("streamed.class", "w") as streamed:
            streamed.write(b"streamed " * 1000)
        jar.comment = b"a comment"
    return file.getvalue()


def small_dropin(
    flink: str = "7.0", classes: dict[str, str] | None = None, more: str = ""
) -> bytes:
    """A drop-in jar for it; ``classes`` are the checksums in its record."""
    checksums = classes or {CLASS: hashlib.sha256(STOCK_CLASS).hexdigest()}
    listed = "".join(f"class.{name}={value}\n" for name, value in checksums.items())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as jar:
        jar.writestr(
            "META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nImplementation-Version: 0\r\n"
        )
        jar.writestr("META-INF/LICENSE", "our licence")
        jar.writestr("META-INF/NOTICE", "our notice")
        jar.writestr(RECORD, f"flink.version={flink}\nboost.version=0.2.0\n{listed}")
        jar.writestr(SERVICES, "boost.Guard\n")
        jar.writestr("org/apache/flink/boost/Codec.class", "our codec")
        jar.writestr(entry_of(CLASS), "our class file")
        jar.writestr(f"{ASIDE}org/acme/Row.class", "our class file aside")
        jar.writestr("org/acme/FlinkBoostDoor.class", "our door")
        if more:
            jar.writestr(more, "something")
    return file.getvalue()


OUR_ENTRIES = {
    "META-INF/flink-boost/LICENSE": b"our licence",
    "META-INF/flink-boost/NOTICE": b"our notice",
    SERVICES: b"flink.OtherFactory\nboost.Guard\n",
    "org/apache/flink/boost/Codec.class": b"our codec",
    entry_of(CLASS): b"our class file",
    f"{ASIDE}org/acme/Row.class": b"our class file aside",
    "org/acme/FlinkBoostDoor.class": b"our door",
}


class Inputs:
    """Everything that a tarball is made of, each part to be changed by a test."""

    def __init__(self, folder: Path) -> None:
        self.dropin = folder / "flink-boost-7.0-0.2.0.jar"
        self.dropin.write_bytes(small_dropin())
        self.texts = folder / "texts"
        self.texts.mkdir()
        for name in ("LICENSE", "NOTICE"):
            (self.texts / name).write_text(f"flink-boost's {name}\n")
        self.cache = folder / "cache"
        (self.cache / "downloads").mkdir(parents=True)
        self.out = folder / "dist"
        self.dist = small_dist()
        self.version = "0.2.0"
        self.script = "echo configured\n"

    def write_packages(self, legal: bool = True) -> Line:
        """The line whose packages lie in the cache, downloaded already."""
        wheel = self.cache / "downloads" / "fake_flink-7.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(zipfile.ZipInfo("pyflink/bin/config.sh"), self.script)
            archive.writestr(zipfile.ZipInfo("pyflink/conf/config.yaml"), "rest:\n  port: 8081\n")
        package = self.cache / "downloads" / "fake-flink-libraries-7.0.tar.gz"
        content = {
            "deps/lib/flink-dist-7.0.jar": self.dist,
            "deps/lib/log4j.jar": b"logs",
            "deps/opt/flink-sql-client-7.0.jar": b"client",
            "deps/plugins/metrics/metrics.jar": b"metrics",
        }
        if legal:
            content["LICENSE"] = b"the licence of Flink\n"
            content["NOTICE"] = b"the notice of Flink\n"
            content["deps/licenses/LICENSE.asm"] = b"the licence of ASM\n"
        # Without a time, so that the same packages can be written again.
        with (
            gzip.GzipFile(package, "wb", mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            for name, data in content.items():
                member = tarfile.TarInfo(f"fake-flink-libraries-7.0/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        pins = [PinnedFile(file.name, "7.0", file.name, sha256(file)) for file in (wheel, package)]
        return dataclasses.replace(
            LINE,
            version="7.0",
            classes={CLASS: hashlib.sha256(STOCK_CLASS).hexdigest()},
            family_of={},
            distribution=tuple(pins),
        )

    def build(
        self, variant: Variant = Variant.SHADOWED, line: Line | None = None, legal: bool = True
    ) -> Tarball:
        package = dataclasses.replace(CARRIED, version=self.version, dropin=lambda _: self.dropin)
        return build_tarball(
            line or self.write_packages(legal), variant, package, self.texts, self.cache, self.out
        )


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path)


def unpacked(tarball: Tarball, folder: Path) -> Path:
    with tarfile.open(tarball.path) as archive:
        archive.extractall(folder, filter="data")
    return folder / tarball.path.name.removesuffix(".tgz")


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


OFFICIAL = {
    "bin/config.sh",
    "conf/config.yaml",
    "lib/flink-dist-7.0.jar",
    "lib/log4j.jar",
    "opt/flink-sql-client-7.0.jar",
    "plugins/metrics/metrics.jar",
}
TEXTS = {"LICENSE", "NOTICE", "licenses/LICENSE.asm", PAGE}


def test_it_holds_the_official_files_our_jar_and_the_texts(inputs: Inputs, tmp_path: Path) -> None:
    home = unpacked(inputs.build(), tmp_path / "there")

    assert home.name == "flink-7.0-boost"
    assert files_in(home) == OFFICIAL | TEXTS | {"lib/flink-boost-7.0-0.2.0.jar"}
    installed = home / "lib/flink-boost-7.0-0.2.0.jar"
    assert installed.read_bytes() == inputs.dropin.read_bytes()
    assert (home / "lib/flink-dist-7.0.jar").read_bytes() == inputs.dist
    assert (home / "log").is_dir()
    licence = (home / "LICENSE").read_text()
    assert licence.startswith("the licence of Flink\n")
    assert "flink-boost, whose classes this distribution contains" in licence
    notice = (home / "NOTICE").read_text()
    assert notice.startswith("flink-boost's NOTICE\n")
    assert notice.endswith("the notice of Flink\n")


def test_texts_come_from_flinks_jar_where_the_packages_have_none(
    inputs: Inputs, tmp_path: Path
) -> None:
    home = unpacked(inputs.build(legal=False), tmp_path / "there")

    assert (home / "LICENSE").read_text().startswith("the licence of Flink's jar\n")
    assert (home / "NOTICE").read_text().endswith("the notice of Flink's jar")


def test_the_start_page_says_what_differs_and_how_to_undo_it(
    inputs: Inputs, tmp_path: Path
) -> None:
    for variant in Variant:
        tarball = inputs.build(variant)
        home = unpacked(tarball, tmp_path / variant)
        page = (home / PAGE).read_text()
        inside = variant is Variant.REPLACED
        changed = "flink-dist-7.0.jar" if inside else "flink-boost-7.0-0.2.0.jar"
        assert f"| `lib/{changed}` here | `{sha256(home / 'lib' / changed)}` |" in page
        assert hashlib.sha256(inputs.dist).hexdigest() in page
        assert f"- `{CLASS}`" in page
        assert f"sha256sum -c {tarball.path.name}.sha256" in page
        assert ("--stock" in page) is inside
        assert ("flink-boost uninstall" in page) is not inside
        assert "-Dflink.boost.mode=off" in page
        for pin in inputs.write_packages().distribution:
            assert pin.sha256 in page


def test_the_start_page_names_the_kill_switch_that_the_release_reads() -> None:
    page = (PROJECT_ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    for version, releases in {
        "1.9.3": "1.9 to 1.16",
        "1.16.3": "1.9 to 1.16",
        "1.17.0": "1.17",
        "1.18.1": "1.18",
        "1.19.3": "1.19 and later",
        "2.3.0": "1.19 and later",
    }.items():
        option, _, file = kill_switch(version).rpartition(" in ")
        assert f"\n- {releases}: {option}" in page, version
        assert file == f"`conf/{'config' if 'later' in releases else 'flink-conf'}.yaml`"


def test_what_a_killed_call_left_stops_no_other(inputs: Inputs) -> None:
    target = inputs.build().path
    left = target.with_name(f".{target.name}.sha256.abcdefgh.partial")
    left.touch()
    target.with_name(f".{target.name}.folder").mkdir()
    target.unlink()
    assert inputs.build().path == target
    assert not left.exists()


def test_owners_times_modes_and_the_header_say_nothing_about_the_builder(inputs: Inputs) -> None:
    tarball = inputs.build()

    header = tarball.path.read_bytes()[:10]
    assert header[:4] == b"\x1f\x8b\x08\x00"  # no name, no comment
    assert struct.unpack("<L", header[4:8]) == (EPOCH,)
    with tarfile.open(tarball.path) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(member.name for member in members)
    owners = {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in members}
    assert owners == {(0, 0, "root", "root", EPOCH)}
    modes = {member.name.split("/", 1)[-1]: member.mode for member in members}
    assert modes["bin/config.sh"] == modes["log"] == 0o755
    assert modes["conf/config.yaml"] == 0o644


@pytest.mark.parametrize("variant", Variant)
def test_the_same_input_gives_the_same_bytes(
    variant: Variant, inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = inputs.build(variant)
    content = first.path.read_bytes()

    line = inputs.write_packages()
    os.utime(inputs.dropin, (1, 1))
    inputs.texts.rename(tmp_path / "elsewhere")
    inputs.texts = tmp_path / "elsewhere"
    inputs.out = tmp_path / "other"
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    mask = os.umask(0o077)
    try:
        again = inputs.build(variant, line)
    finally:
        os.umask(mask)

    assert again.sha256 == first.sha256 == hashlib.sha256(content).hexdigest()
    assert again.path.read_bytes() == content
    assert again.size == len(content)


def other_dropin(inputs: Inputs) -> None:
    inputs.dropin.write_bytes(small_dropin(more="org/apache/flink/boost/More.class"))


def other_dist(inputs: Inputs) -> None:
    inputs.dist = small_dist(services=False)


def other_script(inputs: Inputs) -> None:
    inputs.script += "# changed\n"


def other_notice(inputs: Inputs) -> None:
    (inputs.texts / "NOTICE").write_text("another notice\n")


def other_version(inputs: Inputs) -> None:
    inputs.version = "0.1.1"


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize(
    "change",
    [other_dropin, other_dist, other_script, other_notice, other_version],
    ids=lambda change: change.__name__,
)
def test_another_input_gives_other_bytes(
    change: Callable[[Inputs], None], variant: Variant, inputs: Inputs
) -> None:
    before = inputs.build(variant)
    change(inputs)
    after = inputs.build(variant)

    assert after.path == before.path
    assert after.sha256 != before.sha256


def test_the_checksum_beside_it_is_what_sha256sum_reads(inputs: Inputs) -> None:
    inputs.build()
    tarball = inputs.build()  # over the former one

    assert sorted(path.name for path in inputs.out.iterdir()) == [
        ".lock",
        "flink-7.0-boost.tgz",
        "flink-7.0-boost.tgz.sha256",
    ]
    command = ["sha256sum", "--check", "--strict", f"{tarball.path.name}.sha256"]
    checked = subprocess.run(command, cwd=inputs.out, capture_output=True, timeout=30, check=False)
    assert (checked.returncode, checked.stdout) == (0, b"flink-7.0-boost.tgz: OK\n")
    tarball.path.write_bytes(tarball.path.read_bytes()[:-1])
    checked = subprocess.run(command, cwd=inputs.out, capture_output=True, timeout=30, check=False)
    assert checked.returncode == 1


# --- inside flink-dist ----------------------------------------------------------------------------


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


# --- bad input ------------------------------------------------------------------------------------


def damaged_download(inputs: Inputs, line: Line) -> Line:
    file = inputs.cache / "downloads" / line.distribution[1].file
    file.write_bytes(file.read_bytes()[:-9])
    return line


def cut_off_package(inputs: Inputs, line: Line) -> Line:
    """Pinned as it is: the pin, not the download, is wrong."""
    file = inputs.cache / "downloads" / line.distribution[1].file
    file.write_bytes(file.read_bytes()[:200])
    pins = (line.distribution[0], dataclasses.replace(line.distribution[1], sha256=sha256(file)))
    return dataclasses.replace(line, distribution=pins)


def jar_for_another_release(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dropin(flink="6.9"))
    return line


def jar_from_other_classes(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dropin(classes={CLASS: "0" * 64}))
    return line


def no_jar_of_ours(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dist())
    return line


def half_a_jar(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dropin()[:300])
    return line


def another_build_of_flink(inputs: Inputs, line: Line) -> Line:
    return dataclasses.replace(line, classes={CLASS: "0" * 64})


def nothing_pinned(inputs: Inputs, line: Line) -> Line:
    return dataclasses.replace(line, distribution=())


BAD_INPUT: dict[Callable[[Inputs, Line], Line], tuple[type[FlinkBoostError], str]] = {
    damaged_download: (BrokenData, "instead of the pinned"),
    cut_off_package: (BrokenData, "cannot be unpacked"),
    jar_for_another_release: (BrokenData, "is built for Flink 6.9"),
    jar_from_other_classes: (BrokenData, "from other classes than lines.toml has for Flink 7.0"),
    no_jar_of_ours: (BrokenData, "is built for nothing"),
    half_a_jar: (BrokenData, "cannot be read as a jar"),
    another_build_of_flink: (VendorFlink, f"its class {CLASS} is not the official one"),
    nothing_pinned: (EnvironmentProblem, "pins no distribution for Flink 7.0"),
}


@pytest.mark.parametrize("spoil", BAD_INPUT, ids=lambda spoil: spoil.__name__)
@pytest.mark.parametrize("variant", Variant)
def test_bad_input_has_its_sentence_and_leaves_what_was_there(
    spoil: Callable[[Inputs, Line], Line], variant: Variant, inputs: Inputs
) -> None:
    error, words = BAD_INPUT[spoil]
    good = inputs.build(variant)
    before = everything_in(inputs.out)
    line = spoil(inputs, inputs.write_packages())

    with pytest.raises(error) as raised:
        inputs.build(variant, line)

    assert words in raised.value.message
    assert raised.value.next_step
    assert everything_in(inputs.out) == before
    assert sha256(good.path) == good.sha256


def test_a_full_disk_or_a_file_in_the_way_has_its_sentence(inputs: Inputs, tmp_path: Path) -> None:
    inputs.out = tmp_path / "file" / "dist"
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match="cannot be filled"):
        inputs.build()


def test_what_a_killed_call_left_goes_and_a_running_one_is_not_disturbed(inputs: Inputs) -> None:
    left = inputs.out / ".flink-7.0-boost.tgz.x7y"
    left.mkdir(parents=True)
    (left / "half.tgz").write_bytes(b"half")
    with (
        exclusive_lock(inputs.out / ".lock", "flink-boost dist"),
        pytest.raises(EnvironmentProblem, match="Another flink-boost dist"),
    ):
        inputs.build()
    assert left.exists()

    inputs.build()

    assert not left.exists()


def test_a_link_in_a_distribution_is_refused(tmp_path: Path) -> None:
    (tmp_path / "flink").mkdir()
    (tmp_path / "flink" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BrokenData, match="root/link is neither a file nor a folder"):
        write_tarball(tmp_path / "flink", "root", tmp_path / "out.tgz")


def test_the_command_names_what_it_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("dist", "--line", "9.9.9", "--out", tmp_path) == UsageProblem.exit_code
    assert "There is no Flink line '9.9.9'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- verify, install, uninstall and doctor on the replaced variant --------------------------------


@pytest.fixture(scope="module")
def replaced_dist(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    jar = tmp_path_factory.mktemp("replaced") / "flink-dist-2.3.0.jar"
    with jar.open("wb") as file:
        write_replaced(official_dist(LINE), CARRIED.dropin(LINE), file.write)
    yield jar
    jar.unlink()


def official_dist(line: Line) -> Path:
    (jar,) = (ensure_distribution(line) / "lib").glob("flink-dist*.jar")
    return jar


@pytest.fixture
def replaced_home(replaced_dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JAVA_HOME", java_environment(LINE)["JAVA_HOME"])
    home = new_home(tmp_path / "flink")
    dist = home / "lib" / replaced_dist.name
    dist.unlink()
    os.link(replaced_dist, dist)
    return home


Answer = Callable[..., dict[str, Any]]


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    def call(*arguments: str | Path) -> dict[str, Any]:
        capsys.readouterr()
        flink_boost(*arguments, "--json")
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return call


@pytest.mark.usefixtures("fewer_strings")
def test_verify_proves_the_replaced_variant_with_the_official_jar_beside(
    replaced_home: Path, answer: Answer
) -> None:
    found = answer("verify", replaced_home, "--stock", official_dist(LINE))

    assert found["ok"], found
    assert found["jar"] == str(replaced_home / "lib" / "flink-dist-2.3.0.jar")
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert list(details) == [
        *("jar", "version", "classes", "stock", "bytes", "mode", "families", "options")
    ]
    assert details["jar"].startswith("flink-dist-2.3.0.jar is the official one with the classes of")
    assert "names this version, and the guard is in place" in details["version"]
    assert details["classes"] == "All 8 patched classes are loaded from flink-dist-2.3.0.jar."
    assert details["bytes"].startswith("5,000 strings")


def other_jar(home: Path) -> Path:
    return official_dist(OTHER)


def same_jar(home: Path) -> Path:
    return home / "lib" / "flink-dist-2.3.0.jar"


def rebuilt_jar(home: Path) -> Path:
    """A few classes, one of them from another compiler run."""
    jar = home.parent / "flink-dist-2.3.0.jar"
    with zipfile.ZipFile(official_dist(LINE)) as official, zipfile.ZipFile(jar, "w") as archive:
        for name in ("META-INF/MANIFEST.MF", *map(entry_of, LINE.classes)):
            content = official.read(name)
            archive.writestr(name, content.replace(b"StringValue.java", b"StringValu3.java"))
    return jar


def no_jar(home: Path) -> Path:
    file = home.parent / "flink-dist.jar"
    file.write_text("not a jar")
    return file


@pytest.mark.parametrize(
    ("choose", "error", "words"),
    [
        (other_jar, UsageProblem, "is Flink 1.20.5, but"),
        (same_jar, ReplacedClasses, "has flink-boost's classes inside"),
        (rebuilt_jar, VendorFlink, "StringValue is not the official one"),
        (no_jar, BrokenData, "cannot be read as Flink's jar"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_verify_takes_nothing_but_the_official_jar_to_compare_with(
    choose: Callable[[Path], Path],
    error: type[FlinkBoostError],
    words: str,
    replaced_home: Path,
    answer: Answer,
) -> None:
    found = answer("verify", replaced_home, "--stock", choose(replaced_home))

    assert found["exit_code"] == error.exit_code
    assert words in found["error"]
    assert found["next_step"]


def test_a_replaced_jar_with_one_other_byte_fails(replaced_dist: Path, tmp_path: Path) -> None:
    """In a class that is not ours, far from the strings."""
    jar = tmp_path / "flink-dist-2.3.0.jar"
    shutil.copyfile(replaced_dist, jar)
    with zipfile.ZipFile(jar) as archive:
        info = archive.getinfo("org/apache/flink/api/java/tuple/Tuple2.class")
    with jar.open("r+b") as file:
        file.seek(info.header_offset + 200)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    dropin = CARRIED.dropin(LINE)

    assert judge_jar(replaced_dist, dropin, official_dist(LINE)).passed
    found = judge_jar(jar, dropin, official_dist(LINE))
    assert not found.passed
    assert f"{jar} (SHA-256 {sha256(jar)}) is not" in found.detail


def test_without_the_official_jar_each_command_says_so_and_changes_nothing(
    replaced_home: Path, answer: Answer
) -> None:
    before = everything_in(replaced_home)
    for command in ("install", "verify", "uninstall"):
        found = answer(command, replaced_home)
        assert found["exit_code"] == ReplacedClasses.exit_code, command
        assert "--stock JAR" in found["next_step"]
    assert everything_in(replaced_home) == before

    diagnosis = answer("doctor", replaced_home)
    assert diagnosis["ok"], diagnosis
    texts = [finding["text"] for finding in diagnosis["findings"]]
    assert any("has our classes inside" in text for text in texts)
    assert not any("No flink-boost jar is installed" in text for text in texts)


def test_a_jar_beside_the_replaced_classes_is_refused_and_can_be_removed(
    replaced_home: Path, answer: Answer
) -> None:
    before = everything_in(replaced_home)
    shutil.copy(CARRIED.dropin(LINE), replaced_home / "lib")

    refused = answer("verify", replaced_home, "--stock", official_dist(LINE))
    assert refused["exit_code"] == SeveralDropIns.exit_code
    assert f"and {replaced_home / 'lib'} holds {JAR} as well" in refused["error"]
    assert answer("doctor", replaced_home)["exit_code"] == SeveralDropIns.exit_code

    removed = answer("uninstall", replaced_home)
    assert removed["removed"] == [str(replaced_home / "lib" / JAR)]
    assert everything_in(replaced_home) == before
