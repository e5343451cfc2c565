"""Which machines have the sandbox, what bubblewrap is told, and where commands work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flink_boost.base.errors import NoIsolation, UsageProblem
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap, wrapped
from flink_boost.service.builds.isolation.choosing import IMAGE, choose_sandbox
from flink_boost.service.builds.isolation.mirrors import VARIABLE
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace

LIMITS = Limits(seconds=60, memory=1 << 30, disk=1 << 20, processes=99, output=1 << 20)
WORK = Path("/srv/work")


def test_bubblewrap_is_the_only_sandbox() -> None:
    tools = ("bwrap", "setpriv", "prlimit", "choom")

    def choose(*names: str, **environ: str) -> Bubblewrap:
        return choose_sandbox(environ, lambda name: f"/bin/{name}" if name in names else None)

    chosen = choose(*tools, **{VARIABLE: "Repo.example.org:443,,b:80", IMAGE: ""})
    assert chosen.program == "/bin/bwrap"
    assert chosen.mirrors.hosts == ("repo.example.org:443", "b:80")
    for names, environ, told in (
        ((), {}, "apt-get install --yes bubblewrap"),
        (("podman",), {}, "apt-get install --yes bubblewrap"),
        (("podman",), {IMAGE: "ours"}, f"Take {IMAGE} out of the service's settings."),
        ((*tools, "podman"), {IMAGE: "ours"}, f"Take {IMAGE} out of the service's settings."),
        (("bwrap", "setpriv"), {}, "apt-get install --yes util-linux"),
    ):
        with pytest.raises(NoIsolation) as problem:
            choose(*names, **environ)
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
