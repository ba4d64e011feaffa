"""Globs of a policy, and the kind of file that a name says.

In a glob `*` and `?` stand for letters of a name, `**` for any number of folders; everything else is what it is.
It is matched against a whole path, byte for byte the same letters, as git keeps it. After a star only the last one
is ever tried again, which is enough, so that no glob takes longer than its length times the path's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def matches(glob: str, path: str) -> bool:
    """Whether `path` is one that `glob` means. `src/**` is everything below `src`, and not a file of that name."""
    names = glob.split("/")
    if len(names) > 1 and names[-1] == "**":
        names.append("*")
    return _fits(names, path.split("/"), "**", lambda name, here: _fits(name, here, "*", _is_letter))


def _is_letter(wanted: str, letter: str) -> bool:
    return wanted in ("?", letter)


def _fits(wanted: Sequence[str], items: Sequence[str], star: str, fits: Callable[[str, str], bool]) -> bool:
    """Whether `wanted` stands for all of `items`, one for one; `star` for any number of them."""
    at = item = 0
    retry: tuple[int, int] | None = None  # behind the last star, and the first item that it may still take
    while item < len(items):
        if at < len(wanted) and wanted[at] == star:
            at += 1
            retry = at, item
        elif at < len(wanted) and fits(wanted[at], items[item]):
            at, item = at + 1, item + 1
        elif retry is not None:
            at, item = retry = retry[0], retry[1] + 1
        else:
            return False
    return all(left == star for left in wanted[at:])


def file_kind(path: str) -> str:
    """The suffix of a file, in lower case and with its dot, or its whole name if it has no dot."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return name
    return f".{suffix.lower()}" if stem else ""
