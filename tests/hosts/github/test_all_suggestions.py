"""`/apply suggestions`: those of every open review thread in one commit (docs/reference/action.md, "commands")."""

from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP, FITS, Done
from support.hub.model import ReviewComment, Rule
from support.talkkit import Talk, talk

from editblocks.report.status.replies import reply

LINES = [f"line {number}" for number in range(1, 101)]
FILES = {"one.txt": ("\n".join(LINES) + "\n").encode(), "two.txt": b"a\nb\nc\n"}
BOTS = [f"bot-{number}[bot]" for number in range(1, 6)]


def suggest(t: Talk, author: str, line: int, new: str, path: str = "one.txt") -> ReviewComment:
    """Somebody suggests another text for a line."""
    found = t.h.world.review(t.pull, author)
    where: dict[str, Any] = {"path": path, "line": line, "original_line": line, "diff_hunk": "@@ -0,0 +1,3 @@"}
    return t.h.world.inline(t.pull, found, f"Better:\n\n```suggestion\n{new}\n```\n", **where)


def text(t: Talk, path: str) -> bytes:
    """A file of the branch, b"" for none."""
    return t.file(path) or b""


def told(t: Talk) -> list[str]:
    """What was answered in the threads."""
    ours = t.h.world.bot.login
    return [each.body for each in t.pull.review_comments if each.author.login == ours]


def take(t: Talk, words: str = "/apply suggestions", author: str = "octocat", **options: Any) -> Done:
    return t.say(author, words, **options)


