"""The reader: a state machine over the lines of an answer.

A line that may matter is a token. A table gives the effect of a token by the state of the reader and the kind of the
token: a function of both. In the state `text`, the reader follows fences, actions and headings, and an opener begins a
block. A block that is cut off becomes a problem, and its lines are read again as text (`BrokenBlocks`), so that it
hides nothing below it. A row among these lines may belong to the broken block, so it becomes a problem too, unless the
fence or the action around the broken block was closed before. In an action that runs something, openers become
problems. In a model's thoughts nothing is read. Rules and reasons: docs/reference/rules.md.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from editblocks.core.blocks import BlockProgress, DraftsLeftOut, EditBlock, Note, ParsedRow, ParseResult
from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Part
from editblocks.formats.grammar import SEND_BOTH, Fault, Format, Located
from editblocks.formats.hunks import BEGIN_PATCH
from editblocks.formats.markers import END, END_ACTION, FILE_ACTION, Kind, Marker, Token, read_tag
from editblocks.formats.scanner import Scanner
from editblocks.formats.tool_calls import TOOL_CALLS
from editblocks.formats.whole_file import on_its_line
from editblocks.parsing.containers import CONTAINERS, Containers, is_listing
from editblocks.parsing.fences import CONFLICTS, FenceEdits, OtherForms
from editblocks.parsing.notes import NOTED, SHELLS, NoteCollector, ShellCommands, Thoughts
from editblocks.parsing.open_block import OpenBlock
from editblocks.parsing.patches import Patches, Region
from editblocks.parsing.rows import BrokenBlocks, BrokenPart, Rows, as_problem
from editblocks.parsing.tool_calls import CALL_LINES, CallEffect, OpenCall, OpenTags, ToolCalls, refuse_other_file

REFUSED = (Kind.OPEN_OTHER, Kind.BAD_ACTION, Kind.ESCAPED)  # openers of unsupported forms
MOST_MARKERS = 25_000  # tokens, fifty for each block; tokens that are read again count again
_PIECE = 32 * 1024  # characters that are scanned at a time, so that nothing is scanned after the limit

ReaderState = Literal["text", "broken", "thought", "running", "block", "patch", "call"]
Action = Callable[["Reader", Token], None]
EVERY_LINE = None  # stands for all kinds of lines in the table


@lru_cache(maxsize=8)
def table_of(scanner: Scanner) -> Mapping[ReaderState, Mapping[Kind | Marker | None, Action]]:
    """The action for each state and kind of line. A line without an action has no effect."""
    # The lines that may begin an edit.
    beginnings: tuple[Kind | Marker, ...] = (*scanner.pairs.openers, BEGIN_PATCH, Kind.HUNK, Kind.FENCE)
    return {
        "text": {
            # containers of blocks
            Kind.FENCE: enter_or_leave,
            Kind.TAG: enter_or_leave,
            Kind.HEADING: enter_or_leave,
            Kind.EDIT_ACTION: enter_or_leave,
            Kind.END_ARTIFACT: enter_or_leave,
            END_ACTION: end_action,
            # blocks
            **dict.fromkeys(scanner.pairs.openers, unless_code(begin_block)),
            **dict.fromkeys(scanner.pairs.closers_in_text, unless_code(take_closer)),
            FILE_ACTION: begin_file,
            # patches, diffs and tool calls
            BEGIN_PATCH: unless_code(begin_patch),
            Kind.PATCH_HEADER: unless_code(begin_patch),
            Kind.GIT_DIFF: begin_patch,
            Kind.NEW_NAME: begin_patch,
            Kind.HUNK: begin_patch,
            **dict.fromkeys(CALL_LINES, begin_call),
            # edits in unsupported forms
            **dict.fromkeys(REFUSED, unless_code(lambda reader, token: reader.other_forms.take_opener(token))),
            **dict.fromkeys(CONFLICTS, lambda reader, token: reader.other_forms.take_conflict(token)),
            # lines that are not edits
            Kind.THOUGHT: begin_thought,
            Kind.END_THOUGHT: drop_as_thought,
            Kind.OTHER_ACTION: begin_running,
            Kind.COMMAND: take_command,
            Kind.BASE: take_base,
            **dict.fromkeys(NOTED, lambda reader, token: reader.note_collector.take(token)),
        },
        # the lines of a block that was cut off, up to the first opener in it
        "broken": {**dict.fromkeys(CONTAINERS, enter_or_leave)},
        "thought": {
            **dict.fromkeys((*beginnings, Kind.JSON, Kind.CALL), count_draft),
            Kind.END_THOUGHT: end_thought,
        },
        # an action that runs something
        "running": {
            **dict.fromkeys(beginnings, begin_unread),
            **dict.fromkeys((END_ACTION, Kind.END_ARTIFACT), lambda reader, token: end_running(reader, token.line)),
            **dict.fromkeys((FILE_ACTION, Kind.EDIT_ACTION, Kind.OTHER_ACTION), begin_another),
        },
        # Every line goes to the open block, patch or call, which knows the line that ends it.
        "block": {EVERY_LINE: take_in_block},
        "patch": {EVERY_LINE: take_in_patch},
        "call": {EVERY_LINE: take_in_call},
    }


class Reader:
    """Reads whole lines and keeps the rows. `scanner` knows all formats, `enabled_formats` are the enabled ones.

    `thread` is the review thread around the answer; its text is ignored.

    After `most_rows` rows, or MOST_MARKERS lines that may be markers, nothing more is read, and the last row says so.
    """

    state: ReaderState
    block: OpenBlock  # the open block, in state `block`
    patch: Region  # the open patch, in state `patch`
    call: OpenCall  # the open tool call, in state `call`
    action_start = 0  # the first line of the action, in state `running`
    holds_opener = False  # in state `running`: whether the action contains an opener

    def __init__(
        self, scanner: Scanner, enabled_formats: Sequence[Format], thread: Part, first_line: int, most_rows: int
    ) -> None:
        self.scanner = scanner
        self.table = table_of(scanner)
        self.enabled_formats = enabled_formats
        self.thread = thread
        self.most_rows = most_rows
        self.first_line = first_line
        self.tokens: list[Token] = []
        self.index = 0  # of the current token
        self.next = 0  # index of the next token
        self.forgotten = 0  # the number of dropped tokens
        self.steps = 0
        self.lines: list[str] = []
        self.crlf = bytearray()  # per line: 1 if it ended in CR LF, else 0
        self.thoughts = Thoughts(first_line)
        self.begin()

    def begin(self) -> None:
        """Begin a text, or begin again after thoughts without an opening tag."""
        self.state = "text"
        self.rows = Rows(self.lines, self.scanner, self.first_line, self.most_rows)
        self.containers = Containers(self.lines, self.thread.context_path)
        self.broken = BrokenBlocks(self.containers)
        self.note_collector = NoteCollector(self.lines, self.scanner, self.first_line)
        self.suggestions = ShellCommands()
        self.patches = Patches(self.containers, self.note_collector, self.enabled_formats, self.first_line, self.crlf)
        self.fence_edits = FenceEdits(self.containers, self.rows, self.enabled_formats, self.thread.thread_lines)
        self.calls = ToolCalls(self.containers, self.rows, self.broken, self.enabled_formats, self.read_alone)
        self.other_forms = OtherForms(self.containers, self.rows)
        self.base: str | None = None

    def take_lines(self, whole: str) -> None:
        """Take the next lines, each with a newline at its end."""
        if not self.lines:
            whole = whole.removeprefix("\ufeff")
        start = 0
        while start < len(whole) and not self.rows.is_full:
            stop = whole.find("\n", start + _PIECE) + 1 or len(whole)
            text = whole[start:stop]
            if "\r" in text:  # to find one character is far faster
                self.crlf.extend(line.endswith("\r") for line in text[:-1].split("\n"))
                text = text.replace("\r\n", "\n")
            else:
                self.crlf.extend(bytes(text.count("\n")))
            self.tokens.extend(self.scanner.scan(text, len(self.lines)))
            self.lines.extend(text[:-1].split("\n"))
            self._run(at_end=False)
            self._forget_tokens()
            start = stop
        if self.state == "block" and self.rows.events is not None:
            self.rows.emit(*self.block.progress(len(self.lines)))

    def _forget_tokens(self) -> None:
        """Drop the tokens that were taken, unless an open block, patch, thought or call may go back to them."""
        may_go_back = self.state in ("block", "patch", "thought") or self.broken.region is not None
        if self.state == "call":
            may_go_back = isinstance(self.call, OpenTags)
        if not may_go_back:
            del self.tokens[: self.next]
            self.forgotten += self.next
            self.next = 0

    def end(self) -> None:
        """End the text: cut off what is still open. Read an unclosed thought as text, to see whether it has blocks."""
        self._run(at_end=True)
        if self.state != "thought":
            self._finish()
            return
        row_count = len(self.rows.items)
        events = self.rows.events
        self.state = "text"
        self.thoughts.is_read = False
        self.next = self.thoughts.index
        self.rows.events = None
        self._run(at_end=True)
        self._finish()
        self.rows.events = events
        if len(self.rows.items) > row_count:
            del self.rows.items[row_count:]
            self.rows.is_full = False
            self.rows.add_problem(self.thoughts.start, self.thoughts.fault())

    def _finish(self) -> None:
        self.calls.end()
        self.containers.leave_all()
        handle_ended_containers(self, len(self.lines))
        self.rows.seal()
        if self.state == "running":
            end_running(self, len(self.lines))
        self.fence_edits.end()

    def notes(self) -> Iterator[Note]:
        """Yield the notes; a note about a fence that is not closed only if there are rows."""
        unclosed = self.containers.unclosed if self.rows.items else []
        yield from self.note_collector.notes(unclosed)
        yield from self.patches.notes()
        yield from self.fence_edits.notes()
        yield from self.thoughts.notes()
        yield from self.calls.notes()

    def result(self) -> ParseResult:
        """Return the rows and notes after the end of the text."""
        for line, command in self.calls.commands:
            self.suggestions.add(line, command)
        result = self.rows.result()._replace(
            notes=tuple(self.notes()), shell_suggestions=self.suggestions.in_order(), base=self.base
        )
        self.lines.clear()  # frees them at once; the reader itself has cycles and waits for the garbage collector
        return result

    def read_alone(self, text: str, first_line: int) -> ParseResult:
        """Read a text in a tool call as a text of its own, without tool calls."""
        formats = [each for each in self.enabled_formats if each is not TOOL_CALLS]
        reader = Reader(self.scanner, formats, Part(0, ""), first_line, self.most_rows)
        reader.take_lines(f"{text}\n")
        reader.end()
        return reader.result()

    def _run(self, at_end: bool) -> None:
        """Take all tokens so far. At their end, the open block or patch may be cut off."""
        while not self.rows.is_full:
            region = self.broken.region
            # The end of the tokens to take now: those of a broken block, or all that have arrived.
            stop = len(self.tokens) if region is None else region.stop
            is_over = region is not None or at_end
            if self.next < stop:
                token = self.tokens[self.next]
                is_last_line = token.line + 1 == len(self.lines)
                if is_last_line and token.kind in (Kind.GIT_DIFF, Kind.NEW_NAME) and not at_end:
                    return  # its effect depends on the line below, which has not arrived
                self.index = self.next
                self.next += 1
                self.steps += token.kind not in CALL_LINES
                if self.steps > MOST_MARKERS:
                    self.rows.stop(token.line, f"more than {MOST_MARKERS:,} marker lines")
                    return
                self.take(token)
            elif self.state == "block" and is_over:
                break_block(self, stop)
            elif self.state == "patch" and is_over:
                end_patch(self, self.line_of(stop), None)
            elif region is not None:
                self.broken.leave()
            elif self.state != "call" or not end_call(self, at_end=at_end):
                return

    def take(self, token: Token) -> None:
        """Run the action for a token. The lines of a broken block are text from its first opener on."""
        state = self.state
        if state == "text":
            region = self.broken.region
            if region is not None and self.next <= region.counts_from:
                state = "broken"
            elif self.containers.heading is not None:
                self.containers.pass_text(token.line)
        actions = self.table[state]
        action = actions.get(token.kind) or actions.get(EVERY_LINE)
        if action is not None:
            action(self, token)

    def line_of(self, index: int) -> int:
        """The line of a token; the number of lines if there is no such token yet."""
        if index < len(self.tokens):
            return self.tokens[index].line
        return len(self.lines)

    def begins(self, token: Token) -> bool:
        """Whether this token begins a block, a patch or a suggestion."""
        is_opener = token.kind in self.scanner.pairs.openers or token.kind is BEGIN_PATCH
        return is_opener or self.patches.begins_at(token) or self.fence_edits.begins_with(token)


def unless_code(action: Action) -> Action:
    """Return an action that only notes a line that is indented like code in a fence, and otherwise runs `action`."""

    def take(reader: Reader, token: Token) -> None:
        containers = reader.containers
        if token.indent and containers.fences and is_listing(token.indent, containers.innermost):
            reader.note_collector.note_listing(token.line)
        else:
            action(reader, token)

    return take


def enter_or_leave(reader: Reader, token: Token) -> None:
    """Begin or end a fence, a tag, a heading or an action."""
    containers = reader.containers
    containers.take(token)
    reader.fence_edits.refuse_last_if_nested()
    if containers.ended:
        handle_ended_containers(reader, token.line)
    if (container := containers.innermost) is not None:
        container.first_row = container.first_row or reader.rows.next_number
        if reader.broken.region is not None:  # a fence inside a broken block is not a suggestion
            container.holds_edit = True


def handle_ended_containers(reader: Reader, stop: int) -> None:
    """Handle the containers that just ended before line `stop`.

    One that asks for an edit but has no row gets one, so that no edit gets lost.
    """
    ended = reader.containers.ended
    reader.calls.read_ended_fences(stop)
    for row in reader.fence_edits.rows_of_ended_fences():
        reader.rows.add(reader.broken.refuse_if_inside(row))
    for fence in ended:
        if fence.stop is None:
            continue
        if not fence.holds_edit and fence.first_word in SHELLS:
            reader.suggestions.add_lines(fence.line, reader.lines[fence.line + 1 : fence.stop])
        reader.patches.take_fence(fence)
    for container in reversed(ended):
        if not reader.calls.has_edit_in(container) and reader.broken.region is None:
            reader.rows.add_empty(container)
    reader.containers.ended = []


def begin_file(reader: Reader, token: Token) -> None:
    """Begin an action with a new file, which is a block. It ends an open action."""
    enter_or_leave(reader, token)
    unless_code(begin_block)(reader, token)


def end_action(reader: Reader, token: Token) -> None:
    """End an action. Outside an action, the line may repeat the closer of the block above."""
    if reader.containers.action is None and may_repeat_closer(reader, token):
        take_stray_closer(reader, token)
    enter_or_leave(reader, token)


def take_closer(reader: Reader, token: Token) -> None:
    """Handle a closer outside a block. A closer without a word is prose there, unless it follows a block."""
    if reader.note_collector.is_quoted(token.line):
        return
    if token.kind not in reader.scanner.pairs.bare or may_repeat_closer(reader, token):
        take_stray_closer(reader, token)
    else:
        reader.note_collector.note_closer(token)


def may_repeat_closer(reader: Reader, token: Token) -> bool:
    """Whether a closer follows a block that had the same closer, so that it may repeat it."""
    return not reader.rows.is_sealed and reader.rows.closer is token.kind


def take_stray_closer(reader: Reader, token: Token) -> None:
    """Handle a closer that closes nothing, or repeats the one above."""
    if reader.rows.take_stray_closer(token, reader.containers.innermost):
        reader.containers.row_stop = token.line + 1


def take_command(reader: Reader, token: Token) -> None:
    """Keep a shell command in back-ticks."""
    if not reader.containers.fences and reader.broken.region is None:
        reader.suggestions.add(token.line, token.word)


def take_base(reader: Reader, token: Token) -> None:
    """Keep the commit that the answer was written for."""
    if not reader.rows.items and not reader.containers.fences:
        reader.base = token.word


def begin_block(reader: Reader, token: Token) -> None:
    rows = reader.rows
    rows.seal()
    rows.markers[token.kind] += 1
    for open_fence in reader.containers.fences:
        open_fence.holds_edit = True
    block = OpenBlock(reader.containers, rows, reader.enabled_formats, token, reader.index)
    if rows.events is not None:
        rows.emit(block.start_event)
    region = reader.broken.region
    if region is not None and not region.is_read:
        rows.add(block.problem(token.line, region.fault))
    elif token.kind is FILE_ACTION and (tag := read_tag(token.word)) and tag.ends_here:
        rows.markers[END_ACTION] += 1
        rows.add(block.problem(token.line, on_its_line(token.line + reader.first_line)))
    else:
        reader.block = block
        reader.state = "block"


def take_in_block(reader: Reader, token: Token) -> None:
    """Pass a token to the open block, and end the block if the token does."""
    effect = reader.block.take(token, reader.index)
    if effect == "close":
        close_block(reader, token)
    elif effect == "break":
        break_block(reader, reader.index)


def close_block(reader: Reader, closer: Token) -> None:
    """End the block at its closer, and add its row."""
    block = reader.block
    reader.state = "text"
    reader.rows.markers[block.grammar.closer] += 1
    if reader.rows.events is not None:
        reader.rows.emit(*block.progress(closer.line), BlockProgress(block.number, "closed", ()))
    # An action names the file of its own lines only, so its path is not passed on.
    located = None
    if block.opener.kind is not FILE_ACTION and isinstance(block.located, Located):
        located = block.located
    [row] = refuse_other_file([block.row(closer)], reader.calls.path_around(block.opener.line))
    reader.containers.end_row(closer.line + 1, located)
    reader.rows.add(reader.broken.refuse_if_inside(row), block.container, closer.kind)


def break_block(reader: Reader, stop: int) -> None:
    """End a block that token `stop` or the end of the text cuts off: at a closer that may be meant, or as a problem."""
    block = reader.block
    is_read = reader.broken.count_reread(stop - block.index, stop + reader.forgotten)
    if block.odd_closer is not None and is_read:
        reader.next = block.odd_closer + 1
        close_block(reader, reader.tokens[block.odd_closer])
        return
    reader.state = "text"
    reader.rows.add(block.cut_off(reader.line_of(stop), is_at_end=stop == len(reader.tokens)))
    reader.containers.end_row(reader.containers.row_stop)
    what = f"the unclosed block at line {block.line_number}"
    read_again(reader, block, what, stop, is_read=is_read)


def read_again(reader: Reader, opened: OpenBlock | OpenTags, what: str, stop: int, *, is_read: bool) -> None:
    """Read the lines of a cut-off block or call again as text, up to token `stop`, from the first opener in it on."""
    counts_from = stop
    if opened.first_opener is not None:
        counts_from = opened.first_opener
    fault = Fault(ReasonCode.MALFORMED, f"it may be part of {what}", SEND_BOTH)
    reader.broken.enter(BrokenPart(stop, is_read, counts_from, opened.container, fault))
    reader.next = opened.index + 1


def begin_patch(reader: Reader, token: Token) -> None:
    region = reader.patches.begin(token, reader.index, reader.line_of(reader.next))
    if region is not None:
        reader.patch = region
        reader.state = "patch"


def take_in_patch(reader: Reader, token: Token) -> None:
    """End the patch if the token ends it; any other token inside a patch has no effect."""
    stop = reader.patches.end_at(reader.patch, token)
    if stop is not None:
        end_patch(reader, stop, token.kind)


def end_patch(reader: Reader, stop: int, ended_by: Kind | Marker | None) -> None:
    """End the patch before line `stop`, and add its rows. Lines after its last row are read again as text."""
    patch = reader.patch
    reader.state = "text"
    rows, stop = reader.patches.end(patch, stop, ended_by, reader.most_rows - len(reader.rows.items))
    reader.calls.patches.append((patch.start, stop))
    while reader.next > patch.index + 1 and reader.tokens[reader.next - 1].line >= stop:
        reader.next -= 1
    region = reader.broken.take_part_of_row()
    for row in refuse_other_file(rows, reader.calls.path_around(patch.start)):
        numbered: ParsedRow = row._replace(number=reader.rows.next_number)
        if isinstance(numbered, EditBlock):
            if region is not None:
                numbered = as_problem(numbered, region.fault)
            else:
                reader.rows.emit_start(numbered)
        reader.rows.add(numbered)
    reader.rows.seal()
    reader.containers.end_row(stop)


def begin_call(reader: Reader, token: Token) -> None:
    """Begin a tool call if the line begins one. It may also be a second end of the last call."""
    if reader.broken.region is not None:
        return
    call = reader.calls.take(token, reader.index)
    if call is not None and not call.is_over:
        reader.call = call
        reader.state = "call"


def take_in_call(reader: Reader, token: Token) -> None:
    """Pass a token to the open tool call. It may also show that the call ended before, or has no end."""
    effect = reader.calls.follow(reader.call, token, reader.index, is_opener=reader.begins(token))
    leave_call(reader, effect, reader.index)
    if effect == "outside":
        reader.take(token)


def end_call(reader: Reader, *, at_end: bool) -> bool:
    """Leave the open tool call if it ends with the lines so far; return whether it does."""
    effect = reader.calls.look(reader.call, at_end=at_end)
    leave_call(reader, effect, len(reader.tokens))
    return effect != "inside"


def leave_call(reader: Reader, effect: CallEffect, stop: int) -> None:
    """Leave a tool call that ended. If it has no end before token `stop`, or is not a call, its lines become text."""
    call = reader.call
    if effect == "inside" and not call.is_over:
        return
    reader.state = "text"
    if effect == "reread" and isinstance(call, OpenTags):
        reader.next = call.index + 1
        if call.is_cut:
            is_read = reader.broken.count_reread(stop - call.index, stop + reader.forgotten)
            what = f"the tool call at line {call.start + reader.first_line}, which has no end"
            read_again(reader, call, what, stop, is_read=is_read)


def is_in_edit(reader: Reader, token: Token) -> bool:
    """Whether a line is in a tool call or a broken block, so that the tag of a thought is text."""
    return token.line < reader.calls.stop or reader.broken.region is not None


def begin_thought(reader: Reader, token: Token) -> None:
    """Begin a model's thought at its tag, which is text in a fence."""
    is_text = is_in_edit(reader, token) or reader.containers.fence is not None
    if reader.thoughts.is_read and not is_text:
        reader.rows.seal()
        reader.thoughts.open(token.line, reader.next)
        reader.state = "thought"


