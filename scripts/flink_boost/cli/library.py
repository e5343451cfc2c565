"""What ``install`` and ``uninstall`` share: look at an installation, change its lib/, say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import print_json, say
from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.lines import Line, load_lines
from flink_boost.operate.carried import Carried, carried
from flink_boost.operate.flink_processes import find_running, sees_all
from flink_boost.operate.install import Action, LibraryChange, Running

_UNSEEN = (
    "Processes of other users cannot be seen: if Flink runs from here as another user, restart it."
)


@dataclass(frozen=True)
class Before:
    """What a command works on: an installation, all that we carry, and who tells what runs."""

    home: FlinkHome
    lines: dict[str, Line]
    package: Carried
    known: Sequence[Path]
    running: Running


def change_library(
    flink_home: Path,
    change: Callable[[Before], LibraryChange],
    done: Callable[[LibraryChange, FlinkHome], str],
    next_step: Callable[[FlinkHome], str] | None = None,
    *,
    as_json: bool,
) -> None:
    """Carries the change out and answers; ``done`` says what it was, without the full stop.

    ``next_step`` is told when something was changed. Raises what ``change`` raises.
    """
    with terminated_like_interrupted():
        lines = load_lines()
        package = carried(__version__)
        home = open_home(flink_home)
        known = package.dropins(lines.values())
        changed = change(Before(home, lines, package, known, partial(find_running, home)))
        if changed.action is not Action.UNCHANGED and not sees_all():
            changed = replace(changed, notes=(*changed.notes, _UNSEEN))
        sentence = done(changed, home)
        if as_json:
            found = {"flink_home": home.folder, "flink_version": home.version, **asdict(changed)}
            print_json(0, found, sentence)
        else:
            further = (next_step(home),) if next_step else ()
            say("\n".join((f"{sentence}.", *_still_to_do(changed, *further))), sentence)


def _still_to_do(changed: LibraryChange, *further: str) -> list[str]:
    if changed.action is Action.UNCHANGED:
        return []
    classes = "our classes" if changed.jar is None else "the old classes"
    restart = [f"Restart {process.named}: it still has {classes}." for process in changed.running]
    return [*restart, *changed.notes, *further]
