"""Suggest existing files for a path that does not exist, from the listings of a few directories.

Only hints are made of this; no file is ever found by likeness. Pure; the same listings give the same answer.
"""

from __future__ import annotations

from bisect import bisect
from collections import deque
from collections.abc import Iterator, Mapping

from editblocks.core.characters import fold_key
from editblocks.matching.align import common_length
from editblocks.paths.tree import DIRECTORY, REGULAR, Entries, join, same_fold

MAX_NEAR = 3
MOST_COMPARED = 500  # names of a directory
MOST_FOLDERS = 100  # that are looked through
_FEW = 3  # so many listings there are in any case: for them the likeliest folders come first
LEAST_ALIKE = 0.6  # of stems, as in `difflib`: twice the common characters by all characters


def nearest(path: str, names: Entries) -> list[str]:
    """At most 3 files nearest to `path`, which does not exist, the likest first and ties by path.

    Those are the files of the same name in any folder, and those of a similar name in the folder that it names.
    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such folder. A listing may be a request: each is asked for once, the likeliest first, and
    `names` may stop to answer.
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
        for other in files[start : start + MOST_COMPARED]:
            if _alike(_stem(name), _stem(other)) >= LEAST_ALIKE:
                yield join(folder, other)


def _folders(parent: str, names: Entries) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield folders with what they hold, from the root down, each before those in it; first those that a path names."""
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


def _stem(name: str) -> str:
    """`cart` of `cart.py`; all of `.gitignore`."""
    end = name.rfind(".")
    return name[:end] if end > 0 else name
