"""Tokens of single writers: made, listed, revoked, and what a running server makes of it."""

from __future__ import annotations

import json
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conftest import Dashboard, result
from operating import facts, operate, refused


def send(dashboard: Dashboard, token: str, **changes: object) -> int:
    form = {"json": json.dumps([result(**changes)])}
    return dashboard.post("result/add/json/", form, f"Bearer {token}").status_code


def test_a_token_is_shown_once_and_kept_as_its_hash(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"

    made = operate(data, "token", "new", "requests", "--branch", "request")

    assert made.returncode == 0, made.stderr
    token = made.stdout.strip()
    assert re.fullmatch(r"[A-Za-z0-9_-]{64}", token)
    assert token not in made.stderr
    listed = operate(data, "token", "list")
    assert "requests" in listed.stdout
    assert "request" in listed.stdout.split()
    file = data / "writers.toml"
    for text in (listed.stdout, file.read_text(encoding="utf-8")):
        assert token not in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.name for one in data.iterdir()] == ["writers.toml"], "no secret is made for this"


def test_a_token_can_go_to_a_file_alone(tmp_path: Path) -> None:
    data, output = tmp_path / "codespeed", tmp_path / "requests.token"

    made = operate(data, "token", "new", "requests", "--output", str(output))

    assert made.returncode == 0, made.stderr
    token = output.read_text(encoding="ascii").strip()
    assert len(token) == 64
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert token not in made.stdout + made.stderr
    assert "is there already" in refused(data, 2, "token", "new", "b", "--output", str(output))
    assert [one["name"] for one in facts(data, "token", "list")["writers"]] == ["requests"]
    # What cannot be recorded leaves no token behind.
    other = tmp_path / "other.token"
    assert "already" in refused(data, 2, "token", "new", "requests", "--output", str(other))
    assert not other.exists()


def test_a_running_server_takes_changes_at_once(start: Any) -> None:
    dashboard: Dashboard = start()
    assert dashboard.upload([result()]).status_code == 202
    bound = facts(dashboard.data, "token", "new", "requests", "--branch", "request")["token"]
    free = facts(dashboard.data, "token", "new", "night")["token"]

    assert send(dashboard, bound, branch="request", commitid="r") == 202
    assert send(dashboard, bound, commitid="m") == 422
    assert send(dashboard, free, commitid="m") == 202

    fingerprint = facts(dashboard.data, "token", "revoke", "requests")["fingerprint"]
    assert re.fullmatch("[0-9a-f]{12}", fingerprint)
    assert send(dashboard, bound, branch="request", commitid="s") == 401
    assert send(dashboard, free, commitid="n") == 202
    for token in (bound, free):
        assert token not in dashboard.log


def test_a_damaged_file_lets_nobody_in_but_the_token_of_all(start: Any) -> None:
    dashboard: Dashboard = start()
    token = facts(dashboard.data, "token", "new", "night")["token"]
    assert send(dashboard, token) == 202
    (dashboard.data / "writers.toml").write_text("[night\n")

    assert send(dashboard, token) == 401
    assert dashboard.upload([result()]).status_code == 202
    assert "only the token of all is taken" in dashboard.log
    assert "cannot be read" in refused(dashboard.data, 4, "token", "list")


def test_comments_and_tokens_written_by_hand_stay(tmp_path: Path) -> None:
    (tmp_path / "old.token").write_text("o" * 40)
    file = tmp_path / "writers.toml"
    by_hand = '# ours\n[old]\ntoken-file = "old.token"  # from before\nbranches = ["x"]\n'
    file.write_text(by_hand)
    file.chmod(0o640)
    environ = {"FLINK_BOOST_WRITERS": str(file)}
    data = tmp_path / "codespeed"

    facts(data, "token", "new", "next", "--branch", "y", **environ)
    rows = facts(data, "token", "list", **environ)["writers"]
    assert [(row["name"], row["branches"]) for row in rows] == [("old", ["x"]), ("next", ["y"])]
    assert file.read_text().startswith(by_hand)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    facts(data, "token", "revoke", "next", **environ)

    assert file.read_text().strip() == by_hand.strip()
    assert not data.exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("new", "all"), "cannot be the name"),
        (("new", "a b"), "cannot be the name"),
        (("new", ""), "cannot be the name"),
        (("new", "x", "--branch", "b" * 33), "cannot be a branch"),
        (("new", "x", "--branch", "a\nb"), "cannot be a branch"),
        (("revoke", "nobody"), "There is no writer 'nobody'"),
    ],
)
def test_a_name_that_cannot_be_is_refused(
    tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    data = tmp_path / "codespeed"
    assert reason in refused(data, 2, "token", *words)
    assert not (data / "writers.toml").exists()


def test_the_commands_answer_people_and_programs(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    made = operate(data, "token", "new", "night", "--json")
    answer = json.loads(made.stdout)
    assert (answer["command"], answer["ok"], answer["branches"]) == (
        "dashboard token new",
        True,
        None,
    )
    assert answer["token"] not in made.stderr
    revoked = operate(data, "token", "revoke", "night")
    assert "lets nobody in any more" in revoked.stdout

    again = operate(data, "token", "revoke", "night", "--json")
    assert (again.returncode, json.loads(again.stdout)["exit_code"]) == (2, 2)
    assert "There is no writer 'night'. There are: none." in again.stderr
    odd = operate(data, "token", "new", "--", "--json")
    assert (odd.returncode, odd.stdout) == (2, "")
    assert "cannot be the name" in odd.stderr


def test_many_changes_at_once_lose_none(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    with ThreadPoolExecutor(4) as pool:
        names = [f"writer-{number}" for number in range(6)]
        list(pool.map(lambda name: facts(data, "token", "new", name), names))

    known = {row["name"] for row in facts(data, "token", "list")["writers"]}
    assert known == set(names)
    assert [one.name for one in data.iterdir()] == ["writers.toml"]
