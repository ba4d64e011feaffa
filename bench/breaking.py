"""The ways in which models break the old lines of a block, and the right results.

A way takes a source and an edit and returns a case, or None if the edit has nothing that can break in this way. A
place occurs only once in its file, whatever its indentation, unless the way adds a second one. If the broken lines
happen to occur elsewhere, there is no case, because the intended place would be unknown.

The right result is the file with the edit and every other byte unchanged. A line of context, which old and new lines
have in common, stays as it is in the file, however the block writes it. A new line has the indentation that it would
have in an unbroken block. If two places fit equally well, only a refusal is right.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench.responses import Dice
from bench.sources import NAME, Edit, Source, changed, indent_of

_QUOTES = str.maketrans({"'": "’", '"': "”"})
_BREAK = re.compile(r"\(.*?, ")
STEP = "    "


class Case(NamedTuple):
    """A file, a block for it, and the texts that are right afterwards; if there are none, the block must be refused.

    `base` is the version of the file that the block was written for, or None if the answer does not name it.
    """

    way: str
    path: str
    before: str
    search: str
    replace: str
    right: frozenset[str]
    base: str | None = None


def text(lines: Sequence[str]) -> str:
    """Join lines, each with a newline, as in a file or in a section of a block."""
    return "".join(f"{line}\n" for line in lines)


def case_of(
    source: Source,
    edit: Edit,
    said: Mapping[int, Sequence[str]] | None = None,
    *,
    say: Callable[[str], str] = lambda line: line,
    before: Sequence[str] | None = None,
    right: Sequence[Sequence[str]] | None = None,
) -> Case:
    """Make a case whose block has changed lines of the source.

    `said` maps the number of an old line to the lines that the block has instead; `say` rewrites every other line, old
    or new. `before` is the file, by default the source. `right` has the right results, by default the edited file.
    """
    said = said or {}
    lines = source.lines if before is None else before
    words = {number: said.get(number, [say(source.lines[number])]) for number in range(edit.start, edit.stop)}
    new = [word for line in edit.new for word in (words[line] if isinstance(line, int) else [say(line)])]
    return Case(
        "",
        source.path,
        text(lines),
        text([word for number in words for word in words[number]]),
        text(new),
        frozenset(text(lines) for lines in ([edit.done(lines)] if right is None else right)),
    )


def misfit(source: Source, case: Case) -> Case | None:
    """Return the case if its old lines occur nowhere in the source, otherwise None."""
    return None if source.times(case.search[:-1].split("\n")) else case


def _as_it_is(_dice: Dice, source: Source, edit: Edit) -> Case:
    return case_of(source, edit)


def common_indent(source: Source, edit: Edit) -> str:
    """Return the indentation that all lines of a block share; empty if they share none."""
    lines = [*source.lines[edit.start : edit.stop], *(line for line in edit.new if isinstance(line, str))]
    indents = [indent_of(line) for line in lines if line.strip()]
    least = min(indents, key=len)
    return least if all(indent.startswith(least) for indent in indents) else ""


def outdented(source: Source, edit: Edit) -> Callable[[str], str] | None:
    common = common_indent(source, edit)
    return (lambda line: line.removeprefix(common) if line.strip() else line) if common else None


def _indentation_lost(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    say = outdented(source, edit)
    return case_of(source, edit, say=say) if say else None


def _indented_more(_dice: Dice, source: Source, edit: Edit) -> Case:
    return case_of(source, edit, say=lambda line: f"{STEP}{line}" if line.strip() else line)


def _first_indentation_lost(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    line = source.lines[edit.start]
    bare = line.lstrip()
    return None if bare == line else case_of(source, edit, {edit.start: [bare]})


def _in_unit(unit: str) -> Callable[[str], str]:
    """Return a function that replaces each four spaces of a line's indentation by `unit`."""

    def say(line: str) -> str:
        bare = line.lstrip(" ")
        levels, rest = divmod(len(line) - len(bare), len(STEP))
        return unit * levels + " " * rest + bare

    return say


