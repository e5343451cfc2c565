"""Messages about nights: to whom, what, and each once, whatever fails or is killed."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from nights import HOSTILE, SLOT, alarm, night, report
from slack_server import DROP, PATH, SlackServer, slack_server

from flink_boost.base.errors import UsageProblem
from flink_boost.cli.commands import notify
from flink_boost.cli.main import main
from flink_boost.publish.nightly.night_facts import NightReport
from flink_boost.publish.nightly.night_report import write_night
from flink_boost.publish.notify.channel import NotSent, Uncertain
from flink_boost.publish.notify.channels import Channels
from flink_boost.publish.notify.deliver import Delivery, tell_night
from flink_boost.publish.notify.message import Message, due_messages, trial_message
from flink_boost.publish.notify.outbox import Outbox, Posted
from flink_boost.publish.notify.settings import mail_settings, slack_webhook
from flink_boost.publish.notify.slack import SlackNotifier, escaped, payload

pytestmark = pytest.mark.quiet

NOBODY: frozenset[str] = frozenset()


class Naps(list[float]):
    """A ``sleep`` that only remembers."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def tell(folder: Path, server: SlackServer, of: NightReport, naps: Naps | None = None) -> Delivery:
    channel = SlackNotifier(server.webhook, deadline=10)
    return tell_night(Outbox(folder), [channel], of, [], sleep=Naps() if naps is None else naps)


# --- what there is to say -----------------------------------------------------------------------


def test_a_quiet_night_is_silent_and_after_a_week_there_is_a_sign_of_life() -> None:
    assert due_messages(report(), [], NOBODY, SLOT) == ()
    last = report(7)
    (digest,) = due_messages(last, [report(day) for day in (6, 5)], NOBODY, SLOT)
    assert digest.kind == "digest"
    assert "Nights in the last 7 days: 3, of which 3 complete." in digest.lines


def test_new_alarms_of_a_commit_are_one_message_and_nobody_is_told_twice() -> None:
    of = report(alarms=[alarm(id="a1"), alarm(id="a2"), alarm(id="a3", commits=["c", "d"])])
    messages = due_messages(of, [], NOBODY, SLOT)
    assert [one.alarms for one in messages] == [("a1", "a2"), ("a3",)]
    assert messages[0].subject == "flink-boost: 2 benchmarks have become slower"
    assert due_messages(of, [], frozenset({"a1", "a2", "a3"}), SLOT) == ()


def test_an_alarm_of_a_night_that_could_tell_nobody_is_told_later() -> None:
    of = report(1, alarms=[alarm()], alarms_before={"a0123456789": "open"})
    assert [one.kind for one in due_messages(of, [], NOBODY, SLOT)] == ["alarms"]


def test_a_night_in_trouble_is_one_message() -> None:
    of = report(night=night(state="missing", measured=0, reason="the box was off"))
    (message,) = due_messages(of, [], NOBODY, SLOT)
    assert message.lines == ("The night did not take place: the box was off.",)


def test_hundreds_of_alarms_stay_one_short_message() -> None:
    of = report(alarms=[alarm("n" * 300, id=f"a{n}") for n in range(300)])
    (message,) = due_messages(of, [], NOBODY, SLOT)
    assert len(message.lines) < 20
    assert len(message.alarms) == 300
    with slack_server() as server:
        SlackNotifier(server.webhook).send(message)
        assert len(server.taken) == 1


# --- Slack --------------------------------------------------------------------------------------


def test_hostile_names_are_shown_and_do_nothing() -> None:
    of = report(alarms=[alarm(HOSTILE, command="a ``` b <!channel>")])
    (message,) = due_messages(of, [], NOBODY, SLOT)
    text = json.dumps(payload(message), ensure_ascii=False)
    assert "<!channel>" not in text
    assert "<script" not in text
    assert "@here" not in text.partition("```")[0]
    assert payload(message)["blocks"][-2]["text"]["text"] == "```a ˋˋˋ b &lt;!channel&gt;```"  # type: ignore[index]
    assert " *x* " not in text
    assert text.count("```") == 2
    assert "&lt;!channel&gt;" in text
    assert escaped("a\n*b*") == "a \u200b*\u200bb\u200b*\u200b"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((404, "no_service"), "no such webhook"),
        ((403, "invalid_token"), "does not take messages"),
        ((410, "channel_is_archived"), "archived"),
        ((200, "<html>Log in</html>"), "not Slack's"),
    ],
)
def test_a_refusal_is_said_without_the_secret(answer: Any, words: str) -> None:
    with slack_server(answer) as server, pytest.raises(NotSent, match=words) as problem:
        SlackNotifier(server.webhook).send(trial_message(SLOT))
    assert "s3cret" not in f"{problem.value!r} {problem.value.__cause__!r} {problem.value.reason}"
    assert "s3cret" not in repr(SlackNotifier(server.webhook))


