"""Suggest existing files for a path that does not exist, from the listings of a few directories.

Only hints are made of this; no file is ever found by likeness. A listing may be a network request, so their
number is bounded, as is that of the names compared. Pure; the same listings give the same answer.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice

from editblocks.core.characters import fold_key
from editblocks.matching.align import common_length
from editblocks.paths.case_twins import DIRECTORY, MOST_LISTINGS, REGULAR, join

MAX_NEAR = 3
MOST_COMPARED = 40_000  # characters of the name: 2,000 names if it has 20
LEAST_ALIKE = 0.75  # of whole names, as in `difflib`: twice the common characters by all characters
_HALF_ALIKE = 0.5  # stems are more alike than this: what two names share must not be their extension alone


class _Rank(IntEnum):
    """Ways to be near, the best first."""

    TWIN = 0  # letter case or composition
    SIGNS = 1  # `-` for `_`
    DEPTH = 2  # a directory too many, or one is missing
    EXTENSION = 3
    SPELLING = 4
    ELSEWHERE = 5  # another directory instead


def nearest(path: str, names: Callable[[str], Mapping[str, str]]) -> list[str]:
    """At most 3 files nearest to `path`, which does not exist, the best first and ties by path.

    `names` lists a directory ("" is the root) as `Repo.entries` does: names with their git modes, empty if
    there is no such directory. It is asked at most 20 times. What it raises passes through.
    """
    near: dict[str, tuple[int, float]] = {}
    for rank, path_there in _near_files(path.split("/"), _Listings(names)):
        likeness = -_alike(path, path_there)
        near[path_there] = min(near.get(path_there, (rank, likeness)), (rank, likeness))
    return sorted(near, key=lambda path_there: (near[path_there], path_there))[:MAX_NEAR]


@dataclass(slots=True)
class _Listings:
    """Directories that were listed, each once, and what may still be listed and compared."""

    names: Callable[[str], Mapping[str, str]]
    left: int = MOST_LISTINGS
    comparisons: int = MOST_COMPARED
    listed: dict[str, Mapping[str, str]] = field(default_factory=dict)
    folded: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def of(self, directory: str) -> Mapping[str, str]:
        """The names in a directory; none once too many were asked for."""
        if directory not in self.listed:
            if not self.left:
                return {}
            self.left -= 1
            self.listed[directory] = self.names(directory)
        return self.listed[directory]

    def directories(self, directory: str) -> list[str]:
        """The names of the directories in one."""
        return [name for name, mode in self.of(directory).items() if mode == DIRECTORY]

    def there(self, directory: str, name: str, modes: Collection[str]) -> str | None:
        """The path of `name` in a directory as it is written there: exactly, or but for case and composition."""
        names = self.of(directory)
        same = [name] if names.get(name) in modes else self.twins(directory).get(fold_key(name), [])
        existing = min((other for other in same if names[other] in modes), default=None)
        return None if existing is None else join(directory, existing)

    def twins(self, directory: str) -> Mapping[str, list[str]]:
        """The names in a directory by what is left of them without case and composition."""
        if directory not in self.folded:
            self.folded[directory] = {}
            for name in self.of(directory):
                self.folded[directory].setdefault(fold_key(name), []).append(name)
        return self.folded[directory]

    def file(self, directory: str, path: str) -> str | None:
        """The file `path` below a directory, as it is written there."""
        *parents, leaf = path.split("/")
        for parent in parents:
            folder = self.there(directory, parent, {DIRECTORY})
            if folder is None:
                return None
            directory = folder
        return self.there(directory, leaf, REGULAR)

    def ranked(self, name: str, names: Iterable[str]) -> list[tuple[float, str]]:
        """How much each of the names is like `name`, as far as they may be compared, the likeliest first."""
        pool = sorted(names)
        # Neighbours in the alphabet share the longest beginnings: they are compared in a large directory.
        most = self.comparisons // len(name)
        start = max(0, min(bisect(pool, name) - most // 2, len(pool) - most))
        pool = pool[start : start + most]
        self.comparisons -= len(pool) * len(name)
        return sorted(((_alike(name, other), other) for other in pool), key=lambda pair: (-pair[0], pair[1]))


def _near_files(parts: Sequence[str], listings: _Listings) -> Iterator[tuple[_Rank, str]]:
    """Files that are near in some way; the cheapest questions first, as they may be the last."""
    if same := listings.file("", "/".join(parts)):
        yield _Rank.TWIN, same
    directory, depth = _departure(parts, listings)
    if depth == len(parts):
        yield from _neighbours(parts[-1], directory, listings)
    yield from _fewer(parts, depth, directory, listings)
    yield from _through(parts, depth, directory, listings)
    if directory:
        yield from _through(parts, 1, "", listings)


def _departure(parts: Sequence[str], listings: _Listings) -> tuple[str, int]:
    """The last directory of the path that is there, and the 1-based depth of the part missing in it."""
    directory = ""
    for depth, name in enumerate(parts[:-1], 1):
        existing = listings.there(directory, name, {DIRECTORY})
        if existing is None:
            return directory, depth
        directory = existing
    return directory, len(parts)


def _fewer(parts: Sequence[str], depth: int, directory: str, listings: _Listings) -> Iterator[tuple[_Rank, str]]:
    """Without leading directories, as `a/` and `b/` of a patch, or without the one where the path ends."""
    above, rest = (directory, parts[depth:]) if depth < len(parts) else (directory.rpartition("/")[0], parts[-1:])
    for base, shorter in (*(("", parts[start:]) for start in range(1, len(parts))), (above, rest)):
        if existing := listings.file(base, "/".join(shorter)):
            yield _Rank.DEPTH, existing


def _neighbours(name: str, directory: str, listings: _Listings) -> Iterator[tuple[_Rank, str]]:
    """Files in the right directory with nearly the same name."""
    files = [other for other, mode in listings.of(directory).items() if mode in REGULAR]
    plain, stem = _plain(name), _stem(_plain(name))
    signs = [other for other in files if _plain(other) == plain]
    extension = [other for other in files if _stem(_plain(other)) == stem]
    for rank, group in ((_Rank.SIGNS, signs), (_Rank.EXTENSION, extension)):
        for _, other in listings.ranked(name, group)[:MAX_NEAR]:
            yield rank, join(directory, other)
    alike = [other for ratio, other in listings.ranked(name, files) if ratio >= LEAST_ALIKE]
    spelled = (other for other in alike if _alike(_stem(name), _stem(other)) > _HALF_ALIKE)
    for other in islice(spelled, MAX_NEAR):
        yield _Rank.SPELLING, join(directory, other)


def _through(parts: Sequence[str], depth: int, directory: str, listings: _Listings) -> Iterator[tuple[_Rank, str]]:
    """The rest of the path in a directory that it does not name: in addition, or instead of the missing one."""
    missing, rest = parts[depth - 1], "/".join(parts[depth:])
    for ratio, folder in listings.ranked(missing, listings.directories(directory)):
        through = join(directory, folder)
        if existing := listings.file(through, f"{missing}/{rest}" if rest else missing):
            yield _Rank.DEPTH, existing
        if rest and (existing := listings.file(through, rest)):
            yield _Rank.SPELLING if ratio >= LEAST_ALIKE else _Rank.ELSEWHERE, existing


def _alike(one: str, other: str) -> float:
    return 2 * common_length(one, other) / (len(one) + len(other))


def _stem(name: str) -> str:
    """`cart` of `cart.py`; all of `.gitignore`."""
    end = name.rfind(".")
    return name[:end] if end > 0 else name


def _plain(name: str) -> str:
    return fold_key(name).replace("-", "_")
