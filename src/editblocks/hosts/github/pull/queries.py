"""The GraphQL queries of `hosts/github/`. All are constants: what varies is passed as a query variable."""

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
_COMMENT = "node(id: $source) { ... on Comment { createdViaEmail } }"
_ABOUT_PULL = (
    f"{_PULL_REQUEST} baseRef {{ target {{ {_POLICY} }} }} "
    "headRefName isCrossRepository headRepository { databaseId nameWithOwner } "
    f"headRef {{ refUpdateRule {{ pattern }} {_TIP} }} "
    f"commits(last: 50) {{ nodes {{ commit {{ {_COMMIT} }} }} }} "
    f"reviews(last: 50) {{ {_REVIEWS} }} {_THREADS}"
)
_ABOUT_NOW = (
    f"{_PULL_REQUEST} headRef {{ {_TIP} }} commits(last: 1) {{ nodes {{ commit {{ oid tree {{ oid }} }} }} }} "
    f"reviews(last: 50) {{ {_REVIEWS} }} {_THREADS}"
)


def _query(name: str, fields: str, repository: str = "databaseId", more: str = "", node: str = "") -> str:
    """A query about the pull request; `node` asks for the comment, which fails the whole query if it is deleted."""
    variables = f"$owner: String!, $name: String!, $number: Int!{more}{', $source: ID!' if node else ''}"
    return (
        f"query {name}({variables}) {{ viewer {{ login databaseId }} {node} "
        f"repository(owner: $owner, name: $name) {{ {repository} pullRequest(number: $number) {{ {fields} }} }} }}"
    )


CONTEXT = _query("Context", _ABOUT_PULL, _REPOSITORY, node=_COMMENT)
CONTEXT_ALONE = _query("Context", _ABOUT_PULL, _REPOSITORY)
LIVE = _query("Live", _ABOUT_NOW, node=f"node(id: $source) {{ {_WORDS} }}")
LIVE_ALONE = _query("Live", _ABOUT_NOW)
REVIEWS = _query("Reviews", f"reviews(last: 50, before: $before) {{ {_REVIEWS} }}", more=", $before: String")
THREADS = _query("Threads", _THREADS)
WORDS = f"query Source($source: ID!) {{ node(id: $source) {{ {_WORDS} }} }}"

# After a push: the branch, and the open pull requests whose head it is.
BRANCH = (
    "query Branch($owner: String!, $name: String!, $ref: String!) { viewer { login databaseId } "
    f"repository(owner: $owner, name: $name) {{ {_REPOSITORY} "
    "ref(qualifiedName: $ref) { name refUpdateRule { pattern } "
    f"target {{ oid ... on Commit {{ tree {{ oid }} history(first: 50) {{ nodes {{ {_COMMIT} }} }} }} }} "
    "associatedPullRequests(states: OPEN, first: 5) { nodes { number headRefOid isCrossRepository } } "
    "} } }"
)
