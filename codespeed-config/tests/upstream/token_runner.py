"""Runs Codespeed's own tests, unchanged, on today's Python and Django.

Three things that those tests rely on are gone; they are given back to the tests, not to the code
under test: a client that may write, a client that sends ``None`` as the text ``None``, and a dict
that may change while it is iterated over.
"""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.test import Client, SimpleTestCase
from django.test.runner import DiscoverRunner


class TokenClient(Client):
    """Sends our token with every request, and ``None`` as Django 1.11 did."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        token = settings.CONFIGURATION.token
        super().__init__(*args, HTTP_AUTHORIZATION=f"Bearer {token}", **kwargs)

    def post(self, path: str, data: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(data, dict):
            data = {key: "None" if value is None else value for key, value in data.items()}
        return super().post(path, data, *args, **kwargs)


class SnapshotDict(dict[str, Any]):
    """Iterates over the keys that it had at the start, as the tests expect of a dict."""

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.keys()))


class TokenRunner(DiscoverRunner):
    """Gives every test case that client, and those that change their data such dicts."""

    def setup_test_environment(self, **kwargs: Any) -> None:
        super().setup_test_environment(**kwargs)
        SimpleTestCase.client_class = TokenClient

    def build_suite(self, *args: Any, **kwargs: Any) -> unittest.TestSuite:
        suite = super().build_suite(*args, **kwargs)
        for case in {type(test) for test in suite}:
            case.setUp = _with_snapshot_dicts(case.setUp)
        return suite


def _with_snapshot_dicts(set_up: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(set_up)
    def wrapped(case: Any) -> None:
        set_up(case)
        data = getattr(case, "data", None)
        if isinstance(data, dict):
            case.data = SnapshotDict(data)
        elif isinstance(data, list):
            case.data = [SnapshotDict(item) for item in data]

    return wrapped
