"""Read the blocks of a response: in the allowed formats, without hidden ones, with paths relative to the root.

A block that readers of the page do not see is a failed row, as somebody may have hidden it on purpose. The host knows
which lines of a page are hidden (`Response.hidden_lines`); a file has no page. A path or a `base:` line must be visible
as well, and so must a tag of a model's thoughts: they are used only if the text without its hidden lines gives the
same. Line numbers are 1-based.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.core.blocks import EditBlock, Note, ParsedRow, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Response
from editblocks.core.phrases import named_lines
from editblocks.core.settings import Settings
from editblocks.formats.grammar import Format
from editblocks.formats.whole_file import ask_for_whole_files
from editblocks.parsing.containers import is_transparent
from editblocks.parsing.parse import FORMATS, formats_named, parse_parts, parse_response
from editblocks.parsing.session_records import is_session
from editblocks.parsing.tool_output import OF_TOOLS, is_of_diagnostics

_WITH_A_PAGE = frozenset({"comment", "review", "review-comment", "suggestions", "body"})  # kinds of sources
_DRIVE = r"[A-Za-z]:[\\/]"
_FENCE = r"[-*+>\s\d.)]*(?:`{3,}|~{3,})"


def read_blocks(response: Response, settings: Settings, formats: Sequence[Format]) -> ParseResult:
    """Return the blocks of a response, in those of `formats` that are allowed. Paths below its root become relative."""
    size = len(response.body.encode("utf-8", "surrogatepass"))
    if size > settings.max_response_bytes:
        has_own_limit = is_session(response.body) and not is_of_diagnostics(response.body)
        if not has_own_limit:
            what = f"the answer is over the limit of {settings.max_response_bytes:,} bytes (max-response-bytes)"
            return ParseResult(problems=(Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it"),), is_cut=True)
    front = response.front
    if front is not None and front.format:
        formats = formats_named([front.format])
    formats = formats_for(settings, formats)
    parsed = _parse(response, formats, settings.max_blocks)
    if response.source.kind in _WITH_A_PAGE:
        parsed = _without_documents(parsed)
    if response.hidden_lines:
        shown = _parse(without_lines(response, response.hidden_lines), formats, settings.max_blocks)
        parsed = without_hidden(parsed, response.hidden_lines, shown)
    base = parsed.base or response.base
    if front is not None and front.base:
        base = front.base
    parsed = parsed._replace(base=base)
    return place_paths(parsed, response.root, response.session_root)


def _parse(response: Response, formats: Sequence[Format], most_rows: int) -> ParseResult:
    if response.parts:
        return parse_parts(response.parts, formats, most_rows)
    first_line = 1 if response.front is None else response.front.lines + 1
    return parse_response(
        response.body, formats, response.context_path, first_line, most_rows, thread_lines=response.thread_lines
    )


def _without_documents(parsed: ParseResult) -> ParseResult:
    """Replace the rows of tool documents by one problem: readers of a comment cannot see what they would change."""
    rows: tuple[ParsedRow, ...] = (*parsed.blocks, *parsed.problems)
    of_tools = [row for row in rows if row.format in OF_TOOLS]
    if not of_tools:
        return parsed
    first = min(of_tools, key=lambda row: row.number)
    last = max(row.end_line for row in of_tools)
    what = f"a document in `{first.format}` (line {first.line_number}) is not supported in comments"
    code = ReasonCode.UNSUPPORTED_FORMAT
    advice = "apply it from a file"
    problem = Problem(first.number, first.line_number, last, code, what, advice, None, first.format, needs_person=True)
    blocks = tuple(row for row in parsed.blocks if row not in of_tools)
    problems = tuple(row for row in parsed.problems if row not in of_tools)
    return parsed._replace(blocks=blocks, problems=(*problems, problem))


def formats_for(settings: Settings, formats: Sequence[Format] = FORMATS) -> Sequence[Format]:
    """Those of `formats` that are read with these settings."""
    if settings.formats:
        allowed = formats_named(settings.formats)
        formats = tuple(grammar for grammar in formats if grammar in allowed)
    return formats if settings.whole_files == "no" else ask_for_whole_files(formats)


def without_lines(response: Response, lines: frozenset[int]) -> Response:
    """Return the response with these lines blank."""
    first_line = 1
    parts = []
    for part in response.parts:
        parts.append(part._replace(text=_blanked(part.text, lines, first_line)))
        first_line += part.text.count("\n") + 2
    return response._replace(text=_blanked(response.text, lines, 1), parts=tuple(parts))


def _blanked(text: str, lines: frozenset[int], first_line: int) -> str:
    """Return the text with these lines blank. A tag stays, and of a line that begins a fence, the fence stays."""
    kept = []
    for number, line in enumerate(text.split("\n"), first_line):
        fence = re.match(_FENCE, line)
        if number not in lines or is_transparent(line):
            kept.append(line)
        elif fence is not None:
            kept.append(fence[0])
        else:
            kept.append("")
    return "\n".join(kept)


def without_hidden(parsed: ParseResult, hidden_lines: frozenset[int], shown: ParseResult) -> ParseResult:
    """Turn rows that have a hidden line, or whose path is in a hidden line, into problems.

    `shown` is the result of reading the text without its hidden lines. If it has further rows, all its rows become
    problems: a hidden tag of a model's thoughts would leave out blocks that readers see, complete or broken.
    """
    rows: tuple[ParsedRow, ...] = (*parsed.blocks, *parsed.problems)
    if any(_is_left_out(row, rows) for row in shown.in_order):
        what = "a line that GitHub does not show, such as `</think>`, leaves out a block that it shows"
        advice = "post only the blocks that are meant"
        return shown._replace(blocks=(), problems=tuple(_hidden_block(row, what, advice) for row in shown.in_order))
    seen = {(block.line_number, block.end_line, block.paths) for block in shown.blocks}
    blocks: list[EditBlock] = []
    problems: list[Problem] = []
    for row in rows:
        lines = named_lines((row.line_number, row.end_line))
        if _is_hidden(row, hidden_lines):
            what = f"GitHub does not show {lines} as written"
            problems.append(_hidden_block(row, what, "put the block in a code fence"))
        elif isinstance(row, Problem):
            problems.append(row)
        elif (row.line_number, row.end_line, row.paths) not in seen:
            what = f"GitHub does not show the line with the path of the block at {lines}"
            problems.append(_hidden_block(row, what, "write the path on the line above the block"))
        else:
            blocks.append(row)
    return parsed._replace(blocks=tuple(blocks), problems=tuple(problems), base=shown.base)


def _is_left_out(shown: ParsedRow, rows: Sequence[ParsedRow]) -> bool:
    """Whether a row of the text without its hidden lines is in no row of the whole text."""
    return not any(row.line_number <= shown.end_line and shown.line_number <= row.end_line for row in rows)


def _is_hidden(row: ParsedRow, hidden_lines: frozenset[int]) -> bool:
    """Whether any line of a block is hidden, or the first line of a problem."""
    if isinstance(row, EditBlock):
        return not hidden_lines.isdisjoint(range(row.line_number, row.end_line + 1))
    return row.line_number in hidden_lines


def _hidden_block(row: ParsedRow, what: str, advice: str) -> Problem:
    return Problem(row.number, row.line_number, row.end_line, ReasonCode.HIDDEN_BLOCK, what, advice)


def place_paths(parsed: ParseResult, root: str, session_root: str = "") -> ParseResult:
    """Make absolute paths below `root` relative to it. Paths of calls may also be below the root of their session.

    `session_root`: the folder that is the repository root in the session of the calls, whatever the session says.
    """
    if not root.strip("/"):
        root = ""
    blocks = list[EditBlock]()
    sessions = dict[str, None]()  # the session roots that paths are below, in order
    for block in parsed.blocks:
        session = ""
        if block.call is not None:
            session = session_root or block.call.session_root
        placed = _block_below(block, (root, session))
        if session and placed.paths != _block_below(block, (root,)).paths:  # one note is enough for a session
            sessions[session] = None
        elif placed is not block and not block.range_edits:  # tools write absolute paths as a rule
            shown = placed.file_path
            if placed.new_path != block.new_path:
                shown = placed.new_path
            note = Note("path-cleaned", f"the path was read as {shown}")
            placed = placed._replace(notes=(*block.notes, note))
        blocks.append(placed)
    problems = list[Problem]()
    for problem in parsed.problems:
        path = problem.file_path
        if path is not None:
            path = _below(path, (root, session_root or parsed.session_root), "", problem.format)
        problems.append(problem._replace(file_path=path))
    notes = [Note("session-root", f"{each} stands for this folder") for each in sessions]
    return parsed._replace(blocks=tuple(blocks), problems=tuple(problems), notes=(*parsed.notes, *notes))


def _block_below(block: EditBlock, roots: Sequence[str]) -> EditBlock:
    """Return the block with paths relative to the first of `roots`; those of a call, relative to any of `roots`."""
    folder = "" if block.call is None else block.call.folder
    file_path, new_path = (_below(path, roots, folder, block.format) for path in (block.file_path, block.new_path))
    if (file_path, new_path) == (block.file_path, block.new_path):
        return block
    return block._replace(file_path=file_path, new_path=new_path)


def _below(path: str, roots: Sequence[str], folder: str, form: str | None) -> str:
    """Return a path relative to the first of `roots` that contains it; relative paths begin in the call's folder."""
    path = _slashed(path)
    if folder and path and not path.startswith(("/", "~")) and re.match(_DRIVE, path) is None:
        path = f"{_slashed(folder).rstrip('/')}/{path}".removeprefix("./")
    starts = [f"{_slashed(root).rstrip('/')}/" for root in filter(None, roots)]
    if form == "unified":  # between `a/` and an absolute path, git writes no second slash
        starts += [start.removeprefix("/") for start in starts]
    below = (path[len(start) :] for start in starts if _with_small_drive(path).startswith(_with_small_drive(start)))
    return next(below, path)


def _slashed(path: str) -> str:
    """Return a path; if it begins with a Windows drive, with slashes for backslashes."""
    if re.match(_DRIVE, path):
        return path.replace("\\", "/")
    return path


def _with_small_drive(path: str) -> str:
    """Return a path for comparisons, with the letter of a Windows drive in lower case."""
    if re.match(_DRIVE, path):
        return path[0].lower() + path[1:]
    return path
