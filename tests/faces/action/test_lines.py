"""What is said on lines of the diff: with a new status, as far as possible."""

from pathlib import Path

import pytest
from support.actionkit import APP, FAILS, FITS, act, block, pull_request
from support.hub import PullRequest, hub
from support.hub.model import ReviewComment

from editblocks.report.status.replies import read_inline

FILES = "GET pulls/{pull_number}/files"


def said(pull: PullRequest) -> list[ReviewComment]:
    """What we said on lines, oldest first."""
    return [each for each in pull.review_comments if each.author.login == "github-actions[bot]"]


def test_a_failed_block_is_shown_on_its_line_of_the_diff(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FITS + FAILS), tmp_path)
        (comment,) = said(pull)
        assert done.outputs["result"] == "failed"
        assert (comment.path, comment.line, comment.review_id) == ("app.py", 3, pull.reviews[0].id)
        assert "no-match" in comment.body
        assert read_inline(comment.body) == (f"issuecomment-{pull.comments[0].id}", 2)
        assert done.names.count(FILES) == 1


def test_what_is_not_in_the_diff_is_left_out(tmp_path: Path) -> None:
    with hub() as h:
        h.world.commit({"base.py": APP}, "More", "main")
        pull = pull_request(h)
        act(h, h.comment(pull, "octocat", block("base.py", "    return 1", "    return 2")), tmp_path)
        assert (said(pull), len(pull.reviews)) == ([], 1)


def test_inline_comments_can_be_turned_off(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FAILS), tmp_path, {"inline-comments": "0"})
        assert (said(pull), len(pull.reviews), FILES in done.names) == ([], 1, False)


def test_a_line_that_github_refuses_costs_the_comments_alone(tmp_path: Path) -> None:
    def other(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        return [row | {"patch": "@@ -0,0 +1,99 @@\n" + "+x\n" * 99} for row in rows]

    with hub() as h:
        long = b"".join(b"line %d\n" % number for number in range(90))
        h.world.commit({"long.py": long}, "More", "main")
        pull = pull_request(h, {"long.py": long.replace(b"line 5\n", b"five\n")})
        h.fault(FILES, alter=other)
        done = act(h, h.comment(pull, "octocat", block("long.py", "line 50\nline 51x", "fifty")), tmp_path)
        assert (done.code, done.outputs["result"], said(pull), len(pull.reviews)) == (0, "failed", [], 1)
        assert done.names.count("POST pulls/{pull_number}/reviews") == 2


@pytest.mark.parametrize(("others", "comments"), [(299, 1), (300, 0)])
@pytest.mark.long(after=1)
def test_a_file_beyond_the_first_three_hundred_gets_no_comment_and_the_log_says_so(
    tmp_path: Path, others: int, comments: int
) -> None:
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, **{f"a{number:03}.txt": b"x\n" for number in range(others)}})
        done = act(h, h.comment(pull, "octocat", FAILS), tmp_path)
        assert (done.code, len(said(pull)), len(pull.reviews)) == (0, comments, 1)
        assert ("only the first 300 files of the pull request were read" in done.log) is (comments == 0)


def test_a_diff_that_cannot_be_read_costs_the_comments_alone(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault(FILES, status=500, times=9)
        done = act(h, h.comment(pull, "octocat", FAILS), tmp_path)
        assert (done.code, said(pull), len(pull.reviews)) == (0, [], 1)


@pytest.mark.long
def test_what_landed_is_shortened_and_nothing_is_said_twice(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {"twice.py": b"x = 1\ny = 1\nx = 1\n"})
        act(h, h.comment(pull, "octocat", block("twice.py", "x = 1", "x = 2")), tmp_path)
        (comment,) = said(pull)
        assert "`/apply 1@1`" in comment.body
        done = act(h, h.comment(pull, "octocat", "/apply 1@3"), tmp_path)
        assert done.outputs["result"] == "applied", done.log
        assert h.world.files(h.world.head(pull))["twice.py"][1] == b"x = 1\ny = 1\nx = 2\n"
        assert said(pull) == [comment]
        assert comment.body == f"fixed in {h.world.head(pull)[:7]}"


@pytest.mark.long
def test_a_block_of_an_inline_comment_is_answered_in_its_thread(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.review(pull, "octocat", FAILS, [("app.py", 2, FITS), ("app.py", 1, block("no.py", "x", "y"))])
        done = act(h, event, tmp_path)
        asked = pull.review_comments[1]
        on_line, reply = said(pull)
        assert done.outputs["result"] == "failed", done.log
        assert (on_line.line, on_line.in_reply_to, reply.in_reply_to) == (3, None, asked.id)
        assert "file-not-found" in reply.body
        again = act(h, event, tmp_path)
        assert (len(said(pull)), again.code) == (2, 0)
        h.world.push(pull, {"app.py": APP.replace(b"return result", b"return 1"), "no.py": b"x\n"})
        act(h, h.comment(pull, "octocat", "/apply 1,3"), tmp_path)
        assert {each.body for each in said(pull)} == {f"fixed in {h.world.head(pull)[:7]}"}
