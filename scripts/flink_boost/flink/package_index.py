"""Fetches single files of projects on PyPI as plain files: nothing of what they hold is ever run.

Asks the index that pip is configured with on this machine, by the index's simple API (PEP 503 and
691), or takes the file from a folder of pip's ``find-links``.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from html.parser import HTMLParser
from http.client import HTTPException, HTTPResponse
from netrc import NetrcParseError, netrc
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.pip_settings import PipSettings, read_pip_settings, without_passwords

_SECONDS = 60.0
_TRIES = 4
_BLOCK = 1 << 20
_LISTS = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
_NEXT_STEP = "Check the network and pip's configuration, then run the command again."


@dataclass(frozen=True)
class IndexFile:
    """A file that an index lists; ``sha256`` as the index says it, None when it does not."""

    name: str
    url: str
    sha256: str | None = None


def list_files(project: str, settings: PipSettings | None = None) -> list[IndexFile]:
    """The project's files on all indexes that pip has; empty when none knows the project.

    Raises ``EnvironmentProblem`` when an index does not answer.
    """
    settings = settings or read_pip_settings()
    found = [file for place in settings.find_links for file in _in_place(place, settings)]
    if not settings.no_index:
        name = re.sub(r"[-_.]+", "-", project).lower()
        for index in (settings.index_url or _default_index(), *settings.extra_index_urls):
            found += _in_page(f"{index.rstrip('/')}/{name}/", settings)
    return found


def fetch_file(file: IndexFile, target: Path, settings: PipSettings | None = None) -> None:
    """Writes the file to ``target``, going on where a connection broke; checks no checksum.

    Raises ``EnvironmentProblem`` when the index does not give it, ``OSError`` for the disk.
    """
    settings = settings or read_pip_settings()
    local = _local(file.url)
    if local is not None:
        shutil.copyfile(local, target)
        return
    with target.open("wb") as output:
        for left in reversed(range(_TRIES)):
            done = output.tell()
            headers = {"Range": f"bytes={done}-"} if done else {}
            try:
                with closing(_open(file.url, headers, settings)) as answer:
                    if done and answer.status != 206:
                        output.seek(0)
                        output.truncate()
                    expected = int(answer.headers.get("Content-Length") or -1) + output.tell()
                    # Not read(): what came before a broken connection is kept.
                    while block := answer.read1(_BLOCK):
                        output.write(block)
                if answer.headers.get("Content-Length") is None or output.tell() >= expected:
                    return
                problem = "the connection ended early"
            except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
                problem = _reason(error)
                left = left if not isinstance(error, urllib.error.HTTPError) else 0
            if not left:
                raise EnvironmentProblem(f"{file.name} was not fetched ({problem}).", _NEXT_STEP)


def _in_place(place: str, settings: PipSettings) -> Iterator[IndexFile]:
    local = _local(place)
    if local is None:
        yield from _in_page(place, settings)
    elif local.is_dir():
        for path in sorted(local.iterdir()):
            yield IndexFile(path.name, path.as_uri())


def _in_page(url: str, settings: PipSettings) -> list[IndexFile]:
    try:
        with closing(_open(url, {"Accept": _LISTS}, settings)) as answer:
            text = answer.read().decode("utf-8", errors="replace")
            kind, base = answer.headers.get_content_type(), answer.url
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return []
        raise _unanswered(error) from error
    except (OSError, HTTPException) as error:
        raise _unanswered(error) from error
    if kind.endswith("json"):
        rows = [
            (each["filename"], each["url"], each.get("hashes", {}).get("sha256"))
            for each in json.loads(text).get("files", [])
        ]
    else:
        page = _Page()
        page.feed(text)
        rows = page.rows
    # A relative address keeps the password with which the page was asked for.
    return [
        IndexFile(name, _with_user(urllib.parse.urljoin(base, to), url), sha)
        for name, to, sha in rows
    ]


class _Page(HTMLParser):
    """The links of a page, as file name, address without fragment, SHA-256."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        link = dict(attrs).get("href")
        if tag == "a" and link:
            address, fragment = urllib.parse.urldefrag(link)
            name = urllib.parse.unquote(urllib.parse.urlsplit(address).path.rpartition("/")[2])
            checksum = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment)
            self.rows.append((name, address, checksum[1] if checksum else None))


def _open(url: str, headers: dict[str, str], settings: PipSettings) -> HTTPResponse:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise EnvironmentProblem(f"{parts.scheme}: is no address of an index.", _NEXT_STEP)
    host = parts.hostname or ""
    tls = ssl.create_default_context(cafile=settings.cert)
    if host in settings.trusted_hosts or parts.netloc.rpartition("@")[2] in settings.trusted_hosts:
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=tls)]
    if settings.proxy:
        both = {"http": settings.proxy, "https": settings.proxy}
        handlers.append(urllib.request.ProxyHandler(both))
    user = _user(parts)
    if user:
        token = base64.b64encode(user.encode()).decode()
        headers = {**headers, "Authorization": f"Basic {token}"}
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    request = urllib.request.Request(bare)  # noqa: S310 - http or https, see above
    for name, value in headers.items():
        # Unredirected: another host does not get the password.
        request.add_unredirected_header(name, value)
    try:
        answer: HTTPResponse = urllib.request.build_opener(*handlers).open(
            request, timeout=settings.timeout or _SECONDS
        )
    except urllib.error.HTTPError as error:
        error.close()
        raise
    return answer


def _user(parts: urllib.parse.SplitResult) -> str | None:
    if parts.username is not None:
        return ":".join(map(urllib.parse.unquote, (parts.username, parts.password or "")))
    try:
        known = netrc().authenticators(parts.hostname or "")
    except (OSError, NetrcParseError):
        return None
    return f"{known[0]}:{known[2]}" if known else None


def _with_user(url: str, page: str) -> str:
    to, asked = urllib.parse.urlsplit(url), urllib.parse.urlsplit(page)
    if asked.username is None or (to.scheme, to.hostname) != (asked.scheme, asked.hostname):
        return url
    return to._replace(netloc=asked.netloc).geturl()


def _local(place: str) -> Path | None:
    if place.startswith("file:"):
        return Path(urllib.request.url2pathname(urllib.parse.urlsplit(place).path))
    return None if "://" in place else Path(place).expanduser()


def _default_index() -> str:
    """The index that pip takes where none is configured: it alone says which."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(sys.executable)
        if importlib.util.find_spec("pip") is None:
            venv.create(folder, with_pip=True)
            python = Path(folder) / "bin" / "python"
        done = subprocess.run(
            [str(python), "-m", "pip", "download", "--help"],
            env={"PIP_CONFIG_FILE": "/dev/null", "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    found = re.search(r"\(default\s+(https://[^\s)]+)\)", done.stdout)
    if found is None:
        raise EnvironmentProblem("pip does not say which index it uses.", "Set PIP_INDEX_URL.")
    return found[1]


def _unanswered(error: Exception) -> EnvironmentProblem:
    return EnvironmentProblem(f"The package index did not answer ({_reason(error)}).", _NEXT_STEP)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"status {error.code}"
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return without_passwords(str(reason))[:300]
