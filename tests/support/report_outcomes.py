"""Outcomes of every kind for tests of reports. The repository is a shop, with the user names of GitHub's examples."""

from collections.abc import Mapping
from typing import Any

from support import file_blocks

from editblocks.applying.engine import apply_parsed
from editblocks.core.blocks import EditBlock, Note, Problem
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.mismatch import Candidate, Difference, Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Outcome, Refusal, Response, Source
from editblocks.core.settings import Settings
from editblocks.report.status.links import Links
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest, with_prompt

HEAD = "4be1d02c9f7e4a1b0d3c5e6f708192a3b4c5d6e7"
COMMIT = "9d0c2aa1b2c3d4e5f60718293a4b5c6d7e8f9012"
COMMENT = Source(
    "issuecomment-2048812345",
    "comment",
    uri="https://github.com/acme/shop/pull/128#issuecomment-2048812345",
    author="octocat",
)
STDIN = Source("stdin", "stdin")
FILE = Source(".edits/cart.md", "file", path=".edits/cart.md")

REVIEW = Source("pullrequestreview-77", "review", author="monalisa")
REPLY = Source("discussion_r99", "review-comment", author="monalisa")
EDITS = Source("file-0123456789abcdef", "file", author="octocat", path=".edits/cart.md")

LINKS = Links(
    "https://github.com",
    "acme/shop",
    128,
    "issuecomment-2048812345",
    run_id=981,
    docs="https://github.com/octo-org/editblocks/blob/v1/docs",
)

CART = b"class Cart:\n    def total(self):\n        return self.sum\n"
CART_NEW = b"class Cart:\n    def total(self):\n        return sum(self.items)\n"
TEST_CART = (
    b"from decimal import Decimal\n\nfrom shop.cart import Cart, Item\n"
    + b"# more tests\n" * 26
    + b"""def test_total():
    cart = Cart()
    cart.add(Item("tea", 10))
    assert cart.total() == Decimal("10.00")


def test_tax():
    assert Cart().tax() == 0
"""
)
TAX = b'"""Taxes."""\n\nRATE = 7\n'


def block(number: int, path: str, old: str = "old\n", new: str = "new\n", line: int | None = None) -> EditBlock:
    """A diff-fenced block, by default ten lines below the block with the previous number."""
    start = line if line is not None else 4 + 10 * number
    return EditBlock(number, path, "diff-fenced", start, start + 8, old_lines=old, new_lines=new)


def applied(
    number: int, path: str, strategy: str = "exact", confidence: str = "high", span: tuple[int, int] | None = (40, 47)
) -> EditResult:
    line = None if span is None else span[0] + 1
    return EditResult(
        block(number, path),
        EditStatus.APPLIED,
        strategy=strategy,
        confidence=confidence,
        estimated_line=line,
        span=span,
        likeness=1.0,
        lines_added=3,
        lines_removed=1,
    )


def failed(number: int, path: str, code: ReasonCode, reason: str) -> EditResult:
    return EditResult(block(number, path), EditStatus.FAILED, mismatch(code, reason), lines_added=2, lines_removed=2)


def mismatch(code: ReasonCode, reason: str) -> Mismatch:
    """A mismatch with a message of the form `what; advice`."""
    what, _, advice = reason.partition("; ")
    return Mismatch(code, what, advice)


def with_facts(row: EditResult, **facts: Any) -> EditResult:
    """The same row with some fields of its mismatch changed."""
    assert row.mismatch is not None
    return row._replace(mismatch=row.mismatch._replace(**facts))


def skipped(number: int, path: str, code: ReasonCode, reason: str, line: int | None = None) -> EditResult:
    return EditResult(block(number, path), EditStatus.SKIPPED, mismatch(code, reason), estimated_line=line)


