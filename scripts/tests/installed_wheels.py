"""Wheels of what is installed in the environment that the tests run in."""

from __future__ import annotations

import importlib.metadata
import io
import zipfile


def wheel_of(name: str) -> tuple[str, bytes]:
    """Name and content of a wheel with what is installed of a package."""
    package = importlib.metadata.distribution(name)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        for file in package.files or ():
            left_out = file.suffix == ".pyc" or file.parts[0] == ".." or file.name == "REQUESTED"
            if not left_out and file.name not in ("INSTALLER", "uv_cache.json", "direct_url.json"):
                wheel.write(str(file.locate()), str(file))
    return f"{name}-{package.version}-py3-none-any.whl", content.getvalue()
