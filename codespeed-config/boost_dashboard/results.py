"""Taking results in: at Codespeed's two addresses, safe to repeat and to fail.

A request is stored as a whole or not at all, and whatever is wrong with it is answered with 400,
the field and the reason. What a single result may hold is in ``incoming``; here is what it may say
beside those that are stored. The environment of a result (the box) is added on its first result,
unless the server accepts known ones only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from codespeed.models import Benchmark, Environment, Revision
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from boost_dashboard.incoming import (
    MOST_RESULTS,
    IncomingResult,
    RefusedParcelError,
    is_complete,
    read_result,
)
from boost_dashboard.middleware import WRITER
from boost_dashboard.notes import keep_note, read_note
from boost_dashboard.storing import store
from boost_dashboard.writers import Writer

Item = dict[str, Any]


@csrf_exempt
@require_POST
def add_result(request: HttpRequest) -> HttpResponse:
    """One result as form fields."""
    writer = request.META[WRITER]
    return _store(
        lambda: _prepared([request.POST.dict()], writer, ""), "Result data saved successfully"
    )


@csrf_exempt
@require_POST
def add_json_results(request: HttpRequest) -> HttpResponse:
    """A list of results as JSON in the form field ``json``; in ``run`` a note about their run."""
    writer = request.META[WRITER]
    return _store(
        lambda: _prepared(_items(request), writer, "Result {}: "),
        "All result data saved successfully",
        request.POST.get("run"),
    )


def _store(
    prepare: Callable[[], list[Item]], done: str, note_text: str | None = None
) -> HttpResponse:
    try:
        with transaction.atomic():
            items = prepare()
            refusal = store(items)
            if refusal:
                transaction.set_rollback(True)
                return HttpResponseBadRequest(refusal)
            note = read_note(note_text)
            if note is not None:
                keep_note(note, *_only_run(items))
            return HttpResponse(done, status=202)
    except RefusedParcelError as error:
        return error.answer()
    except ValidationError as error:
        return RefusedParcelError(f"A result was refused: {'; '.join(_reasons(error))}").answer()
    except DataError:
        words = "A result was refused: a value does not fit the database."
        return RefusedParcelError(words).answer()
    except IntegrityError:
        # Two senders created the same row at the same moment; the second try finds it.
        words = "Somebody else stores the same results right now: send again."
        return RefusedParcelError(words, 503).answer({"Retry-After": "1"})


def _require_own_branch(writer: Writer, branch: object) -> None:
    if not writer.may_write(branch):
        allowed = ", ".join(sorted(writer.branches or ()))
        raise RefusedParcelError(
            f"The token of {writer.name} does not allow the branch {branch!r}, only: {allowed}.",
            422,
        )


def _require_own_project(project: str) -> None:
    # An executable of another project's would make Codespeed's pages fail on the name of ours.
    projects = settings.PROJECTS
    if projects is not None and project not in projects:
        raise RefusedParcelError(f"project: is not {' or '.join(projects)}.")


def _other_branch(commitid: str, branch: str) -> str:
    others = Revision.objects.filter(commitid=commitid).exclude(branch__name=branch)
    other = others.select_related("branch").first()
    return "" if other is None else str(other.branch.name)


def _require_one_branch(result: IncomingResult, other_branch: Callable[[str, str], str]) -> None:
    """Codespeed finds a run by its commit id alone, so that may be in one branch only."""
    other = other_branch(result.commitid, result.branch)
    if other:
        raise RefusedParcelError(f"branch: the commit id {result.commitid} is known in {other}.")


def _require_same_meaning(result: IncomingResult, writer: Writer, known: Benchmark | None) -> None:
    """Codespeed keeps what the first result said of its benchmark; a later one may not differ.

    A writer that is bound to branches cannot be the first: what it said would hold for the nights.
    """
    if known is None:
        if writer.branches is not None:
            raise RefusedParcelError(
                f"benchmark: {result.benchmark!r} is not known, and the token of"
                f" {writer.name} cannot make it known: the token of all has to send it first."
            )
        return
    if result.lessisbetter not in (None, known.lessisbetter):
        raise RefusedParcelError(
            f"lessisbetter: {known.name!r} is known with lessisbetter {known.lessisbetter}."
        )
    if result.units not in (None, known.units):
        raise RefusedParcelError(f"units: {known.name!r} is known in {known.units!r}.")


def _items(request: HttpRequest) -> list[Item]:
    text = request.POST.get("json")
    if not text:
        raise RefusedParcelError("There is no form field 'json' with a list of results.")
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedParcelError("The form field 'json' does not hold JSON.") from None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RefusedParcelError("The form field 'json' does not hold a list of results.")
    if len(items) > MOST_RESULTS:
        raise RefusedParcelError(
            f"There are {len(items)} results in one request: send at most {MOST_RESULTS}."
        )
    return items


def _only_run(items: list[Item]) -> tuple[str, str]:
    """Commit id and branch that all of them share."""
    found = {(item["commitid"], item["branch"]) for item in items}
    if len(found) != 1:
        raise RefusedParcelError("run: is about one run, and the results are of several.")
    return found.pop()


def _prepared(items: list[Item], writer: Writer, label: str) -> list[Item]:
    """The items as they can be stored; their environments exist afterwards.

    Raises for the first that is wrong; ``label`` is what to call it by its number.
    """
    read, wrong = _read(items, writer, label)
    results = [one for one in read if isinstance(one, IncomingResult)]
    benchmarks = _benchmarks(results)
    other_branch = cache(_other_branch)
    for number, result in enumerate(read, 1):
        if isinstance(result, IncomingResult):
            with _numbered(label, number):
                _require_one_branch(result, other_branch)
                _require_same_meaning(result, writer, benchmarks.get(result.benchmark))
    if wrong is not None:
        raise wrong
    if writer.branches is None:
        _know_descriptions(results, benchmarks)
    if settings.CONFIGURATION.new_environments:
        for name in dict.fromkeys(result.environment for result in results):
            Environment.objects.get_or_create(name=name)
    return [one.to_item() if isinstance(one, IncomingResult) else one for one in read]


def _read(
    items: list[Item], writer: Writer, label: str
) -> tuple[list[IncomingResult | Item], Exception | None]:
    """Those before the first that is wrong by itself, and what is wrong with that.

    One that is not complete stays as it is: Codespeed has the sentence for it.
    """
    read: list[IncomingResult | Item] = []
    try:
        for number, item in enumerate(items, 1):
            _require_own_branch(writer, item.get("branch"))
            with _numbered(label, number):
                result = read_result(item) if is_complete(item) else item
                if isinstance(result, IncomingResult):
                    _require_own_project(result.project)
            read.append(result)
    except RefusedParcelError as error:
        return read, error
    return read, None


@contextmanager
def _numbered(label: str, number: int) -> Iterator[None]:
    try:
        yield
    except RefusedParcelError as error:
        raise RefusedParcelError(f"{label.format(number)}{error}", error.status) from None


def _benchmarks(results: Sequence[IncomingResult]) -> dict[str, Benchmark]:
    """Those that are known, by their names."""
    names = list(dict.fromkeys(result.benchmark for result in results))
    known: dict[str, Benchmark] = Benchmark.objects.in_bulk(names, field_name="name")
    return known


def _know_descriptions(results: Sequence[IncomingResult], benchmarks: dict[str, Benchmark]) -> None:
    # Codespeed takes a description with the first result only.
    given = {result.benchmark: result.description for result in results if result.description}
    changed = []
    for name, description in given.items():
        known = benchmarks.get(name)
        if known is not None and known.description != description:
            known.description = description
            changed.append(known)
    Benchmark.objects.bulk_update(changed, ["description"])


def _reasons(error: ValidationError) -> list[str]:
    if not hasattr(error, "error_dict"):
        return list(error.messages)
    return [f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items()]
