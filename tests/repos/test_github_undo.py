"""Taking a commit back on GitHub: which files it changed, what that costs, and files that come back or go."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE, SUBMODULE_ID
from support.hub import Hub, hub

from editblocks.applying.merging import RevertResult, plan_revert
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, Refused, RepoError, SelfCheckFailed, UnreadableFile
from editblocks.core.settings import Settings
from editblocks.repos.github.client import GitHubApi
from editblocks.repos.stores.github_repo import GitHubBranch, GitHubRepo

pytestmark = pytest.mark.long  # the fast profile has one of each kind elsewhere

COMPARE, OBJECTS = "GET compare/{basehead}", "query Objects"
TREES, BLOBS = "GET git/trees/{tree_sha}", "GET git/blobs/{file_sha}"
TREE: Mapping[str, gitkit.Entry] = {
    "README.md": (FILE, b"# Hello\n"),
    "run.sh": (EXECUTABLE, b"#!/bin/sh\n"),
    "src/app.py": (FILE, b"one\ntwo\nthree\n"),
    "src/deep/er/x.py": (FILE, b"x = 1\n"),
    "src/same/y.py": (FILE, b"y = 1\n"),
    ".edits/cart.md": (EXECUTABLE, b"blocks\n"),
    "link": (LINK, b"run.sh"),
    "lib": (SUBMODULE, SUBMODULE_ID),
}
# One commit of every kind of change that blocks make.
CHANGES: Mapping[str, gitkit.Entry | None] = {
    "run.sh": (EXECUTABLE, b"#!/bin/sh -e\n"),
    "src/app.py": (FILE, b"one\nTWO\nthree\n"),
    "src/deep/er/x.py": (FILE, b"x = 2\n"),
    "new/folder/z.py": (FILE, b"z = 1\n"),
    ".edits/cart.md": None,
}
BEFORE = {
    ".edits/cart.md": EXECUTABLE,
    "new/folder/z.py": None,
    "run.sh": EXECUTABLE,
    "src/app.py": FILE,
    "src/deep/er/x.py": FILE,
}


class Branch:
    """A branch with `TREE`, and on top of it a commit that may be taken back."""

    def __init__(self, h: Hub, changes: Mapping[str, gitkit.Entry | None] = CHANGES) -> None:
        self.hub = h
        self.name = h.world.pull_request().head_ref
        self.parent = self.push({"README.md": None, **TREE})
        self.commit = self.push(changes)
        self.api = GitHubApi(h.world.token.value, h.api_url, sleep=lambda _: None, clock=lambda: 0.0)
        h.log.clear()

    def push(self, changes: Mapping[str, gitkit.Entry | None]) -> str:
        """Somebody pushes; gives the new head."""
        gitkit.commit(self.hub.world.store.path, self.name, changes)
        return self.line("rev-parse", self.name)

    def line(self, *args: str) -> str:
        return gitkit.line(self.hub.world.store.path, *args)

    def open(self) -> GitHubRepo:
        repository = self.hub.world.repository
        head, tree = (self.line("rev-parse", f"{self.name}{kind}") for kind in ("", "^{tree}"))
        branch = GitHubBranch(self.api, self.api.repository(repository.full_name), repository.node_id, self.name)
        return GitHubRepo(branch, head, tree)

    def tree(self) -> dict[str, gitkit.Entry]:
        return gitkit.read_tree(self.hub.world.store.path, self.name)

    def names(self) -> list[str]:
        """The requests since this was last asked."""
        names = self.hub.names
        self.hub.log.clear()
        return names


def changed(branch: Branch, repo: GitHubRepo | None = None, most: int = 10) -> dict[str, str | None] | None:
    return (repo or branch.open()).changed_paths(branch.parent, branch.commit, most)


def take_back(branch: Branch, repo: GitHubRepo) -> tuple[RevertResult, Mapping[str, str | None]]:
    """Plan to undo the commit."""
    modes = changed(branch, repo)
    parent, commit = repo.at(branch.parent), repo.at(branch.commit)
    assert modes is not None
    assert parent is not None
    assert commit is not None
    return plan_revert(modes, parent, commit, repo.read, settings=Settings(), entries=repo.entries), modes


# What a commit changed


def test_the_paths_with_the_modes_that_they_had() -> None:
    with hub() as h:
        branch = Branch(h)
        found = changed(branch)
        assert found == BEFORE
        assert list(found or ()) == sorted(BEFORE)
        assert changed(branch, most=5) == BEFORE


def test_a_commit_that_changes_nothing() -> None:
    with hub() as h:
        branch = Branch(h, {})
        assert changed(branch) == {}
        assert branch.open().changed_paths(branch.commit, branch.commit, 0) == {}


def test_the_requests_for_the_head() -> None:
    """How it is related to the parent, and the files in both versions; then nothing more."""
    with hub() as h:
        branch = Branch(h)
        repo = branch.open()
        undone, _ = take_back(branch, repo)
        assert branch.names() == [COMPARE, *[OBJECTS] * 2]
        assert not undone.conflicts
        assert (repo.write(undone.contents, "Undo\n", BEFORE) is not None, branch.names().count(OBJECTS)) == (True, 0)
        assert repo.tree == branch.line("rev-parse", f"{branch.parent}^{{tree}}")


MOVES: Mapping[str, Mapping[str, gitkit.Entry | None]] = {
    "an executable file was renamed": {"run.sh": None, "bin/start": (EXECUTABLE, b"#!/bin/sh\n")},
    "a file was renamed and changed": {"src/app.py": None, "src/main.py": (FILE, b"one\nTWO\nthree\n")},
    "a name changed by case alone": {"README.md": None, "Readme.md": (FILE, b"# Hello\n")},
    "a folder was renamed": {"src/deep/er/x.py": None, "src/Deep/er/x.py": (FILE, b"x = 1\n")},
    "a binary file was deleted": {"logo.png": None},
}


@pytest.mark.parametrize("changes", MOVES.values(), ids=MOVES)
def test_what_moved_or_went_comes_back_with_its_mode(changes: Mapping[str, gitkit.Entry | None]) -> None:
    with hub() as h:
        branch = Branch(h, {})
        branch.parent = branch.push({"logo.png": (FILE, b"\x89PNG\0\xff")})
        branch.commit = branch.push(changes)
        before = gitkit.read_tree(h.world.store.path, branch.parent)
        repo = branch.open()
        undone, modes = take_back(branch, repo)
        assert not undone.conflicts
        repo.write(undone.contents, "Undo\n", modes)
        assert branch.tree() == before


def test_the_requests_for_an_earlier_commit() -> None:
    with hub() as h:
        branch = Branch(h)
        branch.push({"src/app.py": (FILE, b"zero\none\nTWO\nthree\n"), "later.py": (FILE, b"later\n")})
        undone, _ = take_back(branch, branch.open())
        assert branch.names() == [*[COMPARE] * 3, *[OBJECTS] * 3]
        assert undone.contents["src/app.py"] == b"zero\none\ntwo\nthree\n"


def test_many_files_of_few_folders_take_few_requests() -> None:
    names = [f"src/part{number % 3}/file{number}.py" for number in range(120)]
    with hub() as h:
        branch = Branch(h, dict.fromkeys(names, (FILE, b"new\n")))
        assert changed(branch, most=120) == dict.fromkeys(sorted(names))
        assert branch.names() == [COMPARE, *[OBJECTS] * 4]


@pytest.mark.parametrize("most", [0, 1, 4])
def test_more_files_than_may_be_are_refused(most: int) -> None:
    with hub() as h:
        branch = Branch(h)
        with pytest.raises(RepoError, match=f"commit {branch.commit[:7]} changes more than {most} files") as caught:
            changed(branch, most=most)
        assert caught.value.code is ReasonCode.TOO_LARGE


def test_nothing_is_loaded_of_too_many_files() -> None:
    with hub() as h:
        branch = Branch(h, {f"folder{number}/x.py": (FILE, b"x\n") for number in range(300)})
        with pytest.raises(RepoError, match="more than 200 files"):
            changed(branch, most=200)
        assert branch.names() == [COMPARE]


NOT_OURS: Mapping[str, Mapping[str, gitkit.Entry | None]] = {
    "a mode": {"run.sh": (FILE, b"#!/bin/sh\n")},
    "a mode and bytes": {"README.md": (EXECUTABLE, b"# Bye\n")},
    "a link": {"link": (LINK, b"README.md")},
    "a new link": {"other": (LINK, b"/etc/passwd")},
    "a link that is gone": {"link": None},
    "a submodule": {"lib": (SUBMODULE, b"1" * 40)},
}


@pytest.mark.parametrize("changes", NOT_OURS.values(), ids=NOT_OURS)
def test_what_blocks_never_do_is_not_undone(changes: Mapping[str, gitkit.Entry | None]) -> None:
    with hub() as h:
        branch = Branch(h, changes)
        with pytest.raises(Refused, match=f"changes more than the text of {next(iter(changes))}") as caught:
            changed(branch)
        assert caught.value.code is ReasonCode.NOT_A_FILE


def test_commits_that_the_head_did_not_grow_from() -> None:
    with hub() as h:
        branch = Branch(h)
        repo, head = branch.open(), branch.commit
        beside = h.world.commit({"app.py": b"x\n"}, "Beside", "beside", parent=branch.parent)
        pairs = [(branch.parent, beside), (beside, head), ("f" * 40, head), ("main", head), (branch.parent, "HEAD")]
        assert [repo.changed_paths(*pair, 10) for pair in pairs] == [None] * 5
        h.world.reset(branch.name, branch.parent)
        assert changed(branch) is None


# What if GitHub errs


def rooted(body: Any, tree: str) -> Any:
    base = body["merge_base_commit"]
    return body | {"merge_base_commit": base | {"commit": base["commit"] | {"tree": {"sha": tree, "url": "x"}}}}


@pytest.mark.parametrize("left", [0, 1, 4])
def test_files_that_github_does_not_name_end_it(left: int) -> None:
    with hub() as h:
        branch = Branch(h)
        h.fault("GET compare/*", times=9, alter=lambda body: body | {"files": body["files"][:left]})
        with pytest.raises(RepoError, match=f"does not name all files of commit {branch.commit[:7]}; undo it with git"):
            changed(branch)


@pytest.mark.parametrize("name", ["README.md", "none", "src", "../x"])
def test_files_that_github_names_and_that_did_not_change_do_not_count(name: str) -> None:
    def one_more(body: Any) -> Any:
        return body | {"files": [*body["files"], body["files"][0] | {"filename": name}]}

    with hub() as h:
        branch = Branch(h)
        h.fault("GET compare/*", times=9, alter=one_more)
        if name == "src":
            with pytest.raises(Refused, match="changes more than the text of src"):
                changed(branch)
        else:
            assert changed(branch) == BEFORE


def test_another_root_than_the_parent_had_ends_it() -> None:
    with hub() as h:
        branch = Branch(h)
        other = h.world.commit({"src/app.py": b"steal()\n"}, "Other", "other", parent=branch.parent)
        tree = branch.line("rev-parse", f"{other}^{{tree}}")
        h.fault("GET compare/*", alter=lambda body: rooted(body, tree))
        with pytest.raises(RepoError, match=f"two root folders for commit {branch.parent[:7]}"):
            changed(branch)


def each(body: Any, kind: str, change: Callable[[Any], object]) -> Any:
    for thing in body["data"]["repository"].values():
        if thing and thing["__typename"] == kind:
            change(thing)
    return body


LIES: Mapping[str, Callable[[Any], Any]] = {
    "another text": lambda body: each(body, "Blob", lambda blob: blob.update(text="x = 1\n")),
    "a row too few": lambda body: each(body, "Tree", lambda tree: tree["entries"].pop()),
    "nothing": lambda body: body | {"data": {"repository": dict.fromkeys(body["data"]["repository"])}},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_what_does_not_prove_itself_is_fetched_again(lie: Callable[[Any], Any]) -> None:
    with hub() as h:
        branch = Branch(h)
        h.fault(OBJECTS, times=9, alter=lie)
        undone, _ = take_back(branch, branch.open())
        assert undone.contents == {path: entry and entry[1] for path, entry in before_of(CHANGES).items()}
        assert {TREES, BLOBS} & set(branch.names())


def before_of(changes: Mapping[str, gitkit.Entry | None]) -> dict[str, gitkit.Entry | None]:
    return {path: TREE.get(path) for path in sorted(changes)}


def test_without_graphql_objects_come_one_by_one() -> None:
    with hub() as h:
        branch = Branch(h)
        h.fault(OBJECTS, times=99, status=422)
        undone, _ = take_back(branch, branch.open())
        assert undone.contents == {path: entry and entry[1] for path, entry in before_of(CHANGES).items()}
        assert branch.names().count(BLOBS) == 8


def test_a_lie_that_stays_ends_it() -> None:
    with hub() as h:
        branch = Branch(h)
        h.fault(OBJECTS, times=99, status=422)
        h.fault("GET git/trees/*", times=9, alter=lambda body: body | {"tree": body["tree"][:-1]})
        with pytest.raises(RepoError, match="sent the wrong bytes"):
            changed(branch)


def test_a_comparison_that_fails_is_a_fault_of_the_run() -> None:
    with hub() as h:
        branch = Branch(h)
        h.fault("GET compare/*", times=9, status=500)
        with pytest.raises(ApiError, match="comparing commits"):
            changed(branch)


# What comes back


def test_a_commit_is_taken_back_to_the_tree_before_it() -> None:
    with hub() as h:
        branch = Branch(h)
        repo = branch.open()
        undone, modes = take_back(branch, repo)
        commit = repo.write(undone.contents, "Undo 3 edit blocks\n", modes)
        assert commit == branch.line("rev-parse", branch.name) == repo.head
        assert branch.tree() == dict(TREE)
        assert branch.line("rev-parse", f"{branch.name}^") == branch.commit
        assert repo.write(undone.contents, "Again\n", modes) is None


def test_what_came_after_it_stays() -> None:
    with hub() as h:
        branch = Branch(h)
        later: Mapping[str, gitkit.Entry | None] = {
            "README.md": (FILE, b"# Bye\n"),
            "src/app.py": (EXECUTABLE, b"one\nTWO\nthree\nfour\n"),
            "src/later.py": (FILE, b"later\n"),
        }
        branch.push({**later, "src/app.py": (EXECUTABLE, b"one\nTWO\nthree\nthree and a half\nfour\n")})
        repo = branch.open()
        undone, modes = take_back(branch, repo)
        repo.write(undone.contents, "Undo 3 edit blocks\n", modes)
        app = (EXECUTABLE, b"one\ntwo\nthree\nthree and a half\nfour\n")
        assert branch.tree() == {**TREE, **later, "src/app.py": app}


def test_a_conflict_leaves_the_branch_alone() -> None:
    with hub() as h:
        branch = Branch(h)
        branch.push({"src/app.py": (FILE, b"one\nTwo\nthree\n")})
        undone, _ = take_back(branch, branch.open())
        assert list(undone.conflicts) == ["src/app.py"]
        assert undone.contents == {}


def test_a_file_that_is_too_large_by_now_is_a_conflict() -> None:
    with hub() as h:
        branch = Branch(h)
        branch.push({"run.sh": (EXECUTABLE, b"x" * 5_300_000)})
        undone, _ = take_back(branch, branch.open())
        assert undone.conflicts == {"run.sh": ReasonCode.TOO_LARGE}


GOES: Mapping[str, tuple[Mapping[str, bytes | None], Mapping[str, gitkit.Entry | None]]] = {
    "the last file of a folder": ({".edits/cart.md": None}, {".edits/cart.md": None}),
    "the last file of folders in each other": ({"src/deep/er/x.py": None}, {"src/deep/er/x.py": None}),
    "a folder, and a file in its place": (
        {"src/deep/er/x.py": None, "src/deep.py": b"x\n"},
        {"src/deep/er/x.py": None, "src/deep.py": (FILE, b"x\n")},
    ),
    "all of a folder, and one that comes": (
        {"src/deep/er/x.py": None, "src/deep/er/y.py": b"y\n"},
        {"src/deep/er/x.py": None, "src/deep/er/y.py": (FILE, b"y\n")},
    ),
    "one that is not there, and another": ({"nothing/here.py": None, "run.sh": None}, {"run.sh": None}),
}


@pytest.mark.parametrize(("contents", "changes"), GOES.values(), ids=GOES)
def test_a_folder_that_is_empty_goes(
    contents: Mapping[str, bytes | None], changes: Mapping[str, gitkit.Entry | None]
) -> None:
    """The id of the root is computed before anything is sent: if it were another one than git's, nothing would be."""
    with hub() as h:
        branch = Branch(h, {})
        repo = branch.open()
        assert repo.write(contents, "Remove 1 response file\n") == branch.line("rev-parse", branch.name)
        assert branch.line("rev-parse", f"{branch.name}^{{tree}}") == repo.tree
        assert branch.tree() == {path: entry for path, entry in {**TREE, **changes}.items() if entry is not None}
        assert len(h.requests("POST git/trees")) == 1
        folders = {name: repo.entries(name) for name in ("src/deep/er", ".edits")}
        assert all(
            bool(names) is any(path.startswith(f"{name}/") for path in branch.tree()) for name, names in folders.items()
        )


