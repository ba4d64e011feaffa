"""Match git's glob patterns over bytes, in time proportional to pattern length times text length.

The rules are git's wildmatch with its path flag: `*`, `?` and `[…]` stay within a name; `**` beside slashes
stands for any number of directories. A state machine with one bit per state follows all possible matches at once, so
that no pattern can make it try them one by one.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

_SLASH, _BACKSLASH, _STAR, _QUERY, _OPEN = b"/\\*?["
_NAME_BYTES = frozenset(range(256)) - {_SLASH}
_NAMED = re.compile(rb"\[:([^\]]*):\]")
_ITEM = re.compile(rb"\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)  # a byte, or a range of bytes

_LETTERS, _DIGITS = string.ascii_letters, string.digits
_CLASSES = {
    name: frozenset(members.encode())
    for name, members in {
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
    }.items()
}


@dataclass(slots=True)
class _Machine:
    """A state machine whose states are bits: bit n is set if the pattern is matched up to its n-th step."""

    steps: list[frozenset[int]] = field(default_factory=list)  # the bytes that lead on; empty for a free step
    free: int = 0  # states that lead to the next step without a byte
    skips: int = 0  # states that lead three steps further without a byte: past "**/"
    any_byte: int = 0  # states that stay at any byte
    name_byte: int = 0  # states that stay at any byte except a slash
    moves: dict[int, int] = field(default_factory=dict)  # cache: byte to the states that it leads on from

    @property
    def here(self) -> int:
        return 1 << len(self.steps)

    def add(self, accepted: frozenset[int] = frozenset()) -> None:
        if not accepted:
            self.free |= self.here
        self.steps.append(accepted)

    def add_star(self) -> None:
        self.name_byte |= self.here
        self.add()

    def add_double_star(self) -> None:
        self.any_byte |= self.here
        self.add()

    def add_directories(self) -> None:
        """Add `**/`, which matches nothing, or anything up to a slash."""
        self.skips |= self.here
        self.add()
        self.add_double_star()
        self.add(frozenset({_SLASH}))

    def matches(self, text: bytes) -> bool:
        states = self._settle(1)
        for byte in text:
            stay = self.any_byte if byte == _SLASH else self.any_byte | self.name_byte
            states = self._settle((states & self._moves(byte)) << 1 | states & stay)
            if not states:
                return False
        return bool(states & self.here)

    def _settle(self, states: int) -> int:
        while True:
            more = states | (states & self.free) << 1 | (states & self.skips) << 3
            if more == states:
                return states
            states = more

    def _moves(self, byte: int) -> int:
        if byte not in self.moves:
            self.moves[byte] = sum(1 << at for at, accepted in enumerate(self.steps) if byte in accepted)
        return self.moves[byte]


@lru_cache(maxsize=1024)
def compile_pattern(pattern: bytes) -> Callable[[bytes], bool]:
    """Return a predicate for whole texts. A pattern with an unclosed or unknown class matches nothing, as in git."""
    machine = _Machine()
    at = 0
    while at < len(pattern):
        after = _add_step(machine, pattern, at)
        if after is None:
            return _never
        at = after
    return machine.matches


def _never(_: bytes) -> bool:
    return False


def _add_step(machine: _Machine, pattern: bytes, at: int) -> int | None:
    byte = pattern[at]
    if byte == _STAR:
        return _add_stars(machine, pattern, at)
    if byte == _QUERY:
        machine.add(_NAME_BYTES)
        return at + 1
    if byte == _OPEN:
        return _add_class(machine, pattern, at + 1)
    if byte == _BACKSLASH:
        at += 1
        if at == len(pattern):
            return None
    machine.add(frozenset({pattern[at]}))
    return at + 1


def _add_stars(machine: _Machine, pattern: bytes, at: int) -> int:
    after = at
    while pattern[after : after + 1] == b"*":
        after += 1
    begins = at == 0 or pattern[at - 1] == _SLASH
    rest = pattern[after : after + 2]
    if after - at == 1 or not begins or not (rest == b"" or rest[:1] == b"/" or rest == b"\\/"):
        machine.add_star()
        return after
    if rest[:1] != b"/":
        machine.add_double_star()
        return after
    machine.add_directories()
    while pattern[after : after + 4] == b"/**/":  # repeating it changes nothing
        after += 3
    return after + 1


def _add_class(machine: _Machine, pattern: bytes, at: int) -> int | None:
    negated = pattern[at : at + 1] in (b"!", b"^")
    read = _read_class(pattern, at + negated)
    if read is None:
        return None
    members, after = read
    accepted = _NAME_BYTES - members if negated else _NAME_BYTES & members
    if not accepted:
        return None
    machine.add(accepted)
    return after


def _read_class(pattern: bytes, at: int) -> tuple[set[int], int] | None:
    """Read the class whose first item is at `at`: its members and the index after its bracket; None if not valid."""
    members: set[int] = set()
    start = at
    while pattern[at : at + 1] != b"]" or at == start:
        named = _NAMED.match(pattern, at)
        item = named or _ITEM.match(pattern, at)
        if item is None or (named and named[1] not in _CLASSES):
            return None
        # The first byte of a range is always a member, even if the range runs backwards.
        members.update(_CLASSES[item[1]] if named else item[1])
        if item.lastindex == 2:
            members.update(range(item[1][0], item[2][0] + 1))
        at = item.end()
    return members, at + 1
