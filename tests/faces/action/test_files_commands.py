"""What people say about a response file, and what the log says of it."""

from pathlib import Path

import pytest
from support.actionkit import (
    APP,
    APP_NEW,
    FAILS,
    FITS,
    OTHER,
    act,
    marker_of,
    pull_request,
    states,
)
from support.filecases import OTHER_FITS, A, B, content, opened, writes
from support.hub import hub

from editblocks.core.codes import State

# commands about a file


@pytest.mark.long
def test_undo_brings_the_file_back_and_the_next_run_stays_quiet(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        before = h.world.head(pull)
        act(h, h.pull_event(pull), tmp_path)
        undone = act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        assert (undone.code, undone.outputs["result"], states(pull)) == (0, "applied", ["undone"]), undone.log
        assert h.world.files(h.world.head(pull)) == h.world.files(before)
        quiet = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (quiet.code, quiet.outputs["result"], writes(quiet)) == (0, "nothing", []), quiet.log
        assert ".edits/a.md was applied and undone (" in quiet.log
        again = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (again.outputs["result"], states(pull), A in content(h, pull)) == ("applied", ["applied"], False)


@pytest.mark.long
def test_undo_names_its_commit_though_nothing_can_be_read_after_it(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)

        def fail_all_reads() -> None:
            h.fault("query Objects", status=502, times=99)
            h.fault("GET git/*", status=502, times=99)

        h.fault("mutation updateRefs", before=fail_all_reads)
        done = act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        assert (content(h, pull)["app.py"], states(pull)) == (APP, ["undone"]), done.log
        assert (done.outputs["result"], done.outputs["commit-sha"]) == ("applied", h.world.head(pull))


@pytest.mark.long
def test_a_part_that_is_applied_after_an_undo_is_not_the_whole(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n{OTHER_FITS}")
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        act(h, h.comment(pull, "octocat", "/apply 1"), tmp_path)
        before = (states(pull), h.world.head(pull), pull.reviews[0].body)
        assert before[0] == ["partial"]
        done = act(h, h.pull_event(pull, "synchronize"), tmp_path)
        assert (states(pull), h.world.head(pull), pull.reviews[0].body) == before, done.log
        act(h, h.comment(pull, "octocat", "/apply 2"), tmp_path)
        assert content(h, pull)["notes.txt"] == b"one\n2\n"


@pytest.mark.long
def test_undo_of_a_file_that_was_deleted_by_hand(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n{FAILS}")
        act(h, h.pull_event(pull), tmp_path, {"partial": "true"})
        h.world.push(pull, {A: None})
        done = act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        assert (states(pull), content(h, pull)["app.py"]) == (["undone"], APP), done.log
        assert "The response file]" in pull.reviews[0].body
        assert "#file-" not in pull.reviews[0].body + done.log


@pytest.mark.parametrize("files", [False, True], ids=["alone", "after another push"])
@pytest.mark.long
def test_undo_where_nobody_can_see_a_status(tmp_path: Path, files: bool) -> None:
    """The trailers alone keep an automatic run from doing it again."""
    with hub() as h:
        pull = opened(h, FITS)
        before = h.world.head(pull)
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        pull.reviews.clear()
        if files:
            h.world.push(pull, OTHER)
        done = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (done.code, content(h, pull)["app.py"], A in content(h, pull)) == (0, APP, True), done.log


@pytest.mark.long
def test_undo_holds_when_its_commit_is_long_ago(tmp_path: Path) -> None:
    """Fifty commits are looked at; the status remembers it after that."""
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        for number in range(51):
            h.world.push(pull, {"other.txt": b"%d\n" % number})
        done = act(h, h.pull_event(pull, "synchronize"), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (0, "nothing", []), done.log


@pytest.mark.long
def test_apply_names_the_status_of_a_file(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        assert states(pull) == ["checked", "checked"]
        several = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert several.outputs["result"] == "nothing"
        lines = pull.comments[-1].body
        assert all(f"/apply of {review.id}" in lines for review in pull.reviews)
        for _ in range(2):
            review = next(each for each in pull.reviews if marker_of(each).state is State.CHECKED)
            done = act(h, h.comment(pull, "octocat", f"/apply of {review.id}"), tmp_path)
            assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert states(pull) == ["applied", "applied"]
        assert not {A, B} & set(content(h, pull))


@pytest.mark.long
def test_a_word_about_a_file_that_was_changed_does_not_count(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        inputs = {"trigger": "command"}
        act(h, h.pull_event(pull), tmp_path, inputs)
        h.world.push(pull, {A: OTHER_FITS.encode()})
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path, inputs)
        assert (done.outputs["result"], states(pull), A in content(h, pull)) == ("stale", ["stale"], True), done.log
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path, inputs)
        assert (done.outputs["result"], content(h, pull)["notes.txt"]) == ("applied", b"one\n2\n")


@pytest.mark.long
@pytest.mark.parametrize("data", [b"\xff", None], ids=["unreadable", "gone"])
def test_a_word_about_a_file_that_cannot_be_had(tmp_path: Path, data: bytes | None) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        h.world.push(pull, {A: data})
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (done.code, h.world.head(pull)) == (0, before), done.log
        assert ("encoding: " in pull.reviews[0].body) or "no longer exists" in pull.comments[-1].body


@pytest.mark.long
def test_part_of_a_file_by_a_word(tmp_path: Path) -> None:
    """The file stays for what is left, and goes with it."""
    with hub() as h:
        pull = opened(h, f"{FITS}\n{OTHER_FITS}")
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        part = act(h, h.comment(pull, "octocat", "/apply 1"), tmp_path)
        assert (part.outputs["result"], A in content(h, pull)) == ("partial", True), part.log
        rest = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (rest.outputs["result"], A in content(h, pull)) == ("applied", False), rest.log
        assert (content(h, pull)["app.py"], content(h, pull)["notes.txt"]) == (APP_NEW, b"one\n2\n")


def test_a_word_about_what_is_there_already_takes_nothing_away(tmp_path: Path) -> None:
    """The other block was not asked for, and is still wanted."""
    with hub() as h:
        pull = opened(h, f"{FITS}\n{OTHER_FITS}")
        h.world.push(pull, {"app.py": APP_NEW})
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", "/apply 1"), tmp_path, {"trigger": "command"})
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "checked", before), done.log


@pytest.mark.long
def test_a_block_that_people_leave_out_goes_with_the_file(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n{FAILS}")
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/skip 2"), tmp_path)
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (done.code, content(h, pull)["app.py"], A in content(h, pull)) == (0, APP_NEW, False), done.log
        quiet = act(h, h.pull_event(pull), tmp_path)
        assert (quiet.code, quiet.outputs["result"]) == (0, "nothing")


# what the log says


@pytest.mark.long
def test_no_file_writes_a_command_into_the_log(tmp_path: Path) -> None:
    names = ["::error::x.md", "%0A::set-output name=a::b.md", "a\n::stop-commands::x.md", "b\u202e.md", "c,line=9.md"]
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, **{f".edits/{name}": FAILS.encode() for name in names}})
        done = act(h, h.pull_event(pull), tmp_path)
        assert done.code == 2
        lines = done.log.splitlines()
        commands = [line for line in lines if line.startswith("::")]
        assert all(
            line.startswith(("::add-mask::", "::error::", "::error file=", "::error title=")) for line in commands
        )
        assert not any("stop-commands::x" in line or "set-output name=a::" in line for line in lines)
        assert done.log.isascii()
