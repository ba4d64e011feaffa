"""Response files that were dealt with before: nothing is done with them, and nobody is left without a word."""

from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FITS, OTHER, Done, act, block, pull_request, states
from support.hub import Hub, PullRequest, hub

A, B = ".edits/a.md", ".edits/b.md"
FILES = {"app.py": APP, "notes.txt": b"one\ntwo\n"}
FILE = FITS.encode()
KEEP = b"after-apply: keep\n"
AGAIN = "change anything in it to have it read again"
ONCE = f"so it is not applied again; {AGAIN}"


def opened(h: Hub, tmp_path: Path, policy: bytes = b"") -> tuple[PullRequest, str]:
    """A pull request whose response file was applied: with the commit that did it."""
    if policy:
        h.world.commit({".editblocks.yml": policy}, "Policy")
    pull = pull_request(h, {**FILES, A: FILE})
    done = act(h, h.pull_event(pull), tmp_path)
    assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"]), done.log
    return pull, h.world.head(pull)


def push(h: Hub, pull: PullRequest, tmp_path: Path) -> Done:
    """What becomes of the head as it is, which nothing is added to."""
    before = h.world.head(pull)
    done = act(h, h.pull_event(pull, "synchronize"), tmp_path)
    assert (done.code, done.errors, h.world.head(pull)) == (0, [], before), done.log
    return done


def marked(done: Done) -> list[str]:
    return [line for line in done.log.splitlines() if line.startswith("::warning ")]


def summed_up(said: str, *commits: str) -> str:
    """A sentence as the job summary has it."""
    for word in (A, *(commit[:7] for commit in commits)):
        said = said.replace(word, f"`{word}`")
    return said


CHANGES: dict[str, dict[str, bytes | None]] = {
    "the same file": {A: FILE},
    "a revert by hand": {A: FILE, "app.py": APP},
    "the same file, its target gone": {A: FILE, "app.py": None},
}


@pytest.mark.parametrize("files", CHANGES.values(), ids=CHANGES)
@pytest.mark.long
def test_a_file_that_is_pushed_again_is_named(tmp_path: Path, files: dict[str, bytes | None]) -> None:
    with hub() as h:
        pull, made = opened(h, tmp_path)
        h.world.push(pull, files)
        said = f"{A} was already applied in {made[:7]}, {ONCE}"
        for _ in ("the event", "the event once more"):
            done = push(h, pull, tmp_path)
            assert (done.outputs["result"], done.outputs["commit-sha"]) == ("applied", made)
            assert said in done.log.splitlines()
            assert done.summary.strip() == summed_up(said, made)
            assert marked(done) == [f"::warning file={A},line=1,endLine=1,title=already-applied::{said}"]
        h.world.push(pull, {A: FILE + b"\nOnce more.\n", "app.py": APP})
        again = act(h, h.pull_event(pull, "synchronize"), tmp_path)
        assert (again.outputs["result"], h.world.files(h.world.head(pull))["app.py"][1]) == ("applied", APP_NEW)


def test_what_was_rewound_is_not_brought_back_and_that_is_said(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {**FILES, A: FILE})
        start, event = h.world.head(pull), h.pull_event(pull)
        act(h, event, tmp_path)
        made = h.world.head(pull)
        h.world.reset(pull.head_ref, start)
        done = act(h, event, tmp_path)
        gone = f"{A} was already applied in {made[:7]}, {ONCE}"
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (0, "nothing", ""), done.log
        assert (h.world.head(pull), done.summary.strip()) == (start, summed_up(gone, made))
        assert len(marked(done)) == 1


@pytest.mark.long
def test_a_long_pull_request_is_not_said_to_lack_a_commit(tmp_path: Path) -> None:
    """Fifty commits are looked at: one before them may well be there."""
    with hub() as h:
        pull, made = opened(h, tmp_path)
        for number in range(50):
            h.world.push(pull, {"other.txt": b"%d\n" % number})
        h.world.push(pull, {A: FILE})
        assert f"{A} was already applied in {made[:7]}, {ONCE}" in push(h, pull, tmp_path).log


