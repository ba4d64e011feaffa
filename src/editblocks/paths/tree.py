"""Check an operation on a path against the tree: steps 6 to 9 of docs/internals/security.md, "paths".

The tree is read through one function, `Repo.entries`: the names in a directory with their git modes. Names are
compared byte by byte; folding case is only used to refuse or to suggest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from editblocks.core.characters import fold_key, show_text
from editblocks.paths.syntax import Operation, PathError

Entries = Callable[[str], Mapping[str, str]]  # `Repo.entries`: the names in a directory with their git modes

DIRECTORY = "040000"
REGULAR = frozenset({"100644", "100755"})
SYMLINK, SUBMODULE = "120000", "160000"
SPECIAL = "000000"  # a FIFO, a socket or a device: git has no mode for it; the rule is that of a submodule

_IN_THE_WAY = {
    DIRECTORY: ("E_ISDIR", "a directory", "name a file in it, or choose another path"),
    SYMLINK: ("E_SYMLINK_LEAF", "a symbolic link", "edit its target"),
    SUBMODULE: ("E_GITLINK", "a submodule", "edit it in its own repository"),
    SPECIAL: ("E_GITLINK", "no regular file", "name one"),
}


def check_tree(path: str, op: Operation, entries: Entries) -> PathError | None:
    """Return the first rule of steps 6 to 8 that `op` breaks in the tree, or None. `path` has passed `check_syntax`."""
    mode: str | None = DIRECTORY
    levels = list(_levels(path))
    for directory, name in levels:
        mode = entries(directory).get(name)
        here = join(directory, name)
        if mode is None:
            break
        if mode != DIRECTORY and here != path:
            return obstacle(path, here, mode)
    if mode is not None and mode not in REGULAR:
        return obstacle(path, path, mode)
    if op != "create":
        return PathError("E_MISSING", f"there is no {show_text(path)}", "check the path") if mode is None else None
    if mode is not None:
        return PathError("E_EXISTS", f"{show_text(path)} is there already", "send blocks that edit it")
    return _fold(path, entries)


class Overlay:
    """The tree with the changes of the blocks so far: step 9. Later blocks are checked against this view.

    `record` adds what a block did and ignores what is not allowed, so that deleting a symbolic link
    never makes a path through it possible.
    """

    __slots__ = ("_changes", "_tree")

    def __init__(self, entries: Entries) -> None:
        self._tree = entries
        self._changes: dict[str, dict[str, str | None]] = {}  # directory to name to mode; None: deleted

    def entries(self, directory: str) -> Mapping[str, str]:
        """As `Repo.entries`, with the changes."""
        changes = self._changes.get(directory)
        if not changes:
            return self._tree(directory)
        merged = {**self._tree(directory), **changes}
        return {name: mode for name, mode in merged.items() if mode is not None}

    def check(self, path: str, op: Operation) -> PathError | None:
        """Return the first rule of steps 6 to 8 that the next block breaks. `path` has passed `check_syntax`."""
        return check_tree(path, op, self.entries)

    def without(self, path: str) -> Overlay:
        """A copy in which the file at `path` is deleted."""
        copy = Overlay(self._tree)
        copy._changes = {directory: dict(names) for directory, names in self._changes.items()}
        copy.record(path, "delete")
        return copy

    def record(self, path: str, op: Operation) -> None:
        """Add what a block did to the view. What `check` refuses changes nothing."""
        if op == "edit" or self.check(path, op) is not None:
            return
        levels = list(_levels(path))
        if op == "create":
            for directory, name in levels:
                if name not in self.entries(directory):
                    mode = "100644" if join(directory, name) == path else DIRECTORY
                    self._changes.setdefault(directory, {})[name] = mode
            return
        # git keeps no empty directories: one that loses its last name is deleted as well.
        for directory, name in reversed(levels):
            self._changes.setdefault(directory, {})[name] = None
            if self.entries(directory):
                return


def _levels(path: str) -> Iterator[tuple[str, str]]:
    """Yield each directory of a path with the name to look up in it: `a/b` gives `("", "a"), ("a", "b")`."""
    directory = ""
    for name in path.split("/"):
        yield directory, name
        directory = join(directory, name)


def obstacle(path: str, here: str, mode: str) -> PathError:
    """Return why no file can be at `path`, given that `here` (it, or a parent of it) has `mode`."""
    if mode in REGULAR:
        what = f"{show_text(here)} is a file, so {show_text(path)} cannot be below it"
        return PathError("E_PARENT_FILE", what, "choose another path")
    rule, what, advice = _IN_THE_WAY.get(mode, _IN_THE_WAY[SPECIAL])
    if mode == SYMLINK and here != path:
        rule, advice = "E_SYMLINK_PARENT", "name the file by its own path"
    return PathError(rule, f"{show_text(here)} is {what}", advice)


def _fold(path: str, entries: Entries) -> PathError | None:
    twin = meant = ""  # the first name in the way; the path with each part spelled as in the tree
    for name in path.split("/"):
        names = entries(meant)
        same = sorted(same_fold(name, names))
        twin = twin or next((join(meant, other) for other in same if other != name), "")
        meant = join(meant, name if name in names or not same else same[0])
    if not twin:
        return None
    error = check_tree(meant, "edit", entries)
    near = (meant,) if meant != path and (error is None or error.rule == "E_MISSING") else ()
    advice = f"write {show_text(meant)}" if near else "choose another path"
    what = f"{show_text(path)} differs from {show_text(twin)} by case or composition alone"
    return PathError("E_FOLD", what, advice, near)


def join(directory: str, name: str) -> str:
    """Return the path of `name` in `directory`; "" is the root."""
    return f"{directory}/{name}" if directory else name


def same_fold(name: str, names: Iterable[str]) -> Iterator[str]:
    """Return those of `names` that macOS or Windows would treat as `name`, including `name` itself."""
    key = fold_key(name)
    return (other for other in names if fold_key(other) == key)


def same_kind(name: str, names: Mapping[str, str], modes: Collection[str]) -> list[str]:
    """Return those of the names that have one of the modes, `name` itself first."""
    same = (other for other in same_fold(name, names) if names[other] in modes)
    return sorted(same, key=lambda other: (other != name, other))
