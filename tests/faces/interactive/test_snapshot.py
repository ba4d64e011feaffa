"""What is written is what was shown."""

from collections.abc import Iterable
from functools import partial

from support.applykit import block
from support.dialogkit import API, FILES, FOUR, Person, request

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.faces.cli.dialog import choose
from editblocks.faces.cli.request import Snapshot, WritableSnapshot
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import Repo, run


def test_a_file_that_changes_meanwhile_is_refused() -> None:
    repos = [MemoryRepo(FILES), MemoryRepo({**FILES, "cart.py": b"    return 1\n"})]
    chosen, _ = choose(request(FOUR), lambda: repos.pop(0), asker=Person(["y", "q"]))
    assert chosen.refusal is not None
    assert (chosen.refusal.code, chosen.refusal.reason) == (
        ReasonCode.STALE,
        "cart.py changed while its blocks were shown, so nothing from reply.md was written; look at them again",
    )


def test_a_file_of_which_nothing_was_taken_may_change() -> None:
    repos = [MemoryRepo(FILES), MemoryRepo({**FILES, "cart.py": b"    return 1\n"})]
    assert choose(request(FOUR), lambda: repos.pop(0), asker=Person(["n", "n", "n", "y"]))[0].refusal is None


def test_every_question_is_about_the_same_bytes() -> None:
    files = dict(FILES)
    repo = MemoryRepo(files)
    snapshot = WritableSnapshot(repo)
    first = run(request(FOUR).response, snapshot, Settings())
    repo.write({"cart.py": b"other\n", "api.py": None}, "")
    assert run(request(FOUR).response, snapshot, Settings()).contents == first.contents
    assert snapshot.changed(repo, ["api.py", "cart.py"]) == "api.py"
    assert snapshot.write({"cart.py": FILES["cart.py"], "api.py": FILES["api.py"]}, "") == repo.head
    assert snapshot.changed(repo, ["api.py", "cart.py"]) is None
    assert snapshot.listings == repo.listings


def test_a_file_that_cannot_be_read_any_more_has_changed() -> None:
    class Gone(MemoryRepo):
        def read(self, path: str) -> bytes | None:
            raise UnreadableFile(ReasonCode.NOT_A_FILE, f"{path} is a symbolic link")

    snapshot = Snapshot(MemoryRepo(FILES))
    assert snapshot.read("cart.py") == FILES["cart.py"]
    assert snapshot.changed(Gone({}), ["cart.py"]) == "cart.py"


def test_the_version_on_which_a_place_was_chosen_is_kept() -> None:
    repo = MemoryRepo(FILES)
    chosen, _ = choose(request(API), lambda: repo, asker=Person(["p", "2", "y"]))
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
