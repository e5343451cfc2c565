"""Where packages come from on this machine: what pip's files and variables say, without pip."""

from __future__ import annotations

import configparser
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem

_SECTIONS = ("global", "install", "download")
_FALSE = ("", "0", "no", "off", "false")


@dataclass(frozen=True)
class PipSettings:
    """What pip would use. Addresses may hold a password: they are passed on, never printed.

    ``index_url`` is None where nothing is configured: then each program has its own default.
    """

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    cert: str | None = None
    proxy: str | None = None
    timeout: float | None = None
    trusted_hosts: tuple[str, ...] = ()

    def for_uv(self) -> dict[str, str]:
        """The variables that make uv use the same; ``no_index`` is an option of its."""
        found = {
            "UV_DEFAULT_INDEX": self.index_url,
            "UV_INDEX": " ".join(self.extra_index_urls),
            # As pip does it. Only a file with the expected hash is ever taken.
            "UV_INDEX_STRATEGY": "unsafe-best-match" if self.extra_index_urls else None,
            "UV_FIND_LINKS": ",".join(self.find_links),
            "UV_INSECURE_HOST": " ".join(self.trusted_hosts),
            "UV_HTTP_TIMEOUT": None if self.timeout is None else f"{self.timeout:.0f}",
            "SSL_CERT_FILE": self.cert,
            "ALL_PROXY": self.proxy,
            "HTTP_PROXY": self.proxy,
            "HTTPS_PROXY": self.proxy,
        }
        return {name: value for name, value in found.items() if value}


def read_pip_settings(environment: Mapping[str, str] = os.environ) -> PipSettings:
    """Reads pip's configuration files and its variables; what is said later wins, as with pip.

    Raises ``EnvironmentProblem`` for a file that is no configuration, or a timeout that is no time.
    """
    values: dict[str, str] = {}
    for file in _files(environment):
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError, PermissionError) as error:
            # Not the error's own words: they quote the file, which may hold a password.
            raise EnvironmentProblem(
                f"pip's settings in {file} cannot be read ({type(error).__name__}).",
                "Correct the file; `pip config debug` says more.",
            ) from None
        for section in _SECTIONS:
            if parser.has_section(section):
                values |= {_key(name): value for name, value in parser.items(section)}
    for name, value in environment.items():
        if name.startswith("PIP_") and value:
            values[_key(name.removeprefix("PIP_"))] = value
    timeout = values.get("timeout") or values.get("default-timeout") or ""
    return PipSettings(
        index_url=values.get("index-url") or None,
        extra_index_urls=tuple(values.get("extra-index-url", "").split()),
        find_links=tuple(values.get("find-links", "").split()),
        no_index=values.get("no-index", "").lower() not in _FALSE,
        cert=values.get("cert") or None,
        proxy=values.get("proxy") or None,
        timeout=_seconds(timeout) if timeout else None,
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
    )


def _seconds(text: str) -> float:
    if re.fullmatch(r"\d{1,6}(\.\d*)?", text.strip()) and float(text) > 0:
        return float(text)
    raise EnvironmentProblem(
        f"pip's timeout is {text!r}.",
        "Set PIP_TIMEOUT, or timeout in pip.conf, to a number of seconds.",
    )


def without_passwords(text: str) -> str:
    """The text with ``user:password@`` taken out of all addresses in it."""
    return re.sub(r"(?<=//)[^/\s@]*@", "***@", text)


def _files(environment: Mapping[str, str]) -> list[Path]:
    named = environment.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return []
    home = Path(environment.get("HOME") or Path.home())
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    places = [
        Path(each) / "pip" for each in environment.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":")
    ]
    folders = [*places, Path("/etc"), home / ".pip", config / "pip", Path(sys.prefix)]
    return [folder / "pip.conf" for folder in folders] + ([Path(named)] if named else [])


def _key(name: str) -> str:
    return name.lower().replace("_", "-")
