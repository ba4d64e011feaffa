"""Suggest existing files for a path that does not exist, from the listings of a few directories.

The result is only a hint: no file is ever edited because its path is similar. Pure: the same listings, the same result.
"""

from __future__ import annotations

from bisect import bisect
from collections import deque
from collections.abc import Iterator, Mapping
from posixpath import splitext

from editblocks.core.characters import fold_key
from editblocks.matching.align import common_length
from editblocks.paths.tree import DIRECTORY, REGULAR, Entries, join, same_fold

MAX_NEAR = 3
MOST_COMPARED = 500  # names of a directory
MOST_FOLDERS = 100  # folders that are listed
_FEW = 3  # every store allows at least so many listings, so these choose the most similar folders first
LEAST_ALIKE = 0.6  # for stems: twice the common characters by all characters, as in `difflib`


def nearest(path: str, names: Entries) -> list[str]:
    """Return the files that are most similar to `path`, which does not exist: 3 at most, best first, ties by path.

    Candidates are files of the same name in any folder, and files of a similar name in the folder of `path`.
    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such folder. A listing may be a request: each folder is listed once, the likeliest first, and
    `names` may stop answering.
    """
    near = set(_near_files(path, names))
    return sorted(near, key=lambda existing: (-_alike(path, existing), existing))[:MAX_NEAR]


def _near_files(path: str, names: Entries) -> Iterator[str]:
    parent, _, name = path.rpartition("/")
    for folder, listing in _folders(parent, names):
        files = sorted(other for other, mode in listing.items() if mode in REGULAR)
        for other in same_fold(name, files):
            yield join(folder, other)
        if fold_key(folder) != fold_key(parent):
            continue
        start = max(0, min(bisect(files, name) - MOST_COMPARED // 2, len(files) - MOST_COMPARED))
        stem, _ = splitext(name)
        for other in files[start : start + MOST_COMPARED]:
            other_stem, _ = splitext(other)
            if _alike(stem, other_stem) >= LEAST_ALIKE:
                yield join(folder, other)


def _folders(parent: str, names: Entries) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield folders with their listings, each before its subfolders; folders with a name in `parent` come first."""
    named = set(map(fold_key, parent.split("/")))
    waiting = deque([""])
    for number in range(MOST_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        listing = names(folder)
        yield folder, listing
        inside = sorted(other for other, mode in listing.items() if mode == DIRECTORY)
        if number < _FEW and len(inside) <= MOST_COMPARED:
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
