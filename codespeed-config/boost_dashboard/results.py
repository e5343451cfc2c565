"""Taking results in: Codespeed's two views, made safe to repeat and to fail.

A request is stored as a whole or not at all, and whatever is wrong with it is answered with 400
and a sentence. Times may carry an offset; they are stored as UTC. The environment of a result (the
box) is added on its first result, unless the server accepts known ones only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from typing import Any

from codespeed import views
from codespeed.models import Benchmark, Environment
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, QueryDict
from django.utils.dateparse import parse_datetime
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from boost_dashboard.middleware import WRITER
from boost_dashboard.writers import Writer

Item = dict[str, Any]
View = Callable[[HttpRequest], HttpResponse]

DATE_KEYS = ("revision_date", "result_date")
NUMBER_KEYS = ("result_value", "std_dev", "min", "max", "q1", "q3")


class ForeignBranchError(Exception):
    """The token does not allow that branch; the message is a sentence for the sender."""


class BadResultError(Exception):
    """What was sent cannot be stored; the message is a sentence for the sender."""


@csrf_exempt
@require_POST
def add_result(request: HttpRequest) -> HttpResponse:
    """One result as form fields."""
    return _store(
        request, views.add_result, lambda: _as_form(_prepared(request.POST.dict(), request))
    )


@csrf_exempt
@require_POST
def add_json_results(request: HttpRequest) -> HttpResponse:
    """A list of results as JSON in the form field ``json``."""
    return _store(
        request,
        views.add_json_results,
        lambda: _as_form(
            {"json": json.dumps([_prepared(item, request) for item in _items(request)])}
        ),
    )


def _store(
    request: HttpRequest, codespeed_view: View, prepare: Callable[[], QueryDict]
) -> HttpResponse:
    try:
        with transaction.atomic():
            request.POST = prepare()
            response = codespeed_view(request)
            if response.status_code >= 400:
                transaction.set_rollback(True)
            return response
    except ForeignBranchError as error:
        return HttpResponse(f"{error}\n", status=422, content_type="text/plain; charset=utf-8")
    except BadResultError as error:
        return HttpResponseBadRequest(f"{error}\n", content_type="text/plain; charset=utf-8")
    except ValidationError as error:
        return HttpResponseBadRequest(
            f"A result was refused: {'; '.join(_reasons(error))}\n",
            content_type="text/plain; charset=utf-8",
        )
    except DataError:
        return HttpResponseBadRequest(
            "A result was refused: a value does not fit the database.\n",
            content_type="text/plain; charset=utf-8",
        )
    except IntegrityError:
        # Two senders created the same row at the same moment; the second try finds it.
        return HttpResponse(
            "Somebody else stores the same results right now: send again.\n",
            status=503,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": "1"},
        )


def _require_own_branch(writer: Writer, branch: object) -> None:
    if not writer.may_write(branch):
        allowed = ", ".join(sorted(writer.branches or ()))
        raise ForeignBranchError(
            f"The token of {writer.name} does not allow the branch {branch!r}, only: {allowed}."
        )


def _require_same_meaning(item: Item, writer: Writer) -> None:
    """Codespeed keeps what the first result said of its benchmark; a later one may not differ.

    A writer that is bound to branches cannot be the first: what it said would hold for the nights.
    """
    known = Benchmark.objects.filter(name=str(item.get("benchmark"))).first()
    if known is None:
        if writer.branches is not None:
            raise BadResultError(
                f"The benchmark {item.get('benchmark')!r} is not known, and the token of"
                f" {writer.name} cannot make it known: the token of all has to send it first."
            )
        return
    less = item.get("lessisbetter", known.lessisbetter)
    if str(less).lower() not in ("", str(known.lessisbetter).lower()):
        raise BadResultError(
            f"The benchmark {known.name!r} is known with lessisbetter {known.lessisbetter}."
        )
    if item.get("units", known.units) not in ("", known.units):
        raise BadResultError(f"The benchmark {known.name!r} is known in {known.units!r}.")


def _items(request: HttpRequest) -> list[Item]:
    text = request.POST.get("json")
    if not text:
        raise BadResultError("There is no form field 'json' with a list of results.")
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        raise BadResultError("The form field 'json' does not hold JSON.") from None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BadResultError("The form field 'json' does not hold a list of results.")
    return items


def _prepared(item: Item, request: HttpRequest) -> Item:
    """The item as Codespeed can take it; its environment exists afterwards."""
    item = dict(item)
    writer = request.META[WRITER]
    _require_own_branch(writer, item.get("branch"))
    _require_same_meaning(item, writer)
    for key in DATE_KEYS:
        if key in item:
            item[key] = _in_utc(key, item[key])
    for key in NUMBER_KEYS:
        _require_finite(key, item.get(key))
    _know_environment(item.get("environment"))
    return item


def _in_utc(key: str, text: Any) -> Any:
    """A naive time in UTC as text; what is no time is left to Codespeed's own checks."""
    try:
        moment = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        raise BadResultError(f"The value {text!r} of {key} is no time.") from None
    if moment is None or moment.tzinfo is None:
        return text
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ")


def _require_finite(key: str, value: Any) -> None:
    # JSON in Python knows NaN and Infinity, which would end every plot that they get into.
    try:
        number = float(value)
    except (TypeError, ValueError):
        return
    if number != number or number in (float("inf"), float("-inf")):
        raise BadResultError(f"The value {value!r} of {key} is no finite number.")


def _know_environment(name: Any) -> None:
    if settings.CONFIGURATION.new_environments and isinstance(name, str) and name.strip():
        longest = Environment._meta.get_field("name").max_length
        if len(name) > longest:
            raise BadResultError(f"The environment's name is longer than {longest} characters.")
        Environment.objects.get_or_create(name=name)


def _as_form(fields: Item) -> QueryDict:
    form = QueryDict(mutable=True)
    for key, value in fields.items():
        form[key] = value
    return form


def _reasons(error: ValidationError) -> list[str]:
    if not hasattr(error, "error_dict"):
        return list(error.messages)
    return [f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items()]
