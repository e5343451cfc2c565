"""Plans and sends the messages of a night: each once, and a failed one again the next time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flink_boost.base.errors import EnvironmentProblem, InUse
from flink_boost.publish.nightly.night_facts import NightReport
from flink_boost.publish.notify.channel import Notifier, NotSent, Uncertain
from flink_boost.publish.notify.message import Message, due_messages
from flink_boost.publish.notify.outbox import Outbox, Place, Posted

LONGEST_WAIT = 120.0  # seconds that a server may ask for; longer waits are for the next night
_TRIES = 3


@dataclass(frozen=True)
class Delivery:
    """What became of the messages, a sentence each. ``failed`` ones are tried again.

    ``remarks`` name recipients that a message did not reach though others have it.
    """

    sent: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why not everybody was told; empty when all were."""
        return (*self.failed, *self.uncertain, *self.remarks)


def tell_night(
    outbox: Outbox,
    channels: Sequence[Notifier],
    report: NightReport | None,
    earlier: Sequence[NightReport],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Delivery:
    """Sends what the night gives to every channel, if there is one, and what stayed unsent before.

    Messages are on disk before the first is sent. A channel in trouble holds up no other. Raises
    ``EnvironmentProblem`` when another call is sending, and ``OSError``.
    """
    with outbox.lock():
        for channel in channels:
            _settle(outbox, channel)
            if report is not None:
                _plan(outbox, channel, report, earlier)
        return _deliver(outbox, channels, sleep)


def send_one(
    outbox: Outbox,
    channels: Sequence[Notifier],
    message: Message,
    *,
    unwritten: Callable[[], bool],
    sleep: Callable[[float], None] = time.sleep,
) -> Delivery:
    """Sends this message once, and what stayed unsent before; raises nothing.

    Where nothing can be written down it goes out all the same, if ``unwritten`` says so: a full
    disk is not to keep people from hearing of it.
    """
    try:
        with outbox.lock():
            for channel in channels:
                _settle(outbox, channel)
                outbox.add(Posted(channel=channel.name, message=message))
            return _deliver(outbox, channels, sleep)
    except InUse as other:
        return Delivery(failed=(f"{message.subject}: {other.message}",))
    except (EnvironmentProblem, OSError):
        if not unwritten() or not outbox.is_new(message):
            return Delivery()
    sent, failed = [], []
    for channel in channels:
        try:
            send_now(channel, message, sleep)
            sent.append(f"{message.subject} ({channel.place})")
        except (NotSent, Uncertain) as error:
            failed.append(f"{message.subject} ({channel.place}): {error.reason}")
    return Delivery(sent=tuple(sent), failed=tuple(failed))


def send_now(
    channel: Notifier, message: Message, sleep: Callable[[float], None] = time.sleep
) -> str:
    """Sends with a few tries, as long as a server asks for no long wait. Raises as the channel."""
    for _ in range(_TRIES - 1):
        try:
            return channel.send(message)
        except NotSent as error:
            if error.wait is None or error.wait > LONGEST_WAIT:
                raise
            sleep(error.wait)
    return channel.send(message)


def _settle(outbox: Outbox, channel: Notifier) -> None:
    """What a killed call was just sending may have arrived."""
    for posted in outbox.read("sending", channel.name):
        outbox.move(posted, "sending", "uncertain")


def _plan(
    outbox: Outbox, channel: Notifier, report: NightReport, earlier: Sequence[NightReport]
) -> None:
    name = channel.name
    last = outbox.last_night(name, report.night.slot)
    messages = due_messages(report, earlier, outbox.told_alarms(name), last)
    for message in messages:
        outbox.add(Posted(channel=name, message=message))
    if any(message.kind != "alarms" for message in messages):
        # One message a night, also after a week in which the channel could not be reached.
        older = [
            posted
            for posted in outbox.read("waiting", name)
            if posted.message.kind != "alarms" and posted.message.night != report.night.night
        ]
        for posted in older:
            outbox.move(posted, "waiting", "replaced")


def _deliver(
    outbox: Outbox, channels: Sequence[Notifier], sleep: Callable[[float], None]
) -> Delivery:
    sent: list[str] = []
    failed: list[str] = []
    uncertain: list[str] = []
    remarks: list[str] = []
    for channel in channels:
        for posted in outbox.read("waiting", channel.name):
            what = f"{posted.message.subject} ({channel.place})"
            open_ones = _unnamed(outbox, channel)
            outbox.move(posted, "waiting", "sending")
            try:
                remark = send_now(channel, _with_uncertain(posted.message, open_ones), sleep)
            except NotSent as error:
                again = posted.model_copy(
                    update={"tries": posted.tries + 1, "trouble": error.reason}
                )
                outbox.move(posted, "sending", "waiting")
                outbox.write(again, "waiting")
                failed.append(f"{what}: {error.reason}")
                if error.of_message:
                    continue  # it is met again by every call, and is to keep back no other
                break  # the others of this channel would meet the same
            except Uncertain as error:
                outbox.move(posted, "sending", "uncertain")
                uncertain.append(f"{what}: {error.reason}")
                break
            outbox.move(posted, "sending", "sent")
            for one in open_ones:
                outbox.write(one.model_copy(update={"told_of": True}), _place_of(outbox, one))
            sent.append(what)
            remarks += [remark] if remark else []
    return Delivery(tuple(sent), tuple(failed), tuple(uncertain), tuple(remarks))


def _unnamed(outbox: Outbox, channel: Notifier) -> list[Posted]:
    """Messages that may never have arrived, and that no later one has named."""
    return [
        posted
        for place in ("uncertain", "replaced")
        for posted in outbox.read(place, channel.name)
        if not posted.told_of
    ]


def _place_of(outbox: Outbox, posted: Posted) -> Place:
    """Where a message of ``_unnamed`` is."""
    return "uncertain" if (outbox.folder / "uncertain" / posted.file).exists() else "replaced"


def _with_uncertain(message: Message, others: Sequence[Posted]) -> Message:
    if not others:
        return message
    names = "; ".join(one.message.subject for one in others[:5])
    line = f"Earlier messages that may not have arrived: {len(others)} ({names})."
    return message.model_copy(update={"lines": (*message.lines, line)})
