"""A folder on a full disk, or that may only be read: said before the start, and while it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from test_serve import environ_with_scripts

pytestmark = pytest.mark.quiet

MOUNT = 'mount -t tmpfs -o size="$1" none "$0" || exit 99; folder=$0; shift\n'
ON_FULL_DISK = f'{MOUNT} head -c 8m /dev/zero > "$folder/filling" 2>/dev/null; exec "$@"'
READ_ONLY = f'{MOUNT} mount -o remount,ro "$folder" || exit 98; exec "$@"'
FILLED_WHILE_IT_RUNS = f"""{MOUNT}
python=$1; shift
"$python" -m flink_boost.cli --build "$folder" serve --background --port 0 || exit 97
sleep 3
head -c 100m /dev/zero > "$folder/filling" 2>/dev/null
"$python" -c '
import json, pathlib, sys, urllib.error, urllib.request
url = json.loads(pathlib.Path(sys.argv[1]).read_text())["url"]
try:
    urllib.request.urlopen(url + "healthz", timeout=20)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
' "$folder/codespeed/state.json"
"$python" -m flink_boost.cli --build "$folder" stop
"""


def mounted(
    script: str, folder: Path, size: str, *command: str
) -> subprocess.CompletedProcess[str]:
    """Runs the script with a file system of that size on the folder."""
    folder.mkdir()
    return subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script),
            *(str(folder), size, *command),
        ],
        env=environ_with_scripts(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("background", [("--background",), ()], ids=["background", "foreground"])
@pytest.mark.parametrize(
    ("script", "size", "reason"),
    [
        (ON_FULL_DISK, "2m", "No space left on device"),
        (ON_FULL_DISK, "10m", "No space left on device"),
        (READ_ONLY, "10m", "Read-only file system"),
    ],
    ids=["full", "nearly-full", "read-only"],
)
def test_a_folder_that_cannot_be_written_is_said(
    tmp_path: Path, script: str, size: str, reason: str, background: tuple[str, ...]
) -> None:
    serve = (sys.executable, "-m", "flink_boost.cli", "--build", str(tmp_path / "disk"), "serve")

    done = mounted(script, tmp_path / "disk", size, *serve, "--port", "0", *background)

    assert done.returncode == 4, done.stderr
    assert f"cannot be written ({reason})" in done.stderr
    assert "Free some space or mend its permissions" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_disk_that_fills_up_makes_the_dashboard_unhealthy(tmp_path: Path) -> None:
    done = mounted(FILLED_WHILE_IT_RUNS, tmp_path / "disk", "64m", sys.executable)

    assert "503" in done.stdout, done.stdout + done.stderr
    assert "is full: free some space" in done.stdout
    assert "The dashboard has stopped." in done.stdout
