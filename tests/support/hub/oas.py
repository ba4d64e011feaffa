"""GitHub's official OpenAPI description: checks requests and answers, and has the examples that answers start from.

Requests are checked more strictly than by the schema: a body or query field that is not described is an error, because
GitHub would silently ignore it. Everything here is loaded once per process.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from jsonschema_rs import Draft7Validator, Registry
from support.project import DATA

GITHUB = DATA / "github"
REPOSITORY = "/repos/{owner}/{repo}/"
# Fields that are null on GitHub although the description forbids it: once its fork is deleted, a head has no repository
# (https://github.com/github/rest-api-description/issues/161).
NULLABLE = (("pull-request", "head", "repo"),)
# Operations on `pulls/…` that are not in our subset of the description. That on `issues/…` has the same description:
# https://docs.github.com/en/rest/pulls/comments#delete-a-review-comment-for-a-pull-request,
# https://docs.github.com/en/rest/reactions/reactions#list-reactions-for-a-pull-request-review-comment and
# https://docs.github.com/en/rest/reactions/reactions#delete-a-pull-request-comment-reaction
TWINS = (
    ("delete", "comments/{comment_id}"),
    ("get", "comments/{comment_id}/reactions"),
    ("delete", "comments/{comment_id}/reactions/{reaction_id}"),
)
# Examples that are invalid by their own schema, and the fields that they lack.
PATCHES: Mapping[str, Mapping[str, Any]] = {
    "full-repository-default-response": {"language": None, "source": {"language": None}},
    "pull-request": {"requested_teams": [], "requested_reviewers": [], "assignees": [], "assignee": None},
}


# https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event is not in our subset either.
DISPATCH = f"{REPOSITORY}actions/workflows/{{workflow_id}}/dispatches"
DISPATCHES: Mapping[str, Any] = {
    "parameters": [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in ("owner", "repo", "workflow_id")
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"ref": {"type": "string"}, "inputs": {"type": "object"}},
                    "required": ["ref"],
                }
            }
        },
    },
    "responses": {"204": {"description": "Response"}, "422": {"$ref": "#/components/responses/validation_failed"}},
}


class Operation(NamedTuple):
    """One operation of the description. `name` is short: `POST git/trees`, `GET pulls/{pull_number}`."""

    name: str
    method: str
    template: str
    pattern: re.Pattern[str]
    query: Mapping[str, Any]
    has_body: bool
    needs_body: bool
    answers: frozenset[str]


@cache
def description() -> dict[str, Any]:
    """The subset of GitHub's OpenAPI document, with `TWINS` and `DISPATCHES` added."""
    loaded: dict[str, Any] = json.loads(GITHUB.joinpath("openapi-subset-with-examples.json").read_text("utf-8"))
    for method, path in TWINS:
        described = loaded["paths"][f"{REPOSITORY}issues/{path}"][method]
        loaded["paths"].setdefault(f"{REPOSITORY}pulls/{path}", {})[method] = described
    loaded["paths"][DISPATCH] = {"post": DISPATCHES}
    return loaded


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the subset."""
    paths = description()["paths"].items()
    return tuple(
        _operation(method.upper(), template, raw) for template, methods in paths for method, raw in methods.items()
    )


def find(method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation for a request, and its path parameters, decoded. None if there is no such operation."""
    for operation in operations():
        if operation.method == method and (hit := operation.pattern.fullmatch(path)):
            return operation, {name: unquote(value) for name, value in hit.groupdict().items()}
    return None


def request_problems(operation: Operation, query: Mapping[str, str], body: Any) -> list[str]:
    """The ways in which a request differs from the description."""
    problems = [f"unknown query parameter {name!r}" for name in query if name not in operation.query]
    for name, value in query.items():
        kind = operation.query.get(name, {}).get("type")
        if kind == "integer" and not value.isdigit():
            problems.append(f"query parameter {name!r} is not a number: {value!r}")
    if body is None:
        return [*problems, "no body"] if operation.needs_body else problems
    if not operation.has_body:
        return [*problems, "a body where none is described"]
    return [*problems, *_errors(_validator(operation, "requestBody/content/application~1json/schema"), body)]


def answer_problems(operation: Operation, status: int, body: Any) -> list[str]:
    """The ways in which an answer of the hub differs from the description."""
    where = _answer_schema(operation.method.lower(), operation.template, str(status))
    if where is None:
        if status < 400:
            return [] if body is None and str(status) in operation.answers else [f"status {status} is not described"]
        where = "#/components/schemas/basic-error"  # any operation may answer 401, 403, 404 or 5xx
    return _errors(_compiled(where), body)


@cache
def example_text(name: str) -> str:
    """An example from the description as JSON text, with `PATCHES` applied if it is invalid."""
    value = description()["components"]["examples"][name]["value"]
    return json.dumps(_merged(value, PATCHES[name]) if name in PATCHES else value)


