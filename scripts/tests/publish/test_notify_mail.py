"""E-mail, to a real SMTP server with STARTTLS and a login."""

from __future__ import annotations

import smtplib
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from nights import HOSTILE, SLOT, alarm, report

from flink_boost.base.net import free_ports
from flink_boost.publish.notify.channel import NotSent, Uncertain
from flink_boost.publish.notify.mail import MailNotifier
from flink_boost.publish.notify.message import Message, due_messages
from flink_boost.publish.notify.settings import MailSettings

pytestmark = pytest.mark.quiet

USER, PASSWORD = "night", "s3cret-password"


class Mailbox:
    """Takes mail for everybody but ``nobody@``; ``answer`` is what it says to a mail."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.answer = "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.answer.startswith("250"):
            mail = message_from_bytes(envelope.content, policy=policy.default)
            assert isinstance(mail, EmailMessage)
            self.mails.append(mail)
        return self.answer


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def server(certificate: Path) -> Iterator[tuple[Mailbox, int]]:
    def login(_server: Any, _session: Any, _envelope: Any, _how: str, data: Any) -> AuthResult:
        right = data == LoginPassword(USER.encode(), PASSWORD.encode())
        return AuthResult(success=right, handled=right)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    mailbox = Mailbox()
    (port,) = free_ports(1)
    controller = Controller(
        mailbox,
        hostname="127.0.0.1",
        port=port,
        tls_context=context,
        require_starttls=True,
        auth_required=True,
        authenticator=login,
    )
    controller.start()
    yield mailbox, port
    controller.stop()


def settings(port: int, **changed: Any) -> MailSettings:
    values: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": port,
        "security": "starttls",
        "user": USER,
        "password": PASSWORD,
        "sender": "night@example.org",
        "recipients": ("a@example.org", "b@example.org"),
    }
    return MailSettings(**{**values, **changed})


def message() -> Message:
    (only,) = due_messages(report(alarms=[alarm(HOSTILE)]), [], frozenset(), SLOT)
    return only


def test_a_mail_arrives_encrypted_and_hostile_names_are_text(
    server: tuple[Mailbox, int], certificate: Path
) -> None:
    mailbox, port = server
    trusted = ssl.create_default_context(cafile=str(certificate))
    assert MailNotifier(settings(port), trusted).send(message()) == ""
    assert MailNotifier(settings(port), trusted).send(message()) == ""
    first, second = mailbox.mails
    assert first["Message-ID"] == second["Message-ID"], "a copy is known as one"
    assert first["To"] == "a@example.org, b@example.org"
    assert first["Auto-Submitted"] == "auto-generated"
    assert "has become slower" in first["Subject"]
    page = first.get_body(("html",))
    text = first.get_body(("plain",))
    assert page is not None
    assert text is not None
    assert "<script>" not in page.get_content()
    assert "&lt;script&gt;" in page.get_content()
    assert "Ada L.: Rewrite the loop" in text.get_content()


def test_an_unknown_certificate_gets_no_password(server: tuple[Mailbox, int]) -> None:
    mailbox, port = server
    with pytest.raises(NotSent, match="SSLCertVerificationError"):
        MailNotifier(settings(port)).send(message())
    assert mailbox.mails == []


def test_a_wrong_password_is_said_without_it(
    server: tuple[Mailbox, int], certificate: Path
) -> None:
    trusted = ssl.create_default_context(cafile=str(certificate))
    wrong = settings(server[1], password="s3cret-but-wrong")
    with pytest.raises(NotSent, match="refused the user or the password") as problem:
        MailNotifier(wrong, trusted).send(message())
    assert "s3cret" not in f"{problem.value!r} {wrong!r}"


def test_a_refused_recipient_is_named_and_the_others_have_the_mail(
    server: tuple[Mailbox, int], certificate: Path
) -> None:
    mailbox, port = server
    trusted = ssl.create_default_context(cafile=str(certificate))
    some = settings(port, recipients=("a@example.org", "nobody@example.org"))
    assert "nobody@example.org" in MailNotifier(some, trusted).send(message())
    assert len(mailbox.mails) == 1
    none = settings(port, recipients=("nobody@example.org",))
    with pytest.raises(NotSent, match="refused all recipients"):
        MailNotifier(none, trusted).send(message())


def test_a_server_that_takes_it_later_is_tried_later(
    server: tuple[Mailbox, int], certificate: Path
) -> None:
    mailbox, port = server
    mailbox.answer = "451 try again later"
    trusted = ssl.create_default_context(cafile=str(certificate))
    with pytest.raises(NotSent, match="answered 451") as problem:
        MailNotifier(settings(port), trusted).send(message())
    assert not problem.value.of_message


def test_a_server_that_refuses_what_a_mail_says_is_known_to(
    server: tuple[Mailbox, int], certificate: Path
) -> None:
    mailbox, port = server
    mailbox.answer = "554 5.7.1 looks like spam"
    trusted = ssl.create_default_context(cafile=str(certificate))
    with pytest.raises(NotSent, match="answered 554") as problem:
        MailNotifier(settings(port), trusted).send(message())
    assert problem.value.of_message


def test_a_server_that_takes_no_mail_so_large_is_known_to_refuse_this_one() -> None:
    (port,) = free_ports(1)
    controller = Controller(Mailbox(), hostname="127.0.0.1", port=port, data_size_limit=100)
    controller.start()
    try:
        plain = settings(port, security="none", user="", password="")
        with pytest.raises(NotSent, match="answered 552") as problem:
            MailNotifier(plain).send(message())
    finally:
        controller.stop()
    assert problem.value.of_message


def test_a_server_without_encryption_gets_nothing() -> None:
    mailbox = Mailbox()
    (port,) = free_ports(1)
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        with pytest.raises(NotSent, match="STARTTLS"):
            MailNotifier(settings(port)).send(message())
        plain = settings(port, security="none", user="", password="")
        assert MailNotifier(plain).send(message()) == ""
    finally:
        controller.stop()
    assert len(mailbox.mails) == 1


class SlowServer:
    """Answers when it is let; what it is handed then is in ``mails``."""

    def __init__(self, *, late: str) -> None:
        self.late = late
        self.go_on, self.ended = threading.Event(), threading.Event()
        self.mails: list[EmailMessage] = []

    def __call__(self, *_: object, **__: object) -> SlowServer:
        self._wait("connection")
        return self

    def __enter__(self) -> SlowServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()

    def send_message(self, mail: EmailMessage, *_: object) -> dict[str, object]:
        self.mails.append(mail)
        self._wait("mail")
        return {}

    def _wait(self, what: str) -> None:
        if what == self.late:
            assert self.go_on.wait(60)


@pytest.mark.parametrize(("late", "is_certain"), [("connection", True), ("mail", False)])
def test_what_was_given_up_is_sent_later_only_where_that_is_said(
    monkeypatch: pytest.MonkeyPatch, late: str, is_certain: bool
) -> None:
    slow = SlowServer(late=late)
    monkeypatch.setattr(smtplib, "SMTP", slow)
    plain = settings(25, security="none", user="", password="")
    with pytest.raises(NotSent if is_certain else Uncertain, match="TimeoutError"):
        MailNotifier(plain, deadline=0.2).send(message())
    slow.go_on.set()
    assert slow.ended.wait(60)
    assert (slow.mails == []) == is_certain


def test_nobody_there_is_certainly_not_sent() -> None:
    with pytest.raises(NotSent):
        MailNotifier(settings(9)).send(message())
