"""Notes about what a response has besides blocks: lines that are nearly markers, quotes, thoughts, shell commands.

A line that is nearly a marker never closes or divides a block; only the markers of `formats` do. The note tells people
and models what to correct. Commands are shown to people, never run (docs/reference/rules.md, shell suggestions).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import Note
from editblocks.core.characters import code_point, is_hidden
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import cut, join_parts, plural
from editblocks.formats.grammar import Fault, Grammar
from editblocks.formats.markers import END, END_ACTION, Kind, Token
from editblocks.formats.scanner import Scanner

NEAR_MARKER = "near-marker"  # the codes of notes
UNREAD_PATCH = "unread-patch"
UNREAD_CALL = "unread-call"
UNREAD = (UNREAD_PATCH, UNREAD_CALL, NEAR_MARKER)  # codes of notes about possible edits that were not read
_QUOTES = frozenset({Kind.QUOTED, Kind.QUOTED_EDIT, Kind.QUOTED_CALL})
NOTED = frozenset({Kind.NEAR, Kind.NEAR_END, Kind.PREFIXED}) | _QUOTES  # lines that only cause a note
MOST_NOTES = 100  # of a kind
_MOST_BEFORE = 40  # characters of the words before an opener
_NEAR_END_OF_ACTION = r"(?i).*</bolt(?:action|file|edit)?\b"
_MOST_COMMANDS = 20
_LONGEST_COMMAND = 200  # characters
SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_PROMPT = "$ "
_HEREDOC = r"(?<!<)<<-?\s*(?:'([A-Za-z_]\w*)'|\"([A-Za-z_]\w*)\"|\\?([A-Za-z_]\w*))"


class NoteCollector:
    """Collects notes. Lines are 0-based here; `first_line` is the number of line 0 in messages."""

    def __init__(self, lines: Sequence[str], scanner: Scanner, first_line: int) -> None:
        self._lines = lines
        self._scanner = scanner
        self._first_line = first_line
        self._near_markers: list[tuple[int, str]] = []  # line numbers and messages
        self._openers_in_quotes: list[int] = []
        self._quote_end: int | None = None  # the line after the last quoted block, so far

    def take(self, token: Token) -> None:
        """Take the token of a line that only causes a note (`NOTED`)."""
        clause = _invisible_character_clause(self._lines[token.line])
        if token.kind is Kind.NEAR:
            self._note_marker(token.line, f"is not a marker{clause}; write `{token.word}`")
        elif token.kind is Kind.NEAR_END and token.word != END:
            self._note_marker(token.line, f"closes nothing{clause}; a closer is `{token.word}`, alone on its line")
        elif token.kind is Kind.PREFIXED:
            before = _quoted("".join(map(_visible, token.word[:_MOST_BEFORE])))
            what = f"is not a marker, because {before} comes before it; paste the lines without that"
            self._note_marker(token.line, what)
        elif token.kind in _QUOTES and not (token.kind is Kind.QUOTED_EDIT and self.is_quoted(token.line)):
            self._openers_in_quotes.append(token.line)
            self._quote_end = token.line + 1

    def note_listing(self, line: int) -> None:
        """Note a marker that is indented like a line of code."""
        self._note_marker(line, "is indented like code in the fence, so it was not read as a marker")

    def note_closer(self, token: Token) -> None:
        """Note a closer without a word outside a block: it may be prose, or the block may have lost its opener."""
        opener = self._scanner.pairs.opener_of[token.kind].text
        self._note_marker(token.line, f"closes no block; the opener must be `{opener}`")

    def _note_marker(self, line: int, what: str) -> None:
        line_number = line + self._first_line
        self._near_markers.append((line_number, f"line {line_number} {what}"))

    def is_quoted(self, line: int) -> bool:
        """Whether a line belongs to a quoted block. Without a space after `>`, its closer looks like a longer one."""
        if self._quote_end is None:
            return False
        while self._quote_end < line and self._lines[self._quote_end].lstrip(" \t").startswith(">"):
            self._quote_end += 1
        return self._quote_end >= line

    def notes(self, unclosed: Sequence[int]) -> Iterator[Note]:
        """Yield the notes, with those about quoted blocks and the fences at the lines `unclosed`."""
        yield from _limited_notes(NEAR_MARKER, self._near_markers, "lines are not markers; the first is")
        fences = []
        for line in unclosed:
            number = line + self._first_line
            fences.append((number, f"the fence at line {number} was not closed before the next one opened"))
        yield from _limited_notes("fence-unclosed", fences, "fences were not closed, the first of them opened at")
        if count := len(self._openers_in_quotes):
            blocks = "quoted block was" if count == 1 else "quoted blocks were"
            message = f"{count:,} {blocks} not read"
            line = self._openers_in_quotes[0] + self._first_line
            yield Note("quoted-block", f"{message}; to use them, paste them without `> `", line)


def unread_calls(lines: Sequence[int]) -> Iterator[Note]:
    """Yield the note about tool calls at these lines (1-based) in places where calls are not read."""
    where = "inside other text, below another key or of an unknown tool"
    yield from about_calls(UNREAD_CALL, lines, where, where, "ask for JSON alone on its line")


def about_calls(code: str, lines: Sequence[int], one: str, many: str, advice: str = "") -> Iterator[Note]:
    """Yield the note about calls at these lines that are not read. `one` and `many` complete "is" and "are"."""
    if not lines:
        return
    what = f"the tool call at line {lines[0]} is {one}, so it is not read"
    if len(lines) > 1:
        count = plural(len(lines), "tool call")
        what = f"{count} are {many}, so they are not read; the first is at line {lines[0]}"
    yield Note(code, join_parts("; ", what, advice), lines[0])


def _limited_notes(code: str, messages: Sequence[tuple[int, str]], others: str) -> Iterator[Note]:
    """Yield a note for each of the first lines, and one for all the others."""
    yield from (Note(code, message, line) for line, message in messages[:MOST_NOTES])
    if rest := messages[MOST_NOTES:]:
        yield Note(code, f"{len(rest):,} more {others} line {rest[0][0]}", rest[0][0])


def _invisible_character_clause(line: str) -> str:
    """Why a line that looks like a marker is not one, if an invisible character is the reason; otherwise ""."""
    unseen = next((character for character in line.strip(" \t") if not character.isprintable()), None)
    if unseen is None:
        return ""
    return f", because it holds U+{ord(unseen):04X}"


def _quoted(text: str) -> str:
    """Return a text in back-ticks, unless it contains some."""
    return text if "`" in text else f"`{text}`"


def near_closer_advice(lines: Sequence[str], grammar: Grammar, length: int, first: int, scanner: Scanner) -> str | None:
    """What to do about the first line that may be meant for the closer, if no block or conflict begins above it.

    A separator of its block is not meant for it. The markers of the block have `length` signs; `first` is the number of
    the first of `lines`.
    """
    closer = grammar.closer
    separators = {spelling for each in grammar.separators for spelling, _, _ in each.lines()}
    pattern = scanner.hints.near_closer
    if closer is END_ACTION:
        pattern = _NEAR_END_OF_ACTION
    literal = closer.literal(length)
    for number, line in enumerate(lines, first):
        if re.match(scanner.hints.sample, line):
            return None
        bare = line.strip(" \t")
        if bare not in separators and re.match(pattern, bare):
            part = cut(bare)
            what = _quoted(part)
            if part == literal:
                what = "indented otherwise"
            return f"line {number} is {what}; write `{literal}` there, on a line of its own, indented like the opener"
    return None


class Thoughts:
    """The open thought of a model, and the number of drafts that were left out so far."""

    def __init__(self, first_line: int) -> None:
        self.start = 0  # the line of the opening tag
        self.index = 0  # of the token after that tag
        self.drafts = 0  # blocks that began in the thought
        self.may_hold_calls = False  # a line in the thought may open a tool call
        self.is_read = True  # whether tags begin a thought; False while an unclosed thought is read again as text
        self._first_line = first_line
        self._dropped_count = 0
        self._lines: list[int] = []  # the first and the last line of each thought with drafts

    def open(self, start: int, index: int) -> None:
        self.start = start
        self.index = index
        self.drafts = 0
        self.may_hold_calls = False

    def close(self, stop: int) -> None:
        """End the thought at line `stop`, and add its drafts."""
        if self.drafts:
            self._dropped_count += self.drafts
            self._lines += [self.start + self._first_line, stop + self._first_line]

    def close_all(self, stop: int, drafts: int) -> None:
        """Make all text up to line `stop` one thought, with `drafts` blocks: its opening tag is missing."""
        self.start = 0
        self.drafts = drafts + self._dropped_count
        self._dropped_count = 0
        self._lines = []
        self.close(stop)

    def fault(self) -> Fault:
        """The fault of the blocks after an opening tag that is not closed."""
        line = self.start + self._first_line
        what = f"the model's thoughts begin at line {line} and are not closed, so blocks may be drafts"
        return Fault(ReasonCode.MALFORMED, what, "ask only for the answer")

    def notes(self) -> Iterator[Note]:
        """Yield a note with the number of drafts that were left out."""
        if self._dropped_count:
            verb = "was" if self._dropped_count == 1 else "were"
            where = f"lines {self._lines[0]}-{self._lines[-1]}"
            message = f"{plural(self._dropped_count, 'block')} in the model's thoughts ({where}) {verb} left out"
            yield Note("thoughts-left-out", message, self._lines[0])


class ShellCommands:
    """Collects shell commands, each with the first 0-based line at which it occurs."""

    def __init__(self) -> None:
        self._commands: dict[str, int] = {}

    def add(self, line: int, command: str) -> None:
        command = command[:_LONGEST_COMMAND]
        self._commands[command] = min(line, self._commands.get(command, line))

    def add_lines(self, first: int, lines: Sequence[str]) -> None:
        """Take the commands in a shell fence, or in an action that runs something."""
        for command in _commands(lines):
            self.add(first, command)

    def in_order(self) -> tuple[str, ...]:
        """Each command once, in the order of the response, shortened, and not too many for people to read."""
        ordered = sorted(self._commands, key=self._commands.__getitem__)
        visible = ("".join(map(_visible, each)) for each in ordered)
        return tuple(dict.fromkeys(command[:_LONGEST_COMMAND] for command in visible))[:_MOST_COMMANDS]


def _without_documents(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without the text of here-documents, whose command becomes `cat > a.py <<'EOF' ... EOF`.

    If no line has the end word, the `<<` is taken for something else, such as a bit shift.
    """
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line, []).append(number)
    stop = 0
    for number, line in enumerate(lines):
        if number < stop:
            continue
        stop = number + 1
        shown = line
        heredoc = re.search(_HEREDOC, line)
        if heredoc is not None:
            word = heredoc[heredoc.lastindex or 0]
            end_lines = ends.get(word, ())
            below = bisect_right(end_lines, number)
            if below < len(end_lines):
                stop = end_lines[below] + 1
                shown = f"{line} ... {word}"
        yield shown


def _visible(char: str) -> str:
    if char.isprintable() and not is_hidden(char):
        return char
    return code_point(char)


def _commands(lines: Sequence[str]) -> list[str]:
    """The commands in a listing, without comments. If some lines begin with a prompt, only those are commands."""
    text = "\n".join(line.strip(" \t") for line in lines)
    whole = re.sub(r" ?\\(?:\n|\Z)", " ", text).split("\n")  # join lines that end in a backslash
    if any(line.startswith(_PROMPT) for line in whole):
        whole = [line.removeprefix(_PROMPT) for line in whole if line.startswith(_PROMPT)]
    else:
        whole = list(_without_documents(whole))
    return [line.strip(" \t") for line in whole if line.strip(" \t") and not line.startswith("#")]
