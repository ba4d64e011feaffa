"""The commit message is one of a closed language, whatever the title, the login and the paths are."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace

import pytest
import report_outcomes as outcomes
from hypothesis import example, given
from hypothesis import strategies as st

from editblocks.codes import State
from editblocks.errors import SelfCheckFailed
from editblocks.model import ApplyResult
from editblocks.outcome import Response, Source
from editblocks.report.message import PATTERN, checked, commit_message, is_plain_title

KEYS = (
    "Edit-Blocks-Source", "Edit-Blocks-Digest", "Edit-Blocks-Base", "Edit-Blocks-Selected", "Edit-Blocks-Applied-By"
)  # fmt: skip
PLAN = outcomes.mockup(State.PARTIAL).result
RESPONSE = Response("text", outcomes.COMMENT)


def _trailers(message: str) -> dict[str, str]:
    lines = [line for line in message.splitlines() if line.startswith("Edit-Blocks-")]
    return dict(line.split(": ", 1) for line in lines)


TITLES = (
    ("Correct cart totals", True),
    ("Rename a/b_c (again): it's + fine; really, yes.", True),
    ("x" * 60, True),
    ("x" * 61, False),
    ("", False),
    (" x", False),
    ("x ", False),
    ("-x", False),
    ("Fixes #1", False),
    ("Fixes GH-12", False),
    ("fixes gh-12", False),
    ("high-5", True),
    ("Fixes https://github.com/acme/shop/issues/1", False),
    ("[skip ci] x", False),
    ("skip-checks: true", False),
    ("Signed-off-by: Mona", False),
    ("Co-authored-by : Mona", False),
    ("ask @octocat", False),
    ("caf\u00e9", False),
    ("a\nb", False),
    ("a\n", False),
    ("\u0661", False),
)


@pytest.mark.parametrize(("title", "plain"), TITLES)
def test_is_plain_title(title: str, plain: bool) -> None:
    assert is_plain_title(title) is plain
    subject = commit_message(RESPONSE, PLAN, title=title).split("\n", 1)[0]
    assert subject == (title if plain else "Apply 3 edit blocks")


PREFIXES = (
    ("fix: ", "x", "fix: x"),
    ("gh-", "12", "gh-Apply 3 edit blocks"),
    ("skip-", "checks", "skip-Apply 3 edit blocks"),
    ("http:/", "/x", "http:/Apply 3 edit blocks"),
    ("fix: ", "y" * 60, f"fix: {'y' * 60}"),
    ("build(deps)!: ", "y" * 60, "build(deps)!: Apply 3 edit blocks"),
    ("gh-1: ", "x", "x"),
    ("Fix: ", "x", "x"),
    ("\n", "x", "x"),
    ("-m ", "x", "x"),
    (" ", "x", "x"),
)


@pytest.mark.parametrize(("prefix", "title", "subject"), PREFIXES)
def test_prefix_and_title_are_judged_together(prefix: str, title: str, subject: str) -> None:
    assert commit_message(RESPONSE, PLAN, title=title, prefix=prefix).split("\n", 1)[0] == subject


SOURCES = (
    (outcomes.COMMENT, "https://github.com/acme/shop/pull/128#issuecomment-2048812345"),
    (replace(outcomes.COMMENT, uri="http://localhost:8080/a/b/pull/1#discussion_r2"), "http://localhost:8080/a/b/pull/1#discussion_r2"),
    (replace(outcomes.COMMENT, uri="https://github.com/a/b/pull/1#issuecomment-2\nFixes: #1"), None),
    (replace(outcomes.COMMENT, uri="https://github.com/a/b/issues/1"), None),
    (Source("stdin", "stdin"), "stdin"),
    (Source("text", "text"), "text"),
    (outcomes.FILE, "file-0fbff03cdb639435"),
    (Source("x", "file", path="\udc80 Fixes #1"), "file-c8717ebdb74e151e"),
)  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), SOURCES)
def test_the_source_is_an_address_of_ids_or_a_digest(source: Source, expected: str | None) -> None:
    assert _trailers(commit_message(Response("", source), PLAN)).get("Edit-Blocks-Source") == expected


LOGINS = (("octocat", "octocat"), ("mona_lisa-1", "mona_lisa-1"), ("dependabot[bot]", None), ("a\nb", None), ("", None))


@pytest.mark.parametrize(("login", "expected"), LOGINS)
def test_a_login_that_is_none_is_left_out(login: str, expected: str | None) -> None:
    message = commit_message(Response("", Source("stdin", "stdin")), PLAN, applied_by=login or None)
    assert _trailers(message).get("Edit-Blocks-Applied-By") == expected


def test_a_head_that_is_no_commit_is_left_out() -> None:
    assert "Edit-Blocks-Base" not in commit_message(RESPONSE, PLAN, head="main")
    assert "Edit-Blocks-Base: " + outcomes.HEAD in commit_message(RESPONSE, PLAN, head=outcomes.HEAD)


def test_a_selection_too_long_to_name_is_left_out_not_cut() -> None:
    rows = [outcomes.applied(n, "a.py") if n % 2 else outcomes.ambiguous(n, "b.py") for n in range(1, 201)]
    assert "Edit-Blocks-Selected" not in commit_message(RESPONSE, outcomes.outcome(*rows).result)


def test_a_plan_that_changes_nothing_has_no_message() -> None:
    with pytest.raises(SelfCheckFailed, match="not of the form"):
        commit_message(RESPONSE, ApplyResult())


GOOD = commit_message(RESPONSE, PLAN, head=outcomes.HEAD)
FORGED = (
    f"{GOOD}Signed-off-by: Mona\n",
    f"\n{GOOD}",
    GOOD.rstrip("\n"),
    GOOD.replace("Apply 3 edit blocks", "Fixes GH-1"),
    GOOD.replace("Apply 3 edit blocks", "x" * 73),
    GOOD.replace("octocat", "octo\u00e7at"),
    GOOD.replace("How: 1 exact", "How: 1 magic"),
)


@pytest.mark.parametrize("message", FORGED)
def test_another_message_is_refused(message: str) -> None:
    with pytest.raises(SelfCheckFailed):
        checked(message)


@given(
    title=st.one_of(st.none(), st.text(), st.from_regex(r"[A-Za-z0-9 ,.:;()/_+'-]{1,60}", fullmatch=True)),
    prefix=st.one_of(st.text(max_size=20), st.from_regex(r"[a-z0-9()!:/ -]{0,20}", fullmatch=True)),
    login=st.text(),
    path=st.text(),
    uri=st.text(),
)
@example(title="fixes", prefix="gh-1", login="a", path="", uri="")
@example(title="Signed-off-by", prefix="", login="\n", path="\n", uri="\n")
def test_every_message_is_of_the_pattern(title: str | None, prefix: str, login: str, path: str, uri: str) -> None:
    source = Source("x", "file", uri=uri, author=login, path=path)
    message = commit_message(Response(path, source), PLAN, head=login, title=title, prefix=prefix, applied_by=login)
    assert PATTERN.fullmatch(message)
    assert message.isascii()
    assert "@" not in message
    assert "[" not in message


@pytest.mark.parametrize("title", [None, "Correct cart totals", "key: value", "Fixes: x"])
def test_git_finds_exactly_our_trailers(title: str | None) -> None:
    message = commit_message(RESPONSE, PLAN, head=outcomes.HEAD, title=title)
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=message,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    assert [line.split(": ", 1)[0] for line in parsed.splitlines()] == list(KEYS)
    assert dict(line.split(": ", 1) for line in parsed.splitlines()) == _trailers(message)
