"""Response files that are pushed to a branch."""

from pathlib import Path

import pytest
from support.actionkit import (
    APP_NEW,
    FAILS,
    FITS,
    OTHER,
    act,
    states,
)
from support.filecases import FILES, KEEP, A, opened, writes
from support.hub import hub
from support.hub.model import Rule
from support.talkkit import some

# pushes


@pytest.mark.long
def test_a_push_to_a_branch_without_a_pull_request(tmp_path: Path) -> None:
    with hub() as h:
        event = h.push("feature", {**FILES, A: FITS.encode()})
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["pr-number"]) == (0, "applied", ""), done.log
        head = h.world.branch("feature")
        assert (done.outputs["commit-sha"], done.outputs["review-url"]) == (head, "")
        assert A not in h.world.files(head or "")
        assert done.names[0] == "query Branch"
        assert len(done.names) == 10
        assert act(h, event, tmp_path).outputs["result"] == "nothing"


def test_a_push_that_does_not_fit(tmp_path: Path) -> None:
    with hub() as h:
        done = act(h, h.push("feature", {**FILES, A: FAILS.encode()}), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (2, "failed", [])
        assert "::error file=.edits/a.md,line=3" in done.log


@pytest.mark.long
def test_a_push_to_the_branch_of_a_pull_request_uses_its_status(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        event = h.push(pull.head_ref, {A: FITS.encode()})
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["pr-number"]) == (0, "applied", "1")
        assert states(pull) == ["applied"]
        assert done.names[:2] == ["query Branch", "query Context"]
        [synchronize] = event.also
        again = act(h, synchronize, tmp_path)
        assert (again.code, again.outputs["result"], states(pull)) == (0, "nothing", ["applied"])


def test_a_push_with_nothing_to_do(tmp_path: Path) -> None:
    with hub() as h:
        alone = act(h, h.push("feature", FILES), tmp_path)
        assert (alone.outputs["result"], alone.names) == ("nothing", ["query Branch", "query Objects"])
        pull = opened(h)
        asked = act(h, h.push(pull.head_ref, OTHER), tmp_path)
        assert asked.names == ["query Branch", "query Context", "query Objects"]


CLOSED = [
    ("main", "main is the default branch"),
    ("stable", "stable is protected"),
    ("gh-readonly-queue/main/pr-1-abc", "the merge queue made this branch"),
]


@pytest.mark.parametrize(("branch", "said"), CLOSED)
@pytest.mark.parametrize("mode", some(["apply", "check"], "apply"))
@pytest.mark.long
def test_branches_that_are_not_written_to(tmp_path: Path, branch: str, said: str, mode: str) -> None:
    """An unapplied response file fails the job there, whether it fits or not."""
    with hub() as h:
        h.world.repository.protection["stable"] = Rule()
        done = act(h, h.push(branch, {**FILES, A: FITS.encode()}), tmp_path, {"mode": mode})
        assert (done.code, writes(done)) == (2, [])
        assert done.errors[0].startswith(f"branch-refused: {A} was not applied, {said}")
        done = act(h, h.push(branch, {A: FAILS.encode()}), tmp_path, {"mode": mode})
        assert (done.code, done.errors[0].partition(":")[0], writes(done)) == (2, "no-match", [])


def test_what_is_applied_already_is_fine_on_the_default_branch_where_files_are_kept(tmp_path: Path) -> None:
    with hub() as h:
        h.world.commit({".editblocks.yml": KEEP}, "Policy")
        done = act(h, h.push("main", {**FILES, "app.py": APP_NEW, A: FITS.encode()}), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (0, "nothing", [])


def test_a_branch_that_is_gone_again(tmp_path: Path) -> None:
    with hub() as h:
        event = h.push("feature", {**FILES, A: FITS.encode()})
        h.world.delete_branch("feature")
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], done.errors) == (0, "nothing", [])
        assert "closed: the branch is gone; nothing was done" in done.log


def test_a_branch_that_goes_during_the_run(tmp_path: Path) -> None:
    with hub() as h:
        event = h.push("feature", {**FILES, A: FITS.encode()})
        h.fault("GET collaborators/*/permission", before=lambda: h.world.delete_branch("feature"))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], h.world.branch("feature")) == (0, "refused", None)
        assert "closed: the branch is gone; nothing was done" in done.log


@pytest.mark.long
def test_the_head_that_is_there_counts_not_the_one_that_was_pushed(tmp_path: Path) -> None:
    with hub() as h:
        first = h.push("feature", {**FILES, A: FITS.encode()})
        h.push("feature", OTHER)
        done = act(h, first, tmp_path)
        files = h.world.files(h.world.branch("feature") or "")
        assert (done.outputs["result"], files["app.py"][1], "other.txt" in files) == ("applied", APP_NEW, True)


@pytest.mark.long
def test_a_branch_that_was_rewound_keeps_nothing(tmp_path: Path) -> None:
    with hub() as h:
        h.push("feature", FILES)
        before = h.world.branch("feature") or ""
        event = h.push("feature", {A: FITS.encode()})
        h.fault("POST git/trees", before=lambda: h.world.reset("feature", before))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], h.world.branch("feature")) == (0, "stale", before)
