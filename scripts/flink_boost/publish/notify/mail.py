"""E-mail by SMTP: plain text and HTML, encrypted unless told otherwise."""

from __future__ import annotations

import hashlib
import html
import smtplib
import ssl
import threading
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime

from flink_boost.base.text import one_line
from flink_boost.publish.notify.channel import NotSent, Uncertain, within
from flink_boost.publish.notify.message import Message
from flink_boost.publish.notify.settings import MailSettings

SOCKET_SECONDS = 20.0
DEADLINE_SECONDS = 90.0


class MailNotifier:
    """Sends to all recipients in one go."""

    name = "mail"

    def __init__(
        self,
        settings: MailSettings,
        context: ssl.SSLContext | None = None,
        deadline: float = DEADLINE_SECONDS,
    ) -> None:
        self._settings = settings
        self._context = context or ssl.create_default_context()
        self._deadline = deadline
        self.place = settings.place

    def send(self, message: Message) -> str:
        """Raises as the protocol says; the remark names recipients that were refused."""
        sending = _Sending(self._settings, self._context, as_mail(message, self._settings))
        try:
            return within(self._deadline, sending.run)
        except (OSError, smtplib.SMTPException, ValueError) as error:
            if sending.remark is not None:
                return sending.remark  # it was taken; only the goodbye went wrong
            raise self._explained(error, sending) from None

    def _explained(self, error: Exception, sending: _Sending) -> NotSent | Uncertain:
        host = self._settings.host
        match error:
            case smtplib.SMTPAuthenticationError():
                return NotSent(f"{host} refused the user or the password")
            case smtplib.SMTPRecipientsRefused():
                return NotSent(f"{host} refused all recipients")
            case smtplib.SMTPNotSupportedError():
                return NotSent(f"{host} does not offer STARTTLS or a login")
            case smtplib.SMTPResponseException():
                reason = f"{host} answered {error.smtp_code}"
                return NotSent(reason, of_message=_is_of_content(error))
        reason = f"{host} failed ({type(error).__name__})"
        return NotSent(reason) if sending.give_up() else Uncertain(reason)


def _is_of_content(error: smtplib.SMTPResponseException) -> bool:
    """Whether the server refuses what the mail says, or its size, for good."""
    if isinstance(error, smtplib.SMTPSenderRefused):
        return error.smtp_code == 552  # told the size before the content
    return isinstance(error, smtplib.SMTPDataError) and error.smtp_code >= 500


class _Sending:
    """One connection, which may go on after it was given up. ``remark``: the mail is sent."""

    def __init__(self, settings: MailSettings, context: ssl.SSLContext, mail: EmailMessage) -> None:
        self._settings = settings
        self._context = context
        self._mail = mail
        self._deciding = threading.Lock()
        self._handed_over = False
        self._given_up = False
        self.remark: str | None = None

    def give_up(self) -> bool:
        """Whether the mail is not on its way; then it will not be, however long ``run`` goes on."""
        with self._deciding:
            self._given_up = True
            return not self._handed_over

    def _hand_over(self) -> None:
        with self._deciding:
            if self._given_up:
                raise TimeoutError
            self._handed_over = True

    def run(self) -> str:
        settings = self._settings
        with self._connected() as server:
            if settings.security == "starttls":
                server.starttls(context=self._context)
            if settings.user:
                server.login(settings.user, settings.password)
            self._hand_over()
            refused = server.send_message(self._mail, settings.sender, settings.recipients)
            names = ", ".join(sorted(refused))
            self.remark = f"{settings.host} refused {names}" if names else ""
        return self.remark

    def _connected(self) -> smtplib.SMTP:
        settings = self._settings
        if settings.security == "tls":
            return smtplib.SMTP_SSL(
                settings.host, settings.port, timeout=SOCKET_SECONDS, context=self._context
            )
        return smtplib.SMTP(settings.host, settings.port, timeout=SOCKET_SECONDS)


def as_mail(message: Message, settings: MailSettings) -> EmailMessage:
    """The message with its headers. The id follows from the key, so that a copy is known as one."""
    mail = EmailMessage(SMTP_POLICY)
    mail["Subject"] = one_line(message.subject)[:200]
    mail["From"] = settings.sender
    mail["To"] = ", ".join(settings.recipients)
    mail["Date"] = format_datetime(message.made)
    digest = hashlib.sha256(f"{message.key}\n{message.night}".encode()).hexdigest()[:32]
    mail["Message-ID"] = f"<{digest}@{settings.sender.rpartition('@')[2]}>"
    # No holiday answers to a machine.
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(_text(message))
    mail.add_alternative(_html(message), subtype="html")
    return mail


def _text(message: Message) -> str:
    parts = [f"- {one_line(line)}" for line in message.lines]
    parts += ["", f"    {one_line(message.command)}"] if message.command else []
    parts += [""] if message.links else []
    parts += [f"{link.title}: {link.url}" for link in message.links]
    return "\n".join(parts) + "\n"


def _html(message: Message) -> str:
    lines = "".join(f"<li>{html.escape(one_line(line))}</li>" for line in message.lines)
    command = f"<pre>{html.escape(message.command)}</pre>" if message.command else ""
    links = " · ".join(
        f'<a href="{html.escape(link.url)}">{html.escape(link.title)}</a>' for link in message.links
    )
    title = html.escape(one_line(message.subject)[:200])
    return f"<h3>{title}</h3><ul>{lines}</ul>{command}<p>{links}</p>\n"
