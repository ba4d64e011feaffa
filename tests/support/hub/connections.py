"""Pages of GraphQL lists (connections), and GraphQL errors with GitHub's `type`."""

import base64
from collections.abc import Sequence
from typing import Any

from graphql import GraphQLError

PAGE = 100
OLDEST_FIRST = {"field": "CREATED_AT", "direction": "ASC"}  # the schema's own default
ARGUMENTS = frozenset({"first", "last", "before", "after"})


class Refusal(GraphQLError):
    """A GraphQL error with GitHub's `type`, for example NOT_FOUND."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, extensions={"type": kind})


def connection(name: str, items: Sequence[Any], **page: Any) -> dict[str, Any]:
    """A page of a list: https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api

    Any argument that is not about pages raises `NotImplementedError`, because the hub must not ignore it.
    """
    if page.get("orderBy") == OLDEST_FIRST:
        del page["orderBy"]
    if unknown := set(page) - ARGUMENTS:
        raise NotImplementedError(f"{name}({', '.join(sorted(unknown))})")
    size = page.get("first") if page.get("first") is not None else page.get("last")
    if size is None:
        sentence = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise Refusal("MISSING_PAGINATION_BOUNDARIES", sentence)
    if not 0 <= size <= PAGE:
        sentence = f"Requesting {size} records on the `{name}` connection exceeds the `first` limit of {PAGE} records."
        raise Refusal("EXCESSIVE_PAGINATION", sentence)
    start = _position(page.get("after"), 0)
    stop = _position(page.get("before"), len(items) + 1) - (1 if page.get("before") else 0)
    stop = min(stop, len(items))
    start, stop = (start, min(stop, start + size)) if page.get("first") is not None else (max(start, stop - size), stop)
    nodes = list(items[start:stop])
    return {
        "nodes": nodes,
        "edges": [{"cursor": _cursor(start + at + 1), "node": node} for at, node in enumerate(nodes)],
        "totalCount": len(items),
        "pageInfo": {
            "hasNextPage": stop < len(items),
            "hasPreviousPage": start > 0,
            "startCursor": _cursor(start + 1) if nodes else None,
            "endCursor": _cursor(stop) if nodes else None,
        },
    }


def _cursor(number: int) -> str:
    return base64.b64encode(f"cursor:{number}".encode()).decode()


def _position(cursor: str | None, default: int) -> int:
    return int(base64.b64decode(cursor).split(b":")[1]) if cursor else default
