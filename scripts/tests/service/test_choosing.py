"""Which sandbox is chosen, and the command lines of both; podman has a double here."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flink_boost.base.errors import NoIsolation, UsageProblem
from flink_boost.service.isolation.bubblewrap import Bubblewrap, wrapped
from flink_boost.service.isolation.choosing import IMAGE, choose_sandbox
from flink_boost.service.isolation.mirrors import VARIABLE
from flink_boost.service.isolation.podman import Podman, podman_command
from flink_boost.service.isolation.sandbox import Limits
from flink_boost.service.isolation.workplace import fresh_workplace

LIMITS = Limits(seconds=60, memory=1 << 30, disk=1 << 20, processes=99, output=1 << 20)
WORK = Path("/srv/work")


def test_bubblewrap_is_taken_before_podman() -> None:
    tools = ("bwrap", "setpriv", "prlimit", "choom")

    def choose(*names: str, root: bool = False, **environ: str) -> object:
        return choose_sandbox(
            environ, lambda name: f"/bin/{name}" if name in names else None, lambda: root
        )

    chosen = choose(*tools, "podman", **{VARIABLE: "Repo.example.org:443,,b:80"})
    assert isinstance(chosen, Bubblewrap)
    assert chosen.mirrors.hosts == ("repo.example.org:443", "b:80")
    assert isinstance(choose("podman", **{IMAGE: "ours"}), Podman)
    for names, root, environ, told in (
        ((), False, {}, "apt-get install --yes bubblewrap"),
        (("podman",), False, {}, "apt-get install --yes bubblewrap"),
        (("podman",), True, {IMAGE: "ours"}, "apt-get install --yes bubblewrap"),
        (("bwrap", "setpriv"), False, {}, "apt-get install --yes util-linux"),
    ):
        with pytest.raises(NoIsolation) as problem:
            choose(*names, root=root, **environ)
        assert told in problem.value.next_step
        assert problem.value.exit_code == 35


def test_what_bubblewrap_is_told() -> None:
    command = wrapped(
        "bwrap", ["true", "--help"], uid=7, work=WORK, readable=[Path("/srv/jar")],
        environment={"A": "-- --bind / /"}, limits=LIMITS, started="word",
    )  # fmt: skip
    assert command[:6] == [
        "setpriv", "--reuid=7", "--regid=7", "--clear-groups", "--no-new-privs", "--",
    ]  # fmt: skip
    end = command.index("--", 6)
    assert command[end + 1 : end + 5] == ["/bin/sh", "-c", 'printf "%s\\n" "$0"; exec "$@"', "word"]
    assert command[-2:] == ["true", "--help"]
    inner = command[6:end]
    for option in (
        "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
        "--unshare-net", "--die-with-parent", "--new-session", "--clearenv",
    ):  # fmt: skip
        assert option in inner, option
    binds = [inner[at + 1] for at, word in enumerate(inner) if word == "--bind"]
    assert binds == [str(WORK)], "all else is read-only"
    assert inner[inner.index("A") + 1] == "-- --bind / /"
    # Settings of the machine may hold passwords.
    assert not [word for word in inner if word.endswith(("settings.xml", "pip.conf", "gitconfig"))]
    assert "/etc" not in inner
    limited = command[end + 5 :]
    assert limited[0] == "prlimit"
    assert {"--nproc=99", "--fsize=1048576", f"--data={1 << 30}", "--core=0"} <= set(limited)
    alone = wrapped(
        "bwrap", ["true"], uid=None, work=WORK, readable=[], environment={}, limits=LIMITS,
        started="word",
    )  # fmt: skip
    assert alone[0] == "bwrap"
    with pytest.raises(UsageProblem, match="no name of a variable"):
        wrapped(
            "bwrap", ["true"], uid=None, work=WORK, readable=[], environment={"A=B": ""},
            limits=LIMITS, started="word",
        )  # fmt: skip


def test_what_podman_is_told() -> None:
    command = podman_command(
        "podman", "ours", ["true", "--help"], name="flink-boost-1", work=WORK,
        readable=[Path("/srv/jar")], environment={"A": "b"}, limits=LIMITS, started="word",
    )  # fmt: skip
    at = command.index("--")
    assert command[at + 1 :] == [
        "ours", "-c", 'printf "%s\\n" "$0"; exec "$@"', "word", "true", "--help",
    ]  # fmt: skip
    options = command[2:at]
    for option in (
        "--rm", "--pull=never", "--network=none", "--cap-drop=all", "--read-only", "--env=A=b",
        "--security-opt=no-new-privileges", "--pids-limit=99", f"--memory={1 << 30}",
        f"--memory-swap={1 << 30}", "--volume=/srv/jar:/srv/jar:ro",
        "--volume=/srv/work:/srv/work:rw", "--entrypoint=/bin/sh", "--unsetenv-all",
        "--http-proxy=false",
    ):  # fmt: skip
        assert option in options, option
    assert sum(option.endswith(":rw") for option in options) == 1


def test_podman_is_run_to_its_end_and_its_container_removed(tmp_path: Path) -> None:
    """With a double in the place of podman: ours is not to be had everywhere."""
    called = tmp_path / "called"
    double = tmp_path / "podman"
    double.write_text(
        f"""#!/usr/bin/env python3
import json, os, sys
with open({str(called)!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "run":
    image = sys.argv.index("--") + 1
    os.execv("/bin/sh", ["/bin/sh", *sys.argv[image + 1:]])
"""
    )
    double.chmod(0o755)
    sandbox = Podman("ours", str(double))
    with fresh_workplace(tmp_path / "places", sandbox.owners, disk=1 << 20) as work:
        ended = sandbox.run(
            ("sh", "-c", "echo said; exit 4"), work=work, readable=(), environment={},
            limits=LIMITS, log=tmp_path / "log", mirrors=False,
        )  # fmt: skip
        assert (ended.how, ended.code, ended.said) == ("exited", 4, "said")
        with pytest.raises(NoIsolation, match="cannot name the path"):
            sandbox.run(
                ("true",), work=work, readable=[make(tmp_path / "a:b")], environment={},
                limits=LIMITS, log=tmp_path / "log", mirrors=False,
            )  # fmt: skip
    run, remove = (json.loads(line) for line in called.read_text().splitlines())
    (name,) = (word.partition("=")[2] for word in run if word.startswith("--name="))
    assert remove[:2] == ["rm", "--force"]
    assert remove[-1] == name


def make(path: Path) -> Path:
    path.touch()
    return path


def test_a_workplace_is_fresh_and_gone_and_never_shared(tmp_path: Path) -> None:
    owners = Bubblewrap().owners
    places = tmp_path / "places"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    with (
        fresh_workplace(places, owners, disk=1 << 20, in_memory=False) as one,
        fresh_workplace(places, owners, disk=1 << 20, in_memory=False) as two,
    ):
        assert one != two
        if os.geteuid() == 0:
            assert one.stat().st_uid != two.stat().st_uid
        assert one.stat().st_mode & 0o777 == 0o700
        (one / "link").symlink_to(outside, target_is_directory=True)
        deep = one
        for _ in range(40):
            deep = deep / ("d" * 60)
            deep.mkdir()
        deep.chmod(0)
    assert [path.name for path in places.iterdir()] == ["owners"]
    assert (outside / "kept").exists()
