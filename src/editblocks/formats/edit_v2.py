"""`edit-v2`: old and new lines between two anchors that are not changed. It is matched only exactly.

    path-line, OPEN(n), leading anchor, RULE(n), old lines, DIVIDER(n), new lines, RULE(n), trailing anchor, CLOSER(n)

Any part may be empty. Without old lines, the new lines are inserted between the anchors; without new lines, the old
ones are deleted; new lines alone create a file.
"""

from collections.abc import Sequence
from itertools import combinations

from editblocks.core.blocks import Note, Split
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import noun_for
from editblocks.formats.grammar import Fault, Frame, Grammar, is_markup
from editblocks.formats.markers import DIVIDER, RULE, Marker, Token
from editblocks.formats.search_replace import repeats_divider, stray_divider, too_many

_ORDER = (RULE, DIVIDER, RULE)


def _read(frame: Frame) -> tuple[Split, ...] | Fault:
    """Split the block at rule, divider, rule; return every reading with that order."""
    separators = frame.separators
    closer = frame.closer
    notes: tuple[Note, ...] = ()
    if (fault := too_many(frame)) is not None:
        return fault
    rules_above_closer = [token for token in separators if token.kind is RULE and token.line >= closer.line - 2]
    if len(separators) > len(_ORDER) and len(rules_above_closer) == 2:
        stray = stray_divider(frame, most=len(_ORDER))
        if isinstance(stray, Fault):
            return stray
        notes = (stray,)
        closer = separators[-1]
        separators = separators[:-1]
    choices = [each for each in combinations(separators, 3) if tuple(token.kind for token in each) == _ORDER]
    if not choices:
        return _out_of_order(frame)
    return tuple(_split(frame, each, separators, closer, notes) for each in choices)


def _split(
    frame: Frame, choice: Sequence[Token], separators: Sequence[Token], closer: Token, notes: tuple[Note, ...]
) -> Split:
    first, divider, last = choice
    removed = sum(first.line < token.line < divider.line for token in separators)
    added = sum(divider.line < token.line < last.line for token in separators)
    return Split(
        tuple(map(frame.line_number, choice)),
        frame.text(first, divider),
        frame.text(divider, last),
        # Code rarely has such rules, so a reading is doubtful if its new text has more of them than its old text.
        is_doubtful=(added > removed and not is_markup(frame.path)) or repeats_divider(separators, divider),
        anchor=frame.text(frame.opener, first),
        trailing_anchor=frame.text(last, closer),
        notes=notes,
    )


def _out_of_order(frame: Frame) -> Fault:
    expected = " ".join(marker.literal(frame.opener.length) for marker in _ORDER)
    seen_order = " ".join(frame.lines[token.line - frame.opener.line].strip(" \t") for token in frame.separators)
    numbers = ", ".join(str(frame.line_number(token)) for token in frame.separators)
    lines = f"{noun_for(len(frame.separators), 'line')} {numbers}"
    message = f"expected {expected} in this order, found {seen_order} at {lines}"
    return Fault(ReasonCode.MALFORMED, message, "write all three, even if a part is empty")


EDIT_V2 = Grammar(
    names=("edit-v2",),
    opener=Marker("<<<<<<< EDIT"),
    separators=_ORDER,
    closer=Marker(">>>>>>>"),
    sections=("anchor", "old", "new", "trailing-anchor"),
    words=("EDIT", ">>>>>>>"),
    read=_read,
    name=lambda _: "edit-v2",
    holds_conflicts=True,
)