@pytest.mark.long
def test_all_of_them_are_one_commit(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        threads = [suggest(t, "hubot", 2, "second"), suggest(t, "dependabot[bot]", 5, "fifth"),
                   suggest(t, "hubot", 2, "B", "two.txt")]  # fmt: skip
        done = take(t)
        assert (t.made, t.states, t.reactions, done.code) == (1, ["applied"], ["rocket"], 0), done.log
        assert (text(t, "one.txt").splitlines()[1], text(t, "one.txt").splitlines()[4]) == (b"second", b"fifth")
        assert text(t, "two.txt") == b"a\nB\nc\n"
        assert all(each.resolved for each in threads)
        for each in threads:
            assert f"[its thread](https://github.com/octocat/Hello-World/pull/1#discussion_r{each.id})" in t.status


def test_of_one_author_alone(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        theirs = suggest(t, "dependabot[bot]", 5, "fifth")
        take(t, "/apply suggestions @Dependabot[bot]")
        assert (t.made, text(t, "one.txt").splitlines()[1]) == (1, b"line 2")
        assert [each.resolved for each in t.pull.review_comments] == [False, True]
        assert theirs.resolved


# words of the command → who suggested what is committed, of a user and a bot with the same name and of two others
@pytest.mark.parametrize(
    ("words", "authors"),
    [
        ("/apply suggestions @renovate[bot]", {"renovate[bot]"}),
        ("/apply suggestions @renovate", set()),  # which of the two?
        ("/apply suggestions @dependabot", {"dependabot[bot]"}),
        ("/apply suggestions @RENOVATE[BOT]", {"renovate[bot]"}),
        ("/apply suggestions", {"renovate", "renovate[bot]", "dependabot[bot]"}),  # the others are in `ignore-authors`
        ("/apply suggestions @mallory", set()),
        ("/apply suggestions @evil[bot]", set()),
        ("/apply suggestions @evil", set()),
    ],
)
@pytest.mark.long(after=1)
def test_a_person_is_not_taken_for_a_bot_and_ignored_authors_are_left_out(
    tmp_path: Path, words: str, authors: set[str]
) -> None:
    with talk(tmp_path, FILES) as t:
        t.h.world.commit({".editblocks.yml": b"ignore-authors: [Mallory, 'evil[bot]']\n"}, "policy")
        logins = ["renovate", "renovate[bot]", "mallory", "evil[bot]", "dependabot[bot]"]
        for number, login in enumerate(logins, 1):
            suggest(t, login, 2 * number, f"by {login}")
        take(t, words)
        lines = text(t, "one.txt").decode().splitlines()
        assert {login for login in logins if f"by {login}" in lines} == authors
        assert (t.made, len(t.answers)) == ((1, 0) if authors else (0, 1))


def test_a_suggestion_of_an_imported_account_is_one_of_nobody(tmp_path: Path) -> None:
    with talk(tmp_path, FILES, inputs={"credit": "true"}) as t:
        suggest(t, "hubot", 2, "second")

        def imported(body: Any) -> Any:
            for thread in body["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]:
                thread["comments"]["nodes"][0]["author"] = {"__typename": "Mannequin", "login": "old-name"}
            return body

        t.h.fault("query Suggestions", times=9, alter=imported)
        take(t, "/apply suggestions @old-name")
        assert (t.made, len(t.answers)) == (0, 1)
        take(t)
        commit = t.h.world.store.commit(t.head)
        assert commit is not None
        assert (t.made, t.states, "Co-authored-by" in commit.message) == (1, ["applied"], False)


@pytest.mark.parametrize("fence", ["````", "~~~~", "`````"])
@pytest.mark.long(after=1)
def test_a_longer_fence_is_a_suggestion(tmp_path: Path, fence: str) -> None:
    with talk(tmp_path, FILES) as t:
        body = f"{fence}suggestion\n```\nsecond\n```\n{fence}\n"
        t.h.world.edit(suggest(t, "hubot", 2, "second"), body)
        take(t)
        assert (t.made, text(t, "one.txt").splitlines()[1:4]) == (1, [b"```", b"second", b"```"])
        t.run(t.h.review(t.pull, "octocat", "", [("one.txt", 9, body)]))
        assert t.states == ["applied", "checked"]


def test_what_does_not_fit_any_more_is_left(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        gone = suggest(t, "hubot", 2, "second")
        kept = suggest(t, "hubot", 50, "fiftieth")
        t.h.world.push(t.pull, {"one.txt": FILES["one.txt"].replace(b"line 2\n", b"another\n")})
        take(t)
        assert (t.made, t.states) == (2, ["partial"]), t.status
        assert (gone.resolved, kept.resolved) == (False, True)
        assert "stale" in t.status
        assert "resolve the other suggestions in their threads" in t.status


def test_two_for_the_same_lines_are_one_and_a_row_that_says_so(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        suggest(t, "dependabot[bot]", 2, "another")
        take(t)
        assert (t.made, text(t, "one.txt").splitlines()[1], t.states) == (1, b"second", ["partial"])
        assert "block 1 also changes line 2" in t.status
        assert [each.resolved for each in t.pull.review_comments] == [True, False]


@pytest.mark.parametrize("end", ["```\n", ""], ids=["stale", "unclosed"])
@pytest.mark.long(after=1)
def test_a_thread_with_another_suggestion_that_does_not_fit_stays_open(tmp_path: Path, end: str) -> None:
    with talk(tmp_path, FILES) as t:
        shared = suggest(t, "hubot", 2, "second")
        t.h.world.reply(t.pull, "monalisa", f"```suggestion\nanother\n{end}", shared)
        alone = suggest(t, "hubot", 2, "B", "two.txt")
        take(t)
        assert (t.made, text(t, "one.txt").splitlines()[1], t.states) == (1, b"second", ["partial"])
        assert (shared.resolved, alone.resolved, told(t)) == (False, True, [])


@pytest.mark.parametrize("why", ["of another author", "newer than the command", "after twenty comments"])
@pytest.mark.long(after=1)
def test_a_thread_with_another_suggestion_that_was_left_out_stays_open(tmp_path: Path, why: str) -> None:
    with talk(tmp_path, FILES) as t:
        shared = suggest(t, "hubot", 2, "second")
        alone = suggest(t, "hubot", 2, "B", "two.txt")
        alone.body = alone.body.replace("\n", "\r\n")  # as the web editor saves it
        event = t.h.comment(t.pull, "octocat", "/apply suggestions @hubot")
        if why == "after twenty comments":
            for number in range(19):
                t.h.world.reply(t.pull, "monalisa", f"talk {number}", shared)
        t.h.world.reply(t.pull, "monalisa", "```suggestion\nanother\n```\n", shared)
        if why == "of another author":
            event = t.h.comment(t.pull, "octocat", "/apply suggestions @hubot")
        t.run(event)
        assert (t.made, text(t, "one.txt").splitlines()[1], t.states) == (1, b"second", ["applied"])
        assert (shared.resolved, alone.resolved, told(t)) == (False, True, [])


@pytest.mark.long
def test_suggestions_that_are_undone_are_none_that_a_plain_apply_is_about(tmp_path: Path) -> None:
    with talk(tmp_path, FILES | {"app.py": APP}) as t:
        suggestion = suggest(t, "hubot", 2, "second")
        applied = take(t)
        assert "Undo with `/undo`." in t.status
        event = t.last
        assert event is not None
        t.say("octocat", "/undo")
        assert (t.states, text(t, "one.txt")) == (["undone"], FILES["one.txt"])
        assert "The suggestions]" in t.status
        assert "were undone by commit" in t.status
        assert "and resolve the other threads" in t.status
        assert "then `/apply suggestions` applies all suggestions in open threads" in t.status
        t.say("hubot", FITS)
        t.say("octocat", "/apply")
        assert (t.states, t.is_applied, t.answers) == (["undone", "applied"], True, [])
        late = t.run(event)
        assert (late.outputs["result"], late.outputs["commit-sha"]) == ("nothing", "")
        suggestion.resolved = False
        assert take(t).outputs["result"] == applied.outputs["result"] == "applied"


@pytest.mark.parametrize("words", ["/retry", "/skip 1", "/apply"])
@pytest.mark.long(after=1)
def test_no_command_but_undo_can_name_them(tmp_path: Path, words: str) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        take(t)
        number = t.pull.comments[0].id
        status = t.status
        t.say("octocat", f"{words} of {number}")
        assert (t.status, t.states, len(t.answers)) == (status, ["applied"], 1)
        assert f"there is no comment or review {number} here" in t.answers[0]
        t.say("octocat", f"/undo of {number}")
        assert t.states == ["undone"]


@pytest.mark.long
def test_a_hundred_of_five_bots_are_one_commit_within_the_requests_of_a_run(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        for number in range(100):
            suggest(t, BOTS[number % 5], number + 1, f"new {number + 1}")
        done = take(t)
        assert (t.made, t.states, done.code) == (1, ["applied"], 0), done.log
        assert text(t, "one.txt") == b"".join(f"new {number}\n".encode() for number in range(1, 101))
        assert all(each.resolved for each in t.pull.review_comments if not each.in_reply_to)
        assert len(done.names) <= 30, done.names


@pytest.mark.long
def test_of_sixty_threads_none_is_missed(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        for number in range(60):
            suggest(t, "hubot", number + 1, f"new {number + 1}")
        take(t)
        assert (t.made, text(t, "one.txt").count(b"new ")) == (1, 60)


@pytest.mark.parametrize("moves", [0, 1])
@pytest.mark.long
def test_those_of_many_commits_take_few_requests(tmp_path: Path, moves: int) -> None:
    many = {f"folder/{number}.txt": b"a\nb\nc\n" for number in range(30)}
    with talk(tmp_path, many) as t:
        for number, path in enumerate(many):
            suggest(t, "hubot", 2, "B", path)
            t.h.world.push(t.pull, {path: b"top\na\nb\nc\n", "other.txt": str(number).encode()})
        t.h.fault("mutation updateRefs", times=moves, before=lambda: t.h.world.push(t.pull, {"moved.txt": b"x\n"}))
        done = take(t)
        assert (t.made, t.states, done.code) == (31 + moves, ["applied"], 0), done.log
        assert {text(t, path) for path in many} == {b"top\na\nB\nc\n"}
        assert len(done.names) <= 20 + 10 * moves, done.names


def test_a_token_that_may_not_resolve_answers_in_the_threads(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        t.h.world.may_resolve = False
        suggest(t, "hubot", 2, "second")
        suggest(t, "hubot", 5, "fifth")
        take(t)
        assert (t.made, t.states, told(t)) == (1, ["applied"], [f"Applied in {t.head}."] * 2)


def test_threads_that_cannot_be_closed_are_a_warning(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        t.h.fault("mutation resolveReviewThread", status=502)
        suggest(t, "hubot", 2, "second")
        done = take(t)
        assert (t.made, t.states, done.code, told(t)) == (1, ["applied"], 0, [])
        assert "the review threads of the suggestions stay open" in done.log


def nothing(t: Talk) -> ReviewComment:
    return suggest(t, "hubot", 2, "second")


# why there is none → what was said or done before the command
NONE: dict[str, Any] = {
    "resolved": lambda t: setattr(nothing(t), "resolved", True),
    "hidden by somebody": lambda t: setattr(nothing(t), "minimized", True),
    "no suggestion": lambda t: t.h.world.inline(
        t.pull, t.h.world.review(t.pull, "hubot"), "I would suggest another name", path="one.txt", line=2,
        original_line=2, diff_hunk="@@ -0,0 +1,3 @@",
    ),
    "no thread": lambda _: None,
}  # fmt: skip


@pytest.mark.parametrize("why", NONE)
def test_where_there_is_none_the_answer_says_so(tmp_path: Path, why: str) -> None:
    with talk(tmp_path, FILES) as t:
        NONE[why](t)
        take(t)
        assert (t.made, t.states, t.reactions) == (0, [], ["confused"])
        assert "there is no open suggestion here" in t.answers[0]


@pytest.mark.long
def test_what_was_not_read_is_named(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        long = suggest(t, "hubot", 2, "second")
        t.h.world.edit(long, "Why?")
        for number in range(20):
            t.h.world.reply(t.pull, "hubot", f"Because of {number}.", long)
        t.h.world.reply(t.pull, "hubot", "```suggestion\nlast\n```\n", long)
        take(t)
        assert (t.made, t.answers) == (0, [reply("issuecomment-1", "not-all-read").partition("\n")[2]])
        suggest(t, "hubot", 5, "fifth")
        take(t)
        assert (t.made, t.states) == (1, ["applied"])
        assert "only the newest 400 review threads were read, and the first 20 comments of each" in t.status
        long.resolved = True
        take(t)
        assert "resolved ones, and ones newer than the command, are ignored" in t.answers[1]


@pytest.mark.long
def test_a_thread_older_than_the_newest_400_is_named(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        old = suggest(t, "hubot", 2, "second")
        for number in range(400):
            t.h.world.edit(suggest(t, "hubot", 5, "fifth"), f"Why {number}?")
        done = take(t)
        assert (t.made, old.resolved, done.code) == (0, False, 0)
        assert "others were not read" in t.answers[0]


def test_what_was_edited_after_the_command_does_not_count(tmp_path: Path) -> None:
    """Else its author could have another text committed than the one that was there."""
    with talk(tmp_path, FILES) as t:
        mine = suggest(t, "mallory", 2, "harmless")
        event = t.h.comment(t.pull, "octocat", "/apply suggestions")
        t.h.world.edit(mine, "```suggestion\nharmful\n```")
        t.run(event)
        assert (t.made, text(t, "one.txt")) == (0, FILES["one.txt"])


@pytest.mark.parametrize("change", ["edited", "resolved", "deleted", "another"])
@pytest.mark.long(after=1)
def test_what_changes_during_the_run_refuses_the_commit(tmp_path: Path, change: str) -> None:
    with talk(tmp_path, FILES) as t:
        mine = suggest(t, "hubot", 2, "second")

        def happen() -> None:
            if change == "edited":
                t.h.world.edit(mine, "```suggestion\nharmful\n```")
            elif change == "resolved":
                mine.resolved = True
            elif change == "deleted":
                t.h.world.delete(mine)
            else:
                suggest(t, "hubot", 3, "third")

        t.h.fault("query Live", before=happen)
        take(t)
        if change == "another":  # which was written after the command
            assert (t.made, text(t, "one.txt").count(b"third")) == (1, 0)
        else:
            assert (t.made, t.states) == (0, ["stale"])
            assert "a suggestion was edited, resolved or deleted during the run" in t.status


# who asks → how many commits, the last reaction
@pytest.mark.parametrize(
    ("who", "made", "answers"), [("maddie", 0, 1), ("hubot", 0, 0), ("mallory", 0, 0), ("octocat", 1, 0)]
)
@pytest.mark.long(after=1)
def test_who_may_ask(tmp_path: Path, who: str, made: int, answers: int) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        take(t, author=who)
        assert (t.made, len(t.answers)) == (made, answers)


@pytest.mark.long
def test_the_same_command_again_does_nothing(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        take(t)
        suggest(t, "hubot", 5, "fifth")
        for _ in range(3):
            t.again()
        assert (t.made, t.states, t.answers) == (1, ["applied"], [])


def test_a_run_that_was_cut_off_before_its_status_is_reported_by_the_next(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        mine = suggest(t, "hubot", 2, "second")
        t.h.fault("POST pulls/*/reviews", status=502, times=2)
        take(t)
        assert (t.made, t.states) == (1, [])
        t.again()
        assert (t.made, t.states, mine.resolved) == (1, ["applied"], True)


@pytest.mark.long
def test_undo_takes_them_all_back(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        suggest(t, "hubot", 5, "fifth")
        take(t)
        t.say("octocat", "/undo")
        assert (t.made, text(t, "one.txt"), t.states) == (2, FILES["one.txt"], ["undone"])


def test_what_is_left_is_no_open_status(tmp_path: Path) -> None:
    """A plain `/apply` is about blocks, not about threads that people have to settle."""
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        suggest(t, "dependabot[bot]", 2, "another")
        take(t)
        t.say("octocat", "/apply")
        assert (t.made, len(t.answers)) == (1, 1)
        assert "there is nothing to apply here" in t.answers[0]


def test_a_check_commits_none(tmp_path: Path) -> None:
    with talk(tmp_path, FILES, inputs={"mode": "check"}) as t:
        suggest(t, "hubot", 2, "second")
        take(t)
        assert (t.made, text(t, "one.txt")) == (0, FILES["one.txt"])


def test_of_a_file_that_was_deleted_nothing_is_written(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "B", "two.txt")
        t.h.world.push(t.pull, {"two.txt": None})
        done = take(t)
        assert (t.made, t.states, done.code) == (1, ["failed"], 0)


def test_other_blocks_in_these_comments_wait_for_a_word(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        both = suggest(t, "hubot", 2, "second")
        t.h.world.edit(both, both.body + "\ntwo.txt\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n")
        take(t)
        assert (t.made, text(t, "two.txt"), text(t, "one.txt").splitlines()[1]) == (1, FILES["two.txt"], b"second")


@pytest.mark.parametrize(
    "words", ["/apply suggestions of 7", "/apply suggestions @", "/apply suggestions @a b", "/skip suggestions"]
)
def test_what_is_no_such_command_is_answered(tmp_path: Path, words: str) -> None:
    with talk(tmp_path, FILES) as t:
        suggest(t, "hubot", 2, "second")
        take(t, words)
        assert (t.made, len(t.answers)) == (0, 1)


def test_blocks_below_the_command_are_refused(tmp_path: Path) -> None:
    with talk(tmp_path, FILES | {"app.py": APP}) as t:
        suggest(t, "hubot", 2, "second")
        take(t, f"/apply suggestions\n\n{FITS}")
        review = t.h.world.review(t.pull, "octocat", "/apply suggestions @hubot")
        own: dict[str, Any] = {"path": "one.txt", "line": 9, "original_line": 9, "diff_hunk": "@@ -0,0 +1,3 @@"}
        t.h.world.inline(t.pull, review, "```suggestion\nninth\n```\n", **own)
        t.run(t.h.review_events(t.pull, review))
        assert (t.made, t.states, len(t.answers)) == (0, [], 2)
        for answer, command in zip(t.answers, ("/apply suggestions", "/apply suggestions @hubot"), strict=True):
            assert f"bad-command: `{command}` is not about the edit blocks below it" in answer.replace("\\", "")


# where nothing is ever written → what the status offers instead of the same command again
NOT_WRITTEN = {"a fork": "run `git apply --3way`.", "a protected branch": "use a pull request from another branch"}


@pytest.mark.parametrize("where", NOT_WRITTEN)
def test_where_nothing_is_written_no_command_is_offered(tmp_path: Path, where: str) -> None:
    with talk(tmp_path, FILES) as t:
        if where == "a fork":
            t.pull = t.h.world.pull_request(FILES, author="hubot", fork=t.h.world.fork("hubot"))
        else:
            t.h.world.repository.protection[t.pull.head_ref] = Rule()
        suggest(t, "hubot", 2, "second")
        take(t)
        assert NOT_WRITTEN[where] in t.status
        assert ("/apply suggestions" in t.status, "editblocks apply" in t.status) == (False, False)


def test_what_the_page_does_not_show_is_not_taken(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        hidden, shown = suggest(t, "mallory", 2, "harmful"), suggest(t, "hubot", 5, "fifth")
        t.h.world.edit(hidden, f"<!--\n\n{hidden.body}\n\n-->\nThanks!")
        take(t)
        assert (t.made, t.states, text(t, "one.txt").count(b"harmful")) == (1, ["partial"], 0)
        assert "hidden-block" in t.status
        assert (hidden.resolved, shown.resolved) == (False, True)


@pytest.mark.parametrize("login", ["mallory\n\nReviewed-by: octocat", "", "a b", 7, None])
def test_an_author_that_is_none_is_no_answer(tmp_path: Path, login: object) -> None:
    """The login goes into the message of the commit, where a line of its own would be a trailer."""
    with talk(tmp_path, FILES, inputs={"credit": "true"}) as t:
        suggest(t, "hubot", 2, "second")

        def lie(body: Any) -> Any:
            for thread in body["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]:
                thread["comments"]["nodes"][0]["author"]["login"] = login
            return body

        t.h.fault("query Suggestions", times=9, alter=lie)
        done = take(t)
        assert (done.code, t.made, t.states) == (2, 0, [])
        assert "GitHub's answer cannot be used (reading the review threads" in done.errors[0]


def test_the_one_author_of_all_is_credited(tmp_path: Path) -> None:
    with talk(tmp_path, FILES, inputs={"credit": "true"}) as t:
        suggest(t, "hubot", 2, "second")
        suggest(t, "hubot", 5, "fifth")
        take(t)
        commit = t.h.world.store.commit(t.head)
        assert commit is not None
        assert "Co-authored-by: hubot <" in commit.message
