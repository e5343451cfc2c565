"""One way to read a query: every parameter is known, comes once and is what its field says.

Numbers are ASCII digits of a bounded range, since ``int()`` takes ``9_000``, ``+6000``, ``\u0661``
and numbers of any length. Names have no control characters, which PostgreSQL and XML refuse.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

LARGEST_ID = 2**31 - 1  # of PostgreSQL's integer columns
LONGEST_NAME = 100  # characters, of a benchmark or an environment

View = Callable[..., HttpResponse]


class BadParameter(Exception):
    """A parameter that is not what it should be; ``reason`` completes "The parameter <name> …"."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The parameter {name} {reason}.")
        self.name = name
        self.reason = reason


class Field(Protocol):
    """What one parameter may be."""

    @property
    def required(self) -> bool: ...

    def read(self, text: str) -> Any:
        """The value; raises ``ValueError`` with what the parameter should be."""


@dataclass(frozen=True)
class Number:
    """A whole number from ``least`` to ``most``; None where it is not given."""

    least: int = 1
    most: int = LARGEST_ID
    required: bool = False

    def read(self, text: str) -> int:
        digits = text.isascii() and text.isdecimal() and len(text) <= 10
        if not digits or not self.least <= int(text) <= self.most:
            raise ValueError(f"has to be a whole number from {self.least} to {self.most}")
        return int(text)


@dataclass(frozen=True)
class Numbers:
    """At most ``most`` numbers with commas between them; empty where none is given."""

    most: int = 100
    required: bool = False

    def read(self, text: str) -> tuple[int, ...]:
        parts = [part for part in text.split(",", self.most + 1) if part]
        if len(parts) > self.most:
            raise ValueError(f"may name {self.most} at most")
        try:
            return tuple(Number().read(part) for part in parts)
        except ValueError as error:
            raise ValueError("has to be whole numbers with commas between them") from error


@dataclass(frozen=True)
class Name:
    """Text of one line."""

    longest: int = LONGEST_NAME
    required: bool = False

    def read(self, text: str) -> str:
        if len(text) > self.longest:
            raise ValueError(f"may have {self.longest} characters at most")
        if not is_printable(text):
            raise ValueError("may have no control characters")
        if self.required and not text:
            raise ValueError("is empty")
        return text


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]
    required: bool = False

    def read(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"has to be one of {', '.join(self.words)}")
        return text


def is_printable(text: str) -> bool:
    """Whether there is nothing in it that a database or XML would refuse."""
    return not any(unicodedata.category(character) in ("Cc", "Cs") for character in text)


def read_query(query: QueryDict, schema: Mapping[str, Field]) -> dict[str, Any]:
    """The values by name, None or empty for what is not given. Raises ``BadParameter``."""
    for name in query:
        if name not in schema:
            shown = name[:LONGEST_NAME] if is_printable(name) else "with control characters"
            raise BadParameter(shown, f"is not known here; there are {', '.join(sorted(schema))}")
        if len(query.getlist(name)) > 1:
            raise BadParameter(name, "is given more than once")
    values = {}
    for name, field in schema.items():
        if name not in query:
            if field.required:
                raise BadParameter(name, "is missing")
            values[name] = () if isinstance(field, Numbers) else None
            continue
        try:
            values[name] = field.read(query[name])
        except ValueError as error:
            raise BadParameter(name, str(error)) from error
    return values


def page(schema: Mapping[str, Field]) -> Callable[[View], View]:
    """A view that gets the values as its second argument; a bad query is a page with status 400.

    What the path itself names comes by keyword.
    """

    def refuse(request: HttpRequest, error: BadParameter) -> HttpResponse:
        return render(request, "400.html", {"reason": str(error)}, status=400)

    return _checked(schema, refuse)


def for_programs(schema: Mapping[str, Field]) -> Callable[[View], View]:
    """Likewise, with a line of text as the answer to a bad query."""

    def refuse(_request: HttpRequest, error: BadParameter) -> HttpResponse:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")

    return _checked(schema, refuse)


def _checked(
    schema: Mapping[str, Field], refuse: Callable[[HttpRequest, BadParameter], HttpResponse]
) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **named: str) -> HttpResponse:
            try:
                return view(request, read_query(request.GET, schema), **named)
            except BadParameter as error:
                return refuse(request, error)

        return checked

    return decorate
