"""`apply --commit` and `--index` refuse a file that has the changes only on disk, although no block would write it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support.applykit import CHANGE, CREATE, FITS, NEW_CART, TAX, Run
from support.gitkit import git, line

NAME = ".edits/reply.md"
UNTRACKED = "src/tax.py is not tracked by git"


def applied(run: Run, shop: Path) -> None:
    assert run("apply", "--keep", NAME).code == 0


def applied_in_part(run: Run, shop: Path) -> None:
    assert run("apply", "--keep", "--only", "1", NAME).code == 0


def written_by_hand(run: Run, shop: Path) -> None:
    (shop / "src/cart.py").write_bytes(NEW_CART)
    (shop / "src/tax.py").write_bytes(TAX)


class Case(NamedTuple):
    """An answer, what was done before, and the start of the message with this option."""

    text: str
    prepare: Callable[[Run, Path], None]
    option: str
    words: str


CASES = [
    Case(CREATE, applied, "--commit", UNTRACKED),
    Case(CREATE, written_by_hand, "--commit", UNTRACKED),
    Case(CREATE, applied, "--index", UNTRACKED),
    Case(CHANGE, applied, "--commit", "src/cart.py has changes that are not committed"),
    Case(CHANGE, applied, "--index", "src/cart.py has unstaged changes"),
    Case(FITS, applied_in_part, "--commit", "src/cart.py has changes that are not committed"),
    Case(FITS, applied_in_part, "--index", "src/cart.py has unstaged changes"),
]


@pytest.mark.parametrize("is_committed", [True, False], ids=["response file", "other file"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.long(after=1)
def test_what_is_only_on_disk_is_refused(shop: Path, run: Run, case: Case, is_committed: bool) -> None:
    (shop / ".edits").mkdir()
    (shop / NAME).write_text(case.text)
    if is_committed:
        git(shop, "add", NAME)
        git(shop, "commit", "-qm", "ask")
    case.prepare(run, shop)
    head = line(shop, "rev-parse", "HEAD")
    status = git(shop, "status", "--porcelain")
    ran = run("apply", case.option, NAME)
    assert (ran.code, case.words in ran.err, "dirty-file" in ran.err) == (2, True, True), ran
    assert (line(shop, "rev-parse", "HEAD"), git(shop, "status", "--porcelain")) == (head, status)


@pytest.mark.parametrize("option", ["--commit", "--index"])
@pytest.mark.long(after=1)
def test_what_is_there_already_is_nothing_to_do(shop: Path, run: Run, option: str) -> None:
    assert run("apply", option, "-", stdin=FITS).code == 0
    ran = run("apply", option, "-", stdin=FITS)
    assert (ran.code, ran.err) == (0, "")
    assert "nothing to do" in ran.out


def test_a_block_that_is_not_chosen_does_not_matter(shop: Path, run: Run) -> None:
    written_by_hand(run, shop)
    git(shop, "checkout", "src/cart.py")
    assert run("apply", "--commit", "--only", "1", "-", stdin=FITS).code == 0
    assert git(shop, "status", "--porcelain") == b"?? src/tax.py\n"
