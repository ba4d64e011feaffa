"""A response file goes with the last of its blocks, unless something in it was not read."""

import pytest
from support.responses import block

from editblocks.core.outcome import Outcome, Response, Source
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest, settle

NAME = ".edits/a.md"
NEW = "def first_two(numbers):\n    first, second, *_ = numbers\n    return first + second\n"
FITS, THERE, MISSES = block("1\n", "one\n"), block("gone\n", NEW), block("none\n", "nine\n")
DIFF = "```diff\n@@ -1 +1 @@\n-x\n+y\n```\n"  # of no file, so it asks for nothing
FILES = {"a.py": f"1\n{NEW}".encode(), NAME: b""}
STAYS = "the response file stays, because not all of it is read; write the rest as blocks"


def settled(text: str, *, only: str | None, partly: bool, skip: frozenset[int], repo: MemoryRepo) -> Outcome:
    select = None if only is None else Selection.read(only)
    response, settings = Response(text, Source(NAME, "file", path=NAME)), Settings(mode="apply")
    request = ApplyRequest(response, settings, select, allow_partial=partly, skip=skip, response_file=NAME)
    return settle(request, None, lambda: repo, sleep=lambda _: None)


# the response, what is selected, whether what is ready is written alone, what is left out for good; what is said
GOES = [
    (FITS, None, False, frozenset[int]()),
    (THERE, None, False, frozenset[int]()),
    (FITS + MISSES, "1", True, frozenset({2})),
]
STAYING = [
    (FITS + MISSES, None, True, frozenset[int](), None),
    (FITS + MISSES, "1", True, frozenset[int](), None),
    (FITS + DIFF, None, False, frozenset[int](), STAYS),
    (THERE + DIFF, None, False, frozenset[int](), STAYS),
    (FITS + MISSES + DIFF, None, True, frozenset[int](), STAYS),
    (FITS + MISSES + DIFF, "1", True, frozenset({2}), STAYS),
]


@pytest.mark.parametrize(("text", "only", "partly", "skip"), GOES)
def test_it_goes_with_the_last_block(text: str, only: str | None, partly: bool, skip: frozenset[int]) -> None:
    repo = MemoryRepo(dict(FILES))
    outcome = settled(text, only=only, partly=partly, skip=skip, repo=repo)
    assert (outcome.removed_file, repo.read(NAME), outcome.ok) == (NAME, None, True)


@pytest.mark.parametrize(("text", "only", "partly", "skip", "said"), STAYING)
def test_it_stays_for_what_is_not_applied_or_not_read(
    text: str, only: str | None, partly: bool, skip: frozenset[int], said: str | None
) -> None:
    repo = MemoryRepo(dict(FILES))
    outcome = settled(text, only=only, partly=partly, skip=skip, repo=repo)
    notes = [note.message for note in outcome.result.notes if note.message.startswith(STAYS)]
    assert (outcome.removed_file, repo.read(NAME), notes) == (None, b"", [said] if said else [])
