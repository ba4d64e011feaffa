"""Check an operation on a path against the tree: steps 6 to 9 of docs/internals/security.md, "paths".

The tree is read through one function, `Repo.entries`: the names in a directory with their git modes. Names are
compared byte by byte; folding case is only used to refuse or to suggest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from unicodedata import normalize

from editblocks.core.characters import fold_key, show_text, unicode_form
from editblocks.paths.syntax import Operation, PathError

SameFold = Callable[[str, str], Iterable[str]]  # (name, directory) → the names there that are equal but for case
Entries = Callable[[str], Mapping[str, str]]  # `Repo.entries`: the names in a directory with their git modes

DIRECTORY = "040000"
REGULAR = frozenset({"100644", "100755"})
SYMLINK = "120000"
SUBMODULE = "160000"
SPECIAL = "000000"  # a FIFO, a socket or a device: git has no mode for these; refused by the rule for submodules

_IN_THE_WAY = {
    DIRECTORY: ("E_ISDIR", "a folder", "name a file in it, or choose another path"),
    SYMLINK: ("E_SYMLINK_LEAF", "a symbolic link", "edit its target"),
    SUBMODULE: ("E_GITLINK", "a submodule", "edit it in its own repository"),
    SPECIAL: ("E_GITLINK", "not a regular file", "name one"),
}


def check_tree(path: str, op: Operation, entries: Entries, same: SameFold | None = None) -> PathError | None:
    """Return the first rule of steps 6 to 8 that `op` breaks in the tree, or None. `path` has passed `check_syntax`.

    `same` finds the names of a directory that are equal but for case, faster than `entries` can.
    """
    mode: str | None = DIRECTORY
    for directory, name in _levels(path):
        mode = entries(directory).get(name)
        if mode is None:
            break
        here = join(directory, name)
        if mode != DIRECTORY and here != path:
            return path_error(path, here, mode)
    if mode is None and op == "create":
        return _fold(path, entries, same or (lambda name, directory: same_fold(name, entries(directory))))
    if mode is None:
        return PathError("E_MISSING", f"there is no {show_text(path)}", "check the path")
    if mode not in REGULAR:
        return path_error(path, path, mode)
    if op == "create":
        return PathError("E_EXISTS", f"{show_text(path)} already exists", "send blocks that edit it")
    return None


def mode_at(path: str, entries: Entries) -> str | None:
    """Return the git mode of the entry at `path`, or None if there is no entry. Links are not followed."""
    mode: str | None = DIRECTORY
    for directory, name in _levels(path):
        if mode != DIRECTORY:
            return None
        mode = entries(directory).get(name)
    return mode


class Overlay:
    """The tree with the changes of the blocks so far: step 9. Later blocks are checked against this view.

    `record` adds what a block did and ignores what is not allowed, so that deleting a symbolic link
    never makes a path through it possible.
    """

    __slots__ = ("_checked", "_folded", "_names", "_tree")

    def __init__(self, entries: Entries) -> None:
        self._tree = entries
        self._names: dict[str, dict[str, str]] = {}  # the entries of the directories that changed
        self._checked: dict[tuple[str, Operation], PathError | None] = {}  # until the next change
        self._folded: dict[str, dict[str, set[str]]] = {}  # directory to fold key to names

    def entries(self, directory: str) -> Mapping[str, str]:
        """As `Repo.entries`, with the changes."""
        if directory in self._names:
            return self._names[directory]
        return self._tree(directory)

    def check(self, path: str, op: Operation) -> PathError | None:
        """Return the first rule of steps 6 to 8 that the next block breaks. `path` has passed `check_syntax`."""
        key = path, op
        if key not in self._checked:
            self._checked[key] = check_tree(path, op, self.entries, self._same_fold)
        return self._checked[key]

    def check_rename(self, path: str, new_path: str) -> PathError | None:
        """Return the first rule that the existing file at `path` would break under its new name."""
        directory, _, name = path.rpartition("/")
        mode = self.entries(directory).get(name)
        if mode is None:  # the block that creates the file is only tried, because a block before it failed
            return self.check(new_path, "create")
        self._remove(path)  # neither the file nor a folder that holds only this file blocks the new path
        error = self.check(new_path, "create")
        self._put(path, mode)
        return error

    def record(self, path: str, op: Operation) -> None:
        """Add what a block did to the view. What `check` refuses changes nothing."""
        if op == "edit" or self.check(path, op) is not None:
            return
        if op == "create":
            self._put(path, "100644")
        else:
            self._remove(path)

    def _put(self, path: str, mode: str) -> None:
        for directory, name in _levels(path):
            if name not in self.entries(directory):
                self._change(directory)[name] = mode if join(directory, name) == path else DIRECTORY
                if directory in self._folded:
                    self._folded[directory].setdefault(fold_key(name), set()).add(name)

    def _remove(self, path: str) -> None:
        # git keeps no empty directories: one that loses its last name is deleted as well.
        for directory, name in reversed(list(_levels(path))):
            self._change(directory).pop(name)
            if directory in self._folded:
                self._folded[directory][fold_key(name)].discard(name)
            if self.entries(directory):
                return

    def _change(self, directory: str) -> dict[str, str]:
        self._checked.clear()
        if directory not in self._names:
            self._names[directory] = dict(self._tree(directory))
        return self._names[directory]

    def _same_fold(self, name: str, directory: str) -> Iterable[str]:
        if directory not in self._folded:
            folded = self._folded[directory] = dict[str, set[str]]()
            for other in self.entries(directory):
                folded.setdefault(fold_key(other), set()).add(other)
        return self._folded[directory].get(fold_key(name), ())


def _levels(path: str) -> Iterator[tuple[str, str]]:
    """Yield each directory of a path with the name to look up in it: `a/b` gives `("", "a"), ("a", "b")`."""
    directory = ""
    for name in path.split("/"):
        yield directory, name
        directory = join(directory, name)


def path_error(path: str, here: str, mode: str) -> PathError:
    """Return why no file can be at `path`, given that `here` (it, or a parent of it) has `mode`."""
    if mode in REGULAR:
        what = f"{show_text(here)} is a file, so {show_text(path)} cannot be below it"
        return PathError("E_PARENT_FILE", what, "choose another path")
    rule, what, advice = _IN_THE_WAY.get(mode, _IN_THE_WAY[SPECIAL])
    if mode == SYMLINK and here != path:
        return PathError("E_SYMLINK_PARENT", f"{show_text(here)} is {what}", "use the real path of the file")
    return PathError(rule, f"{show_text(here)} is {what}", advice)


def _fold(path: str, entries: Entries, same_names: SameFold) -> PathError | None:
    """Return why a file cannot be created at `path`, if a name in the tree is equal to a part of it but for case."""
    conflicting_path = ""  # of the first such name
    tree_path = ""  # the path with each part spelled as in the tree
    for name in path.split("/"):
        same = sorted(same_names(name, tree_path))
        others = [other for other in same if other != name]
        if others and not conflicting_path:
            conflicting_path = join(tree_path, others[0])
        spelled = name
        if others and name not in same:
            spelled = others[0]
        tree_path = join(tree_path, spelled)
    if not conflicting_path:
        return None
    advice = "choose another path"
    error = check_tree(tree_path, "edit", entries)
    if tree_path != path and (error is None or error.rule == "E_MISSING"):
        advice = f"write {show_text(tree_path)}"
    way = "only in case or Unicode form"
    if path != tree_path and normalize("NFC", path) == normalize("NFC", tree_path):
        way = f"only in Unicode form ({unicode_form(path)}, not {unicode_form(tree_path)})"
    what = f"{show_text(path)} differs from {show_text(conflicting_path)} {way}"
    return PathError("E_FOLD", what, advice)


def join(directory: str, name: str) -> str:
    """Return the path of `name` in `directory`; "" is the root."""
    return f"{directory}/{name}" if directory else name


def same_fold(name: str, names: Iterable[str]) -> Iterator[str]:
    """Return those of `names` that macOS or Windows would treat as `name`, including `name` itself."""
    key = fold_key(name)
    return (other for other in names if fold_key(other) == key)
