"""The channels that are set up on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flink_boost.base.errors import UsageProblem
from flink_boost.publish.notify.channel import Notifier
from flink_boost.publish.notify.mail import MailNotifier
from flink_boost.publish.notify.settings import mail_settings, slack_webhook
from flink_boost.publish.notify.slack import SlackNotifier


@dataclass(frozen=True)
class Channels:
    """Those that can be used, and what is wrong with the settings of the others."""

    usable: tuple[Notifier, ...]
    problems: tuple[UsageProblem, ...]


def channels_from(environ: Mapping[str, str]) -> Channels:
    """Those that the environment names; none is fine. One in trouble holds up no other."""
    usable: list[Notifier] = []
    problems: list[UsageProblem] = []
    try:
        if webhook := slack_webhook(environ):
            usable.append(SlackNotifier(webhook))
    except UsageProblem as problem:
        problems.append(problem)
    try:
        if settings := mail_settings(environ):
            usable.append(MailNotifier(settings))
    except UsageProblem as problem:
        problems.append(problem)
    return Channels(tuple(usable), tuple(problems))