def _merged(value: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    below = {key: _merged(value[key], new) if isinstance(new, dict) else new for key, new in patch.items()}
    return {**value, **below}


def webhook_problems(event: str, payload: Mapping[str, object]) -> list[str]:
    """The ways in which a payload differs from the official webhook schema."""
    name = f"{event}${payload.get('action', 'event')}"
    return _errors(_webhook(name), payload)


@cache
def webhook_example_text(event: str, action: str) -> str:
    """The official example payload of an event, as JSON text."""
    groups: list[dict[str, Any]] = json.loads(GITHUB.joinpath("webhook-examples-subset.json").read_text("utf-8"))
    examples = next(group["examples"] for group in groups if group["name"] == event)
    return json.dumps(next(value for value in examples if value.get("action", "event") == action))


def _operation(method: str, template: str, raw: Mapping[str, Any]) -> Operation:
    parameters = [_parameter(value) for value in raw.get("parameters", ())]
    pattern = re.escape(template).replace(r"\{", "{").replace(r"\}", "}")
    for value in parameters:
        if value["in"] == "path":
            number = value["schema"].get("type") == "integer"
            # Refs and paths may contain slashes.
            wide = value.get("x-multi-segment") or value["name"] in {"path", "ref", "basehead"}
            piece = r"\d+" if number else ".+" if wide else "[^/]+"
            pattern = pattern.replace(f"{{{value['name']}}}", f"(?P<{value['name']}>{piece})")
    return Operation(
        name=f"{method} {template.removeprefix(REPOSITORY).lstrip('/') or 'repository'}".replace(
            "repos/{owner}/{repo}", "repository"
        ),
        method=method,
        template=template,
        pattern=re.compile(pattern),
        query={value["name"]: value["schema"] for value in parameters if value["in"] == "query"},
        has_body="requestBody" in raw,
        needs_body=bool(raw.get("requestBody", {}).get("required")),
        answers=frozenset(raw["responses"]),
    )


def _parameter(value: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(value.get("$ref", "")).rpartition("/")[2]
    return description()["components"]["parameters"][name] if name else value


@cache
def _registry() -> Registry:
    plain = _plain({key: description()[key] for key in ("paths", "components")})
    for methods in plain["paths"].values():
        for raw in methods.values():
            if "requestBody" in raw:
                _close(raw["requestBody"])
    for name, *fields in NULLABLE:
        parent = plain["components"]["schemas"][name]
        for field in fields[:-1]:
            parent = parent["properties"][field]
        parent["properties"][fields[-1]] = {"anyOf": [parent["properties"][fields[-1]], {"type": "null"}]}
    hooks = json.loads(GITHUB.joinpath("webhook-schemas-subset.json").read_text("utf-8"))
    return Registry([("urn:rest", plain), ("urn:hooks", hooks)])


def _plain(node: Any) -> Any:
    """Convert OpenAPI 3.0 to JSON Schema: `nullable: true` becomes a union with null, and `oneOf` becomes `anyOf`.

    With `oneOf`, no 422 of `POST git/blobs` would be valid, because its two kinds overlap.
    """
    if isinstance(node, list):
        return [_plain(value) for value in node]
    if not isinstance(node, dict):
        return node
    rest = {{"oneOf": "anyOf"}.get(key, key): _plain(value) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [rest, {"type": "null"}]} if node.get("nullable") is True else rest


def _close(node: Any) -> None:
    """Change a schema, at any depth, so that it refuses fields that are not described."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            node.setdefault("additionalProperties", False)
        for value in node.values():
            _close(value)
    elif isinstance(node, list):
        for value in node:
            _close(value)


@cache
def _answer_schema(method: str, template: str, status: str) -> str | None:
    answer = description()["paths"][template][method]["responses"].get(status, {})
    if "$ref" in answer:
        name = answer["$ref"].rpartition("/")[2]
        answer, start = description()["components"]["responses"][name], f"#/components/responses/{name}"
    else:
        start = f"#/paths/{_pointer(template)}/{method}/responses/{status}"
    has_schema = "schema" in answer.get("content", {}).get("application/json", {})
    return f"{start}/content/application~1json/schema" if has_schema else None


def _validator(operation: Operation, below: str) -> Draft7Validator:
    return _compiled(f"#/paths/{_pointer(operation.template)}/{operation.method.lower()}/{below}")


@cache
def _compiled(fragment: str) -> Draft7Validator:
    return Draft7Validator({"$ref": f"urn:rest{fragment}"}, registry=_registry(), validate_formats=True)


@cache
def _webhook(name: str) -> Draft7Validator:
    return Draft7Validator(
        {"$ref": f"urn:hooks#/definitions/{quote(name)}"}, registry=_registry(), validate_formats=True
    )


def _pointer(part: str) -> str:
    return quote(part.replace("~", "~0").replace("/", "~1"), safe="~")


def _errors(validator: Draft7Validator, value: Any) -> list[str]:
    return [
        f"{'/'.join(str(part) for part in error.instance_path) or 'body'}: {error.message[:300]}"
        for error in validator.iter_errors(value)
    ]
