"""Send messages about nights by Slack and e-mail, or try whether they arrive."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from flink_boost.base.errors import UploadFailed, UsageProblem
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.publish.nightly.night_report import kept_nights
from flink_boost.publish.notify.channel import NotSent, Uncertain
from flink_boost.publish.notify.channels import Channels, channels_from
from flink_boost.publish.notify.deliver import Delivery, send_now, tell_night
from flink_boost.publish.notify.message import trial_message
from flink_boost.publish.notify.outbox import Outbox
from flink_boost.service.nightly.night_messages import warnings_of
from flink_boost.service.nightly.slots import is_ahead

FOLDER = "notifications"
_SET_UP = "docs/notifications.md says what to set."


@click.group(name="notify")
def command() -> None:
    """Tell people about nights by Slack and e-mail.

    `flink-boost nightly` does so by itself. Where messages go is set by variables:
    docs/notifications.md.

    \b
    Examples:
      flink-boost notify test        a message to every channel, to see whether it arrives
      flink-boost notify send        what there is to say of the newest night, and was not said
    """


@command.command(name="test")
@json_option
def test(as_json: bool) -> None:
    """Send a test message to every channel that is set up, and say where it went.

    Looks at the addresses of dashboard and reports, too, to which messages lead. Ends with code 5
    when a channel does not take it, or a setting is wrong.

    \b
    Examples:
      FLINK_BOOST_SLACK_WEBHOOK_FILE=~/webhook flink-boost notify test
    """
    channels = _channels()
    message = trial_message(datetime.now(UTC))
    reached: list[str] = []
    problems = list(warnings_of(os.environ))
    for channel in channels.usable:
        try:
            remark = send_now(channel, message)
        except (NotSent, Uncertain) as error:
            problems.append(error.reason)
            continue
        reached.append(channel.place)
        problems += [remark] if remark else []
    if as_json:
        content = {"sent": reached, "problems": problems}
        print_json(UploadFailed.exit_code if problems else 0, content)
    else:
        for place in reached:
            click.echo(f"Sent: {place}")
    if problems:
        raise UploadFailed(f"Not everybody was reached: {'; '.join(problems)}.", _SET_UP)


@command.command(name="send")
@click.option(
    "--reports",
    type=click.Path(path_type=Path),
    show_default="BUILD/report",
    help="Folder of the reports of nights.",
)
@json_option
@click.pass_obj
def send(settings: Settings, reports: Path | None, as_json: bool) -> None:
    """Send what there is to say of the newest night and was not said, and what stayed unsent.

    Safe to repeat: what was sent is not sent again. Ends with code 5 when something
    stays unsent, or did not reach all recipients.

    \b
    Examples:
      flink-boost notify send
    """
    channels = _channels()
    outbox = Outbox(settings.build / FOLDER)
    found = kept_nights(reports or settings.build / "report").reports
    kept = [one for one in found if not is_ahead(one.night.slot, datetime.now(UTC))]
    done = tell_night(outbox, channels.usable, kept[0] if kept else None, kept[1:])
    wrong = tuple(str(problem) for problem in channels.problems)
    _show(replace(done, failed=(*done.failed, *wrong)), as_json=as_json)


def _channels() -> Channels:
    channels = channels_from(os.environ)
    if not channels.usable:
        for problem in channels.problems:
            raise problem
        raise UsageProblem("No channel is set up: neither Slack nor e-mail.", _SET_UP)
    return channels


def _show(done: Delivery, *, as_json: bool) -> None:
    problems = done.troubles
    if as_json:
        content = {"sent": done.sent, "unsent": done.failed, "uncertain": done.uncertain}
        code = UploadFailed.exit_code if problems else 0
        print_json(code, {**content, "remarks": done.remarks})
    else:
        for sentence in done.sent:
            click.echo(f"Sent: {sentence}")
        for sentence in (*done.failed, *done.uncertain):
            click.echo(f"Not certain to have arrived: {sentence}", err=True)
        for sentence in done.remarks:
            click.echo(f"Not to everybody: {sentence}", err=True)
        if not (done.sent or problems):
            click.echo("There is nothing to say.")
    if problems:
        raise UploadFailed(
            f"{len(done.failed)} messages were not sent, {len(done.uncertain)} may not have "
            f"arrived, and {len(done.remarks)} did not reach all recipients.",
            "Unsent ones are tried again by the next call, and uncertain ones named in a later one;"
            " take out recipients that are refused.",
        )
