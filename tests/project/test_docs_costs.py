"""The table of what a run costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.actionkit import APP, FAILS, FITS, Done, act, block, pull_request
from support.hub import Event, Hub, hub
from support.pages import read, table
from support.talkkit import Talk, talk

# what a run costs


def costs(folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Rows of the table of requests that need no more than a conversation."""
    response = {".edits/one.md": FITS.encode()}
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        yield "talk, edited comment, plain issue", (asked(h, h.comment(pull, "octocat", "fine"), folder),)
        yield "review without blocks", (asked(h, h.review(pull, "octocat", "fine"), folder),)
        yield "comment committed, 1 to 50 files", (asked(h, h.comment(pull, "octocat", FITS), folder),)
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        yield "review committed, 1 file", (asked(h, h.review(pull, "octocat", FITS), folder),)
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        first = [asked(h, h.comment(pull, author, FITS), folder) for author in ("dependabot[bot]", "hubot")]
        yield "checked only", (*first, asked(h, failed(h), folder))
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        act(h, h.comment(pull, "hubot", FITS), folder)
        words = [asked(h, h.comment(pull, "octocat", word), folder) for word in ("/skip 1", "/retry")]
        yield "`/skip` · `/retry`", tuple(words)
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, **response})
        one = asked(h, h.pull_event(pull), folder)
        yield "response file committed, 1 file", (one,)

    for run, cases in SPOKEN.items():
        yield run, tuple(spoken(folder, *steps) for steps in cases)


def spoken(folder: Path, *steps: Step) -> int:
    """What the last step asks for: words are a writer's, blocks a reader's."""
    done = None
    with talk(folder, {"app.py": APP, "twice.py": b"a = 0\nb = 1\na = 0\n", ".edits/one.md": FITS.encode()}) as t:
        for step in steps:
            done = step(t) if callable(step) else t.say("octocat" if step.startswith("/") else "hubot", step)
    return len(done.names) if done else 0


def reviewed(t: Talk) -> Done:
    return t.run(t.h.review(t.pull, "octocat", "", [("app.py", 2, FITS)]))


def pushed(t: Talk) -> Done:
    return t.run(t.h.pull_event(t.pull))


def begged(t: Talk) -> Done:
    return t.say("hubot", "/apply")


def approved_late(t: Talk) -> Done:
    t.h.world.edit(t.pull.comments[0], FITS.replace("sum", "len"))
    return t.say("octocat", "/apply")


Step = str | Callable[[Talk], Done]
TWO = block("twice.py", "a = 0", "a = 9") + FITS  # the first one fits twice
# the row of the page → the ways to get there, the steps of each; the last step is counted, and the page has the most
SPOKEN: dict[str, tuple[tuple[Step, ...], ...]] = {
    "`/apply` for another comment, 1 file": (
        (FITS, "/apply"),
        (TWO, "/apply 1@3"),
        (TWO, "/apply 2", "/apply 1@3"),
    ),
    "`/apply` for a comment that was edited since": ((FITS, approved_late),),
    "`/undo`, 1 file": (
        (FITS, "/apply", "/undo"),
        (TWO, "/apply 2", "/apply 1@3", "/undo"),
        (reviewed, "/undo"),
        (pushed, "/undo"),
    ),
    "a command that is refused": ((FITS, begged), ("/apply",), (FITS, "/apply 9")),
    "the same event again": (
        (FITS, "/apply", "/undo", Talk.again),
        ("/apply", Talk.again),
        (FITS, "/retry", Talk.again),
        (FITS, "/apply 9", Talk.again),
        (TWO, "/apply ready", Talk.again),
        (FITS, approved_late, Talk.again),
    ),
}


def failed(h: Hub) -> Event:
    return h.comment(pull_request(h, {"app.py": APP}), "octocat", FAILS)


def asked(h: Hub, event: Event, folder: Path) -> int:
    return len(act(h, event, folder).names)


@pytest.mark.long
def test_the_table_of_requests(tmp_path: Path) -> None:
    shown = {row[0]: int(row[1]) for row in table(read("docs/reference/action.md"), "run")}
    found = dict(costs(tmp_path))
    assert len(found) > 10
    for run, requests in found.items():
        assert max(requests) == shown[run], run
