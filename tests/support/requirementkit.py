"""The kinds of comment that somebody may write on a pull request. Tests check each requirement against all of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from support.actionkit import FITS
from support.hub import Event
from support.talkkit import NOTE, Talk, talk

Speak = Callable[[Talk, str], Event]
EVIL = FITS.replace("sum(items)", "steal(items)")


def say(body: str) -> Speak:
    return lambda t, who: t.h.comment(t.pull, who, body)


def review(t: Talk, who: str) -> Event:
    return t.h.review(t.pull, who, "Two fixes:", [("app.py", 2, FITS), ("notes.txt", 1, "Fine")])


def reply(t: Talk, who: str) -> Event:
    t.h.world.review(t.pull, "octocat", "", [("app.py", 2, "Why zero?")])
    return t.h.reply(t.pull, who, FITS, t.pull.review_comments[-1])


def reply_command(t: Talk, who: str) -> Event:
    return t.h.reply(t.pull, who, "/apply", t.pull.review_comments[0])


def response_file(t: Talk, who: str) -> Event:
    before = t.head
    t.h.world.push(t.pull, {".edits/fix.md": FITS.encode()})
    return t.h.pull_event(t.pull, "synchronize", who, before)


def refs(t: Talk) -> bytes:
    """Every ref of every repository, forks included, with its commit."""
    return t.h.world.store.git("for-each-ref", "--format=%(refname) %(objectname)")


@contextmanager
def two_sources(tmp_path: Path) -> Iterator[Talk]:
    """A pull request with a comment whose block is applied, and a review thread whose block waits for approval."""
    with talk(tmp_path) as t:
        t.say("octocat", NOTE)
        t.run(t.h.review(t.pull, "hubot", "", [("app.py", 2, FITS.replace("sum", "len"))]))
        yield t


COMMANDS: dict[str, Speak] = {
    "blocks": say(FITS),
    "/apply above blocks": say(f"/apply\n\n{FITS}"),
    "/apply": say("/apply"),
    "/apply ready": say("/apply ready"),
    "/apply 1": say("/apply 1"),
    "/apply a path": say("/apply app.py"),
    "/edits apply": say("/EDITS apply"),
    "/skip": say("/skip 1"),
    "/retry": say("/retry"),
    "/undo": say("/undo"),
    "a review": review,
    "a reply": reply,
    "a command in a thread": reply_command,
}
