"""Taking results in: Codespeed's two views, made safe to repeat and to fail.

A request is stored as a whole or not at all, and whatever is wrong with it is answered with 400,
the field and the reason. What a single result may hold is in ``incoming``; here is what it may say
beside those that are stored. The environment of a result (the box) is added on its first result,
unless the server accepts known ones only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from codespeed import views
from codespeed.models import Benchmark, Environment, Revision
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, QueryDict
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from boost_dashboard.incoming import (
    MOST_RESULTS,
    IncomingResult,
    RefusedResultError,
    is_complete,
    read_result,
)
from boost_dashboard.middleware import WRITER
from boost_dashboard.notes import RefusedNoteError, keep_note, read_note
from boost_dashboard.writers import Writer

Item = dict[str, Any]
View = Callable[[HttpRequest], HttpResponse]


class ForeignBranchError(Exception):
    """The token does not allow that branch; the message is a sentence for the sender."""


class BadResultError(Exception):
    """What was sent cannot be stored; the message is a sentence for the sender."""


@csrf_exempt
@require_POST
def add_result(request: HttpRequest) -> HttpResponse:
    """One result as form fields."""
    writer = request.META[WRITER]
    return _store(
        request, views.add_result, lambda: _as_form(_prepared(request.POST.dict(), writer))
    )


@csrf_exempt
@require_POST
def add_json_results(request: HttpRequest) -> HttpResponse:
    """A list of results as JSON in the form field ``json``; in ``run`` a note about their run."""
    writer = request.META[WRITER]
    note_text = request.POST.get("run")
    kept: list[Item] = []

    def prepare() -> QueryDict:
        kept.extend(_all_prepared(_items(request), writer))
        return _as_form({"json": json.dumps(kept)})

    def finish() -> None:
        note = read_note(note_text)
        if note is not None:
            keep_note(note, *_only_run(kept))

    return _store(request, views.add_json_results, prepare, finish)


def _store(
    request: HttpRequest,
    codespeed_view: View,
    prepare: Callable[[], QueryDict],
    finish: Callable[[], None] = lambda: None,
) -> HttpResponse:
    try:
        with transaction.atomic():
            request.POST = prepare()
            response = codespeed_view(request)
            if response.status_code >= 400:
                transaction.set_rollback(True)
            else:
                finish()
            return response
    except ForeignBranchError as error:
        return HttpResponse(f"{error}\n", status=422, content_type="text/plain; charset=utf-8")
    except (BadResultError, RefusedResultError, RefusedNoteError) as error:
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


def _require_own_project(project: str) -> None:
    # An executable of another project's would make Codespeed's pages fail on the name of ours.
    projects = settings.PROJECTS
    if projects is not None and project not in projects:
        raise RefusedResultError(f"project: is not {' or '.join(projects)}.")


def _require_one_branch(result: IncomingResult) -> None:
    """Codespeed finds a run by its commit id alone, so that may be in one branch only."""
    others = Revision.objects.filter(commitid=result.commitid).exclude(branch__name=result.branch)
    other = others.select_related("branch").first()
    if other is not None:
        raise RefusedResultError(
            f"branch: the commit id {result.commitid} is known in {other.branch.name}."
        )


def _require_same_meaning(result: IncomingResult, writer: Writer) -> None:
    """Codespeed keeps what the first result said of its benchmark; a later one may not differ.

    A writer that is bound to branches cannot be the first: what it said would hold for the nights.
    """
    known = Benchmark.objects.filter(name=result.benchmark).first()
    if known is None:
        if writer.branches is not None:
            raise RefusedResultError(
                f"benchmark: {result.benchmark!r} is not known, and the token of"
                f" {writer.name} cannot make it known: the token of all has to send it first."
            )
        return
    if result.lessisbetter not in (None, known.lessisbetter):
        raise RefusedResultError(
            f"lessisbetter: {known.name!r} is known with lessisbetter {known.lessisbetter}."
        )
    if result.units not in (None, known.units):
        raise RefusedResultError(f"units: {known.name!r} is known in {known.units!r}.")


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
    if len(items) > MOST_RESULTS:
        raise BadResultError(
            f"There are {len(items)} results in one request: send at most {MOST_RESULTS}."
        )
    return items


def _all_prepared(items: list[Item], writer: Writer) -> list[Item]:
    prepared = []
    for number, item in enumerate(items, 1):
        try:
            prepared.append(_prepared(item, writer))
        except RefusedResultError as error:
            raise BadResultError(f"Result {number}: {error}") from None
    return prepared


def _only_run(items: list[Item]) -> tuple[str, str]:
    """Commit id and branch that all of them share."""
    found = {(item["commitid"], item["branch"]) for item in items}
    if len(found) != 1:
        raise RefusedNoteError("run: is about one run, and the results are of several.")
    return found.pop()


def _prepared(item: Item, writer: Writer) -> Item:
    """The item as Codespeed can take it; its environment exists afterwards."""
    _require_own_branch(writer, item.get("branch"))
    if not is_complete(item):
        return item
    result = read_result(item)
    _require_own_project(result.project)
    _require_one_branch(result)
    _require_same_meaning(result, writer)
    _know_description(result, writer)
    if settings.CONFIGURATION.new_environments:
        Environment.objects.get_or_create(name=result.environment)
    return result.to_item()


def _know_description(result: IncomingResult, writer: Writer) -> None:
    # Codespeed takes a description with the first result only.
    if result.description is not None and writer.branches is None:
        known = Benchmark.objects.filter(name=result.benchmark)
        known.exclude(description=result.description).update(description=result.description)


def _as_form(fields: Item) -> QueryDict:
    form = QueryDict(mutable=True)
    for key, value in fields.items():
        form[key] = value
    return form


def _reasons(error: ValidationError) -> list[str]:
    if not hasattr(error, "error_dict"):
        return list(error.messages)
    return [f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items()]
