"""What requests leave on the disk does not grow without end, and nothing that counts goes."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flink_boost.measure import store
from flink_boost.measure.model import RunInfo
from flink_boost.service.requests.commits import MOST_KEPT, fetch_commits, forget_commits
from flink_boost.service.requests.model import RequestOrder
from flink_boost.service.requests.starting import delete_old_logs
from requesting import samples

NOW = datetime(2026, 11, 25, tzinfo=UTC)
KEEP = timedelta(days=90)


def git(where: Path, *arguments: str) -> str:
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    command = ["git", *who, "-C", str(where), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


def committed(fork: Path, text: str) -> str:
    (fork / "file").write_text(text * 500, encoding="utf-8")
    git(fork, "add", "file")
    git(fork, "commit", "--quiet", "--message", text)
    return git(fork, "rev-parse", "HEAD")


def asked(fork: Path, base: str, head: str) -> RequestOrder:
    address = fork.as_uri()
    return samples.order(samples.TUPLE).model_copy(
        update={"base": base, "head": head, "base_from": address, "head_from": address}
    )


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A stranger's repository; the recipe's clone has nothing of it."""
    for name in ("clone", "fork"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "--quiet")
        git(tmp_path / name, "config", "uploadpack.allowAnySHA1InWant", "true")
    return tmp_path / "fork"


def has(repository: Path, sha: str) -> bool:
    command = ["git", "-C", str(repository), "cat-file", "-e", f"{sha}^{{commit}}"]
    return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode == 0


def test_commits_of_former_requests_are_forgotten_and_fetched_again(
    fork: Path, tmp_path: Path
) -> None:
    own = tmp_path / "commits" / "own.git"
    base = committed(fork, "base")
    # Each head on its own, so that none is kept as another's parent.
    heads = []
    for number in range(4):
        git(fork, "checkout", "--quiet", "-B", "work", base)
        heads.append(committed(fork, f"head {number}"))
        fetch_commits(asked(fork, base, heads[-1]), tmp_path / "clone", own)
    assert forget_commits(own, (base, heads[-1]), most=5) == 0
    assert all(has(own, sha) for sha in heads)

    assert forget_commits(own, (base, heads[-1]), most=4) == 3

    assert [has(own, sha) for sha in heads] == [False, False, False, True]
    assert has(own, base)
    fetch_commits(asked(fork, base, heads[0]), tmp_path / "clone", own)
    assert has(own, heads[0])


def test_no_request_forgets_those_of_the_last_days() -> None:
    assert MOST_KEPT >= 50


def run(results: Path, run_id: str, started: datetime, *, final: bool = True) -> Path:
    base: RunInfo = samples.measured({samples.TUPLE: (0.0, 0.0)}).first  # type: ignore[assignment]
    info = base.model_copy(update={"run_id": run_id, "started": started})
    store.create_run(results, info)
    folder = results / run_id
    (folder / "forks").mkdir(exist_ok=True)
    (folder / "forks" / "p01.log").write_text("said\n", encoding="utf-8")
    (folder / "forks" / "p01.json").write_text("[]", encoding="utf-8")
    (folder / "profiles").mkdir()
    if final:
        store.set_state(results, run_id, store.RunState.COMPLETE)
    return folder


def test_logs_and_profiles_of_old_requests_go_and_results_stay(tmp_path: Path) -> None:
    old = run(tmp_path, "2026-01-01T010000-old", NOW - KEEP - timedelta(days=1))
    new = run(tmp_path, "2026-11-24T010000-new", NOW - timedelta(days=1))
    open_one = run(tmp_path, "2026-01-02T010000-open", NOW - 2 * KEEP, final=False)

    assert delete_old_logs(tmp_path, NOW, KEEP) == 1
    assert delete_old_logs(tmp_path, NOW, KEEP) == 0

    assert not (old / "forks" / "p01.log").exists()
    assert not (old / "profiles").exists()
    assert (old / "forks" / "p01.json").exists()
    assert store.load_run(tmp_path, old.name).run_id == old.name
    for kept in (new, open_one):
        assert (kept / "forks" / "p01.log").exists()
        assert (kept / "profiles").exists()
