"""Read commands in the first line of a comment: `/apply 1-3 of 2048812345`, `/skip 5`, `/edits help` …

A command must be at the very start of the text. After a blank, a `>`, a byte order mark or anything else it is ignored.
Its line ends at CR LF, LF or CR. Longer words (`/applyfoo`, `/apply-all`) belong to other bots. A line that begins like
one of our commands but is not valid is an error: if it were ignored, all blocks below it would be applied.
Selectors: docs/reference/command-line.md, "choosing blocks".
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.phrases import did_you_mean
from editblocks.core.selection import Selection

# A new verb also needs `COMMANDS` in hooks/gate.py, or the action does not start, `_COMMAND_NAMES` and `_HELP` in
# report/status/answers.py, and a plan in `plan.py`. docs/reference/action.md names all commands.
Verb = Literal["apply", "skip", "retry", "undo", "help"]

LONGEST = 200  # characters of a command line
_VERBS: dict[str, Verb] = {verb: verb for verb in get_args(Verb)}
_BLANKS = " \t\xa0"  # U+00A0 is what Option and space type on a Mac; it looks like a space
_SHORT = "|".join(verb for verb in _VERBS if verb != "help")  # for help there is only `/edits help`
_START = re.compile(rf"/({_SHORT}|edits)(?=[{_BLANKS}\r\n]|\Z)", re.ASCII | re.IGNORECASE)
_OF = re.compile(rf"(?:(.*)[{_BLANKS}])?of(?:[{_BLANKS}]+([^{_BLANKS}]*))?", re.ASCII | re.IGNORECASE)
_SUGGESTIONS = re.compile(
    rf"suggestions(?:[{_BLANKS}]+@([A-Za-z0-9][A-Za-z0-9_-]{{0,38}}(?:\[bot\])?))?", re.ASCII | re.IGNORECASE
)
_ID = re.compile("[1-9][0-9]{0,18}", re.ASCII)


class Command(NamedTuple):
    verb: Verb
    selection: Selection | None = None  # the blocks; for `/skip` and `/retry` only numbers
    source: int | None = None  # the number after `of`
    words: str = ""  # the command as written, in lower case: `/apply` or `/edits apply`
    suggestions: bool = False  # for `/apply`: apply the suggestions in all open review threads
    author: str = ""  # only suggestions of this login, in lower case; "" means of everybody

    def __str__(self) -> str:
        """The command in its shortest form, without `of` and its source: `/apply 1-3,4@48`."""
        if self.author:
            return f"{self.words} suggestions @{self.author}"
        if self.suggestions:
            return f"{self.words} suggestions"
        return self.words if self.selection is None else f"{self.words} {self.selection}"


def is_command_like(body: str) -> bool:
    """Whether a text begins with the name of one of our commands. `read_command` may still find an error in it."""
    return _START.match(body) is not None


def read_command(body: str, short: bool = True) -> Command | None:
    """Read the command at the start of a text, or return None if there is none. Unless `short`, only `/edits …` is one.

    Reads at most 201 characters. Raises `ConfigError` (`bad-command`) for one of our commands that is not valid.
    """
    match = _START.match(body)
    if match is None or not (short or match[1].lower() == "edits"):
        return None
    line = body[: LONGEST + 1].partition("\n")[0].partition("\r")[0]
    if len(line) > LONGEST:
        raise _bad(f"the line of the command has more than {LONGEST} characters; name ranges, as in `1-3,4@48`")
    verb = match[1].lower()
    words = f"/{verb}"
    rest = line[match.end() :].strip(_BLANKS)
    if verb == "edits":
        name = re.split(f"[{_BLANKS}]", rest)[0] or "help"
        verb = name.lower()
        words = f"/edits {verb}"
        rest = rest[len(name) :].lstrip(_BLANKS)
        if verb not in _VERBS:
            advice = did_you_mean(verb, list(_VERBS), "`/edits {}`".format)
            raise _bad(f"`/edits {name}` is not a command; {advice}")
    return _command(_VERBS[verb], rest, words)


def _command(verb: Verb, rest: str, words: str) -> Command:
    if verb == "help":  # the rest of the line is ignored
        return Command(verb, words=words)
    selector, source = _source(rest)
    if verb == "apply" and (suggestions := _SUGGESTIONS.fullmatch(selector)):
        if source is not None:
            advice = "for one comment, write only its number"
            raise _bad(f"`{words} suggestions` is for all open threads; {advice}")
        return Command(verb, words=words, suggestions=True, author=(suggestions[1] or "").lower())
    if verb == "undo" and selector:
        raise _bad(f"`{words}` takes no blocks, it undoes the whole commit; write only `{words}`")
    selection = Selection.read(selector) if selector else None
    is_whole_retry = verb == "retry" and selection is None
    has_only_numbers = selection is not None and selection == Selection(numbers=selection.numbers)
    if verb in ("skip", "retry") and not (is_whole_retry or has_only_numbers):
        raise _bad(f"`{words}` takes block numbers with commas between them, as in `{words} 4,5`")
    return Command(verb, selection, source, words)


def _source(rest: str) -> tuple[str, int | None]:
    """Split off the number of the source, which follows `of` at the end of the line."""
    match = _OF.fullmatch(rest)
    if match is None:
        return rest, None
    selector, name = match.groups("")
    if not _ID.fullmatch(name):
        of = f"of {name}".strip()
        raise _bad(f"`{of}` is not the number of a comment; write one, as in `of 2048812345`")
    return selector.strip(_BLANKS), int(name)


def _bad(message: str) -> ConfigError:
    return ConfigError(message, ReasonCode.BAD_COMMAND)
