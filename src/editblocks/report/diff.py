"""A plan as a unified diff that `git apply` takes: bytes, so that line ends and encodings stay as they are.

Lines are cut at `\\n` only. Which lines belong together is found by stripping what both ends share,
then by the lines that occur once on each side, in the order of the longest run of them; between two
such lines the same again, eight times at most. What is left over is replaced as a whole. That is
n log n for any input: difflib would be quadratic, and cubic on text made for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha1

from editblocks.core.model import ApplyResult

CONTEXT = 3
_DEPTH = 8
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}

Change = tuple[int, int, int, int]  # old lines start:stop become new lines start:stop, 0-based, half-open


def unified_diff(result: ApplyResult) -> bytes:
    """All files of a plan, in the order of their first change; empty if nothing changes."""
    return b"".join(file_diff(path, result.originals.get(path), data) for path, data in result.contents.items())


def file_diff(path: str, old: bytes | None, new: bytes) -> bytes:
    """One file; `old` None: it is created. Empty if both are the same."""
    if old == new:
        return b""
    before, after = _quote(f"a/{path}"), _quote(f"b/{path}")
    head = [b"diff --git %s %s\n" % (before, after)]
    if old is None:
        head.append(b"new file mode 100644\n")
    # Without the names of the blobs, `git apply --3way` has nothing to merge from.
    head.append(b"index %s..%s\n" % (_blob(old), _blob(new)))
    hunks = changed_lines(old or b"", new)
    if hunks:
        source = b"/dev/null" if old is None else _name_bytes(before)
        head.append(b"--- %s\n+++ %s\n" % (source, _name_bytes(after)))
    return b"".join(head) + hunks


def changed_lines(old: bytes, new: bytes) -> bytes:
    """The hunks alone, with three lines around each change; empty if both are the same."""
    return b"".join(_hunks(_lines(old), _lines(new)))


def _blob(data: bytes | None) -> bytes:
    """git's name for the content of a file; zeros for no file."""
    if data is None:
        return b"0" * 40
    return sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest().encode()


def _name_bytes(name: bytes) -> bytes:
    # git ends a name that holds a blank with a tab, or the reader would take the rest for a date.
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _quote(name: str) -> bytes:
    """A name as git writes it with core.quotePath=false: in quotes if a byte of it needs an escape."""
    data = name.encode("utf-8", "surrogatepass")
    quoted = "".join(chr(byte) if byte not in _ESCAPES and _is_plain(byte) else _escape(byte) for byte in data)
    return data if quoted.encode("latin-1") == data else f'"{quoted}"'.encode("latin-1")


def _is_plain(byte: int) -> bool:
    return byte >= 0x20 and byte != 0x7F


def _escape(byte: int) -> str:
    return f"\\{_ESCAPES.get(byte, f'{byte:03o}')}"


def _lines(data: bytes) -> list[bytes]:
    """Lines with their `\\n`; the last one may have none."""
    *lines, rest = data.split(b"\n")
    return [*(line + b"\n" for line in lines), *([rest] if rest else [])]


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    for group in _groups(list(_changes(old, new, 0, 0, _DEPTH))):
        start, stop = max(0, group[0][0] - CONTEXT), min(len(old), group[-1][1] + CONTEXT)
        first, last = group[0][2] - (group[0][0] - start), group[-1][3] + (stop - group[-1][1])
        yield b"@@ -%s +%s @@\n" % (_range(start, stop), _range(first, last))
        yield from _body(group, old, new, start, stop)


def _groups(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes whose lines of context would meet share a hunk."""
    group: list[Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _body(
    group: Sequence[Change], old: Sequence[bytes], new: Sequence[bytes], start: int, stop: int
) -> Iterator[bytes]:
    for old_start, old_stop, new_start, new_stop in group:
        yield from _mark_lines(b" ", old[start:old_start])
        yield from _mark_lines(b"-", old[old_start:old_stop])
        yield from _mark_lines(b"+", new[new_start:new_stop])
        start = old_stop
    yield from _mark_lines(b" ", old[start:stop])


def _mark_lines(sign: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line
        if not line.endswith(b"\n"):
            yield b"\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> bytes:
    count = stop - start
    return b"%d" % stop if count == 1 else b"%d,%d" % (start + bool(count), count)


def _changes(old: Sequence[bytes], new: Sequence[bytes], at: int, to: int, depth: int) -> Iterator[Change]:
    """What differs between two runs of lines that begin at `at` and `to` of their files, in order."""
    prefix = _common(old, new)
    suffix = _common(old[prefix:][::-1], new[prefix:][::-1])
    old, new = old[prefix : len(old) - suffix], new[prefix : len(new) - suffix]
    at, to = at + prefix, to + prefix
    anchors = _anchors(old, new) if depth and old and new else []
    if not anchors:
        if old or new:
            yield at, at + len(old), to, to + len(new)
        return
    i = j = 0
    for a, b in [*anchors, (len(old), len(new))]:
        yield from _changes(old[i:a], new[j:b], at + i, to + j, depth - 1)
        i, j = a + 1, b + 1


def _common(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    length = min(len(old), len(new))
    return next((index for index in range(length) if old[index] != new[index]), length)


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs of equal lines, each the only one of its kind on its side, as many as can stand in order."""
    once = {line for line, count in Counter(old).items() if count == 1}
    once_in_new = {line for line, count in Counter(new).items() if count == 1}
    where = {line: index for index, line in enumerate(old) if line in once and line in once_in_new}
    return _rising([(where[line], index) for index, line in enumerate(new) if line in where])


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that rises on both sides; the pairs come in order of their second part."""
    tops: list[int] = []  # the lowest end of a run of each length
    ends: list[int] = []  # the pair that holds it
    before: list[int] = []  # for each pair, the pair that comes before it in its run
    for index, (value, _) in enumerate(pairs):
        length = bisect_left(tops, value)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1], ends[length : length + 1] = [value], [index]
    run = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]
