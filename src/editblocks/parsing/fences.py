"""Edits in fences, without markers: suggestions in a review thread, whole files, and edits in unsupported forms.

The text of a suggestion replaces the lines of the thread. A whole file has a path line above its fence, or a path in
the info string. Answers often show a file without asking for it, so it is only a row if the user enables that, or if
there is no other row. Rules: suggestion.md and whole-files.md in docs/reference/formats. Lines are 0-based.

Edits in unsupported forms become failed rows, so that none gets lost next to good blocks (amendment A2): a suggestion
outside a thread, a snippet that leaves lines out, a merge conflict, an opener with altered signs.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from editblocks.core.blocks import EditBlock, Note, ParsedRow, Problem, ThreadLines
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import cut, join_words, named_lines, plural
from editblocks.formats.grammar import CUT_OFF, OTHER_FORM, Fault, Format, Located, Unmarked, is_markup, join
from editblocks.formats.hunks import BEGIN_PATCH
from editblocks.formats.markers import DIVIDER, FILE_ACTION, Kind, Marker, Token, indent_of
from editblocks.formats.whole_file import WHOLE_FILE
from editblocks.parsing.containers import Container, Containers, width
from editblocks.parsing.file_of_block import mentions_file, path_in_first_line, path_of_whole_file
from editblocks.parsing.notes import SHELLS
from editblocks.parsing.open_block import dedent, swallowed_block
from editblocks.parsing.path_line import clear_path
from editblocks.parsing.rows import Rows

_WHOLE_FILE_NAME = WHOLE_FILE.names[0]
_SUGGESTION = "suggestion"  # the info string, and the name of the format
SUGGESTION = Unmarked(names=(_SUGGESTION,))
_GITLAB_SUGGESTION = r"suggestion:-[0-9]+\+[0-9]+"
_SHORTEST = 3  # characters of a fence
_MOST_NAMED = 3  # files in a note
_OUTPUT_WORDS = SHELLS | {"text", "output"}  # below a path, such a fence may show a command with that file
_USE_LONGER_FENCE = "send the file in a fence of four characters"
_GUTTER = r"[ \t]*([0-9]{1,7})[ \t]*[|│→]"
_OTHER_FENCE = r"(?:<(?:source|code|pre|codeblock|sourcecode)>[A-Za-z0-9_+#.-]*[ \t\r]*|#\+(?i:begin_src)[^\n]*)\n"
_SHELL_FILES = (".sh", ".bash", ".zsh", ".txt")
CONFLICTS: frozenset[Kind | Marker] = frozenset({Kind.CONFLICT_START, DIVIDER, Kind.CONFLICT_END})
_PLACEHOLDER = (  # `// ... existing code ...`, `# rest of the class`
    r"(?i)[ \t]*(?:#+|//+|--+|/\*+|\{[ \t]*/\*+|<!--+|;+|%+|\(\*+)?[ \t]*"
    r"(?:(?:\.\.\.|…).*\b(?:existing|rest|remaining|remainder|previous|unchanged|omitted)\b"
    r"|existing code\b|rest of (?:the |your )?(?:code|file|function|class|method|component)s?\b)"
)
_LONGEST_PLACEHOLDER = 200  # characters


class FenceEdits:
    """Finds the fences of one text that are edits. `thread_lines` are the lines of the review thread, if it is in one.

    Only one suggestion of a text can replace the lines of the thread.
    """

    def __init__(
        self, containers: Containers, rows: Rows, enabled_formats: Collection[Format], thread_lines: ThreadLines | None
    ) -> None:
        self._containers = containers
        self._rows = rows
        self._is_in_thread = containers.thread_path is not None and thread_lines is not None
        self._thread: ThreadLines | None = None  # the lines that a suggestion replaces, if suggestions are enabled
        if self._is_in_thread and SUGGESTION in enabled_formats:
            self._thread = thread_lines
        self._first_suggestion: int | None = None  # the line of the first suggestion
        self._format = next(
            (each for each in enabled_formats if isinstance(each, Unmarked) and each.names == WHOLE_FILE.names), None
        )
        self.are_always_rows = self._format is not None and self._format.are_always_rows  # whole files are always rows
        self._kept_files: list[tuple[Container, int, Located]] = []  # as in `_row`
        self._unnamed: list[int] = []  # lines of fences whose file is named, but not in the right place

    def begins_with(self, token: Token) -> bool:
        """Whether the line begins a suggestion, and suggestions are read here."""
        return self._thread is not None and token.kind is Kind.FENCE and token.word[1:] == _SUGGESTION

    def may_show(self, text: str) -> bool:
        """Whether a text of prose may contain a fence with a whole file, and whole files are enabled.

        In a thread, a word like `Fixed` may be between a path and its fence; comments there are short.
        """
        if self._format is None:
            return False
        if "~" in text and "~~~" in text:  # to find one character is far faster
            return True
        if ("<" in text or "#+" in text) and re.search(_OTHER_FENCE, text):
            return True
        if self.are_always_rows or self._containers.thread_path is not None:
            return "```" in text
        return _may_name_file_of_fence(text)

    def rows_of_ended_fences(self) -> Iterator[ParsedRow]:
        for fence in self._containers.ended:
            has_rows = fence.first_row != self._rows.next_number
            if fence.is_inner or has_rows:
                continue
            row: ParsedRow | None = None
            if fence.mark in ("`", "~"):
                row = self._suggestion(fence) or self._snippet(fence)
            row = row or self._whole_file(fence)
            if row is not None:
                fence.holds_edit = True
                yield row

    def _suggestion(self, fence: Container) -> ParsedRow | None:
        """The row of a fence that is a suggestion; a problem if it is unclosed or not the only one."""
        thread = self._thread
        line = fence.line + self._rows.first_line
        if not self._is_in_thread and fence.language == _SUGGESTION and not fence.holds_edit:
            what = f"the suggestion at line {line} is not in a review thread"
            what += ", so it does not say which lines it replaces"
            unread = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, OTHER_FORM)
            return _unsupported_row(self._rows, fence.line, _end_of(fence) + 1, unread)
        if thread is None or not (fence.info == _SUGGESTION or re.fullmatch(_GITLAB_SUGGESTION, fence.info)):
            return None
        path = self._containers.thread_path or ""
        stop = self._containers.stop_of(fence)
        fault = self._fault_of_suggestion(fence, thread)
        if fault is None:
            self._first_suggestion = fence.line
            row: ParsedRow = _block(self._rows, fence, stop, Located(path, "P8"), thread)
        else:
            if not fence.is_closed:
                stop = max(fence.line, stop - 1)
            end_line = stop + self._rows.first_line
            row = Problem(self._rows.next_number, line, end_line, *fault, path, _SUGGESTION)
        self._rows.emit_start(row)
        return row

    def _fault_of_suggestion(self, fence: Container, thread: ThreadLines) -> Fault | None:
        line = fence.line + self._rows.first_line
        lines = named_lines((thread.first, thread.last))
        if fence.info != _SUGGESTION:
            what = f"`{fence.info}` (line {line}) is GitLab's form"
            return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "write `suggestion`, in a comment on those lines")
        if thread.is_old:
            what = f"the suggestion at line {line} is for {lines} of the file before the pull request"
            return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "comment on lines that are there now")
        if not fence.is_closed:
            return Fault(ReasonCode.UNCLOSED, f"the suggestion at line {line} has no end", CUT_OFF)
        if self._first_suggestion is not None:
            first = self._first_suggestion + self._rows.first_line
            what = f"the suggestions at lines {first} and {line} both replace {lines}"
            return Fault(ReasonCode.MALFORMED, what, "send one of them")
        return None

    def _snippet(self, fence: Container) -> Problem | None:
        """The problem of a fence with a part of a named file that has a placeholder for the other lines."""
        if fence.holds_edit or fence.holds_diff:
            return None
        inside = self._containers.lines[fence.line + 1 : _end_of(fence)]
        left_out = next((at for at, line in enumerate(inside) if _is_placeholder(line)), None)
        if left_out is None:
            return None
        path = self._path_of(fence, inside)
        if path is None:
            return None
        where = f"line {fence.line + self._rows.first_line + 1 + left_out} leaves out code of {path}"
        what = f"{where}, so the fence is neither a block nor a whole file"
        fault = Fault(ReasonCode.PLACEHOLDER, what, "ask for edit blocks")
        # without the lines of the fence: a page does not show the name of its language
        return _unsupported_row(self._rows, fence.line + 1, _end_of(fence), fault, path)

    def _path_of(self, fence: Container, inside: Sequence[str]) -> str | None:
        """The file of a snippet: named around its fence, or by its first line.

        If whole files are always rows, a fence whose file is named around it is read as one, and None is returned.
        """
        located = path_of_whole_file(self._containers, fence)
        if isinstance(located, Located):
            if self.are_always_rows:
                return None
            return located.path
        return path_in_first_line(inside)

    def _whole_file(self, fence: Container) -> ParsedRow | None:
        """The row of a whole file, if whole files are always rows; otherwise the file is kept until the end."""
        containers = self._containers
        if self._format is None or containers.action is not None or not all(each.mark for each in containers.ended):
            return None
        stop = containers.stop_of(fence)
        located = self._file_shown_in(fence, stop)
        if located is None:
            return None
        if self.are_always_rows:
            return self._row(fence, stop, located)
        if isinstance(located, Located) and self._fault_of_part(fence, stop) is None:
            self._kept_files.append((fence, stop, located))
        return None

    def refuse_last_if_nested(self) -> None:
        """Refuse the last whole file if the fence that just opened without a word may be the end of a fence inside it.

        Then the line that closed the file was part of it. A blank line below that line shows that it was not.
        """
        row = self._rows.unsealed
        if row is None or row.format != _WHOLE_FILE_NAME:
            return
        fence = self._containers.innermost
        if fence is None or fence.info or fence.is_inner:
            return
        lines = self._containers.lines
        last = row.end_line - self._rows.first_line
        is_alike = last < fence.line and lines[last].lstrip(" \t").startswith(fence.mark)
        has_text_below = bool(lines[last + 1].strip(" \t")) or row.file_path.endswith(".txt")
        if is_alike and has_text_below and path_of_whole_file(self._containers, fence) is None:
            what = f"the fence at line {row.end_line} may be text of {row.file_path} instead of the end of the block"
            self._rows.break_unsealed(Fault(ReasonCode.MALFORMED, what, _USE_LONGER_FENCE))

    def _file_shown_in(self, fence: Container, stop: int) -> Located | Fault | None:
        """The file that a fence shows; None if it contains anything else that is read, or if no line names the file.

        A fence without text is an empty file, if whole files are always rows.
        """
        asks_for_other = fence.file_path is not None or fence.holds_diff or fence.language == _SUGGESTION
        if fence.holds_edit or fence.shows_patch or asks_for_other:
            return None
        containers = self._containers
        inside = containers.lines[fence.line + 1 : stop]
        has_text = any(line.strip(" \t") for line in inside)
        located = path_of_whole_file(containers, fence)
        if not has_text and not (fence.is_closed and self.are_always_rows):
            return None
        if _is_session(fence, located) or self._begins_block(inside):
            return None
        if located is None and has_text and self.are_always_rows and mentions_file(containers, fence):
            self._unnamed.append(fence.line)
        return located

    def _begins_block(self, inside: Sequence[str]) -> bool:
        """Whether these lines have the opener of a block; as it was not read, it is indented and has a note."""
        kinds = {token.kind for token in self._rows.scanner.scan(join(inside), 0)}
        return BEGIN_PATCH in kinds or not kinds.isdisjoint(self._rows.scanner.pairs.openers)

    def _row(self, fence: Container, stop: int, located: Located | Fault) -> ParsedRow:
        """The row of the whole file above line `stop`: a block, or a problem."""
        rows = self._rows
        number = rows.next_number
        line = fence.line + rows.first_line
        last = stop + rows.first_line
        if not fence.is_closed:
            last -= 1
        rows.seal()
        if isinstance(located, Fault):
            row: ParsedRow = Problem(number, line, last, *located, None, _WHOLE_FILE_NAME)
        elif (fault := self._fault(fence, stop, located.path) or self._fault_of_part(fence, stop)) is not None:
            row = Problem(number, line, last, *fault, located.path, _WHOLE_FILE_NAME)
        else:
            row = _block(rows, fence, stop, located)
        rows.emit_start(row)
        return row

    def _fault_of_part(self, fence: Container, stop: int) -> Fault | None:
        """Why the file may be part of a block with missing markers; None if it is not."""
        first = fence.line + 1
        inside = self._containers.lines[first:stop]
        return swallowed_block("", join(inside), first + self._rows.first_line, self._rows.scanner)

    def _fault(self, fence: Container, stop: int, path: str) -> Fault | None:
        line = fence.line + self._rows.first_line
        lines = self._containers.lines
        is_cut = stop == len(lines)
        may_be_inner = fence.is_closed and width(indent_of(lines[stop])) > fence.column
        if fence.mark == "`" and fence.length == _SHORTEST and is_markup(path):
            # A text such as `CMakeLists.txt` is code, if its fence is the only one so far.
            is_code = path.endswith(".txt") and len(self._containers.openings) == 1
            may_be_inner = may_be_inner or not is_code
        if may_be_inner and self.are_always_rows and not is_cut:
            what = f"a fence in {path} may have ended the one at line {line}"
            return Fault(ReasonCode.MALFORMED, what, _USE_LONGER_FENCE)
        if not fence.is_closed:
            what = f"the fence at line {line} has no end"
            if is_cut:
                return Fault(ReasonCode.UNCLOSED, what, CUT_OFF)
            return Fault(ReasonCode.UNCLOSED, f"{what} before the next fence", _USE_LONGER_FENCE)
        if not self.are_always_rows:
            return None
        column = _column_beside_text([line for line in lines[fence.line + 1 : stop] if line.strip(" \t")])
        if column:
            return Fault(ReasonCode.MALFORMED, f"each line begins {column}", "ask only for the lines of the file")
        return None

    def end(self) -> None:
        """Finish the text: without any other row, make rows of the whole files that were kept."""
        if self._rows.items:
            return
        for fence, stop, located in self._kept_files:
            if self._rows.is_full:
                break
            self._rows.add(self._row(fence, stop, located))
        self._rows.seal()
        self._kept_files = []

    def notes(self) -> Iterator[Note]:
        """Yield notes about whole files that are not written, next to other rows or without a clear name."""
        paths = list(dict.fromkeys(located.path for _, _, located in self._kept_files))
        if paths:
            parts = paths[:_MOST_NAMED]
            if len(paths) > _MOST_NAMED:
                parts.append(plural(len(paths) - _MOST_NAMED, "other file"))
            verb = "is" if len(paths) == 1 else "are"
            what = f"{join_words(parts)} {verb} shown in full, but not written, because the answer has blocks"
            message = f"{what}; add --whole-files all to write full files"
            line = min(fence.line for fence, _, _ in self._kept_files)
            yield Note("whole-file-beside", message, line + self._rows.first_line)
        if self._unnamed:
            line = self._unnamed[0] + self._rows.first_line
            others = len(self._unnamed) - 1
            besides = ""
            if others:
                verb = "is" if others == 1 else "are"
                besides = f", nor {verb} {plural(others, 'other one')}"
            message = f"the fence at line {line} is not written{besides}; put the path alone on the line above"
            yield Note("whole-file-beside", message, line)


class OtherForms:
    """Makes rows of edits in unsupported forms outside fences of their own: merge conflicts and other openers."""

    def __init__(self, containers: Containers, rows: Rows) -> None:
        self._containers = containers
        self._rows = rows
        self._conflict: Token | None = None  # the line that began one
        self._has_divider = False

    def take_conflict(self, token: Token) -> None:
        """Handle a line that may belong to a merge conflict."""
        start = self._conflict
        if token.kind is Kind.CONFLICT_START:
            self._conflict = token
            self._has_divider = False
        elif start is None or (start.indent, start.length) != (token.indent, token.length):
            return
        elif token.kind is DIVIDER:
            self._has_divider = True
        elif self._has_divider:
            self._conflict = None
            where = named_lines((start.line + self._rows.first_line, token.line + self._rows.first_line))
            fault = Fault(
                ReasonCode.UNSUPPORTED_FORMAT, f"{where} are a merge conflict of git, not an edit block", OTHER_FORM
            )
            self._rows.seal()
            self._rows.add(_unsupported_row(self._rows, start.line, token.line + 1, fault))
            self._containers.end_row(token.line + 1)

    def take_opener(self, token: Token) -> None:
        """Handle an opener of an unsupported format, a broken tag, or an opener with altered signs."""
        line_number = token.line + self._rows.first_line
        line = self._containers.lines[token.line].strip()
        if token.kind is Kind.OPEN_OTHER:
            what = f"`{line}` (line {line_number}) is not supported yet"
            fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, OTHER_FORM)
        elif token.kind is Kind.BAD_ACTION:
            what = f"the tag at line {line_number} cannot be read"
            fault = Fault(ReasonCode.MALFORMED, what, f"write it on one line, as `{FILE_ACTION.text}`")
        else:
            what = f"line {line_number}, `{cut(line)}`, is an opener with {token.word}"
            fault = Fault(ReasonCode.MALFORMED, what, "paste the answer as the model wrote it")
            for fence in self._containers.fences:  # the lines below are not a whole file or a diff
                fence.holds_edit = True
                fence.shows_patch = True
        self._rows.add_problem(token.line, fault)


def _unsupported_row(rows: Rows, start: int, stop: int, fault: Fault, path: str | None = None) -> Problem:
    """The row of lines `start:stop`, which are an edit in an unsupported form."""
    stop = min(stop, len(rows.lines))  # a fence without an end has no closing line
    first = rows.first_line
    return Problem(rows.next_number, start + first, stop - 1 + first, *fault, path, is_unsupported_form=True)


def _end_of(fence: Container) -> int:
    """The closing line of a fence; the line below its first line if something else ended it."""
    return fence.line + 1 if fence.stop is None else fence.stop


def _block(rows: Rows, fence: Container, stop: int, located: Located, thread: ThreadLines | None = None) -> EditBlock:
    """The block of a fence that line `stop` closes: a suggestion if there is a `thread`, otherwise a whole file."""
    inside = rows.lines[fence.line : stop + 1]
    lines, notes = dedent(inside, indent_of(inside[0]))
    name = _WHOLE_FILE_NAME
    action = "replace-file"
    if thread is not None:
        name = _SUGGESTION
        action = "edit"
    return EditBlock(
        number=rows.next_number,
        file_path=located.path,
        format=name,
        line_number=fence.line + rows.first_line,
        end_line=stop + rows.first_line,
        new_lines=join(lines[1:-1]),
        raw_block=join(inside),
        path_source=located.source,
        notes=(*located.notes, *notes),
        action=action,
        thread_lines=thread,
    )


def _may_name_file_of_fence(text: str) -> bool:
    """Whether any fence line has a possible path in its info string, or a path or a tag in the nearest text above.

    Closing lines are not told from opening ones, so the result may be wrongly True, but never wrongly False.
    """
    above_start = 0
    for match in re.finditer("```([^\n]*)", text):
        start = text.rfind("\n", 0, match.start()) + 1
        if not text[start : match.start()].strip(" \t"):
            info = match[1]
            above = text[above_start:start].rstrip(" \t\r\n").rpartition("\n")[2]
            above_start = match.end()
            if clear_path(above) is not None or above.lstrip(" \t").startswith("<"):
                return True
            if "." in info or "/" in info or "\\" in info:
                return True
    return False


def _is_session(fence: Container, located: Located | Fault | None) -> bool:
    """Whether the fence shows a shell session or an output, and not a file."""
    is_file = isinstance(located, Located) and (located.source == "P3" or located.path.endswith(_SHELL_FILES))
    return fence.language in _OUTPUT_WORDS and not is_file


def _column_beside_text(lines: Sequence[str]) -> str:
    """Describe what all lines begin with, if it cannot be part of a file; otherwise "". `lines` are not blank."""
    numbers = [int(match[1]) for line in lines if (match := re.match(_GUTTER, line))]
    if len(lines) == len(numbers) > 1 and all(one < other for one, other in pairwise(numbers)):
        return "with its number"
    signs = {line[0] for line in lines}
    if "+" in signs and signs <= {"+", "-", " "}:
        return "with a sign of a diff"
    return ""


def _is_placeholder(line: str) -> bool:
    return len(line) <= _LONGEST_PLACEHOLDER and re.match(_PLACEHOLDER, line) is not None
