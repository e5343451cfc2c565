"""An index over HTTP, on loopback: its two formats, its password, and connections that break."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.package_index import IndexFile, fetch_file, list_files
from flink_boost.flink.pip_settings import PipSettings, read_pip_settings, without_passwords

FILE = "fake_flink-7.0.tar.gz"
CONTENT = bytes(range(256)) * 4096
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Index:
    """What the server gives, and what it was asked."""

    url: str = ""
    as_json: bool = True
    password: str = ""
    cut: list[int] = field(default_factory=list)
    status: int = 0
    ranges: list[str | None] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    index: Index

    def do_GET(self) -> None:
        index = self.index
        token = base64.b64encode(f"me:{index.password}".encode()).decode()
        if index.password and self.headers["Authorization"] != f"Basic {token}":
            self.answer(401, b"")
        elif index.status:
            self.answer(index.status, b"")
        elif self.path == "/simple/fake-flink/":
            self.page()
        elif self.path == f"/files/{FILE}":
            self.file()
        else:
            self.answer(404, b"")

    def page(self) -> None:
        if self.index.as_json and "json" in self.headers["Accept"]:
            file = {"filename": FILE, "url": f"/files/{FILE}", "hashes": {"sha256": SHA256}}
            text = json.dumps({"files": [file]})
            self.answer(200, text.encode(), "application/vnd.pypi.simple.v1+json")
        else:
            text = f'<a href="../../files/{FILE}#sha256={SHA256}">{FILE}</a>'
            self.answer(200, text.encode(), "text/html")

    def file(self) -> None:
        asked = self.headers["Range"]
        self.index.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        rest = CONTENT[start:]
        kept = rest[: self.index.cut.pop()] if self.index.cut else rest
        self.answer(206 if asked else 200, kept, length=len(rest))

    def answer(
        self, status: int, body: bytes, kind: str = "text/plain", length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Says nothing."""


@pytest.fixture
def index() -> Iterator[Index]:
    index = Index()
    handler = type("Handler", (Handler,), {"index": index})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        index.url = f"http://127.0.0.1:{server.server_port}/simple"
        yield index
        server.shutdown()


@pytest.mark.parametrize("as_json", [True, False])
def test_both_formats_of_an_index_are_read(index: Index, as_json: bool, tmp_path: Path) -> None:
    index.as_json = as_json
    settings = PipSettings(index_url=index.url)

    (file,) = list_files("Fake_Flink", settings)
    fetch_file(file, tmp_path / "file", settings)

    assert (file.name, file.sha256) == (FILE, SHA256)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert list_files("another", settings) == []


def test_a_password_in_the_address_is_used_for_page_and_file_and_never_shown(
    index: Index, tmp_path: Path
) -> None:
    index.password = "secret"
    settings = PipSettings(index_url=index.url.replace("//", "//me:secret@"))

    (file,) = list_files("fake-flink", settings)
    fetch_file(file, tmp_path / "file", settings)
    assert (tmp_path / "file").read_bytes() == CONTENT

    wrong = PipSettings(index_url=index.url.replace("//", "//me:wrong-one@"))
    with pytest.raises(EnvironmentProblem, match="status 401") as problem:
        list_files("fake-flink", wrong)
    assert "wrong-one" not in str(problem.value)
    assert without_passwords("at http://me:secret@host/x") == "at http://***@host/x"


def test_a_broken_download_goes_on_where_it_broke(index: Index, tmp_path: Path) -> None:
    index.cut = [500_000, 1000]
    settings = PipSettings(index_url=index.url)
    (file,) = list_files("fake-flink", settings)

    fetch_file(file, tmp_path / "file", settings)

    assert (tmp_path / "file").read_bytes() == CONTENT
    assert index.ranges == [None, "bytes=1000-", "bytes=501000-"]


def test_a_download_that_breaks_each_time_is_given_up(index: Index, tmp_path: Path) -> None:
    index.cut = [1] * 4
    settings = PipSettings(index_url=index.url)
    (file,) = list_files("fake-flink", settings)
    with pytest.raises(EnvironmentProblem, match=f"{FILE} was not fetched"):
        fetch_file(file, tmp_path / "file", settings)


def test_an_index_in_trouble_is_not_an_empty_one(index: Index, tmp_path: Path) -> None:
    index.status = 503
    settings = PipSettings(index_url=index.url)
    with pytest.raises(EnvironmentProblem, match="status 503"):
        list_files("fake-flink", settings)
    with pytest.raises(EnvironmentProblem, match="status 503"):
        fetch_file(IndexFile(FILE, index.url), tmp_path / "file", settings)


def test_pip_is_read_as_pip_reads_itself(tmp_path: Path) -> None:
    """Files first, variables last; a section of the command over the general one."""
    home = tmp_path / ".config" / "pip"
    home.mkdir(parents=True)
    (home / "pip.conf").write_text(
        "[global]\nindex-url = http://one\ntimeout = 5\nno-index = false\n"
        "extra_index_url =\n  http://two\n  http://three\n[install]\ncert = /a.pem\n"
    )
    environment = {"HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path / "none")}

    settings = read_pip_settings(environment)
    assert settings.index_url == "http://one"
    assert settings.extra_index_urls == ("http://two", "http://three")
    assert (settings.cert, settings.timeout, settings.no_index) == ("/a.pem", 5.0, False)

    named = tmp_path / "named.conf"
    named.write_text("[global]\nindex-url = http://four\nproxy = http://proxy\n")
    environment |= {"PIP_CONFIG_FILE": str(named), "PIP_DEFAULT_TIMEOUT": "7", "PIP_NO_INDEX": "1"}
    settings = read_pip_settings(environment)
    assert (settings.index_url, settings.proxy) == ("http://four", "http://proxy")
    assert settings.no_index
    assert settings.for_uv()["UV_DEFAULT_INDEX"] == "http://four"
    assert settings.for_uv()["HTTPS_PROXY"] == "http://proxy"

    only = read_pip_settings({"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "http://five"})
    assert only == PipSettings(index_url="http://five")
    assert PipSettings().for_uv() == {}


@pytest.mark.parametrize("timeout", ["15s", "nan", "-1", "0", "1e9", "ten"])
def test_a_timeout_that_is_none_is_one_sentence(timeout: str) -> None:
    with pytest.raises(EnvironmentProblem, match=f"pip's timeout is '{timeout}'"):
        read_pip_settings({"PIP_CONFIG_FILE": os.devnull, "PIP_TIMEOUT": timeout})


@pytest.mark.parametrize(
    "content",
    [
        b"index-url = http://user:secret@index",
        b"[global]\nindex-url user secret\n",
        b"[global]\ntimeout=1\n[global]\nindex-url=http://user:secret@index",
        b"[global]\nindex-url = \xff\xfe",
    ],
)
def test_a_file_that_is_no_configuration_is_named_and_not_quoted(
    content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "pip.conf"
    file.write_bytes(content)
    with pytest.raises(EnvironmentProblem) as problem:
        read_pip_settings({"PIP_CONFIG_FILE": str(file), "HOME": str(tmp_path)})
    assert str(file) in problem.value.message
    assert "secret" not in str(problem.value)
