"""Suggest existing files for a path that does not exist, from the listings of a few directories.

Only hints are made of this; no file is ever found by likeness. A listing may be a network request, so their
number is bounded, as is that of the names compared. Pure; the same listings give the same answer.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from editblocks.core.characters import fold_key
from editblocks.matching.align import common_length
from editblocks.paths.tree import DIRECTORY, MOST_LISTINGS, REGULAR, Entries, join, same_kind

MAX_NEAR = 3
MOST_COMPARED = 40_000  # characters of the name: 2,000 names if it has 20
LEAST_ALIKE = 0.75  # of whole names, as in `difflib`: twice the common characters by all characters
_HALF_ALIKE = 0.5  # stems are more alike than this: what two names share must not be their extension alone
# Ways to be near, the best first: letter case or composition, `-` for `_`, a directory too many or too few, another
# extension, another spelling, another directory.
_TWIN, _SIGNS, _DEPTH, _EXTENSION, _SPELLING, _ELSEWHERE = range(6)

Near = Iterator[tuple[int, str]]


def nearest(path: str, names: Entries) -> list[str]:
    """At most 3 files nearest to `path`, which does not exist, the best first and ties by path.

    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such directory. It is asked at most 20 times. What it raises passes through.
    """
    near: dict[str, tuple[int, float]] = {}
    for rank, existing in _near_files(path.split("/"), _Listings(names)):
        found = rank, -_alike(path, existing)
        near[existing] = min(near.get(existing, found), found)
    return sorted(near, key=lambda existing: (near[existing], existing))[:MAX_NEAR]


class _Listings:
    """Directories that were listed, each once, and the comparisons that are left."""

    def __init__(self, names: Entries) -> None:
        self._names, self._comparisons = names, MOST_COMPARED
        self._listed: dict[str, Mapping[str, str]] = {}

    def of(self, directory: str) -> Mapping[str, str]:
        """The names in a directory; none once too many were asked for."""
        if directory not in self._listed:
            if len(self._listed) >= MOST_LISTINGS:
                return {}
            self._listed[directory] = self._names(directory)
        return self._listed[directory]

    def file(self, directory: str, parts: Sequence[str]) -> str | None:
        """The file below a directory, as it is written there: exactly, or but for case and composition."""
        for depth, name in enumerate(parts, 1):
            same = same_kind(name, self.of(directory), REGULAR if depth == len(parts) else {DIRECTORY})
            if not same:
                return None
            directory = join(directory, same[0])
        return directory

    def ranked(self, name: str, names: Iterable[str]) -> list[tuple[float, str]]:
        """How much each of the names is like `name`, as far as they may be compared, the likeliest first."""
        pool = sorted(names)
        # Neighbours in the alphabet share the longest beginnings: they are compared in a large directory.
        most = self._comparisons // len(name)
        start = max(0, min(bisect(pool, name) - most // 2, len(pool) - most))
        pool = pool[start : start + most]
        self._comparisons -= len(pool) * len(name)
        return sorted(((_alike(name, other), other) for other in pool), key=lambda pair: (-pair[0], pair[1]))


def _near_files(parts: Sequence[str], listings: _Listings) -> Near:
    """Files that are near in some way; the cheapest questions first, as they may be the last."""
    if same := listings.file("", parts):
        yield _TWIN, same
    directory, depth = "", 0  # the last directory of the path that is there, and the part that is missing in it
    while depth < len(parts) - 1 and (there := same_kind(parts[depth], listings.of(directory), {DIRECTORY})):
        directory, depth = join(directory, there[0]), depth + 1
    rest = parts[depth + 1 :]
    if not rest:
        yield from _neighbours(parts[-1], directory, listings)
    # Without leading directories, as `a/` and `b/` of a patch, or without the one where the path ends.
    fewer = [("", parts[start:]) for start in range(1, len(parts))]
    fewer.append((directory, rest) if rest else (directory.rpartition("/")[0], parts[-1:]))
    for base, shorter in fewer:
        if existing := listings.file(base, shorter):
            yield _DEPTH, existing
    yield from _through(parts[depth:], directory, listings)
    if directory:
        yield from _through(parts, "", listings)


def _neighbours(name: str, directory: str, listings: _Listings) -> Near:
    """Files in the right directory with nearly the same name."""
    files = [other for other, mode in listings.of(directory).items() if mode in REGULAR]
    plain, stem = _plain(name), _stem(_plain(name))
    signs = [other for other in files if _plain(other) == plain]
    extension = [other for other in files if _stem(_plain(other)) == stem]
    for rank, group in ((_SIGNS, signs), (_EXTENSION, extension)):
        for _, other in listings.ranked(name, group)[:MAX_NEAR]:
            yield rank, join(directory, other)
    alike = (other for ratio, other in listings.ranked(name, files) if ratio >= LEAST_ALIKE)
    spelled = (other for other in alike if _alike(_stem(name), _stem(other)) > _HALF_ALIKE)
    for other in islice(spelled, MAX_NEAR):
        yield _SPELLING, join(directory, other)


def _through(parts: Sequence[str], directory: str, listings: _Listings) -> Near:
    """The rest of a path in a directory that it does not name: in addition, or instead of the missing first part."""
    folders = [name for name, mode in listings.of(directory).items() if mode == DIRECTORY]
    for ratio, folder in listings.ranked(parts[0], folders):
        through = join(directory, folder)
        if existing := listings.file(through, parts):
            yield _DEPTH, existing
        if parts[1:] and (existing := listings.file(through, parts[1:])):
            yield _SPELLING if ratio >= LEAST_ALIKE else _ELSEWHERE, existing


def _alike(one: str, other: str) -> float:
    return 2 * common_length(one, other) / (len(one) + len(other))


def _stem(name: str) -> str:
    """`cart` of `cart.py`; all of `.gitignore`."""
    end = name.rfind(".")
    return name[:end] if end > 0 else name


def _plain(name: str) -> str:
    return fold_key(name).replace("-", "_")
