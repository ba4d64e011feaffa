"""The GraphQL strings of `hosts/github.py`: constants, everything that varies is a variable."""

from __future__ import annotations

_WHO = "__typename login ... on Bot { databaseId } ... on User { databaseId }"
_REVIEWS = (
    "pageInfo { hasPreviousPage startCursor } "
    f"nodes {{ databaseId body viewerDidAuthor createdAt author {{ {_WHO} }} editor {{ {_WHO} }} }}"
)
# The tip comes from the pull request's own commits: the head ref of a deleted fork is null.
_PULL_REQUEST = "state isInMergeQueue baseRefName headRefOid"

CONTEXT = (
    "query Context($owner: String!, $name: String!, $number: Int!) { "
    "viewer { login databaseId } "
    "repository(owner: $owner, name: $name) { "
    "id databaseId defaultBranchRef { name } "
    f"pullRequest(number: $number) {{ {_PULL_REQUEST} "
    "headRefName isCrossRepository headRepository { databaseId } headRef { refUpdateRule { pattern } } "
    "commits(last: 50) { nodes { commit { oid message tree { oid } author { email } "
    "parents(first: 1) { nodes { oid tree { oid } } } signature { isValid wasSignedByGitHub } } } } "
    f"reviews(last: 50) {{ {_REVIEWS} }} "
    "} } }"
)

LIVE = (
    "query Live($owner: String!, $name: String!, $number: Int!, $source: ID!) { "
    "node(id: $source) { ... on IssueComment { body lastEditedAt } } "
    "repository(owner: $owner, name: $name) { "
    f"databaseId pullRequest(number: $number) {{ {_PULL_REQUEST} "
    "commits(last: 1) { nodes { commit { oid tree { oid } } } } "
    "} } }"
)

REVIEWS = (
    "query Reviews($owner: String!, $name: String!, $number: Int!, $before: String) { "
    "repository(owner: $owner, name: $name) { pullRequest(number: $number) { "
    f"reviews(last: 50, before: $before) {{ {_REVIEWS} }} "
    "} } }"
)
