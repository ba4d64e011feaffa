"""Suggest existing files for a path that does not exist, from the listings of a few directories.

Only hints are made of this; no file is ever found by likeness. Pure; the same listings give the same answer.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from editblocks.core.characters import fold_key
from editblocks.matching.align import common_length
from editblocks.paths.tree import DIRECTORY, REGULAR, Entries, join, same_kind

MAX_NEAR = 3
MOST_COMPARED = 500  # names of a directory
MOST_FOLDERS = 100  # that are looked through for a file of the same name
LEAST_ALIKE = 0.6  # of stems, as in `difflib`: twice the common characters by all characters


def nearest(path: str, names: Entries) -> list[str]:
    """At most 3 files nearest to `path`, which does not exist, the likest first and ties by path.

    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such folder. A listing may be a request: each is asked for once, the likeliest first, and
    `names` may stop to answer.
    """
    near = set(_near_files(path.split("/"), cache(names)))
    return sorted(near, key=lambda existing: (-_alike(path, existing), existing))[:MAX_NEAR]


def _near_files(parts: Sequence[str], names: Entries) -> Iterator[str]:
    """Files that are near in some way; the cheapest questions first, as they may be the last."""
    for start in range(len(parts)):  # without leading directories, as `a/` and `b/` of a patch
        yield from _file("", parts[start:], names)
    directory = ""  # the last directory of the path that is there
    depth = 0  # the part of the path that is missing in it
    while depth < len(parts) - 1 and (there := same_kind(parts[depth], names(directory), {DIRECTORY})):
        directory = join(directory, there[0])
        depth += 1
    if depth == len(parts) - 1:
        alike = _ranked(_stem(parts[-1]), (name for name, mode in names(directory).items() if mode in REGULAR))
        yield from (join(directory, name) for ratio, name in alike if ratio >= LEAST_ALIKE)
    else:
        yield from _file(directory, parts[depth + 1 :], names)
    # In another directory: one in addition, or one instead of the first that is missing.
    for base, rest in dict.fromkeys([(directory, tuple(parts[depth:])), ("", tuple(parts))]):
        folders = (name for name, mode in names(base).items() if mode == DIRECTORY)
        for _, folder in _ranked(rest[0], folders):
            yield from _file(join(base, folder), rest, names)
            yield from _file(join(base, folder), rest[1:], names)
    yield from _only_one_named(parts[-1], names)


def _only_one_named(name: str, names: Entries) -> Iterator[str]:
    """Yield the file of this name, if the folders that are looked at, from the top, hold only one."""
    found: list[str] = []
    folders = [""]
    for folder in islice(folders, MOST_FOLDERS):  # it grows meanwhile
        listing = names(folder)
        found += [join(folder, other) for other in same_kind(name, listing, REGULAR)]
        folders += [
            join(folder, other)
            for other, mode in sorted(listing.items())
            if mode == DIRECTORY and not other.startswith(".") and other != "node_modules"
        ]
    if len(found) == 1:
        yield found[0]


def _file(directory: str, parts: Sequence[str], names: Entries) -> Iterator[str]:
    """Yield the file below a directory, as it is written there: exactly, or but for case and composition."""
    for depth, name in enumerate(parts, 1):
        kinds = REGULAR if depth == len(parts) else {DIRECTORY}
        same = same_kind(name, names(directory), kinds)
        if not same:
            return
        directory = join(directory, same[0])
    if parts:
        yield directory


def _ranked(stem: str, names: Iterable[str]) -> list[tuple[float, str]]:
    """How alike the names around `stem` in the alphabet are to it, without their extensions; the likest first."""
    pool = sorted(names)
    start = max(0, min(bisect(pool, stem) - MOST_COMPARED // 2, len(pool) - MOST_COMPARED))
    alike = ((_alike(stem, _stem(name)), name) for name in pool[start : start + MOST_COMPARED])
    return sorted(alike, key=lambda pair: (-pair[0], pair[1]))


def _alike(one: str, other: str) -> float:
    one = fold_key(one)
    other = fold_key(other)
    return 2 * common_length(one, other) / (len(one) + len(other))


def _stem(name: str) -> str:
    """`cart` of `cart.py`; all of `.gitignore`."""
    end = name.rfind(".")
    return name[:end] if end > 0 else name
