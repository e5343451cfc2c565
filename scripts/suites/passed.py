"""Remembers which suites passed, and on what inputs: ``build/test-reports/passed.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from flink_boost.base.files import write_durably


@dataclass
class Passed:
    """The digests of inputs on which suites passed last, by name; on disk after every change.

    A file that is damaged or missing remembers nothing: then all runs.
    """

    file: Path
    _digests: dict[str, str] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def read(cls, file: Path) -> Passed:
        """What earlier runs left there."""
        try:
            found = json.loads(file.read_bytes())
        except (FileNotFoundError, ValueError):
            found = {}
        digests = found if isinstance(found, dict) else {}
        return cls(file, {str(name): str(digest) for name, digest in digests.items()})

    def on(self, name: str, digest: str) -> bool:
        """Whether that suite passed on inputs with this digest."""
        return self._digests.get(name) == digest

    def forget(self, name: str) -> None:
        """To be called before a suite runs: a run that is cut off has not passed."""
        with self._lock:
            if self._digests.pop(name, None) is not None:
                self._write()

    def remember(self, name: str, digest: str) -> None:
        """The suite has passed on inputs with this digest."""
        with self._lock:
            self._digests[name] = digest
            self._write()

    def _write(self) -> None:
        write_durably(self.file, json.dumps(self._digests, indent=1, sort_keys=True))
