"""The part of ``flink-boost request`` that works by itself: serve, status, check."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console

from flink_boost.base.errors import EnvironmentProblem, QueueStandsStill
from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.publish.notify.channel import NotSent, Uncertain
from flink_boost.publish.notify.channels import channels_from
from flink_boost.publish.notify.deliver import send_now
from flink_boost.publish.notify.message import Message
from flink_boost.publish.progress import PlainProgress
from flink_boost.service.requests.database import open_database
from flink_boost.service.requests.hub.listening import listening
from flink_boost.service.requests.hub.webhook import Receiver, find_secrets
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.request import Request
from flink_boost.service.requests.service_settings import ServeSettings, load_settings
from flink_boost.service.requests.service_setup import serving_of, the_only_one
from flink_boost.service.requests.serving import standing_still

_LATEST = 20
_TELL_AGAIN_SECONDS = 6 * 3600


def _config_option(call: click.decorators.FC) -> click.decorators.FC:
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        envvar="FLINK_BOOST_REQUESTS",
        show_default="requests.toml",
        default=Path("requests.toml"),
        help="What is served: docs/requests-setup.md.",
    )(call)


@click.command(name="serve")
@_config_option
@click.option("--once", is_flag=True, help="What there is to do now, then end.")
@click.option("--listen", metavar="HOST:PORT", help="Take webhooks there, besides polling.")
@click.pass_obj
def serve_command(settings: Settings, config: Path, once: bool, listen: str | None) -> None:
    """Answer requests in comments on pull requests, until it is stopped.

    Reads comments at GitHub, queues what they ask for, measures one after the other under the lock
    of this machine, and answers. Killed at any moment, the next start goes on. Needs a token in
    FLINK_BOOST_GITHUB_TOKEN_FILE, or a GitHub App, and bubblewrap: code of pull requests never runs
    without a sandbox.

    \b
    Examples:
      flink-boost request serve --config /etc/flink-boost/requests.toml
      flink-boost request serve --once
    """
    told = load_settings(config)
    console = Console(stderr=True, highlight=False, soft_wrap=True)

    def tell(sentence: str) -> None:
        console.out(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {sentence}", highlight=False)

    with ExitStack() as held:
        held.enter_context(the_only_one(settings.build))
        open_database(settings.build / "codespeed", os.environ)
        serving = serving_of(
            told,
            config.parent,
            settings.results,
            settings.build,
            settings.spool,
            os.environ,
            tell,
            PlainProgress(console),
        )
        held.enter_context(terminated_like_interrupted())
        if listen is not None:
            host, _, port = listen.rpartition(":")
            receiver = Receiver(
                repositories=[one.name for one in told.repositories],
                secrets=find_secrets(os.environ),
                store=serving.take_delivery,
                tell=tell,
            )
            number = int(port) if port.isdigit() else -1
            if not 0 <= number <= 65535:
                raise click.BadParameter("give it as HOST:PORT", param_hint="--listen")
            held.enter_context(listening(receiver, host or "127.0.0.1", number))
        tell(f"Serving {', '.join(one.name for one in told.repositories)}")
        if once:
            serving.once()
        else:
            serving.forever()


@click.command(name="status")
@_config_option
@json_option
@click.pass_obj
def status_command(settings: Settings, config: Path, as_json: bool) -> None:
    """Show what runs, what waits, and what was answered lately.

    \b
    Examples:
      flink-boost request status --json
    """
    told = load_settings(config)
    open_database(settings.build / "codespeed", os.environ)
    queues = [RequestQueue(one.name) for one in told.repositories]
    live = [request for queue in queues for request in queue.live()]
    ended = [request for queue in queues for request in queue.latest(_LATEST)]
    if as_json:
        content = {"live": [_document(one) for one in live], "ended": [*map(_document, ended)]}
        print_json(0, content)
        return
    for request in (*live, *ended):
        say(_line(request))
    if not live:
        say("Nothing waits.")


@click.command(name="check")
@_config_option
@click.option("--tell/--quiet", "tell_people", default=True, help="By Slack and e-mail, too.")
@json_option
@click.pass_obj
def check_command(settings: Settings, config: Path, tell_people: bool, as_json: bool) -> None:
    """Say whether the queue moves; ends with code 26, and tells people, when it stands still.

    Meant for a timer, apart from `serve`: who stands still cannot tell.

    \b
    Examples:
      flink-boost request check --config /etc/flink-boost/requests.toml
    """
    told = load_settings(config)
    open_database(settings.build / "codespeed", os.environ)
    found = _found(told)
    mark = settings.build / "requests" / "told"
    if not found:
        mark.unlink(missing_ok=True)  # the next trouble is another one
    elif tell_people:
        _tell(found, mark)
    if found:
        raise QueueStandsStill(
            " ".join(found), "Look at `systemctl status flink-boost-requests` and its journal."
        )
    if as_json:
        print_json(0, {"problems": []})
    else:
        say("The queue moves.")


def _found(told: ServeSettings) -> tuple[str, ...]:
    now = datetime.now(UTC)
    found: list[str] = []
    for one in told.repositories:
        queue = RequestQueue(one.name)
        polled, problem = queue.problem()
        sentences = standing_still(
            queue.live(),
            polled,
            problem,
            queue.outbox.oldest_unsent(),
            now,
            told.stands_still_minutes,
            told.blocked(now),
            queue.undecided_since(),
        )
        found += [f"{one.name}: {sentence}" for sentence in sentences]
    return tuple(found)


def _tell(found: tuple[str, ...], mark: Path) -> None:
    """Tells every channel, once in six hours; one that fails does not hide the others.

    Where no channel was reached nobody was told, and the next call tries again.
    """
    now = datetime.now(UTC)
    if mark.exists() and now.timestamp() - mark.stat().st_mtime < _TELL_AGAIN_SECONDS:
        return
    message = Message(
        key=f"requests-{now:%Y-%m-%dT%H%M}",
        kind="requests",
        made=now,
        night="",
        subject="Benchmark requests stand still",
        lines=found,
        command="flink-boost request status",
    )
    channels = channels_from(os.environ)
    for problem in channels.problems:
        click.echo(str(problem), err=True)
    reached = False
    for channel in channels.usable:
        try:
            send_now(channel, message)
            reached = True
        except (NotSent, Uncertain) as error:
            reached |= isinstance(error, Uncertain)
            click.echo(f"Not told by {channel.place}: {error.reason}", err=True)
    if not reached:
        return
    try:
        make_folder(mark.parent)
        write_durably(mark, "\n".join(found) + "\n")
    except (EnvironmentProblem, OSError) as error:  # a full disk: they are told again, then
        click.echo(f"That people were told could not be written down: {error}", err=True)


def _document(request: Request) -> dict[str, object]:
    found: dict[str, object] = json.loads(request.model_dump_json(exclude={"answer"}))
    return found


def _line(request: Request) -> str:
    when = request.ended or request.beat or request.queued
    note = f" {request.note}" if request.note else ""
    return (
        f"{request.id} {request.state.value:<10} {request.repository}#{request.number}"
        f" {request.order.head[:12]} {when:%Y-%m-%d %H:%M}{note}"
    )
