"""Short answers: their texts, their size, and that nothing foreign in them is active."""

import re
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import report_outcomes as outcomes

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.event import Verb
from editblocks.report.status import replies
from editblocks.report.status.links import Page, read_marker
from editblocks.report.status.markdown import status
from editblocks.report.status.replies import (
    OpenSource,
    read_reply,
    refused_line,
    refused_lines,
    reply,
    with_refused_line,
)
from editblocks.report.view import OutcomeView

TO = "issuecomment-2048812399"
PULL = "https://github.com/acme/shop/pull/128"
FORK = Refusal(
    ReasonCode.FORK, "this workflow does not write to hubot/shop", "in the fork, apply the patch from the status"
)
RULE = Refusal(ReasonCode.BRANCH_REFUSED, "main is the default branch", "use a pull request from another branch")


def sources(count: int) -> list[OpenSource]:
    return [(12 + n, f"{PULL}#issuecomment-{12 + n}", State.CHECKED) for n in range(count)]


def of(number: int, command: str = "/apply", state: str = "every block is ready") -> str:
    return f"- `{command} of {number}`: [comment]({PULL}#issuecomment-{number}), {state}"


TEXTS: list[tuple[str, str]] = [
    (
        replies.refusal_reply(TO, "`/apply 4@x` needs a line number after `@`, as in `4@48`"),
        "bad-command: `/apply 4@x` needs a line number after `@`, as in `4@48`\n\n`/edits help` lists the commands.",
    ),
    (
        replies.refusal_reply(TO, "no block changes `@octocat`; the answer names `<img src=x>`"),
        "bad-command: no block changes `@octocat`; the answer names `<img src=x>`\n\n`/edits help` lists the commands.",
    ),
    (
        replies.listing(TO, "several-open", "/apply 1-3", sources(2)),
        "2 comments or reviews could be meant; send one of these lines:\n\n"
        f"{of(12, '/apply 1-3')}\n{of(13, '/apply 1-3')}",
    ),
    (
        replies.listing(TO, "several-open", "/undo", sources(7)),
        "7 comments or reviews could be meant; send one of these lines:\n\n"
        + "\n".join(of(number, "/undo") for number in range(12, 16))
        + "\n- and 3 more",
    ),
    (
        replies.listing(
            TO,
            "several-open",
            "/edits apply a`b",
            [
                (7, f"{PULL}#pullrequestreview-7", State.FAILED),
                (8, f"{PULL}#discussion_r8", State.STALE),
                (9, "https://example.com/?)", State.UNDONE),
                (10, f"{PULL}#issuecomment-10", State.APPLIED),
            ],
        ),
        "4 comments or reviews could be meant; send one of these lines:\n\n"
        f"- ``/edits apply a`b of 7``: [review]({PULL}#pullrequestreview-7), a block failed\n"
        f"- ``/edits apply a`b of 8``: [review]({PULL}#discussion_r8), something changed meanwhile\n"
        "- ``/edits apply a`b of 9``: review, it was undone\n"
        f"- ``/edits apply a`b of 10``: [comment]({PULL}#issuecomment-10), applied",
    ),
    (
        reply(TO, "none-open", words="/edits apply"),
        "there is nothing to apply here; post edit blocks, or name their comment with `of` and its number",
    ),
    (
        reply(TO, "none-open", words="/skip"),
        "there is nothing to skip here; post edit blocks, or name their comment with `of` and its number",
    ),
    (
        reply(TO, "source-edited", words="/apply", status=f"{PULL}#pullrequestreview-7"),
        "source-edited: the answer was edited after the check; it was checked again,"
        f" look at [the status]({PULL}#pullrequestreview-7), then `/apply` again",
    ),
    (
        reply(TO, "source-edited", words="/edits apply", status="javascript:alert(1)"),
        "source-edited: the answer was edited after the check; it was checked again,"
        " look at the status, then `/edits apply` again",
    ),
    (
        reply(TO, "nothing-to-undo"),
        "there is nothing to undo here; name another comment with `of` and its number, or use `git revert`",
    ),
    (reply(TO, "merged"), "closed: the pull request is merged, nothing was done"),
    (reply(TO, "closed"), "closed: the pull request is closed, nothing was done"),
    (
        replies.refusal_reply(TO, FORK.reason, FORK.code),
        "fork: this workflow does not write to `hubot/shop`; in the fork, apply the patch from the status",
    ),
    (
        replies.refusal_reply(TO, RULE.reason, RULE.code),
        "branch-refused: main is the default branch; use a pull request from another branch",
    ),
]


