"""Setting up ``.venv``: from an index, from the cache without one, after a kill, from wrong files.

The environments built here are small ones, from an index on loopback that holds packages of the
environment that the tests run in.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from installed_wheels import wheel_of

import frontend
import set_up
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT

WANTED = ("isodate", "setuptools", "wheel")
UV = next(
    iter(re.findall(r"^uv==(\S+)", set_up.Layout(PROJECT_ROOT).requirements("uv").read_text()))
)


class Quiet(SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Says nothing."""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """The folder of an index; ``add_file`` fills it."""
    folder = tmp_path / "index"
    folder.mkdir()
    return folder


@pytest.fixture
def server(index: Path) -> Iterator[ThreadingHTTPServer]:
    handler = functools.partial(Quiet, directory=str(index))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def url(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def project(tmp_path: Path, index: Path) -> Path:
    """A copy of the project that needs a few packages only, and has uv but nothing else."""
    root = tmp_path / "the project"
    ignored = shutil.ignore_patterns("tests", "__pycache__", ".*", "*.egg-info")
    shutil.copytree(PROJECT_ROOT / "scripts", root / "scripts", ignore=ignored)
    shutil.copy(PROJECT_ROOT / "lines.toml", root)
    description = root / "codespeed-config" / "codespeed-package"
    shutil.copytree(PROJECT_ROOT / "codespeed-config" / "codespeed-package", description)
    cache = root / ".cache"
    (cache / "downloads").mkdir(parents=True)
    for folder in (frontend.FOLDER, frontend.TESTS):
        shutil.copytree(PROJECT_ROOT / folder, root / folder)
    archives = [each.file for each in frontend.archives(PROJECT_ROOT, "dev")]
    downloads = [f"downloads/{file}" for file in ("codespeed-0.13.0.tar.gz", *archives)]
    for file in (f"uv-{UV}", *downloads):
        shutil.copy(PROJECT_ROOT / ".cache" / file, cache / file)
    pins = {name: add_file(index, name, *wheel_of(name)) for name in WANTED}
    layout = set_up.Layout(root)
    layout.requirements("dev").write_text("".join(pins.values()), encoding="utf-8")
    layout.requirements("build").write_text(pins["setuptools"], encoding="utf-8")
    return root


def add_file(index: Path, name: str, file: str, content: bytes) -> str:
    """Puts a file into the index; returns the line of a requirement file."""
    page = index / name / "index.html"
    page.parent.mkdir(exist_ok=True)
    (page.parent / file).write_bytes(content)
    links = (each.name for each in page.parent.iterdir() if each != page)
    page.write_text("".join(f'<a href="{link}">{link}</a>' for link in links), encoding="utf-8")
    version = file.removesuffix(".tar.gz").split("-")[1]
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(content).hexdigest()}\n"