@pytest.mark.long
def test_what_was_undone_waits_for_a_word_that_works(tmp_path: Path) -> None:
    with hub() as h:
        pull, _ = opened(h, tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        undone, word = h.world.head(pull), f"/apply of {pull.reviews[0].id}"
        done = push(h, pull, tmp_path)
        said = f"{A} was applied and undone ({undone[:7]}), so nothing was done; {AGAIN}"
        assert (done.outputs["result"], done.outputs["commit-sha"]) == ("nothing", "")
        assert done.summary.strip() == summed_up(said, undone)
        assert marked(done) == [f"::warning file={A},line=1,endLine=1,title=undone::{said}"]
        again = act(h, h.comment(pull, "octocat", word), tmp_path)
        assert (again.outputs["result"], A in h.world.files(h.world.head(pull))) == ("applied", False), again.log


@pytest.mark.long
def test_what_was_undone_without_a_status(tmp_path: Path) -> None:
    with hub() as h:
        pull, made = opened(h, tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        pull.reviews.clear()
        done = push(h, pull, tmp_path)
        assert done.outputs["result"] == "nothing"
        said = f"{A} was applied and undone ({made[:7]}), so nothing was done; {AGAIN}"
        assert done.summary.strip() == summed_up(said, made)


@pytest.mark.long
def test_a_lost_status_comes_back_and_the_file_is_named(tmp_path: Path) -> None:
    with hub() as h:
        pull, made = opened(h, tmp_path)
        h.world.push(pull, {A: FILE})
        pull.reviews.clear()
        done = push(h, pull, tmp_path)
        said = f"{A} was already applied in {made[:7]}, {ONCE}"
        assert (states(pull), said in done.log, summed_up(said, made) in done.summary) == (["applied"], True, True)
        assert len(marked(done)) == 1


@pytest.mark.long
def test_a_branch_without_a_pull_request(tmp_path: Path) -> None:
    """Nothing there keeps a status: the commit itself tells, and that it removed the file is not said again."""
    with hub() as h:
        act(h, h.push("feature", {**FILES, A: FILE}), tmp_path)
        made = h.world.branch("feature") or ""
        done = act(h, h.push("feature", {"app.py": APP, A: FILE}), tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (0, "applied", made)
        assert done.summary.strip() == summed_up(f"{A} was already applied in {made[:7]}, {ONCE}", made)
        assert (len(marked(done)), h.world.files(h.world.branch("feature") or "")["app.py"][1]) == (1, APP)


def test_a_file_that_is_kept_is_named_without_a_mark(tmp_path: Path) -> None:
    with hub() as h:
        pull, made = opened(h, tmp_path, KEEP)
        h.world.push(pull, OTHER)
        done = push(h, pull, tmp_path)
        said = f"{A} was already applied in {made[:7]}, {ONCE}"
        assert (done.summary.strip(), marked(done)) == (summed_up(said, made), [])


def test_beside_a_file_that_is_applied(tmp_path: Path) -> None:
    with hub() as h:
        pull, made = opened(h, tmp_path)
        h.world.push(pull, {A: FILE, B: block("notes.txt", "two", "2").encode()})
        done = act(h, h.pull_event(pull, "synchronize"), tmp_path)
        said = f"{A} was already applied in {made[:7]}, {ONCE}"
        assert (done.code, done.outputs["result"], sorted(states(pull))) == (0, "applied", ["applied", "applied"])
        assert done.outputs["commit-sha"] == h.world.head(pull) != made
        assert (said in done.log.splitlines(), summed_up(said, made) in done.summary, len(marked(done))) == (
            True,
            True,
            1,
        )
        assert h.world.files(h.world.head(pull))["notes.txt"][1] == b"one\n2\n"


WORDS = ["/apply of {}", "the comment once more"]


@pytest.mark.long
@pytest.mark.parametrize("word", WORDS)
def test_a_comment_that_was_taken_out_by_hand(tmp_path: Path, word: str) -> None:
    with hub() as h:
        pull = pull_request(h, FILES)
        event = h.comment(pull, "octocat", FITS)
        act(h, event, tmp_path)
        made = h.world.head(pull)
        head = h.world.push(pull, {"app.py": APP})
        if word.startswith("/"):
            event = h.comment(pull, "octocat", word.format(pull.comments[0].id))
        done = act(h, event, tmp_path)
        said = f"already applied as {made[:7]}; post the blocks again if they were reverted since"
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "applied", head)
        assert (said in done.log.splitlines(), summed_up(said, made) in done.summary) == (True, True)
        again = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (again.outputs["result"], h.world.files(h.world.head(pull))["app.py"][1]) == ("applied", APP_NEW)
