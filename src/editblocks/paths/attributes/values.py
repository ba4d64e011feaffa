"""Find the files that git converts on checkout and commit: editing their blobs would bypass the conversion.

The .gitattributes are read by code of our own, so that nothing has to be checked out and git does not have to run;
a test compares it with `git check-attr --cached`. An attribute that is not certain counts as set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from editblocks.paths.attributes.lines import read_lines

if TYPE_CHECKING:
    from editblocks.paths.attributes.lines import AttributeLine, Value

MAX_GLOBS = 250  # patterns with wildcards that are tried for one path; any more count as matching
WATCHED = ("filter", "working-tree-encoding", "ident")
_LFS = b"version https://git-lfs.github.com/spec/v1"

_Frame = tuple[tuple["AttributeLine", ...], bytes]  # the rules of one file, and the path as that file sees it
_Macros = Mapping[str, "tuple[tuple[str, Value], ...]"]


def filtered_attribute(
    path: str, read_attributes: Callable[[str], bytes | None], info: bytes | None = None
) -> str | None:
    """Return the first of `filter`, `working-tree-encoding` and `ident` that is set for `path`; None if none is.

    `read_attributes` returns the .gitattributes of a directory ("" is the root) and is called from the root
    down; `info` is `$GIT_DIR/info/attributes`, which overrides all of them. `path` has passed `check_syntax`.
    """
    values = attribute_values(path, read_attributes, info)
    return next((name for name in WATCHED if values.get(name) not in (None, False)), None)


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a blob is the pointer to a file that Git LFS stores elsewhere."""
    return data.startswith(_LFS)


def attribute_values(
    path: str, read_attributes: Callable[[str], bytes | None], info: bytes | None = None
) -> dict[str, Value]:
    """Return the value of each attribute of `path`; the parameters are those of `filtered_attribute`.

    Later lines and files nearer to `path` win: so the lines are read backwards, and the first value counts.
    """
    frames = list(_frames(path, read_attributes, info))[::-1]
    macros = _read_macros(frames)
    values: dict[str, Value] = {}
    doubtful: list[AttributeLine] = []
    globs = 0
    for lines, name in frames:
        for line in reversed(lines):
            globs += bool(line.wildcards)
            if not line.certain or (line.wildcards and globs > MAX_GLOBS):
                doubtful.append(line)
            elif line.macro is None and line.matches(name):
                _settle(line, macros, values)
    for line in doubtful:
        values |= _doubtful(line, macros)
    return values


def _frames(path: str, read_attributes: Callable[[str], bytes | None], info: bytes | None) -> Iterator[_Frame]:
    name = path.encode("utf-8", "surrogateescape")
    names = path.split("/")
    for depth in range(len(names)):
        lines = _rules(read_attributes("/".join(names[:depth])))
        # git only accepts macros from the root.
        yield tuple(line for line in lines if not (depth and line.macro)), name.split(b"/", depth)[-1]
    yield _rules(info), name


def _rules(data: bytes | None) -> tuple[AttributeLine, ...]:
    """Return the rules of one file. Their reader is imported only if there is a file, to keep hooks fast."""
    if not data:
        return ()

    return read_lines(data)


def _read_macros(frames: list[_Frame]) -> _Macros:
    macros: dict[str, tuple[tuple[str, Value], ...]] = {}
    for lines, _ in frames:
        for line in reversed(lines):
            if line.macro is not None and line.certain:
                macros.setdefault(line.macro, line.states)
    return macros


def _settle(line: AttributeLine, macros: _Macros, values: dict[str, Value]) -> None:
    """Set each attribute of `line` that has no value yet, the last first; a macro that is set is expanded at once."""
    states = list(line.states)
    while states:
        name, value = states.pop()
        if name not in values:
            values[name] = value
            if value is True:
                states += macros.get(name, ())


def _doubtful(line: AttributeLine, macros: _Macros) -> dict[str, Value]:
    values: dict[str, Value] = {}
    _settle(line, macros, values)
    return {name: value for name, value in values.items() if name in WATCHED and value not in (None, False)}