MODES: Mapping[str, tuple[str, dict[str, str | None], str]] = {
    "one that was executable": ("old.sh", {"old.sh": EXECUTABLE}, EXECUTABLE),
    "one that was not": ("old.sh", {"old.sh": FILE}, FILE),
    "one of which nothing is known": ("old.sh", {"old.sh": None}, FILE),
    "one that is not named": ("old.sh", {"new.sh": EXECUTABLE}, FILE),
    "one that is there": ("run.sh", {"run.sh": FILE}, EXECUTABLE),
}


@pytest.mark.parametrize(("path", "modes", "mode"), MODES.values(), ids=MODES)
def test_a_file_that_comes_back_has_its_mode(path: str, modes: dict[str, str | None], mode: str) -> None:
    with hub() as h:
        branch = Branch(h, {})
        branch.open().write({path: b"back\n"}, "Undo 1 edit block\n", modes)
        assert branch.tree()[path] == (mode, b"back\n")


@pytest.mark.parametrize("mode", [LINK, SUBMODULE, "040000", "100664", ""])
def test_no_other_mode_is_ever_written(mode: str) -> None:
    with hub() as h:
        branch = Branch(h, {})
        repo = branch.open()
        if mode:
            with pytest.raises(SelfCheckFailed, match=f"{mode} is not a file mode"):
                repo.write({"other": b"/etc/passwd"}, "Undo 1 edit block\n", {"other": mode})
            assert h.requests("POST git/trees") == []
        else:
            repo.write({"other": b"text"}, "Undo 1 edit block\n", {"other": mode})
            assert branch.tree()["other"] == (FILE, b"text")


@pytest.mark.parametrize("path", ["link", "lib", "run.sh/x", "link/x"])
def test_what_is_no_file_is_neither_read_nor_written(path: str) -> None:
    with hub() as h:
        repo = Branch(h, {}).open()
        with pytest.raises(UnreadableFile):
            repo.read(path)
        with pytest.raises(Refused):
            repo.write({path: b"x"}, "Undo 1 edit block\n", {path: FILE})
