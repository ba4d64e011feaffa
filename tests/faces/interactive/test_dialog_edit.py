"""Editing a block, and that what is written is what was shown."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pytest
from support.applykit import block
from support.dialogkit import API, FILES, FOUR, MISS, TAX, TOTAL, Edit, Person, hold, request

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile
from editblocks.core.outcome import FrontMatter, Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.interactive.dialog import choose
from editblocks.faces.interactive.snapshot import Snapshot
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run.flow import ApplyRequest, Repo, run

# editing


def swap(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new)


def swap_all(new: str) -> Edit:
    return lambda _: new


def test_an_edited_block_is_what_is_applied() -> None:
    chosen, person = hold(FOUR, "e y q", swap("10", "11"))
    assert person.shown[1] == "block 1 of 4, cart.py:2, exact\n-    return 1\n+    return 11\n"
    assert chosen.response.text == FOUR.replace("return 10", "return 11", 1)
    assert str(chosen.select) == "1"


def test_an_edit_may_make_a_block_fit() -> None:
    chosen, person = hold(MISS + TOTAL, "e y y", swap("return 5\n", "return 2\n"))
    assert person.shown[1] == "block 1 of 2, cart.py:6, exact\n-    return 2\n+    return 50\n"
    assert str(chosen.select) == "1-2"


def test_a_block_that_could_not_be_read_can_be_mended() -> None:
    whole = "=======\n    return 9\n>>>>>>> REPLACE\n"
    text = "cart.py\n<<<<<<< SEARCH\n    return 1\n"
    chosen, person = hold(text, "e y", lambda old: old.rstrip("\n") + "\n" + whole)
    assert person.shown[1] == "block 1 of 1, cart.py:2, exact\n-    return 1\n+    return 9\n"
    assert str(chosen.select) == "1"


def test_an_edit_below_front_matter_and_with_line_ends_of_windows() -> None:
    front = "---\r\ntitle: x\r\n---\r\n"
    body = TOTAL.replace("\n", "\r\n")
    response = Response(front + body, Source("reply.md", "file"), front=FrontMatter(length=len(front), lines=3))
    person = Person(["e", "y"], [swap("10", "11")])
    chosen, _ = choose(ApplyRequest(response, Settings(mode="apply")), lambda: MemoryRepo(FILES), asker=person)
    assert chosen.response.text == front + body.replace("10", "11")


def test_an_edit_takes_a_place_back() -> None:
    chosen, _ = hold(API, "p 8 e q", swap("10", "11"))
    assert (str(chosen.select), chosen.response.text) == ("", API.replace("10", "11"))


BROKEN_EDITS: tuple[tuple[str, Edit, str], ...] = (
    ("its closer is gone", swap(">>>>>>> REPLACE\n", ""), ": "),
    ("two blocks of one", lambda text: text + text, "block 1 would no longer be one block between its neighbours"),
    ("no block at all", swap_all("gone\n"), "block 1 would no longer be one block between its neighbours"),
)


@pytest.mark.parametrize(("what", "edit", "words"), BROKEN_EDITS, ids=[row[0] for row in BROKEN_EDITS])
def test_a_broken_edit_is_said_and_asked_again(what: str, edit: Edit, words: str) -> None:
    seen: list[str] = []

    def mended(text: str) -> str:
        seen.append(text)
        return "<<<<<<< SEARCH\n    return 1\n=======\n    return 12\n>>>>>>> REPLACE\n"

    chosen, person = hold(TOTAL + TAX, "e y y q", edit, mended)
    assert words in person.shown[1], what
    assert person.asked[1] == "edit it again (no: the block stays as it was) [y,n]?"
    assert seen == [edit("<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n")]
    assert chosen.response.text == (TOTAL + TAX).replace("return 10", "return 12", 1)


def test_a_broken_edit_that_is_given_up_changes_nothing() -> None:
    chosen, person = hold(TOTAL + TAX, "e n y q", swap(">>>>>>> REPLACE\n", ""))
    assert (chosen.response.text, str(chosen.select)) == (TOTAL + TAX, "1")
    assert person.asked[2].startswith("apply this block ")


STAYS: tuple[tuple[str, Edit | RepoError, str], ...] = (
    ("nothing was changed", lambda text: text, "the block stays as it was\n"),
    ("everything was deleted", swap_all("\n"), "the block stays as it was\n"),
    ("the editor failed", RepoError("the editor `x` ended with status 1"), "the editor `x` ended with status 1\n"),
)


@pytest.mark.parametrize(("what", "edit", "said"), STAYS, ids=[row[0] for row in STAYS])
def test_an_edit_that_is_none(what: str, edit: Edit | RepoError, said: str) -> None:
    chosen, person = hold(TOTAL, "e y", edit)
    assert (person.shown[1], chosen.response.text, str(chosen.select)) == (said, TOTAL, "1"), what


# what is written is what was shown


def test_a_file_that_changes_meanwhile_is_refused() -> None:
    repos = [MemoryRepo(FILES), MemoryRepo({**FILES, "cart.py": b"    return 1\n"})]
    chosen, _ = choose(request(FOUR), lambda: repos.pop(0), asker=Person(["y", "q"]))
    assert chosen.refusal is not None
    assert (chosen.refusal.code, chosen.refusal.reason) == (
        ReasonCode.STALE,
        "cart.py changed while its blocks were shown, so nothing of reply.md is written; look at them again",
    )


def test_a_file_of_which_nothing_was_taken_may_change() -> None:
    repos = [MemoryRepo(FILES), MemoryRepo({**FILES, "cart.py": b"    return 1\n"})]
    assert choose(request(FOUR), lambda: repos.pop(0), asker=Person(["n", "n", "n", "y"]))[0].refusal is None


def test_every_question_is_about_the_same_bytes() -> None:
    files = dict(FILES)
    repo = MemoryRepo(files)
    snapshot = Snapshot(repo)
    first = run(request(FOUR).response, snapshot, Settings())
    repo.write({"cart.py": b"other\n", "api.py": None}, "")
    assert run(request(FOUR).response, snapshot, Settings()).contents == first.contents
    assert snapshot.changed(repo, ["api.py", "cart.py"]) == "api.py"
    assert snapshot.write({"cart.py": FILES["cart.py"], "api.py": FILES["api.py"]}, "") == repo.head
    assert snapshot.changed(repo, ["api.py", "cart.py"]) is None
    assert snapshot.listings == repo.listings


def test_what_cannot_be_read_is_remembered_too() -> None:
    class Gone(MemoryRepo):
        def read(self, path: str) -> bytes | None:
            raise UnreadableFile(ReasonCode.NOT_A_FILE, f"{path} is a symbolic link")

    snapshot = Snapshot(Gone({}))
    for _ in range(2):
        with pytest.raises(UnreadableFile):
            snapshot.read("a.py")
    assert (snapshot.changed(Gone({}), ["a.py"]), snapshot.changed(MemoryRepo({}), ["a.py"])) == (None, "a.py")


def test_the_version_on_which_a_place_was_chosen_is_kept() -> None:
    repo = MemoryRepo(FILES)
    chosen, _ = choose(request(API), lambda: repo, asker=Person(["p", "8", "y"]))
    assert chosen.chosen_at == repo.head


def test_a_whole_file_is_planned_once_and_not_once_for_each_block() -> None:
    class Counting(MemoryRepo):
        reads = 0

        def prefetch(self, paths: Iterable[str]) -> None:
            del paths
            Counting.reads += 1

    text = "".join(block("cart.py", f"{line}\n", f"{line}  # {at}\n") for at, line in enumerate(LINES))
    for answer, taken in (("a", f"1-{len(LINES)}"), ("d", "")):
        Counting.reads = 0
        repo = Counting({"cart.py": "".join(f"{line}\n" for line in LINES).encode()})
        chosen, _ = choose(request(text), partial(_itself, repo), asker=Person([answer]))
        assert (str(chosen.select), Counting.reads < 8) == (taken, True)


def _itself(repo: Repo) -> Repo:
    return repo


LINES = [f"value_{at} = {at}" for at in range(40)]
