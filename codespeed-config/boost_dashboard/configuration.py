"""What the dashboard needs to know, read from environment variables.

================================  ================================================================
``FLINK_BOOST_EMBEDDED``          ``1``: the dashboard of one machine, on loopback only. Makes its
                                  own secret key and token in the data folder.
``FLINK_BOOST_DASHBOARD_DATA``    data folder; default ``build/codespeed``
``DATABASE_URL``                  e.g. ``postgres://user@host/name``; default SQLite in the data
                                  folder; ``…_FILE`` names a file that holds it
``DATABASE_PASSWORD``             its password, when the URL has none; ``…_FILE`` names a file that
                                  holds it
``FLINK_BOOST_SECRET_KEY``        Django's secret key; ``…_FILE`` names a file that holds it
``FLINK_BOOST_TOKEN``             what writers must send; ``…_FILE`` names a file that holds it
``FLINK_BOOST_WRITERS``           file with further tokens, each bound to branches: see ``writers``;
                                  default ``writers.toml`` in the data folder, which may be missing
``FLINK_BOOST_ALLOWED_HOSTS``     host names under which the dashboard is reached, comma-separated
``FLINK_BOOST_NEW_ENVIRONMENTS``  ``no``: refuse results of boxes that are not known yet
``FLINK_BOOST_TRUSTED_PROXIES``   addresses or networks, comma-separated, whose X-Forwarded-For and
                                  X-Forwarded-Proto are believed; default none
``FLINK_BOOST_REQUESTS_PER_SECOND``  of one client, in the long run; ten seconds' worth at once;
                                  default 200. More are answered with 429
``FLINK_BOOST_READ_SECONDS``      for a whole head of a request, and without a byte of its body;
                                  default 20. A body may take six times that
``FLINK_BOOST_CONNECTIONS``       of one server process; default 400. One more closes that which
                                  has waited longest
``FLINK_BOOST_LOG``               file that standard error goes to, told by ``flink-boost serve``:
                                  the server keeps it below 5 MB
``FLINK_BOOST_INSTANCE``          told by ``/healthz``, so that ``flink-boost serve`` knows its own
================================  ================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from boost_dashboard.secret_files import given_secret, read_or_create
from boost_dashboard.server.limits import Limits, read_limits
from boost_dashboard.writers import FILE_NAME, SHORTEST_TOKEN, Writer, Writers, digest_of

SHORTEST_SECRET = 32
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Configuration:
    """Checked settings; secrets never show in a ``repr``."""

    embedded: bool
    data: Path
    secret_key: str = field(repr=False)
    token: str = field(repr=False)
    writers: Writers
    allowed_hosts: tuple[str, ...]
    database: dict[str, Any] = field(repr=False)
    new_environments: bool
    instance: str
    limits: Limits


def read_configuration(environ: Mapping[str, str], root: Path) -> Configuration:
    """Checks the environment; ``root`` is the project's root folder.

    Raises ``ImproperlyConfigured`` with a sentence that names the variable to set.
    """
    embedded = environ.get("FLINK_BOOST_EMBEDDED") == "1"
    data = Path(environ.get("FLINK_BOOST_DASHBOARD_DATA") or root / "build" / "codespeed")
    secret_key = _secret(environ, "FLINK_BOOST_SECRET_KEY", SHORTEST_SECRET)
    token = _secret(environ, "FLINK_BOOST_TOKEN", SHORTEST_TOKEN)
    hosts = _names(environ.get("FLINK_BOOST_ALLOWED_HOSTS", ""))
    if embedded:
        secret_key = secret_key or _own_secret(data / "secret_key", SHORTEST_SECRET)
        token = token or _own_secret(data / "token", SHORTEST_TOKEN)
    _require(secret_key, "FLINK_BOOST_SECRET_KEY", "a secret key")
    _require(token, "FLINK_BOOST_TOKEN", "a token for those who upload")
    _require(hosts or embedded, "FLINK_BOOST_ALLOWED_HOSTS", "the names it is reached by")
    _refuse_any_host(hosts, embedded=embedded)
    writers = _writers(environ, token, data)
    return Configuration(
        embedded=embedded,
        data=data,
        secret_key=secret_key,
        token=token,
        writers=writers,
        # Its own health check comes from the machine itself.
        allowed_hosts=(*hosts, *LOOPBACK_NAMES),
        database=_database(environ, data),
        new_environments=environ.get("FLINK_BOOST_NEW_ENVIRONMENTS", "yes") != "no",
        instance=environ.get("FLINK_BOOST_INSTANCE", ""),
        limits=read_limits(environ),
    )


def _writers(environ: Mapping[str, str], token: str, data: Path) -> Writers:
    file = environ.get("FLINK_BOOST_WRITERS", "").strip()
    path = Path(file).absolute() if file else data / FILE_NAME
    writers = Writers(Writer("all", digest_of(token)), path, required=bool(file))
    writers.read()  # what is wrong with it ends the start
    return writers


def _require(value: object, variable: str, meaning: str) -> None:
    if not value:
        raise ImproperlyConfigured(
            f"The dashboard needs {meaning}: set {variable}. Only the embedded dashboard on "
            "loopback, which `flink-boost serve` starts, chooses its own."
        )


def _secret(environ: Mapping[str, str], variable: str, shortest: int) -> str:
    secret = given_secret(environ, variable)
    if secret and len(secret) < shortest:
        raise ImproperlyConfigured(
            f"{variable} is too short to be safe: use at least {shortest} random characters, "
            "for example the output of `openssl rand -hex 32`."
        )
    return secret


def _own_secret(path: Path, shortest: int) -> str:
    """The embedded server's own; somebody may have put a short one in its place."""
    secret = read_or_create(path)
    if len(secret) < shortest:
        raise ImproperlyConfigured(
            f"The secret in {path} is shorter than {shortest} characters, which is not safe: "
            "delete the file, and the next start makes another."
        )
    return secret


