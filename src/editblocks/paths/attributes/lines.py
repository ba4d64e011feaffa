"""Read the lines of a .gitattributes file as git does: what git ignores is ignored, and nothing else.

What some versions of git use and others ignore (a line too long, text after a NUL or a byte order mark) is kept
and marked `certain=False`: it may be in force where the file is checked out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from editblocks.paths.attributes.wildmatch import compile_pattern

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
    """One rule: attributes for the files that its pattern matches, or the definition of `macro`."""

    states: tuple[tuple[str, Value], ...]
    macro: str | None = None
    in_name: bool = False  # the pattern has no slash and is matched against the file name only
    literal: bytes = b""  # the pattern up to its first wildcard: git compares it first, then matches the rest
    suffix: bytes | None = None  # the text after the star, if the rest is one star and plain text, as in *.png
    wildcards: bytes = b""  # any other rest
    certain: bool = True

    def matches(self, path: bytes) -> bool:
        """Whether the pattern matches `path`, which is relative to the directory of the .gitattributes."""
        text = path[path.rfind(b"/") + 1 :] if self.in_name else path
        if not text.startswith(self.literal):
            return False
        rest = text[len(self.literal) :]
        if self.suffix is not None:
            return rest.endswith(self.suffix)
        return compile_pattern(self.wildcards)(rest) if self.wildcards else not rest


_TOO_LARGE = AttributeLine((("filter", True),), certain=False)


@lru_cache(maxsize=64)
def read_lines(data: bytes) -> tuple[AttributeLine, ...]:
    """Return all rules of one file, in order. Raises nothing: a meaningless line is left out."""
    if len(data) > MAX_BYTES:
        return (_TOO_LARGE,)
    attribute_lines = []
    certain = not data.startswith(_BOM)
    behind_nul = False
    for text in data.removeprefix(_BOM).split(b"\n"):
        head, nul, _ = text.partition(b"\0")
        attribute_lines.append(_read_line(head, certain and len(head) < _MAX_LINE))
        behind_nul = behind_nul or bool(nul)
        certain = not behind_nul
    return tuple(line for line in attribute_lines if line is not None)


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
        return AttributeLine(states, words[0].decode(), certain=certain) if is_name else None
    return _pattern_line(pattern, states, certain)


def _pattern_line(pattern: bytes, states: tuple[tuple[str, Value], ...], certain: bool) -> AttributeLine | None:
    # git ignores a pattern that begins with "!"; one that ends with a slash is only for directories.
    if pattern.startswith(b"!") or pattern.endswith(b"/"):
        return None
    in_name = b"/" not in pattern
    pattern = pattern.removeprefix(b"/")
    special = _SPECIAL.search(pattern)
    end = special.start() if special else len(pattern)
    literal, rest = pattern[:end], pattern[end:]
    if in_name and rest.startswith(b"*") and not _SPECIAL.search(rest, 1):
        return AttributeLine(states, None, in_name, literal, suffix=rest[1:], certain=certain)
    return AttributeLine(states, None, in_name, literal, wildcards=rest, certain=certain)


def _split_pattern(text: bytes) -> tuple[bytes, bytes]:
    quoted = _QUOTED.match(text)
    if quoted:
        pattern = _ESCAPE.sub(_unescape, quoted[1])
        return pattern.partition(b"\0")[0], text[quoted.end() :]
    word = _WORD.match(text)
    end = word.end() if word else 0
    return text[:end], text[end:]


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1].decode("latin-1")
    return bytes([int(code, 8)]) if len(code) == 3 else _ESCAPED.get(code, code).encode("latin-1")


def _read_states(text: bytes) -> tuple[tuple[str, Value], ...] | None:
    """Return the attributes of a line; None if one has no valid name, as git then ignores the line."""
    states: list[tuple[str, Value]] = []
    for word in _WORD.findall(text):
        sign = word[:1] if word[:1] in (b"-", b"!") else b""
        name, equals, value = word[len(sign) :].partition(b"=")
        if not _NAME.fullmatch(name):
            return None
        states.append((name.decode(), {b"-": False, b"!": None}.get(sign, value if equals else True)))
    return tuple(states)