@pytest.mark.parametrize(("said", "text"), TEXTS, ids=[text[:40] for _, text in TEXTS])
def test_what_is_answered(said: str, text: str) -> None:
    assert said == f"<!-- editblocks:answer v1 to={TO} -->\n{text}"
    assert (read_reply(said), read_marker(said)) == (TO, None)
    assert len(said) <= replies.REPLY_LIMIT


@pytest.mark.parametrize(("short", "by"), [(True, "/"), (False, "/edits ")])
def test_the_help_names_every_command(short: bool, by: str) -> None:
    said = replies.commands_help("pullrequestreview-9223372036854775807", short)
    assert len(said) <= replies.REPLY_LIMIT
    for command in ("apply ready", "apply 1-3,4@48"):
        assert f"`{by}{command}`" in said
    for verb in get_args(Verb):
        assert verb == "help" or f"`{by}{verb}" in said
    assert ("`/apply" in said, "`/edits apply`" in said) == (short, True)


FAR = f"https://{'h' * 50}.example/{'o' * 39}/{'r' * 100}/pull/99999#pullrequestreview-9223372036854775807"
FOREIGN = st.text(alphabet=st.sampled_from("`@#<>[]()!*_~|\\:/.1a \t\n\r\u202e\U000e0041\udc80"), max_size=400)
WITH_FOREIGN_TEXT: tuple[Callable[[str], str], ...] = (
    lambda text: replies.refusal_reply(TO, text),
    lambda text: replies.refusal_reply(TO, text, ReasonCode.PUBLISH_FAILED),
    lambda text: replies.listing(TO, "several-open", f"/apply {text[:190]}", [(2**63 - 1, FAR, State.PARTIAL)] * 9),
    lambda text: refused_line("/apply", text, text, text),
)
CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")


@given(FOREIGN, st.sampled_from(WITH_FOREIGN_TEXT))
def test_nothing_foreign_is_active(text: str, write: Callable[[str], str]) -> None:
    said = write(text).removeprefix(f"<!-- editblocks:answer v1 to={TO} -->\n")
    outside = CODE.sub("", said.replace(f"]({FAR})", "").removesuffix("<!-- editblocks:refused -->"))
    assert re.search(r"[`@#<>!*_~|\\\u202e\U000e0041\udc80\r\t]", outside) is None
    assert "://" not in outside
    assert len(said) <= replies.REPLY_LIMIT or "was refused" in said


CUT: list[tuple[str, int]] = [("x" * 10_000, 120), ("@ " * 5_000, 300), ("\U000e0041 " * 5_000, 75)]


@pytest.mark.parametrize(("message", "least"), CUT)
def test_a_long_sentence_is_cut_until_it_fits(message: str, least: int) -> None:
    said = replies.refusal_reply(TO, message)
    assert least <= len(said) <= replies.REPLY_LIMIT
    assert said.endswith("\n\n`/edits help` lists the commands.")


ANSWERS: list[tuple[str, str | None]] = [
    ("<!-- editblocks:answer v1 to=issuecomment-1 -->", "issuecomment-1"),
    ("<!-- editblocks:answer v1 to=issuecomment-1 -->\r\nx", "issuecomment-1"),
    ("<!-- editblocks:answer v1 to=discussion_r2 -->\nx", "discussion_r2"),
    ("<!-- editblocks:answer v1 to=pullrequestreview-3 -->\nx", "pullrequestreview-3"),
    ("<!-- editblocks:answer v1 to=issuecomment-1 --> x", None),
    (" <!-- editblocks:answer v1 to=issuecomment-1 -->", None),
    ("\n<!-- editblocks:answer v1 to=issuecomment-1 -->", None),
    ("<!-- editblocks:answer v2 to=issuecomment-1 -->", None),
    ("<!-- editblocks:answer v1 to=issuecomment- -->", None),
    ("<!-- editblocks:answer v1 to=issuecomment-\u0661 -->", None),
    ("<!-- editblocks:answer v1 to=file-0123456789abcdef -->", None),
    ("<!-- editblocks:answer v1  to=issuecomment-1 -->", None),
    ("<!-- editblocks:status v1 to=issuecomment-1 -->", None),
    (f"<!-- editblocks:answer v1 to=issuecomment-{'1' * 20} -->", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "to"), ANSWERS)
def test_a_marker_is_read_only_as_it_is_written(text: str, to: str | None) -> None:
    assert read_reply(text) == to


@pytest.mark.parametrize("to", ["", "issuecomment-1 -->", "file-0123456789abcdef", "issuecomment-1\n"])
def test_what_is_no_comment_is_not_answered(to: str) -> None:
    with pytest.raises(ValueError, match="is not a comment or review"):
        reply(to, "nothing-to-undo")


