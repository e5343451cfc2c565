"""A JSON document at the door: who may send it, how large it may be, and what is wrong with it."""

from __future__ import annotations

from typing import TypeVar

from codespeed.models import Environment
from django.conf import settings
from django.http import HttpRequest
from pydantic import BaseModel, ValidationError

from boost_dashboard.incoming import RefusedParcelError
from boost_dashboard.middleware import WRITER
from flink_boost.measure.field_checks import TAKEN_IN

Model = TypeVar("Model", bound=BaseModel)


def body_for_all(request: HttpRequest, what: str, largest: int) -> bytes:
    """The body, if the token of all came with it. Raises ``RefusedParcelError``."""
    writer = request.META[WRITER]
    if writer.branches is not None:
        raise RefusedParcelError(f"The token of {writer.name} does not allow {what}.", 422)
    if len(request.body) > largest:
        raise RefusedParcelError("The document is too large.", 413)
    return request.body


def read_parcel(model: type[Model], body: bytes | str, within: str = "") -> Model:
    """Raises ``RefusedParcelError`` with field and reason; ``within`` names a form field."""
    try:
        return model.model_validate_json(body, context=TAKEN_IN)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = (within, *found["loc"]) if within else found["loc"]
        field = ".".join(ascii(part)[:40].strip("'") for part in place) or "document"
        reason = found["msg"].removeprefix("Value error, ")
        raise RefusedParcelError(f"{field}: {reason}.") from None


def box_named(name: str) -> Environment:
    """The box of that name, made if it may be. Raises ``RefusedParcelError``."""
    if settings.CONFIGURATION.new_environments:
        return Environment.objects.get_or_create(name=name)[0]
    box = Environment.objects.filter(name=name).first()
    if box is None:
        raise RefusedParcelError(f"box: {name} is not known, and no new box is taken.")
    return box
