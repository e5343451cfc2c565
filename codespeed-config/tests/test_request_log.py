"""What the log tells: a line per request, no secret, no client's own lines, never too long."""

from __future__ import annotations

import logging
import re
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from boost_dashboard.server.log_file import LogFile, find_log_file
from boost_dashboard.server.log_lines import OneLine, escaped, target
from conftest import Dashboard, result
from raw_http import ask

pytestmark = pytest.mark.quiet

LINE = re.compile(
    r"^\d{4}-\d\d-\d\d [\d:,]+ INFO boost_dashboard\.access: "
    r"(?P<client>\S+) (?P<method>\S+) (?P<path>.+) (?P<status>\d{3}) \d+ ms (?P<size>\d+) B",
)


def lines_about(dashboard: Dashboard, text: str) -> list[str]:
    """The log's lines with that text, once the one that is being written is there."""
    deadline = time.monotonic() + 5
    while text not in dashboard.log and time.monotonic() < deadline:
        time.sleep(0.05)
    return [line for line in dashboard.log.splitlines() if text in line]


@pytest.mark.parametrize("path", ["", "nowhere-1", "static/nothing-1.js", "changes/"])
def test_each_request_is_one_line(dashboard: Dashboard, path: str) -> None:
    answer = dashboard.get(path, mark=f"once-{len(path)}")

    (line,) = lines_about(dashboard, f"once-{len(path)}")
    found = LINE.match(line)
    assert found is not None, line
    assert found["client"] == "127.0.0.1"
    assert found["method"] == "GET"
    assert found["path"] == f"/{path}?mark=once-{len(path)}"
    assert int(found["status"]) == answer.status_code
    assert int(found["size"]) == answer.num_bytes_downloaded


@pytest.mark.parametrize(
    "path",
    [
        "changes/table/?exe=mistyped&tre=10",
        "timeline/json/?exe=1&ben=no-such-benchmark&env=1",
        "changes/table/?exe=1&env=99999&rev=mistyped",
    ],
)
def test_a_mistyped_parameter_is_one_line_with_its_reason(dashboard: Dashboard, path: str) -> None:
    assert dashboard.upload([result()]).status_code == 202
    mark = f"mark-{abs(hash(path))}"

    answer = dashboard.get(f"{path}&mark={mark}")

    (line,) = lines_about(dashboard, mark)
    assert f" {answer.status_code} " in line
    assert answer.status_code < 500
    assert "Traceback" not in dashboard.log


def test_what_the_door_refuses_is_a_line_too(dashboard: Dashboard) -> None:
    told = ask(dashboard, b"GET /refused-1 HTTP/1.1\r\nBad header\r\n\r\n")
    unknown = ask(dashboard, b"\x16\x03\x01\x02\x00 not HTTP\r\n\r\n")

    assert b" 400 " in told[:20]
    assert b" 400 " in unknown[:20]
    assert any(" 400 " in line for line in lines_about(dashboard, " - "))
    assert dashboard.post("result/add/json/?stranger=1", {"json": "[]"}, None).status_code == 401
    (line,) = lines_about(dashboard, "stranger=1")
    assert " 401 " in line


def test_a_wrong_host_is_one_line(dashboard: Dashboard) -> None:
    answer = httpx.get(dashboard.url + "?wrong-host", headers={"Host": "evil.example"}, timeout=20)

    assert answer.status_code == 400
    assert len(lines_about(dashboard, "wrong-host")) == 1
    assert "evil.example" not in dashboard.log


def test_an_error_of_the_server_keeps_its_traceback(start: Any) -> None:
    dashboard: Dashboard = start()
    assert dashboard.upload([result()]).status_code == 202
    for file in dashboard.data.glob("db.sqlite3*"):
        # The last connection that closes takes SQLite's -shm and -wal away itself.
        file.unlink(missing_ok=True)

    assert dashboard.get("timeline/").status_code == 500
    assert lines_about(dashboard, "Traceback (most recent call last)")
    assert lines_about(dashboard, "OperationalError: no such table")


