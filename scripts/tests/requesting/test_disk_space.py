"""What requests leave on the disk does not grow without end, and nothing that counts goes."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flink_boost.base.errors import BuildFailed, EnvironmentProblem
from flink_boost.measure import store
from flink_boost.measure.model import RunInfo
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.recipe import Recipe
from flink_boost.service.requests.commits import MOST_KEPT, fetch_commits, forget_commits
from flink_boost.service.requests.disk_space import GIB, Tidying, delete_old_logs
from flink_boost.service.requests.request import RequestOrder
from flink_boost.service.requests.service_settings import ServeSettings
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


def kept_build(builder: RecipeBuilder, commit: str, line: str) -> Path:
    folder = builder.cache.folder / commit / line
    folder.mkdir(parents=True)
    (folder / "build.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("needed", "left"),
    [(0, "logs builds commits"), (1, "builds commits"), (2, "commits"), (3, "")],
)
def test_with_little_room_what_no_request_needs_goes_and_no_more_of_it_than_has_to(
    needed: int, left: str, fork: Path, tmp_path: Path
) -> None:
    own = tmp_path / "commits" / "own.git"
    base = committed(fork, "base")
    git(fork, "checkout", "--quiet", "-B", "work", base)
    other = committed(fork, "other")
    fetch_commits(asked(fork, base, other), tmp_path / "clone", own)
    git(fork, "checkout", "--quiet", "-B", "work", base)
    order = asked(fork, base, committed(fork, "head"))
    fetch_commits(order, tmp_path / "clone", own)
    old = run(tmp_path / "runs", "2026-11-24T010000-new", NOW - timedelta(days=1))
    open_one = run(tmp_path / "runs", "2026-11-24T020000-open", NOW, final=False)
    recipe = Recipe(kind="flink-boost", repository=fork)
    builder = RecipeBuilder(recipe, tmp_path / "build", {}, lambda _: None)
    ours, others = (kept_build(builder, sha, order.line) for sha in (order.head, other))

    def kinds() -> list[str]:
        found = {
            "logs": (old / "forks" / "p01.log").exists(),
            "builds": others.exists(),
            "commits": has(own, other),
        }
        return [name for name, there in found.items() if there]

    said: list[str] = []
    tidying = Tidying(
        *(own, builder, tmp_path / "runs", KEEP, 3 * GIB, said.append),
        free=lambda _: (6 - needed - len(kinds())) * GIB,
    )
    tidying.make_room(order, NOW)

    assert " ".join(kinds()) == left
    assert (said == []) is (needed == 0)
    # What this request needs, what is being measured, and results stay in any case.
    assert has(own, order.base)
    assert has(own, order.head)
    assert ours.exists()
    assert (old / "forks" / "p01.json").exists()
    assert (open_one / "forks" / "p01.log").exists()


def test_too_little_room_is_said_and_nothing_begins(tmp_path: Path) -> None:
    recipe = Recipe(kind="flink-boost", repository=tmp_path)
    builder = RecipeBuilder(recipe, tmp_path / "build", {}, lambda _: None)
    tidying = Tidying(
        *(tmp_path / "commits" / "own.git", builder, tmp_path / "runs", KEEP, 5 * GIB),
        lambda _: None,
        free=lambda _: GIB // 2,
    )
    with pytest.raises(EnvironmentProblem, match=r"Only 0\.5 GiB are free .* begins with 5\.0 GiB"):
        tidying.make_room(asked(tmp_path, "a" * 40, "b" * 40), NOW)


def test_a_build_that_failed_while_the_disk_became_full_is_not_the_commits_fault(
    tmp_path: Path,
) -> None:
    recipe = Recipe(kind="flink-boost", repository=tmp_path)
    builder = RecipeBuilder(recipe, tmp_path / "build", {}, lambda _: None)
    free = [6 * GIB]
    tidying = Tidying(
        *(tmp_path / "commits" / "own.git", builder, tmp_path / "runs", KEEP, 5 * GIB),
        lambda _: None,
        free=lambda _: free[0],
    )
    tidying.require_room(BuildFailed("make ended with code 2: it does not compile"))
    free[0] = GIB // 2
    with pytest.raises(EnvironmentProblem, match=r"Only 0\.5 GiB were free .* make ended"):
        tidying.require_room(BuildFailed("make ended with code 2: cannot write"))


def test_how_much_room_is_a_setting() -> None:
    one = [{"name": "a/b"}]
    assert ServeSettings.model_validate({"repositories": one}).least_free_gib == 5
    with pytest.raises(ValueError, match="least_free_gib"):
        ServeSettings.model_validate({"repositories": one, "least_free_gib": -1})


def test_a_fork_that_is_gone_or_private_is_told_and_a_network_that_is_away_is_not(
    fork: Path, tmp_path: Path
) -> None:
    own = tmp_path / "commits" / "own.git"
    base = committed(fork, "base")
    gone = asked(fork, base, "b" * 40).model_copy(
        update={"head_from": (tmp_path / "gone").as_uri()}
    )
    with pytest.raises(BuildFailed, match="its repository is gone or private, or no longer has it"):
        fetch_commits(gone, tmp_path / "clone", own)
    away = gone.model_copy(update={"head_from": "https://127.0.0.1:1/fork.git"})
    with pytest.raises(EnvironmentProblem, match="git fetch failed"):
        fetch_commits(away, tmp_path / "clone", own)


GIT_SAYS = "fatal: unable to access 'https://h/f.git/': The requested URL returned error: "


@pytest.mark.parametrize(
    "said",
    [
        "error: RPC failed; curl 56 recv\nfatal: early EOF\nfatal: index-pack failed",
        "fetch-pack: unexpected disconnect\nfatal: fetch-pack: invalid index-pack output",
        "fatal: write error: No space left on device\nfatal: index-pack failed",
        f"{GIT_SAYS}502",
        f"{GIT_SAYS}429",
        "fatal: unable to find remote helper for 'https'",
    ],
)
def test_a_pack_that_was_cut_and_a_full_disk_may_pass(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EnvironmentProblem, match="git fetch failed"):
        fetch_with_a_git_that_says(said, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "said",
    [
        "fatal: remote error: upload-pack: not our ref bbb",
        "error: Server does not allow request for unadvertised object bbb",
        "fatal: could not read Username for 'https://h': terminal prompts disabled",
        "remote: Repository not found.\nfatal: repository 'https://h/f.git/' not found",
        "fatal: fsck error in packed object\nfatal: index-pack failed",
        f"{GIT_SAYS}404",
    ],
)
def test_what_git_cannot_fetch_for_good_is_told_with_its_reason(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BuildFailed, match="no longer has it") as caught:
        fetch_with_a_git_that_says(said, tmp_path, monkeypatch)
    assert "index-pack" not in caught.value.message


def test_a_git_that_fails_here_is_no_fault_of_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "fatal: cannot mkdir: No space left on device"
    with pytest.raises(EnvironmentProblem, match="No space left"):
        fetch_with_a_git_that_says(said, tmp_path, monkeypatch, command="init")


def fetch_with_a_git_that_says(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str = "fetch"
) -> None:
    """The real git, but for one of its commands."""
    (tmp_path / "clone").mkdir()
    git(tmp_path / "clone", "init", "--quiet")
    real = shutil.which("git")
    (tmp_path / "said").write_text(said, encoding="utf-8")
    mock = tmp_path / "bin" / "git"
    mock.parent.mkdir()
    mock.write_text(
        f'#!/bin/sh\ncase " $* " in *" {command} "*) cat {tmp_path}/said >&2; exit 128;; esac\n'
        f'exec {real} "$@"\n',
        encoding="utf-8",
    )
    mock.chmod(0o755)
    monkeypatch.setenv("PATH", f"{mock.parent}:{os.environ['PATH']}")
    order = samples.order(samples.TUPLE).model_copy(
        update={"base_from": "https://h/f.git", "head_from": "https://h/f.git"}
    )
    fetch_commits(order, tmp_path / "clone", tmp_path / "commits" / "own.git")
