"""A store for a branch on GitHub, without a checkout. It is read at one commit, and written by a commit on top of it.

Objects that are read are checked by their ids. The id of the new root tree is computed before anything is sent. The
branch moves by compare-and-swap from the commit that was read. Rules: docs/reference/action.md, "publishing".
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from github import InputGitTreeElement
from github.GitCommit import GitCommit
from github.GitTree import GitTree
from github.Repository import Repository

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import (
    ApiError,
    EditBlocksError,
    HeadMoved,
    Refused,
    RepoError,
    SelfCheckFailed,
    Trouble,
    Unresolved,
)
from editblocks.core.outcome import Origin
from editblocks.repos.github.client import PAUSES, GitHubApi, T, as_text, is_oid, oid
from editblocks.repos.github.objects import UPDATE_REFS, GitHubFiles, GitHubObjects
from editblocks.repos.tree_modes import (
    EXECUTABLE,
    FILE,
    SYMLINK,
    Contents,
    TreeEntry,
    entry_of,
    is_inside,
    planned_changes,
    tree_after,
)

INLINE_FILE_BYTES = 262_144  # larger files are uploaded as blobs first
INLINE_REQUEST_BYTES = 1_048_576

Modes = Mapping[str, "str | None"]


class Relation(NamedTuple):
    """The merge base of two commits, and the paths (old and new names) of up to 300 files that differ."""

    ancestor: str
    ancestor_tree: str
    paths: frozenset[str]


class GitHubBranch:
    """A branch on GitHub that is moved by compare-and-swap. `node_id` is the GraphQL id of the repository.

    If a request to move it fails, the ref is read to find out whether it moved; the text of the error is not used. A
    request may have taken effect despite a time-out, and the server may refuse one because another came first.
    """

    def __init__(self, api: GitHubApi, repository: Repository, node_id: str, name: str) -> None:
        self.api = api
        self.repository = repository
        self.name = name
        self._node_id = node_id
        self._is_lost = False  # whether a request that may have moved the branch got no clear response

    def move(self, old: str, new: str, confirm: Callable[[], None]) -> None:
        """Move the branch from `old` to `new`. `confirm` is called after every wait, and may raise.

        Raises `HeadMoved` if the branch is not at `old`, `Refused` if the server refuses, `Unresolved` if the result
        is unknown.
        """
        try:
            for pause in PAUSES:
                error = self._try(old, new)
                if error is None:
                    return
                self.api.wait(error.wait or pause)
                confirm()
            error = self._try(old, new)
            if error is not None:
                raise Unresolved(new, error.server_message)
        except EditBlocksError:
            # A request without a response may have moved the branch, and this is the last chance to find out.
            if not self._is_lost or not self._is_there(old, new):
                raise

    def _try(self, old: str, new: str) -> ApiError | None:
        """Try to move the branch once. Return None if it is at `new`, or an error after which a retry makes sense."""
        variables = {"repo": self._node_id, "name": f"refs/heads/{self.name}", "old": old, "new": new}
        try:
            self.api.mutate(UPDATE_REFS, variables, "moving the branch")
            return None
        except ApiError as caught:
            error = caught
        if error.trouble in {Trouble.RETRY, Trouble.BROKEN}:
            self._is_lost = True
        outdated = old if error.trouble is Trouble.CONFLICT else None
        now = self._now(outdated)
        if self._is_at(new, now):
            return None
        if now is None:
            raise Refused("the branch was deleted; push it again and send the blocks once more", ReasonCode.CLOSED)
        if now != old:
            raise HeadMoved(f"the branch is at {now[:7]} now; try again")
        if error.trouble is not Trouble.RETRY:
            raise Refused(error.message, ReasonCode.PUBLISH_FAILED) from error
        return error

    def _is_there(self, old: str, new: str) -> bool:
        try:
            return self._is_at(new, self._now(old))
        except RepoError as error:
            raise Unresolved(new) from error

    def _now(self, outdated: str | None) -> str | None:
        """Return the commit of the branch, or None if it was deleted. Read again if GitHub still shows `outdated`."""
        look = partial(self.api.find, "reading the branch", self._tip)
        return self.api.read_until(look, lambda tip: tip not in {outdated, None})

    def _tip(self) -> str:
        return as_text(self.repository.get_git_ref(f"heads/{self.name}").object.sha)

    def _is_at(self, commit: str, now: str | None) -> bool:
        """Whether `commit` is `now`, the tip of the branch, or an ancestor of it."""
        if now is None:
            return False
        if now == commit:
            return True
        found = self.api.find("comparing commits", lambda: relation(self.repository, commit, now))
        return found is not None and found.ancestor == commit


class GitHubRepo:
    """The files of a branch at one commit. `write` calls `confirm` after every wait, which may raise to stop it."""

    listings = 3  # each takes a request; see applying.files.Tree

    def __init__(
        self, branch: GitHubBranch, commit: str, tree: str, *, confirm: Callable[[], None] = lambda: None
    ) -> None:
        self._api = branch.api
        self.branch = branch
        self._confirm = confirm
        self._objects = GitHubObjects(branch.api, branch.repository)
        self._files = GitHubFiles(self._objects, commit, tree)
        self._paths_to_fetch: set[str] = set()
        self._earlier: dict[str, GitHubFiles] = {}  # commits whose needed files are loaded
        self._relations: dict[tuple[str, str], Relation] = {}

    @property
    def head(self) -> str:
        """The id of the commit that is read. After `write` it is the new commit."""
        return self._files.commit

    @property
    def tree(self) -> str:
        return self._files.tree

    def prefetch(self, paths: Iterable[str]) -> None:
        paths = list(paths)
        self._paths_to_fetch.update(paths)
        self._files.prefetch(paths)

    def read(self, path: str) -> bytes | None:
        return self._files.read(path)

    def entries(self, directory: str) -> Mapping[str, str]:
        return self._files.entries(directory)

    def ignored(self, _paths: Iterable[str]) -> Iterable[str]:
        return ()  # all files here are tracked

    def link_target(self, path: str) -> str | None:
        entry = self._files.entry(path)
        if entry is None or entry.mode != SYMLINK:
            return None
        return self._objects.blob(entry.oid, path).decode("utf-8", "surrogateescape")

    def oid(self, path: str) -> str | None:
        """Return the id of the object at `path` in the head, or None if there is none."""
        if not is_inside(path):
            return None
        entry = self._files.entry(path)
        return entry and entry.oid

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """Return a reader of an earlier commit (40 digits) or None. Loads the same paths there as for the head."""
        if commit not in self._earlier:
            files = self._files_of(commit)
            if files is None:
                return None
            if files is not self._files:
                files.prefetch(sorted(self._paths_to_fetch))
            self._earlier[commit] = files
        return self._earlier[commit].read

    def prefetch_ancestors(self, trees: Mapping[str, str], paths: Mapping[str, Iterable[str]]) -> None:
        """Load the files `paths` of ancestors of the head for `at`, all in a few requests. `trees` are their roots."""
        self._objects.fetch_all(paths)
        for commit in paths:
            self._earlier[commit] = GitHubFiles(self._objects, commit, trees[commit])

    def changed_paths(self, parent: str, commit: str, most: int) -> dict[str, str | None] | None:
        """Return the paths that `commit` changed, sorted, with their modes in `parent` (None: the file is new).

        Return None if `parent` or `commit` is not in the history of the head. Loads the files in both and in the head.
        GitHub lists the files, and the id of the tree proves that the list is complete. Raises `RepoError` if there are
        more than `most`, and `Refused` if anything but the bytes of regular files changed, which blocks never do.
        """
        before = self._files_of(parent)
        after = self._files_of(commit)
        if before is None or after is None:
            return None
        paths = sorted(filter(is_inside, self._compare(parent, commit).paths))
        if len(paths) > most:
            reason = f"commit {commit[:7]} changes more than {most} files; undo it with git revert"
            raise RepoError(reason, ReasonCode.TOO_LARGE)
        for files in dict.fromkeys((self._files, before, after)):
            files.prefetch(paths)
        old_entries: dict[str, TreeEntry | None] = {}
        for path in paths:
            old = before.entry(path)
            new = after.entry(path)
            if old == new:
                continue
            modes = {entry.mode for entry in (old, new) if entry is not None}
            if len(modes) > 1 or not modes <= {FILE, EXECUTABLE}:
                reason = f"commit {commit[:7]} changes more than the text of {path}; undo it with git revert"
                raise Refused(reason, ReasonCode.NOT_A_FILE)
            old_entries[path] = old
        if tree_after(self._objects.listing, after.tree, old_entries) != before.tree:
            raise RepoError(f"GitHub does not name all files of commit {commit[:7]}; undo it with git revert")
        self._earlier[parent] = before
        self._earlier[commit] = after
        return {path: entry and entry.mode for path, entry in old_entries.items()}

    def _files_of(self, commit: str) -> GitHubFiles | None:
        """Return the files of `commit` if it is the head or an ancestor, else None: it may be an object of a fork."""
        if commit == self._files.commit:
            return self._files
        if not is_oid(commit):
            return None
        try:
            found = self._compare(commit, self._files.commit)
        except ApiError as error:
            if error.trouble in {Trouble.MISSING, Trouble.CONFLICT}:
                return None
            raise
        if found.ancestor != commit:
            return None
        return GitHubFiles(self._objects, commit, found.ancestor_tree)

    def _compare(self, base: str, head: str) -> Relation:
        if (base, head) not in self._relations:
            repository = self.branch.repository
            self._relations[base, head] = self._api.read("comparing commits", lambda: relation(repository, base, head))
        return self._relations[base, head]

    def write(
        self, contents: Contents, message: str, modes: Modes | None = None, origin: Origin | None = None
    ) -> str | None:
        """Put one commit on the branch and return its id, or None if nothing changes. `modes` is for new files."""
        del origin  # it is in the commit message
        files = planned_changes(contents, modes or {}, self._files.mode_at, self._files.entry)
        changes = {path: entry_of(file) for path, file in files.items()}
        tree = tree_after(self._objects.listing, self._files.tree, changes)
        if tree == self._files.tree:
            return None
        new_tree = self._post_tree(changes, contents, INLINE_REQUEST_BYTES)
        if new_tree != tree:  # GitHub changed a text that was sent inline, so send all files as blobs
            new_tree = self._post_tree(changes, contents, 0)
        if new_tree != tree:
            raise SelfCheckFailed("GitHub made a different tree than planned; nothing was published, run again")
        commit = self._post_commit(tree, message)
        self.branch.move(self._files.commit, commit, self._confirm)
        self._files = GitHubFiles(self._objects, commit, tree)
        return commit

    def _post_tree(self, changes: Mapping[str, TreeEntry | None], contents: Contents, room: int) -> str:
        """Create a tree and return its id. Up to `room` bytes of files are sent inline, the others as blobs."""
        rows: list[InputGitTreeElement] = []
        has_files = False
        for path, entry in changes.items():
            data = contents[path]
            if entry is None or data is None:
                rows.append(InputGitTreeElement(path, FILE, "blob", sha=None))
                continue
            inlined = _inline(data)
            size = len(json.dumps(inlined))
            if inlined is not None and size <= room:
                rows.append(InputGitTreeElement(path, entry.mode, "blob", content=inlined))
                room -= size
            else:
                rows.append(InputGitTreeElement(path, entry.mode, "blob", sha=self._post_blob(entry.oid, data)))
                has_files = True
        if has_files:
            self._confirm()  # uploading files takes time
        create = self.branch.repository.create_git_tree
        base = self._tree_of(self._files.tree)
        return self._post("writing the tree", lambda: as_text(create(rows, base).sha))

    def _post_blob(self, oid: str, content: bytes) -> str:
        create = self.branch.repository.create_git_blob
        encoded = b64encode(content).decode("ascii")
        if self._post("writing a file", lambda: as_text(create(encoded, "base64").sha)) != oid:
            raise SelfCheckFailed("GitHub stored different bytes than were sent; nothing was published, run again")
        return oid

    def _post_commit(self, tree: str, message: str) -> str:
        # If author, committer and dates are missing, GitHub fills in the account of the token, and signs for bots:
        # https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification
        create = self.branch.repository.create_git_commit
        planned = self._tree_of(tree)
        parent = GitCommit(self._api.requester, {}, {"sha": self._files.commit}, completed=True)
        oid, *rest = self._post("writing the commit", lambda: _facts(create(message, planned, [parent])))
        if rest != [tree, self._files.commit, message.rstrip("\n")]:
            raise SelfCheckFailed("GitHub made a different commit than planned; nothing was published, run again")
        return oid

    def _tree_of(self, oid: str) -> GitTree:
        return GitTree(self._api.requester, {}, {"sha": oid}, completed=True)

    def _post(self, what: str, step: Callable[[], T]) -> T:
        """Create an object. Repeated like a read, because creating it twice does no harm."""
        try:
            return self._api.with_retries(lambda: self._api.send_once(what, step), self._confirm)
        except ApiError as error:
            if error.trouble in {Trouble.REFUSED, Trouble.CONFLICT}:
                raise Refused(error.message, ReasonCode.PUBLISH_FAILED) from error
            raise


def _inline(data: bytes) -> str | None:
    """Return the text to send inside the tree request, or None if the file must be uploaded as a blob."""
    if len(data) > INLINE_FILE_BYTES:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _facts(commit: GitCommit) -> list[str]:
    parents = ",".join(parent.sha for parent in commit.parents)
    return [as_text(commit.sha), as_text(commit.tree.sha), parents, as_text(commit.message).rstrip("\n")]


def relation(repository: Repository, base: str, head: str) -> Relation:
    """Ask GitHub to compare two commits. Only one of the commits between them is requested; none is needed."""
    answer = repository.compare(base, head, comparison_commits_per_page=1)
    ancestor = answer.merge_base_commit
    paths = {as_text(file.filename) for file in answer.files}
    old_paths = {as_text(file.previous_filename) for file in answer.files if file.previous_filename is not None}
    return Relation(oid(ancestor.sha), oid(ancestor.commit.tree.sha), frozenset(paths | old_paths))
