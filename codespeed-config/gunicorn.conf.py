"""gunicorn's settings: ``gunicorn --config gunicorn.conf.py boost_dashboard.wsgi:application``.

``flink-boost serve`` uses it and adds the socket; for a service of its own add ``--bind``.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
from pathlib import Path
from typing import Any

proc_name = "flink-boost-dashboard"
worker_class = "boost_dashboard.server.worker.BufferingWorker"
# SQLite has one writer at a time; PostgreSQL is worth a second process.
on_postgresql = os.environ.get("DATABASE_URL") or os.environ.get("DATABASE_URL_FILE")
workers = int(os.environ.get("WEB_CONCURRENCY") or (2 if on_postgresql else 1))
timeout = 60
graceful_timeout = 10
preload_app = True  # a wrong setting ends the start at once, with its message
control_socket_disable = True  # it would be a file in the home folder
accesslog = None  # the worker writes a line per request
errorlog = "-"


def on_starting(_server: Any) -> None:
    """Writes who serves where, for ``flink-boost serve`` and ``stop``."""
    state = os.environ.get("FLINK_BOOST_STATE")
    if state:
        document = {
            "pid": os.getpid(),
            "url": os.environ["FLINK_BOOST_URL"],
            "instance": os.environ["FLINK_BOOST_INSTANCE"],
        }
        draft = Path(f"{state}.{os.getpid()}")
        draft.write_text(json.dumps(document), encoding="utf-8")
        draft.replace(state)


def when_ready(server: Any) -> None:
    """Ends the start when the embedded dashboard, with secrets of its own making, is reachable."""
    if os.environ.get("FLINK_BOOST_EMBEDDED") != "1":
        return
    exposed = [str(listener) for listener in server.LISTENERS if not _is_loopback(listener.sock)]
    if exposed:
        raise SystemExit(
            f"The embedded dashboard is for this machine only, but listens on {exposed[0]}. "
            "Bind it to 127.0.0.1, or run it without FLINK_BOOST_EMBEDDED and with secrets of "
            "your own."
        )


def _is_loopback(listener: socket.socket) -> bool:
    if listener.family == socket.AF_UNIX:
        return True
    return ipaddress.ip_address(listener.getsockname()[0]).is_loopback
