"""The same on PostgreSQL, and two workers at one queue."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT

pytestmark = pytest.mark.quiet

HERE = Path(__file__).parent
MANY = """
import sys
from datetime import datetime, timedelta, UTC
from pathlib import Path
import os
from flink_boost.service.requests.database import open_database
from flink_boost.service.requests.queue import RequestQueue
open_database(Path(sys.argv[1]), os.environ)
queue = RequestQueue("apache/flink-boost")
while (found := queue.take(sys.argv[2], datetime.now(UTC), timedelta(hours=1))) is not None:
    print(found.id, flush=True)
    from benchmark_requests.models import BenchmarkRequest
    BenchmarkRequest.objects.filter(key=found.id).update(state="done")
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    sys.path.append(str(PROJECT_ROOT / "codespeed-config" / "tests"))
    import postgresql

    with postgresql.running() as server:
        yield server.new_database("requests")


@pytest.mark.test_all
def test_everything_at_the_desk_holds_on_postgresql(url: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *map(str, sorted(HERE.glob("test_desk_*.py"))),
        ],
        cwd=HERE.parents[1],
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_request_is_taken_twice(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    if kind == "postgresql":
        environ["DATABASE_URL"] = request.getfixturevalue("url")
    environ["PYTHONPATH"] = f"{HERE.parent}{os.pathsep}{HERE.parents[1]}"
    fill = f"from requesting.fill import fill; fill({str(tmp_path)!r}, 40)"
    subprocess.run([sys.executable, "-c", fill], env=environ, timeout=120, check=True)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, str(tmp_path), f"worker-{number}"],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    taken = [key for worker in workers for key in worker.communicate(timeout=120)[0].split()]

    assert all(worker.returncode == 0 for worker in workers)
    assert len(taken) == len(set(taken)) == 40
