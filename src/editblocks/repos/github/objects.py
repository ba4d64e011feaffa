"""Read the objects of a repository on GitHub and the files of its commits, and check them by their ids.

Objects are stored under the id computed from their bytes, never under the id that GitHub names. If GitHub sent wrong
bytes, nothing is found under the right id, and the object is fetched again.

All GraphQL queries of the action are here as well; their values are passed as variables.
"""

from base64 import b64decode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from github.GitBlob import GitBlob
from github.GitTree import GitTree
from github.Repository import Repository

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, Refused, RepoError, UnreadableFile
from editblocks.repos.github.client import GitHubApi, as_text
from editblocks.repos.tree_modes import (
    DIRECTORY,
    MAX_FILE_BYTES,
    TreeEntry,
    TreeListing,
    blob_id,
    components,
    file_mode,
    is_inside,
    prefixes,
    too_large,
    tree_id,
)

_ATTRIBUTES = ".gitattributes"
_OBJECTS_PER_QUERY = 100
_MAX_OBJECTS = 15 * _OBJECTS_PER_QUERY  # so that a run has enough requests to read all of them three times

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


class GitHubObjects:
    """The objects of a repository, cached once they are read."""

    def __init__(self, api: GitHubApi, repository: Repository) -> None:
        self._api = api
        self._repository = repository
        self._trees: dict[str, TreeListing] = {}
        self._blobs: dict[str, bytes] = {}
        self._sizes: dict[str, int] = {}

    def fetch(self, commit: str, tree: str, paths: Iterable[str]) -> None:
        """Load files of one commit. Raises what `fetch_all` raises, and `RepoError` if its root is not `tree`."""
        root = self.fetch_all({commit: paths})
        if root is not None and root != tree:
            reason = f"GitHub names two root folders for commit {commit[:7]}; nothing was written, run again"
            raise RepoError(reason)

    def fetch_all(self, paths: Mapping[str, Iterable[str]]) -> str | None:
        """Load files of several commits, 100 objects per request. Return the root of the first, if GitHub names one.

        Also loads the parent directories of the files, and the `.gitattributes` files of these. If a query fails, the
        missing objects are read by their ids later. Raises `Refused`, before anything is sent, if there are too many.
        """
        names = [f"{commit}:{path}" for commit, files in paths.items() for path in _with_parents(files)]
        if len(names) > _MAX_OBJECTS:
            most = f"the limit is {_MAX_OBJECTS:,}"
            reason = f"{len(names):,} files and folders must be read to find the paths, and {most}; send fewer at once"
            raise Refused(reason, ReasonCode.TOO_LARGE)
        owner, _, name = self._repository.full_name.partition("/")
        root: str | None = None
        with suppress(ApiError):
            for start in range(0, len(names), _OBJECTS_PER_QUERY):
                batch = names[start : start + _OBJECTS_PER_QUERY]
                variables = {f"e{number}": expression for number, expression in enumerate(batch)}
                variables |= {"owner": owner, "name": name}
                first_tree = self._api.query(objects(len(batch)), variables, "reading files", self._keep_all)
                if start == 0:
                    root = first_tree
        return root

    def listing(self, oid: str) -> TreeListing:
        """Return the entries of tree `oid`. Raises `RepoError` if they cannot be read or do not match the id."""
        if oid not in self._trees:
            listing = self._api.read("reading a directory", lambda: _rows(self._repository.get_git_tree(oid)))
            _check_id(oid, tree_id(listing))
            self._trees[oid] = listing
        return self._trees[oid]

    def blob(self, oid: str, path: str) -> bytes:
        """Return the bytes of blob `oid`, which is at `path`. Raises `UnreadableFile` if it is too large."""
        size = self._sizes.get(oid, 0)
        if size > MAX_FILE_BYTES:
            raise too_large(path, size, MAX_FILE_BYTES)
        if oid not in self._blobs:
            data = self._api.read("reading a file", lambda: _bytes(self._repository.get_git_blob(oid)))
            _check_id(oid, blob_id(data))
            self._keep(data)
        return self._blobs[oid]

    def _keep_all(self, data: Any) -> str | None:
        """Store the objects of a response. Return the id that GitHub names for `e0` if it is a directory, else None."""
        by_alias = {alias: thing for alias, thing in data["repository"].items() if thing}
        for thing in by_alias.values():
            if thing["__typename"] == "Tree":
                rows = thing["entries"]
                listing = {_name(row["nameRaw"]): TreeEntry(f"{row['mode']:06o}", row["oid"]) for row in rows}
                self._trees[tree_id(listing)] = listing
            elif thing["__typename"] == "Blob":
                self._sizes.setdefault(thing["oid"], int(thing["byteSize"]))
                if thing["text"] is not None and not thing["isTruncated"]:
                    self._keep(thing["text"].encode("utf-8", "surrogatepass"))
        first = by_alias.get("e0")
        if first and first["__typename"] == "Tree":
            return str(first["oid"])
        return None

    def _keep(self, data: bytes) -> None:
        oid = blob_id(data)
        self._blobs[oid] = data
        self._sizes[oid] = len(data)


