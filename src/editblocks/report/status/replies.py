"""Write what is shown beside a status: replies to commands, and comments on the lines where a block should go.

A reply is a separate comment of at most 600 characters. Its first line is a marker that names the command's comment,
so that no command gets two replies. A command of somebody with less than triage access gets none. For it,
`refused_line` writes a line that stands in the status of the source, not beside it. Foreign text passes `escape`.

GitHub accepts a comment only on lines of the diff, and both ends of a range must be in the same hunk. One wrong line
makes it refuse the whole review.
Rules: docs/internals/security.md, "status text", and docs/reference/action.md, "what the status says".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, TypeAlias

from editblocks.core.codes import ReasonCode, State
from editblocks.core.mismatch import Candidate
from editblocks.core.phrases import join_parts
from editblocks.formats.hunks import read_numbers
from editblocks.report.escape import code_span, first_fitting, text
from editblocks.report.status.links import read_marker
from editblocks.report.status.next_step import offer, usable_prefix
from editblocks.report.view import FAILED, OutcomeView, Row

REPLY_LIMIT = 600
COMMENT_LIMIT = 1000
BODY_LIMIT = 65_536  # characters of a comment that GitHub accepts
# Characters of a foreign sentence, which grows when it is escaped: forty become at most 300.
_REPLY_CUTS = (300, 150, 75, 40)
_COMMENT_CUTS = (300, 150, 60)
_REFUSED_LINES = 3
_SOURCES_SHOWN = 5
_ADDRESS_LIMIT = 300
_ROLE_LIMIT = 40

_TO = re.compile("(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]{1,19}", re.ASCII)
_REPLY_MARKER = re.compile(f"<!-- editblocks:answer v1 to=({_TO.pattern}) -->", re.ASCII)
_COMMENT_MARKER = re.compile(
    r"<!-- editblocks:inline v1 source=([a-z0-9_-]{1,60}) block=([1-9][0-9]{0,8}) -->", re.ASCII
)
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
# With `/edits ` and the longest id, three characters are free below `REPLY_LIMIT`: shorten a line before you add one.
_HELP = """The first line of a comment may be:

- `{by}apply`: commits all blocks, or none if one fails
- `{by}apply ready`: the blocks that fit; `1,3-5` or `src/cart.py`: only these
- `{by}apply suggestions`: suggestions of all threads; `@login`: of one author
- `{by}apply 1-3,4@48`: blocks 1-3; 4 at line 48
- `{by}skip 5`: leaves block 5 out
- `{by}retry`: checks again, with a new prompt for the model
- `{by}undo`: undoes the last commit of these blocks

