"""When ``make test-all`` passed last, and whether what it is for has changed since.

``make test-all`` notes it in ``build/test-reports/``; with ``RECORD=1`` in ``docs/test-all.json``
as well, which goes with the commit, so that a fresh clone knows it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from flink_boost.base.commands import run_captured
from flink_boost.base.files import make_folder, write_durably
from suites.catalogue import JAVA, REPORTS
from suites.inputs import Inputs, digest, head

TRACKED = Path("docs/test-all.json")
OWN = Path(REPORTS) / "test-all.json"
# Codec, families, guard and weaver: what goes into a jar, and no tests.
_PRODUCT = Inputs(JAVA, ("*/src/test/*", "*.md", "releases.toml"))
_GIT_SECONDS = 60.0


@dataclass(frozen=True)
class WholeRun:
    """A day on which all suites of ``make test-all`` passed, and on what.

    ``unsteady``: tests that failed first and passed alone.
    """

    day: str
    commit: str
    tests: int
    digest: str
    unsteady: tuple[str, ...] = ()


_RUN = TypeAdapter(WholeRun)


def product_digest(files: Mapping[str, str]) -> str:
    """One checksum of what jars are made from."""
    return hashlib.sha256(digest(_PRODUCT, files).encode()).hexdigest()[:16]


def note(root: Path, run: WholeRun, *, tracked: bool) -> None:
    """Writes down that it passed."""
    for place in (OWN, *((TRACKED,) if tracked else ())):
        make_folder((root / place).parent)
        write_durably(root / place, json.dumps(asdict(run), indent=1) + "\n")


def clean_commit(root: Path) -> str:
    """The commit that is checked out; "" where what jars are made from differs from it."""
    words = ["git", "-c", f"safe.directory={root}", "status", "--porcelain", "--", *JAVA]
    listed = run_captured(words, _GIT_SECONDS, folder=root)
    return "" if listed.returncode or listed.stdout.strip() else head(root)


def last_runs(root: Path) -> list[WholeRun]:
    """What is noted here and what came with the tree, the newest last; damaged ones are none."""
    found = []
    for place in (root / TRACKED, root / OWN):
        try:
            found.append(_RUN.validate_json(place.read_bytes()))
        except (FileNotFoundError, ValueError):
            continue
    return sorted(found, key=lambda run: run.day)


def sentence(root: Path, files: Mapping[str, str]) -> str:
    """The last line of ``make test``."""
    runs = last_runs(root)
    if not runs:
        return "`make test-all` has not passed here yet, and no record of it came with the tree."
    now = product_digest(files)
    same = [run for run in runs if run.digest == now]
    run = (same or runs)[-1]
    where = f"{run.commit[:10]}, " if run.commit else ""
    passed = f"`make test-all` passed last on {run.day} ({where}{run.tests:,} tests)"
    if same:
        return f"{passed}; codec, families, guard and weaver are as they were then."
    return (
        f"{passed}. Codec, families, guard or weaver have changed since{_what(root, run)}:"
        " such a change is done when `make test-all` has passed on it."
    )


def _what(root: Path, run: WholeRun) -> str:
    """The files that changed since that commit, where there is one and git knows it."""
    if not run.commit:
        return ""
    words = ["git", "-c", f"safe.directory={root}", "diff", "--name-only", run.commit, "--", *JAVA]
    listed = run_captured(words, _GIT_SECONDS, folder=root)
    names = [name for name in listed.stdout.splitlines() if _PRODUCT.takes(name)]
    if listed.returncode or not names:
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f" ({names[0]}{more})"
