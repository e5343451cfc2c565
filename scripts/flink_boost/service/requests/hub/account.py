"""As whom we speak to GitHub: a token, or a GitHub App with its private key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from flink_boost.base.errors import UsageProblem
from flink_boost.base.net import is_loopback

API = "https://api.github.com"
API_VARIABLE = "FLINK_BOOST_GITHUB_API"
TOKEN_VARIABLE = "FLINK_BOOST_GITHUB_TOKEN"  # noqa: S105 - the name, not the token
TOKEN_FILE_VARIABLE = "FLINK_BOOST_GITHUB_TOKEN_FILE"  # noqa: S105 - likewise
APP_VARIABLE = "FLINK_BOOST_GITHUB_APP_ID"
APP_KEY_VARIABLE = "FLINK_BOOST_GITHUB_APP_KEY_FILE"
LOGIN_VARIABLE = "FLINK_BOOST_GITHUB_LOGIN"
SET_ACCOUNT = (
    f"Set {TOKEN_FILE_VARIABLE} to a file that holds a token, or {APP_VARIABLE} and "
    f"{APP_KEY_VARIABLE} for a GitHub App: docs/requests-setup.md."
)

_LARGEST_SECRET = 64 * 1024  # bytes


@dataclass(frozen=True)
class HubAccount:
    """Who we are, and where; secrets never show in a ``repr``.

    Either ``token`` is set, or ``app`` (its number or client id) and ``key`` (PEM). ``from_file``
    is where the token was read, for it to be read again once it is renewed. ``login`` is set for
    a token that may not ask who it is, as that of a workflow.
    """

    api: str = API
    token: str = field(default="", repr=False)
    app: str = ""
    key: str = field(default="", repr=False)
    from_file: Path | None = None
    login: str = ""

    def renewed(self) -> HubAccount | None:
        """The same with the token that its file holds now; None when that is no other."""
        if self.from_file is None:
            return None
        token = _token(read_secret(self.from_file, "GitHub token"))
        if token == self.token:
            return None
        return replace(self, token=token)


def find_account(environ: Mapping[str, str]) -> HubAccount:
    """The account that the environment names.

    Raises ``UsageProblem`` where there is none or two, or a file, key or address is unusable.
    """
    api = _address(environ.get(API_VARIABLE, "").strip() or API)
    token = environ.get(TOKEN_VARIABLE, "").strip()
    token_file = environ.get(TOKEN_FILE_VARIABLE, "").strip()
    login = environ.get(LOGIN_VARIABLE, "").strip()
    app = environ.get(APP_VARIABLE, "").strip()
    key_file = environ.get(APP_KEY_VARIABLE, "").strip()
    ways = [bool(token), bool(token_file), bool(app or key_file)]
    if sum(ways) != 1:
        which = "no account" if not any(ways) else "more than one account"
        raise UsageProblem(f"The environment names {which} for GitHub.", SET_ACCOUNT)
    if token:
        return HubAccount(api=api, token=_token(token), login=login)
    if token_file:
        path = Path(token_file)
        text = _token(read_secret(path, "GitHub token"))
        return HubAccount(api=api, token=text, from_file=path, login=login)
    if not (re.fullmatch(r"[A-Za-z0-9.]{1,40}", app) and key_file):
        raise UsageProblem(
            f"A GitHub App needs both {APP_VARIABLE} (a number or client id) and "
            f"{APP_KEY_VARIABLE}.",
            SET_ACCOUNT,
        )
    return HubAccount(api=api, app=app, key=_key(Path(key_file)))


def read_secret(path: Path, what: str) -> str:
    """The text of a secret's file, without blanks around it.

    Raises ``UsageProblem`` when it cannot be read, is empty or huge, or anybody may read it.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_SECRET + 1)
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageProblem(
            f"The file of the {what}, {path}, cannot be read ({type(error).__name__}).",
            "Correct the path, or make it readable for this account.",
        ) from error
    if mode & 0o007:
        raise UsageProblem(
            f"The file of the {what}, {path}, is open to every account of this machine.",
            f"Run: chmod 600 {path}",
        )
    try:
        text = content.decode("ascii").strip()
    except UnicodeDecodeError:
        text = ""
    if not text or len(content) > _LARGEST_SECRET:
        raise UsageProblem(f"The file {path} holds no {what}.", "Write it there again.")
    return text


def _token(text: str) -> str:
    # The characters that a header takes: anything else would be an injected one.
    if not re.fullmatch(r"[\x21-\x7e]+", text):
        raise UsageProblem(
            "The GitHub token holds a character that no HTTP header can carry.", SET_ACCOUNT
        )
    return text


def _key(path: Path) -> str:
    text = read_secret(path, "GitHub App's private key")
    try:
        usable = isinstance(load_pem_private_key(text.encode("ascii"), None), RSAPrivateKey)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        usable = False
    if not usable:
        raise UsageProblem(
            f"{path} is no RSA private key in PEM form without a passphrase.",
            "Make a new one on the settings page of the GitHub App.",
        )
    return text


def _address(text: str) -> str:
    parts = urlsplit(text)
    plain = parts.scheme == "http" and is_loopback(parts.hostname or "")
    if not (parts.scheme == "https" or plain) or not parts.hostname or "@" in parts.netloc:
        raise UsageProblem(
            f"{API_VARIABLE} is no https address without a name and password in it.",
            "For github.com leave it out; else it is such as https://github.example.org/api/v3.",
        )
    return text.rstrip("/")
