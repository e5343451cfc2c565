"""Answers reruns of a proof's cases on real forks: the program that ``--rerun`` asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.measure import store
from lab.cases import RerunAnswer, RerunQuestion
from lab.evaluation import read_documents
from lab.real.bench import ProofBench
from lab.real.model import KNOWN, RealCase, read_order


def night_name(case: RealCase | None, number: int) -> str:
    """The run of a night: of one case from its delay on, of all cases before."""
    return f"{case.id}-night-{number:03d}" if case else f"night-{number:03d}"


def answer_on_forks(bench: ProofBench, folder: Path, questions: Iterable[str]) -> Iterator[str]:
    """A line with an answer for each line with a question.

    Cases of one benchmark share their nights of equal builds, and so what was rerun of these.
    Raises ``BrokenData`` for a question about no case or night.
    """
    order = read_order(folder)
    known: defaultdict[tuple[str, int, int], int] = defaultdict(int)
    for line in questions:
        # Only now: whoever asks may have started us before there were cases.
        cases = {one.id: one for one in read_documents(folder / KNOWN, RealCase)}
        night = store.load_run(bench.results, night_name(None, 1))
        try:
            question = RerunQuestion.model_validate_json(line)
            case = cases[str(question.id)]
            before, after = int(question.before), int(question.after)
        except (ValidationError, KeyError, ValueError) as error:
            raise BrokenData(
                f"This question is about no case or night of {folder} ({type(error).__name__}).",
                f"Its cases are: {', '.join(cases)}.",
            ) from error
        rounds = tuple(case.rounds if one > order.nights else 0 for one in (before, after))
        owner = case.id if any(rounds) else case.cell.name
        place = (case.id, before, after)
        pairs = bench.rerun(
            *(night, case.cell, (rounds[0], rounds[1]), f"{owner}/{before}/{after}"),
            known[place],
            question.pairs,
        )
        known[place] += question.pairs
        yield RerunAnswer(pairs=pairs).model_dump_json()
