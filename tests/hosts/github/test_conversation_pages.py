"""What people see is what GitHub shows: the page of a comment, wherever its text is read (amendment A1)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FITS, Done
from support.talkkit import NOTE, Talk, talk

from editblocks.hosts.github.page import LONGEST_PAGE
from editblocks.report.status.links import read_marker

HIDDEN = f"Fine.\n\n<!--\n{FITS}\n-->\n"
SENTENCE = "GitHub did not send the rendered comment"
Alter = Callable[[dict[str, Any]], object]


def comment(t: Talk) -> Done:
    return t.say("octocat", FITS)


def review(t: Talk) -> Done:
    return t.run(t.h.review(t.pull, "octocat", FITS))


def inline(t: Talk) -> Done:
    return t.run(t.h.review(t.pull, "octocat", "", [("app.py", 2, FITS)]))


def reply(t: Talk) -> Done:
    t.h.world.review(t.pull, "hubot", "", [("app.py", 2, "Why zero?")])
    return t.run(t.h.reply(t.pull, "octocat", FITS, t.pull.review_comments[0]))


def replay(t: Talk) -> Done:
    t.h.world.say(t.pull, "octocat", FITS)
    ids = {"comment-id": str(t.pull.comments[0].id), "pr-number": str(t.pull.number)}
    return t.run(t.h.dispatch("octocat"), inputs=ids)


SPEAK = [comment, review, inline, reply, replay]


def bodies(value: object, alter: Alter) -> None:
    """Change every object of an answer that has a page."""
    if isinstance(value, dict):
        if "bodyHTML" in value or "body_html" in value:
            alter(value)
        for each in value.values():
            bodies(each, alter)
    elif isinstance(value, list):
        for each in value:
            bodies(each, alter)


def spoil(t: Talk, alter: Alter, step: str = "*") -> None:
    """From now on, GitHub's answers have other pages."""

    def change(body: Any) -> Any:
        bodies(body, alter)
        return body

    t.h.fault(step, times=999, alter=change)


def says(page: object) -> Alter:
    def alter(node: dict[str, Any]) -> None:
        node["bodyHTML" if "bodyHTML" in node else "body_html"] = page

    return alter


def failed_condition(node: dict[str, Any]) -> None:
    node.pop("bodyHTML", None)
    node.pop("body_html", None)


def status(t: Talk) -> str:
    """The text of the only status, a review or a reply."""
    posts = [*t.pull.reviews, *t.pull.review_comments]
    (body,) = (post.body for post in posts if read_marker(post.body) is not None)
    return body


