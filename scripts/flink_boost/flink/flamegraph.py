"""Draws flame graphs with async-profiler's converter, and adds what a reader has to know.

The page is one file: its script and styles are inside, and a content security policy forbids it
everything else, requests above all.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, NoProfiler
from flink_boost.base.files import write_durably
from flink_boost.flink.profiler import Profiler
from flink_boost.flink.stacks import MARK, Ours, Stack, marked, parse_collapsed

_SECONDS = 120.0
_HEAP = "-Xmx512m"
_POLICY = (
    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none';"
    " style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none';"
    " form-action 'none'\">"
)
_HEAD = "<meta charset='utf-8'>"
_PICTURE = "<canvas id='canvas'>"
# Threads that compile have deep stacks of next to no width, which would make pages of white space.
_LEAST = ("--minwidth", "0.25")
MARK_MEANS = f"{MARK} marks methods of classes that flink-boost patches or adds"


def read_recording(profiler: Profiler, java: str, recording: Path, event: str) -> dict[Stack, int]:
    """The stacks of one event, ``cpu``, ``alloc`` or ``lock``, in a recording of the profiler.

    CPU is in samples, allocation in bytes, locks in nanoseconds. Raises ``BrokenData`` when it
    holds none, ``NoProfiler`` when the converter does not run.
    """
    with TemporaryDirectory() as folder:
        target = Path(folder) / "stacks"
        total = () if event == "cpu" else ("--total",)
        _convert(profiler, java, f"--{event}", *total, "-o", "collapsed", recording, target)
        text = target.read_text(encoding="utf-8", errors="replace")
    return parse_collapsed(text, f"{recording.name} ({event})")


def draw(
    profiler: Profiler,
    java: str,
    stacks: Mapping[Stack, float],
    target: Path,
    *,
    title: str,
    notes: Sequence[str],
    ours: Ours,
) -> None:
    """Writes the flame graph of one side; ``notes`` stand above it, a line each."""
    with TemporaryDirectory() as folder:
        source, page = Path(folder) / "stacks.collapsed", Path(folder) / "page.html"
        source.write_text(marked(stacks, ours), encoding="utf-8")
        _convert(profiler, java, *_LEAST, "--title", html.escape(title), source, page)
        _publish(page, target, notes)


def draw_difference(
    profiler: Profiler,
    java: str,
    sides: tuple[Mapping[Stack, float], Mapping[Stack, float]],
    target: Path,
    *,
    title: str,
    notes: Sequence[str],
    ours: Ours,
) -> None:
    """Writes the flame graph of the second side, coloured by what the first one had instead.

    Both sides have to have the same sum.
    """
    with TemporaryDirectory() as folder:
        first, second = Path(folder) / "before.collapsed", Path(folder) / "after.collapsed"
        page = Path(folder) / "page.html"
        first.write_text(marked(sides[0], ours), encoding="utf-8")
        second.write_text(marked(sides[1], ours), encoding="utf-8")
        words = ("--diff", *_LEAST, "--title", html.escape(title))
        _convert(profiler, java, *words, first, second, page)
        _publish(page, target, notes)


def _convert(profiler: Profiler, java: str, *words: str | Path) -> None:
    command = [java, _HEAP, "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"]
    command += ["-jar", str(profiler.converter), *map(str, words)]
    done = run_captured(command, _SECONDS, install="Name a Java 8 or newer with --java PATH.")
    if done.returncode != 0 or not Path(words[-1]).is_file():
        said = (done.stdout.strip().splitlines() or ["no output"])[0]
        raise NoProfiler(f"The flame graph could not be drawn ({said}).", "Profile again.")


def _publish(page: Path, target: Path, notes: Sequence[str]) -> None:
    content = page.read_text(encoding="utf-8")
    if _HEAD not in content or _PICTURE not in content:
        raise BrokenData(f"{page.name} is no flame graph as the converter draws it.")
    lines = "\n".join(html.escape(line) for line in notes)
    box = (
        f"<pre style='clear:both;font:13px monospace;margin:6px 0;overflow-x:auto'>{lines}</pre>\n"
    )
    content = content.replace(_HEAD, f"{_HEAD}\n{_POLICY}", 1)
    content = content.replace(_PICTURE, box + _PICTURE, 1)
    write_durably(target, content)
