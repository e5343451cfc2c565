"""A program that reruns pairs of builds: questions and answers, a line of JSON each.

Whoever wants to judge detection gives one; it alone knows what a rerun would show.
"""

from __future__ import annotations

import os
import selectors
import shlex
import subprocess
from collections.abc import Sequence
from types import TracebackType

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.processes import foreign_environment
from flink_boost.judge.detection.nights import effects_of
from lab.cases import DetectionCase, RerunAnswer, RerunQuestion

ANSWER_SECONDS = 600.0
_LONGEST_ANSWER = 1024 * 1024
_LOOK = "Look at what it printed on its error output."


class RerunProgram:
    """The running program; ``rerun`` asks it. To be used in a ``with`` statement."""

    def __init__(self, command: str, timeout: float = ANSWER_SECONDS) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageProblem(f"--rerun is no command line ({error}).", "Quote it.") from error
        if not self._words:
            raise UsageProblem("--rerun is empty.", "Name the program that answers reruns.")
        self._timeout = timeout
        self._rest = b""

    def __enter__(self) -> RerunProgram:
        try:
            self._process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=foreign_environment(os.environ),
                bufsize=0,
            )
        except OSError as error:
            raise EnvironmentProblem(
                f"{self._words[0]} cannot be started ({error.strerror}).", "Check --rerun."
            ) from error
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("both are pipes")
        self._input, self._output = self._process.stdin, self._process.stdout
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._input.close()
        self._output.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def rerun(self, case: DetectionCase, before: int, after: int, pairs: int) -> Sequence[float]:
        """Log speed-ups of the build of ``after`` against that of ``before``, a pair each.

        Raises ``BrokenData`` for an answer that is none, ``EnvironmentProblem`` when the program
        ends or stays silent.
        """
        question = RerunQuestion(
            id=case.id, before=case.label(before), after=case.label(after), pairs=pairs
        )
        line = self._ask(question.model_dump_json().encode() + b"\n")
        try:
            answer = RerunAnswer.model_validate_json(line)
        except ValidationError as error:
            raise BrokenData(
                f"{self._words[0]} answered {line[:80]!r}, which is no answer to a rerun"
                f" ({error.errors()[0]['msg']}).",
                'A line such as {"pairs": [[101.2, 99.8]]} is one.',
            ) from error
        if len(answer.pairs) > pairs:
            raise BrokenData(
                f"{self._words[0]} answered {len(answer.pairs)} pairs to a question for {pairs}.",
                "Answer at most as many pairs as were asked for.",
            )
        return effects_of(answer.pairs, less_is_better=case.less_is_better)

    def _ask(self, line: bytes) -> bytes:
        try:
            self._input.write(line)
            return self._read_line()
        except BrokenPipeError as error:
            raise self._ended() from error

    def _read_line(self) -> bytes:
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(self._timeout):
                    raise EnvironmentProblem(
                        f"{self._words[0]} did not answer within {self._timeout:.0f} s.", _LOOK
                    )
                part = os.read(self._output.fileno(), 65536)
                if not part:
                    raise self._ended()
                self._rest += part
                if len(self._rest) > _LONGEST_ANSWER:
                    raise BrokenData(f"{self._words[0]} sends lines without end.", _LOOK)
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _ended(self) -> EnvironmentProblem:
        return EnvironmentProblem(f"{self._words[0]} has ended before its answer.", _LOOK)
