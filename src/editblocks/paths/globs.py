"""Match the globs of a policy, and tell the kind of a file from its name.

In a glob, `*` stands for any characters of a name, `?` for one, `**` for any number of folders; other characters stand
for themselves. A glob is matched against the whole path, case-sensitively and without normalisation, as git stores it.
Only the last star is ever tried again, which is enough: so the time is at most the glob's length times the path's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")
_Wanted = TypeVar("_Wanted")


def matches(glob: str, path: str, letters: Callable[[str], Sequence[str]] = list) -> bool:
    """Whether `glob` matches `path`. `src/**` matches everything below `src`, but not a file of that name.

    `letters` parts a name of the glob into its stars and, for each other letter, those that may stand there.
    """
    names = glob.split("/")
    if len(names) > 1 and names[-1] == "**":
        names.append("*")
    return fits(names, path.split("/"), "**", lambda name, here: fits(letters(name), here, "*", _is_letter))


def _is_letter(wanted: str, letter: str) -> bool:
    return wanted == "?" or letter in wanted


def fits(
    wanted: Sequence[_Wanted], items: Sequence[_Item], star: _Wanted, one: Callable[[_Wanted, _Item], bool]
) -> bool:
    """Whether `wanted` matches all of `items`, `one` by one; `star` matches any number of them."""
    at = item = 0
    retry: tuple[int, int] | None = None  # the index after the last star, and the next item that the star may take
    while item < len(items):
        if at < len(wanted) and wanted[at] == star:
            at += 1
            retry = at, item
        elif at < len(wanted) and one(wanted[at], items[item]):
            at, item = at + 1, item + 1
        elif retry is not None:
            at, item = retry = retry[0], retry[1] + 1
        else:
            return False
    return all(left == star for left in wanted[at:])


def file_kind(path: str) -> str:
    """Return a file's suffix, in lower case with its dot; the whole name if it has none; "" for a name like `.env`."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return name
    return f".{suffix.lower()}" if stem else ""
