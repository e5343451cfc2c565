"""A plugin of pytest for both test folders: the machine's certificates are read once a process.

``httpx.get`` reads them in each call, also where it asks our own servers without TLS: forty
milliseconds of a processor, thousands of times.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest


@pytest.fixture(autouse=True, scope="session")
def certificates_read_once() -> Iterator[None]:
    """As httpx reads them, once for each file and folder that the environment names."""

    @cache
    def once(_places: tuple[str | None, ...], verify: Any, cert: Any, trust_env: bool) -> Any:
        return httpx.create_ssl_context(verify=verify, cert=cert, trust_env=trust_env)

    def create(verify: Any = True, cert: Any = None, trust_env: bool = True) -> Any:
        places = tuple(os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
        return once(places, verify, cert, trust_env)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", create)
        yield
