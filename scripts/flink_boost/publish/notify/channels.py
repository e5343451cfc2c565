"""The channels that are set up on this machine."""

from __future__ import annotations

from collections.abc import Mapping

from flink_boost.publish.notify.channel import Notifier
from flink_boost.publish.notify.mail import MailNotifier
from flink_boost.publish.notify.settings import mail_settings, slack_settings
from flink_boost.publish.notify.slack import SlackNotifier


def channels_from(environ: Mapping[str, str]) -> tuple[Notifier, ...]:
    """Those that the environment names; none is fine. Raises ``UsageProblem``."""
    slack, mail = slack_settings(environ), mail_settings(environ)
    found: list[Notifier] = []
    if slack is not None:
        found.append(SlackNotifier(slack))
    if mail is not None:
        found.append(MailNotifier(mail))
    return tuple(found)
