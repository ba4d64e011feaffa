"""Whole answers, of which more than one block says where each belongs, and what is right for them.

A way takes a place of a real file (bench/sources.py) and gives a file, an answer for it, and the texts of which the
file has to be one afterwards: the edit that was meant, or none if nobody can tell. A file that is to be gone is GONE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench.breaking import STEP, common_indent, text
from bench.patch_ways import signed
from bench.responses import CLOSER, DIVIDER, OPENER, Dice
from bench.sources import Edit, Source
from bench.twins import elsewhere, shifted
from editblocks import Settings, apply_response

GONE = "\0"  # no file holds it
Lines = Sequence[str]


class Answer(NamedTuple):
    """A file, an answer, and what may come of it; nothing: it is to be refused."""

    path: str
    before: str
    answer: str
    right: frozenset[str]
    way: str = ""


Way = Callable[[Dice, Source, Edit], Answer | None]


class _Order(NamedTuple):
    """A file with several places of one edit between lines that it has once, and the hunks for all of them."""

    lines: Lines
    places: Sequence[int]  # where the edit fits
    above: int  # a line above the place that is meant, and one below it
    below: int
    edit: Edit  # at the place that is meant


def _places(dice: Dice, source: Source, edit: Edit) -> _Order | None:
    """Put one or two copies of the place elsewhere, and find lines around it that the file has once."""
    lines, moved, copies = list(source.lines), edit, list[int]()
    for _ in range(1 + dice.below(2)):
        at = elsewhere(dice, Source(source.path, lines), moved)
        size = edit.stop - edit.start
        if any(copy < at < copy + size for copy in copies):
            return None
        lines[at:at] = source.lines[edit.start : edit.stop]
        copies = [copy + size * (at <= copy) for copy in copies] + [at]
        moved = shifted(moved, size if at <= moved.start else 0)
    alone = [number for number, line in enumerate(lines) if line.strip() and lines.count(line) == 1]
    above = [number for number in alone if number < moved.start]
    below = [number for number in alone if number >= moved.stop]
    if not above or not below:
        return None
    first, last = above[-1 - dice.below(min(40, len(above)))], below[dice.below(min(40, len(below)))]
    return _Order(lines, [*copies, moved.start], first, last, moved)


def _between(order: _Order) -> list[int]:
    return [place for place in order.places if order.above < place < order.below]


def _hunks(source: Source, order: _Order, edit: Edit) -> list[str]:
    """A hunk above, the edit, a hunk below: each in its form without numbers."""
    one = [f"-{order.lines[order.above]}", f"+{order.lines[order.above]}  # above"]
    two = [f"-{order.lines[order.below]}", f"+{order.lines[order.below]}  # below"]
    return ["".join(f"{line}\n" for line in lines) for lines in (one, signed(source.lines, edit), two)]


def _patch(path: str, hunks: Sequence[str]) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n{''.join(f'@@{chr(10)}{hunk}' for hunk in hunks)}*** End Patch\n"


def _diff(path: str, hunks: Sequence[str]) -> str:
    body = "".join(f"@@ ... @@\n{hunk}" for hunk in hunks)
    return f"```diff\n--- a/{path}\n+++ b/{path}\n{body}```\n"


def _done(order: _Order) -> str:
    lines = list(order.lines)
    for number, word in ((order.above, "above"), (order.below, "below")):
        lines[number] = f"{lines[number]}  # {word}"
    return text(order.edit.done(lines))


def _in_order(form: Callable[[str, Sequence[str]], str]) -> Way:
    """The hunks go down the file: right where they leave one place, and refused where they leave two."""

    def way(dice: Dice, source: Source, edit: Edit) -> Answer | None:
        order = _places(dice, source, edit)
        if order is None:
            return None
        answer = form(source.path, _hunks(source, order, edit))
        right = [_done(order)] if len(_between(order)) == 1 else []
        return Answer(source.path, text(order.lines), answer, frozenset(right))

    return way


def _out_of_order(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    order = _places(dice, source, edit)
    if order is None:
        return None
    answer = _patch(source.path, _hunks(source, order, edit)[::-1])
    return Answer(source.path, text(order.lines), answer, frozenset())


def _in_order_again(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """All of it is done already, and the copies are left: nothing may change."""
    order = _places(dice, source, edit)
    if order is None or len(_between(order)) != 1:
        return None
    after = _done(order)
    return Answer(source.path, after, _patch(source.path, _hunks(source, order, edit)), frozenset([after]))


def _half_done(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """The edit is made, the hunks around it are not: nothing may be edited at a copy."""
    order = _places(dice, source, edit)
    if order is None or len(_between(order)) != 1:
        return None
    before = text(order.edit.done(order.lines))
    return Answer(source.path, before, _patch(source.path, _hunks(source, order, edit)), frozenset([_done(order)]))


def _place_gone(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """The place has changed since, and two copies are left outside of the hunks around it.

    Of one copy, no order could tell: a hunk that fits one place goes there, as models write hunks out of order.
    """
    order = _places(dice, source, edit)
    if order is None or len(_between(order)) != 1 or len(order.places) < 3:
        return None
    lines = list(order.lines)
    lines[order.edit.at] = f"{lines[order.edit.at]}  # other"
    return Answer(source.path, text(lines), _patch(source.path, _hunks(source, order, edit)), frozenset())


def _block(source: Source, edit: Edit) -> str:
    new = [source.lines[line] if isinstance(line, int) else line for line in edit.new]
    old = source.lines[edit.start : edit.stop]
    return f"{source.path}\n{OPENER}{text(old)}{DIVIDER}{text(new)}{CLOSER}\n"


def _equal(blocks: int) -> Way:
    """As many equal blocks as places, or so many more or fewer."""

    def way(dice: Dice, source: Source, edit: Edit) -> Answer | None:
        order = _places(dice, source, edit)
        if order is None or len(order.places) + blocks < 1:
            return None
        lines, count = list(order.lines), len(order.places)
        for place in sorted(order.places, reverse=True):
            moved = shifted(edit, place - edit.start)
            lines = moved.done(lines)
        answer = _block(source, edit) * (count + blocks)
        return Answer(source.path, text(order.lines), answer, frozenset([] if blocks else [text(lines)]))

    return way


def _equal_again(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    made = _equal(0)(dice, source, edit)
    return made and made._replace(before=next(iter(made.right)))


def _context_above(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """A place that stands twice, in two functions, of which a hunk of context names one."""
    at, place = edit.start, source.lines[edit.start : edit.stop]
    indent = common_indent(source, edit)
    if len(indent) < len(STEP) or any(line.strip() and not line.startswith(indent) for line in place):
        return None
    outer = indent.removesuffix(STEP)
    head = f"{outer}def added_{dice.below(1000)}(self):"
    lines = [*source.lines[:at], head, *place, "", f"{outer}def kept(self):", *source.lines[at:]]
    first = shifted(edit, 1)
    answer = _patch(source.path, [f" {head}\n", "".join(f"{line}\n" for line in signed(lines, first))])
    return Answer(source.path, text(lines), answer, frozenset([text(first.done(lines))]))


def _context_above_again(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    made = _context_above(dice, source, edit)
    return made and made._replace(before=next(iter(made.right)))


def _context_of_another(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """The context is not in the file: then the place is not the one that was meant."""
    hunks = [f" def gone_{dice.below(1000)}(self):\n", "".join(f"{line}\n" for line in signed(source.lines, edit))]
    return Answer(source.path, text(source.lines), _patch(source.path, hunks), frozenset())


def _deletion(source: Source, removed: Lines, right: Sequence[str]) -> Answer:
    head = f"diff --git a/{source.path} b/{source.path}\ndeleted file mode 100644\n"
    names = f"--- a/{source.path}\n+++ /dev/null\n@@ -1,{len(removed)} +0,0 @@\n" if removed else ""
    body = "".join(f"-{line}\n" for line in removed)
    return Answer(source.path, text(source.lines), f"```diff\n{head}{names}{body}```\n", frozenset(right))


def _deleted(_dice: Dice, source: Source, _edit: Edit) -> Answer:
    return _deletion(source, source.lines, [GONE])


def _deleted_unseen(_dice: Dice, source: Source, _edit: Edit) -> Answer:
    return _deletion(source, [], [GONE])


def _deleted_in_part(_dice: Dice, source: Source, edit: Edit) -> Answer:
    return _deletion(source, source.lines[edit.start : edit.stop], [GONE])


def _deleted_since_changed(dice: Dice, source: Source, edit: Edit) -> Answer:
    """A line that the diff removes has changed since: the file is another one."""
    made = _deletion(source, source.lines, [])
    lines = list(source.lines)
    lines[edit.at] = f"{lines[edit.at]}  # changed {dice.below(1000)}"
    return made._replace(before=text(lines))


def _half_present(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """An insertion of four lines, of which the file has two already: it is made as a whole, or not at all."""
    added = [f"added_{dice.below(1000)} = {index}" for index in range(4)]
    kept: list[int | str] = list(range(edit.start, edit.stop))
    lines = [*source.lines[: edit.stop], *added[:2], *source.lines[edit.stop :]]
    whole = Edit(edit.start, edit.stop, edit.at, [*kept, *added])
    return Answer(source.path, text(lines), _block(source, whole), frozenset([text(whole.done(lines))]))


def _draft(opening: str, closing: str) -> Way:
    """The model deletes the place in its thoughts, and makes the edit in its answer."""

    def way(_dice: Dice, source: Source, edit: Edit) -> Answer:
        old = text(source.lines[edit.start : edit.stop])
        draft = f"{opening}{source.path}\n{OPENER}{old}{DIVIDER}{CLOSER}\nNo.\n{closing}"
        right = [text(edit.done(source.lines))] if closing else []
        return Answer(source.path, text(source.lines), draft + _block(source, edit), frozenset(right))

    return way


def _only_a_draft(_dice: Dice, source: Source, edit: Edit) -> Answer:
    answer = f"<think>\n{_block(source, edit)}</think>\nNothing has to be changed.\n"
    return Answer(source.path, text(source.lines), answer, frozenset())


def _numbered(mark: str) -> Way:
    """The new lines have the numbers of a listing, and the old ones have none."""

    def way(_dice: Dice, source: Source, edit: Edit) -> Answer | None:
        new = [source.lines[line] if isinstance(line, int) else line for line in edit.new]
        old = source.lines[edit.start : edit.stop]
        if not {line.strip() for line in old if any(map(str.isalnum, line))}.intersection(line.strip() for line in new):
            return None
        lines = [f"{number}{mark}{line}" for number, line in enumerate(new, edit.start + 1)]
        answer = f"{source.path}\n{OPENER}{text(old)}{DIVIDER}{text(lines)}{CLOSER}\n"
        return Answer(source.path, text(source.lines), answer, frozenset())

    return way


def _product(dice: Dice, source: Source, _edit: Edit) -> Answer:
    """A heading names a product or a language above a block that would create a file."""
    name = dice.pick(("### .NET", "## Vue.js", "**Node.js**", "ASP.NET:", ".py", "- Socket.io", "path/to/file.py"))
    answer = f"{name}\n\n```\n{OPENER}{DIVIDER}x = 1\n{CLOSER}```\n"
    return Answer(source.path, text(source.lines), answer, frozenset())


WAYS: Mapping[str, Way] = {
    "hunks in order, places around": _in_order(_patch),
    "the same in a diff": _in_order(_diff),
    "hunks out of order, places around": _out_of_order,
    "hunks in order, made already": _in_order_again,
    "hunks in order, one made already": _half_done,
    "hunks in order, the place changed": _place_gone,
    "equal blocks, a place each": _equal(0),
    "equal blocks, made already": _equal_again,
    "one equal block too many": _equal(1),
    "one equal block too few": _equal(-1),
    "context as scope": _context_above,
    "context as scope, made already": _context_above_again,
    "context that is not in the file": _context_of_another,
    "a deletion that shows all": _deleted,
    "a deletion that shows nothing": _deleted_unseen,
    "a deletion that shows a part": _deleted_in_part,
    "a deletion of what has changed": _deleted_since_changed,
    "an insertion that is half there": _half_present,
    "a draft before the edit": _draft("<think>\n", "</think>\n"),
    "a draft, its opening tag left out": _draft("", "</think>\n"),
    "a draft that never ends": _draft("<think>\n", ""),
    "a draft alone": _only_a_draft,
    "numbered lines, with bars": _numbered(" | "),
    "numbered lines, with arrows": _numbered("\u2192"),
    "a product's name": _product,
}


def ours(matching: str) -> Callable[[Answer], tuple[str | None, str]]:
    """This project at a level: the text afterwards, None if it refuses, and why."""
    settings = Settings(matching=matching)

    def engine(case: Answer) -> tuple[str | None, str]:
        data = case.before.encode()
        result = apply_response(case.answer, {case.path: data}.get, settings)
        why = "".join(f"{row.code and row.code.value}: {row.reason}\n" for row in result.results)
        if not result.ok:
            return None, why
        after = result.contents.get(case.path, data)
        return GONE if after is None else after.decode(), why

    return engine
