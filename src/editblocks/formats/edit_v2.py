"""`edit-v2`: old and new lines between two anchors that stay as they are. It is matched only exactly.

    path-line, OPEN(n), leading anchor, RULE(n), old lines, DIVIDER(n), new lines, RULE(n), trailing anchor, CLOSER(n)

Any part may be empty. Without old lines, the new lines are inserted between the anchors; without new lines, the old
ones are deleted; new lines alone create a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Split
from editblocks.formats.divider_readings import choose_sections, repeats_divider, stray_divider
from editblocks.formats.grammar import Fault, Frame, Located, Sections, is_markup, join, too_many
from editblocks.formats.markers import Kind, Token

NAMES = ("edit-v2",)
OPENER = Kind.OPEN_V2
SEPARATORS = (Kind.DASH, Kind.DIV, Kind.DASH)
CLOSER = Kind.END_V2
SECTIONS = ("anchor", "old", "new", "trailing-anchor")
WORDS = ("EDIT", ">>>>>>>")
HOLDS_CONFLICTS = True


def name(_located: Located) -> str:
    """Always `edit-v2`."""
    return NAMES[0]


def closer_line(length: int) -> str:
    """`>>>>>>>` in the opener's length."""
    return ">" * length


def separator_line(length: int) -> str:
    """`-------` in the opener's length."""
    return "-" * length


def read(frame: Frame) -> Sections | Fault:
    """Split the block at rule, divider, rule; keep every reading in that order if there are several."""
    separators, stop = frame.separators, frame.closer.line
    lines, notes = frame.dedent()
    if (fault := too_many(frame)) is not None:
        return fault
    notes = (*frame.variants(), *notes)
    if len(separators) > len(SEPARATORS) and _repeats(separators, stop):
        stray = stray_divider(frame, most=len(SEPARATORS))
        if isinstance(stray, Fault):
            return stray
        notes = (*notes, stray)
        stop, separators = separators[-1].line, separators[:-1]
    splits = tuple(_split(frame, lines, choice, separators, stop) for choice in _choices(separators))
    return choose_sections(frame, splits, notes) if splits else _out_of_order(frame)


def _repeats(separators: Sequence[Token], stop: int) -> bool:
    """Whether the block ends with two rule lines."""
    return [(token.kind, token.line) for token in separators[-2:]] == [(Kind.DASH, stop - 2), (Kind.DASH, stop - 1)]


def _choices(separators: Sequence[Token]) -> Iterator[tuple[Token, Token, Token]]:
    """Yield every choice of a rule, a divider and a rule in this order."""
    rules = [token for token in separators if token.kind is Kind.DASH]
    dividers = [token for token in separators if token.kind is Kind.DIV]
    for first, divider, last in product(rules, dividers, rules):
        if first.line < divider.line < last.line:
            yield first, divider, last


def _split(
    frame: Frame, lines: Sequence[str], choice: tuple[Token, Token, Token], separators: Sequence[Token], stop: int
) -> Split:
    first, divider, last = (token.line - frame.opener.line for token in choice)
    removed = sum(choice[0].line < token.line < choice[1].line for token in separators)
    added = sum(choice[1].line < token.line < choice[2].line for token in separators)
    return Split(
        tuple(frame.shown(token) for token in choice),
        join(lines[first + 1 : divider]),
        join(lines[divider + 1 : last]),
        # As with dividers: code rarely has such rules, so more of them in the new text than in the old are doubtful.
        is_doubtful=(added > removed and not is_markup(frame.path)) or repeats_divider(separators, choice[1]),
        anchor=join(lines[1:first]),
        trailing_anchor=join(lines[last + 1 : stop - frame.opener.line]),
    )


def _out_of_order(frame: Frame) -> Fault:
    rule, divider = separator_line(frame.opener.length), "=" * frame.opener.length
    seen_order = " ".join(token.kind.value[0] * token.length for token in frame.separators)
    lines = ", ".join(str(frame.shown(token)) for token in frame.separators)
    message = (
        f"expected {rule} {divider} {rule} in this order, found {seen_order} at line{'s' * (',' in lines)} {lines}"
    )
    return Fault(ReasonCode.MALFORMED, message, "write all three, also around empty parts")