def test_a_token_in_an_address_is_not_logged(dashboard: Dashboard) -> None:
    token = dashboard.token
    coded = "".join(f"%{ord(char):02x}" for char in token)
    dashboard.get(f"?mark=token-1&token={token}")
    dashboard.get(f"?mark=token-2&token={coded}")
    dashboard.get("?mark=token-3")

    assert lines_about(dashboard, "token-3")
    assert token not in dashboard.log
    assert coded not in dashboard.log
    assert "an address with a token in it" in dashboard.log


def test_a_client_cannot_write_lines_of_its_own(dashboard: Dashboard) -> None:
    ask(dashboard, b"GET /a\x1b[31mb\x7f\xe2\x80\xae/%0aINJECTED HTTP/1.0\r\n\r\n")
    dashboard.get("changes/table/", exe="x\n2026-01-01 INFO INJECTED", mark="injected")
    ask(dashboard, b"GET /long?" + b"a" * 20_000 + b" HTTP/1.0\r\n\r\n")

    assert lines_about(dashboard, "aaaaaaaa")
    assert not any(
        line.startswith(("INJECTED", "2026-01-01")) for line in dashboard.log.split("\n")
    )
    assert "\x1b" not in dashboard.log
    assert max(map(len, dashboard.log.splitlines())) < 1500


def test_messages_are_one_line_and_tracebacks_whole() -> None:
    formatter = OneLine("%(levelname)s %(message)s")
    record = logging.LogRecord("a", logging.ERROR, "a", 1, "a\nb\x1b%s", ("c" * 5000,), None)

    assert formatter.format(record).startswith("ERROR a\\nb\\x1bccc")
    assert len(formatter.format(record)) < 1100
    try:
        raise ValueError("x\ny")
    except ValueError as error:
        record.exc_info = (type(error), error, error.__traceback__)
    assert "\nTraceback (most recent call last):\n" in OneLine("%(message)s").format(record)


def test_escaping_and_masking() -> None:
    assert escaped("a\\n\r\u202e", 100) == "a\\\\n\\r\\u202e"
    assert escaped("abcdef", 3) == "abc…"
    token = "secret-token-" + "x" * 20
    coded = token.replace("e", "%65")
    for sent in (f"/?t={token}", f"/?t={coded}&u=1", f"/a/{token}/b", f"/?t=Bearer%20{token}"):
        assert target(sent, token.__eq__) == "(an address with a token in it)"
    assert target("/?t=x", lambda _: True) == "/?t=x"


def test_a_log_that_grows_too_large_is_copied_and_emptied(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    with path.open("ab") as output:
        output.write(b"x" * 2000)
        output.flush()

        assert LogFile(path, 2000).trim() is False
        output.write(b"y")
        output.flush()
        assert LogFile(path, 2000).trim() is True
        output.write(b"z")

    assert path.read_bytes() == b"z"
    assert (tmp_path / "server.log.1").read_bytes() == b"x" * 2000 + b"y"
    assert LogFile(tmp_path / "none", 1).trim() is False


def test_processes_that_trim_at_once_keep_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"x" * 5000)
    done: list[bool] = []
    threads = [
        threading.Thread(target=lambda: done.append(LogFile(path, 2000).trim())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert done.count(True) == 1
    assert (tmp_path / "server.log.1").read_bytes() == b"x" * 5000


def test_only_the_file_that_is_written_to_is_trimmed(tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text("something", encoding="utf-8")

    assert find_log_file({"FLINK_BOOST_LOG": str(other)}) is None
    assert find_log_file({"FLINK_BOOST_LOG": str(tmp_path / "none")}) is None
    assert find_log_file({}) is None


def test_the_log_of_a_running_server_is_kept_small(start: Any) -> None:
    dashboard: Dashboard = start()
    log = dashboard.data / "server.log"
    with log.open("ab") as output:
        output.write(b"filled\n" * 1_000_000)

    deadline = time.monotonic() + 20
    while log.stat().st_size > 5 * 1024 * 1024 and time.monotonic() < deadline:
        time.sleep(0.2)

    assert log.stat().st_size < 1024 * 1024
    assert b"Booting worker" in (dashboard.data / "server.log.1").read_bytes()
    dashboard.get("?after-the-trim")
    assert lines_about(dashboard, "after-the-trim")