def count_draft(reader: Reader, token: Token) -> None:
    """Count an edit in a thought instead of reading it. Tool calls are counted at the end of the thought."""
    if token.kind in (Kind.JSON, Kind.CALL):
        reader.thoughts.may_hold_calls = True
    reader.thoughts.drafts += reader.begins(token)


def end_thought(reader: Reader, token: Token) -> None:
    thoughts = reader.thoughts
    reader.state = "text"
    if thoughts.may_hold_calls:
        thoughts.drafts += reader.calls.drafts(thoughts.start, token.line)
    thoughts.close(token.line)
    reader.containers.end_row(token.line + 1)


def drop_as_thought(reader: Reader, token: Token) -> None:
    """At a closing tag without an opening one, drop all text so far as a thought; in a fence, only after a block."""
    fence = reader.containers.fence
    if is_in_edit(reader, token) or (fence is not None and not fence.holds_edit):
        return
    reader.thoughts.close_all(token.line, len(reader.rows.items))
    has_events = reader.rows.events is not None
    reader.begin()
    if has_events:
        reader.rows.events = []  # events that were not delivered yet are obsolete
    reader.rows.emit(DraftsLeftOut(token.line + reader.first_line))
    reader.containers.end_row(token.line + 1)


def begin_running(reader: Reader, token: Token) -> None:
    """Begin an action that runs something, unless it ends on its own line."""
    enter_or_leave(reader, token)
    tag = read_tag(token.word)
    if tag is None or not tag.ends_here:
        reader.state = "running"
        reader.action_start = token.line
        reader.holds_opener = False
    if tag is not None and tag.rest:
        reader.suggestions.add_lines(token.line, [tag.rest.partition(END)[0]])


def begin_unread(reader: Reader, token: Token) -> None:
    """Add a problem for an edit that begins in an action that runs something."""
    reader.holds_opener = reader.holds_opener or token.kind in reader.scanner.pairs.openers
    if reader.begins(token):
        what = f"line {token.line + reader.first_line} is in an action that runs something"
        advice = 'write `<boltAction type="edit">` around the block'
        reader.rows.add_problem(token.line, Fault(ReasonCode.MALFORMED, what, advice))


def begin_another(reader: Reader, token: Token) -> None:
    """End an action that runs something at the opener of another action, and take that opener."""
    end_running(reader, token.line)
    reader.take(token)


def end_running(reader: Reader, stop: int) -> None:
    """End an action that runs something before line `stop`. Its lines are commands, unless it contains blocks."""
    reader.state = "text"
    if not reader.holds_opener:
        reader.suggestions.add_lines(reader.action_start, reader.lines[reader.action_start + 1 : stop])
