"""``--json``: one valid object whatever happens, also when the call itself was wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    OTHER,
    flink_boost,
    java_environment,
    new_home,
    official_classes,
    small_dist,
)

from flink_boost.base.errors import (
    AnswerLost,
    EnvironmentProblem,
    NotAFlinkHome,
    VerificationFailed,
)

WRONG_CALLS = [
    ["doctor", "--nonsense"],
    ["doctor", "one", "two"],
    ["install"],
    ["uninstall", ""],
    ["verify", "home", "--stock", "no/such/file"],
]


def one_object(printed: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed)
    assert found["ok"] is False
    assert found["error"]
    assert found["next_step"]
    return found


IMPOSSIBLE_CALLS = [
    (["dist", "--line", "9.9.9"], "dist"),
    (["flink-tests", "--line", "9.9.9"], "flink-tests"),
    (["soak", "--cases", "many"], "soak"),
    (["line", "add", "abc"], "line add"),
    (["bench", "--line", "9.9.9"], "bench"),
    (["run", "--line", "9.9.9"], "run"),
    (["serve"], "serve"),
    (["report", "nosuch"], "report"),
    (["runs", "show", "nosuch"], "runs show"),
    (["alarm", "show", "nosuch"], "alarm show"),
    (["history", "nosuch"], "history"),
    (["plan", "--group", "nosuch"], "plan"),
    (["nightly", "--line", "9.9.9"], "nightly"),
    (["nightly", "check", "--at", "25:61"], "nightly check"),
    (["canary", "run", "--line", "9.9.9"], "canary run"),
    (["box", "check", "nosuch"], "check"),
]


@pytest.mark.parametrize(("call", "command"), IMPOSSIBLE_CALLS, ids=lambda value: str(value))
def test_a_call_that_cannot_be_done(
    call: list[str], command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("--build", tmp_path, *call, "--json") == 2
    found = one_object(capsys.readouterr().out)
    assert (found["command"], found["exit_code"]) == (command, 2)


@pytest.mark.parametrize("call", [["runs"], ["runs", "list"], ["alarm"], ["alarm", "list"]])
def test_an_empty_list(call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flink_boost("--build", tmp_path, *call, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found[f"{call[0].removesuffix('s')}s"]) == (True, [])


def test_a_line_that_is_there_already(capsys: pytest.CaptureFixture[str]) -> None:
    assert flink_boost("line", "add", "2.3.0", "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["state"] == "there already"
    assert "nothing was changed" in printed.err


@pytest.mark.parametrize("call", WRONG_CALLS, ids=" ".join)
def test_a_wrong_call(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert flink_boost(*call, "--json") == 2
    printed = capsys.readouterr()
    found = one_object(printed.out)
    assert (found["command"], found["exit_code"]) == (call[0], 2)
    assert found["error"] in printed.err
    assert found["next_step"] == f"Run `flink-boost {call[0]} --help`."


def test_a_wrong_call_without_it_leaves_the_output_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert flink_boost("doctor", "--nonsense") == 2
    assert capsys.readouterr().out == ""


def test_a_wrong_call_that_the_command_finds_is_one_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text("# Faster", encoding="utf-8")
    assert flink_boost("comment", answer, "--json") == 2
    assert one_object(capsys.readouterr().out)["command"] == "comment"


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert flink_boost("nothing", "--json") == 2
    assert "No such command 'nothing'" in one_object(capsys.readouterr().out)["error"]


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (OSError(28, "No space left on device", "/flink/lib/x"), 4),
        (OSError(5, "Input/output error"), 1),
        (KeyboardInterrupt(), 130),
        (ZeroDivisionError("division by zero"), 1),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("command", ["doctor", "verify", "install", "uninstall"])
def test_each_way_to_end_early(
    command: str,
    error: BaseException,
    exit_code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise error

    shared = {"install": "library", "uninstall": "library"}
    module = shared.get(command, f"commands.{command}")
    monkeypatch.setattr(f"flink_boost.cli.{module}.load_lines", fail)
    assert flink_boost(command, tmp_path, "--json") == exit_code
    printed = capsys.readouterr()
    found = one_object(printed.out) if exit_code != 130 else json.loads(printed.out)
    assert (found["command"], found["exit_code"]) == (command, exit_code)
    assert found["error"] in printed.err


ON_FULL_DISK = """
mount -t tmpfs -o size=8m none "$0" && cp -R "$1"/. "$0" || exit 99
head -c 16m /dev/zero > "$0/filling" 2>/dev/null
shift
exec "$@"
"""


@pytest.mark.needs_jars
def test_a_full_disk(tmp_path: Path) -> None:
    home = tmp_path / "source"
    for name in ("bin", "conf", "lib"):
        (home / name).mkdir(parents=True)
    (home / "bin" / "config.sh").touch()
    small_dist(home, LINE.version, official_classes())
    (tmp_path / "full").mkdir()
    done = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ON_FULL_DISK),
            *(str(tmp_path / "full"), str(home)),
            *(str(Path(sys.executable).with_name("flink-boost")), "install"),
            *(str(tmp_path / "full"), "--json"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == EnvironmentProblem.exit_code, done.stderr
    found = one_object(done.stdout)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert "no space left" in found["error"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The least that our jar can be put into."""
    home = tmp_path / "flink"
    for name in ("bin", "conf", "lib"):
        (home / name).mkdir(parents=True)
    (home / "bin" / "config.sh").touch()
    small_dist(home, LINE.version, official_classes())
    return home