def _refuse_any_host(hosts: tuple[str, ...], *, embedded: bool) -> None:
    if "*" in hosts and not embedded:
        raise ImproperlyConfigured(
            "FLINK_BOOST_ALLOWED_HOSTS=* would let any site's name lead here: a page of a stranger "
            "could read this dashboard through the browser of somebody who reaches it. Name the "
            "hosts that it is reached by."
        )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _database(environ: Mapping[str, str], data: Path) -> dict[str, Any]:
    """Django's ``DATABASES`` entry; SQLite in the data folder when no URL is given."""
    url = given_secret(environ, "DATABASE_URL")
    if not url:
        return _sqlite(data / "db.sqlite3")
    try:
        entry = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    except (ValueError, KeyError) as error:
        raise _no_database() from error
    engine = str(entry.get("ENGINE", ""))
    if engine.endswith("sqlite3") and entry.get("NAME"):
        return _sqlite(Path(str(entry["NAME"])))
    if not engine.endswith("postgresql") or not entry.get("NAME"):
        raise _no_database()
    password = given_secret(environ, "DATABASE_PASSWORD")
    if password and entry.get("PASSWORD"):
        raise ImproperlyConfigured(
            "DATABASE_URL and DATABASE_PASSWORD both hold a password: take it out of the URL, as "
            "in postgres://user@host:5432/codespeed."
        )
    return {**entry, "PASSWORD": password or entry.get("PASSWORD", "")}


def _no_database() -> ImproperlyConfigured:
    # The URL itself is not shown: it may hold a password.
    return ImproperlyConfigured(
        "DATABASE_URL names no PostgreSQL or SQLite database: use something like "
        "postgres://user:password@host:5432/codespeed."
    )


def _sqlite(file: Path) -> dict[str, Any]:
    # Writers queue up instead of failing half-way: the write lock is taken at the start of a
    # transaction, and readers go on meanwhile thanks to the write-ahead log.
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(file),
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }
