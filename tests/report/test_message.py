"""The commit message is one of a closed language, whatever the title, the login and the paths are."""

import os
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import report_outcomes as outcomes

from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import SelfCheckFailed
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import FrontMatter, Response, Signature, Source
from editblocks.report.commit_message import (
    PATTERN,
    UNDO_PATTERN,
    commit_message,
    count_applied,
    read_trailers,
    title_fault,
    undo_message,
)

KEYS = (
    "Edit-Blocks-Source", "Edit-Blocks-Digest", "Edit-Blocks-Base", "Edit-Blocks-Selected", "Edit-Blocks-Applied-By"
)  # fmt: skip
PLAN = outcomes.mockup(State.PARTIAL).result
RESPONSE = Response("text", outcomes.COMMENT)


def titled(title: str | None, response: Response = RESPONSE) -> Response:
    """The response with a title in its front matter."""
    return response._replace(front=FrontMatter(title=title))


ALREADY = ApplyResult(
    tuple(outcomes.skipped(number, "a.py", ReasonCode.ALREADY_APPLIED, "there") for number in (1, 2, 3))
)
CO_AUTHOR = "octocat <583231+octocat@users.noreply.github.com>"


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
    assert (title_fault(title) is None) is plain
    subject = commit_message(titled(title), PLAN).split("\n", 1)[0]
    assert subject == (title if plain else "Apply 3 edit blocks")


def test_a_fault_names_the_whole_word() -> None:
    fault = title_fault("Signed-off-by: Mona")
    assert fault is not None
    assert fault.startswith("has `Signed-off-by:`, which")


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
    assert commit_message(titled(title), PLAN, prefix=prefix).split("\n", 1)[0] == subject


