"""Write short answers to commands: a separate comment of at most 600 characters, or a line in the status.

The first line of an answer is a marker that names the command's comment, so that no command is answered twice. A
command of somebody with less than triage access gets no answer, only a line in the status of the source. Foreign text
passes `escape`. Rules: docs/internals/security.md, "status text".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import TypeAlias

from editblocks.core.codes import ReasonCode, State
from editblocks.report.escape import code_span, first_fitting, text
from editblocks.report.status.links import read_marker

ANSWER_LIMIT = 600
BODY_LIMIT = 65_536  # characters of a comment that GitHub accepts
REFUSED_LINES = 3
_SOURCES_SHOWN = 5
_ADDRESS_LIMIT = 300
_CUTS = (300, 150, 75, 40)  # characters of a foreign sentence; escaping makes at most 300 of forty
_ROLE_LIMIT = 40

_TO = re.compile("(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]{1,19}", re.ASCII)
_MARKER = re.compile(f"<!-- editblocks:answer v1 to=({_TO.pattern}) -->", re.ASCII)
_ADDRESS = re.compile(
    rf"https?://[A-Za-z0-9.-]+(?::[0-9]{{1,5}})?(?:/[\w.-]+){{2}}/pull/[0-9]+#{_TO.pattern}", re.ASCII
)
_COMMAND_NAMES = re.compile("/(?:edits )?(?:apply|skip|retry|undo)", re.ASCII)
_REFUSED = "<!-- editblocks:refused -->"  # at the end of each line about a command that was refused
_STATES = {
    State.CHECKED: "every block is ready",
    State.FAILED: "a block failed",
    State.REFUSED: "it was refused",
    State.PARTIAL: "some blocks are applied",
    State.STALE: "something changed meanwhile",
    State.UNDONE: "it was undone",
}
# With `/edits ` and the longest id, three characters are free below `ANSWER_LIMIT`: shorten a line before you add one.
_HELP = """The first line of a comment may be:

- `{by}apply`: commits all blocks, or none if one fails
- `{by}apply ready`: the blocks that fit; `1,3-5` or `src/cart.py`: only these
- `{by}apply suggestions`: suggestions of all threads; `@login`: of one author
- `{by}apply 1-3,4@48`: blocks 1-3; 4 at line 48
- `{by}skip 5`: leaves block 5 out
- `{by}retry`: checks again, with a new prompt for the model
- `{by}undo`: undoes the last commit of these blocks

