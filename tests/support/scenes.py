"""Scenes on a pull request with a known end, for tests that let GitHub fail in the middle of them.

A scene is set up without faults. Its event is given to the run under test. Whatever goes wrong in that run, the state
afterwards (`Left`) must keep the promises of docs/reference/action.md, "exactly once".
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from support.actionkit import APP, APP_NEW, FAILS, FITS, Clock, Done, act, block, commits, pull_request
from support.hub import Event, Hub, PullRequest, Token
from support.hub.model import Remark

from editblocks.report.status.links import read_marker
from editblocks.report.status.replies import read_inline, read_reply, refused_lines

OTHER = b"one = 1\ntwo = 2\nthree = 3\n"
PARTS = (block("app.py", "    result = 0", "    result = sum(items)"), block("other.py", "one = 1", "one = 11"))
Files = dict[str, bytes]


class Left(NamedTuple):
    """The state of the pull request after a run: new commits, the files, and what the bot wrote.

    `statuses` and `answers` count the bot's texts by the source or command that they are about.
    """

    commits: int
    files: Files
    states: tuple[str, ...]  # of the statuses, oldest first
    statuses: Mapping[str, int]
    answers: Mapping[str, int]
    lines: Mapping[tuple[str, int], int]  # number of comments on lines, by source and block
    refused: int  # lines in statuses about commands of people without permission
    texts: tuple[str, ...]

    @property
    def is_single(self) -> bool:
        """Whether nothing was done or written twice."""
        return (
            self.commits <= 1 and max([*self.statuses.values(), *self.answers.values(), *self.lines.values(), 0]) <= 1
        )


@dataclass(slots=True)
class Stage:
    """A scene that is set up. The run under test may be started any number of times."""

    hub: Hub
    pull: PullRequest
    event: Event
    folder: Path
    token: Token | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    start: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.start = self.hub.world.head(self.pull)

    def run(self, clock: Clock | None = None) -> Done:
        """Run the action for the event."""
        return act(self.hub, self.event, self.folder, self.inputs, token=self.token, clock=clock)

    def left(self) -> Left:
        """The state of the pull request now."""
        world, pull = self.hub.world, self.pull
        posts: list[Remark] = [*pull.reviews, *pull.review_comments, *pull.comments]
        ours = [post for post in posts if post.author is world.bot and not post.deleted]
        markers = [marker for post in ours if (marker := read_marker(post.body))]
        answers = [to for post in ours if (to := read_reply(post.body))]
        lines = [named for post in ours if (named := read_inline(post.body))]
        return Left(
            commits(self.hub, pull, self.start) if world.branch(pull.head_ref) else 0,
            {path: data for path, (_, data) in world.files(world.head(pull)).items()},
            tuple(marker.state.value for marker in markers),
            Counter(marker.source for marker in markers),
            Counter(answers),
            Counter(lines),
            sum(len(refused_lines(post.body)) for post in ours),
            tuple(post.body for post in ours),
        )


class Scene(NamedTuple):
    """A scene: `set_up` makes its stage, and the other fields describe its end without faults.

    They are the number of commits, the states of the statuses, and so on. `changed` are the files that the commit
    changes, with their new content.
    """

    set_up: Callable[[Hub, Path], Stage]
    commits: int
    states: Sequence[str]
    answers: int = 0
    lines: int = 0
    refused: int = 0
    changed: Mapping[str, bytes] = {}

    def is_end(self, left: Left, *, bare: bool = False) -> bool:
        """Whether the state is the end of this scene. `bare` ignores comments on lines."""
        said = (left.commits, list(left.states), sum(left.answers.values()), left.refused)
        lines = sum(left.lines.values()) == self.lines or bare
        return said == (self.commits, list(self.states), self.answers, self.refused) and lines


def _files(h: Hub) -> PullRequest:
    return pull_request(h, {"app.py": APP, "other.py": OTHER})


def comment(h: Hub, folder: Path) -> Stage:
    """A writer posts a block."""
    pull = _files(h)
    return Stage(h, pull, h.comment(pull, "octocat", FITS), folder)


def apply(h: Hub, folder: Path) -> Stage:
    """A reader's block was checked, and a writer applies it."""
    pull = _files(h)
    act(h, h.comment(pull, "hubot", FITS), folder)
    return Stage(h, pull, h.comment(pull, "octocat", "/apply"), folder)


