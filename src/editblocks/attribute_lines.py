"""The lines of a .gitattributes file, read as git reads them: what git ignores is ignored, and no more.

What one git takes and another does not (a line too long, text behind a NUL or a byte order mark) is kept
and marked `certain=False`: it may be in force where the file is checked out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from editblocks.wildmatch import compile_pattern

Value = bool | bytes | None  # set, unset, a value; None: unspecified

MAX_BYTES = 1 << 20
_MAX_LINE = 2048  # git ignores longer ones since 2.39.1
_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_MACRO = b"[attr]"
_WORD = re.compile(rb"[^ \t\r\n]+")
_NAME = re.compile(rb"[A-Za-z0-9_.][-A-Za-z0-9_.]*")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7][0-7]))*)"')
_ESCAPE = re.compile(rb"\\([0-3][0-7][0-7]|.)")
_ESCAPED = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_SPECIAL = re.compile(rb"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class AttributeLine:
    """One rule: what holds for paths that match `pattern`, or what the name `macro` is short for."""

    pattern: bytes
    macro: str | None
    states: tuple[tuple[str, Value], ...]
    certain: bool = True

    def matches(self, path: bytes) -> bool:
        """Whether a file `path`, relative to the directory of the .gitattributes, is meant."""
        return _predicate(self.pattern)(path)


_TOO_LARGE = AttributeLine(b"*", None, (("filter", True),), certain=False)


@lru_cache(maxsize=64)
def read_lines(data: bytes) -> tuple[AttributeLine, ...]:
    """All rules of one file, in its order. Raises nothing: a line without a meaning is left out."""
    if len(data) > MAX_BYTES:
        return (_TOO_LARGE,)
    found = []
    certain = not data.startswith(_BOM)
    behind_nul = False
    for text in data.removeprefix(_BOM).split(b"\n"):
        head, nul, _ = text.partition(b"\0")
        found.append(_read_line(head, certain and len(head) < _MAX_LINE))
        behind_nul = behind_nul or bool(nul)
        certain = not behind_nul
    return tuple(line for line in found if line is not None)


def _read_line(text: bytes, certain: bool) -> AttributeLine | None:
    text = text.strip(_BLANKS)
    if not text or text.startswith(b"#"):
        return None
    pattern, rest = _split_pattern(text)
    states = _read_states(rest)
    if states is None:
        return None
    if pattern.startswith(_MACRO) and pattern != _MACRO:
        words = _WORD.findall(pattern[len(_MACRO) :])
        is_name = bool(words) and _NAME.fullmatch(words[0])
        return AttributeLine(b"", words[0].decode(), states, certain) if is_name else None
    # git ignores a line that begins with "!": attributes are taken back one by one.
    return None if pattern.startswith(b"!") else AttributeLine(pattern, None, states, certain)


def _split_pattern(text: bytes) -> tuple[bytes, bytes]:
    quoted = _QUOTED.match(text)
    if quoted:
        pattern = _ESCAPE.sub(_unescape, quoted[1])
        return pattern.partition(b"\0")[0], text[quoted.end() :]
    word = _WORD.match(text)
    end = word.end() if word else 0
    return text[:end], text[end:]


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1].decode("latin-1")
    return bytes([int(code, 8)]) if len(code) == 3 else _ESCAPED.get(code, code).encode("latin-1")


def _read_states(text: bytes) -> tuple[tuple[str, Value], ...] | None:
    """The attributes of a line; None if one has no valid name, because git then drops the line."""
    states: list[tuple[str, Value]] = []
    for word in _WORD.findall(text):
        sign = word[:1] if word[:1] in (b"-", b"!") else b""
        name, equals, value = word[len(sign) :].partition(b"=")
        if not _NAME.fullmatch(name):
            return None
        states.append((name.decode(), {b"-": False, b"!": None}.get(sign, value if equals else True)))
    return tuple(states)


@lru_cache(maxsize=4096)
def _predicate(pattern: bytes) -> Callable[[bytes], bool]:
    """git takes a beginning without wildcards off first, and reads the rest as a pattern of its own."""
    in_name = b"/" not in pattern
    is_directory = pattern.endswith(b"/")
    pattern = pattern.removeprefix(b"/")
    special = _SPECIAL.search(pattern)
    literal, rest = (pattern[: special.start()], pattern[special.start() :]) if special else (pattern, b"")
    rest_matches = compile_pattern(rest)

    def matches(path: bytes) -> bool:
        text = path.rpartition(b"/")[2] if in_name else path
        return not is_directory and text.startswith(literal) and rest_matches(text[len(literal) :])

    return matches
