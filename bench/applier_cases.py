"""Files, edits and answers for `python -m bench appliers`: sets of cases that are the same in every run.

A set takes dice and a source and returns a case, or None if the source has no suitable place. The answer is written for
the version that its author saw; `files` are the versions to which it is applied. `right` has the allowed results: all
requested edits, and every other byte unchanged. If it is empty, any write is wrong, because the lines to edit are gone
or the path leads out of the folder.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import NamedTuple

from bench.breaking import one_of, text
from bench.patch_ways import signed
from bench.responses import CLOSER, DIVIDER, OPENER, Dice
from bench.sources import Edit, Source, changed, edits, sources
from bench.twins import elsewhere, shifted

SEED = 23
ROOT = "{ROOT}"  # in an answer: the parent of the folder in which appliers work
NO_NEWLINE = "\\ No newline at end of file"
_AROUND = 3  # lines of context, as `diff -u` has them
_APART = 9  # least number of lines between two edits of a file, so that each has its own hunk
_PLACE = (4, 12)  # lines of a block, at least and at most
Files = Mapping[str, str]


class Case(NamedTuple):
    """Files, the requested edits as a diff and as blocks (empty if a set has none), and the right results."""

    way: str
    files: Files
    diff: str
    blocks: str
    pieces: Sequence[tuple[str, str, str]]  # the blocks as path, old and new text, for appliers without a parser
    right: Sequence[Files]
    links: Mapping[str, str] = {}


class Change(NamedTuple):
    """A file as the author of the answer saw it, and the edits of it from top to bottom."""

    path: str
    lines: Sequence[str]
    edits: Sequence[Edit]

    def done(self, lines: Sequence[str], moved: Sequence[Edit]) -> list[str]:
        """Apply `moved`, the edits at their current places, to the current lines of the file."""
        after = list(lines)
        for edit in reversed(moved):
            after[edit.start : edit.stop] = edit.done(lines)[
                edit.start : edit.stop + len(edit.done(lines)) - len(lines)
            ]
        return after

    def hunks(self, around: int | None = _AROUND) -> Iterator[tuple[tuple[int, int, int, int], list[str]]]:
        """Yield header numbers and lines of each hunk; the context is `around` lines, or that of the block if None."""
        grown = 0
        for edit in self.edits:
            whole = edit if around is None else narrowed(edit, len(self.lines), around)
            lines = signed(self.lines, whole)
            old, new = (sum(not line.startswith(sign) for line in lines) for sign in "+-")
            yield (whole.start + 1, old, whole.start + 1 + grown, new), lines
            grown += new - old

    def pieces(self) -> list[tuple[str, str, str]]:
        """Return path, old text and new text of each block."""
        lines = self.lines
        found = []
        for edit in self.edits:
            new = [lines[line] if isinstance(line, int) else line for line in edit.new]
            found.append((self.path, text(lines[edit.start : edit.stop]), text(new)))
        return found


def narrowed(edit: Edit, size: int, around: int) -> Edit:
    """Return the edit with `around` lines of context on each side, in a file of `size` lines."""
    start, stop = max(0, edit.at - around), min(size, edit.at + 1 + around)
    middle = [line for line in edit.new if not isinstance(line, int) or line == edit.at]
    return Edit(start, stop, edit.at, [*range(start, edit.at), *middle, *range(edit.at + 1, stop)])


def diff_of(change: Change, around: int | None = _AROUND, end: str = "") -> str:
    """Return the unified diff of a file; `end` is put before the newline of each line in a hunk (for CRLF)."""
    parts = [f"--- a/{change.path}\n+++ b/{change.path}\n"]
    for numbers, lines in change.hunks(around):
        parts.append(header(numbers))
        parts += [f"{line}{end}\n" for line in lines]
    return "".join(parts)


def header(numbers: tuple[int, int, int, int]) -> str:
    """Return the `@@` line of a hunk."""
    old, old_count, new, new_count = numbers
    return f"@@ -{old},{old_count} +{new},{new_count} @@\n"


def blocks_of(pieces: Sequence[tuple[str, str, str]]) -> str:
    """Return the pieces as SEARCH/REPLACE blocks."""
    return "".join(f"{path}\n{OPENER}{old}{DIVIDER}{new}{CLOSER}\n" for path, old, new in pieces)


def change_of(dice: Dice, source: Source, most: int = 3) -> Change | None:
    """Choose up to `most` edits, so far apart that each gets its own hunk; return None if there is no place."""
    wanted = 1 + dice.below(most)
    found: list[Edit] = []
    for edit in edits(dice, source, *_PLACE):
        if all(edit.stop + _APART < other.start or other.stop + _APART < edit.start for other in found):
            found.append(edit)
        if len(found) == wanted:
            break
    return Change(source.path, source.lines, sorted(found)) if found else None


def case_of(way: str, changes: Sequence[Change], now: Sequence[tuple[Sequence[str], Sequence[Edit]]]) -> Case:
    """Make a case of changes; `now` has the current lines of each file, and the edits at their current places."""
    files = {change.path: text(lines) for change, (lines, _) in zip(changes, now, strict=True)}
    after = {change.path: text(change.done(*place)) for change, place in zip(changes, now, strict=True)}
    pieces = [piece for change in changes for piece in change.pieces()]
    return Case(way, files, "".join(map(diff_of, changes)), blocks_of(pieces), pieces, [after])


def _clean(dice: Dice, source: Source) -> Case | None:
    change = change_of(dice, source)
    return change and case_of("as it is", [change], [(change.lines, change.edits)])


def _drift(dice: Dice, change: Change) -> tuple[list[str], list[Edit]]:
    """Insert and remove lines, never near an edit. Return the new lines and the moved edits."""
    lines, moved = list(change.lines), list(change.edits)
    for _ in range(1 + dice.below(4)):
        at, count = dice.below(len(lines)), 1 + dice.below(8)
        goes = not dice.below(3)
        stop = min(at + count, len(lines)) if goes else at
        if any(edit.start - _APART < stop and at < edit.stop + _APART for edit in moved):
            continue
        came = [] if goes else [f"came_{dice.below(10_000)} = {number}" for number in range(count)]
        lines[at:stop] = came
        moved = [shifted(edit, len(came) - (stop - at)) if edit.start > at else edit for edit in moved]
    return lines, moved


def _drifted(dice: Dice, source: Source) -> Case | None:
    """The file has changed elsewhere. In one of three cases, a line of context has changed as well."""
    change = change_of(dice, source)
    if change is None:
        return None
    lines, moved = _drift(dice, change)
    way = "lines elsewhere"
    if not dice.below(3):
        edit = moved[dice.below(len(moved))]
        near = [line for line in edit.context if abs(line - edit.at) <= _AROUND and lines[line].strip()]
        number = one_of(dice, near)
        if number is not None:
            lines[number] = changed(lines[number], "_since")
            way = "a line of context"
    return None if lines == list(change.lines) else case_of(way, [change], [(lines, moved)])


def _rot(dice: Dice, change: Change) -> tuple[str, list[str]]:
    """Change the line that one of the edits changes, or remove its place. Return what was done, and the new lines."""
    lines = list(change.lines)
    edit = change.edits[dice.below(len(change.edits))]
    if edit.at not in edit.new and dice.below(3):
        lines[edit.at] = changed(lines[edit.at], "_since")
        return "line changed", lines
    del lines[max(0, min(edit.start, edit.at - _AROUND)) : max(edit.stop, edit.at + 1 + _AROUND)]
    return "place gone", lines


def _rotten(dice: Dice, source: Source) -> Case | None:
    change = change_of(dice, source)
    if change is None:
        return None
    way, lines = _rot(dice, change)
    return case_of(way, [change], [(change.lines, change.edits)])._replace(files={change.path: text(lines)}, right=[])


def _duplicated(dice: Dice, source: Source) -> Case | None:
    """The file has the place twice. The numbers of the diff are right, or were right before lines were added above."""
    change = change_of(dice, source, 1)
    if change is None:
        return None
    [edit] = change.edits
    at, place = elsewhere(dice, source, edit), source.lines[edit.start : edit.stop]
    lines = [*source.lines[:at], *place, *source.lines[at:]]
    moved = shifted(edit, len(place) if at <= edit.start else 0)
    meant = Change(source.path, lines, [moved])
    above = 0 if dice.below(2) else 1 + dice.below(30)
    if at + above == moved.start:
        return None  # the old numbers point at the copy, so the intended place is unknown
    way = "numbers of an older file" if above else "right numbers"
    now = [*(f"came_{number} = 0" for number in range(above)), *lines]
    case = case_of(way, [meant], [(now, [shifted(moved, above)])])
    return case._replace(diff=diff_of(meant, None))


def _wrong_counts(dice: Dice, source: Source) -> Case | None:
    """The line counts in the `@@` headers are off by one to three, because models miscount."""
    change = change_of(dice, source)
    if change is None:
        return None
    parts = [f"--- a/{change.path}\n+++ b/{change.path}\n"]
    for (old, old_count, new, new_count), lines in change.hunks():
        off = 1 + dice.below(3)
        sign = dice.pick("+-")
        by = off if sign == "+" else -min(off, old_count - 1, new_count - 1)
        parts.append(header((old, old_count + by, new, new_count + (by if dice.below(2) else 0))))
        parts.append(text(lines))
    return case_of("counts off", [change], [(change.lines, change.edits)])._replace(
        diff="".join(parts), blocks="", pieces=()
    )


def _crlf(dice: Dice, source: Source) -> Case | None:
    """The file has CRLF everywhere. The answer has CRLF, as `git diff` prints it, or LF, as a model writes it."""
    change = change_of(dice, source)
    if change is None:
        return None
    case = case_of("answer with LF", [change], [(change.lines, change.edits)])
    case = case._replace(files=_with_crlf(case.files), right=[_with_crlf(case.right[0])])
    if dice.below(2):
        return case
    pieces = [(path, old.replace("\n", "\r\n"), new.replace("\n", "\r\n")) for path, old, new in case.pieces]
    blocks = blocks_of(case.pieces).replace("\n", "\r\n")
    return case._replace(way="answer with CRLF", diff=diff_of(change, end="\r"), blocks=blocks, pieces=pieces)


def _with_crlf(files: Files) -> Files:
    return {path: words.replace("\n", "\r\n") for path, words in files.items()}


def _no_last_newline(dice: Dice, source: Source) -> Case | None:
    """The file has no last newline, and the edit changes a line near its end, or its last line.

    The diff has the mark `NO_NEWLINE`, or lacks it, because models leave it out. If the edit changes the last line and
    the mark is missing, a result with a last newline is right as well.
    """
    change = change_of(dice, source, 1)
    if change is None:
        return None
    [edit] = change.edits
    stop = min(edit.stop, edit.at + 1 + dice.below(_AROUND))
    is_last = stop == edit.at + 1
    middle = [line for line in edit.new if not isinstance(line, int) or line == edit.at]
    is_blank = not source.lines[stop - 1].strip()  # a file cannot end in an empty line without a newline
    if is_blank or (not middle and is_last):
        return None
    edit = Edit(edit.start, stop, edit.at, [*range(edit.start, edit.at), *middle, *range(edit.at + 1, stop)])
    change = Change(source.path, source.lines[:stop], [edit])
    case = case_of("not marked", [change], [(change.lines, [edit])])
    files, after = ({path: words[:-1] for path, words in all_.items()} for all_ in (case.files, case.right[0]))
    right: list[Mapping[str, str]] = [after]
    is_marked = dice.below(2)
    diff = case.diff
    if is_marked:
        diff = _with_ends(change)
    elif is_last:
        right.append(case.right[0])
    return case._replace(way="marked" if is_marked else "not marked", files=files, diff=diff, right=right)


def _with_ends(change: Change) -> str:
    """Return the diff of a change whose only hunk ends with the last line of a file without a last newline."""
    [(numbers, lines)] = change.hunks()
    if lines[-1].startswith(" "):
        lines = [*lines, NO_NEWLINE]
    else:
        cut = next(number for number, line in enumerate(lines) if line.startswith("+"))
        last = lines[cut - 1]
        if last.startswith(" "):
            lines = [*lines[: cut - 1], f"-{last[1:]}", NO_NEWLINE, f"+{last[1:]}", *lines[cut:], NO_NEWLINE]
        else:
            lines = [*lines[:cut], NO_NEWLINE, *lines[cut:], NO_NEWLINE]
    return f"--- a/{change.path}\n+++ b/{change.path}\n{header(numbers)}{text(lines)}"


def _several(dice: Dice, source: Source) -> Case | None:
    """The answer changes two to four files. In one of three cases, an edit no longer fits its file."""
    known = sources()
    first = known.index(source)
    chosen = [known[(first + number * 7) % len(known)] for number in range(2 + dice.below(3))]
    changes = [change for one in chosen if (change := change_of(dice, one, 2)) is not None]
    if len(changes) < 2:
        return None
    case = case_of("all fit", changes, [(change.lines, change.edits) for change in changes])
    if dice.below(3):
        return case
    worn = changes[dice.below(len(changes))]
    _, lines = _rot(dice, worn)
    return case._replace(way="one does not fit", files={**case.files, worn.path: text(lines)}, right=[])


_OUTSIDE = "../outside.py"
_HOSTILE_EDITS = {
    "parent": _OUTSIDE,
    "parent, from within": "sub/../../outside.py",
    "absolute": f"{ROOT}/outside.py",
    "linked folder": "up/outside.py",
    "linked file": "link.py",
    "git's configuration": ".git/config",
}
_HOSTILE_FILES = {
    "new, parent": "../new.py",
    "new, parent, from within": "sub/../../new.py",
    "new, linked folder": "up/new.py",
    "new, a hook of git": ".git/hooks/pre-commit",
}
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"


def _hostile(dice: Dice, source: Source) -> Case | None:
    """The path leads out of the folder, or into `.git`."""
    ways = [*_HOSTILE_EDITS, *_HOSTILE_FILES]
    way = ways[dice.below(len(ways))]
    links = {"up": "..", "link.py": _OUTSIDE}
    inside = {"sub/a.py": "a = 1\n", ".git/config": _CONFIG}
    files = {**inside, _OUTSIDE: text(source.lines)}
    if way in _HOSTILE_FILES:
        path = _HOSTILE_FILES[way]
        new = [f"made_{dice.below(1000)} = {number}" for number in range(3)]
        added = text([f"+{line}" for line in new])
        diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(new)} @@\n{added}"
        pieces = [(path, "", text(new))]
        return Case(way, files, diff, blocks_of(pieces), (), [], links)
    change = change_of(dice, source, 1)
    if change is None:
        return None
    if way == "git's configuration":
        change = Change("", _CONFIG[:-1].split("\n"), [Edit(0, 4, 3, [0, 1, 2, "\tbare = true"])])
    change = change._replace(path=_HOSTILE_EDITS[way])
    diff = diff_of(change)
    if way == "absolute":
        diff = diff.replace(f"a/{ROOT}", ROOT).replace(f"b/{ROOT}", ROOT)
    return Case(way, files, diff, blocks_of(change.pieces()), (), [], links)


Maker = Callable[[Dice, Source], Case | None]
SETS: Mapping[str, Maker] = {
    "clean": _clean,
    "drifted": _drifted,
    "rotten": _rotten,
    "duplicated": _duplicated,
    "wrong counts": _wrong_counts,
    "CRLF": _crlf,
    "no last newline": _no_last_newline,
    "several files": _several,
    "hostile paths": _hostile,
}


def cases(name: str, seed: int = SEED) -> Iterator[Case]:
    """Yield the cases of a set without end, from all files in turn."""
    dice = Dice(seed + list(SETS).index(name))
    for source in cycle(sources()):
        case = SETS[name](dice, source)
        if case is not None:
            yield case
