"""A stateful fake GitHub over a real bare git repository, on `http://localhost:PORT` in this process.

    with hub() as h:                                       # asserts at the end that both sides followed the schemas
        pr = h.world.pull_request({"app.py": b"a = 1\\n"}, modes={"app.py": "100755"}, author="monalisa")
        event = h.comment(pr, "octocat", body)             # an official payload, moved into this world
        env = h.action_env(event, tmp_path, mode="check")  # GITHUB_*, RUNNER_TEMP, EDITBLOCKS_TOKEN, EDITBLOCKS_MODE
        h.fault("POST git/trees", status=502, effect=True) # the tree is created, but the answer is lost
        h.fault("mutation updateRefs", before=lambda: h.world.push(pr, {"b": b""}))
        ...                                                # run the client
        assert h.names == ["query Context", "POST git/trees", ...]
        assert h.requests("POST git/trees")[0].body["base_tree"] == ...
        assert h.world.files(h.world.head(pr))["app.py"] == ("100755", b"a = 2\\n")

Events: `h.comment`, `h.review(pull, author, body, comments=[(path, line, body)])`, `h.reply(pull, author, body,
to=comment)`, `h.pull_event(pull, "opened" | "synchronize" | "reopened")`, `h.push(branch, files)`, `h.push_event` after
`world.reset` or `delete_branch`, `h.dispatch(author, comment_id=…, pr_number=…)`. `event.also` are the other events
that GitHub sends for the same action. For a pull request from a fork, `action_env` gives the runs of review and
pull_request events a read-only token.

    h.lag("query Context", reads=2, only="pulls")          # the next two reads still get the pull requests of now
    jobs(workflow_text, event, changed=paths)              # hub.workflows: which jobs start, with which token

The world: `octocat` owns `octocat/Hello-World` (public, `main`). `monalisa` has the role write, `hubot` has read, and
nobody else has a role; change roles in `world.repository.roles`. `world.token` is the GITHUB_TOKEN of the documented
workflow, `world.read_token` that of a run from a fork; make others with `world.new_token("personal", user)` or
`("app", bot)`. `world.commit/push/reset/delete_branch/edit/delete/fork/rename` change things without telling the
client. `world.say`, `review` and `reply` (with `via_email`) write texts without an event. `comment.line = None` makes
an inline comment outdated. `pr.state`, `pr.queued`, `repository.protection/rulesets/archived` are plain fields,
`pr.threads` is computed. `world.missing_fields` imitates a server with an older schema.

Facts about GitHub that a client must know: a bot's login ends with `[bot]` in REST and in `viewer`, but not in `author`
and `editor`; `databaseId` is a 32-bit Int (`fullDatabaseId` is a string); `TreeEntry.mode` is a number (33188).

`hub.client` has PyGithub calls for tests of the hub itself; `composite.run_action` runs the real action.yml with
`h.job_env(event, tmp_path)`. [U] in a comment marks what is unknown about GitHub; nothing may depend on it.

New endpoint: a row in `routes.py` and its handler in `rest_*.py`. New GraphQL field: a key in `views.py` or
`objects.py` (a missing one fails the test instead of being null). New event: a function in `events.py`.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.hub import events
from support.hub.faults import Fault
from support.hub.graphql import query_problems
from support.hub.model import Comment, Event, PullRequest, Repository, Review, ReviewComment, Token
from support.hub.server import Hub as _Hub
from support.hub.server import Request
from support.hub.workflows import Job
from support.hub.world import Files, Inline, World


class Hub(_Hub):
    """A running hub, with a method for each event that a workflow may run on."""

    def comment(self, pull: PullRequest, author: str, body: str, app: str | None = None) -> Event:
        """Write a comment, and return the event that a workflow would get."""
        comment = self.world.say(pull, author, body, app)
        return self.event(pull, comment)

    def event(self, pull: PullRequest, comment: Comment) -> Event:
        """The `issue_comment: created` event of a comment."""
        return events.issue_comment(self.world, pull, comment, api_url=self.api_url)

    def review(
        self, pull: PullRequest, author: str, body: str = "", comments: Sequence[Inline] = (), **options: Any
    ) -> Event:
        """Submit a review, and return its event. `.also` has a `pull_request_review_comment` for each comment."""
        return self.review_events(pull, self.world.review(pull, author, body, comments, **options))

    def review_events(self, pull: PullRequest, review: Review) -> Event:
        """The events of a review that was already submitted: with N inline comments, N + 1.

        https://github.com/dolphin-emu/sadm/pull/69
        """
        event = events.review(self.world, pull, review, api_url=self.api_url)
        inline = [each for each in pull.review_comments if each.review_id == review.id]
        return event._replace(also=tuple(self.inline_event(pull, each) for each in inline))

    def reply(self, pull: PullRequest, author: str, body: str, to: ReviewComment, **options: Any) -> Event:
        """Answer in a thread, and return its event. `.also` has the event of the review without text that GitHub makes.

        https://github.com/github/github-mcp-server/issues/540
        """
        reply = self.world.reply(pull, author, body, to, **options)
        around = events.review(self.world, pull, pull.reviews[-1], api_url=self.api_url)
        return self.inline_event(pull, reply)._replace(also=(around,))

    def inline_event(self, pull: PullRequest, comment: ReviewComment) -> Event:
        """The `pull_request_review_comment: created` event of an inline comment or an answer."""
        return events.review_comment(self.world, pull, comment, api_url=self.api_url)

    def pull_event(
        self, pull: PullRequest, action: str = "opened", sender: str | None = None, before: str | None = None
    ) -> Event:
        """A `pull_request` event: opened, synchronize or reopened. `sender` defaults to the author."""
        who = self.world.user(sender) if sender else pull.author
        return events.pull_request_event(self.world, pull, action, who, before, api_url=self.api_url)

    def push(
        self, branch: str, files: Files, author: str = "octocat", repository: Repository | None = None, **options: Any
    ) -> Event:
        """Push a commit, and return its event. `.also` has `synchronize` for each open pull request from the branch."""
        before = self.world.branch(branch, repository)
        options.setdefault("message", "Push")
        self.world.commit(files, branch=branch, author=author, repository=repository, **options)
        return self.push_event(branch, before, author, repository)

    def push_event(
        self, branch: str, before: str | None, author: str = "octocat", repository: Repository | None = None
    ) -> Event:
        """The events of a branch that was already created, moved or deleted. `before` is its former commit."""
        repo, who = repository or self.world.repository, self.world.user(author)
        event = events.push(self.world, repo, branch, before, who, api_url=self.api_url)
        pulls = [each for each in self.world.pulls_from(repo, branch) if self.world.branch(branch, repo)]
        moved = (self.pull_event(pull, "synchronize", author, before) for pull in pulls if before)
        return event._replace(also=tuple(moved))

    def dispatch(self, author: str, *, ref: str = "refs/heads/main", **inputs: str | int) -> Event:
        """The event of a workflow started by hand: `h.dispatch("octocat", comment_id=…, pr_number=…)`."""
        named = {name.replace("_", "-"): str(value) for name, value in inputs.items()}
        workflow, who = ".github/workflows/editblocks.yml", self.world.user(author)
        return events.workflow_dispatch(self.world.repository, who, ref, named, workflow, api_url=self.api_url)

    def token_for(self, event: Event) -> Token:
        """The GITHUB_TOKEN of a run for an event. It is read-only if the event came from a fork.



        https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
        """
        return self.world.read_token if event.reads_only else self.world.token

    def job_token(self, event: Event, job: Job) -> Token:
        """The GITHUB_TOKEN of a job with its `permissions:`. It is read-only if the event came from a fork."""
        if event.reads_only:
            return self.world.read_token
        return self.world.new_token("actions", self.world.bot, tuple(sorted(job.permissions)))

    def job_env(self, event: Event, folder: Path) -> dict[str, str]:
        """The environment variables of a job for an event. Its files are in `folder`, which is created if needed."""
        for name in ("temp", "workspace"):
            folder.joinpath(name).mkdir(parents=True, exist_ok=True)
        path = folder / "event.json"
        path.write_text(json.dumps(event.payload), "utf-8")
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "octocat",
            "GITHUB_API_URL": self.api_url,
            "GITHUB_EVENT_NAME": event.name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_GRAPHQL_URL": self.graphql_url,
            "GITHUB_JOB": "editblocks",
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REPOSITORY": event.repository.full_name,
            "GITHUB_REPOSITORY_ID": str(event.repository.id),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "1658821493",
            "GITHUB_SERVER_URL": self.html_url,
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_WORKSPACE": str(folder / "workspace"),
            "RUNNER_TEMP": str(folder / "temp"),
        }

    def action_env(self, event: Event, folder: Path, token: Token | None = None, **inputs: str) -> dict[str, str]:
        """`job_env` for the action's run step: with the inputs and the token as `EDITBLOCKS_*` variables."""
        given = {"token": (token or self.token_for(event)).value, **inputs}
        named = {f"EDITBLOCKS_{name.upper().replace('-', '_')}": value for name, value in given.items()}
        return self.job_env(event, folder) | named


@contextmanager
def hub(prefix: str = "", html_url: str = "https://github.com") -> Iterator[Hub]:
    """Start a hub in a temporary folder. At the end, assert that client and hub followed GitHub's schemas."""
    with tempfile.TemporaryDirectory() as folder:
        running = Hub(Path(folder), prefix, html_url)
        try:
            yield running
        finally:
            running.close()
    assert not running.bad_requests, "\n".join(running.bad_requests)
    assert not running.bad_answers, "\n".join(running.bad_answers)


__all__ = ["Comment", "Event", "Fault", "Hub", "PullRequest", "Request", "Token", "World", "hub", "query_problems"]
