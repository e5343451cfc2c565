"""An installation without ``conf/``, as packages and mounted configurations leave it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import OFF, problems, set_options, texts

from flink_boost.base.errors import EnvironmentProblem

pytestmark = [
    pytest.mark.needs_jars,
    pytest.mark.usefixtures("fewer_strings"),
]

Answer = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("link", [False, True], ids=["no conf", "a link that leads nowhere"])
def test_the_configuration_is_read_from_where_the_scripts_read_it(
    link: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    set_options(home, **{"env_java_default-opts_all": OFF})
    (home / "conf").rename(tmp_path / "mounted")
    if link:
        (home / "conf").symlink_to(tmp_path / "not-there")
    monkeypatch.setenv("FLINK_CONF_DIR", str(tmp_path / "mounted"))

    client = [str(home / "bin" / "flink"), "--version"]
    assert subprocess.run(client, env=dict(os.environ), timeout=100, check=False).returncode == 0
    assert answer("install", home)["action"] == "installed"
    diagnosis, found = answer("doctor", home), answer("verify", home)

    assert problems(diagnosis) == []
    assert sum("is switched off" in text for text in texts(diagnosis)) == 3
    assert found["ok"], found
    assert any(c["detail"].startswith("Mode off: stock's code") for c in found["checks"])
    assert answer("uninstall", home)["action"] == "removed"


@pytest.mark.parametrize("lost", [True, False])
def test_where_flink_finds_no_configuration_its_own_words_are_told(
    lost: bool, home: Path, tmp_path: Path, answer: Answer
) -> None:
    if lost:
        (home / "conf").rename(tmp_path / "lost")
    else:
        (home / "conf" / "config.yaml").write_text("a: b: c")

    diagnosis = answer("doctor", home)

    assert diagnosis["exit_code"] == EnvironmentProblem.exit_code
    (problem,) = problems(diagnosis)
    words = f"there is no folder {home}/conf" if lost else "Exception"
    assert problem.startswith(f"{home}/bin/config.sh failed (")
    assert words in problem


@pytest.mark.test_all
def test_a_job_runs_with_the_configuration_from_elsewhere(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    (home / "conf").rename(tmp_path / "mounted")
    monkeypatch.setenv("FLINK_CONF_DIR", str(tmp_path / "mounted"))
    assert answer("install", home)["ok"]
    found = answer("verify", home, "--job")
    assert found["ok"], found
