"""Find twins: names that differ only by case or composition, so that macOS or Windows has one file for both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from editblocks.core.characters import fold_key

Entries = Callable[[str], Mapping[str, str]]  # `Repo.entries`: the names in a directory with their git modes

DIRECTORY = "040000"
REGULAR = frozenset({"100644", "100755"})
MOST_LISTINGS = 20  # directories that are listed only to guess which file was meant


def as_there(path: str, entries: Entries) -> str | None:
    """Return `path` with each part spelled as in the tree; None if that is not a usable path."""
    directory, name, rest = _departure(path, entries)
    same = list(same_fold(name, entries(directory)))
    if same:
        files = [] if rest else same_kind(name, entries(directory), REGULAR)
        return join(directory, files[0]) if files else None
    there = join(directory, f"{name}/{rest}" if rest else name)
    return there if there != path else None


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


def _departure(path: str, entries: Entries) -> tuple[str, str, str]:
    """Return where `path` leaves the tree: the last existing directory, the next name, and the rest.

    A directory also counts as existing if only case or composition differ.
    """
    *parents, leaf = path.split("/")
    directory = ""
    for depth, name in enumerate(parents):
        same = same_kind(name, entries(directory), {DIRECTORY})
        if not same:
            return directory, name, "/".join([*parents[depth + 1 :], leaf])
        directory = join(directory, same[0])
    return directory, leaf, ""
