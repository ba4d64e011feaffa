"""`diff`, `diff-fenced` and `cline`: an old text, a divider, a new text.

    path-line, OPEN(n), old lines, DIVIDER(n), new lines, CLOSER(n)

`diff`, `diff-fenced`, `edit-fence`, `file-section` and `bolt-edit` differ only in the place of the path line. A blank
old text creates a file, an empty new text deletes the old lines. `cline` has the same parts and other markers. Some
models end a block of one with the closer of the other, which is accepted if the block has no closer of its own.
"""

import re
from collections.abc import Sequence

from editblocks.core.blocks import Note, Split
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import MOST_CANDIDATES, Fault, Frame, Grammar, Located, is_markup, other_length
from editblocks.formats.markers import DIVIDER, Marker, Token

OPENER = Marker("<<<<<<< SEARCH", "SEARCH>", "ORIGINAL")
CLOSER = Marker(">>>>>>> REPLACE", "UPDATED")


def too_many(frame: Frame) -> Fault | None:
    """Return a fault if more than `MOST_CANDIDATES` lines of the block may be its divider."""
    if len(frame.separators) <= MOST_CANDIDATES:
        return None
    what = f"{len(frame.separators)} lines look like its divider"
    return Fault(ReasonCode.MALFORMED, what, other_length(frame.opener.length))


def repeats_divider(separators: Sequence[Token], divider: Token) -> bool:
    """Whether the new text would begin with a second `=======`, so that the divider may just be written twice."""
    return any(token.kind is DIVIDER and token.line == divider.line + 1 for token in separators)


def stray_divider(frame: Frame, most: int) -> Note | Fault:
    """Return the note that the last separator is dropped, as it repeats the one before; a fault if it may be text.

    It may be text, such as an underline, in a markup file, or if more than `most` separators are left.
    """
    previous, last = frame.separators[-2:]
    if not is_markup(frame.path) and len(frame.separators) - 1 <= most:
        return Note("stray-divider-dropped", f"line {frame.line_number(last)} repeats the divider; it was left out")
    what = f"line {frame.line_number(last)} may be text of {frame.path} or a second divider"
    first = f"(the first is line {frame.line_number(previous)})"
    return Fault(ReasonCode.MALFORMED, f"{what} {first}", other_length(frame.opener.length))


_ROO_HEADER = r":(?:start|end)_line:[ \t]*[0-9]+[ \t]*\Z"
_NAMES = {"P1": "edit-fence", "P5": "file-section"}  # format names by the source of the path


def _name(located: Located) -> str:
    if located.in_action:
        return "bolt-edit"
    usual = "diff-fenced" if located.inside_fence else "diff"
    return _NAMES.get(located.origin or located.source, usual)


def _read(frame: Frame) -> tuple[Split, ...] | Fault:
    """Split the block at its divider; return every reading if several lines may be the divider."""
    readings = _readings(frame)
    if isinstance(readings, Fault):
        return readings
    return _misplaced_header(readings) or readings


def _misplaced_header(readings: Sequence[Split]) -> Fault | None:
    """Return a fault if a header of Roo begins the new text, where models copy it: it would be written to the file."""
    for split in readings:
        first = split.new_lines.partition("\n")[0]
        if re.match(_ROO_HEADER, first) and f"\n{first}\n" not in f"\n{split.old_lines}":
            what = f"line {split.divider_lines[0] + 1}, `{first.strip()}`, belongs below `{OPENER.text}`"
            return Fault(ReasonCode.MALFORMED, what, "leave it out of the new text")
    return None


def _readings(frame: Frame) -> tuple[Split, ...] | Fault:
    dividers = frame.separators
    if (fault := too_many(frame)) is not None:
        return fault
    splits = _splits(frame, dividers, frame.closer)
    if len(dividers) == 1 or dividers[-1].line != frame.closer.line - 1:
        return splits
    stray = stray_divider(frame, most=1)
    if isinstance(stray, Fault):
        return stray
    # Either the last line repeats the divider, or it is the divider, and the block deletes all text above it.
    return _splits(frame, dividers[:-1], dividers[-1])[0]._replace(notes=(stray,)), splits[-1]


def _splits(frame: Frame, dividers: Sequence[Token], closer: Token) -> tuple[Split, ...]:
    """Return a reading for each candidate.

    Code rarely has lines of `=`, so a reading is doubtful if its new text has more of them than its old text. In
    markup, which underlines headings, it is not.
    """
    most = (len(dividers) - 1) / 2
    if is_markup(frame.path):
        most = len(dividers)
    return tuple(
        Split(
            (frame.line_number(divider),),
            frame.text(frame.opener, divider),
            frame.text(divider, closer),
            is_doubtful=len(dividers) - 1 - dividers_in_old > most or repeats_divider(dividers, divider),
        )
        for dividers_in_old, divider in enumerate(dividers)
    )


SEARCH_REPLACE = Grammar(
    names=("diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "edit-fence", "file-section", "bolt-edit"),
    opener=OPENER,
    separators=(DIVIDER,),
    closer=CLOSER,
    sections=("search", "replace"),
    words=("SEARCH", "REPLACE"),
    read=_read,
    name=_name,
    holds_conflicts=True,
)

_CLINE_OPENER = Marker("------- SEARCH", "SEARCH>")
_CLINE_CLOSER = Marker("+++++++ REPLACE")
CLINE = SEARCH_REPLACE._replace(
    names=("cline",),
    opener=_CLINE_OPENER,
    closer=_CLINE_CLOSER,
    words=(_CLINE_OPENER.text, _CLINE_CLOSER.text),
    name=lambda _: "cline",
    other_closer=CLOSER,
)
