"""Suggest existing files for a path that does not exist, from the listings of a few directories.

Only hints are made of this; no file is ever found by likeness. Pure; the same listings give the same answer.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from editblocks.core.characters import fold_key
from editblocks.matching.align import common_length
from editblocks.paths.tree import DIRECTORY, REGULAR, Entries, join, same_kind

MAX_NEAR = 3
MOST_COMPARED = 500  # names of a directory
LEAST_ALIKE = 0.75  # of whole names, as in `difflib`: twice the common characters by all characters
_HALF_ALIKE = 0.5  # stems are more alike than this: what two names share must not be their extension alone
# Ways to be near, the best first: letter case or composition, `-` for `_`, a directory too many or too few, another
# extension, another spelling, another directory.
_TWIN, _SIGNS, _DEPTH, _EXTENSION, _SPELLING, _ELSEWHERE = range(6)

Near = Iterator[tuple[int, str]]


def nearest(path: str, names: Entries) -> list[str]:
    """At most 3 files nearest to `path`, which does not exist, the best first and ties by path.

    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such directory. A listing may be a request: each is asked for once, the likeliest first, and
    `names` may stop to answer.
    """
    near: dict[str, tuple[int, float]] = {}
    for rank, existing in _near_files(path.split("/"), cache(names)):
        found = rank, -_alike(path, existing)
        near[existing] = min(near.get(existing, found), found)
    return sorted(near, key=lambda existing: (near[existing], existing))[:MAX_NEAR]


def _near_files(parts: Sequence[str], names: Entries) -> Near:
    """Files that are near in some way; the cheapest questions first, as they may be the last."""
    if same := _file("", parts, names):
        yield _TWIN, same
    directory, depth = "", 0  # the last directory of the path that is there, and the part that is missing in it
    while depth < len(parts) - 1 and (there := same_kind(parts[depth], names(directory), {DIRECTORY})):
        directory, depth = join(directory, there[0]), depth + 1
    rest = parts[depth + 1 :]
    if not rest:
        yield from _neighbours(parts[-1], directory, names)
    # Without leading directories, as `a/` and `b/` of a patch, or without the one where the path ends.
    fewer = [("", parts[start:]) for start in range(1, len(parts))]
    fewer.append((directory, rest) if rest else (directory.rpartition("/")[0], parts[-1:]))
    for base, shorter in fewer:
        if existing := _file(base, shorter, names):
            yield _DEPTH, existing
    yield from _through(parts[depth:], directory, names)
    if directory:
        yield from _through(parts, "", names)


def _file(directory: str, parts: Sequence[str], names: Entries) -> str | None:
    """The file below a directory, as it is written there: exactly, or but for case and composition."""
    for depth, name in enumerate(parts, 1):
        same = same_kind(name, names(directory), REGULAR if depth == len(parts) else {DIRECTORY})
        if not same:
            return None
        directory = join(directory, same[0])
    return directory


def _neighbours(name: str, directory: str, names: Entries) -> Near:
    """Files in the right directory with nearly the same name."""
    plain = _plain(name)
    for ratio, other in _ranked(name, (other for other, mode in names(directory).items() if mode in REGULAR)):
        if _plain(other) == plain:
            yield _SIGNS, join(directory, other)
        elif _stem(_plain(other)) == _stem(plain):
            yield _EXTENSION, join(directory, other)
        elif ratio >= LEAST_ALIKE and _alike(_stem(name), _stem(other)) > _HALF_ALIKE:
            yield _SPELLING, join(directory, other)


def _through(parts: Sequence[str], directory: str, names: Entries) -> Near:
    """The rest of a path in a directory that it does not name: in addition, or instead of the missing first part."""
    for ratio, folder in _ranked(parts[0], (name for name, mode in names(directory).items() if mode == DIRECTORY)):
        through = join(directory, folder)
        if existing := _file(through, parts, names):
            yield _DEPTH, existing
        if parts[1:] and (existing := _file(through, parts[1:], names)):
            yield _SPELLING if ratio >= LEAST_ALIKE else _ELSEWHERE, existing


def _ranked(name: str, names: Iterable[str]) -> list[tuple[float, str]]:
    """How much the names around `name` in the alphabet, which share the longest beginnings, are like it; best first."""
    pool = sorted(names)
    start = max(0, min(bisect(pool, name) - MOST_COMPARED // 2, len(pool) - MOST_COMPARED))
    alike = ((_alike(name, other), other) for other in pool[start : start + MOST_COMPARED])
    return sorted(alike, key=lambda pair: (-pair[0], pair[1]))


def _alike(one: str, other: str) -> float:
    return 2 * common_length(one, other) / (len(one) + len(other))


def _stem(name: str) -> str:
    """`cart` of `cart.py`; all of `.gitignore`."""
    end = name.rfind(".")
    return name[:end] if end > 0 else name


def _plain(name: str) -> str:
    return fold_key(name).replace("-", "_")
