"""Write a plan as a unified diff for `git apply`, in bytes, so that line ends and encodings stay as they are.

Lines end only at `\\n`. They are read as Latin-1, in which every byte is a character.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha1

from editblocks.core.model import ApplyResult
from editblocks.matching.align import Change, changes

CONTEXT = 3
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def unified_diff(result: ApplyResult) -> bytes:
    """Return the diff of all files of a plan, as git shows it; empty if nothing changes."""
    return b"".join(diff for _, diff in file_diffs(result))


def file_diffs(result: ApplyResult) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the diff of each file that the plan changes, in the order of their first change.

    A renamed file comes only once, with its new path.
    """
    moved = {  # a file that takes the place of another one is shown as that one's new text
        old: new
        for new, old in result.renamed.items()
        if result.originals.get(new) is None and result.contents.get(old, b"") is None
    }
    for path, new in result.contents.items():
        old_path = result.renamed.get(path, path)
        if moved.get(old_path) != path:
            old_path = path
        old = result.originals.get(old_path)
        if path not in moved and (old_path != path or old != new):
            yield path, _file_diff(old_path, path, old, new, result.modes.get(path, "100644"))


def _file_diff(old_path: str, path: str, old: bytes | None, new: bytes | None, mode: str) -> bytes:
    """Return the diff of one file. `old_path` differs from `path` if it is renamed; bytes are None if there is none."""
    names = _quote(f"a/{old_path}"), _quote(f"b/{path}")
    lines = b"diff --git %s %s\n" % names
    if old_path != path and old == new:
        lines += b"similarity index 100%\n"
    if old_path != path:
        lines += b"rename from %s\nrename to %s\n" % (_quote(old_path), _quote(path))
    elif old is None:
        lines += b"new file mode %s\n" % mode.encode()
    elif new is None:
        lines += b"deleted file mode %s\n" % mode.encode()
    if old == new:
        return lines
    # Without the names of the blobs, `git apply --3way` has nothing to merge from.
    lines += b"index %s..%s\n" % (_blob(old), _blob(new))
    before = b"/dev/null" if old is None else names[0]
    after = b"/dev/null" if new is None else names[1]
    if b"\0" in (old or b""):  # the file is deleted, because blocks change nothing else in a binary file
        return lines + b"Binary files %s and %s differ\n" % (before, after)
    changed = changed_lines(old or b"", new or b"")
    if changed:
        lines += b"--- %s\n+++ %s\n" % (_name_bytes(before), _name_bytes(after))
    return lines + changed


def changed_lines(old: bytes, new: bytes) -> bytes:
    """Return only the hunks, with three lines of context; empty if both are the same."""
    return "".join(hunks(_lines(old), _lines(new))).encode("latin-1")


def _blob(data: bytes | None) -> bytes:
    """Return git's id of the content of a file; zeros if there is no file."""
    if data is None:
        return b"0" * 40
    return sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest().encode()


def _name_bytes(name: bytes) -> bytes:
    # git adds a tab after a name that contains a blank; without it a reader would take the rest for a date.
    if b" " in name and not name.startswith(b'"'):
        return name + b"\t"
    return name


def _quote(name: str) -> bytes:
    """Return a name as git writes it with core.quotePath=false: in quotes if one of its bytes needs an escape."""
    data = name.encode("utf-8", "surrogatepass")
    escaped = "".join(map(_escaped, data)).encode("latin-1")
    if escaped == data:
        return data
    return b'"%s"' % escaped


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    if byte < 0x20 or byte == 0x7F:
        return f"\\{byte:03o}"
    return chr(byte)


def _lines(data: bytes) -> list[str]:
    """Split into lines with their `\\n`, which the last one may lack."""
    *lines, rest = data.decode("latin-1").split("\n")
    lines = [f"{line}\n" for line in lines]
    if rest:
        lines.append(rest)
    return lines


def hunks(
    old: Sequence[str], new: Sequence[str], context: int = CONTEXT, above_them: tuple[int, int] = (0, 0)
) -> Iterator[str]:
    """Yield the changes as hunks, line by line. `above_them`: how many lines precede these in the old and new file."""
    groups: list[list[Change]] = []
    for change in changes(old, new, most=0):
        if groups and change.start - groups[-1][-1].stop <= 2 * context:  # their lines of context would meet
            groups[-1].append(change)
        else:
            groups.append([change])
    old_shift, new_shift = above_them
    for group in groups:
        above = min(context, group[0].start)
        below = min(context, len(old) - group[-1].stop)
        start = group[0].start - above
        stop = group[-1].stop + below
        old_range = _range(start + old_shift, stop + old_shift)
        new_range = _range(group[0].new_start - above + new_shift, group[-1].new_stop + below + new_shift)
        yield f"@@ -{old_range} +{new_range} @@\n"
        for change in group:
            yield from _mark_lines(" ", old[start : change.start])
            yield from _mark_lines("-", old[change.start : change.stop])
            yield from _mark_lines("+", new[change.new_start : change.new_stop])
            start = change.stop
        yield from _mark_lines(" ", old[start:stop])


def _mark_lines(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    count = stop - start
    if count == 1:
        return f"{stop}"
    return f"{start + bool(count)},{count}"
