"""Brings what was measured into the spool: every finished run that is not there yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData, UploadFailed
from flink_boost.measure import store
from flink_boost.measure.descriptions import DESCRIPTIONS_FILE, load_descriptions
from flink_boost.measure.history import HistoryReader
from flink_boost.measure.store import RunState
from flink_boost.measure.summary import gap_sentence
from flink_boost.publish.codespeed import entries_of, entry_keys
from flink_boost.publish.spool import Spool


@dataclass(frozen=True)
class Spooled:
    """What could not be spooled, or not whole: a sentence for each run.

    ``partial`` are runs with gaps that were spooled by this call; ``told_before`` counts those
    that were spooled by an earlier one.
    """

    not_spooled: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    told_before: int = 0
    abandoned: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that there is to say."""
        return (*self.not_spooled, *self.partial, *self.abandoned)

    def require_whole(self) -> None:
        """Raises ``UploadFailed`` when a run is not sent, or was spooled with gaps by this call."""
        count = len(self.not_spooled) + len(self.partial)
        if count:
            runs = "1 run" if count == 1 else f"{count} runs"
            raise UploadFailed(
                f"{runs} could not be sent whole.", "What is missing is named above."
            )


def spool_new_runs(
    spool: Spool, results: Path, environment: str | None, reader: HistoryReader | None = None
) -> Spooled:
    """Spools every run that has ended and is not spooled yet, with the benchmarks that have pairs.

    A run that cannot be spooled does not keep the others from it. Unsent entries of runs that were
    abandoned meanwhile are dropped. ``reader`` has perhaps read them before.
    """
    history = (reader or HistoryReader(results)).load()
    descriptions = load_descriptions(DESCRIPTIONS_FILE)
    not_spooled = list(history.broken)
    partial: list[str] = []
    told_before = 0
    for run in history.runs:
        if run.is_aa:
            continue
        sentence = gap_sentence(run.info, run.missing)
        keys = entry_keys(run)
        if not keys:
            not_spooled.append(f"Run {run.info.run_id} is not sent: no pair is whole. {sentence}")
            continue
        if all(spool.knows(key) for key in keys):
            told_before += bool(sentence)
            continue
        try:
            for entry in entries_of(run, environment, descriptions):
                spool.add(entry)
        except (BrokenData, ArithmeticError, ValueError) as error:
            # Such as a score that has no logarithm: one run must not keep the others back.
            not_spooled.append(f"Run {run.info.run_id} is not sent: {error}")
            continue
        if sentence:
            partial.append(sentence)
    abandoned = take_back_abandoned(spool, results)
    return Spooled(tuple(not_spooled), tuple(partial), told_before, abandoned)


def take_back_abandoned(spool: Spool, results: Path) -> tuple[str, ...]:
    """Takes unsent entries of abandoned runs out of the spool; a sentence for each."""
    sentences = []
    for key in spool.unsent_keys():
        try:
            run_id = spool.load_unsent(key).run_id
        except BrokenData:
            continue  # the sender names it
        if store.state(results, run_id) is RunState.ABANDONED:
            with spool.sender_lock():
                if key in spool.unsent_keys():
                    spool.take_back(key)
                    sentences.append(f"Run {run_id} was abandoned: its result {key} is not sent.")
    return tuple(sentences)
