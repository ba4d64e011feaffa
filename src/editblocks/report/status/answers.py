"""Short answers to a command: a comment of their own of 600 characters at most, and the line of a refused one.

Their first line is a marker that says what is answered, so that nothing is answered twice. Who may not command gets
no answer, but a line in the status of the source. Foreign text passes `escape`. Rules: docs/internals/security.md,
"status text".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import EditResult
from editblocks.core.outcome import Refusal
from editblocks.core.phrases import join_words, plural
from editblocks.report.escape import code_span, text
from editblocks.report.status.links import read_marker

LIMIT = 600
BODY_LIMIT = 65_536  # what GitHub takes
REFUSED_LINES = 3
_SOURCES_SHOWN = 5
_PATHS_SHOWN = 3
_PLACES_SHOWN = 5
_PATH_LIMIT = 60
_ADDRESS_LIMIT = 300
_CUTS = (300, 150, 75, 40)  # characters of a foreign sentence; escaped, forty of them are 300 at most
_ROLE_LIMIT = 40

_TO = re.compile("(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]{1,19}", re.ASCII)
_MARKER = re.compile(f"<!-- editblocks:answer v1 to=({_TO.pattern}) -->", re.ASCII)
_ADDRESS = re.compile(
    rf"https?://[A-Za-z0-9.-]+(?::[0-9]{{1,5}})?(?:/[\w.-]+){{2}}/pull/[0-9]+#{_TO.pattern}", re.ASCII
)
_WORDS = re.compile("/(?:edits )?(?:apply|skip|retry|undo)", re.ASCII)
_REFUSED = "<!-- editblocks:refused -->"  # behind each line about a command that was refused
_STATES = {
    State.CHECKED: "every block is ready",
    State.FAILED: "a block failed",
    State.REFUSED: "it was refused",
    State.PARTIAL: "a part is applied",
    State.STALE: "something changed meanwhile",
    State.UNDONE: "it was undone",
}


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A source that waits: the number that goes after `of`, the address of its comment or status, its state."""

    number: int
    address: str
    state: State


def read_answer(text: str) -> str | None:
    """The source that an answer is about, such as `issuecomment-2048812345`; None without our marker on line 1.

    It only says what somebody wrote there: whether that was us is for the host to find out.
    """
    match = _MARKER.fullmatch(text.split("\n", 1)[0].removesuffix("\r"))
    return match[1] if match is not None else None


def commands_help(to: str, short: bool = True) -> str:
    """Answer `/edits help`. `short` False: the short commands are turned off."""
    by = "/" if short else "/edits "
    long_form = " `/edits apply` is the long form." if short else ""
    return _answer(
        to,
        f"""The first line of a comment may be:

- `{by}apply`: every block, or none if one failed
- `{by}apply ready`: what is fine; `1,3-5` or `src/cart.py`: these blocks
- `{by}apply 1-3,4@48`: also block 4, at line 48
- `{by}skip 5`: leaves a block out of `{by}apply`
- `{by}retry`: checks again, with a fresh prompt for a model
- `{by}undo`: takes the last commit of these blocks back

`of 2048812345` at the end names the comment or review.{long_form}""",
    )


def bad_command(to: str, message: str) -> str:
    """Answer a command that cannot be read; `message` is that of its `ConfigError`."""
    return _sentence(to, f"{ReasonCode.BAD_COMMAND.value}: {message}", "`/edits help` lists the commands.")


def no_such_place(to: str, words: str, line: int, row: EditResult) -> str:
    """Answer a command that gives a block a line where it does not fit; `row` is what became of the block."""
    picks = [place for place in row.candidates if place.pick is not None]
    number, path = row.block.number, code_span(row.file_path, limit=_PATH_LIMIT)
    missed = f"block {number} does not fit line {line} of {path}"
    if not picks:
        return _answer(to, f"{missed}, nor any other that can be chosen; the status says why")
    shown = [str(place.start_line) for place in picks[:_PLACES_SHOWN]]
    more = [f"{row.candidates_total - len(shown)} more"] if len(picks) > len(shown) else []
    lines = f"line{'s' * (len(picks) > 1)} {join_words([*shown, *more])}"
    return _answer(to, f"{missed}; it can go to {lines}, as in `{_check_words(words)} {picks[0].pick}`")