`of 2048812345` at the end names the comment or review."""

# The replies that are one sentence.
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


# replies to commands


def read_reply(text: str) -> str | None:
    """Return the source that a reply is about, such as `issuecomment-2048812345`; None without our marker on line 1.

    Anybody can write such a marker, so the host has to check who wrote the text.
    """
    match = _REPLY_MARKER.fullmatch(text.split("\n", 1)[0].removesuffix("\r"))
    return match and match[1]


def reply(to: str, name: str, *, words: str = "", status: str = "") -> str:
    """Write the reply `name` to the comment or review `to`. `words`: the name of the command. `status`: an address."""
    if words:
        _check_words(words)
    verb = re.split("[/ ]", words)[-1]
    sentence = _SENTENCES[name].format(words=words, verb=verb, status=_link("the status", status))
    return _with_marker(to, sentence)


def commands_help(to: str, short: bool = True) -> str:
    """Answer `/edits help`. `short` False: the short commands are turned off in this repository."""
    if not short:
        return _with_marker(to, _HELP.format(by="/edits "))
    return _with_marker(to, f"{_HELP.format(by='/')} `/edits apply` is the long form.")


def refusal_reply(to: str, reason: str, code: ReasonCode = ReasonCode.BAD_COMMAND) -> str:
    """Reply to a command that is refused or cannot be read. The reason is cut so that the reply keeps its limit."""
    sentence = f"{code.value}: {reason}"
    below = ""
    if code is ReasonCode.BAD_COMMAND:
        below = "\n\n`/edits help` lists the commands."
    return first_fitting((_with_marker(to, f"{text(sentence, limit=cut)}{below}") for cut in _REPLY_CUTS), REPLY_LIMIT)


def listing(to: str, name: str, command: str, sources: Sequence[OpenSource], number: int = 0) -> str:
    """Answer a command that does not say which source it means, with a line to copy for each of `sources`.

    `command` is the command without `of`. `number` is what it gave after `of`.
    """
    if not sources:
        missing = f"there is no comment or review {number:d} here"
        return _with_marker(
            to,
            f"{missing}, and no other has blocks to apply; after `of`, write the number that ends a comment's address",
        )
    lead = _LEADS[name].format(count=len(sources), number=f"{number:d}")
    lines = [_line_to_copy(command, *source) for source in sources]
    lists = [lines] if len(lines) <= _SOURCES_SHOWN else []
    for shown in range(min(len(lines) - 1, _SOURCES_SHOWN), -1, -1):
        lists.append([*lines[:shown], f"- and {len(lines) - shown} more"])
    return first_fitting((_with_marker(to, "\n".join((f"{lead}:\n", *rows))) for rows in lists), REPLY_LIMIT)


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
    if not small_print or line in earlier_lines or len(earlier_lines) >= _REFUSED_LINES or len(longer) > BODY_LIMIT:
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


def _with_marker(to: str, body: str) -> str:
    if _TO.fullmatch(to) is None:
        raise ValueError(f"{to!r} is not a comment or review; pass its fragment, such as issuecomment-2048812345")
    return f"<!-- editblocks:answer v1 to={to} -->\n{body}"


# comments on the lines where a block should go


def hunks_of(patch: str) -> list[range]:
    """Return the lines (1-based) of the new file that each hunk shows. `patch`: as GitHub sends it, no file headers."""
    heads = filter(None, map(read_numbers, patch.split("\n")))
    hunks = (range(head.new, head.new + head.new_count) for head in heads)
    return [hunk for hunk in hunks if hunk]


def inline_comments(
    view: OutcomeView, hunks: Mapping[str, Sequence[range]], *, prefix: str | None, most: int = 10
) -> list[dict[str, Any]]:
    """Return a comment for each of the first `most` failed blocks whose place is in the diff.

    `hunks` are the lines of the diff by path. Each comment is an object for GitHub's reviews. A block from an inline
    comment is answered in its thread instead: the object then has the comment's number (`in_reply_to`) and no place.
    `prefix` is what commands begin with, None if a command would not be accepted. Raises `ValueError` for a source that
    a marker cannot name.
    """
    prefix = usable_prefix(view, prefix)
    comments = (_comment(row, view, hunks.get(row.head_path or "", ()), prefix) for row in view.rows)
    return [comment for comment in comments if comment is not None][: max(0, most)]


def fixed_inline(commit: str) -> str:
    """Return the new text of a comment whose block is now in a commit."""
    return f"fixed in {commit[:7]}"


def read_inline(body: str) -> tuple[str, int] | None:
    """Return the source and the block of an inline comment; None if its first line is not exactly our marker.

    Anybody can write such a marker, so the host has to check who wrote the text.
    """
    match = _COMMENT_MARKER.fullmatch(body.split("\n", 1)[0].removesuffix("\r"))
    if match is None:
        return None
    return match[1], int(match[2])


def _comment(row: Row, view: OutcomeView, hunks: Sequence[range], prefix: str | None) -> dict[str, Any] | None:
    if row.word != FAILED or row.is_changed:
        return None
    part = row.response.part_at(row.line_number)
    if part is not None and part.context_path is not None:
        place = next((place for _, place in _places(row)), None)
        return {"in_reply_to": part.id, "body": _comment_body(row, view, place, prefix)}
    for (first, last), place in _places(row):
        if any(first in hunk and last in hunk for hunk in hunks):
            body = _comment_body(row, view, place, prefix)
            comment = {"path": row.head_path, "line": last, "side": "RIGHT", "body": body}
            if first < last:
                comment |= {"start_line": first, "start_side": "RIGHT"}
            return comment
    return None


def _places(row: Row) -> Iterator[tuple[tuple[int, int], Candidate | None]]:
    """Yield the places that the block may mean: first and last line, 1-based, and the candidate if it can be chosen."""
    if row.result is None:
        return
    if row.code is ReasonCode.AMBIGUOUS:
        for place in row.result.candidates_in_file:
            choice = None if place.pick is None else place
            yield (place.start_line, place.end_line), choice
        return
    if row.lines is not None:
        yield row.lines, row.choice
    difference = row.result.first_difference
    if difference is not None and not difference.after:
        yield (difference.line, difference.line), row.choice


def _comment_body(row: Row, view: OutcomeView, place: Candidate | None, prefix: str | None) -> str:
    marker = f"<!-- editblocks:inline v1 source={view.outcome.response.source.id} block={row.number} -->"
    if read_inline(marker) is None:
        raise ValueError(f"source {view.outcome.response.source.id!r} cannot be named in a comment")
    offered = ""
    if prefix is not None and place is not None:
        offered = f"{offer(row, place, prefix)}."
    code = FAILED if row.code is None else row.code.value
    reasons = [text(row.reason(), limit=cut) for cut in _COMMENT_CUTS]
    lines = (join_parts(": ", f"❌ Block {row.number}: {code}", reason) for reason in (*reasons, ""))
    return first_fitting((join_parts("\n\n", f"{marker}\n{line}", offered) for line in lines), COMMENT_LIMIT)
