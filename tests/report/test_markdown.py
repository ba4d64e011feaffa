"""The status: nothing foreign becomes active, no row is lost, the ladder holds."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import report_outcomes as outcomes
from support.report_outcomes import TEST_CART, with_facts

from editblocks.core.blocks import EditBlock, Note, Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.mismatch import Difference
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Outcome, Part, Refusal, Response, Source
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import LIMIT, status, suggestions
from editblocks.report.view import OutcomeView

HOSTILE = (
    "@octocat", "#1", "GH-12", "acme/shop#3", "https://example.com", "www.example.com", "me@example.com", "deadbeef",
    "![x](https://example.com/x.png)", "[x](y)", "<b>", "</details>", "<!-- editblocks:status v1", "&lt;", ":tada:",
    "`", "``", "```", "~~~", "|", "\\|", "\\", "\n", "\r", "\r\n", "\n\n", "\t", "\u2028", "\u202e", "\u200b",
    "**b**", "_e_", "~~s~~", "- x", "1. x", "# x", "===", "    code", "| 9 | x | ✅ ready |", "src/app.py", "word", " ",
    "\x1b[2J", "", outcomes.HEAD,
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(HOSTILE), max_size=6).map("".join))
PATHS = TEXTS.filter(bool)
PREFIXES = st.sampled_from((None, "/", "/edits "))
# Rows with these codes are skipped, and those that wait for an earlier one are counted as not tried.
SKIPPED = {ReasonCode.ALREADY_APPLIED, ReasonCode.NO_OP, ReasonCode.EARLIER_FAILURE}
CODES = st.sampled_from([code for code in ReasonCode if code not in SKIPPED])
SPANS = st.tuples(st.integers(0, 99), st.integers(1, 9)).map(lambda pair: (pair[0], sum(pair)))


@st.composite
def _rows(draw: st.DrawFn) -> tuple[EditResult | Problem, ...]:
    rows: list[EditResult | Problem] = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        path, reason = draw(PATHS), draw(TEXTS)
        block = EditBlock(number, path, "diff", number, number, old_lines=f"{draw(TEXTS)}\n", new_lines=draw(TEXTS))
        notes = (Note("placeholder", draw(TEXTS)),)
        missed = outcomes.no_match(number, path)._replace(block=block, notes=notes)
        kinds: tuple[EditResult | Problem, ...] = (
            outcomes.applied(number, path, span=draw(SPANS))._replace(notes=notes),
            outcomes.indented(number, path),
            outcomes.created(number, path),
            outcomes.ambiguous(number, path, tuple(range(1, 15))),
            outcomes.failed(number, path, draw(CODES), reason),
            outcomes.skipped(number, path, ReasonCode.NO_OP, reason, draw(st.integers(1, 9))),
            with_facts(missed, first_difference=Difference(30, 1, draw(TEXTS), draw(TEXTS), "old")),
            with_facts(missed, first_difference=Difference(30, 1, draw(TEXTS), None)),
            Problem(number, number, number, draw(CODES), reason, "", draw(st.one_of(st.none(), PATHS))),
        )
        rows.append(draw(st.sampled_from(kinds)))
    return tuple(rows)


@st.composite
def _outcomes(draw: st.DrawFn) -> Outcome:
    rows = draw(_rows())
    refusal = draw(st.one_of(st.none(), st.builds(Refusal, st.sampled_from(ReasonCode), TEXTS)))
    source = outcomes.COMMENT._replace(author=draw(st.one_of(st.none(), TEXTS)))
    made = outcomes.outcome(*rows, state=draw(st.sampled_from(State)), source=source, refusal=refusal)
    contents = {path: draw(TEXTS).encode("utf-8", "surrogatepass") for path in made.result.contents}
    result = made.result._replace(contents=contents, notes=(Note("quoted-block", draw(TEXTS)),))
    commit = outcomes.COMMIT if made.written or made.state is State.UNDONE else None
    numbers = st.frozensets(st.integers(1, 6))
    return made._replace(
        result=result._replace(shell_suggestions=(draw(TEXTS),), base=draw(st.sampled_from((None, outcomes.HEAD)))),
        commit=commit,
        not_selected=draw(numbers),
        skip=draw(numbers),
        needs_command=draw(st.booleans()),
        removed_file=draw(st.one_of(st.none(), PATHS)),
    )


def _without_fences(text: str) -> str:
    return re.sub(r"^(`{3,})(?:diff|text)\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def _without_code(line: str) -> str:
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)


OWN = re.compile(
    r"""
      <!--[ ]editblocks:status[ ]v1[ ][a-z0-9=,_ -]+[ ]-->
    | </?details> | </?sub> | <a[ ]href="https://github\.com/[\w./-]+">[a-z ]+</a>
    | <summary>[\w (),:+−-]+(?:<code>/[a-z0-9 ,@-]+</code>[\w (),:+−-]+)?</summary>
    | \]\(https://github\.com/acme/shop/[\w./%~#-]+\) | \*\*Next:\*\* | \|[ ]\#[ ]\|[ ]Where | ⚠️
    | in[ ]9d0c2aa(?=$|:) | \]\(https://github\.com/octo-org/editblocks/blob/v1/docs/reference/action\.md\#checks\)
    """,
    re.VERBOSE,
)  # what we put in ourselves
ACTIVE = re.compile(r"[@#<>`&\\!~*]|\]\(|://|www\.|\b[0-9a-f]{7,}\b|\bGH-[0-9]|[\x00-\x1f\u2028\u202e\u200b]")


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(outcome=_outcomes(), branch=TEXTS, prefix=PREFIXES)
@example(outcome=outcomes.outcome(outcomes.applied(1, "a`b\\|c\n| 2 | x |")), branch="`", prefix="/")
def test_s17_nothing_foreign_is_active_and_every_row_is_there_once(
    outcome: Outcome, branch: str, prefix: str | None
) -> None:
    shown = status(
        OutcomeView(outcome),
        Page("1.0.0", links=outcomes.LINKS, branch=branch or None, checks_wait=True, prefix=prefix),
    )
    lines = _without_fences(shown).split("\n")
    table = [line for line in lines if line.startswith("|")][2:]
    assert [int(line.split("|")[1]) for line in table] == list(range(1, len(outcome.result.rows) + 1))
    for line in table:
        assert len(re.findall(r"(?<!\\)\|", line)) == 6
    for line in lines:
        rest = OWN.sub("", _without_code(line.removeprefix("### ").removeprefix("> ")))
        found = ACTIVE.search(rest)
        assert found is None, (line, found)


@settings(max_examples=30, deadline=None)
@given(outcome=_outcomes(), prefix=PREFIXES)
@pytest.mark.long
def test_the_counts_of_the_lead_add_up(outcome: Outcome, prefix: str | None) -> None:
    shown = status(OutcomeView(outcome), Page("1.0.0", links=outcomes.LINKS, prefix=prefix))
    rows = [line for line in _without_fences(shown).split("\n") if re.match(r"\| [0-9]+ \|", line)]
    words = [_without_code(line).split("|")[3].split()[-1] for line in rows]
    for word in ("ready", "applied", "skipped", "failed"):
        said = re.findall(rf"\b([0-9]+) {word}\b", shown.split("\n| #")[0].split("\n\n", 1)[1])
        assert said in ([], [str(words.count(word))])
    counts = outcome.result.counts
    assert len(words) == counts["total"]
    assert words.count("failed") == counts["failed"]


def _big(count: int, path: str = "src/module_{}.py") -> Outcome:
    rows = [
        outcomes.applied(number, path.format(number % 20), span=(number, number + 1))
        if number % 2
        else outcomes.no_match(number, path.format(number))
        for number in range(1, count + 1)
    ]
    made = outcomes.outcome(*rows)
    contents = dict.fromkeys(made.result.contents, b"a long line of text\n" * 300)
    return made._replace(result=made.result._replace(contents=contents))


LONG = "{}/" + "long/" * 60 + "x"
SUMMARY = "the retry prompt (job summary)"
PLAIN = "the diff, links, reasons"
RUNGS = (
    (_big(4), LIMIT, "", 4),
    (_big(60), LIMIT, "the diff", 60),
    (_big(300), LIMIT, f"{PLAIN}, details", 300),
    (_big(500, LONG), 5000, f"the diff, details, the table, {SUMMARY}", 0),
)


@pytest.mark.parametrize(("outcome", "limit", "left_out", "rows"), RUNGS, ids=[rung[2] or "all" for rung in RUNGS])
@pytest.mark.long
def test_each_rung_of_the_ladder_fits_and_is_named(outcome: Outcome, limit: int, left_out: str, rows: int) -> None:
    shown = status(OutcomeView(outcome), Page("1.0.0", links=outcomes.LINKS), limit)
    assert len(shown) <= limit
    assert (f"too long, so left out: {left_out} ·" in shown) is bool(left_out)
    assert len(re.findall(r"^\| [0-9]", shown, re.MULTILINE)) == rows
    assert shown.count("<details>") == shown.count("</details>")
    assert len(re.findall("^```", shown, re.MULTILINE)) % 2 == 0
    assert ("<summary>Retry prompt for " in shown) is (SUMMARY not in left_out)
    assert f" with the prompt {'in the job summary' if SUMMARY in left_out else 'below'} and post" in shown
    assert shown.endswith("</sub>")
    assert "### Nothing committed" in shown


@pytest.mark.parametrize(("outcome", "limit"), [rung[:2] for rung in RUNGS], ids=[rung[2] or "all" for rung in RUNGS])
@pytest.mark.long
def test_the_line_to_type_is_on_every_rung(outcome: Outcome, limit: int) -> None:
    shown = status(OutcomeView(outcome), Page("1.0.0", links=outcomes.LINKS, prefix="/edits ", role="maintain"), limit)
    assert len(shown) <= limit
    assert "\n```text\n/edits apply ready\n```\n" in shown
    assert ("The retry prompt is in the job summary." in shown) is ("<summary>Retry prompt for " not in shown)
    assert shown.count("<details>") == shown.count("</details>")
    assert len(re.findall("^```", shown, re.MULTILINE)) % 2 == 0


PROMPT = re.compile(
    "<details>\n<summary>Retry prompt for ([^<]*): copy it into your chat, post the answer here</summary>\n\n"
    "(?P<ticks>`{3,})text\n(.*?)\n(?P=ticks)\n(.*?)\n</details>",
    re.DOTALL,
)


def _asking(line: str) -> Outcome:
    """A block that missed a file of which `line` is to be copied."""
    data = TEST_CART.replace(b"    cart = Cart()", line.encode())
    return outcomes.outcome(outcomes.no_match(1, "tests/test_cart.py"), files={"tests/test_cart.py": data})


LINES = ("@octocat", "```", "`````", "````text", "</details>", "<!-- x -->", "#1", "a\tb", "~~~", "x" * 390)


@pytest.mark.parametrize("line", LINES)
def test_a_prompt_is_whole_and_stays_in_its_fence(line: str) -> None:
    outcome = _asking(line)
    assert f"\n{line}\n" in outcome.retry_prompt
    [(numbers, ticks, prompt, rest)] = PROMPT.findall(status(OutcomeView(outcome), Page("1", links=outcomes.LINKS)))
    assert (numbers, prompt, rest) == ("block 1", outcome.retry_prompt, "")
    assert len(ticks) > max(map(len, re.findall("`+", prompt)))


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\u00a0"])
def test_what_nobody_sees_in_a_prompt_is_named(char: str) -> None:
    shown = status(OutcomeView(_asking(f"a{char}b")), Page("1", links=outcomes.LINKS))
    assert char not in shown
    assert f"\naU+{ord(char):04X}b\n" in shown
    assert "`editblocks retry -` prints them as they are." in shown


BY_HAND = "a model cannot correct block 1; make the change by hand"


def test_there_is_a_prompt_only_for_what_a_model_can_mend() -> None:
    forbidden = outcomes.failed(1, ".github/workflows/ci.yml", ReasonCode.NOT_ALLOWED, "protected")
    for others, rest in (
        ((), "."),
        ((outcomes.applied(2, "a.py"),), ", and post the one that fits as a new comment."),
    ):
        shown = status(OutcomeView(outcomes.outcome(forbidden, *others)), Page("1", links=outcomes.LINKS))
        assert f"**Next:** {BY_HAND}{rest}\n" in shown
        assert "Retry prompt" not in shown
    moved = outcomes.mockup()._replace(refusal=Refusal(ReasonCode.HEAD_MOVED, "moved"), state=State.STALE)
    assert "Retry prompt" not in status(OutcomeView(moved), Page("1", links=outcomes.LINKS))
    without = outcomes.mockup()._replace(retry_prompt="", retry_blocks=())
    assert "and `editblocks retry -` prints a prompt for the model." in status(
        OutcomeView(without), Page("1", links=outcomes.LINKS)
    )


def test_many_blocks_are_counted_in_the_title() -> None:
    assert "<summary>Retry prompt for 30 blocks: copy" in status(OutcomeView(_big(60)), Page("1", links=outcomes.LINKS))


def test_a_limit_of_another_place_is_kept_too() -> None:
    assert "left out" not in status(OutcomeView(_big(140)), Page("1.0.0"), 900_000)


@settings(max_examples=10, deadline=None)
@given(path=PATHS, reason=TEXTS)
@pytest.mark.long
def test_five_hundred_hostile_rows_fit(path: str, reason: str) -> None:
    rows = [outcomes.failed(number, path, ReasonCode.UNSAFE_PATH, reason) for number in range(1, 501)]
    for reply in (None, "/"):
        page = Page("1.0.0", links=outcomes.LINKS, prefix=reply)
        assert len(status(OutcomeView(outcomes.outcome(*rows)), page)) <= LIMIT


LINKED = (
    (outcomes.applied(1, "a.py"), True),
    (outcomes.created(1, "a.py"), False),
    (outcomes.no_match(1, "a.py"), True),
    (outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "no a.py"), False),
    (outcomes.failed(1, "../a.py", ReasonCode.UNSAFE_PATH, "leaves the repository"), False),
    (outcomes.stale(1, "a.py"), True),
    (with_facts(outcomes.stale(1, "a.py"), candidates=(), first_difference=None), False),
    (outcomes.failed(1, "a.py", ReasonCode.BINARY, "a NUL byte"), True),
    (outcomes.skipped(1, "a.py", ReasonCode.EARLIER_FAILURE, "block 0"), False),
    (outcomes.failed(1, "lib/../../a.py", ReasonCode.NO_MATCH, "never"), False),
)


@pytest.mark.parametrize(("row", "linked"), LINKED)
def test_only_files_that_are_there_are_linked(row: EditResult, linked: bool) -> None:
    assert ("acme/shop/blob/" in status(OutcomeView(outcomes.outcome(row)), Page("1", links=outcomes.LINKS))) is linked


def test_lines_after_a_commit_are_those_of_the_commit_or_none() -> None:
    rows = [
        outcomes.applied(1, "a.py", span=(50, 52)),
        outcomes.applied(2, "a.py", span=(10, 12)),
        outcomes.applied(3, "b.py", span=(10, 14)),
        outcomes.applied(4, "b.py", span=(12, 16)),
        outcomes.applied(5, "c.py", span=(10, 12)),
        outcomes.applied(6, "c.py", span=None),  # within the lines of block 5, which are others by now
    ]
    shown = status(
        OutcomeView(outcomes.outcome(*rows, state=State.APPLIED, commit=outcomes.COMMIT)),
        Page("1", links=outcomes.LINKS),
    )
    places = ["a.py:53-56", "a.py:11-14", "b.py", "b.py", "c.py", "c.py"]
    assert re.findall(r"`([abc]\.py[^`]*)`", shown) == places


def test_a_suggestion_leads_to_its_thread() -> None:
    source = outcomes.COMMENT._replace(kind="suggestions")
    rows = [outcomes.applied(number, "a.py")._replace(block=outcomes.block(number, "a.py", line=line))
            for number, line in ((1, 2), (2, 4))]  # fmt: skip
    response = Response.of([Part(7, "first\n"), Part(9, "second\n")], source)
    view = OutcomeView(outcomes.outcome(*rows)._replace(response=response))
    shown = status(view, Page("1", links=outcomes.LINKS))
    address = re.escape("https://github.com/acme/shop/pull/128#discussion_r")
    assert re.findall(rf" in \[its thread\]\({address}(\d+)\) \|", shown) == ["7", "9"]
    assert "thread" not in status(view, Page("1"))


def test_a_patch_that_a_copy_would_spoil_is_not_offered() -> None:
    fork = Refusal(ReasonCode.FORK, "not written to")
    for data, offered in ((b"a\n", True), (b"a\r\n", False), ("\u202e\n".encode(), False)):
        result = ApplyResult(
            contents={"a.py": data}, originals={"a.py": b"x\n"}, results=(outcomes.applied(1, "a.py"),)
        )
        shown = status(
            OutcomeView(outcomes.outcome(result=result)._replace(state=State.CHECKED, refusal=fork)), Page("1")
        )
        assert ("copy the patch below" in shown) is offered
        assert ("<summary>Patch" in shown) is offered
        assert "run `editblocks apply -`" in shown


LOGINS = (
    ("octocat", "octocat's"),
    ("mona-lisa2", "`mona-lisa2's`"),
    ("dependabot[bot]", "`dependabot[bot]'s`"),
    ("deadbeef", "`deadbeef's`"),
    ("GH-12", "`GH-12's`"),
)


@pytest.mark.parametrize(("login", "name"), LOGINS)
def test_a_login_is_plain_only_if_nothing_could_come_of_it(login: str, name: str) -> None:
    shown = status(OutcomeView(outcomes.outcome(source=outcomes.COMMENT._replace(author=login))), Page("1"))
    assert f"\n\n{name} comment against" in shown


def test_an_unknown_author_is_not_named() -> None:
    assert "The text against" in status(OutcomeView(outcomes.outcome(source=Source("stdin", "stdin"))), Page("1"))


LEFT_OUT = outcomes.outcome(outcomes.skipped(1, "a", ReasonCode.NOT_SELECTED, "x"))
NOT_HIS = outcomes.mockup()._replace(refusal=Refusal(ReasonCode.NOT_PERMITTED, "x"))
HEADLINES = (
    (outcomes.refused(ReasonCode.HEAD_MOVED, "x", State.STALE), "Nothing committed: the branch moved during the run"),
    (outcomes.refused(ReasonCode.CLOSED, "x"), "Nothing committed: the pull request is not open"),
    (outcomes.refused(ReasonCode.PUBLISH_FAILED, "x"), "Nothing committed: GitHub refused the commit"),
    (outcomes.refused(ReasonCode.SELF_CHECK, "x"), "Nothing committed: the result differs from the plan"),
    (outcomes.outcome(state=State.NOTHING), "No edit block found"),
    (outcomes.nothing_left(1), "Nothing to do: the branch already has this change"),
    (outcomes.fine(1, State.APPLIED), "Applied 1 edit block"),
    (LEFT_OUT, "Nothing committed: 1 block left out"),
    (NOT_HIS, "Nothing committed: 2 of 6 edit blocks failed"),
)


@pytest.mark.parametrize(("outcome", "headline"), HEADLINES)
def test_headline(outcome: Outcome, headline: str) -> None:
    assert f"### {headline}\n" in status(OutcomeView(outcome), Page("1"))


def test_no_command_is_offered_where_none_would_be_obeyed() -> None:
    shown = [outcome for outcome, _ in HEADLINES] + [outcomes.mockup(), outcomes.fine(), outcomes.mockup(State.PARTIAL)]
    for outcome in shown:
        text = status(OutcomeView(outcome), Page("1", links=outcomes.LINKS))
        assert re.search("/apply|/undo|/skip|/edits|/retry|editblocks undo", text) is None


def test_both_sides_of_a_difference_are_named() -> None:
    for row, diff in (
        (outcomes.stale(1, "a.py"), "- base            return self.sum\n+ file            return self.total"),
        (
            with_facts(outcomes.no_match(1, "a.py"), first_difference=Difference(9, 1, "x", None, "old")),
            "- SEARCH  x\n+ file    ends before line 9",
        ),
    ):
        assert f"```diff\n{diff}\n```" in status(OutcomeView(outcomes.outcome(row)), Page("1"))


def test_a_file_that_says_what_is_run_is_marked_for_review() -> None:
    shown = status(
        OutcomeView(outcomes.outcome(outcomes.applied(1, "web/package.json"), outcomes.applied(2, "src/a.py"))),
        Page("1.0.0"),
    )
    assert "- `web/package.json` decides what is installed, built or run: ⚠️ review" in shown.split("\n")
    assert shown.count("⚠️ review") == 1


def _suggesting(*commands: str) -> Outcome:
    shown = outcomes.fine()
    return shown._replace(result=shown.result._replace(shell_suggestions=commands))


SUGGESTIONS = (
    (("ls",), "1 shell suggestion, never run"),
    (("ls", "mkdir -p a"), "2 shell suggestions, never run"),
    (("ls", "rm a", "mv a b"), "3 shell suggestions, 2 destructive, never run"),
)


@pytest.mark.parametrize(("commands", "words"), SUGGESTIONS)
def test_the_small_print_counts_suggestions(commands: tuple[str, ...], words: str) -> None:
    shown = _suggesting(*commands)
    assert f" · {words}</sub>" in status(OutcomeView(shown), Page("1"))
    assert f" · {words} (job summary) · " in status(OutcomeView(shown), Page("1", links=outcomes.LINKS))


def test_the_list_of_suggestions() -> None:
    assert suggestions(OutcomeView(outcomes.fine())) == ""
    few = suggestions(OutcomeView(_suggesting("git mv a b", "rm `a`\n```\x1b", f"echo {'x' * 300} > y")))
    assert few == (
        "<details>\n<summary>Shell suggestions, never run</summary>\n\n````text\n"
        "info         git mv a b\n"
        "destructive  rm `a`␊```U+001B\n"
        f"destructive  echo {'x' * 192}...\n"
        "````\n\n</details>"
    )
    many = suggestions(OutcomeView(_suggesting(*(f"touch {number}" for number in range(25)))))
    assert "<summary>Shell suggestions, never run, the first 20 of 25</summary>" in many
    assert many.count("info") == 20