def undo(h: Hub, folder: Path) -> Stage:
    """A writer undoes an applied block."""
    pull = _files(h)
    act(h, h.comment(pull, "octocat", FITS), folder)
    return Stage(h, pull, h.comment(pull, "octocat", "/undo"), folder)


def skip(h: Hub, folder: Path) -> Stage:
    """One of two blocks fails, and a writer skips it."""
    pull = _files(h)
    act(h, h.comment(pull, "hubot", f"{FITS}\n{FAILS}"), folder, {"inline-comments": "0"})
    return Stage(h, pull, h.comment(pull, "octocat", "/skip 2"), folder)


def retry(h: Hub, folder: Path) -> Stage:
    """A block that failed is checked again after a push."""
    pull = _files(h)
    act(h, h.comment(pull, "hubot", FAILS), folder, {"inline-comments": "0"})
    h.world.push(pull, {"app.py": APP.replace(b"return result", b"return 1")})
    return Stage(h, pull, h.comment(pull, "octocat", "/retry"), folder)


def review(h: Hub, folder: Path) -> Stage:
    """A writer's review has a block in each of two inline comments."""
    pull = _files(h)
    lines = [("app.py", 2, PARTS[0]), ("other.py", 1, PARTS[1])]
    return Stage(h, pull, h.review(pull, "octocat", "Two fixes:", lines), folder)


def suggestions(h: Hub, folder: Path) -> Stage:
    """A writer applies the suggestions of a reader in two threads."""
    pull = _files(h)
    bodies = [("app.py", 2, "    result = sum(items)"), ("other.py", 1, "one = 11")]
    found = [(path, line, f"Better:\n\n```suggestion\n{text}\n```\n") for path, line, text in bodies]
    h.world.review(pull, "hubot", "", found)
    return Stage(h, pull, h.comment(pull, "octocat", "/apply suggestions"), folder)


def review_fails(h: Hub, folder: Path) -> Stage:
    """A writer's review with a block that fails in one inline comment. It is answered in its thread."""
    pull = _files(h)
    return Stage(h, pull, h.review(pull, "octocat", "", [("app.py", 2, PARTS[0]), ("app.py", 3, FAILS)]), folder)


def reply(h: Hub, folder: Path) -> Stage:
    """A writer answers in a thread with a block that does not name its file."""
    pull = _files(h)
    h.world.review(pull, "hubot", "", [("app.py", 2, "Why zero?")])
    nameless = PARTS[0].partition("\n")[2]
    return Stage(h, pull, h.reply(pull, "octocat", nameless, pull.review_comments[0]), folder)


def fails(h: Hub, folder: Path) -> Stage:
    """A writer posts a block that does not fit. Its line is part of the diff."""
    pull = _files(h)
    return Stage(h, pull, h.comment(pull, "octocat", FAILS), folder)


def help_(h: Hub, folder: Path) -> Stage:
    """A writer asks for help in the conversation."""
    pull = _files(h)
    return Stage(h, pull, h.comment(pull, "octocat", "/edits help"), folder)


def help_in_thread(h: Hub, folder: Path) -> Stage:
    """A writer asks for help in a review thread."""
    pull = _files(h)
    h.world.review(pull, "hubot", "", [("app.py", 2, "Why zero?")])
    return Stage(h, pull, h.reply(pull, "octocat", "/edits help", pull.review_comments[0]), folder)


def conflict(h: Hub, folder: Path) -> Stage:
    """A writer undoes an applied block, but the file was changed since."""
    pull = _files(h)
    act(h, h.comment(pull, "octocat", FITS), folder)
    h.world.push(pull, {"app.py": b"something else\n"})
    return Stage(h, pull, h.comment(pull, "octocat", "/undo"), folder)


