"""GitHub's own OpenAPI description: what its answers look like, and its examples of them."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from typing import Any

from openapi_schema_validator import OAS30ReadValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

from flink_boost.base.places import PROJECT_ROOT

PACKAGES = PROJECT_ROOT / ".cache" / "frontend" / "@octokit"

_URN = "urn:github"
_PULL = "~1pulls~1{pull_number}/get/responses/200/content/application~1json/schema"
# By what an id of a repository is asked for after it was renamed; the description has no such path.
_BY_ID = re.compile(r"^/repositories/\d+")


@cache
def description() -> dict[str, Any]:
    """The whole document."""
    file = PACKAGES / "openapi" / "api.github.com.json"
    return json.loads(file.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def example(name: str) -> Any:
    """A copy of one of GitHub's examples."""
    return copy.deepcopy(description()["components"]["examples"][name]["value"])


@cache
def webhooks() -> dict[str, list[dict[str, Any]]]:
    """GitHub's examples of webhooks, by event."""
    file = PACKAGES / "webhooks-examples" / "index.json"
    return {e["name"]: e["examples"] for e in json.loads(file.read_text(encoding="utf-8"))}


def violations(method: str, path: str, status: int, body: Any) -> list[str]:
    """In what the answer to a call is not as GitHub describes it; a text is a proxy's page."""
    if isinstance(body, str):
        return [] if status >= 400 else [f"{method} {path}: a text with {status}"]
    template = _template(path)
    if template is None:
        return [f"{path}: GitHub has no such address"]
    operation = description()["paths"][template].get(method.lower())
    if operation is None:
        return [f"{method} {template}: GitHub has no such method"]
    response = operation["responses"].get(str(status))
    if response is None:
        return _of_any_call(method, template, status, body)
    where = f"{_URN}#/paths/{_pointer(template)}/{method.lower()}/responses/{status}"
    if "$ref" in response:
        where = _URN + response["$ref"]
        response = _at(response["$ref"])
    if "application/json" not in response.get("content", {}):
        return [] if body is None else [f"{method} {template} {status}: has no body"]
    schema = response["content"]["application/json"]["schema"]
    if "discriminator" in schema:  # JSON Schema alone would find that several fit
        choice = schema["discriminator"]
        return _held(_URN + choice["mapping"][body[choice["propertyName"]]], body)
    return _held(f"{where}/content/application~1json/schema", body)


def request_violations(method: str, path: str, query: dict[str, list[str]], body: Any) -> list[str]:
    """In what a call is not one that GitHub describes."""
    template = _template(path)
    operation = description()["paths"].get(template or "", {}).get(method.lower())
    if operation is None:
        return [f"{method} {path}: GitHub has no such call"]
    known = {}
    for one in operation.get("parameters", ()):
        parameter = _at(one["$ref"]) if "$ref" in one else one
        if parameter["in"] == "query":
            known[parameter["name"]] = parameter
    found = [f"{template}: no parameter {name}" for name in query if name not in known]
    for name, values in query.items():
        allowed = known.get(name, {}).get("schema", {}).get("enum")
        if len(values) != 1 or (allowed is not None and values[0] not in allowed):
            found.append(f"{template}: {name}={values}")
    if "requestBody" in operation:
        where = f"{_URN}#/paths/{_pointer(template or '')}/{method.lower()}/requestBody"
        found += _held(f"{where}/content/application~1json/schema", body)
    return found


def _of_any_call(method: str, template: str, status: int, body: Any) -> list[str]:
    """Statuses that every call may have, and the description does not repeat."""
    if status in (401, 403, 404, 410, 429) or status >= 500 or status in (301, 307):
        where = f"{_URN}#/components/schemas/basic-error"
        return _held(where, body)
    if status == 304 and body is None:
        return []
    return [f"{method} {template}: GitHub never answers {status}"]


def _held(where: str, body: Any) -> list[str]:
    if where.endswith(_PULL) and body.get("head", {}).get("repo", "") is None:
        body = copy.deepcopy(body)  # GitHub answers so for a deleted fork, and does not say it
        body["head"]["repo"] = body["base"]["repo"]
    validator = OAS30ReadValidator({"$ref": where}, registry=_registry())
    return [
        f"{where.rsplit('/paths/', 1)[-1]}: {error.json_path}: {error.message[:200]}"
        for error in validator.iter_errors(body)
    ]


@cache
def _registry() -> Any:
    resource = Resource.from_contents(description(), default_specification=DRAFT4)
    return Registry().with_resource(_URN, resource)


def _at(reference: str) -> Any:
    place: Any = description()
    for part in reference.removeprefix("#/").split("/"):
        place = place[part]
    return place


def _pointer(template: str) -> str:
    return template.replace("~", "~0").replace("/", "~1")


@cache
def _template(path: str) -> str | None:
    """The address of the description that a path is one of; literal parts go first."""
    path = _BY_ID.sub("/repos/owner/name", path)
    fitting = [
        template
        for template in description()["paths"]
        if re.fullmatch(re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template)), path)
    ]
    return min(fitting, key=lambda template: template.count("{"), default=None)
