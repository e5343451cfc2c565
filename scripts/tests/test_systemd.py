"""The systemd units, by systemd's own judgement; and what they have in common with the command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure import machine_lock
from flink_boost.service.nightly.slots import DEFAULT_TIME

UNITS = PROJECT_ROOT / "scripts" / "systemd"
TREE = "/opt/flink-boost"
# Of ten, times ten, as systemd-analyze takes it. A service that may do everything has 9.6.
MOST_EXPOSED = {
    "flink-boost-nightly.service": "20",
    "flink-boost-nightly-check.service": "20",
    # Root, so that each request is built and run as a user and in a control group of its own.
    "flink-boost-requests.service": "48",
    "flink-boost-requests-check.service": "23",
}
SHARED = "/var/tmp/flink-boost"


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """Copies that lead to this tree: systemd looks whether what they start is there."""
    for unit in UNITS.iterdir():
        text = re.sub(f"(?m){TREE}(-requests)?(?=/|$)", str(PROJECT_ROOT), unit.read_text("utf-8"))
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    return sorted(tmp_path.iterdir())


def analyse(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "--no-pager", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_systemd_takes_every_unit_without_a_word(units: list[Path]) -> None:
    assert len(units) == 7
    done = analyse("verify", *units)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda text: text.replace("ProtectHome", "ProtectHorse"), "Unknown key"),
        (lambda text: text.replace("bin/flink-boost", "bin/flink-bust"), "not executable"),
    ],
)
def test_systemd_would_find_a_mistake(
    units: list[Path], damage: Callable[[str], str], complaint: str
) -> None:
    service = next(unit for unit in units if unit.name == "flink-boost-nightly.service")
    service.write_text(damage(service.read_text()))
    assert complaint in analyse("verify", service).stderr


def test_the_services_may_do_little(units: list[Path]) -> None:
    for unit in units:
        if unit.suffix == ".service":
            threshold = f"--threshold={MOST_EXPOSED[unit.name]}"
            done = analyse("security", "--offline=yes", threshold, unit)
            assert done.returncode == 0, done.stdout
            open_one = unit.with_name("open.service")
            shutil.copy(unit, open_one)
            bare = re.compile(r"^(?!\[|Type|ExecStart).*$", re.MULTILINE)
            kept = bare.sub("", open_one.read_text())
            open_one.write_text(kept)
            strict = analyse("security", "--offline=yes", threshold, open_one)
            assert strict.returncode != 0, "the threshold does not bite"


def test_a_webhook_is_had_by_the_service_itself_as_the_page_says(
    units: list[Path],
) -> None:
    page = (PROJECT_ROOT / "docs" / "requests-setup.md").read_text(encoding="utf-8")
    name = "flink-boost-requests.service"
    (drop_in,) = re.findall(
        rf"(?ms)^cat > /etc/systemd/system/{name}.d/\S+ <<'END'\n(.*?)^END$", page
    )
    service = next(unit for unit in units if unit.name == name)
    (start,) = re.findall(r"(?m)^ExecStart=(.+)$", (UNITS / name).read_text(encoding="utf-8"))
    assert drop_in == f"[Service]\nExecStart=\nExecStart={start} --listen 127.0.0.1:8322\n"
    (service.parent / f"{name}.d").mkdir()
    (service.parent / f"{name}.d" / "webhook.conf").write_text(
        re.sub(f"(?m){TREE}(-requests)?(?=/|$)", str(PROJECT_ROOT), drop_in), encoding="utf-8"
    )
    done = analyse("verify", service)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    # Started by hand beside the service it would end with 27.
    assert not re.search(r"(?m)^(?!ExecStart).*request serve --listen", page)


def test_no_secret_of_the_service_is_given_to_the_account_of_the_nights() -> None:
    page = (PROJECT_ROOT / "docs" / "requests-setup.md").read_text(encoding="utf-8")
    assert "install -m 600 my-app.private-key.pem" in page
    assert not re.search(r"(?m)^install .*(-o|--owner)", page)


def test_the_timer_starts_nights_when_the_command_expects_them() -> None:
    timer = (UNITS / "flink-boost-nightly.timer").read_text(encoding="utf-8")
    assert f"OnCalendar=*-*-* {DEFAULT_TIME}:00 UTC" in timer
    for unit in UNITS.glob("*.timer"):
        assert unit.with_suffix(".service").is_file(), unit.name
    for unit in UNITS.glob("*.service"):
        assert not re.search(r"TOKEN=(?!FILE)", unit.read_text(encoding="utf-8")), unit.name


def setting(name: str, key: str) -> list[str]:
    """The words of one setting of a unit, of all its lines."""
    text = (UNITS / name).read_text(encoding="utf-8")
    return [
        word for line in re.findall(f"^{key}=(.*)$", text, re.MULTILINE) for word in line.split()
    ]


@pytest.mark.parametrize("name", ["flink-boost-nightly.service", "flink-boost-requests.service"])
def test_the_lock_of_the_machine_is_not_hidden_by_a_private_folder(name: str) -> None:
    """With PrivateTmp the machine's /var/tmp is out of reach, and a path below it that is only to
    be writable ends the start of the unit: it has to be bound."""
    assert str(machine_lock.USUAL_PLACE.parent) == SHARED
    assert setting(name, "PrivateTmp") == ["yes"]
    assert setting(name, "BindPaths") == [SHARED]
    assert not [path for path in setting(name, "ReadWritePaths") if path.startswith("/var/tmp")]


def test_root_runs_a_tree_that_no_other_account_may_change() -> None:
    nightly = setting("flink-boost-nightly.service", "User")
    assert nightly == ["flink-boost"]
    for name in ("flink-boost-requests.service", "flink-boost-requests-check.service"):
        assert setting(name, "User") == []
        text = (UNITS / name).read_text(encoding="utf-8")
        assert set(re.findall(r"/opt/[a-z-]+", text)) == {"/opt/flink-boost-requests"}
        assert "/opt/flink-boost-requests" not in setting(name, "ReadWritePaths")


def test_the_sandbox_can_be_made_under_the_restrictions_of_its_unit() -> None:
    """What would keep bubblewrap from its namespaces, or from a /proc of its own, and us from
    giving it a control group."""
    name = "flink-boost-requests.service"
    for key in (
        *("RestrictNamespaces", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc"),
        *("ProtectControlGroups", "ProtectHostname"),
    ):
        assert setting(name, key) == [], key
    assert setting(name, "Delegate") == ["yes"]
    # Else systemd stops the service when the kernel ends a build.
    assert setting(name, "OOMPolicy") == ["continue"]
    assert "@mount" in setting(name, "SystemCallFilter")
    rights = ("SETUID", "SETGID", "CHOWN", "FOWNER", "DAC_OVERRIDE", "KILL", "SYS_ADMIN")
    assert setting(name, "CapabilityBoundingSet") == [f"CAP_{one}" for one in rights]
    assert setting("flink-boost-requests-check.service", "CapabilityBoundingSet") == []


_IN_THE_SANDBOX = """
import os, sys
from pathlib import Path
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace
from flink_boost.service.requests.comparison_setup import proved_sandbox

