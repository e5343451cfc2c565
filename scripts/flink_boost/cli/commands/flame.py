"""``flink-boost flame``: Draw where a running TaskManager spends its time, with ours marked."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import UsageProblem
from flink_boost.base.permissions import changers_of
from flink_boost.base.places import CARRIED
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import FlinkHomeArgument, json_option, print_json, say
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.flamegraph import MARK_MEANS
from flink_boost.flink.home import open_home
from flink_boost.flink.jdks import find_java
from flink_boost.flink.lines import load_lines
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.stacks import Ours, ours_of
from flink_boost.operate.flame import EVENTS, Flame, take_flame, task_managers


@click.command(name="flame")
@click.argument("pid", type=click.IntRange(1), required=False)
@click.option(
    "--cluster",
    type=FlinkHomeArgument(),
    metavar="FLINK_HOME",
    help="All TaskManagers of this machine that run from there, one after the other.",
)
@click.option("--seconds", type=click.IntRange(1, 3600), default=30, show_default=True)
@click.option("--event", type=click.Choice(list(EVENTS)), default="cpu", show_default=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Folder for flame-PID-EVENT.html; one of an earlier call is replaced.",
)
@json_option
@terminated_like_interrupted()
def command(
    pid: int | None, cluster: Path | None, seconds: int, event: str, out: Path, as_json: bool
) -> int:
    """Take a flame graph from the JVM with that PID, or from the TaskManagers of a cluster.

    Run it as the user whom Flink runs as, on the same machine. The process goes on as it is; it
    loads a profiler (async-profiler) for so many seconds. CPU needs no hardware counters and no
    `perf` settings. Methods of classes that flink-boost patches or adds are marked.

    \b
    Examples:
      flink-boost flame --cluster /opt/flink
      flink-boost flame 4711 --seconds 60 --event alloc
      flink-boost flame --cluster /opt/flink --json --out /tmp/flames
    """
    if (pid is None) == (cluster is None):
        raise UsageProblem("Name one process, or a cluster.", "Give PID or --cluster.")
    pids = [pid] if pid is not None else []
    if cluster is not None:
        pids = task_managers(open_home(cluster))
    profiler = ensure_profiler(_cache())
    flames = []
    for each in pids:
        if not as_json:
            click.echo(f"Profiling process {each} for {seconds} s", err=True)
        flame = take_flame(
            each,
            event=event,
            seconds=seconds,
            page=out.absolute() / f"flame-{each}-{event}.html",
            profiler=profiler,
            java=_java_of(each),
            ours=_ours(),
        )
        flames.append(flame)
        if not as_json:
            _tell(flame)
    if as_json:
        print_json(0, {"flames": [asdict(flame) for flame in flames]})
    return 0


def _tell(flame: Flame) -> None:
    lines = [f"Process {flame.pid}, {flame.event}, {flame.seconds:g} s: file://{flame.page}"]
    lines += [f"  {share:>6.1%}  {name}" for name, share in flame.top]
    lines.append(f"  {flame.ours:.1%} is in or below methods of ours; {MARK_MEANS}.")
    say("\n".join(lines))


def _ours() -> Ours:
    return ours_of({name for line in load_lines().values() for name in line.classes})


def _cache() -> Path:
    """Where the library is unpacked: a wheel has no source tree, and may not be ours to write."""
    if not CARRIED.is_dir():
        return CACHE
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flink-boost" / __version__


def _java_of(pid: int) -> str:
    """The process's own java, which need not be on anybody's PATH, where we see the same file.

    Not one that root would run, and others can change.
    """
    link = Path("/proc") / str(pid) / "exe"
    try:
        java = link.readlink()
        trusted = os.geteuid() != 0 or not changers_of([java])
        if trusted and java.name == "java" and java.samefile(link):
            return str(java)
    except OSError:
        pass
    return find_java(None, os.environ)