def behind(number: int, path: str, failed: int) -> EditResult:
    """A block that is skipped because block `failed` failed before it, but fits without that one."""
    row = skipped(number, path, ReasonCode.EARLIER_FAILURE, "")
    return row._replace(without=(failed,), trial=applied(number, path, span=(1, 8)))


def ambiguous(number: int, path: str, lines: tuple[int, ...] = (12, 48, 90)) -> EditResult:
    places = ", ".join(map(str, lines[:-1])) + f" and {lines[-1]}"
    return with_facts(
        failed(
            number,
            path,
            ReasonCode.AMBIGUOUS,
            f"matches at lines {places} of {path}; add a line above or below",
        ),
        candidates=tuple(Candidate(line, line + 1, 1.0, f"{number}@{line}") for line in lines),
    )


def no_match(number: int, path: str) -> EditResult:
    """The failed block of the mock-up: one line of a test differs from the file."""
    old = 'def test_total():\n    cart = Cart()\n    cart.add(Item("tea", 10))\n    assert cart.total == 10\n'
    what = f"line 4 of the block differs from {path}:33 at column 22; closest is 30-36, 91% alike"
    difference = Difference(
        33, 22, "    assert cart.total == 10", '    assert cart.total() == Decimal("10.00")', "old", search_line=4
    )
    near = Candidate(30, 36, 0.91, f"{number}@30")
    facts = Mismatch(ReasonCode.NO_MATCH, what, candidates=(near,), first_difference=difference, similarity=0.91)
    new = block(number, path, old, old.replace("10\n", "11\n"))
    return EditResult(new, EditStatus.FAILED, facts, lines_added=5, lines_removed=2)


def stale(number: int, path: str) -> EditResult:
    """A block that fits its base, but not the head, where the same line was changed."""
    reason = f"{path}:43 changed since a1b2c3d, the base of this answer; write the block against 4be1d02"
    row = with_facts(
        failed(number, path, ReasonCode.STALE, reason),
        candidates=(Candidate(41, 47, 0.9, None),),
        first_difference=Difference(43, 16, "        return self.sum", "        return self.total"),
    )
    return row._replace(lines_added=3, lines_removed=1)


def every_strategy() -> Outcome:
    """A block for each strategy. For the last two, a person chose the place."""
    ways = ("exact high", "trailing-space high", "indentation medium", "three-way medium", "elided medium",
            "syntax low", "fuzzy low", "exact high", "fuzzy low")  # fmt: skip
    rows = [
        applied(number, "src/cart.py", strategy, confidence, (10 * number, 10 * number + 3))._replace(chosen=number > 7)
        for number, (strategy, confidence) in enumerate(map(str.split, ways), 1)
    ]
    rows[6:] = [row._replace(likeness=0.874) for row in rows[6:]]
    return outcome(*rows, state=State.CHECKED)


def indented(number: int, path: str, span: tuple[int, int] = (87, 88)) -> EditResult:
    note = Note("indentation-shifted", "old and new lines were shifted right by 4 spaces")
    shifted = applied(number, path, "indentation", "medium", span)
    return shifted._replace(shift=(4, "space"), notes=(note,), lines_added=1, lines_removed=1)


def created(number: int, path: str) -> EditResult:
    return applied(number, path, "create", span=None)._replace(likeness=None, lines_added=24, lines_removed=0)


def problem(number: int, code: ReasonCode = ReasonCode.UNCLOSED, path: str | None = None) -> Problem:
    what = "block at line 31 has no `>>>>>>> REPLACE` before the end (line 58)"
    return Problem(number, 31, 58, code, what, "probably cut off, ask for it again", path, "diff-fenced")