SOURCES = (
    (outcomes.COMMENT, "https://github.com/acme/shop/pull/128#issuecomment-2048812345"),
    (outcomes.COMMENT._replace(uri="http://localhost:8080/a/b/pull/1#discussion_r2"),
    "http://localhost:8080/a/b/pull/1#discussion_r2"),
    (outcomes.COMMENT._replace(uri="https://github.com/a/b/pull/1#issuecomment-2\nFixes: #1"), None),
    (outcomes.COMMENT._replace(uri="https://github.com/a/b/issues/1"), None),
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
    message = commit_message(Response("", Source("stdin", "stdin")), PLAN, signature=Signature(login or None))
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
UNDO = undo_message(GOOD, (2, 4, 28), head=outcomes.COMMIT, signature=Signature("monalisa"))
REMOVAL = commit_message(RESPONSE, ALREADY, head=outcomes.HEAD, removes_file=True)
FORGED = (
    f"{GOOD}Signed-off-by: Mona\n",
    f"{GOOD}signed-off-by: Mona\n",
    f"{GOOD}Edit-Blocks-Undo: {'0' * 64}\n",
    f"{GOOD}Co-authored-by: Mona <mona@example.com>\n",
    f"{GOOD}Note: x\nCo-authored-by: {CO_AUTHOR}\n",
    f"{GOOD}Closes: https://github.com/acme/shop/issues/1\n",
    f"{GOOD}\nNote: x\n",
    f"\n{GOOD}",
    GOOD.replace("Apply 3 edit blocks", "Fixes GH-1"),
    GOOD.replace("Apply 3 edit blocks", "x" * 73),
    GOOD.replace("octocat", "octo\u00e7at"),
    GOOD.replace("How: 1 exact", "How: 1 magic"),
    UNDO.replace("Undo 3 edit blocks", "Correct cart totals"),
    UNDO.replace("Undo 3", "gh-1Undo 3"),
    UNDO.replace("2 files", "2 of 3 files"),
    f"{UNDO}Edit-Blocks-Selected: all\n",
    UNDO.replace("Edit-Blocks-Undo", "Edit-Blocks-Digest"),
    REMOVAL.replace("0 of 3", "1 of 3"),
    REMOVAL.replace(" Removed: 1 response file.", ""),
)


@pytest.mark.parametrize("message", FORGED)
def test_another_message_is_refused(message: str) -> None:
    assert read_trailers(message) is None


@given(
    title=st.one_of(st.none(), st.text(), st.from_regex(r"[A-Za-z0-9 ,.:;()/_+'-]{1,60}", fullmatch=True)),
    prefix=st.one_of(st.text(max_size=20), st.from_regex(r"[a-z0-9()!:/ -]{0,20}", fullmatch=True)),
    login=st.text(),
    path=st.text(),
    uri=st.text(),
)
@example(title="fixes", prefix="gh-1", login="a", path="", uri="")
@example(title="Signed-off-by", prefix="", login="\n", path="\n", uri="\n")
@pytest.mark.long
def test_s18_every_message_is_of_the_pattern(title: str | None, prefix: str, login: str, path: str, uri: str) -> None:
    source = Source("x", "file", uri=uri, author=login, path=path)
    message = commit_message(
        titled(title, Response(path, source)), PLAN, head=login, prefix=prefix, signature=Signature(login)
    )
    assert PATTERN.fullmatch(message)
    assert message.isascii()
    assert "@" not in message
    assert "[" not in message


@pytest.mark.parametrize("title", ["Edit-Blocks-", "Edit-Blocks-Undo: 0", "Edit-Blocks-Source: issuecomment-1"])
def test_a_title_is_no_trailer(title: str) -> None:
    message = commit_message(titled(title), PLAN, head=outcomes.HEAD)
    assert message.startswith(title)
    assert read_trailers(message) == read_trailers(commit_message(titled(None), PLAN, head=outcomes.HEAD))


@pytest.mark.parametrize("title", [None, "Correct cart totals", "key: value", "Fixes: x"])
def test_s18_git_finds_exactly_our_trailers(title: str | None) -> None:
    message = commit_message(titled(title), PLAN, head=outcomes.HEAD)
    assert git_trailers(message) == list(_trailers(message).items())
    assert list(_trailers(message)) == list(KEYS)


def git_trailers(message: str) -> list[tuple[str, str]]:
    """What git takes for trailers, in their order."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=message,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    return [(key, value) for key, _, value in (line.partition(": ") for line in parsed.splitlines())]


# Who is named, and what the policy adds


CO_AUTHORS = (
    (CO_AUTHOR, CO_AUTHOR),
    ("mona_acme <1+mona_acme@users.noreply.acme.ghe.com>", "mona_acme <1+mona_acme@users.noreply.acme.ghe.com>"),
    (None, None),
    ("", None),
    ("octocat <583231+hubot@users.noreply.github.com>", None),
    ("octocat <octocat@users.noreply.github.com>", None),
    ("octocat <583231+octocat@github.com>", None),
    ("octocat <mona@example.com>", None),
    ("octocat <+octocat@users.noreply.github.com>", None),
    ("dependabot[bot] <1+dependabot[bot]@users.noreply.github.com>", None),
    ("The Octocat <583231+The Octocat@users.noreply.github.com>", None),
    (f"{CO_AUTHOR}\nFixes: x", None),
    (f"{CO_AUTHOR}\n", None),
)


@pytest.mark.parametrize(("co_author", "expected"), CO_AUTHORS)
def test_a_co_author_has_the_address_of_its_login(co_author: str | None, expected: str | None) -> None:
    message = commit_message(RESPONSE, PLAN, signature=Signature(co_author=co_author))
    assert dict(git_trailers(message)).get("Co-authored-by") == expected


TRAILERS = (
    ("Assisted-by: a model", True),
    ("Change-Type: automated", True),
    ("Policy: https://example.com/policy", True),
    ("Note: a fixture of the prefix, see https://example.com", True),
    ("Note: resolves nothing", True),
    ("x: y", True),
    (f"{'k' * 41}: {'v' * 100}", True),
    (f"{'k' * 42}: v", False),
    (f"k: {'v' * 101}", False),
    ("", False),
    ("no key", False),
    ("Key:value", False),
    ("Key : value", False),
    ("Key:  value", False),
    ("Key: value ", False),
    ("Key: ", False),
    ("-Key: value", False),
    ("1: value", False),
    ("Key: caf\u00e9", False),
    ("Key: a\nb c", False),
    ("Key: a\n", False),
    ("Key: a\tb", False),
    ("Key: @octocat", False),
    ("Key: #1", False),
    ("Key: [skip ci]", False),
    ("skip-checks: true", False),
    ("Key: skip-checks", False),
    ("Fixes: GH-12", False),
    ("Key: see gh-12", False),
    ("Key: high-5", True),
    ("Closes: https://github.com/acme/shop/issues/1", False),
    ("Key: this Fixed https://github.com/acme/shop/issues/1", False),
    ("Signed-off-by: Mona", False),
    ("Signed-Off-By: Mona", False),
    ("Note: Signed-off-by: Mona", False),
    ("Co-authored-by: Mona", False),
    ("Edit-Blocks-Digest: x", False),
    ("edit-blocks-new: x", False),
)


def is_plain_trailer(line: str) -> bool:
    """Whether a policy may have this line put below every commit message."""
    try:
        message = commit_message(RESPONSE, PLAN, signature=Signature(trailers=(line,)))
    except SelfCheckFailed:
        return False
    assert f"\n{line}\n" in message
    return True


@pytest.mark.parametrize(("line", "plain"), TRAILERS)
def test_is_plain_trailer(line: str, plain: bool) -> None:
    assert is_plain_trailer(line) is plain


PLAIN_TRAILERS = st.from_regex(r'[A-Za-z][A-Za-z-]{0,40}: [ -"$-?A-Z\\-~]{1,100}', fullmatch=True)


@settings(max_examples=30, deadline=None)  # it starts git, which may have to wait
@given(lines=st.lists(PLAIN_TRAILERS.filter(is_plain_trailer), max_size=4), is_credited=st.booleans())
@pytest.mark.long
def test_git_finds_what_the_policy_adds_and_nothing_else(lines: list[str], is_credited: bool) -> None:
    co_author = CO_AUTHOR if is_credited else None
    message = commit_message(RESPONSE, PLAN, head=outcomes.HEAD, signature=Signature(None, co_author, tuple(lines)))
    added = [("Co-authored-by", CO_AUTHOR)] * is_credited + [
        (line.split(": ")[0], line.split(": ", 1)[1]) for line in lines
    ]
    assert git_trailers(message) == [*_trailers(GOOD).items(), *added]
    undone = undo_message(message, (1, 0, 1), signature=Signature(trailers=tuple(lines)))
    assert git_trailers(undone)[2:] == added[is_credited:]
    assert read_trailers(message) == read_trailers(GOOD)


@given(st.text() | PLAIN_TRAILERS)
def test_s18_no_line_gets_in_unvetted(line: str) -> None:
    assert (PATTERN.fullmatch(f"{GOOD}{line}\n") is not None) is is_plain_trailer(line)


# A response file that goes with the commit, or is all that goes


def test_the_body_says_that_the_response_file_goes() -> None:
    lines = commit_message(RESPONSE, PLAN, removes_file=True).split("\n")
    assert (
        lines[3] == "How: 1 exact, 1 indentation, 1 new file. Left out: 2 failed, 1 skipped. Removed: 1 response file."
    )
    assert lines[:3] == GOOD.split("\n")[:3]


REMOVALS = (
    (ALREADY, "fix: ", "fix: Remove 1 response file", "0 of 3 edit blocks", "All are"),
    (ApplyResult(ALREADY.results[:1]), "X", "Remove 1 response file", "0 of 1 edit block", "It is"),
)


@pytest.mark.parametrize(("result", "prefix", "subject", "counted", "they_are"), REMOVALS)
def test_a_commit_that_only_removes_the_file_says_so(
    result: ApplyResult, prefix: str, subject: str, counted: str, they_are: str
) -> None:
    message = commit_message(
        titled("Correct totals", Response("", outcomes.FILE)), result, prefix=prefix, removes_file=True
    )
    body = [f"{counted}, 0 files, +0 -0.", f"{they_are} in the branch already. Removed: 1 response file."]
    assert message.split("\n")[:4] == [subject, "", *body]
    assert _trailers(message)["Edit-Blocks-Selected"] == "all"


def test_no_file_is_removed_for_blocks_that_did_not_land() -> None:
    rows = (*ALREADY.results, outcomes.no_match(4, "a.py"))
    with pytest.raises(SelfCheckFailed):
        commit_message(RESPONSE, ApplyResult(rows), removes_file=True)


# Taking a commit back


def test_an_undo_says_what_and_by_whose_word() -> None:
    assert UNDO.split("\n") == [
        "Undo 3 edit blocks",
        "",
        "2 files, +4 -28.",
        "",
        "Edit-Blocks-Source: https://github.com/acme/shop/pull/128#issuecomment-2048812345",
        f"Edit-Blocks-Undo: {response_digest(RESPONSE)}",
        f"Edit-Blocks-Base: {outcomes.COMMIT}",
        "Edit-Blocks-Applied-By: monalisa",
        "",
    ]
    assert git_trailers(UNDO) == list(_trailers(UNDO).items())


ONE = commit_message(Response("", Source("x", "other")), outcomes.outcome(outcomes.applied(1, "a.py")).result)
UNDONE = (
    (GOOD, "", "Undo 3 edit blocks"),
    (GOOD.rstrip("\n"), "revert: ", "revert: Undo 3 edit blocks"),
    (GOOD, "gh-1: ", "Undo 3 edit blocks"),
    (GOOD.replace("Apply 3 edit blocks", "5 of 9"), "", "Undo 3 edit blocks"),
    (ONE, "", "Undo 1 edit block"),
    (REMOVAL, "", "Undo the removal of 1 response file"),
)


@pytest.mark.parametrize(("message", "prefix", "subject"), UNDONE)
def test_the_subject_of_an_undo(message: str, prefix: str, subject: str) -> None:
    written = undo_message(message, (1, 0, 1), prefix=prefix, signature=Signature("a b"), head="main")
    assert written.split("\n")[:3] == [subject, "", "1 file, +0 -1."]
    assert UNDO_PATTERN.fullmatch(written)
    assert set(_trailers(written)) == set(_trailers(message)) & {"Edit-Blocks-Source"} | {"Edit-Blocks-Undo"}


COUNTED = ((GOOD, 3), (GOOD.rstrip("\n"), 3), (ONE, 1), (REMOVAL, 0), (UNDO, None), (f"{GOOD}x", None), ("", None))


@pytest.mark.parametrize(("message", "count"), COUNTED)
def test_how_many_blocks_a_commit_applied(message: str, count: int | None) -> None:
    assert count_applied(message) == count


@pytest.mark.parametrize("message", [UNDO, "Fix a typo\n", "", GOOD + "Signed-off-by: Mona\n"])
def test_only_what_blocks_did_is_undone(message: str) -> None:
    with pytest.raises(SelfCheckFailed, match="was not made by editblocks"):
        undo_message(message, (1, 0, 1))


# Reading it later


def test_what_a_message_says_is_read_again() -> None:
    source = "https://github.com/acme/shop/pull/128#issuecomment-2048812345"
    expected = {
        "source": source,
        "digest": response_digest(RESPONSE),
        "base": outcomes.HEAD,
        "selected": "1-3",
        "applied-by": "octocat",
    }
    assert read_trailers(GOOD) == read_trailers(GOOD.rstrip("\n")) == expected
    assert read_trailers(UNDO) == {
        "source": source,
        "undo": response_digest(RESPONSE),
        "base": outcomes.COMMIT,
        "applied-by": "monalisa",
    }


@pytest.mark.parametrize("message", ["", "\n", "Fix a typo", f"{GOOD}\n\n", f"{GOOD} ", *FORGED[:8]])
def test_another_message_says_nothing(message: str) -> None:
    assert read_trailers(message) is None
