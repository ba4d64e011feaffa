"""The files of one response after the blocks so far, each read when it is first needed; and the rows that failed.

Nothing is written. The result of a file has the changes of its blocks up to the first that failed. Later blocks are
tried on it, but do not change the result. The targets of symbolic links are needed for messages, and to protect files
that tools read through a link. For a file that does not exist, the message names similar ones.
"""

from bisect import bisect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from posixpath import splitext

from editblocks.applying.files import FilePlan, Read, TextFiles, Tree
from editblocks.applying.hunks import MANY
from editblocks.core.blocks import EditBlock
from editblocks.core.characters import fold_key, show_text
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.mismatch import Mismatch
from editblocks.core.settings import Settings
from editblocks.matching.align import common_length
from editblocks.matching.block_readings import lines_asked_for
from editblocks.parsing.path_line import advice_for_weak_path, find_path, is_example_path
from editblocks.paths.policy import check_policy, is_in_protected_place
from editblocks.paths.syntax import Operation, PathError, check_syntax
from editblocks.paths.tree import DIRECTORY, REGULAR, SYMLINK, Entries, Overlay, join, same_fold

_DEFAULT_MODE = "100644"
_MOST_STEPS = 200  # path parts that are followed for one link, as a cycle has no end
_MAX_NEAR = 3
_MOST_COMPARED = 500  # names of a directory
_MOST_FOLDERS = 100  # folders that are listed
_FEW = 3  # every store allows at least so many listings, so these choose the most similar folders first
_LEAST_ALIKE = 0.6  # for stems: twice the common characters by all characters, as in `difflib`


