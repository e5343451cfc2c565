"""Judges the newest night of every benchmark, and reruns what is suspected.

Nights before it are taken as they were judged; those that nobody has judged are gone through with
the answers that reruns gave in their nights. Only for the newest night is something rerun, the most
suspicious benchmark first, until the night's pairs are used up. So a call that was killed goes on
where it was, and the order of files or uploads changes nothing.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost.base.errors import BuildFailed, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.flink.lines import find_line
from flink_boost.judge.detection.confirmation import BATCH, MOST_PAIRS, Confirmation, Decision
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm
from flink_boost.judge.detection.watcher import Watcher
from flink_boost.judge.tracks import Track
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.model import OURS, Purpose, RunInfo
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.detect.reruns.bench import BuildQuestion, ForkRerun
from flink_boost.service.detect.reruns.rerun_journal import NightJudged, RerunAnswered, RerunJournal
from flink_boost.service.detect.reruns.resume_detection import judged, recall, without_repetition

# For a whole night; at a few seconds a fork an hour or two.
NIGHT_PAIRS = 600


@dataclass(frozen=True)
class WatchedTrack:
    """A track after its newest night: all that was ever told of it, and what goes on.

    ``pending`` is a suspicion that no rerun has decided, ``waits`` says that tonight's pairs were
    used up before its turn, or that it was given up. ``decisions`` are those of its suspicions, by
    the numbers of both nights. ``judged`` are nights that were judged now, after the first ``kept``
    ones of the journal.
    """

    track: Track
    told: tuple[ConfirmedAlarm, ...]
    pending: Confirmation | None
    waits: bool
    urgency: float
    answers: tuple[RerunAnswered, ...]
    decisions: Mapping[tuple[int, int], Decision]
    kept: int
    judged: tuple[NightJudged, ...]


@dataclass(frozen=True)
class Findings:
    """All tracks, ordered by name; pairs that were rerun for tonight; what could not be done.

    ``why`` is the first of the problems for which something was not measured again.
    """

    tracks: tuple[WatchedTrack, ...]
    pairs: int
    problems: tuple[str, ...]
    why: str = ""


class NightReruns:
    """Answers for the newest night by measuring builds, and keeps each answer in its journal.

    ``project`` is whose commits ``builder`` builds. Builds that fail are tried once.
    """

    def __init__(
        self,
        results: Path,
        builder: RecipeBuilder,
        project: str,
        bench: ForkRerun,
        *,
        pairs: int,
        now: Callable[[], datetime],
    ) -> None:
        self._results = results
        self._builder = builder
        self._project = project
        self._bench = bench
        self._most = pairs
        self._now = now
        self._builds: dict[tuple[str, str], Build | None] = {}
        # So that suspicions never take the turn of the anchors.
        self._kept_for_anchors = min(MOST_PAIRS, pairs // 5 // BATCH * BATCH)
        self._used_by_anchors = 0
        self.used = 0
        self.problems: dict[str, bool] = {}  # whether something was not measured for it

    @property
    def left(self) -> int:
        """Pairs that this night still has."""
        return max(0, self._most - self.used)

    @property
    def is_used_up(self) -> bool:
        """Whether no suspicion is rerun any more in this night."""
        return self._left_for(held=False) == 0

    def _left_for(self, *, held: bool) -> int:
        kept = 0 if held else max(0, self._kept_for_anchors - self._used_by_anchors)
        return max(0, self.left - kept)

    def count_known(self, journals: Iterable[RerunJournal], tonight: Collection[str]) -> None:
        """Counts what an earlier call has used of this night's pairs."""
        found = [journal.pairs_used(tonight) for journal in journals]
        self.used = sum(pairs for pairs, _ in found)
        self._used_by_anchors = sum(held for _, held in found)

    def answer(
        self,
        track: Track,
        journal: RerunJournal,
        before: RunInfo,
        after: RunInfo,
        pairs: int,
        *,
        held: bool = False,
    ) -> Sequence[float] | None:
        """Log speed-ups of the build of ``after`` against that of ``before``, its anchor if so."""
        first, second = self._build(before), self._build(after)
        newest = track.runs[-1]
        question = (newest.run_id, before.run_id, after.run_id)
        if first is None or second is None:
            if held:  # it has had its turn
                self._keep(journal, question, 0, (), held=held)
                name = track.names[-1].name
                self._tell(f"{name} was not held against its anchor for that.", stops=False)
            return ()
        if first.digest == second.digest:
            self._keep(journal, question, 0, (), same=True, held=held)
            return None
        count = min(pairs, self._left_for(held=held))
        if count == 0:
            if held:
                name = track.names[-1].name
                self._tell(f"No pair was left to hold {name} against its anchor.", stops=False)
            return ()
        asked = BuildQuestion(
            night=newest,
            cell=track.names[-1],
            before=first,
            after=second,
            purpose=Purpose.CONFIRMATION,
            asked="/".join(question),
        )
        found = self._bench.rerun(asked, journal.known_pairs(*question), count)
        self.used += count
        self._used_by_anchors += count if held else 0
        self._keep(journal, question, count, found, held=held)
        if not found:
            self.tell_given_up(track)
        return found

    def tell_given_up(self, track: Track) -> None:
        """That nothing was measured of it, for its forks crash."""
        self._tell(f"{track.names[-1].name} was given up: no pair of its forks was whole.")

    def _keep(
        self,
        journal: RerunJournal,
        question: tuple[str, str, str],
        pairs: int,
        found: Sequence[float],
        *,
        same: bool = False,
        held: bool,
    ) -> None:
        asked, before, after = question
        journal.add(
            RerunAnswered(
                asked=asked,
                before=before,
                after=after,
                pairs=pairs,
                differences=tuple(found),
                same=same,
                held=held,
                when=self._now(),
            )
        )

    def _build(self, run: RunInfo) -> Build | None:
        commit = run.subject_commit
        place = (commit, run.line)
        if place not in self._builds:
            self._builds[place] = self._try_to_build(run, commit)
        return self._builds[place]

    def _try_to_build(self, run: RunInfo, commit: str) -> Build | None:
        project = run.subject.project if run.subject else OURS
        if project != self._project:
            self._tell(f"{run.run_id} measured {project}; this recipe builds {self._project}.")
            return None
        if commit.endswith("-dirty") or commit in ("", "unknown"):
            self._tell(f"{run.run_id} measured {commit or 'no commit'}: it cannot be built again.")
            return None
        try:
            found = self._builder.build(commit, find_line(run.line))
        except (BuildFailed, UsageProblem) as error:
            self._tell(str(error))
            return None
        if project == OURS and run.dropin_sha256 and sha256(found.jars[0]) != run.dropin_sha256:
            self._tell(
                f"The jar of {commit[:12]} was built anew with other bytes than it had.",
                stops=False,
            )
        return found

    def _tell(self, sentence: str, *, stops: bool = True) -> None:
        self.problems[sentence] = stops

    @property
    def why(self) -> str:
        """The first problem for which something was not measured; empty without one."""
        return next((sentence for sentence, stops in self.problems.items() if stops), "")


