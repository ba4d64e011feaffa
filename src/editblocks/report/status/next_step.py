"""What a person does now, the one line below the table of a status: a command, a question to the model, a look.

Only what works is offered: where no command would be obeyed (`reply` None), the command line on the branch.
Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import Candidate
from editblocks.core.outcome import Refusal
from editblocks.core.phrases import join_words
from editblocks.report.escape import code_span, fence
from editblocks.report.next_commands import by_hand
from editblocks.report.status.reply_commands import HELP, back, explain_commands, main_command, rows_not_asked_for
from editblocks.report.view import (
    READY,
    OutcomeView,
    Row,
    is_placed,
    selector,
)
from editblocks.report.wording import blocks, named_lines, source_noun

_SHORT = 40  # characters of a command that are read within a sentence
_REPLIES = "someone with {role} access replies with one line."
_POST = "post the blocks again {place}"
_AGAIN = {
    ReasonCode.SOURCE_EDITED: "read the {noun} again, then post its blocks {place}.",
    ReasonCode.HEAD_MOVED: f"{_POST}; they are checked on the new head.",
    ReasonCode.BRANCH_REFUSED: "copy the {noun} and run `editblocks apply -` on a branch of your own.",
    ReasonCode.CLOSED: "copy the {noun} and run `editblocks apply -` on a branch of your own.",
    ReasonCode.PUBLISH_FAILED: f"look at the rules of this branch, then {_POST}.",
}
_FIRST = {
    ReasonCode.HEAD_MOVED: "",
    ReasonCode.STALE: "",
    ReasonCode.PUBLISH_FAILED: "look at the rules of this branch; then ",
}


def next_step(view: OutcomeView, *, prompt: str = "", reply: str | None = None, role: str = "write") -> str:
    """What a person does now, or nothing where all is done; the first line goes on after `**Next:** `.

    `prompt` says where the retry prompt is: `below`, `in the job summary`, or nothing where it is not shown.
    `role` is the least that a person must have to command.
    """
    if view.outcome.unresolved is not None:
        return "look at the branch, then run the job again; it finds the commit or makes it."
    if view.outcome.refusal is not None and (not view.is_open or (reply is None and view.is_edited)):
        return _after(view, view.outcome.refusal, reply, role)
    if not view.result.rows:
        return "" if view.outcome.state is State.UNDONE else _with_blocks(view)
    if repair := _unreadable(view) or _front_matter(view):
        return repair
    if reply is None:
        return _on_the_branch(view, prompt, role)
    return _in_a_comment(view, prompt, reply, role)


def _after(view: OutcomeView, refusal: Refusal, reply: str | None, role: str) -> str:
    """The next step after a run that was stopped."""
    code = refusal.code
    if reply is None or code is ReasonCode.TOO_LARGE:
        look = _correct(refusal) if code is ReasonCode.BAD_CONFIG else "look at the log"
        again = _AGAIN.get(code, f"{{look}}, then {_POST}.")  # what stands for `look` is foreign, braces and all
        return again.format(look=look, noun=source_noun(view.outcome.response.source), place=_place(view))
    first = (
        f"{_correct(refusal)}; then " if code is ReasonCode.BAD_CONFIG else _FIRST.get(code, "look at the log; then ")
    )
    before = f"{first}{_REPLIES.format(role=role)}"
    main = main_command(view, reply)
    # lines may be others now
    is_lost = code is ReasonCode.STALE or (code is ReasonCode.HEAD_MOVED and is_placed(view.rows))
    if main is None or is_lost:
        return _command_paragraph(before, f"{reply}retry", "That checks the blocks again.")
    return _command_paragraph(before, main, "The blocks are checked again first.")


def _correct(refusal: Refusal) -> str:
    """Which file to repair."""
    branch = refusal.policy_branch
    return f"correct `.editblocks.yml` on {code_span(branch)}" if branch else "correct the configuration"


def _command_paragraph(before: str, command: str, after: str) -> str:
    return "\n\n".join((before, fence(command), after))


def _with_blocks(view: OutcomeView) -> str:
    is_file = view.outcome.response.source.path is not None
    return "write edit blocks into the file." if is_file else f"post edit blocks {_place(view)}."


def _unreadable(view: OutcomeView) -> str:
    """What to do about a file that cannot be read as a response, or nothing."""
    source, problems = view.outcome.response.source, view.result.problems
    if source.path is None or view.outcome.response.text or not problems:
        return ""
    return f"{problems[0].advice}."


def _front_matter(view: OutcomeView) -> str:
    """What to do about front matter that cannot be read, or nothing: no model wrote a block wrong."""
    bad = _bad(view)
    if not bad or any(row.code is not ReasonCode.BAD_CONFIG for row in bad):
        return ""
    source = view.outcome.response.source
    return f"correct line {bad[0].line_number} of the {'file' if source.path is not None else source_noun(source)}."


def _in_a_comment(view: OutcomeView, prompt: str, reply: str, role: str) -> str:
    if view.outcome.ok and (
        view.outcome.state is State.UNDONE or view.is_there or (view.is_written and not rows_not_asked_for(view))
    ):
        return ""
    main, bad = main_command(view, reply), _bad(view)
    if bad and all(row.code is ReasonCode.UNCLOSED for row in bad):
        return _cut_off(view, bad, prompt, reply)
    if main is not None:
        return _command_paragraph(
            _REPLIES.format(role=role), main, f"{explain_commands(view, reply)}{_besides(view, bad, prompt)}"
        )
    if not bad:
        left = back(view, reply)
        if left is not None:
            return _command_paragraph(_REPLIES.format(role=role), *left)
        return f"`{reply}retry` checks the {source_noun(view.outcome.response.source)} again."
    if view.outcome.retry_prompt and not view.outcome.retry_blocks:
        return f"{_change_by_hand(bad)}. {HELP}"
    again = f"`{reply}retry` checks again once the branch has changed. {HELP}"
    return f"{_ask(view, bad, prompt)} and {_post(view)}.{_hint(bad)} {again}"


def _cut_off(view: OutcomeView, bad: Sequence[Row], prompt: str, reply: str) -> str:
    fitting = view.fitting
    numbers = f"{reply}apply {selector(fitting)}"
    command = (numbers if len(numbers) <= _SHORT else main_command(view, reply)) if fitting else None
    offer = f", or `{command}`" if command is not None else ""
    ask = f"Ask your model for {blocks([row.number for row in bad])} again"
    return f"the answer was probably cut off. {ask}{f' with the prompt {prompt}' if prompt else ''}{offer}."


def _besides(view: OutcomeView, bad: Sequence[Row], prompt: str) -> str:
    """What else to say beside a command: where the prompt is, and which blocks no prompt would mend."""
    if prompt and prompt != "below":
        return f" The retry prompt is {prompt}."
    if bad and view.outcome.retry_prompt and not view.outcome.retry_blocks:
        mended = _change_by_hand(bad)
        return f" {mended[0].upper()}{mended[1:]}."
    return ""


def _on_the_branch(view: OutcomeView, prompt: str, role: str) -> str:
    code = view.outcome.refusal.code if view.outcome.refusal is not None else None
    if not view.outcome.ok:
        return _repair(view, prompt)
    is_done = view.is_written or view.outcome.state is State.UNDONE or READY not in view.counts
    if is_done or code is ReasonCode.FORK:
        return ""
    noun = source_noun(view.outcome.response.source)
    if code is None:
        return f"copy the {noun} and run `{by_hand(view)}` on the branch."
    own = "posts these blocks as a comment of their own"
    return f"someone with {role} access {own}, or copies the {noun} and runs `{by_hand(view)}` on the branch."


def _bad(view: OutcomeView) -> list[Row]:
    """The rows that are not fine, of those that were asked for."""
    return [row for row in view.rows if not row.ok and row.number not in view.outcome.not_selected]


def _repair(view: OutcomeView, prompt: str) -> str:
    bad = _bad(view)
    fitting = view.fitting
    those = "the one that fits" if len(fitting) == 1 else f"the {len(fitting)} that fit"
    if view.outcome.retry_prompt and not view.outcome.retry_blocks:
        return f"{_change_by_hand(bad)}{f', and post {those} {_place(view)}' if fitting else ''}."
    rest = f", together with {those}" if fitting else ""
    offers = _offers(view, bad, fitting) + ([] if prompt else [_PROMPT])
    where = "On a branch of your own" if view.is_gone else "On the branch"
    offer = f" {where}, {join_words(offers)}." if offers else ""
    return f"{_ask(view, bad, prompt)} and {_post(view)}{rest}.{_hint(bad)}{offer}"


def _ask(view: OutcomeView, bad: Sequence[Row], prompt: str) -> str:
    cut_off = all(row.code is ReasonCode.UNCLOSED for row in bad)
    numbers = view.outcome.retry_blocks or tuple(row.number for row in bad)
    ask = f"{'the answer was probably cut off; ' if cut_off else ''}ask for {blocks(numbers)} again"
    return f"{ask} with the prompt {prompt}" if prompt else ask


def _post(view: OutcomeView) -> str:
    is_file = view.outcome.response.source.path is not None
    return "put the answer into the file" if is_file else f"post the answer {_place(view)}"


def _place(view: OutcomeView) -> str:
    """Where blocks go that are sent again: those of a thread need not name its file, but would elsewhere."""
    return "as a reply in this thread" if view.outcome.response.source.kind == "review-comment" else "as a new comment"


def _change_by_hand(bad: Sequence[Row]) -> str:
    """Where only a person can help: a model could only send what would be refused again."""
    return f"asking again would not mend {blocks([row.number for row in bad])}; change that by hand"


_PROMPT = "`editblocks retry -` writes a prompt to ask with"


def _offers(view: OutcomeView, bad: Sequence[Row], fitting: Sequence[Row]) -> list[str]:
    """What the command line can do on the branch."""
    by_number = view.outcome.not_selected or any(row.fits_alone for row in fitting)
    command = by_hand(view) if by_number else "editblocks apply --partial -"
    partly = [f"`{command}` writes {'that one' if len(fitting) == 1 else 'those'} alone"] if fitting else []
    places = [(row, place) for row in bad if (place := row.choice) is not None]
    puts = next((_put(row, place) for row, place in places if row.code is ReasonCode.AMBIGUOUS), None)
    merges = next((_merge(row, place) for row, place in places if row.code is ReasonCode.NO_MATCH), None)
    return [*partly, *filter(None, (puts, merges))]


def _put(row: Row, place: Candidate) -> str:
    return f"`editblocks apply - --only {place.pick}` puts block {row.number} at line {place.start_line}"


def _merge(row: Row, place: Candidate) -> str:
    lines = named_lines((place.start_line, place.end_line))
    return f"`editblocks apply - --only {place.pick}` merges block {row.number} into {lines}"


def _hint(bad: Sequence[Row]) -> str:
    ambiguous = [row.number for row in bad if row.code is ReasonCode.AMBIGUOUS]
    if not ambiguous:
        return ""
    words = f"{blocks(ambiguous)} {'fits' if len(ambiguous) == 1 else 'fit'} more than one place"
    return f" {words[0].upper()}{words[1:]}: two or three more lines above or below would tell which."
