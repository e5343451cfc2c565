"""Where results go, and the token that lets them in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from flink_boost.base.errors import UsageProblem
from flink_boost.base.net import is_loopback

DEFAULT_URL = "http://127.0.0.1:8321/"
URL_VARIABLE = "FLINK_BOOST_CODESPEED_URL"
TOKEN_VARIABLE = "FLINK_BOOST_TOKEN"  # noqa: S105 the name, not the token
TOKEN_FILE_VARIABLE = "FLINK_BOOST_TOKEN_FILE"  # noqa: S105 likewise
SET_TOKEN = f"Set {TOKEN_VARIABLE}, or {TOKEN_FILE_VARIABLE} to a file that holds the token."


@dataclass(frozen=True)
class Target:
    """A Codespeed and the token that it wants; the token never shows in a ``repr``."""

    url: str
    token: str = field(repr=False)

    @property
    def is_loopback(self) -> bool:
        """True when the address is of this machine."""
        return is_loopback(urlsplit(self.url).hostname or "")

    @property
    def warning(self) -> str:
        """What to tell of an address to which the token goes unencrypted; empty for others.

        A host name without a dot is one of the same network, as in a compose file.
        """
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "https" or self.is_loopback or not {".", ":"} & set(host):
            return ""
        return (
            f"The token goes to {host} unencrypted: put a proxy with TLS in front, and use https."
        )


def find_target(environ: Mapping[str, str], embedded_token: Path, url: str | None = None) -> Target:
    """Where to send and with which token, from the environment.

    The embedded server's own token file is used for addresses of this machine only. Raises
    ``UsageProblem`` when the address is no plain http(s) address or there is no usable token.
    """
    address = checked_url(url or environ.get(URL_VARIABLE) or DEFAULT_URL)
    token = environ.get(TOKEN_VARIABLE, "").strip()
    token_file = environ.get(TOKEN_FILE_VARIABLE, "").strip()
    if not token and token_file:
        token = _read_token(Path(token_file))
    if not token and is_loopback(urlsplit(address).hostname or "") and embedded_token.exists():
        token = _read_token(embedded_token)
    if not token:
        raise UsageProblem(f"There is no token for Codespeed at {address}.", SET_TOKEN)
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise UsageProblem("The token holds a character that no HTTP header can carry.", SET_TOKEN)
    return Target(address, token)


def checked_url(url: str) -> str:
    """The address with a slash at its end, safe to be shown.

    Raises ``UsageProblem`` when it is no http(s) address or holds a user, a password or a query;
    the message does not show it then.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    else:
        if usable and parts.username is None and parts.password is None and not parts.query:
            return url if url.endswith("/") else url + "/"
    # The address itself is not shown: it may hold a password.
    problem = "holds a user, a password or a query" if usable else "is no http(s) address"
    raise UsageProblem(
        f"The address of Codespeed {problem}.",
        f"Set {URL_VARIABLE} to something like {DEFAULT_URL}",
    )


def shown_address(environ: Mapping[str, str]) -> str | None:
    """The dashboard's address for links, if one is set and can be used; raises nothing."""
    named = environ.get(URL_VARIABLE)
    try:
        return checked_url(named) if named else None
    except UsageProblem:
        return None


def _read_token(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(
            f"The token file {path} cannot be read ({type(error).__name__}).", SET_TOKEN
        ) from error
