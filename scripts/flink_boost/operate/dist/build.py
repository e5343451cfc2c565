"""Builds whole Flink distributions with our classes, as tarballs; ``make dist`` calls it.

::

    <out>/flink-<version>-boost.tgz             the official files and the drop-in jar in lib/
    <out>/flink-<version>-boost-replaced.tgz    our classes inside flink-dist, no jar of ours
    <out>/<tarball>.sha256                      for ``sha256sum -c``

What goes in are the files that ``lines.toml`` pins, unpacked anew and checked each time, the
drop-in jar, and texts of ours. Same input, same bytes.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from flink_boost.operate.carried import Carried
from flink_boost.operate.dist.jar import write_replaced
from flink_boost.operate.dist.tarball import write_tarball
from flink_boost.flink.distribution import LEGAL_TEXTS, unpack_distribution, unpack_legal_texts
from flink_boost.flink.downloads import disk_problems, prepared_aside
from flink_boost.flink.dropin import read_dropin
from flink_boost.base.errors import BrokenData
from flink_boost.base.files import exclusive_lock, publish, sha256, write_durably
from flink_boost.flink.home import FlinkHome, choose_line, open_home
from flink_boost.flink.lines import Line
from flink_boost.flink.versions import version_key
from dataclasses import dataclass
from pathlib import Path
import jinja2
from flink_boost.base.files import sha256
from flink_boost.flink.lines import Line
from flink_boost.flink.versions import version_key

PAGE = "FLINK-BOOST.md"


class Variant(StrEnum):
    """Where our classes are."""

    SHADOWED = "shadowed"
    REPLACED = "replaced"

    def folder(self, version: str) -> str:
        """Name of the folder that the tarball unpacks to, and of the tarball without its ending."""
        ending = "" if self is Variant.SHADOWED else "-replaced"
        return f"flink-{version}-boost{ending}"


@dataclass(frozen=True)
class Tarball:
    """A finished tarball; ``size`` in bytes."""

    path: Path
    sha256: str
    size: int


def build_tarball(
    line: Line,
    variant: Variant,
    package: Carried,
    own_texts: Path,
    cache: Path,
    out: Path,
) -> Tarball:
    """Builds one tarball and the file with its checksum; what was there is replaced at the end.

    ``own_texts`` holds our LICENSE and NOTICE. Raises ``BrokenData`` for an input that is damaged
    or does not belong to the line, ``VendorFlink`` for another build of Flink, and
    ``EnvironmentProblem`` for what is missing; then nothing in ``out`` has changed.
    """
    name = variant.folder(line.version)
    target = out / f"{name}.tgz"
    with (
        disk_problems(out),
        exclusive_lock(out / ".lock", "flink-boost dist"),
        _alone_aside(target) as aside,
    ):
        home = _official(line, cache, aside / name)
        dropin = _fitting(package.dropin(line), line)
        legal = {text: (home.folder / text).read_text(encoding="utf-8") for text in LEGAL_TEXTS}
        contents = PageContents(
            line=line,
            boost_version=package.version,
            dist=home.dist.name,
            official_sha256=sha256(home.dist),
            ours=_put_classes(home, dropin, variant),
        )
        for text, official in legal.items():
            ours = (own_texts / text).read_text(encoding="utf-8")
            (home.folder / text).write_text(_amended(text, official, ours), encoding="utf-8")
        (home.folder / PAGE).write_text(start_page(contents), encoding="utf-8")
        draft = aside / target.name
        write_tarball(home.folder, name, draft)
        checksum = sha256(draft)
        # In this order no checksum ever lies beside a tarball that it does not belong to.
        note = target.with_name(f"{target.name}.sha256")
        note.unlink(missing_ok=True)
        publish(draft, target)
        write_durably(note, f"{checksum}  {target.name}\n")
    return Tarball(target, checksum, target.stat().st_size)


@contextmanager
def _alone_aside(target: Path) -> Iterator[Path]:
    """A folder to prepare it in; what a killed call left, hundreds of megabytes, goes first."""
    for left in target.parent.glob(f".{target.name}.*"):
        # Also the half of a checksum's file, which is none.
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    with prepared_aside(target) as aside:
        yield aside


def _official(line: Line, cache: Path, folder: Path) -> FlinkHome:
    unpack_distribution(line, folder, cache)
    unpack_legal_texts(line, folder, cache)
    home = open_home(folder)
    choose_line(home, {line.version: line})
    return home


def _fitting(dropin: Path, line: Line) -> Path:
    """The drop-in jar, when it was built for the line whatever its name says."""
    again = f"Delete it and run `make build LINE={line.version}`."
    try:
        found = read_dropin(dropin)
    except zipfile.BadZipFile as error:
        raise BrokenData(f"{dropin} cannot be read as a jar ({error}).", again) from error
    if found is None or found.flink_version != line.version or dict(found.classes) != line.classes:
        built_for = "nothing" if found is None else f"Flink {found.flink_version}"
        raise BrokenData(
            f"{dropin} is built for {built_for}, or from other classes than lines.toml has for"
            f" Flink {line.version}.",
            again,
        )
    return dropin


def _put_classes(home: FlinkHome, dropin: Path, variant: Variant) -> Path:
    """Returns the jar that has our classes."""
    if variant is Variant.SHADOWED:
        return Path(shutil.copy(dropin, home.lib))
    replaced = home.dist.with_suffix(".replaced")
    with replaced.open("wb") as file:
        write_replaced(home.dist, dropin, file.write)
    return replaced.replace(home.dist)


def _amended(name: str, official: str, ours: str) -> str:
    if name == "LICENSE":
        return (
            f"{official.rstrip()}\n\n{_RULE}\n\n"
            "flink-boost, whose classes this distribution contains (see NOTICE), is licensed under"
            " the\nApache License, Version 2.0, as printed above.\n"
        )
    heading = f"{_RULE}\nWhat follows is the NOTICE of Apache Flink.\n{_RULE}"
    return f"{ours.rstrip()}\n\n{heading}\n\n{official.lstrip()}"


_RULE = "-" * 72


@dataclass(frozen=True)
class PageContents:
    """What the page tells about; ``ours`` is the jar in ``lib/`` that has our classes."""

    line: Line
    boost_version: str
    dist: str
    official_sha256: str
    ours: Path

    @property
    def replaced(self) -> bool:
        """Whether our classes are inside ``flink-dist``."""
        return self.ours.name == self.dist


def start_page(contents: PageContents) -> str:
    """The page as Markdown."""
    environment = jinja2.Environment(  # noqa: S701 - Markdown, from names and numbers of our own
        loader=jinja2.PackageLoader("flink_boost.operate.dist"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("dist.md.j2")
    return template.render(
        contents=contents,
        line=contents.line,
        ours=contents.ours.name,
        ours_sha256=sha256(contents.ours),
        lists_factories=contents.line.version.startswith("1.9."),
        kill_switch=kill_switch(contents.line.version),
    )


def kill_switch(version: str) -> str:
    """What switches our code off in a release, and in which file, as docs/operating.md has it."""
    release = version_key(version)[:2]
    if release >= (1, 19):
        return "`env.java.default-opts.all: -Dflink.boost.mode=off` in `conf/config.yaml`"
    if release == (1, 18):
        option = "`-Dflink.boost.mode=off` at the beginning of `env.java.opts.all`"
    else:
        key = "env.java.opts.all" if release == (1, 17) else "env.java.opts"
        option = f"`{key}: -Dflink.boost.mode=off`"
    return f"{option} in `conf/flink-conf.yaml`"
