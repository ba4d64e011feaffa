"""`diff` and `diff-fenced`: an old text, a divider, a new text.

    path-line, OPEN(n), old lines, DIVIDER(n), new lines, CLOSER(n)

The two differ only in where the path line is, as do `edit-fence`, `file-section` and `bolt-edit`.
A blank old text creates a file, an empty new text deletes the old lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Split
from editblocks.formats.divider_readings import choose_sections, repeats_divider, stray_divider
from editblocks.formats.grammar import Fault, Frame, Located, Sections, is_markup, join, too_many
from editblocks.formats.markers import Kind, Token
from editblocks.formats.unsupported import OTHER_FORM

NAMES = ("diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "edit-fence", "file-section", "bolt-edit")
OPENER = Kind.OPEN_SR
SEPARATORS = (Kind.DIV,)
CLOSER = Kind.END_SR
SECTIONS = ("search", "replace")
WORDS = ("SEARCH", "REPLACE")
HOLDS_CONFLICTS = True


def name(located: Located) -> str:
    """`diff-fenced` if the path line is inside the fence, else `diff`; other containers have names of their own."""
    if located.in_action:
        return "bolt-edit"
    source = located.origin or located.source
    return {"P1": "edit-fence", "P5": "file-section"}.get(source, "diff-fenced" if located.inside_fence else "diff")


def closer_line(length: int) -> str:
    """`>>>>>>> REPLACE` in the opener's length."""
    return ">" * length + " REPLACE"


def separator_line(length: int) -> str:
    """`=======` in the opener's length."""
    return "=" * length


def read(frame: Frame) -> Sections | Fault:
    """Split the block at its divider; keep every reading if there are several."""
    dividers, stop = frame.separators, frame.closer.line
    lines, notes = frame.dedent()
    if len(lines) > 1 and lines[1].strip(" \t").startswith(":start_line:"):
        return Fault(
            ReasonCode.UNSUPPORTED_FORMAT,
            f"`:start_line:` (line {frame.shown(frame.opener) + 1}) is not read yet",
            OTHER_FORM,
        )
    if (fault := too_many(frame)) is not None:
        return fault
    splits = _splits(frame, lines, dividers, stop)
    if len(dividers) > 1 and dividers[-1].line == stop - 1:
        stray = stray_divider(frame, most=1)
        if isinstance(stray, Fault):
            return stray
        # Either the last line repeats the divider, or it is the divider and all text above it is to be deleted.
        without = replace(_splits(frame, lines, dividers[:-1], dividers[-1].line)[0], notes=(stray,))
        splits = (without, splits[-1])
    return choose_sections(frame, splits, (*frame.variants(), *notes))


def _splits(frame: Frame, lines: Sequence[str], dividers: Sequence[Token], stop: int) -> tuple[Split, ...]:
    """Return a reading for each candidate.

    Code rarely has lines of `=`: a reading is doubtful if its new text has more of them than its old text. That does
    not hold for documents, which underline their headings.
    """
    most = len(dividers) if is_markup(frame.path) else (len(dividers) - 1) / 2
    first = frame.opener.line
    return tuple(
        Split(
            (frame.shown(divider),),
            join(lines[1 : divider.line - first]),
            join(lines[divider.line - first + 1 : stop - first]),
            is_doubtful=len(dividers) - 1 - before > most or repeats_divider(dividers, divider),
        )
        for before, divider in enumerate(dividers)
    )
