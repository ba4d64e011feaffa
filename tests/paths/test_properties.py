"""What must hold for every path: docs/internals/security.md, "paths"."""

import json
import os
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.project import DATA
from support.trees import FILE, LINK, ONE_LINE, SMALL, tree_of

from editblocks.paths.policy import check_policy, is_protected, needs_review
from editblocks.paths.syntax import Operation, check_syntax
from editblocks.paths.tree import Overlay

SPICE = (
    "/",
    "//",
    ".",
    "..",
    "...",
    "./",
    "../",
    "-",
    "~",
    "~1",
    "~/",
    ":",
    "\\",
    " ",
    ".git",
    "git~1",
    ".GIT",
    "git",
    "con",
    "aux.c",
    "COM¹",
    "\0",
    "\n",
    "\x7f",
    "\u200d",
    "\u202e",
    "\ufeff",
    "\u00ad",
    "\ue000",
    "\ufffd",
    "\ud800",
    "e\u0301",
    "é",
    "я",
    "а",
    "α",
    "ｇｉｔ",
    "．",
    "／",
    "：",
    "ı",
    "і",
    "İ",
    "\u212a",
    "ß",
    "日",
    "🙂",
    "a",
    "b.py",
    "src",
    "README.md",
    ".gitmodules",
    "lpt0",
)
PATHS = st.lists(st.one_of(st.sampled_from(SPICE), st.text(max_size=3)), max_size=8).map("".join)
NAMES = st.sampled_from(["a", "b", "A", "B", "é", "e\u0301", "dir", "Dir", "x.py"])
TREE_PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
OPERATIONS: st.SearchStrategy[Operation] = st.sampled_from(["create", "edit", "delete"])
BOUNDED = settings(deadline=None, max_examples=200)
MANY = settings(deadline=None, max_examples=20_000, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git")
    git(folder, "init", "-q", ".")
    return folder


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
    command = ["git", "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, input=stdin, check=True, capture_output=True).stdout


def git_accepts(folder: Path, paths: list[str]) -> list[str]:
    """Those of `paths` that git's index takes with both protections on: one process for all."""
    empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    # A directory each, or a later path could take the place of an earlier one.
    lines = [f"100644 {empty} 0\t{number}/{path}".encode() for number, path in enumerate(paths)]
    git(folder, "read-tree", "--empty")
    git(folder, "update-index", "-z", "--index-info", stdin=b"".join(line + b"\0" for line in lines))
    taken = set(git(folder, "ls-files", "-z").split(b"\0"))
    return [path for number, path in enumerate(paths) if f"{number}/{path}".encode() in taken]


@pytest.mark.long
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(PATHS, OPERATIONS), min_size=40, max_size=200))
def test_what_is_accepted_git_accepts(bare: Path, drawn: list[tuple[str, Operation]]) -> None:
    accepted = [path for path, op in drawn if check_syntax(path, op) is None]
    assert git_accepts(bare, accepted) == accepted


def test_what_the_vectors_say_of_git_is_so(bare: Path) -> None:
    rows = [json.loads(line) for line in (DATA / "path_vectors.jsonl").read_text().splitlines()]
    accepted = [row["path"] for row in rows if check_syntax(row["path"], "edit") is None]
    assert len(accepted) > 100
    assert git_accepts(bare, accepted) == accepted
    invalid = [row["path"] for row in rows if row["git"] == "invalid"]
    assert git_accepts(bare, invalid) == []


@BOUNDED
@given(PATHS, OPERATIONS)
def test_no_text_raises(path: str, op: Operation) -> None:
    view = Overlay(tree_of(SMALL))
    view.record(path, op)
    for error in (check_syntax(path, op), view.check(path, op), check_policy(path)):
        assert error is None or ONE_LINE.fullmatch(error.message)
    assert needs_review(path) in (True, False)


@BOUNDED
@given(
    PATHS.filter(lambda path: "/" not in path and path not in ("", "~")), st.sampled_from(["d/{}", "{}/f", "d/e/{}/f"])
)
@pytest.mark.long
def test_a_rejected_component_is_rejected_anywhere(name: str, where: str) -> None:
    error = check_syntax(name, "create")
    if error and error.rule not in ("E_DASH", "E_ABS"):  # rules about the path as a whole
        assert check_syntax(where.format(name), "create") is not None


@BOUNDED
@given(PATHS)
@pytest.mark.long
def test_what_can_be_created_can_then_be_edited(path: str) -> None:
    view = Overlay(tree_of(SMALL))
    if check_syntax(path, "create") is None and view.check(path, "create") is None:
        view.record(path, "create")
        assert check_syntax(path, "edit") is None
        assert view.check(path, "edit") is None


@BOUNDED
@given(
    st.lists(st.tuples(TREE_PATHS, OPERATIONS), min_size=2, max_size=2),
    st.dictionaries(TREE_PATHS, st.sampled_from([FILE, LINK]), max_size=3),
)
@pytest.mark.long
def test_independent_paths_do_not_depend_on_order(pair: list[tuple[str, Operation]], files: dict[str, str]) -> None:
    def fold(path: str) -> str:
        return unicodedata.normalize("NFC", path.casefold()).split("/")[0]

    if fold(pair[0][0]) == fold(pair[1][0]):
        return
    clean = {path: mode for path, mode in files.items() if not any(other.startswith(path + "/") for other in files)}

    def verdicts(order: list[tuple[str, Operation]]) -> dict[str, str | None]:
        view = Overlay(tree_of(clean))
        found = {}
        for path, op in order:
            error = view.check(path, op)
            found[path] = error.rule if error else None
            view.record(path, op)
        return found

    assert verdicts(pair) == verdicts(pair[::-1])


@BOUNDED
@given(PATHS)
@pytest.mark.long
def test_the_short_way_agrees_with_the_long_one(path: str) -> None:
    # "!" is no part of a plain path, and no rule minds it.
    if check_syntax(path, "create") is None and len(path.encode()) < 1000 and path.count("/") < 60:
        assert check_syntax("!/" + path, "create") is None


@pytest.mark.long
@MANY
@given(PATHS, OPERATIONS)
def test_no_text_raises_long(path: str, op: Operation) -> None:
    assert (check_syntax(path, op) is None) in (True, False)
    assert is_protected(path) in (True, False)


@pytest.mark.long
@settings(deadline=None, max_examples=400, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(PATHS, OPERATIONS), min_size=200, max_size=600))
def test_what_is_accepted_git_accepts_long(bare: Path, drawn: list[tuple[str, Operation]]) -> None:
    accepted = [path for path, op in drawn if check_syntax(path, op) is None]
    assert git_accepts(bare, accepted) == accepted
