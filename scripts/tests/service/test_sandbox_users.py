"""Whom the sandbox runs programs as, where they work, and where it cannot be used."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from sandbox_trial import LIMITS, Trial

from flink_boost.base.errors import NoIsolation
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.choosing import choose_sandbox, prove
from flink_boost.service.builds.isolation.sandbox import Ended

pytestmark = pytest.mark.quiet


_PYTHON = "/usr/bin/python3"


def test_work_may_lie_where_other_temporary_folders_are_hidden() -> None:
    """`build/` may be below /var/tmp, of which a program sees nothing else."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with ExitStack() as stack:
            trial = Trial(folder, choose_sandbox({}), stack)
            ended = trial.run("import os; print(os.listdir('/var/tmp'), os.getcwd())")
        assert (ended.how, ended.code) == ("exited", 0), ended
        assert trial.printed == f"{[folder.name]} {trial.work}\n"


def test_a_program_sees_work_and_ends_with_its_code(trial: Trial) -> None:
    (trial.folder / "given").write_text("given")
    ended = trial.run(
        f"""
import os, sys
print(open({str(trial.folder / "given")!r}).read(), os.environ["NAME"], os.getcwd())
open("left", "w").write("left")
sys.exit(3)
""",
        readable=[trial.folder / "given"],
        environment={"NAME": "value"},
    )
    assert (ended.how, ended.code) == ("exited", 3)
    assert ended.sentence == "ended with code 3"
    assert trial.printed == f"given value {trial.work}\n"
    assert (trial.work / "left").read_text() == "left"
    if os.geteuid() == 0:
        assert (trial.work / "left").stat().st_uid == trial.work.stat().st_uid >= 2_000_000_000


def test_what_cannot_be_shut_in_does_not_run(trial: Trial) -> None:
    fake = trial.folder / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    broken = Bubblewrap(str(fake))
    with pytest.raises(NoIsolation, match="No permissions to create new namespace") as told:
        prove(broken, trial.folder / "proving")
    assert told.value.exit_code == 35
    # One that runs the command without shutting it in does not say the word.
    fake.write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(NoIsolation, match="it said nothing"):
        prove(broken, trial.folder / "proving")
    prove(choose_sandbox({}), trial.folder / "proving")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs commands as another user")
def test_root_never_runs_it_as_itself(trial: Trial, open_folder: Path) -> None:
    mine = open_folder / "mine"
    mine.mkdir()

    def run(work: Path, readable: Sequence[Path] = ()) -> Ended:
        return trial.sandbox.run(
            ("true",), work=work, readable=readable, environment={}, limits=LIMITS,
            log=trial.log, mirrors=False,
        )  # fmt: skip

    with pytest.raises(NoIsolation, match="belongs to user 0"):
        run(mine)
    closed = open_folder / "closed"
    closed.mkdir(0o700)
    (closed / "file").touch()
    with pytest.raises(NoIsolation, match="closed to other users"):
        run(trial.work, [closed / "file"])
    with pytest.raises(NoIsolation, match="not there"):
        run(trial.work, [open_folder / "nothing"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(not Path(_PYTHON).exists(), reason="needs a Python that every user may run")
def test_another_user_than_root_can_use_it(open_folder: Path) -> None:
    """The whole of it as a user without rights: no mount, no other user, a namespace instead."""
    places = open_folder / "theirs"
    places.mkdir()
    os.chown(places, 65534, 65534)
    program = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})
from pathlib import Path
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.isolation.watching import TooManyFiles, size_below
from flink_boost.service.builds.isolation.workplace import fresh_workplace
sandbox, folder = choose_sandbox({{}}), Path({str(places)!r})
bomb = "import os, time\\nwhile True:\\n  try: os.fork()\\n  except OSError: time.sleep(.01)"
with fresh_workplace(folder / "places", sandbox.owners, disk=1 << 20) as work:
    for words in (("id", "-u"), ("python3", "-I", "-c", bomb)):
        ended = sandbox.run(words, work=work, readable=(), environment={{}}, log=folder / "log",
                            limits=Limits(seconds=30, processes=60), mirrors=False)
        print(ended.how, ended.code, ended.said[:20])
print(sorted(path.name for path in (folder / "places").iterdir()))
"""
    done = subprocess.run(
        (
            *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            *(_PYTHON, "-I", "-c", program),
        ),
        capture_output=True, text=True, timeout=120, check=False, cwd="/",
        env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "exited 0 1000", "processes None ", "['owners']",
    ], done.stderr  # fmt: skip
