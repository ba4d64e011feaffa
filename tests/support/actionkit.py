"""Run the action in this process against the hub, and collect its log, outputs and requests in one value, `Done`."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.hub import Event, Hub, PullRequest, Token, hub
from support.hub.model import Review

from editblocks.faces.action import main
from editblocks.report.status.links import StatusMarker, read_marker

FOLDERS = count()
APP = b"def total(items):\n    result = 0\n    return result\n"
APP_NEW = b"def total(items):\n    result = sum(items)\n    return result\n"


def block(path: str, old: str, new: str) -> str:
    """Return a SEARCH/REPLACE block as most models write it."""
    return f"{path}\n```python\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"


OLD, NEW = APP.decode().rstrip("\n"), APP_NEW.decode().rstrip("\n")
FITS = "Here is the fix:\n\n" + block("app.py", OLD, NEW)
FAILS = block("app.py", "    return 1", "    return 2")
UNCLOSED = f"app.py\n```python\n<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n"


OTHER = {"other.txt": b"theirs\n"}  # files that somebody else pushes
REVIEWS = "POST pulls/*/reviews"


@dataclass(slots=True)
class Clock:
    """A clock, in seconds since 1970, that moves only when `sleep` is called. `waits` records every call."""

    now: float = 1_800_000_000.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def time(self) -> float:
        return self.now


class Done(NamedTuple):
    """A finished run of the action's last step, the one that runs editblocks."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str
    names: list[str]  # of the requests that this run sent to the hub
    waits: list[float]
    folder: Path

    @property
    def errors(self) -> list[str]:
        """The messages of the `::error::` lines in the log."""
        return [line.removeprefix("::error::") for line in self.log.splitlines() if line.startswith("::error::")]


def act(
    h: Hub,
    event: Event,
    tmp_path: Path,
    inputs: Mapping[str, str] | None = None,
    *,
    token: Token | None = None,
    clock: Clock | None = None,
) -> Done:
    """Run the action's last step for an event, by default with a new clock."""
    folder = tmp_path / f"run-{next(FOLDERS)}"
    return run(h, h.action_env(event, folder, token, **(inputs or {})), folder, clock)


def act_all(
    h: Hub, event: Event, tmp_path: Path, inputs: Mapping[str, str] | None = None, **options: Any
) -> list[Done]:
    """Run the action once for the event and once for each event that GitHub sends along with it, in that order."""
    return [act(h, each, tmp_path, inputs, **options) for each in (event, *event.also)]


def threads(pull: PullRequest) -> list[list[str]]:
    """The texts of each review thread."""
    return [[each.body for each in thread] for thread in pull.threads]


def payload(event: Event) -> Any:
    """The payload of an event, typed so that a test may change it."""
    return event.payload


def run(h: Hub, environ: Mapping[str, str], folder: Path, clock: Clock | None = None) -> Done:
    """Run the action's last step with these environment variables. Asserts that the token is never printed or saved."""
    stream, clock, before = io.StringIO(), clock or Clock(), len(h.log)
    code = main(environ, stream, sleep=clock.sleep, clock=clock.time)
    files = {name: folder / name for name in ("output", "summary.md")}
    text = {name: path.read_text("utf-8") if path.exists() else "" for name, path in files.items()}
    outputs = dict(line.split("=", 1) for line in text["output"].splitlines())
    secret = environ.get("EDITBLOCKS_TOKEN", "")
    if secret:
        shown = stream.getvalue().removeprefix(f"::add-mask::{secret}\n") + "".join(text.values())
        saved = "".join(path.read_text("utf-8", "replace") for path in (folder / "temp").rglob("*.*"))
        assert secret not in shown + saved, "the token was printed"
    return Done(code, stream.getvalue(), outputs, text["summary.md"], h.names[before:], clock.waits, folder)


def pull_request(h: Hub, files: Mapping[str, bytes] | None = None, **options: Any) -> PullRequest:
    """Open a pull request of monalisa, by default with `app.py` alone, whose mode is executable."""
    return h.world.pull_request(
        files or {"app.py": APP}, modes={"app.py": "100755"}, **{"author": "monalisa", **options}
    )


def reactions(pull: PullRequest) -> list[str]:
    """The reactions to the first comment."""
    return [each.content for each in pull.comments[0].reactions]


def rows(table: list[tuple[str, dict[str, Any]]], *fast: str) -> list[Any]:
    """The rows as pytest parameters. Rows that are not named in `fast` are marked `long`."""
    assert set(fast) <= {claim for claim, _ in table}
    return [pytest.param(*row, id=row[0], marks=() if row[0] in fast else pytest.mark.long) for row in table]


def commits(h: Hub, pull: PullRequest, since: str) -> int:
    """How many commits the head branch has gained after the commit `since`."""
    return int(h.world.store.git("rev-list", "--count", f"{since}..{h.world.head(pull)}"))


def states(pull: PullRequest) -> list[str]:
    """The states in the markers of the reviews, oldest first."""
    return [marker.state.value for review in pull.reviews if (marker := read_marker(review.body))]


def attempt(tmp_path: Path, *faults: tuple[str, dict[str, Any]]) -> tuple[Done, int, list[str]]:
    """Run the action on a writer's comment while these faults happen. Return the run, its commits and review states.

    Asserts that there is at most one commit and one review, and that `app.py` has the new text only with a commit.
    """
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        for at, fault in faults:
            h.fault(at, **fault)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        made, said = commits(h, pull, before), states(pull)
        assert made <= 1
        assert len(pull.reviews) <= 1
        assert h.world.files(h.world.head(pull))["app.py"][1] == (APP_NEW if made else APP)
        return done, made, said


def marker_of(review: Review) -> StatusMarker:
    """The marker in a status. Asserts that there is one."""
    found = read_marker(review.body)
    assert found is not None, review.body
    return found


PERMISSION = "GET collaborators/{username}/permission"


@dataclass(slots=True)
class Meanwhile(Clock):
    """A clock that lets another run, `other`, happen in the middle of this one.

    The action reads the clock before each request. At the first reading after a request named `after`, `other` runs.
    The branch is then reset to `start`, unless that is None.
    """

    hub: Hub = field(kw_only=True)
    other: Callable[[], object] = field(kw_only=True)
    start: str | None = field(kw_only=True)
    after: str = PERMISSION
    is_over: bool = False

    def time(self) -> float:
        if not self.is_over and self.hub.names[-1:] == [self.after]:
            self.is_over = True
            self.other()
            if self.start is not None:
                self.hub.world.reset(self.hub.world.pull_requests[0].head_ref, self.start)
        return Clock.time(self)
