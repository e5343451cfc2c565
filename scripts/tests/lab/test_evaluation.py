"""The command that judges detection: real programs as reruns, files of any kind."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.test_all

PYTHON = shlex.quote(sys.executable)
RERUN = f"{PYTHON} -m flink_boost.cli detection-cases rerun"


@dataclass(frozen=True)
class Done:
    """How a call of the command ended."""

    exit_code: int
    stdout: str
    output: str


def call(*words: str | Path, text: str = "") -> Done:
    """In a process of its own, as standard input is one of a program."""
    done = subprocess.run(
        [sys.executable, "-m", "flink_boost.cli", *map(str, words)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cases of each kind, of which a few are kept."""
    folder = tmp_path_factory.mktemp("cases")
    assert call("detection-cases", "make", folder, "--copies", "1", "--nights", "70").exit_code == 0
    for name in ("cases.jsonl", "truth.jsonl"):
        lines = (folder / name).read_text().splitlines()
        kept = [
            line
            for line in lines
            if json.loads(line)["id"].startswith(("step-5-", "steady-1", "box-j"))
        ]
        (folder / name).write_text("\n".join(kept) + "\n")
    return folder


def evaluate(folder: Path, out: Path, *words: str | Path, rerun: str | None = None) -> Done:
    program = rerun or f"{RERUN} {shlex.quote(str(folder / 'truth.jsonl'))}"
    return call(
        "evaluate-detection",
        "--cases",
        folder / "cases.jsonl",
        "--rerun",
        program,
        "--out",
        out,
        *words,
    )


def test_alarms_and_scores_are_written(made: Path, tmp_path: Path) -> None:
    out, sheet, plot = tmp_path / "alarms.jsonl", tmp_path / "sheet.txt", tmp_path / "plot.svg"
    done = evaluate(made, out, "--truth", made / "truth.jsonl", "--sheet", sheet, "--plot", plot)

    assert done.exit_code == 0, done.output
    (alarm,) = map(json.loads, out.read_text().splitlines())
    assert alarm["id"] == "step-5-1-0"
    assert {"night", "first_bad", "ratio"} <= alarm.keys()
    assert "| step-5 | 1 | 100 % |" in sheet.read_text()
    assert "| Otava alone |" in done.output
    assert "within three nights" in plot.read_text()
    assert "1 alarm in 3 cases of 210 nights" in done.output


def test_the_order_of_cases_changes_no_alarm(made: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned"
    turned.mkdir()
    lines = (made / "cases.jsonl").read_text().splitlines()
    (turned / "cases.jsonl").write_text("\n".join(lines[::-1]))
    (turned / "truth.jsonl").write_bytes((made / "truth.jsonl").read_bytes())

    for folder, out in ((made, tmp_path / "a"), (turned, tmp_path / "b"), (made, tmp_path / "c")):
        done = evaluate(folder, out)
        assert done.exit_code == 0, done.output
    texts = [(tmp_path / name).read_bytes() for name in "abc"]
    assert texts[0] == texts[1] == texts[2] != b""


PROGRAMS = {
    "ends": ("pass", 4, "has ended before its answer"),
    "no JSON": ("print('hello')", 3, "which is no answer to a rerun"),
    "too many": ("print('{\"pairs\": ' + str([[1.0, 1.0]] * 9) + '}')", 3, "9 pairs to a question"),
    "silent": ("import time; time.sleep(60)", 4, "did not answer within 1 s"),
    "endless": ("import sys; [sys.stdout.write('x' * 65536) for _ in range(40)]", 3, "without end"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_does_not_rerun_is_named(made: Path, tmp_path: Path, name: str) -> None:
    body, code, words = PROGRAMS[name]
    script = tmp_path / "program.py"
    script.write_text(
        f"import sys\nsys.stdin.readline()\n{body}\nsys.stdout.flush()\nsys.stdin.read()\n"
        if name != "ends"
        else body
    )

    done = evaluate(made, tmp_path / "out", "--timeout", "1", rerun=f"{PYTHON} -u {script}")

    assert (done.exit_code, words in done.output) == (code, True), done.output
    assert not (tmp_path / "out").exists(), "all or nothing"


@pytest.mark.parametrize(
    ("command", "words"),
    [("", "is empty"), ("'open", "is no command line"), ("/nowhere/program", "cannot be started")],
)
def test_a_command_that_is_none_is_named(
    made: Path, tmp_path: Path, command: str, words: str
) -> None:
    done = call(
        "evaluate-detection",
        "--cases",
        made / "cases.jsonl",
        "--rerun",
        command,
        "--out",
        tmp_path / "o",
    )
    assert done.exit_code in (2, 4)
    assert words in done.output


def _change(**changes: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda case: {**case, **changes}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: "{", "Line 1 of"),
        (_change(nights=[{"night": 1, "commit": "c"}]), "nights.0"),
        (_change(pairs_per_night=0), "pairs_per_night"),
        (_change(less_is_better="perhaps"), "less_is_better"),
        (lambda case: {**case, "nights": case["nights"][::-1]}, "not in order"),
        (
            lambda case: {**case, "nights": [*case["nights"], {**case["nights"][0], "night": "x"}]},
            "not in order",
        ),
    ],
)
def test_a_broken_case_is_named(
    made: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any], words: str
) -> None:
    case = json.loads((made / "cases.jsonl").read_text().splitlines()[0])
    changed = change(case)
    text = changed if isinstance(changed, str) else json.dumps(changed)
    (tmp_path / "cases.jsonl").write_text(text)
    (tmp_path / "truth.jsonl").write_bytes((made / "truth.jsonl").read_bytes())

    done = evaluate(tmp_path, tmp_path / "out")

    assert done.exit_code == 3, done.output
    assert words in done.output