def environ(url: str) -> dict[str, str]:
    """This process' environment with that index and no other."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PIP_", "UV_")) and not key.lower().endswith("_proxy")
    }
    return {**kept, "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": url, "PYTHON": sys.executable}


def run(root: Path, url: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(root / "scripts" / "bootstrap-venv")],
        env={**environ(url), **more},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def works(root: Path) -> bool:
    command = [
        str(root / ".venv" / "bin" / "python"),
        "-c",
        "import codespeed, flink_boost, isodate",
    ]
    done = subprocess.run(command, timeout=60, check=False, env=environ(""))
    return done.returncode == 0 and (root / ".venv" / "bin" / "flink-boost").exists()


def written(root: Path) -> dict[Path, int]:
    """When each file and folder of the environment was last written."""
    return {path: path.lstat().st_mtime_ns for path in (root / ".venv").rglob("*")}


def test_a_second_call_does_nothing_and_a_cache_needs_no_network(
    project: Path, url: str, server: ThreadingHTTPServer
) -> None:
    first = run(project, url)
    assert first.returncode == 0, first.stdout + first.stderr
    assert works(project)

    before = written(project)
    second = run(project, url)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert written(project) == before

    server.shutdown()
    server.server_close()
    shutil.rmtree(project / ".venv")
    third = run(project, url)
    assert third.returncode == 0, third.stdout + third.stderr
    assert works(project)


@pytest.mark.test_all
def test_a_killed_set_up_is_done_anew(project: Path, url: str) -> None:
    killed = subprocess.Popen(
        [str(project / "scripts" / "bootstrap-venv")],
        env=environ(url),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert killed.stdout is not None
    while "Installing" not in killed.stdout.readline():
        assert killed.poll() is None
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=30)
    assert not set_up.Layout(project).stamp.exists()

    assert run(project, url).returncode == 0
    assert works(project)


@pytest.mark.test_all
def test_two_at_once_end_with_one_environment(project: Path, url: str) -> None:
    both = [
        subprocess.Popen(
            [str(project / "scripts" / "bootstrap-venv")],
            env=environ(url),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    said = [each.communicate(timeout=200)[0] for each in both]

    assert [each.returncode for each in both] == [0, 0], said
    assert sum("Creating .venv" in each for each in said) == 1
    assert works(project)


@pytest.mark.test_all
def test_a_file_that_was_damaged_in_the_cache_is_never_kept(
    project: Path, url: str, server: ThreadingHTTPServer
) -> None:
    assert run(project, url).returncode == 0

    def damage() -> None:
        shutil.rmtree(project / ".venv")
        (file,) = (project / ".cache" / "uv").glob("archive-v*/*/isodate/isotime.py")
        file.write_bytes(file.read_bytes()[:-10])

    damage()
    mended = run(project, url)
    assert mended.returncode == 0
    assert "A file in the cache is damaged" in mended.stdout
    assert works(project)

    damage()
    server.shutdown()
    server.server_close()
    done = run(project, url)
    assert done.returncode == EnvironmentProblem.exit_code
    assert "The package index cannot be reached." in done.stderr
    assert "Traceback" not in done.stderr
    assert not set_up.Layout(project).stamp.exists()


def test_without_a_network_the_next_step_is_said(project: Path) -> None:
    done = run(project, "http://127.0.0.1:9/simple")
    assert done.returncode == EnvironmentProblem.exit_code
    assert "The package index cannot be reached." in done.stderr
    assert "PIP_INDEX_URL" in done.stderr
    assert not set_up.Layout(project).stamp.exists()


def with_zeros(file: Path) -> None:
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, file.read_text(encoding="utf-8"))
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("group", ["dev", "build"])
def test_another_checksum_is_refused(project: Path, url: str, group: str) -> None:
    """Of what is installed, and of what builds."""
    with_zeros(set_up.Layout(project).requirements(group))

    done = run(project, url)

    assert done.returncode == EnvironmentProblem.exit_code
    assert "another checksum than its requirement file says" in done.stderr
    assert not set_up.Layout(project).stamp.exists()


@pytest.mark.test_all
def test_another_uv_than_the_pinned_one_is_not_run(
    project: Path, url: str, index: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "ran"
    (project / ".cache" / f"uv-{UV}").unlink()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        info = f"uv-{UV}.dist-info"
        program = zipfile.ZipInfo(f"uv-{UV}.data/scripts/uv")
        program.external_attr = 0o100755 << 16
        wheel.writestr(program, f"#!/bin/sh\ntouch '{trace}'\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: uv\nVersion: {UV}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    pin = add_file(index, "uv", f"uv-{UV}-py3-none-any.whl", content.getvalue())

    done = run(project, url)
    assert done.returncode == EnvironmentProblem.exit_code
    assert "another checksum than its requirement file says" in done.stderr
    assert not trace.exists()

    # It would have run, had its hash been the pinned one.
    set_up.Layout(project).requirements("uv").write_text(pin, encoding="utf-8")
    run(project, url)
    assert trace.exists()


def test_the_set_up_script_of_a_package_is_not_run(
    project: Path, url: str, index: Path, tmp_path: Path
) -> None:
    """Not even of one with the expected hash: what is installed are wheels."""
    trace = tmp_path / "ran"
    script = f"open({str(trace)!r}, 'w').close()\nfrom setuptools import setup\nsetup()\n".encode()
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as package:
        member = tarfile.TarInfo("fake-1.0/setup.py")
        member.size = len(script)
        package.addfile(member, io.BytesIO(script))
    pin = add_file(index, "fake", "fake-1.0.tar.gz", content.getvalue())
    dev = set_up.Layout(project).requirements("dev")
    dev.write_text(dev.read_text(encoding="utf-8") + pin, encoding="utf-8")

    done = run(project, url)

    assert done.returncode == EnvironmentProblem.exit_code
    assert "fake" in done.stderr
    assert not trace.exists()


@pytest.mark.test_all
def test_a_password_of_the_index_is_neither_printed_nor_written(project: Path, url: str) -> None:
    done = run(project, url.replace("//", "//me:secret-word@"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "secret-word" not in done.stdout + done.stderr
    again = run(project, "http://me:secret-word@127.0.0.1:9", PYTHONDONTWRITEBYTECODE="1")
    assert again.returncode == 0
    with_zeros(set_up.Layout(project).requirements("dev"))
    failed = run(project, url.replace("//", "//me:secret-word@"))
    assert failed.returncode != 0
    assert "secret-word" not in failed.stdout + failed.stderr
    for file in (set_up.Layout(project).log, *(project / "scripts").rglob("*.*")):
        assert not file.is_file() or b"secret-word" not in file.read_bytes(), file


def test_a_machine_without_a_fitting_python_is_told_what_to_install() -> None:
    done = subprocess.run(
        [str(PROJECT_ROOT / "scripts" / "bootstrap-venv")],
        env={**environ(""), "PYTHON": "/bin/false"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == EnvironmentProblem.exit_code
    assert "needs Python 3.11, 3.12 or 3.13" in done.stderr
    assert "apt-get install python3.11-venv" in done.stderr