class FilePlans:
    """The files of `tree` that the blocks name. If `tree` is only a function, nothing is known except bytes."""

    def __init__(self, tree: Read | Tree, settings: Settings, by_file: Mapping[str, Sequence[EditBlock]]) -> None:
        self.settings = settings
        self.by_file = by_file
        self.failed: dict[str, list[int]] = {}  # path → the rows that failed, in reading order
        self.removed_by: dict[str, int] = {}  # path → the block that deleted or renamed the file
        self.failed_rename_to: dict[str, int] = {}  # path → the block that failed to rename a file to it
        self.entries: Entries | None = None
        self._links: SymbolicLinks | None = None
        self._listings = 0
        if callable(tree):
            self.source = TextFiles(tree, None, settings)
        else:
            if tree.entries is not None:
                self.entries = cache(tree.entries)  # a listing costs a walk, or a request
                self._links = SymbolicLinks(self.entries, tree.link_target)
            self.source = TextFiles(tree.read, self.entries, settings)
            self._listings = tree.listings
        self.overlay = Overlay(self.entries or (lambda _: {}))
        self._listed: set[str] = set()  # directories that were listed only for a hint
        self._plans: dict[str, FilePlan] = {}
        self._on_branch: dict[str, bytes | None] = {}
        self._kept: dict[str, bytes | None] = {}  # path → the result of a file in which a block failed
        self._checked: dict[tuple[str, Operation], PathError | None] = {}

    def __getitem__(self, path: str) -> FilePlan:
        """Return the plan of a file. Raises `UnreadableFile` if the file cannot be read."""
        if path not in self._plans:
            plan = self.source.plan(path)
            self._plans[path] = plan
            self._on_branch[path] = plan.original
            if path in self.failed:
                self._kept[path] = plan.original
        return self._plans[path]

    def fail(self, path: str, number: int) -> None:
        """Record a failed row of a file. The result of the file stays as it is now; later blocks do not change it."""
        if path not in self.failed and path in self._plans:
            self._kept[path] = self._plans[path].result()
        self.failed.setdefault(path, []).append(number)

    def failed_before(self, block: EditBlock) -> tuple[int, ...]:
        """The rows that failed in a file of this block."""
        numbers = self.failed.get(block.file_path, [])
        if block.action == "rename":
            numbers = sorted({*numbers, *self.failed.get(block.new_path, [])})
        return tuple(numbers)

    def path_refusal(self, path: str, operation: Operation) -> PathError | None:
        """Return why no block may do this at a path, whatever is there, or None."""
        key = path, operation
        if key not in self._checked:
            self._checked[key] = check_syntax(*key) or check_policy(path, self.settings)
        return self._checked[key]

    def link_refusal(self, path: str) -> PathError | None:
        """Return why a protected link forbids a change of this file, or None."""
        if self._links is None:
            return None
        return self._links.refusal(path, self.settings)

    def tree_refusal(self, path: str, operation: Operation) -> PathError | None:
        """Return why the tree, as the blocks so far left it, does not let a block do this, or None."""
        if self.entries is None:
            return None
        return self.overlay.check(path, operation)

    def file(self, block: EditBlock) -> FilePlan | Mismatch:
        """The block's file as it is now, if the tree lets the block change it."""
        path = block.file_path
        error = self.tree_refusal(path, operation(block))
        # Later checks find out whether the file already has the new text, or was in the base.
        if error is not None and error.rule not in ("E_EXISTS", "E_MISSING"):
            if error.rule == "E_SYMLINK_LEAF" and self._links is not None:
                return self._links.with_target(path, refused(error))
            return refused(error)
        try:
            file = self[path]
        except UnreadableFile as unreadable:
            return refused(unreadable)
        if file.fault is not None:
            return refused(file.fault)
        if file.text is not None:
            blocks = self.by_file[path]
            file.text.lines_to_index = partial(lines_asked_for, blocks)
            if len(blocks) >= MANY:
                file.text.index()
        return file

    def creation_refusal(self, path: str) -> Mismatch | None:
        """Return why the tree refuses a new file, or None; for blocks of which perhaps only one reading creates it."""
        error = self.tree_refusal(path, "create")
        return None if error is None or error.rule == "E_EXISTS" else refused(error)

    def name_refusal(self, block: EditBlock, file: FilePlan | Mismatch) -> Mismatch | None:
        """Return why the block's path may not be a path at all, or None; `file` is the file at that path."""
        path = block.file_path
        if isinstance(file, FilePlan) and file.text is not None:
            return None
        # A submodule or a link has this name, so the name is a path.
        if isinstance(file, Mismatch) and file.code is ReasonCode.NOT_A_FILE:
            return None
        if block.weak_path:
            return self._prose_refusal(block) or _no_path(block, is_free=isinstance(file, FilePlan))
        if block.creates_file and is_example_path(path):
            what = f"{path} looks like a placeholder, and there is no such file"
            return Mismatch(ReasonCode.NO_PATH, what, "write the file's own path on the line above")
        return None

    def refused_path(self, block: EditBlock, error: PathError) -> Mismatch:
        """Return the refusal of a path. If the path is a line of prose that names a file, the message says so."""
        if block.weak_path and not block.changes_file_itself:
            return self._prose_refusal(block) or refused(error)
        return refused(error)

    def _prose_refusal(self, block: EditBlock) -> Mismatch | None:
        """Refuse a line such as `Updated file: src/cart.py`, if its last word names an existing file."""
        *words, last = block.file_path.split()
        named = find_path(last)
        if not words or named is None or self.path_refusal(named.path, "edit") is not None:
            return None
        with suppress(UnreadableFile):
            if self[named.path].is_there:
                what = f"`{block.file_path}` is not a path, but {named.path} exists"
                return Mismatch(ReasonCode.NO_PATH, what, "if you mean it, write only the path on the line above")
        return None

    def with_similar_paths(self, path: str, mismatch: Mismatch) -> Mismatch:
        """Add existing files with similar names to a `file-not-found`."""
        if mismatch.code is not ReasonCode.FILE_NOT_FOUND or self.entries is None:
            return mismatch
        return mismatch._replace(near=tuple(nearest(path, self._listing)))

    def _listing(self, directory: str) -> Mapping[str, str]:
        """Return the entries of a directory; empty once too many directories have been listed only for a hint."""
        if directory not in self._listed:
            if len(self._listed) >= self._listings:
                return {}
            self._listed.add(directory)
        return self.overlay.entries(directory)

    def delete(self, path: str, number: int) -> None:
        """Delete a file, so that later blocks do not find it."""
        self.overlay.record(path, "delete")
        self._plans[path] = FilePlan(path, None)
        self.removed_by[path] = number

    def rename(self, path: str, new_path: str, number: int) -> None:
        """Rename an existing file to a path at which there is no file."""
        plan = self[path]
        self.delete(path, number)
        self.overlay.record(new_path, "create")
        self._on_branch.setdefault(new_path, None)
        plan.path = new_path
        self._plans[new_path] = plan

    def was_there(self, path: str) -> bool:
        """Whether the branch has a file of this path, as far as it was read."""
        return self._on_branch.get(path) is not None

    def files_there(self) -> list[str]:
        """The files of the branch that were read."""
        return [path for path, data in self._on_branch.items() if data is not None]

    def old_path(self, path: str) -> str:
        """The path that the file has on the branch, if it is there."""
        if path in self._plans and self.was_there(self._plans[path].old_path):
            return self._plans[path].old_path
        return path

    def contents(self) -> dict[str, bytes | None]:
        """The new bytes of each file that changes, None for a deleted file. Raises `SelfCheckFailed`."""
        contents: dict[str, bytes | None] = {}
        for path, plan in self._plans.items():
            data = self._kept[path] if path in self._kept else plan.result()
            if data != self._on_branch[path]:
                contents[path] = data
        return contents

    def originals(self, contents: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        """The bytes of these files on the branch; None for a file that is not there."""
        return {path: self._on_branch[path] for path in contents}

    def renamed(self, contents: Mapping[str, bytes | None]) -> dict[str, str]:
        """For each of these files that was renamed, the path that it has on the branch."""
        paths = ((path, self.old_path(path)) for path, data in contents.items() if data is not None)
        return {path: old_path for path, old_path in paths if old_path != path}

    def modes(self, contents: Mapping[str, bytes | None], renamed: Mapping[str, str]) -> dict[str, str]:
        """The git modes of the renamed and deleted ones of these files, if they are not 100644."""
        gone = {path: path for path, data in contents.items() if data is None}
        modes = {path: self.mode(old) for path, old in {**gone, **renamed}.items()}
        return {path: mode for path, mode in modes.items() if mode != _DEFAULT_MODE}

    def mode(self, path: str) -> str:
        """The mode that the file has on the branch, as far as that is known."""
        if self.entries is None:
            return _DEFAULT_MODE
        directory, _, name = path.rpartition("/")
        return self.entries(directory).get(name, _DEFAULT_MODE)


def operation(block: EditBlock) -> Operation:
    """What a block does with its file, as rules for paths see it."""
    if block.changes_file_itself:
        return "delete"
    return "create" if block.creates_file else "edit"


def refused(error: PathError | UnreadableFile) -> Mismatch:
    """Return the error of a path or of an unreadable file as a mismatch."""
    return Mismatch(error.code, error.what, error.advice)


def _no_path(block: EditBlock, *, is_free: bool) -> Mismatch:
    """Refuse a line that should be a path, but may be prose: no file has that name. `is_free`: the path is unused."""
    path = block.file_path
    advice = "write the full path on the line above"
    if block.thread_path is not None:
        advice = f"remove `{path}` if you mean the thread's file, {block.thread_path}; or {advice}"
    elif block.creates_file and is_free:
        advice = f"if it is the new file's path, {advice_for_weak_path(path)}, else {advice}"
    return Mismatch(ReasonCode.NO_PATH, f"`{path}` is not a file here, and no other line names one", advice)


class SymbolicLinks:
    """The symbolic links of one tree; `target` is `Tree.link_target`.

    Only the root and the folders around a file are searched for protected links, as listing all folders is slow.
    """

    def __init__(self, entries: Entries, target: Callable[[str], str | None]) -> None:
        self._entries = entries
        self._target = target
        self._protected = cache(self._find)  # by folder

    def refusal(self, path: str, settings: Settings) -> PathError | None:
        """Return why `path` may not be changed, or None: a protected link leads to it, or to a folder around it."""
        if path in settings.allow_protected:
            return None
        *folders, _ = path.split("/")
        for folder in ("/".join(folders[:depth]) for depth in range(len(folders) + 1)):
            for link, target in self._protected(folder):
                if path == target or path.startswith(f"{target}/"):
                    what = (
                        f"{show_text(link)} is a link to {show_text(target)}, so {show_text(path)} is protected as well"
                    )
                    return PathError("E_PROTECTED", what, "change it by hand, or allow it with --allow-protected")
        return None

    def _find(self, folder: str) -> list[tuple[str, str]]:
        """Return the protected links in a folder, and their targets."""
        entries = self._entries(folder)
        # A mode costs a look at the disk, so only the few names in a protected place are asked for theirs.
        protected = [name for name in entries if is_in_protected_place(join(folder, name))]
        links = [join(folder, name) for name in protected if entries[name] == SYMLINK]
        return [(link, target) for link in links if (target := self.inside(link))]

    def inside(self, link: str) -> str:
        """Return the path in the repository to which a link leads in the end; "" if it is outside, or not known.

        The link is resolved as an operating system does: links on the way are followed, and `..` goes up from their
        targets.
        """
        names = link.split("/")
        done: list[str] = []
        for _ in range(_MOST_STEPS):
            if not names:
                return "/".join(done)
            name = names.pop(0)
            if name == ".." and not done:
                return ""
            if name == "..":
                done.pop()
            elif self._entries("/".join(done)).get(name) == SYMLINK:
                target = self._target("/".join((*done, name)))
                if not target or target.startswith("/"):
                    return ""
                names = [*target.split("/"), *names]
            elif name not in ("", "."):
                done.append(name)
        return ""

    def with_target(self, path: str, mismatch: Mismatch) -> Mismatch:
        """Add the target of the link at `path` to the message."""
        target = self.inside(path)
        if not target:
            return mismatch
        return mismatch._replace(what=f"{mismatch.what} to {show_text(target)}", advice=f"edit {show_text(target)}")


def nearest(path: str, names: Entries) -> list[str]:
    """Return the files that are most similar to `path`, which does not exist: 3 at most, best first, ties by path.

    Candidates are files of the same name in any folder, and files of a similar name in the folder of `path`.
    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such folder. A listing may be a request: each folder is listed once, the likeliest first, and
    `names` may stop answering.
    """
    near = set(_near_files(path, names))
    return sorted(near, key=lambda existing: (-_alike(path, existing), existing))[:_MAX_NEAR]


def _near_files(path: str, names: Entries) -> Iterator[str]:
    parent, _, name = path.rpartition("/")
    for folder, listing in _folders(parent, names):
        files = sorted(other for other, mode in listing.items() if mode in REGULAR)
        for other in same_fold(name, files):
            yield join(folder, other)
        if fold_key(folder) != fold_key(parent):
            continue
        start = max(0, min(bisect(files, name) - _MOST_COMPARED // 2, len(files) - _MOST_COMPARED))
        stem, _ = splitext(name)
        for other in files[start : start + _MOST_COMPARED]:
            other_stem, _ = splitext(other)
            if _alike(stem, other_stem) >= _LEAST_ALIKE:
                yield join(folder, other)


def _folders(parent: str, names: Entries) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield folders with their listings, each before its subfolders; folders with a name in `parent` come first."""
    named = set(map(fold_key, parent.split("/")))
    waiting = deque([""])
    for number in range(_MOST_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        listing = names(folder)
        yield folder, listing
        inside = sorted(other for other, mode in listing.items() if mode == DIRECTORY)
        if number < _FEW and len(inside) <= _MOST_COMPARED:
            inside.sort(key=lambda other: -_alike(join(folder, other), parent))
        for other in inside:
            if fold_key(other) in named:
                waiting.appendleft(join(folder, other))
            elif not other.startswith(".") and other != "node_modules":
                waiting.append(join(folder, other))


def _alike(one: str, other: str) -> float:
    one = fold_key(one)
    other = fold_key(other)
    return 2 * common_length(one, other) / (len(one) + len(other))