def with_no_room_to_answer(
    *arguments: str | Path, errors_too: bool = False
) -> subprocess.CompletedProcess[str]:
    with Path("/dev/full").open("w") as full:
        return subprocess.run(
            [str(Path(sys.executable).with_name("flink-boost")), *map(str, arguments)],
            stdout=full,
            stderr=full if errors_too else subprocess.PIPE,
            text=True,
            env=java_environment(LINE),
            timeout=200,
            check=False,
        )


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.needs_jars
def test_a_change_whose_answer_cannot_be_written_is_told_as_done(
    options: list[str], home: Path
) -> None:
    lost = "but the answer could not be written (No space left on device). Run the same command"
    jar = home / "lib" / JAR

    done = with_no_room_to_answer("install", home, *options)
    assert done.returncode == AnswerLost.exit_code
    assert f"flink-boost: Flink 2.3.0: put {JAR} into {home / 'lib'}, {lost}" in done.stderr
    assert jar.read_bytes() == CARRIED.dropin(LINE).read_bytes()

    done = with_no_room_to_answer("install", home, *options)
    assert done.returncode == AnswerLost.exit_code
    assert f"is already in {home / 'lib'}: nothing changed, {lost}" in done.stderr

    done = with_no_room_to_answer("uninstall", home, *options)
    assert done.returncode == AnswerLost.exit_code
    assert f"flink-boost: Removed {JAR} from {home / 'lib'}, {lost}" in done.stderr
    assert not jar.exists()


@pytest.mark.needs_jars
def test_an_examination_whose_answer_cannot_be_written(home: Path) -> None:
    for options in ([], ["--json"]):
        done = with_no_room_to_answer("doctor", home, *options)
        assert done.returncode == AnswerLost.exit_code
        assert done.stderr.startswith("flink-boost: The answer could not be written (No space")


@pytest.mark.parametrize("errors_too", [False, True])
@pytest.mark.parametrize(
    ("call", "exit_code"),
    [
        (["install", "/nowhere"], NotAFlinkHome.exit_code),
        (["verify", "/nowhere"], NotAFlinkHome.exit_code),
        (["uninstall", ""], 2),
        (["nothing"], 2),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else str(value),
)
def test_no_room_to_answer_does_not_change_the_code_of_an_error(
    call: list[str], exit_code: int, errors_too: bool
) -> None:
    done = with_no_room_to_answer(*call, "--json", errors_too=errors_too)
    assert done.returncode == exit_code
    assert errors_too or "could not be written" not in done.stderr


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.needs_jars
def test_a_failed_check_stays_one_when_the_answer_cannot_be_written(
    options: list[str], tmp_path: Path
) -> None:
    home = new_home(tmp_path / "flink")
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")
    done = with_no_room_to_answer("verify", home, *options)
    assert done.returncode == VerificationFailed.exit_code
    assert done.stderr.startswith(f"flink-boost: {home} did not pass: ")
