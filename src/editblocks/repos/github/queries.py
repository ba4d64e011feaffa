"""All GraphQL queries. Values are passed as variables."""

from __future__ import annotations

_WHO = "__typename login ... on Bot { databaseId } ... on User { databaseId }"
_POST = f"id fullDatabaseId body viewerDidAuthor createdAt lastEditedAt author {{ {_WHO} }} editor {{ {_WHO} }}"
_REVIEWS = f"pageInfo {{ hasPreviousPage startCursor }} nodes {{ {_POST} }}"
_THREADS = (
    "reviewThreads(last: 30) { nodes { comments(last: 20) { "
    f"nodes {{ {_POST} replyTo {{ fullDatabaseId }} pullRequestReview {{ fullDatabaseId }} }} }} }} }}"
)
_BLOB = "... on Blob { oid byteSize isBinary isTruncated text }"
_POLICY = f'... on Commit {{ file(path: ".editblocks.yml") {{ mode object {{ __typename {_BLOB} }} }} }}'
_REPOSITORY = f"id databaseId nameWithOwner defaultBranchRef {{ name target {{ {_POLICY} }} }}"
_COMMIT = (
    "oid message committedDate tree { oid } author { email } "
    "parents(first: 1) { nodes { oid tree { oid } } } signature { isValid wasSignedByGitHub }"
)
_COMMENT_TEXT = (
    "... on Comment { __typename body bodyHTML createdViaEmail lastEditedAt } "
    "... on PullRequestReview { fullDatabaseId submittedAt commit { oid } comments(first: 100) { totalCount "
    "nodes { fullDatabaseId body bodyHTML path lastEditedAt createdViaEmail replyTo { id } "
    "subjectType originalCommit { oid } originalStartLine originalLine } } "
    # only threads have a side: https://docs.github.com/en/graphql/reference/objects#pullrequestreviewcomment
    "pullRequest { reviewThreads(last: 100) { nodes { "
    "diffSide startDiffSide comments(first: 1) { nodes { fullDatabaseId } } } } } }"
)
_PULL = (
    "state isInMergeQueue baseRefName headRefOid "
    f"baseRef {{ target {{ {_POLICY} }} }} "
    "headRefName isCrossRepository headRepository { databaseId nameWithOwner } "
    "headRef { refUpdateRule { pattern } target { oid ... on Commit { tree { oid } } } } "
    f"commits(last: 50) {{ nodes {{ commit {{ {_COMMIT} }} }} }} "
    f"reviews(last: 50) {{ {_REVIEWS} }} {_THREADS}"
)
_WHERE = "$owner: String!, $name: String!"


def pull_request(name: str, *, with_comment: bool = False) -> str:
    """Return the query for a pull request. With `with_comment` the whole query fails if the comment was deleted."""
    source = ""
    node = ""
    if with_comment:
        source = ", $source: ID!"
        node = f"node(id: $source) {{ {_COMMENT_TEXT} }} "
    return (
        f"query {name}({_WHERE}, $number: Int!{source}) {{ viewer {{ login databaseId }} {node}"
        f"repository(owner: $owner, name: $name) {{ {_REPOSITORY} pullRequest(number: $number) {{ {_PULL} }} }} }}"
    )


REVIEWS = (
    f"query Reviews({_WHERE}, $number: Int!, $before: String) {{ "
    "repository(owner: $owner, name: $name) { pullRequest(number: $number) { "
    f"reviews(last: 50, before: $before) {{ {_REVIEWS} }} }} }} }}"
)
COMMENT_TEXT = f"query Source($source: ID!) {{ node(id: $source) {{ {_COMMENT_TEXT} }} }}"

# Review threads, which may hold suggestions; the newest threads are on the first page.
SUGGESTIONS = (
    f"query Suggestions({_WHERE}, $number: Int!, $before: String) {{ "
    "repository(owner: $owner, name: $name) { pullRequest(number: $number) { "
    "reviewThreads(last: 50, before: $before) { pageInfo { hasPreviousPage startCursor } "
    "nodes { id isResolved diffSide startDiffSide "
    "comments(first: 20) { totalCount nodes { "
    "fullDatabaseId body bodyHTML path createdAt lastEditedAt createdViaEmail isMinimized "
    f"subjectType originalCommit {{ oid }} originalStartLine originalLine author {{ {_WHO} }} }} }} }} }} }} }} }}"
)

# Sent after a push. Asks for the branch, and the open pull requests that have it as head.
BRANCH = (
    f"query Branch({_WHERE}, $ref: String!) {{ viewer {{ login databaseId }} "
    f"repository(owner: $owner, name: $name) {{ {_REPOSITORY} "
    "ref(qualifiedName: $ref) { name refUpdateRule { pattern } "
    f"target {{ oid ... on Commit {{ tree {{ oid }} history(first: 50) {{ nodes {{ {_COMMIT} }} }} }} }} "
    "associatedPullRequests(states: OPEN, first: 5) { nodes { number headRefOid isCrossRepository } } "
    "} } }"
)

# https://docs.github.com/en/graphql/reference/mutations#updaterefs: moves all refs or none, and a ref only if it is
# still at `beforeOid`, which a PATCH without force does not check.
UPDATE_REFS = (
    "mutation ($repo: ID!, $name: GitRefname!, $old: GitObjectID!, $new: GitObjectID!) { "
    "updateRefs(input: {repositoryId: $repo, refUpdates: "
    "[{name: $name, beforeOid: $old, afterOid: $new, force: false}]}) { clientMutationId } }"
)

RESOLVE = "resolveReviewThread(input: {threadId: $%s})"
ANSWER = "addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $%s, body: $body})"


def in_threads(count: int, call: str, *variables: str) -> str:
    """Return a mutation that makes `call` in each of `count` review threads. Variables `t0`, `t1`, … hold their ids."""
    names = [f"t{number}" for number in range(count)]
    declared = ", ".join([*variables, *(f"${name}: ID!" for name in names)])
    fields = " ".join(f"{name}: {call % name} {{ clientMutationId }}" for name in names)
    return f"mutation ({declared}) {{ {fields} }}"


def objects(count: int) -> str:
    """Return the query for `count` objects. The aliases are `e0`, `e1`, …; variables of that name are `COMMIT:PATH`."""
    names = [f"e{number}" for number in range(count)]
    variables = " ".join(f"${name}: String!" for name in names)
    fields = " ".join(f"{name}: object(expression: ${name}) {{ ...thing }}" for name in names)
    return (
        f"query Objects({_WHERE}, {variables}) {{ repository(owner: $owner, name: $name) {{ {fields} }} }} "
        f"fragment thing on GitObject {{ __typename ... on Tree {{ oid entries {{ nameRaw mode oid }} }} {_BLOB} }}"
    )
