"""The GraphQL strings of `hosts/github/`: constants, everything that varies is a variable."""

from __future__ import annotations

_WHO = "__typename login ... on Bot { databaseId } ... on User { databaseId }"
_POST = f"id fullDatabaseId body viewerDidAuthor createdAt lastEditedAt author {{ {_WHO} }} editor {{ {_WHO} }}"
_REVIEWS = f"pageInfo {{ hasPreviousPage startCursor }} nodes {{ {_POST} }}"
_THREADS = (
    "reviewThreads(last: 30) { nodes { comments(last: 20) { "
    f"nodes {{ {_POST} replyTo {{ fullDatabaseId }} pullRequestReview {{ fullDatabaseId }} }} }} }} }}"
)
_PULL_REQUEST = "state isInMergeQueue baseRefName headRefOid"
_TIP = "target { oid ... on Commit { tree { oid } } }"
_FILE = "oid byteSize isBinary isTruncated text"
_POLICY = (
    f'... on Commit {{ file(path: ".editblocks.yml") {{ mode object {{ __typename ... on Blob {{ {_FILE} }} }} }} }}'
)
_REPOSITORY = f"id databaseId defaultBranchRef {{ name target {{ {_POLICY} }} }}"
_COMMIT = (
    "oid message committedDate tree { oid } author { email } "
    "parents(first: 1) { nodes { oid tree { oid } } } signature { isValid wasSignedByGitHub }"
)
_WORDS = (
    "... on Comment { __typename body createdViaEmail lastEditedAt } "
    "... on PullRequestReview { fullDatabaseId submittedAt commit { oid } comments(first: 100) { totalCount "
    "nodes { fullDatabaseId body path lastEditedAt createdViaEmail replyTo { id } } } }"
)
_COMMENT = "node(id: $source) { ... on Comment { createdViaEmail } } "

CONTEXT = (
    "query Context($owner: String!, $name: String!, $number: Int!, $source: ID!) { "
    f"viewer {{ login databaseId }} {_COMMENT}"
    f"repository(owner: $owner, name: $name) {{ {_REPOSITORY} "
    f"pullRequest(number: $number) {{ {_PULL_REQUEST} baseRef {{ target {{ {_POLICY} }} }} "
    "headRefName isCrossRepository headRepository { databaseId nameWithOwner } "
    f"headRef {{ refUpdateRule {{ pattern }} {_TIP} }} "
    f"commits(last: 50) {{ nodes {{ commit {{ {_COMMIT} }} }} }} "
    f"reviews(last: 50) {{ {_REVIEWS} }} "
    f"{_THREADS} "
    "} } }"
)

# A node that is gone is an error of the whole query.
CONTEXT_ALONE = CONTEXT.replace(_COMMENT, "").replace(", $source: ID!", "")

# After a push: the branch itself, and the pull requests that it is the head of.
BRANCH = (
    "query Branch($owner: String!, $name: String!, $ref: String!) { viewer { login databaseId } "
    f"repository(owner: $owner, name: $name) {{ {_REPOSITORY} "
    "ref(qualifiedName: $ref) { name refUpdateRule { pattern } "
    f"target {{ oid ... on Commit {{ tree {{ oid }} history(first: 50) {{ nodes {{ {_COMMIT} }} }} }} }} "
    "associatedPullRequests(states: OPEN, first: 5) { nodes { number headRefOid isCrossRepository } } "
    "} } }"
)

WORDS = f"query Source($source: ID!) {{ node(id: $source) {{ {_WORDS} }} }}"

LIVE = (
    "query Live($owner: String!, $name: String!, $number: Int!, $source: ID!) { viewer { login databaseId } "
    f"node(id: $source) {{ {_WORDS} }} "
    "repository(owner: $owner, name: $name) { "
    f"databaseId pullRequest(number: $number) {{ {_PULL_REQUEST} "
    f"headRef {{ {_TIP} }} commits(last: 1) {{ nodes {{ commit {{ oid tree {{ oid }} }} }} }} "
    f"reviews(last: 50) {{ {_REVIEWS} }} {_THREADS} "
    "} } }"
)

# The same for response files, which cannot be edited without moving the head.
LIVE_ALONE = LIVE.replace(f"node(id: $source) {{ {_WORDS} }} ", "").replace(", $source: ID!", "")

REVIEWS = (
    "query Reviews($owner: String!, $name: String!, $number: Int!, $before: String) { "
    "viewer { login databaseId } repository(owner: $owner, name: $name) { pullRequest(number: $number) { "
    f"reviews(last: 50, before: $before) {{ {_REVIEWS} }} "
    "} } }"
)

THREADS = (
    "query Threads($owner: String!, $name: String!, $number: Int!) { "
    "viewer { login databaseId } repository(owner: $owner, name: $name) { pullRequest(number: $number) { "
    f"{_THREADS} "
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
