"""``make release``: everything that one publishes of the commit that is checked out.

::

    build/release/flink-boost-<version>-<commit>/
        flink_boost-<version>-py3-none-any.whl
        flink-boost-<line>-<version>.jar, -sources.jar, -javadoc.jar, .pom    of each line
        flink-boost-<version>-src.tgz                                         the source tree
        flink-<release>-boost.tgz, flink-<release>-boost-replaced.tgz         of measured lines
        RELEASE-NOTES.md
        flink-boost-<version>.cdx.json                                        the parts list
        SHA256SUMS, with a key SHA256SUMS.asc

It is built in a clone of the commit. A call that was stopped goes on where it was. Same commit,
same bytes, where the JDK and Python are the same.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import FlinkBoostError
from flink_boost.base.files import exclusive_lock, publish
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.flink.lines import find_line, load_lines
from flink_boost.operate.carried import of_tree
from flink_boost.operate.dist.build import Variant, build_tarball
from flink_boost.operate.dist.tarball import EPOCH
from flink_boost.operate.wheel import build_wheel
from release import sums
from release.preconditions import clean_commit, git, notes, require_unpublished, require_untagged
from release.sbom import byte_buddy_version, parts_list
from release.tree import build_line, clone, is_built, names_of, put

_INTERRUPTED = 130


class Release:
    """What is published of one commit; ``out`` is the folder that gets it."""

    def __init__(
        self, root: Path, version: str, only: Sequence[str] = (), distributions: bool = True
    ) -> None:
        self.root = root
        self.version = version
        every = [line for line in load_lines().values() if line.enabled]
        self.lines = [find_line(name) for name in only] or every
        self.measured = [line for line in self.lines if line.measured] if distributions else []
        self.commit = clean_commit(root)
        require_untagged(root, version, self.commit)
        self.notes = notes((root / "CHANGELOG.md").read_text("utf-8"), version)
        self.folder = root / "build" / "release"
        words = [*only, *([] if distributions else ["without-distributions"])]
        self.out = self.folder / "-".join(["flink-boost", version, self.commit[:12], *words])
        self.tree = self.folder / "work" / self.out.name

    @property
    def names(self) -> list[str]:
        """The files, but for the sums and their signature."""
        return [
            *(name for line in self.lines for name in names_of(line, self.version)),
            f"flink_boost-{self.version}-py3-none-any.whl",
            f"flink-boost-{self.version}-src.tgz",
            *(f"{v.folder(line.version)}.tgz" for line in self.measured for v in Variant),
            "RELEASE-NOTES.md",
            f"flink-boost-{self.version}.cdx.json",
        ]

    def make(self) -> None:
        """Makes what is not there yet. Raises ``FlinkBoostError``."""
        key = sums.key_file(self.root, os.environ)
        self.out.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(self.folder / ".lock", "make release"):
            if key is not None:
                # Two that are signed must not differ.
                require_unpublished(self.root, self.version, self.commit)
            if not (self.out / sums.SUMS).is_file():
                (self.out / sums.SIGNATURE).unlink(missing_ok=True)
                self._build()
            sums.check(self.out, self.names)
            shutil.rmtree(self.tree, ignore_errors=True)
            if key is not None:
                put(self.out / sums.SIGNATURE, sums.signature(self.out, key))

    def _build(self) -> None:
        tree = clone(self.root, self.commit, self.tree)
        package = of_tree(self.version, tree)
        for number, line in enumerate(self.lines, 1):
            if not is_built(tree, line, package, self.out):
                _tell(f"Jars for Flink {line.version} ({number} of {len(self.lines)})")
                build_line(tree, line, package, self.out)
        _tell("Wheel, source tree, notes")
        wheel = build_wheel(tree, self.lines, package, self.tree.parent / f"{tree.name}-wheel")
        put(self.out / wheel.name, wheel.read_bytes())
        self._source()
        put(self.out / "RELEASE-NOTES.md", self.notes.encode("utf-8"))
        for line in self.measured:
            for variant in Variant:
                name = f"{variant.folder(line.version)}.tgz"
                if not (self.out / name).is_file():
                    _tell(f"Distribution {name}")
                    with tempfile.TemporaryDirectory(dir=self.tree.parent) as folder:
                        cache = self.root / ".cache"
                        made = build_tarball(line, variant, package, tree, cache, Path(folder))
                        publish(made.path, self.out / name)
        _tell("Parts list and sums")
        time = int(git(self.root, "show", "--no-patch", "--format=%ct", self.commit))
        listed = f"flink-boost-{self.version}.cdx.json"
        files = [name for name in self.names if name != listed]
        byte_buddy = byte_buddy_version(package.weaver())
        parts = parts_list(self.out, files, self.version, self.commit, time, self.lines, byte_buddy)
        put(self.out / listed, parts.encode("utf-8"))
        put(self.out / sums.SUMS, sums.sums_of(self.out, self.names).encode("ascii"))

    def _source(self) -> None:
        stem = f"flink-boost-{self.version}"
        plain = self.tree.parent / f"{self.tree.name}-src.tar"
        git(self.root, "archive", f"--prefix={stem}/", f"--output={plain}", self.commit)
        put(self.out / f"{stem}-src.tgz", gzip.compress(plain.read_bytes(), mtime=EPOCH))
        plain.unlink()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--line", "only", multiple=True, metavar="VERSION", help="A trial with one line.")
@click.option("--without-distributions", is_flag=True, help="Leave whole Flinks (2 GB) out.")
def main(only: tuple[str, ...], without_distributions: bool) -> None:
    """Make everything that one publishes of the commit that is checked out."""
    try:
        with terminated_like_interrupted():
            release = Release(PROJECT_ROOT, __version__, only, not without_distributions)
            release.make()
    except FlinkBoostError as error:
        click.echo(f"[release] {error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        click.echo("[release] Stopped. Run the same command again to go on.", err=True)
        sys.exit(_INTERRUPTED)
    signed = "signed" if (release.out / sums.SIGNATURE).is_file() else "not signed"
    click.echo(f"{release.out}: {len(release.names)} files, {signed}")


def _tell(what: str) -> None:
    click.echo(f"[release] {what}")


if __name__ == "__main__":
    main(prog_name="make release")
