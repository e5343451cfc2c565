"""The systemd units, by systemd's own judgement; and what they have in common with the command."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure import boxlock
from flink_boost.service.nightly.slots import DEFAULT_TIME

UNITS = PROJECT_ROOT / "scripts" / "systemd"
TREE = "/opt/flink-boost"
# Of ten, times ten, as systemd-analyze takes it. A service that may do everything has 9.6.
MOST_EXPOSED = {
    "flink-boost-nightly.service": "20",
    "flink-boost-nightly-check.service": "20",
    # Root, so that each request is built and run as a user of its own.
    "flink-boost-requests.service": "46",
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
    assert str(boxlock.USUAL_PLACE.parent) == SHARED
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
    """What would keep bubblewrap from its namespaces, or from a /proc of its own."""
    name = "flink-boost-requests.service"
    for key in ("RestrictNamespaces", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc"):
        assert setting(name, key) == [], key
    assert "@mount" in setting(name, "SystemCallFilter")
    rights = ("SETUID", "SETGID", "CHOWN", "FOWNER", "DAC_OVERRIDE", "KILL", "SYS_ADMIN")
    assert setting(name, "CapabilityBoundingSet") == [f"CAP_{one}" for one in rights]
    assert setting("flink-boost-requests-check.service", "CapabilityBoundingSet") == []
