"""All stores with one interface, so that repos/test_stores.py can run the same tests on each.

For a new store, add a factory to the tuples at the end: it takes a temporary folder and a tree, and returns a `Store`.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from support import gitkit, witness
from support.gitkit import Entry, Tree
from support.hub import hub
from support.repositories import open_sealed

from editblocks.repos.git.repository import Mode
from editblocks.repos.github.client import GitHubApi
from editblocks.repos.stores.github_repo import GitHubBranch, GitHubRepo
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.repos.stores.objects import CommitReader, IndexRepo, ObjectsRepo
from editblocks.repos.stores.worktree import Disk, WorktreeRepo

if TYPE_CHECKING:
    from editblocks.run import Repo, Version

Opened = TypeVar("Opened")

IDENTITY = (gitkit.NAME, gitkit.EMAIL)


class Reader(Protocol):
    """A place with files that can be read."""

    def open(self) -> "Version":
        """Open the current state, for making a plan on it."""


class Store(Reader, Protocol):
    """A place with files that can be changed, with what a test needs to look at it and change it from outside."""

    commits: bool  # whether a write makes a commit and moves `head`

    def open(self) -> "Repo":
        """Open the current state, for making and writing a plan."""

    def tree(self) -> dict[str, Entry]:
        """All current files, read without the code under test. A repository is read by git and by GitPython."""

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        """Change files as somebody else would, without telling opened stores."""

    def rewind(self) -> None:
        """Undo the last `push`."""


ReadFactory = Callable[[Path, Tree], Reader]
Factory = Callable[[Path, Tree], Store]


class Memory:
    commits = True

    def __init__(self, _: Path, tree: Tree) -> None:
        files = {name: data for name, (_, data) in tree.items()}
        self.repo = MemoryRepo(files, {name: mode for name, (mode, _) in tree.items()}, head="0" * 40)
        self._before: Mapping[str, bytes | None] = {}

    def open(self) -> "Repo":
        return self.repo

    def tree(self) -> dict[str, Entry]:
        return {name: (self.repo.modes.get(name, gitkit.FILE), data) for name, data in self.repo.files.items()}

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        self._before = {name: self.repo.files.get(name) for name in changes}
        self.repo.push({name: entry and entry[1] for name, entry in changes.items()})

    def rewind(self) -> None:
        self.repo.push(self._before)


class Worktree:
    commits = False

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = path / "tree"
        self.path.mkdir()
        self._before: dict[str, Entry | None] = {}
        self.push(tree)

    def open(self) -> "Repo":
        return WorktreeRepo(self.path)

    def tree(self) -> dict[str, Entry]:
        return gitkit.read_folder(self.path)

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        now = self.tree()
        self._before = {name: now.get(name) for name in changes}
        for name, entry in changes.items():
            self._put(self.path / name, entry)

    def rewind(self) -> None:
        self.push(self._before)

    def _put(self, place: Path, entry: Entry | None) -> None:
        place.unlink(missing_ok=True)
        if entry is None:
            return
        mode, data = entry
        place.parent.mkdir(parents=True, exist_ok=True)
        if mode == gitkit.LINK:
            place.symlink_to(os.fsdecode(data))
        elif mode == gitkit.SUBMODULE:
            place.mkdir()
            (place / ".git").write_bytes(data)
        else:
            place.write_bytes(data)
            place.chmod(int(mode[-3:], 8))


class WorktreeByPath(Worktree):
    """A working tree on a system without `dir_fd`."""

    def open(self) -> "Repo":
        return WorktreeRepo(self.path, disk=Disk(dir_fd=False))


class Bare:
    """A branch of a bare repository."""

    commits = True
    bare = True
    branch = "main"

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = gitkit.make_repository(path / "repository", tree, bare=self.bare)
        self.prepare()
        self._before = gitkit.line(self.path, "rev-parse", self.branch)

    def prepare(self) -> None:
        """Prepare the repository for the test. A bare one needs nothing."""

    def open(self) -> "Repo":
        return ObjectsRepo(open_sealed(self.path, person=IDENTITY), branch=self.branch)

    def tree(self) -> dict[str, Entry]:
        return witness.read_tree(self.path, self.branch)

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        self._before = gitkit.line(self.path, "rev-parse", self.branch)
        gitkit.commit(self.path, self.branch, changes)

    def rewind(self) -> None:
        gitkit.git(self.path, "update-ref", f"refs/heads/{self.branch}", self._before)


class CheckedOut(Bare):
    """A branch other than the one that is checked out."""

    bare = False
    branch = "topic"

    def prepare(self) -> None:
        gitkit.git(self.path, "branch", "topic")


class AtRevision:
    """A commit, by its id, that is not the tip of any branch."""

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = gitkit.make_repository(path / "repository", tree, bare=True)
        self.id = gitkit.line(self.path, "rev-parse", "main")
        gitkit.commit(self.path, "main", {"README.md": (gitkit.FILE, b"later\n"), "src/app.py": None})

    def open(self) -> "Version":
        return CommitReader(open_sealed(self.path), self.id[:12])


class Index:
    """The index of a repository. HEAD has other files, and the working tree has none of the staged ones."""

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = gitkit.make_repository(path / "repository", {"README.md": (gitkit.FILE, b"committed\n")})
        staged = gitkit.commit(self.path, "staged", {"README.md": None, **tree})
        gitkit.git(self.path, "read-tree", staged)

    def open(self) -> "Version":
        return IndexRepo(open_sealed(self.path, mode=Mode.ISOLATED))


class GitHub:
    """The branch of a pull request through GitHub's API. The hub serves it from a real bare repository."""

    commits = True

    def __init__(self, _: Path, tree: Tree) -> None:
        self._stack = ExitStack()
        self._hub = self._stack.enter_context(hub())
        self._world = self._hub.world
        self._path = self._world.store.path
        self._branch = self._world.pull_request().head_ref
        self._before = gitkit.commit(self._path, self._branch, {"README.md": None, **tree})

    def open(self) -> "Repo":
        api = GitHubApi(self._world.token.value, self._hub.api_url, sleep=lambda _: None, clock=lambda: 0.0)
        self._stack.callback(api.close)
        head, tree = (gitkit.line(self._path, "rev-parse", f"{self._branch}{kind}") for kind in ("", "^{tree}"))
        repository = self._world.repository
        branch = GitHubBranch(api, api.repository(repository.full_name), repository.node_id, self._branch)
        return GitHubRepo(branch, head, tree)

    def tree(self) -> dict[str, Entry]:
        return witness.read_tree(self._path, self._branch)

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        self._before = gitkit.line(self._path, "rev-parse", self._branch)
        gitkit.commit(self._path, self._branch, changes)

    def rewind(self) -> None:
        self._world.reset(self._branch, self._before)

    def close(self) -> None:
        """Stop the server."""
        self._stack.close()


@contextmanager
def opened(store: Opened) -> Iterator[Opened]:
    """Yield the store, and close it at the end if it needs that."""
    try:
        yield store
    finally:
        if isinstance(store, GitHub):
            store.close()


LOCAL_STORES: tuple[Factory, ...] = (Memory, Worktree, WorktreeByPath, Bare, CheckedOut)
STORES: tuple[Factory, ...] = (*LOCAL_STORES, GitHub)
READ_STORES: tuple[ReadFactory, ...] = (*STORES, AtRevision, Index)
