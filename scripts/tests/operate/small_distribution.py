"""A made-up Flink 7.0, small enough to be packed in a moment, and tarballs of it."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import os
import tarfile
import zipfile
from pathlib import Path

from installations import CARRIED, LINE

from flink_boost.base.files import sha256
from flink_boost.flink.dropin import ASIDE, RECORD
from flink_boost.flink.lines import Line, PinnedFile
from flink_boost.operate.dist.build import PAGE, Tarball, Variant, build_tarball

CLASS = "org.apache.flink.types.Text"
STOCK_CLASS = b"stock's class file " * 40
SERVICES = "META-INF/services/org.apache.flink.core.fs.FileSystemFactory"


def entry_of(name: str) -> str:
    return name.replace(".", "/") + ".class"


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