def outcome(
    *rows: EditResult | Problem,
    state: State = State.FAILED,
    source: Source = COMMENT,
    refusal: Refusal | None = None,
    commit: str | None = None,
    result: ApplyResult | None = None,
    text: str = "Here you are.\n",
    files: Mapping[str, bytes] | None = None,
) -> Outcome:
    """An outcome with these rows, and its retry prompt, which shows lines of `files`.

    Without a `result`, the contents of the applied rows' files are the same small examples.
    """
    results = tuple(row for row in rows if isinstance(row, EditResult))
    problems = tuple(row for row in rows if isinstance(row, Problem))
    if result is None:
        result = _files(results)._replace(results=results, problems=problems)
    made = Outcome(
        Response(text, source), result, state, HEAD, commit, state in (State.APPLIED, State.PARTIAL), refusal
    )
    request = ApplyRequest(made.response, Settings())
    return with_prompt(made, MemoryRepo(files or {}, head=HEAD), "acme/shop", request)


def _files(results: tuple[EditResult, ...]) -> ApplyResult:
    contents: dict[str, bytes] = {}
    originals: dict[str, bytes | None] = {}
    for row in results:
        if row.status is EditStatus.APPLIED:
            new = row.strategy == "create"
            contents.setdefault(row.file_path, TAX if new else CART_NEW)
            originals.setdefault(row.file_path, None if new else CART)
    return ApplyResult(contents=contents, originals=originals)


def mockup(state: State = State.FAILED, source: Source = COMMENT, commit: str | None = None) -> Outcome:
    """Six blocks, one for each kind of result that a block can have."""
    rows = (
        applied(1, "src/cart.py"),
        indented(2, "src/cart.py"),
        created(3, "src/pricing/tax.py"),
        ambiguous(4, "src/api.py"),
        no_match(5, "tests/test_cart.py"),
        skipped(6, "README.md", ReasonCode.ALREADY_APPLIED, "the new lines are already at README.md:57", 57),
    )
    return outcome(*rows, state=state, source=source, commit=commit, files={"tests/test_cart.py": TEST_CART})


def fine(count: int = 4, state: State = State.CHECKED, commit: str | None = None) -> Outcome:
    """`count` applied blocks, of which the last creates a file."""
    rows = [applied(number, "src/cart.py", span=(10 * number, 10 * number + 3)) for number in range(1, count)]
    return outcome(*rows, created(count, "src/pricing/tax.py"), state=state, commit=commit)


def moves(state: State = State.FAILED, commit: str | None = None, source: Source = COMMENT) -> Outcome:
    """A real plan that deletes, renames and edits files. With state FAILED, some blocks do not fit."""
    files = {
        "src/cart.py": CART,
        "src/old.py": b"a\nb\n",
        "src/run `me`": b"#!/bin/sh\n",
        "logo.png": b"\x89PNG\0",
        "package.json": b"{}\n",
    }
    blocks = [
        file_blocks.rename("src/cart.py", "lib/cart.py"),
        file_blocks.edit("lib/cart.py", "        return self.sum\n", "        return sum(self.items)\n"),
        file_blocks.delete("src/old.py"),
        file_blocks.rename("src/run `me`", "bin/run `me`"),
        file_blocks.delete("logo.png"),
        file_blocks.delete("package.json"),
        file_blocks.edit("lib/cart.py", "        return self.summ\n", "        return 1\n"),
        file_blocks.rename("src/no.py", "x.py"),
        file_blocks.edit("x.py", "a\n", "b\n"),
    ]
    rows = file_blocks.parsed(*(blocks if state is State.FAILED else blocks[:6]))
    result = apply_parsed(rows, MemoryRepo(files, {"src/run `me`": "100755"}))
    return outcome(*result.rows, state=state, commit=commit, result=result, source=source, files=files)


def nothing_left(count: int = 4) -> Outcome:
    rows = [
        skipped(number, "src/cart.py", ReasonCode.ALREADY_APPLIED, f"the new lines are at src/cart.py:{number}", number)
        for number in range(1, count + 1)
    ]
    return outcome(*rows, state=State.NOTHING)


def refused(code: ReasonCode, reason: str, state: State = State.REFUSED) -> Outcome:
    return fine(2, state)._replace(refusal=Refusal(code, reason))