def stranger(h: Hub, folder: Path) -> Stage:
    """A reader, who may not apply, sends `/apply`."""
    pull = _files(h)
    act(h, h.comment(pull, "hubot", FITS), folder)
    return Stage(h, pull, h.comment(pull, "hubot", "/apply"), folder)


def edited(h: Hub, folder: Path) -> Stage:
    """A writer applies a comment that was edited after its check."""
    pull = _files(h)
    act(h, h.comment(pull, "hubot", FITS), folder)
    h.world.edit(pull.comments[0], FITS.replace("sum(items)", "len(items)"))
    return Stage(h, pull, h.comment(pull, "octocat", "/apply"), folder)


def dispatch(h: Hub, folder: Path) -> Stage:
    """A writer starts the workflow by hand for a comment that no run has seen."""
    pull = _files(h)
    said = h.world.say(pull, "octocat", FITS)
    ids = {"comment-id": str(said.id), "pr-number": str(pull.number)}
    return Stage(h, pull, h.dispatch("octocat"), folder, inputs=ids)


BOTH = {"app.py": APP_NEW, "other.py": OTHER.replace(b"one = 1\n", b"one = 11\n")}
SCENES: Mapping[str, Scene] = {
    "comment": Scene(comment, 1, ["applied"], changed={"app.py": APP_NEW}),
    "apply": Scene(apply, 1, ["applied"], changed={"app.py": APP_NEW}),
    "undo": Scene(undo, 1, ["undone"], changed={"app.py": APP}),
    "skip": Scene(skip, 0, ["checked"]),
    "retry": Scene(retry, 0, ["checked"]),
    "review": Scene(review, 1, ["applied"], changed=BOTH),
    "suggestions": Scene(suggestions, 1, ["applied"], changed=BOTH),
    "review that fails": Scene(review_fails, 0, ["failed"], lines=1),
    "reply": Scene(reply, 1, ["applied"], changed={"app.py": APP_NEW}),
    "block that fails": Scene(fails, 0, ["failed"], lines=1),
    "help": Scene(help_, 0, [], answers=1),
    "help in a thread": Scene(help_in_thread, 0, [], answers=1),
    "undo with a conflict": Scene(conflict, 0, ["applied"], answers=1),
    "stranger": Scene(stranger, 0, ["checked"], refused=1),
    "edited source": Scene(edited, 0, ["stale"], answers=1),
    "started by hand": Scene(dispatch, 1, ["applied"], changed={"app.py": APP_NEW}),
}

# Wrong answers of GitHub, by what they mean for the client. "after storing": the request was executed.

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
HTML = b"<html><body>Bad gateway</body></html>"
FAULTS: Mapping[str, Mapping[str, dict[str, Any]]] = {
    "no": {"401": {"status": 401}, "403": {"status": 403}},
    "missing": {"404": {"status": 404}},
    "conflict": {"409": {"status": 409}, "422": {"status": 422}},
    "late": {
        "429, wait 7 s": {"status": 429, "headers": {"Retry-After": "7"}},
        "429": {"status": 429},
        "secondary limit": {"status": 403, "body": {"message": SECONDARY, "documentation_url": "x"}},
        "500": {"status": 500},
        "hang-up": {"drop": True},
    },
    "lost": {
        "502 after storing": {"status": 502, "body": HTML, "effect": True},
        "hang-up after storing": {"drop": True, "effect": True},
    },
    "garbled": {
        "half of an answer": {"status": 200, "body": b'{"id": 1, "body": "x', "effect": True},
        "HTML": {"status": 200, "body": HTML, "effect": True},
        "nothing": {"status": 200, "body": b"", "effect": True},
    },
}


def pattern(step: str) -> str:
    """A request's name as a pattern for `Fault.at` that matches the braces in the name literally."""
    return step.replace("{", "[{]").replace("}", "[}]")
