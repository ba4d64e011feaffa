"""The state of the hub, and the methods with which a test changes it without telling the client.

The world has its own clock: every change takes one second, so that two runs give the same oids.
"""

import calendar
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.hub import diffs
from support.hub.model import (
    ACTIONS_ID,
    ACTIONS_LOGIN,
    BASE_ROLE,
    Comment,
    PullRequest,
    Remark,
    Repository,
    Review,
    ReviewComment,
    Token,
    User,
)
from support.hub.store import ZERO, GitFailed, Person, Store

Files = Mapping[str, bytes | None]
Inline = tuple[str, int, str]  # path, line of the new file, text
EPOCH = calendar.timegm((2026, 1, 2, 3, 4, 5))
WRITE = frozenset({"contents", "pull_requests"})  # the permissions in the documented workflow
GITHUB = ("GitHub", "noreply@github.com")  # the committer of commits that GitHub signs


class World:
    """Users, tokens, repositories and pull requests over one `Store`."""

    def __init__(self, path: Path) -> None:
        self.store = Store(path)
        self.now = EPOCH
        self._ids = iter(range(2_048_812_345, 1 << 62))
        self.users: dict[str, User] = {}
        self.tokens: dict[str, Token] = {}
        self.repositories: list[Repository] = []
        self.pull_requests: list[PullRequest] = []
        self.may_resolve = True  # whether tokens may resolve review threads
        self.missing_fields: set[str] = set()  # "Mutation.updateRefs": an older server's schema
        self.octocat = self.user("octocat", 583231)
        self.bot = self.user(ACTIONS_LOGIN, ACTIONS_ID)
        self.repository = self.new_repository(self.octocat, "Hello-World")
        for login, role in (("monalisa", "write"), ("hubot", "read")):
            self.repository.roles[self.user(login).login] = role
        self.token = self.new_token("actions", self.bot)  # GITHUB_TOKEN with the documented permissions
        self.read_token = self.new_token("actions", self.bot, ())  # GITHUB_TOKEN of a run from a fork

    # making things

    def user(self, login: str, number: int | None = None) -> User:
        """The user with that login, created if there is none."""
        if login not in self.users:
            self.users[login] = User(login, number or 1_000_000 + len(self.users))
        return self.users[login]

    def new_token(self, kind: str, user: User, permissions: tuple[str, ...] | None = None) -> Token:
        """Make a token of `kind` actions, app or personal. A personal token may write what its user may write."""
        granted = WRITE if permissions is None else frozenset(permissions)
        prefix = {"actions": "ghs", "app": "ghs", "personal": "ghp"}[kind]
        token = Token(f"{prefix}_hub{len(self.tokens):032d}", user, kind, granted)
        self.tokens[token.value] = token
        return token

    def new_repository(self, owner: User, name: str, parent: Repository | None = None) -> Repository:
        """Make a repository with one commit on `main`. A fork (with a `parent`) starts with its parent's `main`."""
        number = 1296269 + len(self.repositories)
        refs = f"refs/namespaces/{number}/refs/" if parent else "refs/"
        repository = Repository(number, owner, name, refs, parent, roles={owner.login: "admin"})
        self.repositories.append(repository)
        if parent is None:
            self.commit({"README.md": b"# Hello\n"}, "Initial commit", repository=repository)
        else:
            self.store.update_refs([(repository.ref("main"), self.branch("main", parent) or ZERO, ZERO)])
        return repository

    def fork(self, login: str = "hubot") -> Repository:
        """Fork the repository for `login`."""
        return self.new_repository(self.user(login), self.repository.name, self.repository)

    def rename(self, repository: Repository, name: str) -> None:
        """Rename a repository. Requests with its old name get 301 from now on."""
        repository.former_names.append(repository.full_name)
        repository.name = name

    def pull_request(
        self,
        files: Files | None = None,
        *,
        author: str = "octocat",
        base: str = "main",
        head: str | None = None,
        modes: Mapping[str, str] | None = None,
        fork: Repository | None = None,
        title: str = "Amazing new feature",
    ) -> PullRequest:
        """Open a pull request whose head is one commit with `files` (path → bytes) on top of `base`."""
        number = len(self.pull_requests) + 1
        head_repository, head = fork or self.repository, head or f"feature-{number}"
        start = self.branch(base)
        oid = self.commit(
            files or {}, title, head, author=author, modes=modes, repository=head_repository, parent=start
        )
        pull = PullRequest(
            next(self._ids), number, self.user(author), title, self.repository, base, head, head_repository, oid, ""
        )
        pull.created_at = self.tick()
        self.pull_requests.append(pull)
        return pull

    def say(
        self, pull: PullRequest, author: str, body: str, app: str | None = None, *, via_email: bool = False
    ) -> Comment:
        """Write a comment; the body is kept byte for byte."""
        at = self.tick()
        comment = Comment(next(self._ids), self.user(author), body, at, at, app=app, via_email=via_email)
        pull.comments.append(comment)
        return comment

    def review(
        self,
        pull: PullRequest,
        author: str,
        body: str = "",
        comments: Sequence[Inline] = (),
        *,
        commit: str | None = None,
        state: str = "COMMENTED",
        via_email: bool = False,
    ) -> Review:
        """Submit a review with inline comments `(path, line, body)`. Each line must be part of the diff."""
        at, oid = self.tick(), commit or self.head(pull)
        review = Review(next(self._ids), self.user(author), body, at, at, state=state, commit_id=oid)
        review.via_email = via_email
        pull.reviews.append(review)
        base = self.branch(pull.base_ref, pull.repository)
        files = {item.path: item for item in diffs.changes(self.store, base, oid)} if comments else {}
        for path, line, text in comments:
            hunk, problem = diffs.anchor({"path": path, "line": line}, files.get(path))
            assert hunk, f"{path}: {problem}"
            self.inline(pull, review, text, path=path, line=line, diff_hunk=hunk)
        return review

    def inline(self, pull: PullRequest, review: Review, body: str, **place: Any) -> ReviewComment:
        """Add an inline comment to a review. `place` has `path`, `line` and any other field of `ReviewComment`."""
        at, oid = review.created_at, review.commit_id
        known = {"commit_id": oid, "original_commit_id": oid, "original_line": place["line"] or 0, **place}
        item = ReviewComment(next(self._ids), review.author, body, at, at, review_id=review.id, **known)
        pull.review_comments.append(item)
        return item

    def reply(
        self, pull: PullRequest, author: str, body: str, to: ReviewComment, *, via_email: bool = False
    ) -> ReviewComment:
        """Answer in the thread of an inline comment. GitHub makes a review without text around the answer.

        https://github.com/ghostty-org/discord-bot/pull/324. An answer to an answer belongs to the first comment of the
        thread (https://docs.github.com/en/rest/pulls/comments: `in_reply_to_id`).
        """
        first = pull.first_of(to)
        review = self.review(pull, author)
        fields = ("path", "commit_id", "original_commit_id", "line", "original_line", "start_line", "side", "diff_hunk")
        place = {name: getattr(first, name) for name in fields}
        return self.inline(pull, review, body, **place, in_reply_to=first.id, via_email=via_email)

    def delete(self, remark: Remark) -> None:
        """Delete a comment, review or inline comment."""
        self.tick()
        remark.deleted = True

    def edit(self, remark: Remark, body: str, by: User | None = None) -> None:
        """Change a text. `editor` is set even if the author edits it."""
        remark.body, remark.editor = body, by or remark.author
        remark.last_edited_at = remark.updated_at = self.tick()

    # moving branches

    def commit(
        self,
        files: Files,
        message: str,
        branch: str = "main",
        *,
        author: str = "octocat",
        modes: Mapping[str, str] | None = None,
        repository: Repository | None = None,
        parent: str | None = None,
        signed: bool = False,
    ) -> str:
        """Push a commit that changes `files` (None deletes) to `branch`, and return its oid. Creates a missing branch.

        With `signed`, it looks like a commit from the web editor: by a person, and signed by GitHub.
        """
        repository = repository or self.repository
        start = parent or self.branch(branch, repository)
        self.tick()
        person = self.person(self.user(author))
        rows = {path: ((modes or {}).get(path, "100644"), data) for path, data in files.items()}
        oid = self.store.push(repository.ref(branch), start, rows, message, person)
        return self._signed(repository.ref(branch), oid) if signed else oid

    def _signed(self, ref: str, oid: str) -> str:
        old = self.store.commit(oid)
        assert old is not None
        committer = Person(*GITHUB, self.now)
        new = self.store.new_commit(
            old.tree, old.parents, old.message, author=old.author, committer=committer, signed=True
        )
        self.store.update_refs([(ref, new, oid)])
        return new

    def push(self, pull: PullRequest, files: Files, message: str = "Push", author: str = "octocat") -> str:
        """Push a commit to the head branch of a pull request, and return its oid."""
        return self.commit(files, message, pull.head_ref, author=author, repository=pull.head_repository)

    def reset(self, branch: str, oid: str, repository: Repository | None = None) -> None:
        """Force-push `branch` to any commit, for example back to its parent."""
        self.store.update_refs([((repository or self.repository).ref(branch), oid, None)])

    def delete_branch(self, branch: str, repository: Repository | None = None) -> None:
        """Delete a branch. Open pull requests from it are closed, as on GitHub."""
        repository = repository or self.repository
        for pull in self.pull_requests:
            if pull.state == "open" and pull.head_repository is repository and pull.head_ref == branch:
                self.head(pull)
                pull.state = "closed"
        self.store.update_refs([(repository.ref(branch), ZERO, None)])

    # looking

    def branch(self, name: str, repository: Repository | None = None) -> str | None:
        """The commit that a branch points to, None if there is no such branch."""
        return self.store.ref((repository or self.repository).ref(name))

    def head(self, pull: PullRequest) -> str:
        """The head commit. While the pull request is open, it follows the branch."""
        if pull.state == "open" and pull.head_repository:
            pull.head_oid = self.branch(pull.head_ref, pull.head_repository) or pull.head_oid
        return pull.head_oid

    def files(self, rev: str) -> dict[str, tuple[str, bytes]]:
        """Every file of a commit: path → (mode, bytes)."""
        listing = self.store.git("ls-tree", "-r", "-z", "--full-tree", rev).decode("utf-8", "surrogateescape")
        rows = [row.partition("\t") for row in listing.split("\0")[:-1]]
        return {path: (head.split()[0], self._bytes(head.split()[2])) for head, _, path in rows}

    def role(self, repository: Repository, login: str) -> str:
        """A user's role. Without a role, it is `read` in a public repository and `none` in a private one."""
        return repository.roles.get(login, "none" if repository.private else "read")

    def may_push(self, repository: Repository, login: str) -> bool:
        """Whether a person may write contents."""
        return BASE_ROLE[self.role(repository, login)] in {"admin", "write"}

    def pull(self, number: int, repository: Repository | None = None) -> PullRequest | None:
        """The pull request with that number, None if there is none."""
        wanted = repository or self.repository
        found = (pull for pull in self.pull_requests if pull.number == number and pull.repository is wanted)
        return next(found, None)

    def pulls_from(self, repository: Repository, branch: str) -> list[PullRequest]:
        """The open pull requests whose head is that branch."""
        pulls = (pull for pull in self.pull_requests if pull.state == "open")
        return [pull for pull in pulls if pull.head_repository is repository and pull.head_ref == branch]

    def remarks(self) -> Iterator[tuple[PullRequest, Comment | Review | ReviewComment]]:
        """Every comment, review and inline comment that is not deleted, with its pull request."""
        for pull in self.pull_requests:
            remarks: list[Comment | Review | ReviewComment] = [*pull.comments, *pull.reviews, *pull.review_comments]
            yield from ((pull, remark) for remark in remarks if not remark.deleted)

    def contains(self, ancestor: str, descendant: str) -> bool:
        """Whether `descendant` is `ancestor` or has it in its history."""
        try:
            self.store.git("merge-base", "--is-ancestor", ancestor, descendant)
        except GitFailed:
            return False
        return True

    # the clock

    def tick(self) -> str:
        """Let one second pass, and return the new time."""
        self.now += 1
        return iso(self.now)

    def next_id(self) -> int:
        """An id that nothing else has."""
        return next(self._ids)

    def person(self, user: User) -> Person:
        """A user as the author of a commit made now."""
        return Person(user.login, user.email, self.now)

    def _bytes(self, oid: str) -> bytes:
        found = self.store.get(oid)
        return found.data if found else b""


def iso(seconds: int) -> str:
    """Seconds since 1970 as GitHub writes a time."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
