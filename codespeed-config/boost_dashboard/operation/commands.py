"""What ``flink-boost dashboard`` does: checks first, one answer, and errors in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import Error, connection

from boost_dashboard.operation import tokens
from boost_dashboard.operation.backup import Backup, open_backup, write_backup
from boost_dashboard.operation.database import (
    alone,
    is_prepared,
    require_prepared,
    without_password,
)
from boost_dashboard.operation.rename import kind_of
from boost_dashboard.operation.rename import rename as give_name
from boost_dashboard.operation.restore import restore as put_back
from boost_dashboard.operation.runs import (
    find_run,
    prunable,
    removal_answer,
    remove,
    remove_closed_alarms,
    remove_old_nights,
    utc_now,
)
from boost_dashboard.reading.scope import TREND
from boost_dashboard.writers import Writer
from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.publish.dashboard_commands import Answered


@contextmanager
def in_sentences() -> Iterator[None]:
    """Raises an ``EnvironmentProblem`` for what disk or database do not let us."""
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise EnvironmentProblem(
            f"{error.strerror or type(error).__name__}{where}.",
            "Free some space or mend the permissions, then try again.",
        ) from error
    except Error as error:
        raise EnvironmentProblem(
            f"The database cannot be used: {without_password(str(error))}.",
            "Nothing was changed. See whether it runs and whether another process holds it.",
        ) from error


def backup(file: Path) -> Answered:
    """Reads in one transaction, so the file holds the state of one moment."""
    require_prepared()
    counts = write_backup(file).counts
    size = file.stat().st_size
    sentence = (
        f"{counts['result']:,} results of {counts['revision']:,} runs are in {file}, "
        f"{size / 1e6:.1f} MB."
    )
    return Answered((sentence,), {"file": str(file), "bytes": size, "rows": counts})


def restore(file: Path, *, replace: bool, dry_run: bool) -> Answered:
    """Makes the tables first, so the database may be a new one."""
    with open_backup(file) as saved:
        before = _restore(saved, replace=replace, dry_run=dry_run)
    counts = saved.header.counts
    done = "Would restore" if dry_run else "Restored"
    what = f"{counts['result']:,} results of {counts['revision']:,} runs"
    sentences = [f"{done} {what}, as they were at {saved.header.created}."]
    if before["codespeed.result"]:
        gone = "would be" if dry_run else "are"
        sentences.append(f"{before['codespeed.result']:,} results {gone} gone.")
    facts = {
        "file": str(file), "created": saved.header.created, "rows": counts,
        "replaced": before["codespeed.result"], "dry_run": dry_run,
    }  # fmt: skip
    return Answered(tuple(sentences), facts)


def _restore(saved: Backup, *, replace: bool, dry_run: bool) -> dict[str, int]:
    """Rows before, by table; the tables are made first, unless nothing is to be changed."""
    if dry_run and not is_prepared():
        return {"codespeed.result": 0}
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    call_command("prepare_dashboard", verbosity=0)
    return put_back(saved, replace=replace, dry_run=dry_run)


def delete(run: str, branch: str | None, *, dry_run: bool) -> Answered:
    """By its commit id, or by its id in the results store."""
    require_prepared()
    with alone(dry_run=dry_run):
        removal = remove([find_run(run, branch)])
    return removal_answer(removal, dry_run=dry_run)


def prune(
    keep: int | None, keep_days: int | None, branch: Sequence[str], *, dry_run: bool
) -> Answered:
    """With both, a run stays that either of them keeps."""
    require_prepared()
    if keep is None and keep_days is None:
        raise UsageProblem(
            "It is not said what to keep.", "Give --keep RUNS or --keep-days DAYS, 1 or more."
        )
    with alone(dry_run=dry_run):
        removal = remove(prunable(keep, keep_days, branch, utc_now()))
        nights = alarms = 0
        if not branch or TREND in branch:
            nights = remove_old_nights(keep, keep_days, utc_now())
            alarms = remove_closed_alarms()
    return removal_answer(removal, dry_run=dry_run, nights=nights, alarms=alarms)


def rename(old: str, new: str, kind: str | None, *, merge: bool, dry_run: bool) -> Answered:
    """Results stay where they are; only the name that they are shown under changes."""
    require_prepared()
    with alone(dry_run=dry_run):
        kind = kind_of(old, kind)
        changed = give_name(kind, old, new, merge=merge)
    done = "Would rename" if dry_run else "Renamed"
    facts = {"kind": kind, "old": old, "new": new, "renamed": changed, "dry_run": dry_run}
    return Answered(tuple(f"{done} the {kind} {one}." for one in changed), facts)


def new_token(name: str, branch: Sequence[str], output: Path | None) -> Answered:
    """A running server takes each change of tokens with its next upload."""
    writers = settings.CONFIGURATION.writers
    today = datetime.now(UTC).date()
    where = ", ".join(branch) or "all branches"
    said = f"{name} may write into {where}; {writers.path} has the SHA-256 of the token."
    facts = {"name": name, "branches": list(branch) or None, "file": str(writers.path)}
    if output is not None:
        with tokens.private_file(output) as write:
            write(tokens.new_token(writers, name, branch, today))
        return Answered((said, f"The token is in {output}."), {**facts, "output": str(output)})
    token = tokens.new_token(writers, name, branch, today)
    once = "The token is not shown again."
    return Answered((said, once), {**facts, "token": token}, shown=token)


def list_tokens() -> Answered:
    """One writer in a line."""
    writers = settings.CONFIGURATION.writers
    known = writers.read()
    facts = {"file": str(writers.path), "writers": [_row(writer) for writer in known]}
    if not known:
        return Answered((f"There is no writer in {writers.path}, only the token of all.",), facts)
    width = max(len(writer.name) for writer in known)
    lines = [
        f"{writer.name:<{width}}  {writer.created or 'by hand':<10}  {writer.fingerprint}  "
        f"{', '.join(sorted(writer.branches)) if writer.branches else 'all branches'}"
        for writer in known
    ]
    return Answered(tuple(lines), facts)


def revoke_token(name: str) -> Answered:
    """Out of the file of writers."""
    writers = settings.CONFIGURATION.writers
    writer = tokens.revoke(writers, name)
    return Answered(
        (f"The token of {name} ({writer.fingerprint}) lets nobody in any more.",),
        {"name": name, "fingerprint": writer.fingerprint, "file": str(writers.path)},
    )


def _row(writer: Writer) -> dict[str, Any]:
    return {
        "name": writer.name,
        "branches": sorted(writer.branches) if writer.branches else None,
        "created": writer.created.isoformat() if writer.created else None,
        "fingerprint": writer.fingerprint,
    }
