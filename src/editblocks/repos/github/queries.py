"""The GraphQL strings of `repos/github/`, and how older servers are asked. What varies travels as a variable."""

from __future__ import annotations

OBJECT = (
    "fragment thing on GitObject { __typename "
    "... on Tree { oid entries { nameRaw mode oid } } "
    "... on Blob { oid byteSize isBinary isTruncated text } }"
)

# https://docs.github.com/en/graphql/reference/mutations#updaterefs: moves all refs or none, and only
# from `beforeOid`, which a fast-forward PATCH does not promise.
UPDATE_REFS = (
    "mutation ($repo: ID!, $name: GitRefname!, $old: GitObjectID!, $new: GitObjectID!) { "
    "updateRefs(input: {repositoryId: $repo, refUpdates: "
    "[{name: $name, beforeOid: $old, afterOid: $new, force: false}]}) { clientMutationId } }"
)


def objects(count: int) -> str:
    """The query for `count` objects: variables `e0`, `e1`, … are `<commit>:<path>`, aliases are the same."""
    names = [f"e{number}" for number in range(count)]
    variables = " ".join(f"${name}: String!" for name in names)
    fields = " ".join(f"{name}: object(expression: ${name}) {{ ...thing }}" for name in names)
    return (
        f"query Objects($owner: String!, $name: String!, {variables}) "
        f"{{ repository(owner: $owner, name: $name) {{ {fields} }} }} {OBJECT}"
    )


# Fields that an Enterprise server may not know yet, and their replacements: nothing, or an older field as an alias.
_NEWER = {
    " isInMergeQueue": "",
    " viewerDidAuthor": "",
    " fullDatabaseId": " fullDatabaseId: databaseId",
}


def for_older_server(query: str) -> str:
    """Drop or replace the fields that an older server does not know; decoding works without them."""
    for field, instead in _NEWER.items():
        query = query.replace(field, instead)
    return query
