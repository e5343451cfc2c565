"""Which version of the results store's files this flink-boost understands, and their JSON schema.

``run.json`` and ``summary.json`` carry one number, which grows whenever a field is added. Older
files stay readable: new fields have a default. Newer ones are refused, because what a run means may
hang on a field that is not known here, and they are never changed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from flink_boost.base.errors import NewerResults
from flink_boost.measure.model import RUN_SCHEMA, Frozen, RunInfo
from flink_boost.measure.summary import RunSummary

# We write it as the first field, so that a large file need not be read for it.
_FIRST_FIELD = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*(\d{1,9})\s*[,}]')
_HEAD_BYTES = 100

RUN_FILES = ("run.json", "summary.json")
_MODELS: dict[str, type[Frozen]] = {"run": RunInfo, "summary": RunSummary}


def refuse_newer(*paths: Path) -> None:
    """Raises ``NewerResults`` when a file has a newer version; says nothing of anything else."""
    for path in paths:
        _refuse(path)


def _refuse(path: Path) -> None:
    found = _version(path)
    if found is not None and found > RUN_SCHEMA:
        raise NewerResults(
            f"{path} was written by a newer flink-boost: it has schema version {found}, and this"
            f" one reads up to version {RUN_SCHEMA}.",
            "Update flink-boost; the run was left as it is.",
        )


def is_newer(path: Path) -> bool:
    """Whether a newer flink-boost wrote the file."""
    found = _version(path)
    return found is not None and found > RUN_SCHEMA


def schemas() -> dict[str, str]:
    """The published JSON schemas by file name, as text."""
    return {
        f"{name}-{RUN_SCHEMA}.json": json.dumps(_schema(name), indent=1, ensure_ascii=False) + "\n"
        for name in _MODELS
    }


def _schema(name: str) -> dict[str, Any]:
    document = _MODELS[name].model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{name}.json of a run, version {RUN_SCHEMA}; docs/results.md explains it",
        **document,
    }


def _version(path: Path) -> int | None:
    try:
        with path.open("rb") as file:
            if first := _FIRST_FIELD.match(file.read(_HEAD_BYTES)):
                return int(first[1])
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    version = content.get("schema_version") if isinstance(content, dict) else None
    return version if type(version) is int else None