`of 2048812345` at the end names the comment or review."""

# The answers that are one sentence.
_SENTENCES = {
    "changed-since": "{status} changed after you wrote this; look at it, then `{words}` again",
    "closed": "closed: the pull request is closed, nothing was done",
    "merged": "closed: the pull request is merged, nothing was done",
    "none-open": "there is nothing to {verb} here; post edit blocks, or name their comment with `of` and its number",
    "no-suggestion": "there is no open suggestion here; resolved ones, and ones newer than the command, are ignored",
    "not-all-read": "there is no open suggestion in the newest 400 review threads and the first 20 comments of each;"
    " others were not read",
    "nothing-to-undo": "there is nothing to undo here; name another comment with `of` and its number, or use"
    " `git revert`",
    "source-edited": "source-edited: the answer was edited after the check; it was checked again, look at {status},"
    " then `{words}` again",
}
# The sentence above a list of sources.
_LEADS = {
    "several-open": "{count} comments or reviews could be meant; send one of these lines",
    "no-such-source": "there is no comment or review {number} here; send one of these lines",
}

OpenSource: TypeAlias = tuple[int, str, State]  # the number after `of`, the address of comment or status, the state


def read_answer(text: str) -> str | None:
    """Return the source that an answer is about, such as `issuecomment-2048812345`; None without our marker on line 1.

    Anybody can write such a marker, so the host has to check who wrote the text.
    """
    match = _MARKER.fullmatch(text.split("\n", 1)[0].removesuffix("\r"))
    return match and match[1]


def answer(to: str, name: str, *, words: str = "", status: str = "") -> str:
    """Write the answer `name` to the comment or review `to`. `words`: the name of the command. `status`: an address."""
    if words:
        _check_words(words)
    verb = re.split("[/ ]", words)[-1]
    sentence = _SENTENCES[name].format(words=words, verb=verb, status=_link("the status", status))
    return _answer(to, sentence)


def commands_help(to: str, short: bool = True) -> str:
    """Answer `/edits help`. `short` False: the short commands are turned off in this repository."""
    if not short:
        return _answer(to, _HELP.format(by="/edits "))
    return _answer(to, f"{_HELP.format(by='/')} `/edits apply` is the long form.")


def answer_refused(to: str, reason: str, code: ReasonCode = ReasonCode.BAD_COMMAND) -> str:
    """Answer a command that is refused or cannot be read. The reason is cut so that the answer keeps its limit."""
    sentence = f"{code.value}: {reason}"
    below = ""
    if code is ReasonCode.BAD_COMMAND:
        below = "\n\n`/edits help` lists the commands."
    return first_fitting((_answer(to, f"{text(sentence, limit=cut)}{below}") for cut in _CUTS), ANSWER_LIMIT)


def listing(to: str, name: str, command: str, sources: Sequence[OpenSource], number: int = 0) -> str:
    """Answer a command that does not say which source it means, with a line to copy for each of `sources`.

    `command` is the command without `of`. `number` is what it gave after `of`.
    """
    if not sources:
        missing = f"there is no comment or review {number:d} here"
        return _answer(
            to,
            f"{missing}, and no other has blocks to apply; after `of`, write the number that ends a comment's address",
        )
    lead = _LEADS[name].format(count=len(sources), number=f"{number:d}")
    lines = [_line_to_copy(command, *source) for source in sources]
    lists = [lines] if len(lines) <= _SOURCES_SHOWN else []
    for shown in range(min(len(lines) - 1, _SOURCES_SHOWN), -1, -1):
        lists.append([*lines[:shown], f"- and {len(lines) - shown} more"])
    return first_fitting((_answer(to, "\n".join((f"{lead}:\n", *rows))) for rows in lists), ANSWER_LIMIT)


def _line_to_copy(command: str, number: int, address: str, state: State) -> str:
    noun = "review"
    if "#issuecomment-" in address:
        noun = "comment"
    line = code_span(f"{command} of {number:d}", limit=300)
    return f"- {line}: {_link(noun, address)}, {_STATES.get(state, state.value)}"


def refused_line(words: str, login: str, role: str, needs: str) -> str:
    """Write the line about a command whose author lacks the right to give it.

    `words` is the name of the command, such as `/apply`. `role` is the author's role as GitHub says it, empty if there
    is none. `needs` is the least role that would suffice.
    """
    has = text(role or "none", limit=_ROLE_LIMIT)
    least = text(needs or "none", limit=_ROLE_LIMIT)
    who = f"{_check_words(words)} by {code_span(login)}"
    return f"{who} was refused: not-permitted (role {has}, needs {least}) {_REFUSED}"


def refused_lines(body: str) -> tuple[str, ...]:
    """Return the refused lines of a status in order: only those paragraphs that end directly above its small print."""
    above, _ = _split_small_print(body)
    from_below = takewhile(lambda paragraph: paragraph.endswith(_REFUSED), reversed(above.split("\n\n")))
    return tuple(reversed(list(from_below)))


def with_refused_line(body: str, line: str) -> str | None:
    """Put a refused line above the small print of a status, as a separate paragraph.

    Return None if the status already has this line or three others, if it would be too long, or if the text is not a
    status.
    """
    above, small_print = _split_small_print(body)
    earlier_lines = refused_lines(body)
    longer = f"{above}\n\n{line}\n\n{small_print}"
    if not small_print or line in earlier_lines or len(earlier_lines) >= REFUSED_LINES or len(longer) > BODY_LIMIT:
        return None
    return longer


def _split_small_print(body: str) -> tuple[str, str]:
    """Split off the last line of a status, the small print; it is empty if the text does not end like a status."""
    above, gap, last = body.rpartition("\n\n")
    if gap and re.fullmatch("<sub>[^\n]*</sub>", last) and read_marker(body) is not None:
        return above, last
    return body, ""


def _check_words(words: str) -> str:
    if _COMMAND_NAMES.fullmatch(words) is None:
        raise ValueError(f"{words!r} is not a command; pass only the words of the command")
    return words


def _link(label: str, address: str) -> str:
    if len(address) > _ADDRESS_LIMIT or not _ADDRESS.fullmatch(address):
        return label
    return f"[{label}]({address})"


def _answer(to: str, body: str) -> str:
    if _TO.fullmatch(to) is None:
        raise ValueError(f"{to!r} is not a comment or review; pass its fragment, such as issuecomment-2048812345")
    return f"<!-- editblocks:answer v1 to={to} -->\n{body}"
