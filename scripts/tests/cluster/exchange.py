"""``ExchangeJob``: what goes in, what has to come out, and between which processes it went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_installation import FlinkInstallation
from generic_state import keys, owner_of
from running_job import RunningJob
from texts import encode, long_texts, short_texts

SUBTASKS = 4
# Two TaskManagers with two slots each, so that the job needs both.
SLOTS = {"taskmanager.numberOfTaskSlots": "2"}


@dataclass(frozen=True)
class Exchange:
    """A run of the job in its folder; the sources replay their pairs that many rounds."""

    job: RunningJob
    folder: Path
    pairs: Sequence[str]
    rounds: int

    @staticmethod
    def start(
        flink: FlinkInstallation,
        jar: Path,
        folder: Path,
        pairs: Sequence[str],
        *,
        rounds: int,
        pause_millis: int = 0,
        forget: bool = False,
    ) -> Exchange:
        """Submits the job; its sources go slowly, and never end, until ``release``."""
        folder.mkdir()
        (folder / "pairs.txt").write_text("".join(f"{pair}\n" for pair in pairs))
        options = ["forget"] if forget else []
        arguments = [str(folder), str(rounds), str(pause_millis), *options]
        job = RunningJob.submit(flink, jar, "ExchangeJob", *arguments)
        return Exchange(job, folder, pairs, rounds)

    def release(self) -> None:
        """Lets the sources come to their end as fast as they can, and waits for the job's."""
        (self.folder / "release").touch()
        self.job.wait_for_end()

    def expected(self) -> list[str]:
        """Each pair as often as there are rounds, and what each subtask got by broadcast once.

        Pairs are counted under strings, and once more as keys that go through Kryo.
        """
        counted = Counter(self.pairs)
        toward_all = Counter(pair.split(",")[0] for pair in self.pairs)
        return sorted(
            [
                *(
                    f"{kind},{pair},{self.rounds * times}"
                    for kind in ("pair", "generic")
                    for pair, times in counted.items()
                ),
                *[f"broadcast,{text},,{n}" for text, n in toward_all.items()] * SUBTASKS,
            ]
        )

    def counted(self) -> list[str]:
        """What the job counted, sorted, without the routes."""
        return sorted(line for line in self._lines() if not line.startswith("route,"))

    def miscounted(self) -> dict[str, str]:
        """For each key through Kryo with a wrong count: how it is named, and a sentence."""
        found = dict(line.rsplit(",", 1) for line in self.counted())
        sentences = {}
        for line in self.expected():
            counted, wanted = line.rsplit(",", 1)
            kind, first, second = counted.split(",")
            count = found.get(counted, "0")
            if kind == "generic" and count != wanted:
                name = owner_of((first, second))
                sentences[name] = f"{name} was counted {count} times instead of {wanted}."
        return sentences

    def routes(self) -> dict[tuple[int, ...], int]:
        """Process ids of source, first and second receiver, and how many pairs took that way.

        What came before the job's last failure is not in it.
        """
        found: Counter[tuple[int, ...]] = Counter()
        for line in self._lines():
            kind, pids, _, count = line.split(",")
            if kind == "route":
                found[tuple(map(int, pids.split()))] += int(count)
        return found

    def _lines(self) -> list[str]:
        names = [f"{name}-{n}.txt" for name in ("counts", "generic") for n in range(SUBTASKS)]
        return [line for name in names for line in (self.folder / name).read_text().splitlines()]


def all_pairs() -> list[str]:
    """Texts of all alphabets, each with another one, the long ones both; and some equal ones."""
    texts = [*map(encode, short_texts()), *map(encode, long_texts())]
    others = [*texts[1:], texts[0]]
    pairs = [f"{text},{other}" for text, other in zip(texts, others, strict=True)]
    return list(dict.fromkeys([*pairs, *map(",".join, keys())]))
