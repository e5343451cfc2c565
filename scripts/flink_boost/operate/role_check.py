"""Looks at what a JVM with the options of each role sees; strings take one of them only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from flink_boost.flink.launch import Launch
from flink_boost.flink.lines import Line
from flink_boost.operate import verify
from flink_boost.operate.jvm_start import JvmStart
from flink_boost.operate.verify import MEASURED, Check, not_ours, observe


def observe_all(
    stock: Path,
    launch: Launch,
    starts: Sequence[JvmStart],
    verifier: Path,
    environment: Mapping[str, str],
) -> list[dict[str, str]]:
    """What a JVM of each start sees. Raises as ``observe``."""
    counts = [verify.STRINGS if MEASURED in start.roles else 0 for start in starts]
    return [
        observe(stock, launch, verifier, environment, start, count)
        for start, count in zip(starts, counts, strict=True)
    ]


def measured(starts: Sequence[JvmStart], seen: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    """What was seen with the options that the strings were driven with."""
    return next(s for start, s in zip(starts, seen, strict=True) if MEASURED in start.roles)


def judge_options(
    starts: Sequence[JvmStart], seen: Sequence[Mapping[str, str]], line: Line, jar: Path
) -> Check:
    """Whether what was judged holds for every role, with all options that it has."""
    wrong = [
        f"in the {start.named('and')} {fault}"
        for start, each in zip(starts, seen, strict=True)
        if MEASURED not in start.roles
        for fault in not_ours(each, line, jar)
    ]
    if wrong:
        return Check("options", False, "; ".join(wrong) + ".")
    if doubts := [*_not_checked(starts)]:
        return Check("options", None, f"Not checked: {' '.join(doubts)}")
    out = dict.fromkeys(word for start in starts for word in start.left_out)
    left = f" Left out, as a second process may not have them: {', '.join(out)}." if out else ""
    return Check(
        "options",
        True,
        "A JVM starts with the options that the scripts give the jobmanager, the taskmanager and"
        f" the client.{left} Only --job starts these themselves.",
    )


def _not_checked(starts: Sequence[JvmStart]) -> Iterator[str]:
    """The agents that were not started, and why."""
    if busy := dict.fromkeys(word for start in starts for word in start.busy):
        yield (
            f"{', '.join(busy)} wants a port that is in use, as by a Flink that runs. What this"
            " agent does to classes is told when that is stopped."
        )
    if unasked := dict.fromkeys(word for start in starts for word in start.unasked):
        yield (
            f"{', '.join(unasked)} writes a file, which a second process would write over. Whether"
            " this agent leaves our classes as they are is told without that file."
        )
