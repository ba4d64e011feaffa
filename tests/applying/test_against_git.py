"""The diff of a commit gives the tree of that commit, or is refused for a reason that is listed here."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.gitkit import git
from support.histories import Change, changes, own_commits, package_history
from support.project import ROOT

from editblocks import ApplyResult, EditStatus, Settings, apply_response
from editblocks.core.codes import FINE_CODES
from editblocks.core.settings import CEILINGS

SETTINGS = Settings(
    max_blocks=CEILINGS["max_blocks"],
    max_files=CEILINGS["max_files"],
    max_response_bytes=CEILINGS["max_response_bytes"],
    placeholders="warn",
    suspicious_text="warn",
)
# Why a diff of a real commit is refused, and what would be needed instead.
LISTED = {
    "not-allowed": "the paths of workflows and the like are an owner's to allow",
    "unsupported-format": "only the mode of a file changes",
    "binary": "git says nothing of what is in the file",
    "too-large": "the commit has more than an answer may have",
    "earlier-failure": "a block of the same file is refused for one of these reasons",
}


def plan(change: Change, files: dict[str, bytes], matching: str = "standard") -> ApplyResult:
    settings = SETTINGS if matching == "standard" else Settings(matching="exact", placeholders="warn")
    return apply_response(change.response, files.get, settings)


def outcomes(found: Iterable[Change]) -> Counter[str]:
    """Apply each change to the files before it: these are the files after it, or the reason is a listed one."""
    counts: Counter[str] = Counter()
    for change in found:
        result = plan(change, change.before)
        codes = {row.code.value for row in result.rows if row.code is not None}
        assert codes <= LISTED.keys(), (change.commit, [getattr(row, "reason", None) or row for row in result.rows])
        if codes:
            counts["refused"] += 1
            continue
        after = {**change.before, **result.contents}
        assert {path: data for path, data in after.items() if data is not None} == change.after, change.commit
        counts["same"] += 1
    return counts


@pytest.mark.long
def test_the_diffs_of_this_project() -> None:
    commits = own_commits(20)
    assert outcomes(changes(ROOT, commits))["same"] >= len(commits) // 2


@pytest.mark.long
def test_many_diffs_of_this_project() -> None:
    commits = own_commits(300)
    assert outcomes(changes(ROOT, commits))["same"] >= len(commits) * 8 // 10


@pytest.mark.long
@pytest.mark.parametrize("count", [25, 300])
def test_the_diffs_of_a_package(tmp_path: Path, count: int) -> None:
    path = tmp_path / "package"
    commits = package_history(path, count)
    assert outcomes(changes(path, commits))["same"] >= count * 9 // 10


@pytest.mark.long
@pytest.mark.parametrize("count", [12, 150])
def test_where_git_refuses_a_diff_nothing_is_changed(tmp_path: Path, count: int) -> None:
    """A diff for another version of the files: applied as git does, or not at all.

    A hunk may lack blank lines at its edges that git asks for: docs/reference/reasons.md, "Note".
    """
    path = tmp_path / "package"
    commits = package_history(path, count)
    counts: Counter[str] = Counter()
    for distance in (1, 4, 9):
        for change, other in zip(changes(path, commits[distance + 1 :]), commits, strict=False):
            names = [*change.before, *change.after]
            files = {name: data for name in names if (data := _blob(path, other, name)) is not None}
            ours, theirs = plan(change, files, "exact"), git_apply(path, change.diff, other, names)
            is_applied = ours.ok and all(row.status is EditStatus.APPLIED for row in ours.results)
            is_forgiven = any(note.code == "blank-context-dropped" for row in ours.results for note in row.notes)
            if is_applied and theirs is None:
                assert is_forgiven, (change.commit, other)
            elif is_applied:
                assert {name: data for name, data in {**files, **ours.contents}.items() if data is not None} == theirs
            elif theirs is not None:
                counts["stricter"] += not any(row.code in FINE_CODES for row in ours.results)
            counts["applied" if is_applied else "refused"] += 1
    assert counts["applied"] > count
    assert counts["refused"] > 0
    assert counts["stricter"] < counts["applied"] // 2, (
        counts
    )  # twins whose numbers are not to be trusted, and the like


def git_apply(path: Path, diff: str, rev: str, names: list[str]) -> dict[str, bytes] | None:
    """The named files of `rev` after `git apply`; None if it refuses."""
    index = {"GIT_INDEX_FILE": str(path / "index.try")}
    git(path, "read-tree", rev, env=index)
    try:
        git(path, "apply", "--cached", "--whitespace=nowarn", "-", stdin=diff.encode(), env=index)
    except AssertionError:
        return None
    finally:
        tree = git(path, "write-tree", env=index).decode().strip()
        (path / "index.try").unlink()
    return {name: data for name in names if (data := _blob(path, tree, name)) is not None}


def _blob(path: Path, tree: str, name: str) -> bytes | None:
    row = git(path, "ls-tree", "-z", tree, "--", name)
    return git(path, "cat-file", "blob", row.split()[2].decode()) if row else None
