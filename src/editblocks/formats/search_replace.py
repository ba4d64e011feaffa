"""`diff` and `diff-fenced`: an old text, a divider, a new text.

    path-line, OPEN(n), old lines, DIVIDER(n), new lines, CLOSER(n)

The two differ only in where the path line stands. Blank old text creates a file, an empty new text
deletes the old lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editblocks.codes import ReasonCode
from editblocks.formats.grammar import Fault, Frame, Sections, is_markup, join
from editblocks.formats.markers import Kind, Token
from editblocks.formats.swallowed import swallowed_line
from editblocks.model import Note, Split, section_lines

OPENER = Kind.OPEN_SR
SEPARATORS = (Kind.DIV,)
CLOSER = Kind.END_SR
HOLDS_CONFLICTS = True

MOST_CANDIDATES = 16
NAMES_BY_SOURCE = {"P1": "edit-fence", "P5": "file-section"}


def name(path_source: str, inside_fence: bool) -> str:
    """`diff-fenced` if the path line stands inside the fence, else `diff`; other containers have their own."""
    return NAMES_BY_SOURCE.get(path_source, "diff-fenced" if inside_fence else "diff")


def closer_line(length: int) -> str:
    """`>>>>>>> REPLACE` in the opener's length."""
    return ">" * length + " REPLACE"


def separator_line(length: int) -> str:
    """`=======` in the opener's length."""
    return "=" * length


def refusal(_opener_line: int) -> Fault | None:
    """None: this format is read."""
    return None


def read(frame: Frame) -> Sections | Fault:
    """Part the block at its divider; keep every reading if there are several."""
    dividers = frame.separators
    if len(dividers) > MOST_CANDIDATES:
        return Fault(ReasonCode.MALFORMED, f"{len(dividers)} lines may be its divider; send it with longer markers")
    lines, is_dedented = frame.dedented()
    if len(lines) > 1 and lines[1].strip(" \t").startswith(":start_line:"):
        return Fault(
            ReasonCode.UNSUPPORTED_FORMAT,
            f"`:start_line:` (line {frame.shown(frame.opener) + 1}) is not read yet; ask for SEARCH/REPLACE blocks",
        )
    notes = list(_variants(frame))
    if not is_dedented:
        notes.append(
            Note("indent-kept", "not every line is indented like the block's first, so no indentation was removed")
        )
    stop = frame.closer.line
    if _ends_in_stray_divider(frame):
        if is_markup(frame.path) or len(dividers) > 2:
            return Fault(ReasonCode.MALFORMED, _two_readings(frame, dividers[-2:]))
        stop = dividers[-1].line
        dividers = dividers[:-1]
        notes.append(
            Note("stray-divider-dropped", f"line {stop + frame.first_line} repeats the divider; it was left out")
        )
    splits = _splits(frame, lines, dividers, stop)
    whole = [split for split in splits if _swallowed(split) is None]
    if not whole or (whole[0] is not splits[0] and not is_markup(frame.path)):
        return _cut_off(splits)
    splits = tuple(whole)
    return Sections(
        old_lines=splits[0].old_lines,
        new_lines=splits[0].new_lines,
        splits=splits if len(splits) > 1 else (),
        notes=tuple(notes),
    )


def _splits(frame: Frame, lines: Sequence[str], dividers: Sequence[Token], stop: int) -> tuple[Split, ...]:
    """A reading for each candidate.

    Code has no rows of `=` of its own: a reading is doubtful if more of them stand in its new text than
    in its old one. Documents underline their headings.
    """
    most = len(dividers) if is_markup(frame.path) else (len(dividers) - 1) / 2
    readings = []
    for before, divider in enumerate(dividers):
        split = _split(frame, lines, divider, stop)
        readings.append(replace(split, is_doubtful=len(dividers) - 1 - before > most))
    return tuple(readings)


def _swallowed(split: Split) -> int | None:
    found = swallowed_line(section_lines(split.old_lines), section_lines(split.new_lines))
    return None if found is None else split.divider_line + 1 + found


def _cut_off(splits: Sequence[Split]) -> Fault:
    line = next(line for line in map(_swallowed, splits) if line is not None)
    message = f"line {line} looks like the beginning of another block, so this one was probably cut off"
    return Fault(ReasonCode.MALFORMED, f"{message}; send both again, complete")


def _split(frame: Frame, lines: Sequence[str], divider: Token, stop: int) -> Split:
    first = frame.opener.line
    old = join(lines[1 : divider.line - first])
    return Split(frame.shown(divider), old, join(lines[divider.line - first + 1 : stop - first]))


def _ends_in_stray_divider(frame: Frame) -> bool:
    """Whether the last candidate stands directly before the closer and follows another one."""
    dividers = frame.separators
    return len(dividers) > 1 and dividers[-1].line == frame.closer.line - 1


def _two_readings(frame: Frame, dividers: tuple[Token, ...]) -> str:
    first, second = (frame.shown(token) for token in dividers)
    longer = min(9, frame.opener.length + 1)
    return (
        f"the line at {second} may be a second divider after line {first} or text of {frame.path}; "
        f"send it with {longer}-character markers"
    )


def _variants(frame: Frame) -> list[Note]:
    odd = [token for token in (frame.opener, frame.separators[0], frame.closer) if _is_variant(token, frame)]
    return [
        Note("marker-variant", f"line {frame.shown(token)} is not the usual marker", frame.shown(token))
        for token in odd
    ]


def _is_variant(token: Token, frame: Frame) -> bool:
    return token.word not in ("", "SEARCH", "REPLACE") or token.length != frame.opener.length