def several_open(to: str, command: str, sources: Sequence[OpenSource]) -> str:
    """Answer a command that does not say which source it means. `command` is all of it but `of`."""
    return _listing(to, f"{plural(len(sources), 'source')} could be meant; send the line of one", command, sources)


def _listing(to: str, lead: str, command: str, sources: Sequence[OpenSource]) -> str:
    lines = [_ready_line(command, source) for source in sources]
    return _first_fitting(
        to,
        (
            "\n".join((f"{lead}:\n", *lines[:shown], *_more(len(lines) - shown)))
            for shown in range(min(len(lines), _SOURCES_SHOWN), -1, -1)
        ),
    )


def _ready_line(command: str, source: OpenSource) -> str:
    noun = "comment" if "#issuecomment-" in source.address else "review"
    state = _STATES.get(source.state, source.state.value)
    return f"- {code_span(f'{command} of {source.number:d}', limit=300)}: {_link(noun, source.address)}, {state}"


def _more(count: int) -> list[str]:
    return [f"- and {count} more"] if count else []


def none_open(to: str, words: str) -> str:
    """Answer a command for which no source is open. `words` is the command alone, such as `/apply`."""
    verb = re.split("[/ ]", _check_words(words))[-1]
    return _answer(
        to, f"there is nothing to {verb} here; post edit blocks, or name their comment with `of` and its number"
    )


def no_such_source(to: str, number: int, command: str, sources: Sequence[OpenSource]) -> str:
    """Answer a command whose `of` names none; `sources` are those that it could name, maybe none."""
    missing = f"there is no source {number:d} here"
    if sources:
        return _listing(to, f"{missing}; send the line of one that is open", command, sources)
    return _answer(to, f"{missing}, and none is open; `of` takes the number at the end of a comment's address")


def source_edited(to: str, words: str, address: str) -> str:
    """Answer an approval of a text that was edited since. `address` is that of its new status."""
    status = _link("the status", address)
    return _answer(
        to,
        f"{ReasonCode.SOURCE_EDITED.value}: the source was edited after the check; it was checked again,"
        f" look at {status}, then `{_check_words(words)}` again",
    )


def changed_since(to: str, words: str, address: str) -> str:
    """Answer a command that was sent before its status changed."""
    status = _link("the status", address)
    return _answer(to, f"{status} changed after you wrote this; look at it, then `{_check_words(words)}` again")


def nothing_to_undo(to: str, words: str = "/undo", others: Sequence[OpenSource] = ()) -> str:
    """Answer `/undo` where no commit of ours stands. `others`: the sources of those that stand elsewhere."""
    if others:
        return _listing(
            to, "there is nothing to undo here, but elsewhere; send the line of one", _check_words(words), others
        )
    return _answer(
        to,
        "there is nothing to undo here; if a commit of edit blocks still stands further back, `git revert` undoes it",
    )


def undone_before(to: str, commit: str) -> str:
    """Answer `/undo` if an undo of the same person was committed after it was sent: it may be this very one."""
    oid = code_span(commit[:7])
    return _answer(to, f"{oid} undid the last commit after you asked; send `/undo` again to undo one more")


def taken_back_meanwhile(to: str, commit: str) -> str:
    """Answer `/undo` of a commit that somebody else took back after it was sent."""
    oid = code_span(commit[:7])
    return _answer(to, f"{oid} was undone after you asked; send `/undo` again to undo the one before it")


def undo_conflict(to: str, commit: str, paths: Sequence[str]) -> str:
    """Answer `/undo` of a commit whose lines were changed again since, in these files."""
    names = [code_span(path, limit=_PATH_LIMIT) for path in paths]
    oid, revert = code_span(commit[:7]), code_span(f"git revert {commit[:7]}")
    return _first_fitting(
        to,
        (
            f"{ReasonCode.STALE.value}: lines of {_some(names, shown)} changed after {oid}, nothing was undone;"
            f" run {revert} on the branch and settle them there"
            for shown in range(min(len(names), _PATHS_SHOWN), -1, -1)
        ),
    )


