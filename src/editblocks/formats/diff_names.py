"""The names in a diff: git's quotes and escapes, and what stands before the path."""

from __future__ import annotations

import re

NONE = "/dev/null"
_SIDES = frozenset("aiwco"), frozenset("biwco")  # what git puts before the old and the new name
_QUOTED = r'"((?:[^"\\]|\\.)*)"\Z'
_ESCAPE = r"\\([abtnvfr\"\\]|[0-3][0-7]{2})|\\|([^\\]+)"
_ESCAPES = dict(zip('abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


def decoded(name: str) -> str | None:
    """Return a name without git's quotes and escapes; None for no file. Raises `ValueError` for a bad escape.

    git quotes a name that holds a backslash, so in others a backslash is what Windows puts between folders.
    """
    if name == NONE:
        return None
    if not name.startswith('"'):
        return name.replace("\\", "/")
    match = re.match(_QUOTED, name)
    data = bytearray()
    for piece in re.finditer(_ESCAPE, match[1] if match else "\\"):
        if piece[2] is not None:
            data += piece[2].encode("utf-8", "surrogatepass")
        elif piece[1] is None:
            raise ValueError(f"the name {name} has a bad escape")
        else:
            data.append(_ESCAPES[piece[1]] if piece[1] in _ESCAPES else int(piece[1], 8))
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"the name {name} is not UTF-8") from None


def without_sides(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return the names without what git puts before them, where that is all that differs."""
    if old is None or new is None:
        return _without_side(old, _SIDES[0]), _without_side(new, _SIDES[1])
    (old_side, _, old_rest) = old.partition("/")
    (new_side, _, new_rest) = new.partition("/")
    return (old_rest, new_rest) if old_side != new_side and old_rest == new_rest and old_rest else (old, new)


def _without_side(name: str | None, sides: frozenset[str]) -> str | None:
    return name[2:] if name and name[0] in sides and name[1:2] == "/" else name


def name_of_git(both: str) -> str | None:
    """Return the one file of the text behind `diff --git`; None if that is not two names that differ by their sides."""
    half = len(both) // 2
    if both[half : half + 1] != " ":
        return None
    try:
        old, new = without_sides(decoded(both[:half]), decoded(both[half + 1 :]))
    except ValueError:
        return None
    return old if old == new else None


def is_name_of(name: str | None, path: str | None) -> bool:
    """Whether a name is this path, or is it behind one component more."""
    return name == path or (name is not None and name.partition("/")[2] == path)
