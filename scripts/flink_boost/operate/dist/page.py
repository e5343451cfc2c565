"""The start page of a tarball: what differs from the official release, how to check and undo it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import jinja2

from flink_boost.base.files import sha256
from flink_boost.flink.lines import Line

PAGE = "FLINK-BOOST.md"


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
        old_configuration=contents.line.version.startswith("1.9."),
    )
