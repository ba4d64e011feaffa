"""Which files a path may stand for: twins by case or composition, then the closest names.

Only refusals and hints are made of this; no file is ever found by likeness.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from editblocks.paths.characters import fold_key

Entries = Callable[[str], Mapping[str, str]]  # `Repo.entries`: the names in a directory with their git modes

DIRECTORY = "040000"
REGULAR = frozenset({"100644", "100755"})
MAX_NEAR = 3
_COMPARED_NAMES = 1000


def near_names(path: str, entries: Entries) -> tuple[str, ...]:
    """At most 3 regular files that `path` may stand for, the likeliest first; the same input, the same answer.

    First those that differ by case or composition alone, then the closest names in the nearest directory.
    """
    directory, name, rest = _departure(path, entries)
    names = entries(directory)
    found = _twins(path, entries)
    if rest:
        folders = (other for other, mode in names.items() if mode == DIRECTORY)
        for folder in _closest(name, folders):
            found += _twins(rest, entries, join(directory, folder))
    files = (other for other, mode in names.items() if mode in REGULAR)
    found += (join(directory, other) for other in _closest(rest.rpartition("/")[2] or name, files))
    return tuple(dict.fromkeys(near for near in found if near != path))[:MAX_NEAR]


def as_there(path: str, entries: Entries) -> str | None:
    """`path` with each part as the tree writes it; None where that is of no use."""
    directory, name, rest = _departure(path, entries)
    same = list(same_fold(name, entries(directory)))
    if same:
        files = [] if rest else _same_kind(name, entries(directory), REGULAR)
        return join(directory, files[0]) if files else None
    there = join(directory, f"{name}/{rest}" if rest else name)
    return there if there != path else None


def join(directory: str, name: str) -> str:
    """The path of `name` in `directory`; "" is the root."""
    return f"{directory}/{name}" if directory else name


def same_fold(name: str, names: Iterable[str]) -> Iterator[str]:
    """Those of `names` that macOS or Windows would keep in one file with `name`, itself among them."""
    key = fold_key(name)
    return (other for other in names if fold_key(other) == key)


def _twins(path: str, entries: Entries, directory: str = "") -> list[str]:
    """Regular files below `directory` whose path is `path` but for case and composition."""
    found = [directory]
    *parents, leaf = path.split("/")
    for name in parents:
        found = [join(here, other) for here in found for other in _same_kind(name, entries(here), {DIRECTORY})]
        found = found[:MAX_NEAR]
    return [join(here, other) for here in found for other in _same_kind(leaf, entries(here), REGULAR)]


def _same_kind(name: str, names: Mapping[str, str], modes: Collection[str]) -> list[str]:
    same = (other for other in same_fold(name, names) if names[other] in modes)
    return sorted(same, key=lambda other: (other != name, other))


def _departure(path: str, entries: Entries) -> tuple[str, str, str]:
    """Where `path` leaves the tree: the last directory that is there, the name missing in it, and what follows.

    Directories count as there when only case or composition differ.
    """
    *parents, leaf = path.split("/")
    directory = ""
    for depth, name in enumerate(parents):
        same = _same_kind(name, entries(directory), {DIRECTORY})
        if not same:
            return directory, name, "/".join([*parents[depth + 1 :], leaf])
        directory = join(directory, same[0])
    return directory, leaf, ""


def _closest(name: str, names: Iterable[str]) -> list[str]:
    from difflib import get_close_matches

    pool = sorted(names)
    # Neighbours in the alphabet share the longest beginnings: they are what is compared in a large directory.
    start = max(0, bisect(pool, name) - _COMPARED_NAMES // 2)
    return get_close_matches(name, pool[start : start + _COMPARED_NAMES], n=MAX_NEAR)
