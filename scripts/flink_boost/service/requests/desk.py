"""Reads comments, decides what follows from each, and says what there is to say.

Between any two lines it may be killed: what was read, decided and said is in the database, and the
next one goes on there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flink_boost.base.errors import HubAway, HubRefused, NotTakenNow, PullRequestRefused
from flink_boost.service.requests import grammar, wording
from flink_boost.service.requests.backoff import Pauses
from flink_boost.service.requests.catalogue import Bounds, Offerings
from flink_boost.service.requests.command import is_for_us
from flink_boost.service.requests.database import is_of_the_database
from flink_boost.service.requests.eta import (
    Blocked,
    ahead_of,
    foretold_seconds,
    habit_of,
    history_of,
    place_text,
)
from flink_boost.service.requests.hub.hub_model import Comment, Hub, PullRequest
from flink_boost.service.requests.queue import MAY_NOT_ASK, MOST_FORGOTTEN, RequestQueue
from flink_boost.service.requests.request import Request, RequestOrder, request_id
from flink_boost.service.requests.request_outbox import HubOutbox, UnsentMessage, Words
from flink_boost.service.requests.request_states import RequestState
from flink_boost.service.retention.retention_settings import Retention

_TOO_OLD = timedelta(days=7)  # written while nobody read: the pull request has gone on since
_EDITED_LATE = timedelta(hours=1)  # who knows what it said before: only new comments count
_REFUSED_AGAIN = timedelta(days=1)
_HISTORY = 50
_MOST_FAILURES = 2  # of different pull requests in one go: then it is not theirs
_COMPARED = 3  # times at least, and for how long, until a comparison is given up
_COMPARED_FOR = timedelta(hours=1)
_UNTAKEN_FOR = timedelta(days=7)  # then what GitHub did not take is given up
_MOST_UNSENT = 2  # of different pull requests: then it is not theirs


@dataclass
class Desk:
    """Reads, decides and answers for one repository. ``now`` is aware, in UTC.

    ``blocked`` tells when something else will have the box, ``others`` are the queues of further
    repositories that the same box works on in turn, from the one whose turn is after this one's;
    ``tell`` tells a person what
    happens, and ``keep`` is for how long comments stay that nothing was made of.
    """

    hub: Hub
    queue: RequestQueue
    known: Offerings
    bounds: Bounds
    recipe: str
    now: Callable[[], datetime]
    blocked: Callable[[], Sequence[Blocked]] = lambda: ()
    others: Sequence[RequestQueue] = ()
    tell: Callable[[str], None] = lambda _: None
    keep: timedelta = timedelta(days=Retention().comments)
    _forget_again: datetime | None = field(default=None, init=False)
    _login: str = field(default="", init=False)
    _parsed: dict[int, grammar.Parsed | None] = field(default_factory=dict, init=False)
    _pauses: Pauses[int] = field(
        default_factory=lambda: Pauses(timedelta(minutes=1), timedelta(minutes=10)), init=False
    )
    _unsent: Pauses[int] = field(
        default_factory=lambda: Pauses(timedelta(minutes=1), timedelta(minutes=10)), init=False
    )

    def once(self) -> None:
        """Reads what is new, decides about all that waits, says what there is to say.

        Raises ``HubAway`` and ``HubRefused``; whatever was done until then is kept.
        """
        failed: list[HubAway | HubRefused] = []
        for step in (self.read, self.decide, self.deliver):
            if failed and step == self.decide:
                continue  # a hub that is away is no trouble of any one comment
            try:
                step()
            except (HubAway, HubRefused) as error:
                failed.append(error)
                if isinstance(error, HubAway) and error.retry_after is not None:
                    raise  # it would not be asked for anything else either
        # A refusal first: it is not mended by itself.
        for problem in sorted(failed, key=lambda one: isinstance(one, HubAway)):
            raise problem

    def read(self) -> int:
        """Stores new comments and how far they are read, in one transaction."""
        try:
            comments, cursor = self.hub.new_comments(self.queue.cursor())
        except (HubAway, HubRefused) as error:
            self.queue.note_problem(error.message)
            raise
        new = self.queue.keep(comments, cursor, self.now())
        self._forget()
        return new

    def _forget(self) -> None:
        """Once a day, what nothing was made of: read again it would be too old to be looked at."""
        now = self.now()
        if self._forget_again is not None and now < self._forget_again:
            return
        if self.queue.forget(now - max(self.keep, 2 * _TOO_OLD)) < MOST_FORGOTTEN:
            self._forget_again = now + timedelta(days=1)

    def decide(self) -> None:
        """Goes through the comments that nothing has followed from yet, oldest first.

        One that cannot be decided now holds back those of its own pull request only, and is tried
        again after a pause. Raises what kept it, after the others.
        """
        failed: dict[int, HubAway | HubRefused] = {}
        decided = False
        while waiting := self.queue.unhandled(but=self._pauses.running(self.now())):
            meant = {one.id for one in waiting if not one.bot and is_for_us(one.body)}
            others = [one for one in waiting if one.id not in meant]
            self.queue.close_all(others, "not for us", self.now())
            for comment in waiting:
                if comment.id not in meant or comment.number in failed:
                    continue
                problem = self._tried(comment)
                if problem is None:
                    decided = True
                    continue
                failed[comment.number] = problem
                if len(failed) == _MOST_FAILURES:
                    raise problem
        for problem in failed.values():
            if isinstance(problem, HubAway) or not decided:
                raise problem

    def _tried(self, comment: Comment) -> HubAway | HubRefused | None:
        """Decides about it; what kept it from that, after which its pull request pauses."""
        try:
            self._decide(comment)
        except PullRequestRefused as error:
            self.queue.close(comment, "refused", _reply(comment, error.message), self.now())
        except (HubAway, HubRefused) as error:
            if isinstance(error, HubAway) and error.retry_after is not None:
                raise  # the hub asks everybody to wait: no fault of this one
            self._pauses.begin(comment.number, self.now())
            return error
        except Exception as error:
            if is_of_the_database(error):
                raise
            self._pauses.begin(comment.number, self.now())
            where = f"comment {comment.id} of pull request {comment.number}"
            return HubAway(f"Unexpected, at {where}: {type(error).__name__}: {error}", "")
        self._pauses.end(comment.number)
        self._parsed.pop(comment.id, None)
        return None

    def deliver(self, *, last: bool = False) -> None:
        """Posts and edits what waits; the ``last`` time nothing pauses."""
        paused = () if last else self._unsent.running(self.now())
        deliver(self.hub, self.queue.outbox, self.now, self._unsent, paused)

    def _decide(self, comment: Comment) -> None:
        now = self.now()
        # By the hub's clock, as those of a comment: ours may be days ahead.
        age = (self.hub.time() or now) - comment.created
        if comment.author == self._own_login() or age > _TOO_OLD:
            self.queue.close(comment, "never read", None, now)
            return
        may = self.hub.may_ask(comment.author)
        if not may and self._was_told(comment, now):
            self.queue.close(comment, MAY_NOT_ASK, None, now)
            return
        pull = self._pull_request(comment)
        if pull is None:
            self.queue.close(comment, "no pull request", None, now)
        elif not may:
            words = _reply(comment, wording.NO_RIGHT)
            self.queue.close(comment, MAY_NOT_ASK, words, now)
        elif comment.updated - comment.created > _EDITED_LATE:
            self.queue.close(comment, "edited late", _reply(comment, wording.EDITED_LATE), now)
        else:
            self._follow(comment, pull)

    def _follow(self, comment: Comment, pull: PullRequest) -> None:
        """Does what somebody says who may: no stranger's words are looked at any closer."""
        if comment.id not in self._parsed:  # once, however often the hub is away afterwards
            self._parsed[comment.id] = grammar.parse(comment.body, self.known, self.bounds)
        parsed = self._parsed[comment.id]
        if isinstance(parsed, grammar.Asked):
            self._ask(comment, pull, parsed)
        elif parsed is not None:
            self._answer(comment, parsed)

    def _was_told(self, comment: Comment, now: datetime) -> bool:
        since = now - _REFUSED_AGAIN
        return self.queue.refused_lately(comment.author, comment.number, since)

    def _answer(
        self,
        comment: Comment,
        parsed: grammar.Help | grammar.Status | grammar.Cancel | grammar.Mistake,
    ) -> None:
        now = self.now()
        if isinstance(parsed, grammar.Mistake):
            words = _reply(comment, wording.mistake_text(parsed))
            self.queue.close(comment, f"mistake: {parsed.kind}", words, now)
        elif isinstance(parsed, grammar.Help):
            words = _reply(comment, wording.help_text(self.known, self.bounds))
            self.queue.close(comment, "help", words, now)
        elif isinstance(parsed, grammar.Status):
            words = _reply(comment, self.status_text(comment.number))
            self.queue.close(comment, "status", words, now)
        else:
            live = self.queue.live(comment.number)
            said = {one.id: wording.status_words(one, "cancelled.") for one in live}
            found = self.queue.cancel(comment.number, now, said)
            text = f"Cancelled: {', '.join(map(grammar.shown, found))}."
            words = _reply(comment, text if found else wording.NOTHING_HERE)
            self.queue.close(comment, "cancel", words, now)

    def _ask(self, comment: Comment, pull: PullRequest, asked: grammar.Asked) -> None:
        now = self.now()
        if not pull.open or pull.head_url is None:
            text = wording.FORK_GONE if pull.open else wording.CLOSED
            self.queue.close(comment, "nothing to measure", _reply(comment, text), now)
            return
        try:
            base = self.hub.merge_base(pull.base, pull.head_sha)
        except PullRequestRefused as error:
            self.queue.close(comment, "no base", _reply(comment, error.message), now)
            return
        except HubAway as error:
            tries, since = self._pauses.failures(comment.number, now)
            if error.retry_after is not None or tries < _COMPARED or since < _COMPARED_FOR:
                raise
            # The calls before this one went well: it is this comparison that it cannot make.
            words = _reply(comment, wording.no_base_text(error.message))
            self.queue.close(comment, "no base", words, now)
            return
        key = request_id(self.queue.repository, str(comment.id))
        order = RequestOrder(
            asked=key,
            base=base,
            head=pull.head_sha,
            line=asked.line,
            names=asked.names,
            pairs=asked.pairs,
            profile=asked.profile,
            recipe=self.recipe,
            head_from=pull.head_url,
            base_from=pull.base_url,
            isolated=True,
        )
        seconds = foretold_seconds(self.known.seconds(asked.names, asked.pairs))
        waiting = [
            one for one in self.queue.live(comment.number) if one.state is RequestState.QUEUED
        ]
        replaced = {
            one.id: wording.status_words(one, wording.replaced_text(key)) for one in waiting
        }
        request = Request(
            id=key,
            repository=comment.repository,
            number=comment.number,
            comment_id=comment.id,
            author=comment.author,
            order=order,
            state=RequestState.QUEUED,
            asked=comment.created,
            queued=now,
            expected=seconds,
        )
        words = wording.status_words(request, self._place_text(request, set(replaced)))
        reply = _reply(comment, wording.unread_text(asked)) if asked.unread else None
        self.queue.accept(comment, key, order, seconds, words, replaced, now, reply)
        self.tell(f"Request {key} for pull request {comment.number}")

    def status_text(self, number: int) -> str:
        """How far the requests of a pull request are."""
        live = self.queue.live(number)
        if not live:
            return wording.NOTHING_HERE
        lines = []
        for one in live:
            where = one.state.value
            if one.state is RequestState.QUEUED:
                # With a note it waits for what nobody can foretell.
                where = grammar.shown(one.note) if one.note else self._place_text(one, set())
            lines.append(f"- `{one.id}` for `{one.order.head[:12]}`: {where}")
        return "\n".join(lines)

    def _place_text(self, request: Request, replaced: set[str]) -> str:
        own = [one for one in self.queue.live() if one.id not in replaced]
        ahead = ahead_of(request, own, [queue.live() for queue in self.others])
        habit = habit_of(history_of(self.queue.latest(_HISTORY)))
        return place_text(request, ahead, habit, self.blocked(), self.now())

    def _pull_request(self, comment: Comment) -> PullRequest | None:
        try:
            return self.hub.pull_request(comment.number)
        except PullRequestRefused:
            return None

    def _own_login(self) -> str:
        self._login = self._login or self.hub.login()
        return self._login