FOREIGN = """
import json, sys
levels = json.load(open(sys.argv[1]))
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    before, after = (levels[repr(asked["id"])][asked[name]] for name in ("before", "after"))
    wobble = [0.01 * ((7 * number + 3 * pair) % 5 - 2) for pair in range(asked["pairs"])]
    pairs = [[before, after * (1 + one)] for one in wobble]
    print(json.dumps({"pairs": pairs, "seconds": 1.5}), flush=True)
"""


def test_cases_and_reruns_of_others_may_note_more_and_name_things_as_they_like(
    tmp_path: Path,
) -> None:
    rows = [[1 + 0.01 * ((3 * night + pair) % 7 - 3) for pair in range(4)] for night in range(30)]
    levels, cases = {}, []
    for name in (17, "17"):
        scores = {f"{night:03}": 100.0 if night < 20 else 80.0 for night in range(30)}
        levels[repr(name)] = scores
        nights = [
            {
                "night": label,
                "commit": 5,
                "weather": "fine",
                "pairs": [[100.0, score * one] for one in row],
            }
            for (label, score), row in zip(scores.items(), rows, strict=True)
        ]
        about = {"id": name, "unit": "ops/ms", "less_is_better": False, "note": "ours"}
        cases.append({**about, "pairs_per_night": 4, "nights": nights})
    (tmp_path / "cases.jsonl").write_text("\ufeff" + "\n".join(map(json.dumps, cases)))
    (tmp_path / "levels.json").write_text(json.dumps(levels))
    (tmp_path / "program.py").write_text(FOREIGN)
    program = shlex.join([sys.executable, str(tmp_path / "program.py"), "levels.json"])
    program = program.replace("levels.json", shlex.quote(str(tmp_path / "levels.json")))

    done = evaluate(tmp_path, tmp_path / "out", rerun=program)

    assert done.exit_code == 0, done.output
    told = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [(one["id"], one["night"], one["first_bad"]) for one in told] == [
        (17, "020", "020"),
        ("17", "020", "020"),
    ]


def test_two_cases_of_one_name_are_refused(made: Path, tmp_path: Path) -> None:
    text = (made / "cases.jsonl").read_text()
    (tmp_path / "cases.jsonl").write_text(text + text)
    assert "is there twice" in evaluate(tmp_path, tmp_path / "out", rerun="true").output


def test_lost_forks_and_nights_are_gaps(made: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (made / "cases.jsonl").read_text().splitlines()]
    for case in lines:
        case["nights"][3] = None
        case["nights"][8]["pairs"] = []
        case["nights"][12]["pairs"][0] = [None, 3.0]
        case["nights"][14]["pairs"][1] = ["NaN", -1]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "truth.jsonl").write_bytes((made / "truth.jsonl").read_bytes())

    done = evaluate(tmp_path, tmp_path / "out", "--json")

    assert done.exit_code == 0, done.output
    assert [alarm["id"] for alarm in json.loads(done.stdout)["alarms"]] == ["step-5-1-0"]


def test_a_question_about_no_case_is_named(made: Path) -> None:
    question = '{"id":"none","before":1,"after":2,"pairs":3}\n'
    done = call("detection-cases", "rerun", made / "truth.jsonl", text=question)
    assert done.exit_code == 3
    assert "is about no case or night" in done.output
