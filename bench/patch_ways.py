"""The ways in which models break diffs and patches, and the right results.

A way takes a place (bench/sources.py) and returns a case: an edit of that place as one hunk, with a fault. As in
bench/breaking.py, the right result is the file with the edit and every other byte unchanged. There is none if the
intended place is unknown.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench.breaking import STEP, common_indent, one_of, text
from bench.responses import Dice
from bench.sources import NAME, Edit, Source, changed
from bench.twins import elsewhere, shifted

_DEFINITION = re.compile(r"(?:async )?(?:def|class) \w+")
Lines = Sequence[str]


class Hunk(NamedTuple):
    """An edit as a hunk of a diff: its lines with their signs, and the numbers and counts of its header."""

    lines: Lines
    numbers: tuple[int, int, int, int]  # first line and count, in the old and in the new file
    has_numbers: bool = True
    scope: str = ""  # the text after `@@` in a patch

    def diff(self, path: str) -> str:
        """Return the hunk as a unified diff."""
        old, old_count, new, new_count = self.numbers
        header = f"@@ -{old},{old_count} +{new},{new_count} @@" if self.has_numbers else "@@ ... @@"
        return text((f"--- a/{path}", f"+++ b/{path}", header, *self.lines))

    def patch(self, path: str) -> str:
        """Return the hunk as a patch of a coding agent (V4A), without the line `*** End Patch`."""
        return text(("*** Begin Patch", f"*** Update File: {path}", f"@@ {self.scope}".rstrip(), *self.lines))


class PatchCase(NamedTuple):
    """A file, a hunk for it, and the texts that are right afterwards; if there are none, the hunk must be refused."""

    path: str
    before: str
    hunk: Hunk
    right: frozenset[str]
    is_cut: bool = False  # the answer ends with the hunk
    way: str = ""


Way = Callable[[Dice, Source, Edit], PatchCase | None]


def signed(lines: Lines, edit: Edit) -> list[str]:
    """Return the lines of the edit's hunk, with their signs."""
    above = [f" {line}" for line in lines[edit.start : edit.at]]
    middle = f"{' ' if edit.at in edit.new else '-'}{lines[edit.at]}"
    added = [f"+{line}" for line in edit.new if isinstance(line, str)]
    return [*above, middle, *added, *(f" {line}" for line in lines[edit.at + 1 : edit.stop])]


def case_of(source: Source, edit: Edit, before: Lines | None = None, right: Sequence[Lines] | None = None) -> PatchCase:
    """Make a case with a correct hunk. By default, `before` is the source, and `right` is the file after the edit."""
    numbers = edit.start + 1, edit.stop - edit.start, edit.start + 1, len(edit.new)
    lines = source.lines if before is None else before
    rights = [edit.done(lines)] if right is None else right
    return PatchCase(source.path, text(lines), Hunk(signed(source.lines, edit), numbers), frozenset(map(text, rights)))


def with_lines(case: PatchCase, lines: Lines) -> PatchCase:
    """Return the case with other lines in its hunk, and counts that fit these lines."""
    first, _, second, _ = case.hunk.numbers
    old, new = (sum(not line.startswith(sign) for line in lines) for sign in "+-")
    return case._replace(hunk=case.hunk._replace(lines=lines, numbers=(first, old, second, new)))


def _as_it_is(_dice: Dice, source: Source, edit: Edit) -> PatchCase:
    return case_of(source, edit)