@pytest.mark.parametrize("words", ["", "apply", "/apply 1", "/edits help", "/Apply", "/apply\n"])
def test_words_are_those_of_a_command(words: str) -> None:
    with pytest.raises(ValueError, match="is not a command"):
        refused_line(words, "hubot", "read", "write")


LINES: list[tuple[tuple[str, str, str, str], str]] = [
    (
        ("/apply", "hubot", "read", "write"),
        "/apply by `hubot` was refused: not-permitted (role read, needs write) <!-- editblocks:refused -->",
    ),
    (
        ("/edits undo", "octocat", "", "maintain"),
        "/edits undo by `octocat` was refused: not-permitted (role none, needs maintain) <!-- editblocks:refused -->",
    ),
    (
        ("/skip", "a`b\n@c", "@team reader", "admin"),
        "/skip by ``a`b␊@c`` was refused: not-permitted (role `@team` reader, needs admin) <!-- editblocks:refused -->",
    ),
]


@pytest.mark.parametrize(("given", "line"), LINES, ids=[line[:20] for _, line in LINES])
def test_the_line_of_a_refused_command(given: tuple[str, str, str, str], line: str) -> None:
    assert refused_line(*given) == line
    assert refused_lines(with_refused_line(STATUS, line) or "") == (line,)


STATUS = status(OutcomeView(outcomes.mockup()), Page("1.0.0", links=outcomes.LINKS))
HUBOT, CAT, LISA, ZEN = (
    refused_line("/apply", name, "read", "write") for name in ("hubot", "octocat", "monalisa", "zen")
)


def with_all(body: str, *lines: str) -> str:
    for line in lines:
        body = with_refused_line(body, line) or body
    return body


def test_a_refused_line_stands_above_the_small_print() -> None:
    above, _, small_print = STATUS.rpartition("\n\n")
    assert with_refused_line(STATUS, HUBOT) == f"{above}\n\n{HUBOT}\n\n{small_print}"
    assert with_all(STATUS, HUBOT, CAT) == f"{above}\n\n{HUBOT}\n\n{CAT}\n\n{small_print}"
    assert refused_lines(with_all(STATUS, HUBOT, CAT)) == (HUBOT, CAT)
    assert refused_lines(STATUS) == ()
    assert read_marker(with_all(STATUS, HUBOT)) == read_marker(STATUS) is not None


SMALL = f"{STATUS.partition(chr(10))[0]}\n### Title\n\n"
UNCHANGED: list[tuple[str, str, str]] = [
    ("the same line twice", with_all(STATUS, HUBOT), HUBOT),
    ("the same line, not the last one", with_all(STATUS, HUBOT, CAT), HUBOT),
    ("three are there", with_all(STATUS, HUBOT, CAT, LISA), ZEN),
    ("no small print", SMALL + "text", HUBOT),
    ("small print in a fence", SMALL + "```text\na\n\n<sub>b</sub>\n```", HUBOT),
    ("small print that goes on", SMALL + "<sub>b</sub> c", HUBOT),
    ("no status", STATUS.partition("\n")[2], HUBOT),
    ("an answer", reply(TO, "nothing-to-undo") + "\n\n<sub>b</sub>", HUBOT),
    ("nothing", "", HUBOT),
    ("no room", f"{SMALL}{'x' * 65_400}\n\n<sub>b</sub>", HUBOT),
]


@pytest.mark.parametrize(("body", "line"), [row[1:] for row in UNCHANGED], ids=[row[0] for row in UNCHANGED])
def test_a_status_that_takes_no_more_lines(body: str, line: str) -> None:
    assert with_refused_line(body, line) is None


def test_the_last_character_there_is_room_for() -> None:
    room = replies.BODY_LIMIT - len(f"{SMALL}\n\n{HUBOT}\n\n<sub>b</sub>")
    longest = with_refused_line(f"{SMALL}{'x' * room}\n\n<sub>b</sub>", HUBOT)
    assert longest is not None
    assert len(longest) == replies.BODY_LIMIT
    assert with_refused_line(f"{SMALL}{'x' * (room + 1)}\n\n<sub>b</sub>", HUBOT) is None


def test_lines_that_only_look_like_ours_do_not_count() -> None:
    fenced = f"{SMALL}```text\n{HUBOT}\n\n{CAT}\n\n{LISA}\n\n<sub>b</sub>\n```\n\n<sub>c</sub>"
    assert refused_lines(fenced) == ()
    assert refused_lines(with_all(fenced, HUBOT)) == (HUBOT,)
    assert with_all(fenced, HUBOT).endswith(f"\n```\n\n{HUBOT}\n\n<sub>c</sub>")
