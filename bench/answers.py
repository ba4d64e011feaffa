"""Whole answers in which several blocks together show where each belongs, and the right results for them.

A way takes a place in a real file (bench/sources.py) and returns a file, an answer for it, and the texts that are right
afterwards: the file with the intended edit, or none if the answer must be refused. The text of a deleted file is GONE.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench.breaking import STEP, common_indent, text
from bench.patch_ways import signed
from bench.responses import CLOSER, DIVIDER, OPENER, Dice
from bench.sources import Edit, Source
from bench.twins import elsewhere, shifted
from editblocks import Settings, apply_response

GONE = "\0"  # no source contains it
Lines = Sequence[str]


class Answer(NamedTuple):
    """A file, an answer for it, and the texts that are right afterwards; if there are none, it must be refused."""

    path: str
    before: str
    answer: str
    right: frozenset[str]
    way: str = ""


Way = Callable[[Dice, Source, Edit], Answer | None]


class _Order(NamedTuple):
    """A file in which an edit fits several places, and unique lines above and below the intended place."""

    lines: Lines
    places: Sequence[int]  # where the edit fits
    above: int  # a unique line above the intended place
    below: int  # a unique line below it
    edit: Edit  # at the intended place


def _places(dice: Dice, source: Source, edit: Edit) -> _Order | None:
    """Insert one or two copies of the place elsewhere, and choose unique lines above and below the place itself."""
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
    """Return the lines of three hunks: one above the edit, the edit, and one below it."""
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
    """Return a way with hunks in the order of the file.

    The answer must be applied if the edit fits one place between the outer hunks, and refused if it fits several.
    """

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
    """All hunks are applied already, but the copies have the old lines: nothing may change."""
    order = _places(dice, source, edit)
    if order is None or len(_between(order)) != 1:
        return None
    after = _done(order)
    return Answer(source.path, after, _patch(source.path, _hunks(source, order, edit)), frozenset([after]))


def _half_done(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """The edit is applied already, the hunks around it are not: the copies must stay as they are."""
    order = _places(dice, source, edit)
    if order is None or len(_between(order)) != 1:
        return None
    before = text(order.edit.done(order.lines))
    return Answer(source.path, before, _patch(source.path, _hunks(source, order, edit)), frozenset([_done(order)]))


def _place_gone(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """The intended place has changed since, and there are two copies, above or below the outer hunks.

    With a single copy, the edit would go there: models write hunks out of order, so a unique match is accepted.
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
    """Return a way with as many equal blocks as places, plus `blocks`; unless that is 0, they must be refused."""

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
    """The place occurs twice, in two functions, and a hunk with only a context line names one of them."""
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
    """The context line is not in the file, so the place cannot be the intended one."""
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
    """A line that the diff removes has changed since, so the deletion must be refused."""
    made = _deletion(source, source.lines, [])
    lines = list(source.lines)
    lines[edit.at] = f"{lines[edit.at]}  # changed {dice.below(1000)}"
    return made._replace(before=text(lines))


def _half_present(dice: Dice, source: Source, edit: Edit) -> Answer | None:
    """The file already has two of four inserted lines: the insertion must be applied as a whole or not at all."""
    added = [f"added_{dice.below(1000)} = {index}" for index in range(4)]
    kept: list[int | str] = list(range(edit.start, edit.stop))
    lines = [*source.lines[: edit.stop], *added[:2], *source.lines[edit.stop :]]
    whole = Edit(edit.start, edit.stop, edit.at, [*kept, *added])
    return Answer(source.path, text(lines), _block(source, whole), frozenset([text(whole.done(lines))]))


def _draft(opening: str, closing: str) -> Way:
    """Return a way with a draft in the model's thoughts, which deletes the place, and the edit after it.

    Without `closing`, the thoughts never end, so the answer must be refused.
    """

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
    """Return a way whose new lines have line numbers, as in a listing, and must be refused; its old lines have none."""

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
    """The heading above a block that would create a file names a product or a language, not a path."""
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
    """Return the engine of this project at a `matching` level: it returns the new text or None, and the reasons."""
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
