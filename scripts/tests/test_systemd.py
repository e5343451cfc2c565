"""The systemd units, by systemd's own judgement; and what they have in common with the command."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.service.nightly.slots import DEFAULT_TIME

UNITS = PROJECT_ROOT / "scripts" / "systemd"
TREE = "/opt/flink-boost"
# Of ten; 1.9 is what they have. A service that may do everything has 9.6.
MOST_EXPOSED = "20"


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """Copies that lead to this tree: systemd looks whether what they start is there."""
    for unit in UNITS.iterdir():
        text = unit.read_text(encoding="utf-8").replace(TREE, str(PROJECT_ROOT))
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    return sorted(tmp_path.iterdir())


def analyse(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "--no-pager", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_systemd_takes_every_unit_without_a_word(units: list[Path]) -> None:
    assert len(units) == 4
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
            done = analyse("security", "--offline=yes", f"--threshold={MOST_EXPOSED}", unit)
            assert done.returncode == 0, done.stdout
            open_one = unit.with_name("open.service")
            shutil.copy(unit, open_one)
            bare = re.compile(r"^(?!\[|Type|ExecStart).*$", re.MULTILINE)
            kept = bare.sub("", open_one.read_text())
            open_one.write_text(kept)
            strict = analyse("security", "--offline=yes", f"--threshold={MOST_EXPOSED}", open_one)
            assert strict.returncode != 0, "the threshold does not bite"


def test_the_timer_starts_nights_when_the_command_expects_them() -> None:
    timer = (UNITS / "flink-boost-nightly.timer").read_text(encoding="utf-8")
    assert f"OnCalendar=*-*-* {DEFAULT_TIME}:00 UTC" in timer
    for unit in UNITS.glob("*.timer"):
        assert unit.with_suffix(".service").is_file(), unit.name
    for unit in UNITS.glob("*.service"):
        assert not re.search(r"TOKEN=(?!FILE)", unit.read_text(encoding="utf-8")), unit.name
