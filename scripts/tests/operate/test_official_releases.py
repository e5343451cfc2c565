"""Whoever leaves a release with a fault is told so by every command that sees its jar."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    JAR,
    VERSION,
    flink_boost,
    former_dropin,
    new_home,
    official_classes,
    our_jars,
    problems,
    small_dist,
    texts,
)

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.operate.releases_to_leave import TO_LEAVE, notes_on_leaving

pytestmark = pytest.mark.needs_jars

Answer = Callable[..., dict[str, Any]]

TOLD = TO_LEAVE["0.1.0"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """An installation for commands that start nothing."""
    home = new_home(tmp_path / "flink")
    small_dist(home, "2.3.0", official_classes())
    return home


def test_the_page_has_the_section_that_is_named() -> None:
    page = (PROJECT_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for version, told in TO_LEAVE.items():
        assert f'"Jobs that ran on {version}" in CHANGELOG.md' in told
        assert f"\n### Jobs that ran on {version}\n" in page


def test_the_release_at_hand_is_none_to_leave() -> None:
    assert notes_on_leaving([VERSION]) == ()
    assert notes_on_leaving(["0.1.0", VERSION, "0.1.0"]) == (
        f"The jar was of flink-boost 0.1.0. {TOLD}",
    )


def test_install_and_uninstall_tell_it(small: Path, answer: Answer) -> None:
    former_dropin(small / "lib", "0.1.0")
    found = answer("install", small)
    assert found["action"] == "replaced"
    assert found["notes"] == [f"The jar was of flink-boost 0.1.0. {TOLD}"]
    assert our_jars(small) == [JAR]
    assert answer("uninstall", small)["notes"] == []

    former_dropin(small / "lib", "0.1.0")
    found = answer("uninstall", small)
    assert found["action"] == "removed"
    assert found["notes"] == [f"The jar was of flink-boost 0.1.0. {TOLD}"]

    former_dropin(small / "lib", "0.0.9")
    assert answer("install", small)["notes"] == []


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(("version", "times"), [("0.1.0", 1), ("0.0.9", 0)])
def test_people_read_it_too(
    command: str, version: str, times: int, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    former_dropin(small / "lib", version)
    assert flink_boost(command, small) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines().count(f"The jar was of flink-boost 0.1.0. {TOLD}") == times
    assert "\n\n" not in printed


def test_doctor_warns_of_it(home: Path, answer: Answer) -> None:
    jar = former_dropin(home / "lib", "0.1.0")
    found = answer("doctor", home)
    assert problems(found) == []
    (warning,) = [f for f in found["findings"] if "a release to leave" in f["text"]]
    assert warning["text"].startswith(f"{jar.name} has the classes of flink-boost 0.1.0,")
    assert (warning["level"], warning["next_step"]) == ("warning", TOLD)

    assert answer("install", home)["action"] == "replaced"
    assert not any("a release to leave" in text for text in texts(answer("doctor", home)))