def _was_given_up(answer: RerunAnswered, track: Track, reruns: NightReruns | None) -> bool:
    """Whether an earlier call for the same night got nothing; that is said once more, then."""
    if answer.same or answer.differences:
        return False
    if reruns is not None:
        reruns.tell_given_up(track)
    return True


def confirm(
    tracks: Sequence[Track],
    results: Path,
    reruns: NightReruns | None,
    tonight: Collection[str],
) -> Findings:
    """Judges all tracks, and reruns for the newest night of those that ``tonight`` measured.

    ``tonight`` are ids of runs; how they were judged is kept. Without ``reruns`` nothing is
    measured, and nothing kept. Raises ``EnvironmentProblem`` when the machine does not let us
    measure; what was answered until then is kept.
    """
    journals = {track.key: RerunJournal(results, track.key) for track in tracks}
    if reruns is not None:
        reruns.count_known(journals.values(), tonight)
    silent = {
        track.key: replay(
            track, journals[track.key], None, is_tonight=track.runs[-1].run_id in tonight
        )
        for track in tracks
    }
    wanting = [one for one in silent.values() if one.waits and one.track.runs[-1].run_id in tonight]
    # The key makes the order one, where two are equally suspicious.
    for one in sorted(wanting, key=lambda one: (-one.urgency, one.track.key)):
        if reruns is not None:
            silent[one.track.key] = replay(one.track, journals[one.track.key], reruns)
    for key, one in silent.items():
        if reruns is not None and one.track.runs[-1].run_id in tonight:
            journals[key].judge(one.kept, one.judged)
    return Findings(
        tracks=tuple(silent[track.key] for track in tracks),
        pairs=reruns.used if reruns else 0,
        problems=tuple(reruns.problems) if reruns else (),
        why=reruns.why if reruns else "",
    )


def replay(
    track: Track, journal: RerunJournal, reruns: NightReruns | None, *, is_tonight: bool = True
) -> WatchedTrack:
    """Goes on with a track after the last night that was judged, with the journal's answers.

    The newest night is judged again when ``is_tonight``: ``reruns`` answers there what the journal
    does not.
    """
    answers: defaultdict[tuple[str, str, str], deque[RerunAnswered]] = defaultdict(deque)
    for one in journal.answers:
        answers[one.asked, one.before, one.after].append(one)
    current, waits = track.nights[0].number, False
    newest = len(track.runs) - 1

    def ask(before: int, after: int, pairs: int) -> Sequence[float] | None:
        nonlocal waits
        runs = track.runs
        known = answers[runs[current].run_id, runs[before].run_id, runs[after].run_id]
        if known:
            answer = known.popleft()
            waits = waits or (current == newest and _was_given_up(answer, track, reruns))
            return None if answer.same else answer.differences
        if current != newest:
            return ()
        if reruns is not None:
            found = reruns.answer(track, journal, runs[before], runs[after], pairs)
            if found is None or found:
                return found
        waits = True
        return ()

    watcher = Watcher(ask)
    known = recall(track, journal, newest=not is_tonight)
    told: list[ConfirmedAlarm] = []
    if known is not None:
        watcher.go_on(known.past)
        told += known.told
    nights = []
    for night in track.nights_after(known.until if known else -1):
        current = night.number
        alarm = watcher.add(night)
        told += [alarm] if alarm else []
        nights.append(judged(track, watcher, alarm))
    return WatchedTrack(
        track=track,
        told=tuple(told),
        pending=watcher.pending,
        waits=waits,
        urgency=watcher.urgency if current == newest else 0.0,
        answers=tuple(journal.answers),
        decisions=watcher.decisions,
        kept=known.kept if known else 0,
        judged=without_repetition(nights, known),
    )
