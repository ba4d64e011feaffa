"""The state of the hub, and the verbs a test uses to change it behind the client's back.

The clock is the world's own: every change takes one second, so that two runs give the same oids.
"""

from __future__ import annotations

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
WRITE = frozenset({"contents", "pull_requests"})  # what the documented workflow grants
GITHUB = ("GitHub", "noreply@github.com")  # committer of whatever GitHub signs


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
        """The user of that login, made if there is none."""
        if login not in self.users:
            self.users[login] = User(login, number or 1_000_000 + len(self.users))
        return self.users[login]

    def new_token(self, kind: str, user: User, permissions: tuple[str, ...] | None = None) -> Token:
        """A token of `kind` actions, app or personal; a personal one may write whatever its user may."""
        granted = WRITE if permissions is None else frozenset(permissions)
        prefix = {"actions": "ghs", "app": "ghs", "personal": "ghp"}[kind]
        token = Token(f"{prefix}_hub{len(self.tokens):032d}", user, kind, granted)
        self.tokens[token.value] = token
        return token

    def new_repository(self, owner: User, name: str, parent: Repository | None = None) -> Repository:
        """A repository with one commit on `main`; a fork (`parent`) starts where its parent is."""
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
        """A fork of the repository, owned by `login`."""
        return self.new_repository(self.user(login), self.repository.name, self.repository)

    def rename(self, repository: Repository, name: str) -> None:
        """The old name answers 301 from now on."""
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
        """Submit a review with inline comments `(path, line, body)`, which must lie in a changed file."""
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
        """Add an inline comment to a review: `path`, `line` and, if they differ from the default, the other fields."""
        at, oid = review.created_at, review.commit_id
        known = {"commit_id": oid, "original_commit_id": oid, "original_line": place["line"] or 0, **place}
        item = ReviewComment(next(self._ids), review.author, body, at, at, review_id=review.id, **known)
        pull.review_comments.append(item)
        return item

    def reply(
        self, pull: PullRequest, author: str, body: str, to: ReviewComment, *, via_email: bool = False
    ) -> ReviewComment:
        """Answer in the thread of an inline comment. The answer is a review of its own, without a text.

        https://github.com/ghostty-org/discord-bot/pull/324. In the browser one may answer an answer: it hangs below
        the first comment all the same (https://docs.github.com/en/rest/pulls/comments: `in_reply_to_id`).
        """
        first = pull.first_of(to)
        review = self.review(pull, author)
        fields = ("path", "commit_id", "original_commit_id", "line", "original_line", "start_line", "side", "diff_hunk")
        place = {name: getattr(first, name) for name in fields}
        return self.inline(pull, review, body, **place, in_reply_to=first.id, via_email=via_email)

    def delete(self, remark: Remark) -> None:
        """Take a text away."""
        self.tick()
        remark.deleted = True

    def edit(self, remark: Remark, body: str, by: User | None = None) -> None:
        """Change a text. `editor` is set whenever it is edited, by the author as well."""
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
        """Push a commit that changes `files` (None deletes) to `branch`, made if absent; gives its oid.

        `signed` makes it look as if it came from the web editor: a person's commit that GitHub signed.
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
        """Somebody pushes to the head branch of a pull request."""
        return self.commit(files, message, pull.head_ref, author=author, repository=pull.head_repository)

    def reset(self, branch: str, oid: str, repository: Repository | None = None) -> None:
        """Force-push `branch` to any commit, for example back to its parent."""
        self.store.update_refs([((repository or self.repository).ref(branch), oid, None)])

    def delete_branch(self, branch: str, repository: Repository | None = None) -> None:
        """Delete a branch; open pull requests from it close, as on GitHub."""
        repository = repository or self.repository
        for pull in self.pull_requests:
            if pull.state == "open" and pull.head_repository is repository and pull.head_ref == branch:
                self.head(pull)
                pull.state = "closed"
        self.store.update_refs([(repository.ref(branch), ZERO, None)])

    # looking

    def branch(self, name: str, repository: Repository | None = None) -> str | None:
        """Where a branch points, None if there is none."""
        return self.store.ref((repository or self.repository).ref(name))

    def head(self, pull: PullRequest) -> str:
        """The head commit: of the branch while the pull request is open, the last one seen after that."""
        if pull.state == "open" and pull.head_repository:
            pull.head_oid = self.branch(pull.head_ref, pull.head_repository) or pull.head_oid
        return pull.head_oid

    def files(self, rev: str) -> dict[str, tuple[str, bytes]]:
        """Every file of a commit: path → (mode, bytes)."""
        listing = self.store.git("ls-tree", "-r", "-z", "--full-tree", rev).decode("utf-8", "surrogateescape")
        rows = [row.partition("\t") for row in listing.split("\0")[:-1]]
        return {path: (head.split()[0], self._bytes(head.split()[2])) for head, _, path in rows}

    def role(self, repository: Repository, login: str) -> str:
        """Somebody's role; a stranger reads what is public."""
        return repository.roles.get(login, "none" if repository.private else "read")

    def may_push(self, repository: Repository, login: str) -> bool:
        """Whether a person may write contents."""
        return BASE_ROLE[self.role(repository, login)] in {"admin", "write"}

    def pull(self, number: int, repository: Repository | None = None) -> PullRequest | None:
        """The pull request of that number."""
        wanted = repository or self.repository
        found = (pull for pull in self.pull_requests if pull.number == number and pull.repository is wanted)
        return next(found, None)

    def pulls_from(self, repository: Repository, branch: str) -> list[PullRequest]:
        """The open pull requests whose head is that branch."""
        pulls = (pull for pull in self.pull_requests if pull.state == "open")
        return [pull for pull in pulls if pull.head_repository is repository and pull.head_ref == branch]

    def remarks(self) -> Iterator[tuple[PullRequest, Comment | Review | ReviewComment]]:
        """Every text on every pull request that was not deleted."""
        for pull in self.pull_requests:
            remarks: list[Comment | Review | ReviewComment] = [*pull.comments, *pull.reviews, *pull.review_comments]
            yield from ((pull, remark) for remark in remarks if not remark.deleted)

    def contains(self, ancestor: str, descendant: str) -> bool:
        """Whether `descendant` is or follows `ancestor`."""
        try:
            self.store.git("merge-base", "--is-ancestor", ancestor, descendant)
        except GitFailed:
            return False
        return True

    # the clock

    def tick(self) -> str:
        """One second passes; gives the new time."""
        self.now += 1
        return iso(self.now)

    def next_id(self) -> int:
        """A number nothing else has."""
        return next(self._ids)

    def person(self, user: User) -> Person:
        """A user as an author line, now."""
        return Person(user.login, user.email, self.now)

    def _bytes(self, oid: str) -> bytes:
        found = self.store.get(oid)
        return found.data if found else b""


def iso(seconds: int) -> str:
    """A time as GitHub writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
