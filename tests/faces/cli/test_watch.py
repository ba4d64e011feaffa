"""`editblocks watch` where it cannot watch: no answer is named, or there is no terminal."""

import pytest
from support.applykit import Run

WRONG = (
    ("watch", "no answer is given; name the file to watch, or pipe the answer in"),
    ("watch -", "no answer is given; name the file to watch, or pipe the answer in"),
    ("watch -- -x", "`-x` begins with a dash; for a file of that name write ./ before it"),
    ("watch a.md b.md", "`b.md` is one argument too many; see editblocks watch --help"),
    ("watch a.md --only 1", "watch has no option `--only`; see editblocks"),
    ("watch a.md", "watch needs a terminal; use `editblocks check` once the answer is complete"),
)


@pytest.mark.parametrize(("command", "words"), WRONG)
@pytest.mark.long(after=1)
def test_what_cannot_be_watched(run: Run, command: str, words: str) -> None:
    code, out, err = run(*command.split())
    assert (code, out, err.startswith(f"editblocks: {words}")) == (2, "", True), err
