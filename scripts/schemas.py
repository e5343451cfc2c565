"""Writes docs/schema/ anew, from the models: `.venv/bin/python scripts/schemas.py`."""

from __future__ import annotations

from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.schema import schemas

if __name__ == "__main__":
    folder = PROJECT_ROOT / "docs" / "schema"
    make_folder(folder)
    for name, text in schemas().items():
        write_durably(folder / name, text)
