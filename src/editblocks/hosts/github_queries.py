"""The GraphQL strings of `hosts/github.py`: constants, everything that varies is a variable."""

from __future__ import annotations

_WHO = "__typename login ... on Bot { databaseId } ... on User { databaseId }"
_REVIEWS = (
    "pageInfo { hasPreviousPage startCursor } "
    f"nodes {{ fullDatabaseId body viewerDidAuthor createdAt author {{ {_WHO} }} editor {{ {_WHO} }} }}"
)
_PULL_REQUEST = "state isInMergeQueue baseRefName headRefOid"
_TIP = "target { oid ... on Commit { tree { oid } } }"

_COMMENT = "node(id: $source) { ... on IssueComment { createdViaEmail } } "

CONTEXT = (
    "query Context($owner: String!, $name: String!, $number: Int!, $source: ID!) { "
    f"viewer {{ login databaseId }} {_COMMENT}"
    "repository(owner: $owner, name: $name) { "
    "id databaseId defaultBranchRef { name } "
    f"pullRequest(number: $number) {{ {_PULL_REQUEST} "
    "headRefName isCrossRepository headRepository { databaseId nameWithOwner } "
    f"headRef {{ refUpdateRule {{ pattern }} {_TIP} }} "
    "commits(last: 50) { nodes { commit { oid message tree { oid } author { email } "
    "parents(first: 1) { nodes { oid tree { oid } } } signature { isValid wasSignedByGitHub } } } } "
    f"reviews(last: 50) {{ {_REVIEWS} }} "
    "} } }"
)

# A node that is gone is an error of the whole query.
CONTEXT_ALONE = CONTEXT.replace(_COMMENT, "").replace(", $source: ID!", "")

LIVE = (
    "query Live($owner: String!, $name: String!, $number: Int!, $source: ID!) { "
    "node(id: $source) { ... on IssueComment { body createdViaEmail } } "
    "repository(owner: $owner, name: $name) { "
    f"databaseId pullRequest(number: $number) {{ {_PULL_REQUEST} "
    f"headRef {{ {_TIP} }} commits(last: 1) {{ nodes {{ commit {{ oid tree {{ oid }} }} }} }} "
    "} } }"
)

REVIEWS = (
    "query Reviews($owner: String!, $name: String!, $number: Int!, $before: String) { "
    "viewer { login databaseId } repository(owner: $owner, name: $name) { pullRequest(number: $number) { "
    f"reviews(last: 50, before: $before) {{ {_REVIEWS} }} "
    "} } }"
)

# What an Enterprise server may not know yet, and what asks for the same there: nothing, or a field under its new name.
_NEWER = {
    " isInMergeQueue": "",
    " viewerDidAuthor": "",
    " fullDatabaseId": " fullDatabaseId: databaseId",
}


def for_older_server(query: str) -> str:
    """The same query without what the server's schema may lack; readers of the answer do without it."""
    for field, instead in _NEWER.items():
        query = query.replace(field, instead)
    return query