def _reply(comment: Comment, text: str) -> Words:
    return wording.reply_words(comment.id, comment.number, text)


def deliver(
    hub: Hub,
    outbox: HubOutbox,
    now: Callable[[], datetime],
    pauses: Pauses[int],
    paused: Sequence[int],
) -> None:
    """Says what waits; what a deleted comment should have said is given up, and in the end also
    what GitHub refuses each time.

    What one pull request does not take holds back its own messages only, and is tried again after a
    pause: those that are ``paused`` are passed over. Raises ``HubAway`` when
    something waits on, and ``HubRefused`` when nothing at all could be said.
    """
    failed: dict[int, HubAway | HubRefused] = {}
    said = False
    # One at a time: what is claimed and not sent is not tried again for a while.
    while len(failed) < _MOST_UNSENT and (found := outbox.waiting(now(), 1, (*paused, *failed))):
        (message,) = found
        try:
            _send(hub, outbox, message)
            said = True
            pauses.end(message.number)
        except PullRequestRefused as error:
            outbox.unsent(message, error.message, gone=True)
        except (HubAway, HubRefused) as error:
            untaken = isinstance(error, NotTakenNow) and now() - message.made > _UNTAKEN_FOR
            outbox.unsent(message, error.message, gone=untaken)
            if untaken:
                continue
            failed[message.number] = error
            if isinstance(error, HubAway) and error.retry_after is not None:
                raise  # the hub asks everybody to wait: no fault of this one
            pauses.begin(message.number, now())
    for problem in failed.values():
        if isinstance(problem, HubAway) or not said:
            raise problem


def _send(hub: Hub, outbox: HubOutbox, message: UnsentMessage) -> None:
    remote = message.remote
    if remote is None:
        remote = hub.post(message.number, message.body, message.marker)
        there = not message.tried or hub.edit(remote, message.body)
    else:
        there = hub.edit(remote, message.body)
    if there:
        outbox.sent(message, remote)
    else:
        outbox.unsent(message, "deleted by somebody", gone=True)
