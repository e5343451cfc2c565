"""Who waits for the machine is seen by others, and goes first where that is the order."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flink_boost.base.errors import MachineBusy
from flink_boost.measure.machine_priority import (
    CONFIRMATION,
    NIGHTLY,
    REQUEST,
    announced,
    require_turn,
    who_waits,
)
from flink_boost.service.requests.eta import Blocked
from flink_boost.service.requests.serving import turn_of

pytestmark = pytest.mark.quiet

WAITS = """
import sys, time
from pathlib import Path
from flink_boost.measure.machine_priority import announced
with announced(Path(sys.argv[1]), sys.argv[2]):
    print("waits", flush=True)
    time.sleep(60)
"""
NOW = datetime(2026, 3, 2, 0, 45, tzinfo=UTC)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "shared" / "measuring.lock"


def test_who_waits_is_seen_until_the_end(lock: Path) -> None:
    assert who_waits(lock) == frozenset()
    with announced(lock, NIGHTLY):
        assert who_waits(lock) == {NIGHTLY}
    assert who_waits(lock) == frozenset()


def test_one_that_was_killed_waits_no_more(lock: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(lock), NIGHTLY], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"waits\n"
    assert who_waits(lock) == {NIGHTLY}
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()

    assert who_waits(lock) == frozenset()


def test_a_request_lets_a_night_go_first(lock: Path) -> None:
    with announced(lock, NIGHTLY), pytest.raises(MachineBusy, match="nightly waits"):
        require_turn(lock, REQUEST)


def test_the_order_is_what_it_is_told(lock: Path) -> None:
    with announced(lock, NIGHTLY), announced(lock, CONFIRMATION):
        require_turn(lock, REQUEST, (REQUEST, NIGHTLY, CONFIRMATION))
        with pytest.raises(MachineBusy):
            require_turn(lock, CONFIRMATION)
    with announced(lock, REQUEST):
        require_turn(lock, NIGHTLY)


def test_none_is_begun_that_would_last_into_a_night(lock: Path) -> None:
    night = Blocked(NOW + timedelta(minutes=15), timedelta(hours=2), timedelta(hours=5))
    order = (NIGHTLY, CONFIRMATION, REQUEST)

    with (
        pytest.raises(MachineBusy, match="01:00"),
        turn_of(lock, order, lambda: [night], lambda: NOW, 1800),
    ):
        pass
    with turn_of(lock, order, lambda: [night], lambda: NOW, 600):
        assert who_waits(lock) == frozenset()