def _some(names: Sequence[str], shown: int) -> str:
    """`a`, `a and b`, `a, b, c and 2 more`; `2 files` if none is shown."""
    left = len(names) - shown
    return join_words([*names[:shown], *([f"{left} more"] if left else [])]) if shown else plural(left, "file")


def answer_closed(to: str, *, merged: bool) -> str:
    """Answer a command on a pull request that is closed or merged."""
    return _answer(
        to, f"{ReasonCode.CLOSED.value}: the pull request is {'merged' if merged else 'closed'}, nothing was done"
    )


def answer_refused(to: str, refusal: Refusal, address: str = "") -> str:
    """Answer a command that is refused because of a fork, a branch or the server. `address`: of the status, if any."""
    details = f"More is in {_link('the status', address)}." if address else ""
    return _sentence(to, f"{refusal.code.value}: {refusal.reason}", details)


def refused_line(words: str, login: str, role: str, needs: str) -> str:
    """Write the line about a command of somebody without the right. `words` is the command alone, such as `/apply`.

    `role` is what GitHub says the account has, nothing for none; `needs` the least that would do.
    """
    has, least = (text(name or "none", limit=_ROLE_LIMIT) for name in (role, needs))
    return (
        f"{_check_words(words)} by {code_span(login)} was refused: not-permitted, has {has}, needs {least} {_REFUSED}"
    )


def refused_lines(body: str) -> tuple[str, ...]:
    """The refused lines of a status, in order: the paragraphs right above its small print, and nothing further up."""
    above, _ = _split_small_print(body)
    answer_refused: list[str] = []
    while (paragraph := above.rpartition("\n\n")[2]).endswith(_REFUSED):
        answer_refused.insert(0, paragraph)
        above = above.rpartition("\n\n")[0]
    return tuple(answer_refused)


def with_refused_line(body: str, line: str) -> str | None:
    """Put a refused line above the small print of a status, as a paragraph of its own.

    None if the same line is there already, if there are three, if there is no room, or if this is no status.
    """
    above, small_print = _split_small_print(body)
    there = refused_lines(body)
    longer = f"{above}\n\n{line}\n\n{small_print}"
    is_full = len(there) >= REFUSED_LINES or len(longer) > BODY_LIMIT
    return None if not small_print or line in there or is_full else longer


def _split_small_print(body: str) -> tuple[str, str]:
    """A status without its last line, and that line, the small print; empty if the text does not end as ours do."""
    above, gap, last = body.rpartition("\n\n")
    is_ours = gap and re.fullmatch("<sub>[^\n]*</sub>", last) and read_marker(body) is not None
    return (above, last) if is_ours else (body, "")


def _check_words(words: str) -> str:
    if _WORDS.fullmatch(words) is None:
        raise ValueError(f"{words!r} is not a command; pass its words alone")
    return words


def _link(label: str, address: str) -> str:
    return f"[{label}]({address})" if len(address) <= _ADDRESS_LIMIT and _ADDRESS.fullmatch(address) else label


def _sentence(to: str, sentence: str, below: str) -> str:
    """A sentence with foreign text in it, cut until all of it has room."""
    return _first_fitting(to, (f"{text(sentence, limit=cut)}\n\n{below}".rstrip("\n") for cut in _CUTS))


def _first_fitting(to: str, bodies: Iterable[str]) -> str:
    answers = [_answer(to, body) for body in bodies]
    return next((answer for answer in answers if len(answer) <= LIMIT), answers[-1])


def _answer(to: str, body: str) -> str:
    if _TO.fullmatch(to) is None:
        raise ValueError(f"{to!r} is no comment or review; pass its fragment, such as issuecomment-2048812345")
    return f"<!-- editblocks:answer v1 to={to} -->\n{body}"