class GitHubFiles:
    """The files of `commit`, whose root tree is `tree` according to GitHub."""

    def __init__(self, objects: GitHubObjects, commit: str, tree: str) -> None:
        self._objects = objects
        self.commit = commit
        self.tree = tree

    def prefetch(self, paths: Iterable[str]) -> None:
        self._objects.fetch(self.commit, self.tree, paths)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path`, or None. Raises `UnreadableFile` if something else is there."""
        entry = self.entry(path)
        if file_mode(path, self.mode_at) is None or entry is None:
            return None
        return self._objects.blob(entry.oid, path)

    def entries(self, directory: str) -> Mapping[str, str]:
        """Return the names in `directory` with git's modes."""
        if directory and not is_inside(directory):
            return {}
        entry = self.entry(directory)
        if entry is None or entry.mode != DIRECTORY:
            return {}
        return {name: row.mode for name, row in self._objects.listing(entry.oid).items()}

    def entry(self, path: str) -> TreeEntry | None:
        """Return the tree entry at `path` (empty: the root), or None. Raises `UnreadableFile` for an invalid path."""
        entry: TreeEntry | None = TreeEntry(DIRECTORY, self.tree)
        names = components(path) if path else ()
        for name in names:
            if entry is None or entry.mode != DIRECTORY:
                return None
            entry = self._objects.listing(entry.oid).get(name)
        return entry

    def mode_at(self, path: str) -> str | None:
        entry = self.entry(path)
        return entry and entry.mode


def _check_id(wanted: str, computed: str) -> None:
    if computed != wanted:
        raise RepoError(f"GitHub sent the wrong bytes for object {wanted[:12]}; nothing was written, run again")


def _name(raw: str) -> str:
    return b64decode(raw, validate=True).decode("utf-8", "surrogateescape")


def _rows(tree: GitTree) -> dict[str, TreeEntry]:
    if tree.truncated is not False:
        raise ValueError("a folder too large to be listed")
    return {as_text(row.path): TreeEntry(as_text(row.mode), as_text(row.sha)) for row in tree.tree}


def _bytes(blob: GitBlob) -> bytes:
    if blob.encoding != "base64":
        raise ValueError("not base64")
    return b64decode(blob.content)


def _with_parents(paths: Iterable[str]) -> list[str]:
    """Return the paths to load, without duplicates: files, their parent directories, and `.gitattributes` in these."""
    wanted = ["", _ATTRIBUTES]
    for path in paths:
        try:
            *parents, leaf = prefixes(path)
        except UnreadableFile:
            continue  # `read` raises the same error
        for parent in parents:
            wanted += (parent, f"{parent}/{_ATTRIBUTES}")
        wanted.append(leaf)
    return list(dict.fromkeys(wanted))


# queries


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
