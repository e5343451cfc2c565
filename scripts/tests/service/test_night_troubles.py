"""What keeps nights from coming, or from being judged: people hear of it, each thing once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from seen_alarms import seen
from slack_server import SlackServer, slack_server
from stored_runs import store_complete_run
from synthetic import JOB
from watched_nights import flat, forks_of_night

from flink_boost.base.errors import EnvironmentProblem, UploadFailed
from flink_boost.base.files import exclusive_lock, write_durably
from flink_boost.cli import stopped_night
from flink_boost.cli.main import main
from flink_boost.cli.stopped_night import first_check
from flink_boost.judge.alarm_record import AlarmState
from flink_boost.measure.night_record import NightRecord, NightState, Order, Runs
from flink_boost.measure.runner import Progress
from flink_boost.publish.nightly.changes import news_of
from flink_boost.publish.nightly.night_facts import NightReport
from flink_boost.publish.nightly.night_report import kept_nights
from flink_boost.publish.notify.channels import Channels
from flink_boost.publish.notify.deliver import send_one
from flink_boost.publish.notify.message import Message, stop_message
from flink_boost.publish.notify.outbox import Outbox
from flink_boost.publish.notify.slack import SlackNotifier
from flink_boost.publish.run_places import Places
from flink_boost.service.detect.alarm_registry import AlarmRegistry, store_registry
from flink_boost.service.nightly import night_messages
from flink_boost.service.nightly.checking import NightFinding, check_box
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.slots import night_id, parse_time
from flink_boost.service.nightly.suspects import Suspects

TODAY = datetime(2026, 11, 25, 1, tzinfo=UTC)
NOW = TODAY + timedelta(hours=6)
ORDER = Order(lines=("2.3.0",), group="smoke", strings=1000)
STRANGER = 65534


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [*os.environ]:
        if name.startswith("FLINK_BOOST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("FLINK_BOOST_MACHINE_LOCK", str(tmp_path / "machine.lock"))


@pytest.fixture
def slack(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackServer]:
    with slack_server() as server:
        monkeypatch.setenv("FLINK_BOOST_SLACK_WEBHOOK", server.webhook)
        yield server


def subjects(server: SlackServer) -> list[str]:
    found = [message["text"] for message in server.taken]
    server.taken.clear()
    return found


def texts(server: SlackServer) -> str:
    blocks = [block["text"]["text"] for message in server.taken for block in message["blocks"]]
    return "\n".join(blocks).replace("\u200b", "")  # which keeps Slack from reading a markup


def people(build: Path, **environ: str) -> People:
    places = Places(build / "results", build / "spool", build)
    return People(places, {**os.environ, **environ}, lambda: NOW)


def recorded(build: Path, slot: datetime = TODAY, **changed: Any) -> NightRecord:
    values = {"state": NightState.COMPLETE, "expected": 6, "measured": 6, **changed}
    night = NightRecord(box="box-1", night=night_id(slot), slot=slot, **values)
    NightJournal(build / "nights").begin(night, ORDER)
    return night


def report_of(build: Path) -> NightReport:
    return kept_nights(build / "report").reports[0]


# --- suspects that nobody can decide --------------------------------------------------------------


def test_a_suspect_that_cannot_be_built_again_is_told_and_nothing_is_called_steady(
    tmp_path: Path, slack: SlackServer
) -> None:
    levels = {JOB: flat(26, n20=-0.22)}
    for number in range(26):
        run, forks = forks_of_night(levels, number)
        run = run.model_copy(update={"commit": f"{run.commit}-dirty"})
        store_complete_run(tmp_path / "results", run, forks)
    night = recorded(tmp_path, runs=(run.run_id,))
    journal = NightJournal(tmp_path / "nights")
    journal.write_runs(night.night, Runs(by_line={"2.3.0": run.run_id}))
    suspects = Suspects(people(tmp_path).places, journal, {}, 600)
    night, note = suspects(night, ORDER, _NO_PROGRESS, lambda _: None)
    assert night.undecided is not None
    assert night.undecided.count == 1
    assert "1 suspect undecided: " in note
    people(tmp_path).tell(night)
    assert "1 suspect could not be measured again" in texts(slack)
    assert "-dirty: it cannot be built again." in texts(slack)
    assert "steady" not in news_of(report_of(tmp_path)).headline


class _NoProgress:
    def started(self, *_: object) -> None: ...

    def ended(self, *_: object) -> None: ...


_NO_PROGRESS: Progress = _NoProgress()


# --- a clock that was ahead -----------------------------------------------------------------------


def test_a_night_of_a_clock_that_was_ahead_stops_no_other_and_is_named(
    tmp_path: Path, slack: SlackServer
) -> None:
    later = recorded(tmp_path, TODAY + timedelta(days=200))
    yesterday = recorded(tmp_path, TODAY - timedelta(days=1))
    at = parse_time("01:00")
    missing = check_box("box-1", [later, yesterday], NOW, at)
    assert (missing.finding, missing.night) == (NightFinding.MISSING, night_id(TODAY))
    today = recorded(tmp_path)
    found = check_box("box-1", [later, yesterday, today], NOW, at)
    assert (found.finding, found.night) == (NightFinding.AHEAD, today.night)
    assert found.finding.is_alarm
    assert f"Move nights/{later.night} elsewhere" in found.sentence
    assert check_box("box-1", [yesterday, today], NOW, at).finding is NightFinding.WELL

    people(tmp_path).tell(today)
    assert f"The night {later.night} is dated after now" in texts(slack)


def test_a_message_of_a_later_date_keeps_no_sign_of_life_back(
    tmp_path: Path, slack: SlackServer
) -> None:
    people(tmp_path).tell(recorded(tmp_path, TODAY + timedelta(days=200)))
    people(tmp_path).tell(recorded(tmp_path, TODAY))
    assert len(subjects(slack)) == 2


# --- settings with a slip -------------------------------------------------------------------------

SLIPS: tuple[tuple[Mapping[str, str], str], ...] = (
    ({"FLINK_BOOST_CODESPEED_URL": "speed.example.org"}, "Codespeed is no http(s) address"),
    ({"FLINK_BOOST_REPORTS_URL": "re ports"}, "FLINK_BOOST_REPORTS_URL holds a character"),
    (
        {"FLINK_BOOST_SMTP_HOST": "mail.example.org", "FLINK_BOOST_SMTP_FROM": "a@example.org"},
        "FLINK_BOOST_SMTP_TO names nobody",
    ),
)


@pytest.mark.parametrize(("slip", "told"), SLIPS)
def test_one_wrong_setting_silences_nobody_and_is_told(
    tmp_path: Path,
    slack: SlackServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    slip: Mapping[str, str],
    told: str,
) -> None:
    for name, value in slip.items():
        monkeypatch.setenv(name, value)
    short = recorded(tmp_path, state=NightState.SHORT, measured=5, reason="one is missing")
    if "FLINK_BOOST_SMTP_HOST" in slip:
        with pytest.raises(UploadFailed, match="names nobody"):
            people(tmp_path).tell(short)
    else:
        assert people(tmp_path).tell(short) == "1 messages sent"
    assert told in texts(slack)
    assert "The night is short" in texts(slack)
    slack.taken.clear()
    assert main(["--build", str(tmp_path), "notify", "test"]) == 5
    assert told in capsys.readouterr().err
    assert subjects(slack) == ["flink-boost: a test message"]


def test_a_recipient_that_never_gets_a_message_is_told_of_by_each_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing:
        name, place = "mail", "e-mail"

        def send(self, _: Message) -> str:
            return "mail.example.org refused b@example.org"

    monkeypatch.setattr(night_messages, "channels_from", lambda _: Channels((Refusing(),), ()))
    short = recorded(tmp_path, state=NightState.SHORT, measured=5, reason="one is missing")
    with pytest.raises(UploadFailed, match=r"mail\.example\.org refused b@"):
        people(tmp_path).tell(short)
    assert people(tmp_path).tell(short) == "there was nothing to say"


def test_alarms_that_cannot_be_read_are_a_trouble_of_the_night_and_none_is_closed_by_it(
    tmp_path: Path, slack: SlackServer
) -> None:
    store_registry(tmp_path, AlarmRegistry(made=NOW, alarms=(seen(),)))
    people(tmp_path).tell(recorded(tmp_path, TODAY - timedelta(days=1)))
    assert subjects(slack) == ["flink-boost: write on Flink 2.3.0 has become slower"]
    registry = tmp_path / "alarms" / "registry.json"
    good = registry.read_bytes()
    registry.write_text('{"schema_version": 99, "alarms": []}')
    people(tmp_path).tell(recorded(tmp_path))
    assert "The alarms cannot be read" in texts(slack)
    assert subjects(slack) == [
        f"flink-boost, night {night_id(TODAY)} on box-1: 1 thing went wrong."
    ]
    registry.write_bytes(good)
    tomorrow = recorded(tmp_path, TODAY + timedelta(days=1))
    assert people(tmp_path).tell(tomorrow) == "there was nothing to say"
    assert news_of(report_of(tmp_path)).headline.startswith("Nothing new: ")


@pytest.mark.parametrize("checked", [True, False])
def test_what_is_decided_by_day_is_told_by_the_next_night(
    tmp_path: Path, slack: SlackServer, checked: bool
) -> None:
    store_registry(tmp_path, AlarmRegistry(made=NOW, alarms=(seen(),)))
    people(tmp_path).tell(recorded(tmp_path, TODAY - timedelta(days=1)))
    short = recorded(tmp_path, state=NightState.SHORT, measured=5, reason="one is missing")
    people(tmp_path).write(short)
    people(tmp_path).tell(short)
    subjects(slack)
    accepted = seen(state=AlarmState.ACCEPTED)
    store_registry(tmp_path, AlarmRegistry(made=NOW, alarms=(accepted,)))
    if checked:  # as the timer does every hour
        people(tmp_path).tell(short)
        assert subjects(slack) == []
    tomorrow = recorded(tmp_path, TODAY + timedelta(days=1))
    people(tmp_path).write(tomorrow)
    people(tmp_path).tell(tomorrow)
    assert subjects(slack) == [f"flink-boost, night {tomorrow.night} on box-1: 1 alarm closed."]


def test_what_creeps_is_told_once_more_each_time_that_it_has_grown(
    tmp_path: Path, slack: SlackServer
) -> None:
    told = []
    for day, (growth, effect) in enumerate([(0, 0.96), (0, 0.96), (1, 0.93), (1, 0.93), (3, 0.87)]):
        grown = seen(kind="drift", growth=growth, effect=effect)
        store_registry(tmp_path, AlarmRegistry(made=NOW, alarms=(grown,)))
        tonight = recorded(tmp_path, TODAY - timedelta(days=4 - day))
        people(tmp_path).write(tonight)
        people(tmp_path).tell(tonight)
        people(tmp_path).tell(tonight)
        news = len(news_of(report_of(tmp_path)).new_alarms)
        told.append((news, len(subjects(slack))))
    assert told == [(1, 1), (0, 0), (1, 1), (0, 0), (1, 1)]


# --- nights that never begin ----------------------------------------------------------------------


def test_what_keeps_a_night_from_beginning_is_told_once_a_day(
    tmp_path: Path, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLINK_BOOST_NIGHTLY_AT", "1:00")
    for _ in range(2):
        assert main(["--build", str(tmp_path), "nightly"]) == 2
        assert main(["--build", str(tmp_path), "nightly", "check"]) == 2
    assert "'1:00' is no time of day." in texts(slack)
    first, second = subjects(slack)
    assert first.startswith("flink-boost: the night stopped on ")
    assert second.startswith("flink-boost: nobody can say whether a night came on ")


def test_at_a_terminal_nothing_is_sent(
    tmp_path: Path, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopped_night.sys.stderr, "isatty", lambda: True)
    assert main(["--build", str(tmp_path), "nightly", "check"]) == 2
    assert subjects(slack) == []


def test_a_box_that_never_had_a_night_is_told_of(tmp_path: Path, slack: SlackServer) -> None:
    assert main(["--build", str(tmp_path), "nightly", "check"]) == 2
    assert "holds no nights" in texts(slack)


def test_a_box_of_which_no_record_can_be_read_is_told_of(
    tmp_path: Path, slack: SlackServer
) -> None:
    night = recorded(tmp_path)
    (tmp_path / "nights" / night.night / "night.json").write_text("{")
    assert main(["--build", str(tmp_path), "nightly", "check"]) == 31
    assert "has not begun" in texts(slack) or "did not take place" in texts(slack)


def test_a_disk_that_takes_nothing_more_keeps_nobody_from_hearing_of_it(
    tmp_path: Path, slack: SlackServer
) -> None:
    (tmp_path / "notifications").write_text("no folder: nothing can be written below it")
    channel = SlackNotifier(slack.webhook)
    message = stop_message(NOW, "the night stopped", ("There is no space left.",))
    box = Outbox(tmp_path / "notifications")
    assert send_one(box, [channel], message, unwritten=lambda: False).sent == ()
    assert len(send_one(box, [channel], message, unwritten=lambda: True).sent) == 1
    assert subjects(slack) == ["flink-boost: the night stopped"]


def test_an_empty_file_is_note_enough_that_it_was_sent(tmp_path: Path) -> None:
    message = stop_message(NOW, "the night stopped", ())
    box = Outbox(tmp_path / "notifications")
    assert [box.is_new(message), box.is_new(message)] == [True, False]


def test_the_first_check_is_the_one_in_the_hour_after_the_grace() -> None:
    grace = timedelta(hours=2)
    hours = [hour for hour in range(24) if first_check("01:00", grace, TODAY.replace(hour=hour))]
    assert hours == [3]
    assert first_check("no time", grace, TODAY.replace(hour=3, minute=59))
    late = [hour for hour in range(24) if first_check("23:30", grace, TODAY.replace(hour=hour))]
    assert late == [2]  # at 02:00, half an hour after 01:30


# --- files of another user ------------------------------------------------------------------------


def test_root_locks_no_other_user_out(tmp_path: Path, slack: SlackServer) -> None:
    build = tmp_path / "build"
    build.mkdir()
    os.chown(build, STRANGER, STRANGER)
    assert main(["--build", str(build), "nightly", "--group", "smoke", "--no-build"]) == 4
    assert [*build.iterdir()] == []
    assert "would lock" in texts(slack)


def test_a_lock_that_belongs_to_another_user_is_no_lock_that_is_held(tmp_path: Path) -> None:
    folder = tmp_path / "nights"
    folder.mkdir()
    write_durably(folder / ".lock", "")
    (folder / ".lock").chmod(0o600)
    tmp_path.chmod(0o755)
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(STRANGER, STRANGER, STRANGER)
        os.setresuid(STRANGER, STRANGER, STRANGER)
        try:
            with exclusive_lock(folder / ".lock", "flink-boost nightly"):
                os._exit(1)
        except EnvironmentProblem as problem:
            os._exit(0 if type(problem) is EnvironmentProblem else 2)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
