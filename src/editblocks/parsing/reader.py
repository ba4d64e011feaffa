"""The state machine that makes blocks and problems of the lines that matter.

Theory of operation. In text, fences, actions and headings are followed, and an opener starts a block. In
a block, `OpenBlock` says of each marker line whether it closes it. A block that is cut off becomes a problem, and its
lines are read again as text (`Broken`), so that it hides nothing behind it. What is found there may belong to the
broken block, so it is a problem too, unless the fence or action that held the broken block had been closed before.
In an action that runs something, openers are counted as problems. In a model's thoughts nothing is read. The states
are asked in the order of `_take`; what a line of text does is the table `_IN_TEXT` at the end of this module.
Rules and reasons: docs/reference/rules.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockProgress, BlockStarted, DraftsLeftOut, Event
from editblocks.core.outcome import Part
from editblocks.formats.grammar import CUT_OFF, Fault, Format, Located
from editblocks.formats.markers import END_ACTION, FILE_ACTION, Kind, Marker, Token, read_tag
from editblocks.formats.patch_lines import BEGIN_PATCH
from editblocks.formats.scanner import Scanner
from editblocks.formats.tool_calls import TOOL_CALLS
from editblocks.formats.whole_file import on_its_line
from editblocks.parsing.containers import CONTAINERS, Containers, is_listing
from editblocks.parsing.file_of_block import locate
from editblocks.parsing.notes import NOTED, Margin, Thoughts
from editblocks.parsing.open_block import AnswerText, Broken, OpenBlock
from editblocks.parsing.patches import DIFF_LINES, Patches, Region
from editblocks.parsing.rows import Rows, as_problem
from editblocks.parsing.shell_suggestions import SHELLS, Suggestions, Unread
from editblocks.parsing.suggestion_fence import SUGGESTION, SuggestionFences
from editblocks.parsing.tool_calls import CALL_LINES, OpenCall, OpenTags, ToolCalls
from editblocks.parsing.unread_edits import CONFLICTS, UnreadEdits
from editblocks.parsing.whole_files import WholeFiles

_PATCHES = frozenset({BEGIN_PATCH, Kind.PATCH_HEADER})
_REFUSED = frozenset({Kind.OPEN_OTHER, Kind.BAD_ACTION, Kind.ESCAPED})
MOST_MARKERS = 25_000  # lines that may be markers, fifty a block; each is a step, and so is each that is read again
_PIECE = 32 * 1024  # characters that are scanned at a time, so that what is too much is not


class Reader:
    """Takes whole lines, keeps the rows. `scanner` knows all formats, `asked_for` are those to be read.

    `thread` is the review thread around; its text is not looked at.

    After `most_rows` rows, or MOST_MARKERS lines that may be markers, nothing more is read, and the last row says so.
    """

    def __init__(
        self, scanner: Scanner, asked_for: Sequence[Format], thread: Part, first_line: int, most_rows: int
    ) -> None:
        self.scanner = scanner
        self._may_be_listed = scanner.openers | scanner.closers_in_text | _PATCHES | _REFUSED
        self._asked_for = asked_for
        self._thread = thread
        self._most_rows = most_rows
        self._first_line = first_line
        self._tokens: list[Token] = []
        self._next = 0
        self._forgotten = 0  # tokens that were dropped
        self._steps = 0
        self._open: OpenBlock | None = None
        self.lines: list[str] = []
        self._text = AnswerText(self.lines, self._tokens, first_line, scanner, asked_for)
        self._thoughts = Thoughts(first_line)
        self._begin(events=None)

    def _begin(self, events: list[Event] | None) -> None:
        """Begin with a text, or once more behind thoughts that began with it."""
        self._markers = Counter[Kind | Marker]()  # openers and closers that were read
        self.rows = Rows(self.lines, self.scanner, self._first_line, self._most_rows)
        self.rows.events = events
        self.containers = Containers(self.lines, self._thread.context_path)
        self._broken = Broken(self.containers)
        self.margin = Margin(self.lines, self.scanner, self._first_line)
        self.suggestions = Suggestions()
        self.patches = Patches(self.containers, self.margin, self._asked_for, self._first_line)
        thread_lines = None
        if SUGGESTION in self._asked_for:
            thread_lines = self._thread.thread_lines
        self._suggestion_fences = SuggestionFences(self.containers, self.rows, thread_lines)
        self.whole_files = WholeFiles(self.scanner, self.containers, self.rows, self._asked_for)
        self._calls = ToolCalls(self.containers, self.rows, self._broken, self._asked_for, self._read_alone)
        in_thread = self._thread.context_path is not None and self._thread.thread_lines is not None
        reads_files = self.whole_files.is_asked_for
        self._unread_edits = UnreadEdits(self.containers, self.rows, in_thread=in_thread, reads_files=reads_files)
        self._unread = Unread(self.scanner, self.lines, self.rows, self._begins, self.suggestions)
        self.base: str | None = None

    def take_lines(self, whole: str) -> None:
        """Take the next lines, each ended by a newline."""
        if not self.lines:
            whole = whole.removeprefix("\ufeff")
        start = 0
        while start < len(whole) and not self.rows.is_full:
            stop = whole.find("\n", start + _PIECE) + 1 or len(whole)
            text = whole[start:stop]
            if "\r" in text:  # one sign is found far faster than two
                self.patches.crlf.extend(line.endswith("\r") for line in text[:-1].split("\n"))
                text = text.replace("\r\n", "\n")
            else:
                self.patches.crlf.extend(bytes(text.count("\n")))
            self._tokens.extend(self.scanner.scan(text, len(self.lines)))
            self.lines.extend(text[:-1].split("\n"))
            self._run(at_end=False)
            self._forget_tokens()
            start = stop
        if self._open is not None and self.rows.events is not None:
            self.rows.tell(*self._open.progress(len(self.lines)))

    def _forget_tokens(self) -> None:
        """Drop the tokens that were taken, unless what is open may have them taken once more."""
        may_go_back = (self._open, self.patches.open, self.patches.header, self._thoughts.start, self._broken.region)
        if all(each is None for each in may_go_back) and not isinstance(self._calls.open, OpenTags):
            del self._tokens[: self._next]
            self._forgotten += self._next
            self._next = 0

    def end(self) -> None:
        """The text is over: break what is open. A thought without an end is read, to see whether it holds blocks."""
        self._run(at_end=True)
        start = self._thoughts.start
        if start is None:
            self._finish()
            return
        rows = len(self.rows.items)
        events = self.rows.events
        self._thoughts.start = None
        self._thoughts.is_read = False
        self._next = self._thoughts.index
        self.rows.events = None
        self._run(at_end=True)
        self._finish()
        self.rows.events = events
        if len(self.rows.items) > rows:
            del self.rows.items[rows:]
            self.rows.is_full = False
            self.rows.add_problem(start, self._thoughts.fault(start))

    def _finish(self) -> None:
        self._calls.end()
        self._look_at_last_line()
        self.rows.end_unread(len(self.lines))
        self.containers.leave_all()
        self._look_at_left()
        self.rows.seal()
        self._unread.end(len(self.lines))
        self.whole_files.end()

    def _look_at_last_line(self) -> None:
        """A text that is cut off in an opener has lost at least that block."""
        last = next((number for number in reversed(range(len(self.lines))) if self.lines[number].strip(" \t")), None)
        if last is None or self.rows.is_full or not self.scanner.hints.is_cut_opener(self.lines[last]):
            return
        shown = last + self._first_line
        if not self.rows.items or self.rows.items[-1].end_line < shown:
            self.margin.forget(shown)
            what = f"line {shown}, the last one, is an opener that is cut off"
            self.rows.add_problem(last, Fault(ReasonCode.UNCLOSED, what, CUT_OFF))

    def marker_counts(self) -> str:
        """The openers and closers that do not come in pairs, as `3 SEARCH, 2 REPLACE`."""
        formats = [each for each, *_ in self.scanner.grammars.values()]
        counts = [(self._markers.get(each.opener, 0), self._markers.get(each.closer, 0), each) for each in formats]
        return ", ".join(
            f"{openers} {grammar.words[0]}, {closers} {grammar.words[1]}"
            for openers, closers, grammar in counts
            if openers != closers
        )

    def notes(self) -> Iterator[Note]:
        """What is said besides the rows; what belongs to blocks only if there are any."""
        has_rows = bool(self.rows.items)
        unclosed = self.containers.unclosed if has_rows else []
        yield from self.margin.notes(unclosed)
        yield from self.patches.notes(self._first_line, has_rows=has_rows)
        yield from self.whole_files.notes()
        yield from self._thoughts.notes()
        yield from self._calls.notes()

    def result(self) -> ParseResult:
        """Everything that was seen, once the text is over."""
        items = self.rows.items
        for line, command in self._calls.commands:
            self.suggestions.add(line, command)
        result = ParseResult(
            blocks=tuple(row for row in items if isinstance(row, EditBlock)),
            problems=tuple(row for row in items if isinstance(row, Problem)),
            notes=tuple(self.notes()),
            shell_suggestions=self.suggestions.in_order(),
            base=self.base,
            unbalanced=self.marker_counts(),
            is_cut=self.rows.is_full,
        )
        self.lines.clear()  # its parts know each other, so that only the garbage collector would free them
        return result

    def _run(self, at_end: bool) -> None:
        while not self.rows.is_full:
            region = self._broken.region
            # Here ends what is read now: the lines of a broken block, or all that has arrived.
            stop = len(self._tokens) if region is None else region.stop
            if self._next < stop:
                token = self._tokens[self._next]
                self._next += 1
                self._steps += token.kind not in CALL_LINES
                if self._steps > MOST_MARKERS:
                    self.rows.stop(token.line, f"more than {MOST_MARKERS:,} marker lines")
                    return
                self._take(token)
            elif self._open is not None and (region is not None or at_end):
                self._break(self._open, stop)
            elif self.patches.is_pending and (region is not None or at_end):
                line = self._line_of(stop)
                self.patches.settle(line)
                if self.patches.open is not None:
                    self._end_patch(self.patches.open, line, None)
            elif region is not None:
                self._broken.leave()
            elif self._calls.open is None or not self._ends_call(self._calls.open, at_end=at_end):
                return

    def _line_of(self, index: int) -> int:
        """The line of a token; the end of the text behind the last one."""
        if index < len(self._tokens):
            return self._tokens[index].line
        return len(self.lines)

    def _take(self, token: Token) -> None:
        if self._open is not None:
            effect = self._open.take(token, self._next - 1)
            if effect == "close":
                self._close(self._open, token)
            elif effect == "break":
                self._break(self._open, self._next - 1)
            return
        if self.patches.header is not None:
            self.patches.settle(token.line)
        if self.patches.open is not None:
            self._take_in_patch(self.patches.open, token)
        elif self._thoughts.start is not None:
            self._take_in_thought(token, self._thoughts.start)
        elif self._calls.open is not None and self._is_of_call(self._calls.open, token):
            return
        elif self._unread.running is not None:
            if self._unread.take_in_running(self._unread.running, token):
                self._take_in_text(token)
        elif (region := self._broken.region) is None or self._next > region.counts_from:
            self._take_in_text(token)
        elif token.kind in CONTAINERS:
            self._enter_or_leave(token)

    def _is_of_call(self, call: OpenCall, token: Token) -> bool:
        """Whether a line is of the tool call that is open; it may also show that the call has no end."""
        index = self._next - 1
        effect = self._calls.follow(call, token, index, is_opener=self._begins(token))
        if effect == "again" and isinstance(call, OpenTags):
            self._read_again(call, index)
        return effect != "text"

    def _ends_call(self, call: OpenCall, *, at_end: bool) -> bool:
        """Whether the tool call that is open is over with the lines that are there."""
        effect = self._calls.look(call, at_end=at_end)
        if effect == "again" and isinstance(call, OpenTags):
            self._read_again(call, len(self._tokens))
        return effect != "held"

    def _read_again(self, call: OpenTags, stop: int) -> None:
        """A tool call has no end before token `stop`, or is none: its lines are text."""
        if call.is_cut:
            is_read = self._broken.may_read(stop - call.index, stop + self._forgotten)
            self._broken.enter(call.broken_part(stop, self._first_line, is_read=is_read))
        self._next = call.index + 1

    def _read_alone(self, text: str, first_line: int) -> ParseResult:
        """Read a text in a tool call as if it stood alone. It holds no calls."""
        formats = [each for each in self._asked_for if each is not TOOL_CALLS]
        reader = Reader(self.scanner, formats, Part(0, ""), first_line, self._most_rows)
        reader.take_lines(f"{text}\n")
        reader.end()
        return reader.result()

    def _take_in_thought(self, token: Token, start: int) -> None:
        """What begins in a thought is counted, and not read."""
        if token.kind is Kind.END_THOUGHT:
            if self._thoughts.may_hold_calls:
                self._thoughts.drafts += self._calls.drafts(start, token.line)
            self._thoughts.close(start, token.line)
            self.containers.end_row(token.line + 1)
        elif self._begins(token):
            self._thoughts.drafts += 1
        elif token.kind in (Kind.JSON, Kind.CALL):
            self._thoughts.may_hold_calls = True

    def _take_tag_of_thought(self, token: Token) -> None:
        """A closing tag alone ends what began with the text. In a fence it counts below a block: no file goes on so."""
        fence = self.containers.fence
        if self._broken.region is not None:
            return
        if token.kind is Kind.THOUGHT:
            if fence is None and self._thoughts.is_read:
                self.rows.seal()
                self._thoughts.open(token.line, self._next)
        elif fence is None or fence.holds_block:
            self._thoughts.close_all(token.line, len(self.rows.items))
            events: list[Event] | None = None
            if self.rows.events is not None:
                events = []  # what was not told yet need not be told
            self._begin(events)
            self.rows.tell(DraftsLeftOut(token.line + self._first_line))
            self.containers.end_row(token.line + 1)

    def _begins(self, token: Token) -> bool:
        """Whether a block, a patch or a suggestion begins with this line."""
        is_opener = token.kind in self.scanner.openers or token.kind is BEGIN_PATCH
        return is_opener or self.patches.begins_at(token) or self._suggestion_fences.begins_with(token)

    def _take_in_text(self, token: Token) -> None:
        """Openers and closers are those of the formats; what any other line does is a row of `_IN_TEXT`."""
        if self.containers.heading is not None:
            self.containers.pass_text(token.line)
        if token.kind in CONTAINERS:
            if token.kind is self.rows.closer and self.containers.action is None and self._may_double(token):
                self._take_stray(token)  # `</boltAction>`
            self._enter_or_leave(token)
        if token.kind in self._may_be_listed and self._is_listed(token):
            self.margin.note_listing(token.line)
        elif token.kind in self.scanner.openers:
            self._start(token)
        elif token.kind in self.scanner.closers_in_text:
            self._take_closer(token)
        elif (effect := _IN_TEXT.get(token.kind)) is not None:
            effect(self, token)

    def _is_listed(self, token: Token) -> bool:
        """Whether a marker stands in a fence as a line of code would."""
        return bool(token.indent and self.containers.fences) and is_listing(token.indent, self.containers.innermost)

    def _take_closer(self, token: Token) -> None:
        if self.margin.is_quoted(token.line):
            return
        if token.kind not in self.scanner.bare or self._may_double(token):
            self._take_stray(token)
        else:
            self.margin.note_closer(token)

    def _take_patch_line(self, token: Token) -> None:
        self.patches.take(token, self._next - 1)

    def _take_command(self, token: Token) -> None:
        if not self.containers.fences and self._broken.region is None:
            self.suggestions.add(token.line, token.word)

    def _take_call(self, token: Token) -> None:
        if self._broken.region is None:
            self._calls.take(token, self._next - 1)

    def _take_base(self, token: Token) -> None:
        if not self.rows.items and not self.containers.fences:
            self.base = token.word

    def _enter_or_leave(self, token: Token) -> None:
        self.containers.take(token)
        self.whole_files.doubt_last()
        if self.containers.left:
            self._look_at_left()
        if (container := self.containers.innermost) is not None:
            container.first_row = container.first_row or self.rows.next_number
            if self._broken.region is not None:  # what stands in a broken block is nobody's suggestion
                container.holds_block = True

    def _look_at_left(self) -> None:
        """What asked for an edit, and is over without a row: nothing is dropped in silence."""
        self._calls.beside_blocks()
        number = self.rows.next_number
        left = self.containers.left
        if [each for each in left if not each.holds_block or each.first_row == number or each.calls_stop]:
            self._calls.left()
            for row in chain(self._suggestion_fences.left(), self._unread_edits.left(), self.whole_files.left()):
                self.rows.add(self._broken.trusted(row))
            for fence in sorted(left, key=lambda each: each.line):
                if fence.stop is None:
                    continue
                if not fence.holds_block and fence.info.split(" ")[0].lower() in SHELLS:
                    self.suggestions.add_lines(fence.line, self.lines[fence.line + 1 : fence.stop])
                self.patches.take_fence(fence)
            for container in left:
                if container.first_row == self.rows.next_number and self._broken.region is None:
                    self.rows.add_empty(container)
        self.containers.left = []

    def _may_double(self, token: Token) -> bool:
        """Whether a line that is prose elsewhere follows a block that it would have closed."""
        return not self.rows.is_sealed and self.rows.closer is token.kind

    def _take_stray(self, token: Token) -> None:
        if self.rows.take_stray_closer(token, self.containers.innermost):
            self.containers.row_stop = token.line + 1
        else:
            self._markers[token.kind] += 1

    def _start(self, token: Token) -> None:
        located = locate(self.containers, token)
        self.rows.seal()
        self._markers[token.kind] += 1
        for open_fence in self.containers.fences:
            open_fence.holds_block = True
        block = OpenBlock(self._text, self._next - 1, self.rows.next_number, located, self.containers.innermost)
        if self.rows.events is not None:
            self.rows.tell(block.started)
        region = self._broken.region
        if region is not None and not region.is_read:
            self.rows.add(block.problem(token.line, region.may_hold_it))
        elif token.kind is FILE_ACTION and (tag := read_tag(token.word)) and tag.ends_here:
            self._markers[END_ACTION] += 1
            self.rows.add(block.problem(token.line, on_its_line(token.line + self._first_line)))
        else:
            self._open = block

    def _close(self, block: OpenBlock, closer: Token) -> None:
        """The closer was found: make a row of the block."""
        self._open = None
        self._markers[block.grammar.closer] += 1
        if self.rows.events is not None:
            self.rows.tell(*block.progress(closer.line), BlockProgress(block.number, "closed", ()))
        # An action names the file of its own lines only, so nothing is handed on from it.
        located = None
        if block.opener.kind is not FILE_ACTION and isinstance(block.located, Located):
            located = block.located
        self.containers.end_row(closer.line + 1, located)
        self.rows.add(self._broken.trusted(block.row(closer)), block.container, closer.kind)

    def _take_in_patch(self, patch: Region, token: Token) -> None:
        """A line inside a patch counts only if it ends it; what stands behind its last row is read again as text."""
        stop = self.patches.end_at(patch, token)
        if stop is not None:
            self._end_patch(patch, stop, token.kind)

    def _end_patch(self, patch: Region, stop: int, ended_by: Kind | Marker | None) -> None:
        rows, stop = self.patches.end(patch, stop, ended_by, self.rows.left)
        while self._next > patch.index + 1 and self._tokens[self._next - 1].line >= stop:
            self._next -= 1
        region = self._broken.around()
        for row in rows:
            numbered: EditBlock | Problem = row._replace(number=self.rows.next_number)
            if isinstance(numbered, EditBlock):
                if region is not None:
                    numbered = as_problem(numbered, region.may_hold_it)
                else:
                    self.rows.tell(
                        BlockStarted(numbered.number, numbered.format, numbered.file_path, numbered.line_number)
                    )
            self.rows.add(numbered)
        self.rows.seal()
        self.containers.end_row(stop)

    def _break(self, block: OpenBlock, stop: int) -> None:
        """The block is cut off by token `stop`, or by the end: close it where it may be meant, or give it up."""
        is_read = self._broken.may_read(stop - block.index, stop + self._forgotten)
        if block.odd_closer is not None and is_read:
            self._next = block.odd_closer + 1
            self._close(block, self._tokens[block.odd_closer])
            return
        self._open = None
        self.rows.add(block.cut_off(self._line_of(stop), is_at_end=stop == len(self._tokens)))
        self.containers.end_row(self.containers.row_stop)
        self._broken.enter(block.broken_part(stop, is_read=is_read))
        self._next = block.index + 1


# What a line of text does, by its kind; containers, openers and closers aside.
_IN_TEXT: dict[Kind | Marker, Callable[[Reader, Token], None]] = {
    # rows of what is not read
    **dict.fromkeys(_REFUSED, lambda reader, token: reader._unread_edits.take_opener(token)),
    **dict.fromkeys(CALL_LINES, Reader._take_call),
    **dict.fromkeys(CONFLICTS, lambda reader, token: reader._unread_edits.take_conflict(token)),
    # patches and diffs
    BEGIN_PATCH: Reader._take_patch_line,
    Kind.PATCH_HEADER: Reader._take_patch_line,
    **dict.fromkeys(DIFF_LINES, Reader._take_patch_line),
    # what is no edit
    Kind.THOUGHT: Reader._take_tag_of_thought,
    Kind.END_THOUGHT: Reader._take_tag_of_thought,
    Kind.OTHER_ACTION: lambda reader, token: reader._unread.start(token),
    Kind.COMMAND: Reader._take_command,
    Kind.BASE: Reader._take_base,
    # notes
    **dict.fromkeys(NOTED, lambda reader, token: reader.margin.take(token)),
}
