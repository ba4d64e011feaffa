"""The table of what a run costs, and the page that multiplies it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.actionkit import APP, FAILS, FITS, Done, act, block, pull_request
from support.hub import Event, Hub, hub
from support.pages import read, table
from support.talkkit import Talk, talk

from editblocks.repos.github.client import MAX_REQUESTS, MAX_SECONDS

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


def spoken(folder: Path, *steps: "Step") -> int:
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


# the page of many comments


BUDGET = {row[0]: int(row[1]) for row in table(read("docs/reference/action.md"), "run")}
SCALE = read("docs/guide/scale.md")
COMMIT = BUDGET["comment committed, 1 to 50 files"]
APPLY = next(BUDGET[run] for run in BUDGET if run.startswith("`/apply` for another"))
DAYS = {row[0]: [int(number.replace(",", "")) for number in row[:4]] for row in table(SCALE, "comments a day")}


def test_a_comment_costs_what_the_budget_says() -> None:
    shown = {row[0]: row[2].split(" ")[0] for row in table(SCALE, "a comment")}
    undo = next(BUDGET[run] for run in BUDGET if run.startswith("`/undo`"))
    assert list(shown.values()) == ["0", "0", str(COMMIT), str(APPLY), str(undo)]


@pytest.mark.parametrize("comments", DAYS)
def test_a_day_is_the_cost_of_a_comment_times_the_comments(comments: str) -> None:
    """One in ten has blocks and an `/apply`; the workflow of the README, for the first row, starts a job for each."""
    number, jobs, minutes, requests = DAYS[comments]
    pairs = number // 10
    assert jobs == minutes == (number if number == 10 else 2 * pairs)
    assert requests == pairs * (COMMIT + APPLY)
    assert f"10 × {COMMIT} + 10 × {APPLY} = {10 * (COMMIT + APPLY)} requests" in SCALE


def test_the_limits_are_those_of_a_comment_and_its_apply(tmp_path: Path) -> None:
    with talk(tmp_path, {"app.py": APP}) as t:
        names = [*t.say("hubot", FITS).names, *t.say("octocat", "/apply").names]
    writing = [name for name in names if not name.startswith(("GET ", "query "))]
    assert f"each of the {len(writing)} requests that write" in SCALE
    assert f"{500 // len(writing)} comments an hour with their `/apply`" in SCALE
    assert f"{1000 // (COMMIT + APPLY)} comments an hour in one repository" in SCALE
    assert f"| {MAX_REQUESTS} requests, {MAX_SECONDS / 60:.0f} minutes |" in SCALE


def test_the_time_of_a_run_is_the_one_that_was_measured() -> None:
    [measured] = [row[3] for row in table(read("docs/internals/performance.md"), "row") if row[0] == "A3"]
    [time] = re.findall(r"\((.*)\)", measured)
    assert f"{time}, with pip" in SCALE