def test_a_server_that_never_answers_holds_nobody_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        webhook = f"http://127.0.0.1:{silent.getsockname()[1]}{PATH}"
        channel = SlackNotifier(webhook, deadline=0.3)
        with pytest.raises(Uncertain):
            channel.send(trial_message(SLOT))


# --- each once ----------------------------------------------------------------------------------


def test_the_same_night_again_sends_nothing(tmp_path: Path) -> None:
    with slack_server() as server:
        for _ in range(3):
            tell(tmp_path, server, report(alarms=[alarm()]))
        assert server.subjects() == [
            "flink-boost: serializerTuple on Flink 2.3.0 has become slower"
        ]


def test_a_night_that_went_on_is_told_again_and_each_of_its_ends_once(tmp_path: Path) -> None:
    missing = night(state="missing", measured=0, reason="the box was off")
    short = night(state="short", measured=3, reason="3 of 4 benchmarks were measured")
    closed = report(alarms=[alarm(state="recovered")], alarms_before={"a0123456789": "open"})
    with slack_server() as server:
        for of in (report(night=missing), report(night=short), closed):
            for _ in range(2):
                tell(tmp_path, server, of)
        assert len(server.taken) == 3


def test_what_a_night_says_more_of_alarms_when_it_goes_on_is_told_once(tmp_path: Path) -> None:
    """Its report says so from then on, so that no later night would."""
    before = {"a1": "open", "a2": "open"}

    def tonight(state: str, *closed: str) -> NightReport:
        alarms = [alarm(id=one, state="recovered" if one in closed else "open") for one in before]
        reason = "" if state == "complete" else "a benchmark failed"
        record = night(state=state, reason=reason)
        return report(alarms=alarms, alarms_before=before, night=record)

    with slack_server() as server:
        for one in (
            tonight("short"),
            tonight("short", "a1"),
            tonight("short", "a1"),
            tonight("complete", "a1", "a2"),
            tonight("complete", "a1", "a2"),
        ):
            tell(tmp_path, server, one)
        said = [json.dumps(taken) for taken in server.taken]
    counts = [text.count("is as fast as before again") for text in said]
    assert [count for count in counts if count] == [1, 1]


def test_too_many_requests_are_waited_for(tmp_path: Path) -> None:
    naps = Naps()
    with slack_server((429, "rate_limited", ("Retry-After", "7"))) as server:
        done = tell(tmp_path, server, report(alarms=[alarm()]), naps)
        assert len(server.taken) == len(done.sent) == 1
    assert naps == [7.0]


def test_a_long_wait_is_left_to_the_next_night(tmp_path: Path) -> None:
    naps = Naps()
    with slack_server((429, "rate_limited", ("Retry-After", "9000"))) as server:
        assert len(tell(tmp_path, server, report(alarms=[alarm()]), naps).failed) == 1
        assert naps == []
        assert len(tell(tmp_path, server, report(1, alarms=[alarm()])).sent) == 1


def test_a_week_without_slack_ends_with_one_message_of_nights(tmp_path: Path) -> None:
    broken = [report(day, night=night(day, state="failed")) for day in range(7)]
    with slack_server() as server:
        gone = SlackNotifier("http://127.0.0.1:9" + PATH)
        for of in broken[:-1]:
            assert len(tell_night(Outbox(tmp_path), [gone], of, [], sleep=Naps()).failed) == 1
        done = tell(tmp_path, server, broken[-1])
        assert len(done.sent) == 1
        said = json.dumps(server.taken).replace("\\u200b", "")
        assert "Earlier messages that may not have arrived: 6" in said
        tell(tmp_path, server, report(7, night=night(7, state="failed")))
        assert "may not have arrived" not in json.dumps(server.taken[-1])


def test_what_broke_off_is_not_sent_again_but_named(tmp_path: Path) -> None:
    with slack_server(DROP) as server:
        assert len(tell(tmp_path, server, report(alarms=[alarm()])).uncertain) == 1
        assert tell(tmp_path, server, report(alarms=[alarm()])) == Delivery()
        assert len(server.taken) == 1
        tell(tmp_path, server, report(1, night=night(1, state="failed"), alarms=[alarm()]))
        assert "may not have arrived: 1" in json.dumps(server.taken[-1])


@pytest.mark.parametrize("place", ["waiting", "sending", "sent"])
def test_a_call_that_was_killed_tells_nothing_twice_and_loses_nothing(
    tmp_path: Path, place: str
) -> None:
    """Killed before it is handed over: sent. While it is: not again. After: not again."""
    (message,) = due_messages(report(alarms=[alarm()]), [], NOBODY, SLOT)
    Outbox(tmp_path).write(Posted(channel="slack", message=message), place)  # type: ignore[arg-type]
    with slack_server() as server:
        tell(tmp_path, server, report(alarms=[alarm()]))
        tell(tmp_path, server, report(alarms=[alarm()]))
        assert len(server.taken) == (1 if place == "waiting" else 0)
        tell(tmp_path, server, report(1, night=night(1, state="failed"), alarms=[alarm()]))
        assert ("may not have arrived: 1" in json.dumps(server.taken)) == (place == "sending")


