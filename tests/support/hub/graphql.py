"""GraphQL: the client's own query strings, executed against GitHub's official schema.

`views.py` builds the objects that a query reads. A field that is in the schema but not in the hub is a gap. Gaps fail
the test like a wrong answer: such a field must never be null without notice.
"""

from functools import cache
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_schema,
    execute_sync,
    parse,
    validate,
    visit,
)
from support.hub import oas
from support.hub.answers import Answer
from support.hub.views import Viewer

FIELDS = frozenset({"query", "variables", "operationName"})


@cache
def schema() -> GraphQLSchema:
    """GitHub's schema, built once per process (0.4 s)."""
    text = oas.GITHUB.joinpath("graphql-schema-stripped.graphql").read_text("utf-8")
    return build_schema(text, assume_valid_sdl=True, no_location=True)


def query_problems(text: str) -> list[str]:
    """The errors of a query or mutation string according to GitHub's schema."""
    return list(_problems(text))


@cache  # a client sends few different queries, many times
def _problems(text: str) -> tuple[str, ...]:
    document = _parsed(text)
    if isinstance(document, GraphQLError):
        return (document.message,)
    return tuple(error.message for error in validate(schema(), document))


@cache
def _parsed(text: str) -> DocumentNode | GraphQLError:
    try:
        return parse(text)
    except GraphQLError as error:
        return error


class Query:
    """One GraphQL request. `name` is like `query Context`; a query without a name is called by its first field."""

    def __init__(self, body: Any) -> None:
        self.body: dict[str, Any] = body if isinstance(body, dict) else {}
        self.problems: list[str] = []  # unknown request fields, and errors of the query according to the schema
        self.gaps: list[str] = []  # fields that are in the schema but not in the hub, and exceptions of the hub
        self.text = str(self.body.get("query", ""))
        parsed = _parsed(self.text)
        self.document = parsed if isinstance(parsed, DocumentNode) else DocumentNode(definitions=())
        self.name = _name(self.document)

    def answer(self, viewer: Viewer) -> Answer:
        """The response: 200 with `data` and with `errors` like GitHub's. Fills `problems` and `gaps`."""
        errors = _missing(self.document, viewer.world.missing_fields)
        if not errors:
            self.problems = self._check()
            errors = [{"message": problem} for problem in self.problems]
        if errors:
            return Answer(200, {"errors": errors})
        result = execute_sync(
            schema(),
            self.document,
            root_value=viewer.root(),
            variable_values=self.body.get("variables"),
            operation_name=self.body.get("operationName"),
            field_resolver=self._resolve,
        )
        body: dict[str, Any] = {"data": result.data}
        if result.errors:
            body["errors"] = [self._error(error) for error in result.errors]
        return Answer(200, body)

    def _check(self) -> list[str]:
        found = [f"unknown field {name!r}" for name in self.body if name not in FIELDS]
        return [*found, *query_problems(self.text)]

    def _resolve(self, source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        if info.field_name not in source:
            self.gaps.append(f"the hub has no {info.parent_type.name}.{info.field_name}")
            return None
        value = source[info.field_name]
        return value(**arguments) if callable(value) else value

    def _error(self, error: GraphQLError) -> dict[str, Any]:
        """`type` is next to `message`: https://docs.github.com/en/graphql/guides/forming-calls-with-graphql"""
        origin = error.original_error
        if origin is not None and not isinstance(origin, GraphQLError):
            self.gaps.append(f"{type(origin).__name__} at {error.path}: {origin}")
        shape = dict(error.formatted)
        extensions: Any = shape.pop("extensions", {})
        return {"type": extensions.get("type", "INTERNAL"), **shape}


def _name(document: DocumentNode) -> str:
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            first = node.selection_set.selections[0]
            field = first.name.value if isinstance(first, FieldNode) else ""
            return f"{node.operation.value} {node.name.value if node.name else field}"
    return "query ?"


class _Names(Visitor):
    """Collects (type, field) for every field that a document selects."""

    def __init__(self, info: TypeInfo) -> None:
        super().__init__()
        self.info = info
        self.found: list[tuple[str, str]] = []

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        parent = self.info.get_parent_type()
        self.found.append((parent.name if parent else "", node.name.value))


def _missing(document: DocumentNode, absent: set[str]) -> list[dict[str, Any]]:
    """The errors, worded like GitHub's, of a server whose schema lacks the fields in `absent`."""
    if not absent:
        return []
    info = TypeInfo(schema())
    names = _Names(info)
    visit(document, TypeInfoVisitor(info, names))
    return [
        {
            "path": ["query", field],
            "extensions": {"code": "undefinedField", "typeName": parent, "fieldName": field},
            "message": f"Field '{field}' doesn't exist on type '{parent}'",
        }
        for parent, field in names.found
        if f"{parent}.{field}" in absent
    ]
