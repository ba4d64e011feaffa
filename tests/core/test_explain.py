"""The sentence of a failed block: there is one, whatever is known of the failure besides its code."""

from __future__ import annotations

import pytest

from editblocks.core.blocks import EditBlock
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.explain import parts
from editblocks.core.mismatch import Candidate, Mismatch
from editblocks.core.model import EditResult

PLACE = Candidate(3, 4, 1.0)
BARE = {
    "ambiguous": Mismatch(ReasonCode.AMBIGUOUS),
    "ambiguous by tolerance": Mismatch(ReasonCode.AMBIGUOUS, strategy="indentation"),
    "there already": Mismatch(ReasonCode.AMBIGUOUS, duplicate=PLACE, strategy="indentation"),
    "no-match": Mismatch(ReasonCode.NO_MATCH),
    "an unsure deletion": Mismatch(ReasonCode.NO_MATCH, strategy="indentation"),
    "not at the chosen line": Mismatch(ReasonCode.NO_MATCH, chosen_line=7),
    "stale": Mismatch(ReasonCode.STALE, base="4be1d02"),
    "file-not-found": Mismatch(ReasonCode.FILE_NOT_FOUND),
}


@pytest.mark.parametrize("name", BARE)
def test_there_is_a_sentence_without_any_place(name: str) -> None:
    block = EditBlock(1, "a.py", "diff", 1, 5, old_lines="x\n", new_lines="y\n")
    assert "a.py" in (EditResult(block, EditStatus.FAILED, BARE[name]).reason or "")


@pytest.mark.parametrize(("last", "lines"), [(3, "line 3 of a.py fits"), (4, "lines 3-4 of a.py fit")])
def test_lines_to_delete_that_may_be_others_are_counted(last: int, lines: str) -> None:
    unsure = Mismatch(ReasonCode.NO_MATCH, candidates=(Candidate(3, last, 1.0),), strategy="indentation")
    what, advice = parts("a.py", unsure)
    assert what == f"{lines} only by tolerance (indentation), too little to delete them"
    assert advice == "write the old lines exactly as they are in the file"
