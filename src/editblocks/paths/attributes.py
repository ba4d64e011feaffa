"""Find the files that git converts on checkout and commit: editing their blobs would bypass the conversion.

GitHub has no git to ask, and a response has many paths, so we read the .gitattributes ourselves everywhere: one
mechanism instead of two. A test compares it with `git check-attr --cached`. A line that some versions of git use and
others ignore (too long, behind a NUL or a byte order mark), or that costs too much, counts as matching: in doubt, a
file is one that git converts.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from editblocks.paths.globs import fits

WATCHED = ("filter", "working-tree-encoding", "ident")
_MAX_BYTES = 1 << 20
_MAX_LINE = 2048  # git ignores longer ones since 2.39.1
_MAX_COST = 2_000_000  # the patterns that are tried for one path, each times the length of the path
_LFS = b"version https://git-lfs.github.com/spec/v1"
_BOM = b"\xef\xbb\xbf"
_MACRO = b"[attr]"
_STAR = frozenset({-1})
_WORD = re.compile(rb"[^ \t\r\n]+")
_NAME = re.compile(rb"[A-Za-z0-9_.][-A-Za-z0-9_.]*")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7][0-7]))*)"')
_ESCAPE = re.compile(rb"\\([0-3][0-7][0-7]|.)")
_ESCAPED = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))
_SPECIAL = re.compile(rb"[*?\[\\]")
_RANGE = rb"(?:\\.|[^\\%b])(?:-(?!\])(?:\\.|[^\\]))?"
_CLASS = rb"\[[!^]?(?:\[:[^\]]*:\]|" + _RANGE % b"" + rb")(?:\[:[^\]]*:\]|" + _RANGE % rb"\]" + rb")*\]"
_TOKEN = re.compile(rb"(" + _CLASS + rb")|(\*+)|(\?)|\\(.)|([^\\\[])", re.DOTALL)
_ITEM = re.compile(rb"\[:([^\]]*):\]|\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)  # a named class, a byte, or a range
_LETTERS, _DIGITS = string.ascii_letters, string.digits
_CLASSES = {
    b"alnum": _LETTERS + _DIGITS,
    b"alpha": _LETTERS,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, (*range(32), 127))),
    b"digit": _DIGITS,
    b"graph": _LETTERS + _DIGITS + string.punctuation,
    b"lower": string.ascii_lowercase,
    b"print": _LETTERS + _DIGITS + string.punctuation + " ",
    b"punct": string.punctuation,
    b"space": " \t\n\r",
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}

Value = bool | bytes | None  # set, unset, a value; None: unspecified
_States = tuple[tuple[str, Value], ...]


class _Line(NamedTuple):
    """One rule: attributes for the files that its pattern matches, or the definition of `macro`."""

    states: _States
    pattern: bytes = b""
    macro: str = ""
    certain: bool = True

    def matches(self, path: bytes) -> bool:
        """Whether the pattern matches `path`, which is relative to the directory of the .gitattributes."""
        text = path if b"/" in self.pattern else path[path.rfind(b"/") + 1 :]
        pattern = self.pattern.removeprefix(b"/")
        special = _SPECIAL.search(pattern)
        end = special.start() if special else len(pattern)
        if not special or not text.startswith(pattern[:end]):
            return text == pattern
        names = _names(pattern[end:])  # git compares what is before the first wildcard, and then matches the rest
        return names is not None and fits(names, text[end:].split(b"/"), None, _fits_name)


def _fits_name(wanted: list[frozenset[int]] | None, name: bytes) -> bool:
    return wanted is not None and fits(wanted, name, _STAR, frozenset.__contains__)


@lru_cache(maxsize=1024)
def _names(pattern: bytes) -> list[list[frozenset[int]] | None] | None:
    """Return the pattern of each name as sets of bytes; None is any number of names. None: it matches nothing."""
    names: list[list[frozenset[int]]] = [[]]
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        at = token.end()
        accepted = _accepted(token)
        if accepted == {ord("/")}:
            names.append([])
        elif not accepted:
            return None
        else:
            names[-1] += [accepted] * (len(token[2]) if token[2] else 1)
    found = [None if len(name) > 1 and set(name) == {_STAR} else name for name in names]
    return [*found, [_STAR]] if len(found) > 1 and found[-1] is None else found


def _accepted(token: re.Match[bytes]) -> frozenset[int]:
    """Return the bytes that a token stands for, none of them if no name has such a byte."""
    if token[2]:
        return _STAR
    if token[3]:
        return frozenset(range(256)) - {ord("/")}
    if not token[1]:
        return frozenset(token[4] or token[5])
    members: set[int] = set()
    negated = token[1][1:2] in (b"!", b"^")
    for item in _ITEM.finditer(token[1], 1 + negated, len(token[1]) - 1):
        if item[1] is not None and item[1] not in _CLASSES:
            return frozenset()
        # The first byte of a range is always a member, even if the range runs backwards.
        members.update(_CLASSES[item[1]].encode() if item[1] is not None else item[2])
        members.update(range(item[2][0], item[3][0] + 1) if item[3] else ())
    return frozenset(range(256)) - {ord("/")} - members if negated else frozenset(members - {ord("/")})


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
    lines = list(_lines_for(path, read_attributes, info))[::-1]
    macros = {line.macro: line.states for line, _ in reversed(lines) if line.macro and line.certain}
    values: dict[str, Value] = {}
    doubtful: dict[str, Value] = {}
    cost = 0
    for line, name in lines:
        cost += len(line.pattern) * len(name) if _SPECIAL.search(line.pattern) else 0
        if not line.certain or cost > _MAX_COST:
            found: dict[str, Value] = {}
            _settle(line, macros, found)
            doubtful |= {name: value for name, value in found.items() if value not in (None, False)}
        elif not line.macro and line.matches(name):
            _settle(line, macros, values)
    return values | doubtful


def _lines_for(
    path: str, read_attributes: Callable[[str], bytes | None], info: bytes | None
) -> Iterator[tuple[_Line, bytes]]:
    """Give each rule that may be in force, the weakest first, with the path as its file sees it."""
    name = path.encode("utf-8", "surrogateescape")
    names = path.split("/")
    for depth in range(len(names)):
        for line in _read_lines(read_attributes("/".join(names[:depth])) or b""):
            if not (depth and line.macro):  # git only accepts macros from the root
                yield line, name.split(b"/", depth)[-1]
    for line in _read_lines(info or b""):
        yield line, name


def _settle(line: _Line, macros: Mapping[str, _States], values: dict[str, Value]) -> None:
    """Set each attribute of `line` that has no value yet, the last first; a macro that is set is expanded at once."""
    states = list(line.states)
    while states:
        name, value = states.pop()
        if name not in values:
            values[name] = value
            if value is True:
                states += macros.get(name, ())


@lru_cache(maxsize=64)
def _read_lines(data: bytes) -> tuple[_Line, ...]:
    """Return all rules of one file, in order. Raises nothing: a meaningless line is left out."""
    if len(data) > _MAX_BYTES:
        return (_Line((("filter", True),), certain=False),)
    lines = []
    certain, behind_nul = not data.startswith(_BOM), False
    for text in data.removeprefix(_BOM).split(b"\n"):
        head, nul, _ = text.partition(b"\0")
        lines.append(_read_line(head.strip(b" \t\r\n"), certain and len(head) < _MAX_LINE))
        behind_nul = behind_nul or bool(nul)
        certain = not behind_nul
    return tuple(line for line in lines if line is not None)


def _read_line(text: bytes, certain: bool) -> _Line | None:
    if not text or text.startswith(b"#"):
        return None
    quoted = _QUOTED.match(text)
    word = quoted or _WORD.match(text)
    pattern = _ESCAPE.sub(_unescape, quoted[1]).partition(b"\0")[0] if quoted else text[: word.end() if word else 0]
    states: list[tuple[str, Value]] = []
    for state in _WORD.findall(text[word.end() if word else 0 :]):
        sign = state[:1] if state[:1] in (b"-", b"!") else b""
        name, equals, value = state[len(sign) :].partition(b"=")
        if not _NAME.fullmatch(name):
            return None  # git then ignores the line
        states.append((name.decode(), {b"-": False, b"!": None}.get(sign, value if equals else True)))
    if pattern.startswith(_MACRO) and pattern != _MACRO:
        macro = (_WORD.findall(pattern[len(_MACRO) :]) or [b""])[0]
        return _Line(tuple(states), macro=macro.decode(), certain=certain) if _NAME.fullmatch(macro) else None
    # git ignores a pattern that begins with "!"; one that ends with a slash is only for directories.
    return None if pattern[:1] == b"!" or pattern[-1:] == b"/" else _Line(tuple(states), pattern, certain=certain)


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8)]) if len(code) == 3 else bytes([_ESCAPED.get(code[0], code[0])])