def _tabs(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    case = case_of(source, edit, say=_in_unit("\t"))
    return None if case.search == case_of(source, edit).search else case


def _file_in_unit(source: Source, edit: Edit, unit: str) -> Case | None:
    """The block is indented by four spaces, the file by `unit`: the new lines must be indented like the file."""
    say = _in_unit(unit)
    before = [say(line) for line in source.lines]
    new = [line if isinstance(line, int) else say(line) for line in edit.new]
    case = case_of(source, edit, before=before, right=[edit._replace(new=new).done(before)])
    return None if case.search == text(before[edit.start : edit.stop]) else case


def _tabs_in_file(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    return _file_in_unit(source, edit, "\t")


def _two_spaces_in_file(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    return _file_in_unit(source, edit, "  ")


def _blanks_in_block(dice: Dice, source: Source, edit: Edit) -> Case:
    blanks = (" ", "  ", "\t", "")
    said = {number: [source.lines[number] + dice.pick(blanks)] for number in range(edit.start, edit.stop)}
    said[edit.start] = [f"{source.lines[edit.start]} "]
    return case_of(source, edit, said)


def _blanks_in_file(dice: Dice, source: Source, edit: Edit) -> Case:
    before = list(source.lines)
    for number in (edit.start, *(number for number in edit.context if dice.below(2))):
        before[number] += dice.pick((" ", "  ", "\t"))
    return case_of(source, edit, before=before)


def one_of(dice: Dice, numbers: Sequence[int]) -> int | None:
    return numbers[dice.below(len(numbers))] if numbers else None


def _renamed(dice: Dice, source: Source, edit: Edit) -> Case | None:
    number = one_of(dice, [number for number in edit.context if NAME.search(source.lines[number])])
    if number is None:
        return None
    return misfit(source, case_of(source, edit, {number: [changed(source.lines[number], "_old")]}))


def _reordered(dice: Dice, source: Source, edit: Edit) -> Case | None:
    lines = source.lines
    pairs = [one for one in edit.context if one + 1 in edit.context and lines[one].strip() != lines[one + 1].strip()]
    number = one_of(dice, pairs)
    if number is None:
        return None
    return misfit(source, case_of(source, edit, {number: [lines[number + 1]], number + 1: [lines[number]]}))


def _left_out(dice: Dice, source: Source, edit: Edit) -> Case | None:
    inner = [number for number in edit.context if edit.start < number < edit.stop - 1 and source.lines[number].strip()]
    number = one_of(dice, inner)
    return None if number is None else misfit(source, case_of(source, edit, {number: []}))


def _typographic(dice: Dice, source: Source, edit: Edit) -> Case | None:
    quoted = [number for number in edit.context if set("'\"") & set(source.lines[number])]
    number = one_of(dice, quoted)
    return None if number is None else case_of(source, edit, {number: [source.lines[number].translate(_QUOTES)]})


def _broken_in_two(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """The block breaks a line of context in two. The result may keep the one line of the file, or have the two."""
    number = one_of(dice, [number for number in edit.context if _BREAK.search(source.lines[number])])
    found = _BREAK.search(source.lines[number]) if number is not None else None
    if number is None or found is None:
        return None
    line = source.lines[number]
    case = case_of(source, edit, {number: [line[: found.end() - 1], f"{indent_of(line)}{STEP}{line[found.end() :]}"]})
    as_written = text(source.lines[: edit.start]) + case.replace + text(source.lines[edit.stop :])
    return misfit(source, case._replace(right=case.right | {as_written}))


def _elided(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """Four or more lines of context, all above or all below the changed line, become one line of dots."""
    above = [number for number in edit.context if edit.start < number < edit.at]
    below = [number for number in edit.context if edit.at < number < edit.stop - 1]
    numbers = above if len(above) >= len(below) else below
    if len(numbers) < 4:
        return None
    indent = common_indent(source, edit)
    dots = dice.pick(("...", f"{indent}...", f"{indent}# ..."))
    return misfit(source, case_of(source, edit, {**dict.fromkeys(numbers, ()), numbers[0]: [dots]}))


def _blank_line_more(dice: Dice, source: Source, edit: Edit) -> Case | None:
    inner = [number for number in edit.context if edit.start < number]
    number = one_of(dice, inner)
    return None if number is None else misfit(source, case_of(source, edit, {number: ["", source.lines[number]]}))


def _blank_line_less(dice: Dice, source: Source, edit: Edit) -> Case | None:
    number = one_of(dice, [number for number in edit.context if not source.lines[number].strip()])
    return None if number is None else misfit(source, case_of(source, edit, {number: ()}))


def _blank_line_first(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    return misfit(source, case_of(source, edit, {edit.start: ["", source.lines[edit.start]]}))


def _one_indentation_changed(dice: Dice, source: Source, edit: Edit) -> Case | None:
    number = one_of(dice, [number for number in edit.context if source.lines[number].strip()])
    return None if number is None else case_of(source, edit, {number: [STEP + source.lines[number]]})


def _indentation_and_blanks(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    say = outdented(source, edit)
    if say is None:
        return None
    said = {number: [f"{say(source.lines[number])} "] for number in range(edit.start, edit.stop)}
    return case_of(source, edit, said, say=say)


def _old_indentation_lost(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """Only the old lines lost their indentation, so no indentation may be added to the new lines."""
    case = _indentation_lost(dice, source, edit)
    return None if case is None else case._replace(replace=case_of(source, edit).replace)


def _old_indented_more(dice: Dice, source: Source, edit: Edit) -> Case:
    """Only the old lines are indented once more, so no indentation may be removed from the new lines."""
    return _indented_more(dice, source, edit)._replace(replace=case_of(source, edit).replace)


def _one_line_stripped(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """The block inserts lines below one line; both sections lost the white space before their first line."""
    line = source.lines[edit.at]
    added = [f"{indent_of(line)}added_{dice.below(1000)} = {index}" for index in range(2)]
    if not indent_of(line) or source.times([line]) > 1:
        return None
    case = case_of(source, Edit(edit.at, edit.at + 1, edit.at, [edit.at, *added]))
    return case._replace(search=case.search.lstrip(), replace=case.replace.lstrip())


def _sibling_below(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """The block inserts a less indented function below one line; both sections lost their first indentation."""
    line = source.lines[edit.at]
    outer = indent_of(line).removesuffix(STEP)
    if outer == indent_of(line) or source.times([line]) > 1:
        return None
    added = ["", f"{outer}def added_{dice.below(1000)}(self):", f"{outer}{STEP}return 3"]
    case = case_of(source, Edit(edit.at, edit.at + 1, edit.at, [edit.at, *added]))
    return case._replace(search=case.search.lstrip(), replace=case.replace.lstrip())


def _wrapped_before(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    """The block wraps lines in an `if`. Its old lines already have the deeper indentation; its new lines are right."""
    old = source.lines[edit.start : edit.stop]
    outer = common_indent(source, edit)
    wrapped = [f"{STEP}{line}" if line.strip() else line for line in old]
    if not outer or source.times(old) > 1:
        return None
    case = case_of(source, Edit(edit.start, edit.stop, edit.start, [f"{outer}if True:", *wrapped]))
    return case._replace(search=text(wrapped))


WAYS: Mapping[str, Callable[[Dice, Source, Edit], Case | None]] = {
    "nothing broken": _as_it_is,
    "indentation lost": _indentation_lost,
    "indentation lost, old lines only": _old_indentation_lost,
    "indented once more, old lines only": _old_indented_more,
    "one line, stripped": _one_line_stripped,
    "one line, stripped, and a function below": _sibling_below,
    "old lines as they will be when wrapped": _wrapped_before,
    "indentation lost, blanks at line ends": _indentation_and_blanks,
    "indented once more": _indented_more,
    "first line's indentation lost": _first_indentation_lost,
    "one line's indentation changed": _one_indentation_changed,
    "tabs for spaces": _tabs,
    "blanks at line ends of the block": _blanks_in_block,
    "blanks at line ends of the file": _blanks_in_file,
    "a name changed": _renamed,
    "two lines reordered": _reordered,
    "a line left out": _left_out,
    "a blank line left out": _blank_line_less,
    "a blank line too many": _blank_line_more,
    "a blank line put first": _blank_line_first,
    "typographic quotes": _typographic,
    "a line broken in two": _broken_in_two,
    "middle elided": _elided,
}
UNITS: Mapping[str, Callable[[Dice, Source, Edit], Case | None]] = {
    "tabs in the file, spaces in the block": _tabs_in_file,
    "two spaces in the file, four in the block": _two_spaces_in_file,
}