NO_PAGE: dict[str, Alter] = {
    "null": says(None),
    "a number": says(7),
    "missing": failed_condition,
    "too long": says("<p>x</p>" * (LONGEST_PAGE // 8 + 1)),
}


@pytest.mark.parametrize("speak", SPEAK)
@pytest.mark.parametrize("claim", NO_PAGE)
@pytest.mark.long(after=1)
def test_nothing_is_committed_without_a_page(tmp_path: Path, claim: str, speak: Callable[[Talk], Done]) -> None:
    with talk(tmp_path) as t:
        spoil(t, NO_PAGE[claim])
        speak(t)
        assert (t.made, t.states, SENTENCE in status(t)) == (0, ["refused"], True)


@pytest.mark.parametrize("speak", SPEAK)
@pytest.mark.parametrize("page", ["", "<p>Hello</p>", f'<p title="{FITS}">Hello</p>'], ids=["empty", "other", "title"])
@pytest.mark.long(after=1)
def test_a_page_that_lies_hides_the_blocks(tmp_path: Path, page: str, speak: Callable[[Talk], Done]) -> None:
    with talk(tmp_path) as t:
        spoil(t, says(page))
        speak(t)
        assert (t.made, t.states, "hidden-block" in status(t)) == (0, ["failed"], True)


@pytest.mark.parametrize("claim", NO_PAGE)
@pytest.mark.long(after=1)
def test_no_suggestion_is_committed_without_a_page(tmp_path: Path, claim: str) -> None:
    with talk(tmp_path) as t:
        found = t.h.world.review(t.pull, "hubot")
        body = "```suggestion\nsecond\n```"
        t.h.world.inline(t.pull, found, body, path="notes.txt", line=2, original_line=2, diff_hunk="@@ -0,0 +1,3 @@")
        event = t.h.comment(t.pull, "octocat", "/apply suggestions")
        spoil(t, NO_PAGE[claim], "query Suggestions")
        t.run(event)
        assert (t.made, t.states, SENTENCE in status(t)) == (0, ["refused"], True)


def test_the_part_of_a_review_that_is_hidden_is_named(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        done = t.run(t.h.review(t.pull, "octocat", NOTE, [("app.py", 2, HIDDEN), ("app.py", 3, "Fine")]))
        assert (done.outputs["result"], t.made) == ("failed", 0)
        assert "hidden-block" in t.status


# another version of the text


def test_the_page_of_another_text_says_nothing(tmp_path: Path) -> None:
    """It was edited before the first look, and back before the last one."""
    with talk(tmp_path) as t:
        event = t.h.comment(t.pull, "octocat", FITS)
        said = t.pull.comments[0]
        t.h.world.edit(said, f"{FITS}\nand more", said.author)
        t.h.fault("query Live", before=lambda: t.h.world.edit(said, FITS, said.author))
        t.run(event)
        assert (t.made, t.states, "changed after the check" in t.status) == (0, ["stale"], True)


def test_a_comment_that_is_not_there_at_first_is_asked_for_again(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.h.lag("query Context", only="pulls")
        t.say("octocat", FITS)
        assert (t.made, t.states) == (1, ["applied"])


# commands


def waiting(t: Talk, body: str) -> None:
    t.say("hubot", body)


def waiting_reply(t: Talk, body: str) -> None:
    t.h.world.review(t.pull, "octocat", "", [("app.py", 2, "Why zero?")])
    t.run(t.h.reply(t.pull, "hubot", body, t.pull.review_comments[0]))


def waiting_review(t: Talk, body: str) -> None:
    t.run(t.h.review(t.pull, "hubot", "", [("app.py", 2, body)]))


@pytest.mark.parametrize("wait", [waiting, waiting_reply, waiting_review])
@pytest.mark.parametrize(("page", "state"), [("<p>Hello</p>", "failed"), (None, "refused")], ids=["another", "none"])
@pytest.mark.long(after=1)
def test_a_command_compares_the_page_of_the_moment(
    tmp_path: Path, page: str | None, state: str, wait: Callable[[Talk, str], None]
) -> None:
    with talk(tmp_path) as t:
        wait(t, FITS)

        def change(node: dict[str, Any]) -> None:
            if node["body"] == FITS:
                says(page)(node)

        spoil(t, change)
        t.say("octocat", "/apply")
        assert (t.made, t.states[-1]) == (0, state)


@pytest.mark.parametrize("wait", [waiting, waiting_reply, waiting_review])
@pytest.mark.long(after=1)
def test_a_command_applies_what_the_page_shows(tmp_path: Path, wait: Callable[[Talk, str], None]) -> None:
    with talk(tmp_path) as t:
        wait(t, FITS)
        done = t.say("octocat", "/apply")
        assert (t.made, t.is_applied) == (1, True)
        reads = [request for request in t.h.log if request.name.startswith("GET ") and "/comments/" in request.path]
        assert {request.headers["accept"] for request in reads if not request.path.endswith("reactions")} <= {
            "application/vnd.github.full+json"
        }
        assert len(done.names) <= 14, done.names


COMMANDS: dict[str, Alter] = {"another command": says("<p>/apply 2</p>"), "an empty page": says(""), "none": says(None)}


@pytest.mark.parametrize("claim", COMMANDS)
@pytest.mark.long(after=1)
def test_a_command_that_the_page_does_not_show_is_refused(tmp_path: Path, claim: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)

        def change(node: dict[str, Any]) -> None:
            if node["body"].startswith("/apply"):
                COMMANDS[claim](node)

        spoil(t, change)
        t.say("octocat", "/apply 1")
        assert (t.made, len(t.answers)) == (0, 1)
        assert ("GitHub does not show the command" in t.answers[0]) or (SENTENCE in t.answers[0])


# a file has no page


def test_a_response_file_hides_nothing(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        before = t.head
        t.h.world.push(t.pull, {".edits/fix.md": HIDDEN.encode()})
        t.run(t.h.pull_event(t.pull, "synchronize", "octocat", before))
        assert t.is_applied
