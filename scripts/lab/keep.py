"""``python -m lab.keep RUN``: keeps the forks that a table of the pages is made from.

The plan and each fork's JMH JSON go into ``benchmarks/runs/RUN.zip``, without paths of this
machine. Unpacked into ``build/results`` it is a run: ``flink-boost compare RUN`` shows the table.
Flame graphs, where ``flink-boost bench --profile`` took some, go into ``RUN-profiles.zip``.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

import click

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure import fork_files, packing, store
from flink_boost.measure.profiles.profile_record import FILE, folder_of, read_profile
from flink_boost.publish.raw_data import RAW_DATA, pack_raw_data

RUNS = PROJECT_ROOT / "benchmarks" / "runs"
PROFILES = "-profiles.zip"
_PATH = re.compile(r"(?:^|=)/")
_LIBRARY = re.compile(rb"(\n'.)/")  # in a flame graph: where this machine has libjvm.so


def keep(results: Path, run_id: str, runs: Path) -> Path:
    """The archive of a run. Raises ``BrokenData`` where forks are missing."""
    info = store.load_run(results, run_id)
    if missing := fork_files.read_forks(results, info).missing:
        raise BrokenData(
            f"{run_id} lacks {len(missing)} forks.",
            f"`flink-boost bench --resume {run_id}` measures them.",
        )
    with tempfile.TemporaryDirectory() as folder:
        pack_raw_data(results, info, Path(folder), logs=False)
        found = packing.contents(Path(folder), RAW_DATA)
    clean = {
        name: json.dumps(without_paths(json.loads(content)), indent=1).encode()
        for name, content in sorted(found.items())
    }
    make_folder(runs)
    archive = runs / f"{run_id}.zip"
    write_durably(archive, packing.packed(clean))
    return archive


def keep_profiles(results: Path, run_id: str, runs: Path) -> Path | None:
    """The archive of what was profiled: CPU of each side and their difference; None without any."""
    found: dict[str, bytes] = {}
    for cell in store.load_run(results, run_id).cells:
        if (profile := read_profile(results, run_id, cell)) is not None:
            folder = folder_of(results, run_id, cell)
            for page in (FILE, profile.before.cpu, profile.after.cpu, profile.difference):
                name = f"{run_id}/{folder.parent.name}/{cell.slug}/{page}"
                # As long as before: a name in the graph repeats the beginning of the one above.
                found[name] = _LIBRARY.sub(rb"\1 ", (folder / page).read_bytes())
    if not found:
        return None
    archive = runs / f"{run_id}{PROFILES}"
    write_durably(archive, packing.packed(found))
    return archive


def without_paths(value: Any) -> Any:
    """The same with the last part of each path only, and without options that have one."""
    if isinstance(value, dict):
        return {key: without_paths(one) for key, one in value.items()}
    if isinstance(value, list):
        kept = (one for one in value if not (isinstance(one, str) and _PATH.search(one)))
        return [without_paths(one) for one in kept]
    if isinstance(value, str) and _PATH.match(value):
        return PurePosixPath(value).name
    return value


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=PROJECT_ROOT / "build" / "results",
    help="Where runs are; default: build/results.",
)
def main(run_id: str, results: Path) -> None:
    """Keep the forks of a run in benchmarks/runs."""
    try:
        for archive in (keep(results, run_id, RUNS), keep_profiles(results, run_id, RUNS)):
            if archive is not None:
                click.echo(f"Wrote {archive.relative_to(PROJECT_ROOT)}")
    except BrokenData as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