def _numbers_shifted(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    case, by = case_of(source, edit), 1 + dice.below(40)
    old, old_count, new, new_count = case.hunk.numbers
    return case._replace(hunk=case.hunk._replace(numbers=(old + by, old_count, new + by, new_count)))


def _numbers_invented(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    case, at = case_of(source, edit), 1 + dice.below(len(source.lines))
    _, old_count, _, new_count = case.hunk.numbers
    return case._replace(hunk=case.hunk._replace(numbers=(at, old_count, at, new_count)))


def _no_numbers(_dice: Dice, source: Source, edit: Edit) -> PatchCase:
    case = case_of(source, edit)
    return case._replace(hunk=case.hunk._replace(has_numbers=False))


def _counts_wrong(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    case = case_of(source, edit)
    old, old_count, new, new_count = case.hunk.numbers
    off = 1 + dice.below(3)
    return case._replace(hunk=case.hunk._replace(numbers=(old, old_count + off, new, max(0, new_count - off))))


def _blank_context_bare(_dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    case = case_of(source, edit)
    lines = [line if line.strip() else "" for line in case.hunk.lines]
    return case._replace(hunk=case.hunk._replace(lines=lines)) if lines != case.hunk.lines else None


def _signs_lost(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    """One line of context has lost its sign. If it is indented, its first space looks like the sign."""
    case = case_of(source, edit)
    number = one_of(dice, [at for at, line in enumerate(case.hunk.lines) if line[:1] == " " and line.strip()])
    if number is None:
        return None
    lines = [line[1:] if at == number else line for at, line in enumerate(case.hunk.lines)]
    return case._replace(hunk=case.hunk._replace(lines=lines))


def _all_signs_lost(_dice: Dice, source: Source, edit: Edit) -> PatchCase:
    case = case_of(source, edit)
    lines = [line[1:] if line.startswith(" ") else line for line in case.hunk.lines]
    return case._replace(hunk=case.hunk._replace(lines=lines))


def _plus_lost(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    """A new line has a space in place of its `+`, so it looks like context that is not in the file."""
    case = case_of(source, edit)
    number = one_of(dice, [at for at, line in enumerate(case.hunk.lines) if line.startswith("+")])
    if number is None:
        return None
    lines = [f" {line[1:]}" if at == number else line for at, line in enumerate(case.hunk.lines)]
    return case._replace(hunk=case.hunk._replace(lines=lines))


def _context_drifted(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    case = case_of(source, edit)
    number = one_of(dice, [at for at, line in enumerate(case.hunk.lines) if line[:1] == " " and NAME.search(line)])
    if number is None:
        return None
    lines = [changed(line, "_old") if at == number else line for at, line in enumerate(case.hunk.lines)]
    return with_lines(case, lines)


def _context_left_out(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    lines = case_of(source, edit).hunk.lines
    inner = [at for at, line in enumerate(lines[1:-1], 1) if line[:1] == " " and line.strip()]
    number = one_of(dice, inner)
    if number is None:
        return None
    return with_lines(case_of(source, edit), [*lines[:number], *lines[number + 1 :]])


def _indentation_lost(_dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    case, outer = case_of(source, edit), common_indent(source, edit)
    lines = [line[0] + line[1:].removeprefix(outer) for line in case.hunk.lines]
    return case._replace(hunk=case.hunk._replace(lines=lines)) if outer else None


def _file_grown_above(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    """Lines were added above the place: the lines of the hunk fit, its numbers do not."""
    count = 1 + dice.below(30)
    before = [*(f"came_{number} = 'since'" for number in range(count)), *source.lines]
    return case_of(source, edit, before, [shifted(edit, count).done(before)])


def _twins(dice: Dice, source: Source, edit: Edit) -> tuple[list[str], Edit]:
    """Return the file with the place twice, and the edit at the intended one."""
    at, place = elsewhere(dice, source, edit), source.lines[edit.start : edit.stop]
    return [*source.lines[:at], *place, *source.lines[at:]], shifted(edit, len(place) if at <= edit.start else 0)


def _twins_numbered(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    """The numbers of the hunk are right for this file, so they tell which place is intended."""
    before, moved = _twins(dice, source, edit)
    return case_of(Source(source.path, before), moved)


def _twins_stale(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    """The numbers are those of a version with fewer lines above, so the intended place is unknown."""
    before, moved = _twins(dice, source, edit)
    count = 1 + dice.below(5)
    case = case_of(Source(source.path, before), moved)
    return case._replace(before=text(["# new"] * count) + case.before, right=frozenset())


def _twins_unnumbered(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    before, moved = _twins(dice, source, edit)
    case = case_of(Source(source.path, before), moved, right=[])
    return case._replace(hunk=case.hunk._replace(has_numbers=False))


def _twin_applied(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    """The edit is applied already, and the copy of its place must stay as it is."""
    before, moved = _twins(dice, source, edit)
    after = moved.done(before)
    return case_of(Source(source.path, before), moved, after, [after])


def _there_already(_dice: Dice, source: Source, edit: Edit) -> PatchCase:
    after = edit.done(source.lines)
    return case_of(source, edit, after, [after])


def _cut_off(dice: Dice, source: Source, edit: Edit) -> PatchCase:
    """The answer ends within its last hunk. Applying it is right only if no changed line is missing."""
    case = case_of(source, edit)
    stop = 1 + dice.below(len(case.hunk.lines) - 1)
    is_whole = all(line.startswith(" ") for line in case.hunk.lines[stop:])
    lines = case.hunk.lines[:stop]
    hunk = case.hunk._replace(lines=lines)
    return case._replace(hunk=hunk, is_cut=True, right=case.right if is_whole else frozenset())


def _definition_above(lines: Lines, line: int) -> str:
    """Return the first line of the function or class around a line; empty if it has none that is unique in the file."""
    indent = len(lines[line]) - len(lines[line].lstrip())
    for number in range(line - 1, -1, -1):
        bare = lines[number].lstrip()
        if bare and len(lines[number]) - len(bare) < indent:
            return bare if _DEFINITION.match(bare) and sum(bare == other.strip() for other in lines) == 1 else ""
    return ""


def _twins_scoped(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    """The place occurs twice, in two functions, and the patch names one of them."""
    at, place = edit.start, source.lines[edit.start : edit.stop]
    indent = common_indent(source, edit)
    head = f"def added_{dice.below(1000)}(self):"
    if len(indent) < len(STEP) or any(line.strip() and not line.startswith(indent) for line in place):
        return None
    outer = indent.removesuffix(STEP)
    before = [*source.lines[:at], f"{outer}{head}", *place, "", f"{outer}def kept(self):", *source.lines[at:]]
    first = shifted(edit, 1)
    case = case_of(Source(source.path, before), first)
    return case._replace(hunk=case.hunk._replace(has_numbers=False, scope=head))


def _twin_applied_scoped(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    """The edit is applied already in the function that the patch names; the next function has the old lines."""
    case = _twins_scoped(dice, source, edit)
    return case and case._replace(before=next(iter(case.right)))


def _scope_of_another(dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    """The scope is not in the file, so the place cannot be the intended one."""
    case = case_of(source, edit, right=[])
    return case._replace(hunk=case.hunk._replace(scope=f"def gone_{dice.below(1000)}(self):"))


def _scope_right(_dice: Dice, source: Source, edit: Edit) -> PatchCase | None:
    case, scope = case_of(source, edit), _definition_above(source.lines, edit.start)
    return case._replace(hunk=case.hunk._replace(scope=scope)) if scope else None


_BOTH: Mapping[str, Way] = {
    "nothing broken": _as_it_is,
    "blank context without its blank": _blank_context_bare,
    "a context line without its sign": _signs_lost,
    "no context line has its sign": _all_signs_lost,
    "a new line without its sign": _plus_lost,
    "a context line drifted": _context_drifted,
    "a context line left out": _context_left_out,
    "indentation lost": _indentation_lost,
    "file has grown above": _file_grown_above,
    "there already": _there_already,
    "cut off in the last hunk": _cut_off,
}
DIFF_WAYS: Mapping[str, Way] = {
    **_BOTH,
    "numbers shifted": _numbers_shifted,
    "numbers invented": _numbers_invented,
    "@@ ... @@": _no_numbers,
    "counts wrong": _counts_wrong,
    "there already, a twin elsewhere": _twin_applied,
    "twins, right numbers": _twins_numbered,
    "twins, numbers of an older file": _twins_stale,
    "twins, no numbers": _twins_unnumbered,
}
PATCH_WAYS: Mapping[str, Way] = {
    **_BOTH,
    "scope": _scope_right,
    "scope that is not in the file": _scope_of_another,
    "twins, scope": _twins_scoped,
    "there already, a twin in the next scope": _twin_applied_scoped,
    "twins, no scope": _twins_unnumbered,
}
