"""Where messages go, from the environment; secrets also from files, and never shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from flink_boost.base.errors import UsageProblem
from flink_boost.base.net import is_loopback

WEBHOOK = "FLINK_BOOST_SLACK_WEBHOOK"
SMTP = "FLINK_BOOST_SMTP_"
_READ = "docs/notifications.md says how to set it."
Security = Literal["starttls", "tls", "none"]


@dataclass(frozen=True)
class MailSettings:
    """A mail server, and who writes to whom."""

    host: str
    port: int
    security: Security
    user: str
    password: str = field(repr=False)
    sender: str
    recipients: tuple[str, ...]

    @property
    def place(self) -> str:
        """What may be shown."""
        return f"e-mail to {', '.join(self.recipients)} by {self.host}:{self.port}"


def slack_webhook(environ: Mapping[str, str]) -> str | None:
    """The address of an incoming webhook; None when none is set.

    Whoever has it can write to the channel: it is a secret, which no ``UsageProblem`` shows.
    """
    webhook = _secret(environ, WEBHOOK)
    if not webhook:
        return None
    try:
        parts = urlsplit(webhook)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    usable = bool(re.fullmatch(r"[\x21-\x7e]+", webhook)) and bool(host) and port != 0
    if not usable or not (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    ):
        raise UsageProblem("The address of the Slack webhook is no https address.", _READ)
    return webhook


def mail_settings(environ: Mapping[str, str]) -> MailSettings | None:
    """None when no mail server is set. Raises ``UsageProblem`` for what cannot be right."""
    host = environ.get(f"{SMTP}HOST", "").strip()
    if not host:
        return None
    security = environ.get(f"{SMTP}SECURITY", "").strip().lower() or "starttls"
    if security not in ("starttls", "tls", "none"):
        raise UsageProblem(f"{SMTP}SECURITY is none of starttls, tls, none.", _READ)
    port = environ.get(f"{SMTP}PORT", "").strip() or {"tls": "465", "none": "25"}.get(
        security, "587"
    )
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise UsageProblem(f"{SMTP}PORT is no port.", _READ)
    user, password = environ.get(f"{SMTP}USER", "").strip(), _secret(environ, f"{SMTP}PASSWORD")
    if bool(user) != bool(password):
        raise UsageProblem(f"Of {SMTP}USER and {SMTP}PASSWORD only one is set.", _READ)
    if user and security == "none" and not is_loopback(host):
        raise UsageProblem(f"A password would be sent to {host} unencrypted.", _READ)
    sender = _address(environ.get(f"{SMTP}FROM", ""), f"{SMTP}FROM")
    names = [name for name in environ.get(f"{SMTP}TO", "").split(",") if name.strip()]
    if not names:
        raise UsageProblem(f"{SMTP}TO names nobody to write to.", _READ)
    recipients = tuple(_address(name, f"{SMTP}TO") for name in names)
    return MailSettings(
        host, int(port), cast("Security", security), user, password, sender, recipients
    )


def _address(text: str, variable: str) -> str:
    address = text.strip()
    if not re.fullmatch(r"[^\s@<>,;:\"()\[\]\\\x00-\x20]+@[A-Za-z0-9.-]+", address):
        raise UsageProblem(f"{variable} holds no address such as team@example.org.", _READ)
    return address


def _secret(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "").strip()
    file = environ.get(f"{name}_FILE", "").strip()
    if value or not file:
        return value
    try:
        value = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(
            f"The file {file} of {name}_FILE cannot be read ({type(error).__name__}).", _READ
        ) from error
    if not value:
        raise UsageProblem(f"The file {file} of {name}_FILE is empty.", _READ)
    return value