def test_a_message_that_is_refused_keeps_back_no_other(tmp_path: Path) -> None:
    """It is the oldest, so every later call meets it first."""
    of = report(alarms=[alarm(id="a1", commits=["c", "d"]), alarm(id="a2", commits=["e", "f"])])
    broken = report(1, night=night(1, state="failed"), alarms=of.alarms)
    refusal = (400, "invalid_blocks")
    with slack_server(refusal, (200, "ok"), refusal) as server:
        first, second = tell(tmp_path, server, of), tell(tmp_path, server, broken)
        assert [len(first.sent), len(second.sent)] == [1, 1]
        assert [len(first.failed), len(second.failed)] == [1, 1]
        assert first.failed == second.failed, "it is tried again, and told as failed"
        assert len(tell(tmp_path, server, broken).sent) == 1
        assert len(server.taken) == 3


@pytest.mark.parametrize("answer", [(403, "invalid_token"), (404, "no_service"), (500, "oops")])
def test_a_channel_in_trouble_is_not_asked_for_each_message(tmp_path: Path, answer: Any) -> None:
    of = report(alarms=[alarm(id="a1", commits=["c", "d"]), alarm(id="a2", commits=["e", "f"])])
    with slack_server(*[answer] * 3) as server:
        done = tell(tmp_path, server, of)
        assert (len(done.failed), server.taken) == (1, [])


# --- settings and the command -------------------------------------------------------------------


@pytest.mark.parametrize(
    "webhook", ["http://hooks.example.org/s3cret", "s3cret", "https://[s3cret", "https://x/ s3cret"]
)
def test_a_webhook_that_would_leak_is_refused_and_not_shown(webhook: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        slack_webhook({"FLINK_BOOST_SLACK_WEBHOOK": webhook})
    assert "s3cret" not in str(problem.value)


MAIL = {
    "FLINK_BOOST_SMTP_HOST": "mail.example.org",
    "FLINK_BOOST_SMTP_FROM": "night@example.org",
    "FLINK_BOOST_SMTP_TO": "a@example.org, b@example.org",
}


@pytest.mark.parametrize(
    "changed",
    [
        {"FROM": "no address"},
        {"TO": ""},
        {"TO": "a@b\r\nBcc: x@y"},
        {"PORT": "0"},
        {"SECURITY": "ssl"},
        {"USER": "u"},
        {"USER": "u", "PASSWORD": "s3cret", "SECURITY": "none"},
        {"USER": "u", "PASSWORD_FILE": "/nowhere"},
    ],
)
def test_what_cannot_be_right_is_refused(changed: dict[str, str]) -> None:
    more = {f"FLINK_BOOST_SMTP_{name}": value for name, value in changed.items()}
    assert mail_settings(MAIL) is not None
    with pytest.raises(UsageProblem) as problem:
        mail_settings({**MAIL, **more})
    assert "s3cret" not in str(problem.value)


def test_the_test_message_says_where_it_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with slack_server() as server:
        secret = tmp_path / "webhook"
        secret.write_text(server.webhook + "\n", encoding="utf-8")
        monkeypatch.setenv("FLINK_BOOST_SLACK_WEBHOOK_FILE", str(secret))
        assert main(["notify", "test"]) == 0
        assert capsys.readouterr().out == "Sent: Slack (127.0.0.1)\n"
        server.script.append((404, "no_service"))
        assert main(["notify", "test"]) == 5
        shown = capsys.readouterr()
        assert "no such webhook" in shown.err
        assert "s3cret" not in shown.out + shown.err
    monkeypatch.delenv("FLINK_BOOST_SLACK_WEBHOOK_FILE")
    assert main(["notify", "test"]) == 2


class Refusing:
    """A channel that takes a message and refuses one of its recipients."""

    name, place = "mail", "e-mail"

    def send(self, _: Message) -> str:
        return "mail.example.org refused b@example.org"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_recipient_that_is_refused_is_told_by_hand(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
) -> None:
    write_night(tmp_path / "report", report(alarms=[alarm()]))
    monkeypatch.setattr(notify, "channels_from", lambda _: Channels((Refusing(),), ()))
    assert main(["--build", str(tmp_path), "notify", "send", *options]) == 5
    shown = capsys.readouterr()
    assert "refused b@example.org" in shown.out + shown.err
    assert "1 did not reach all recipients" in shown.err
    assert "Not certain" not in shown.err


def test_the_newest_night_is_sent_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_night(tmp_path / "report", report(alarms=[alarm()]))
    with slack_server() as server:
        monkeypatch.setenv("FLINK_BOOST_SLACK_WEBHOOK", server.webhook)
        for _ in range(2):
            assert main(["--build", str(tmp_path), "notify", "send"]) == 0
        assert len(server.taken) == 1