build = Path(sys.argv[1])
sandbox, folder = proved_sandbox(os.environ, build)
with fresh_workplace(folder, sandbox.owners, disk=16 << 20) as work:
    ended = sandbox.run(
        ["sh", "-c", "touch here && grep CapEff /proc/self/status"],
        work=work, readable=(), environment={}, limits=Limits(seconds=60),
        log=build / "log", mirrors=False,
    )
    print((work / "here").exists())
print(ended.sentence, (build / "log").read_text())
"""


def under_the_rights(rights: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command in a sandbox, by a process with those rights alone, as systemd would give them.

    Whoever is not root has none to lose: then the sandbox is made by a user namespace.
    """
    limited: list[str] = []
    if os.geteuid() == 0:
        kept = ",".join(f"+{one.removeprefix('CAP_').lower()}" for one in rights)
        limited = ["setpriv", f"--bounding-set=-all,{kept}", "--inh-caps=-all", "--no-new-privs"]
    return subprocess.run(
        [*limited, sys.executable, "-c", _IN_THE_SANDBOX, str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_sandbox_works_with_the_rights_of_its_unit_and_has_none_inside(
    open_folder: Path,
) -> None:
    rights = setting("flink-boost-requests.service", "CapabilityBoundingSet")
    assert setting("flink-boost-requests.service", "NoNewPrivileges") == ["yes"]
    done = under_the_rights(rights, open_folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True\nended with code 0")
    assert "CapEff:\t0000000000000000" in done.stdout


@pytest.mark.parametrize("needed", ["CAP_SETUID", "CAP_SETGID"])
def test_without_one_of_them_nothing_is_run(needed: str, open_folder: Path) -> None:
    rights = setting("flink-boost-requests.service", "CapabilityBoundingSet")
    done = under_the_rights([one for one in rights if one != needed], open_folder)
    # Whoever is not root has no such right that could be taken away.
    assert ("ended with code 0" in done.stdout) is (os.geteuid() != 0)
    assert (done.returncode == 0) is (os.geteuid() != 0)
