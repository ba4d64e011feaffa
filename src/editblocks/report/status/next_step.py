"""Write the next step, the line below the table of a status: a command, or what to ask the model for.

Only steps that work are offered. `prefix` is what a command begins with, `/` or `/edits `. If it is None, no command is
accepted here, and the command line is offered instead. A place is offered only if it can be chosen, and `ready` only
if a block is. Rules: docs/reference/action.md, "what the status says".
"""

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode, State
from editblocks.core.mismatch import Candidate
from editblocks.core.outcome import SUGGESTIONS, Refusal
from editblocks.core.phrases import blocks, named_lines, ranges
from editblocks.report.escape import code_span, fence
from editblocks.report.next_commands import by_hand
from editblocks.report.view import (
    FAILED,
    READY,
    OutcomeView,
    Row,
    is_placed,
    select_fitting,
    selector,
    source_noun,
    those_that_fit,
)

LINE = 200  # the longest command, in characters
_NUMBERS_LIMIT = 60  # characters of a list of block numbers; a longer one is replaced by their number
_OFFERED = (ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH)  # one place for each is offered, in this order
_REFUSES_COMMANDS = (ReasonCode.FORK, ReasonCode.BRANCH_REFUSED, ReasonCode.CLOSED)
_SEE_HELP = "`/edits help` lists all commands."
_REPLIES = "someone with {role} access replies with this line:"
_ELSEWHERE = "copy the {noun} and run `editblocks apply -` on a branch of your own."
# The next step after a run that was stopped: without a command, and the part before a command (`_FIRST`).
_WITHOUT_COMMANDS = {
    ReasonCode.SOURCE_EDITED: "read the {noun} again, then post its blocks {place}.",
    ReasonCode.HEAD_MOVED: "post the blocks again {place}; they are checked against the branch as it is now.",
    ReasonCode.BRANCH_REFUSED: _ELSEWHERE,
    ReasonCode.CLOSED: _ELSEWHERE,
}
_POST_AGAIN = "{first}, then post the blocks again {place}."
_FIRST = {
    ReasonCode.HEAD_MOVED: "",
    ReasonCode.STALE: "",
    ReasonCode.PUBLISH_FAILED: "check the rules of this branch",
    ReasonCode.BAD_CONFIG: "correct the configuration",
}


def next_step(view: OutcomeView, *, prompt_place: str = "", prefix: str | None = None, role: str = "write") -> str:
    """Return the text after `**Next:** `; empty if nothing is left to do.

    `prompt_place` is where the retry prompt is shown: `below`, `in the job summary`, or empty if it is not. `role` is
    the least role for a command.
    """
    refusal = view.outcome.refusal
    if view.outcome.unresolved is not None:
        return "look at the branch, then run the job again; it finds the commit or makes it."
    if view.outcome.response.source.kind == SUGGESTIONS:
        return _in_the_threads(view)
    is_stopped = not view.is_open or (prefix is None and view.is_edited)
    if refusal is not None and is_stopped:
        return _after_a_stop(view, refusal, prefix, role)
    if not view.result.rows and view.outcome.state is State.UNDONE:
        return ""
    if not view.result.rows:
        return f"{_send(view, 'edit blocks')}."
    repair = _repair_of_source(view)
    if repair:
        return repair
    if prefix is None:
        return _on_the_branch(view, prompt_place, role)
    return _in_a_comment(view, prompt_place, prefix, role)


def _in_the_threads(view: OutcomeView) -> str:
    """Return the next step after `/apply suggestions`, in which blocks cannot be chosen by number."""
    refusal = view.outcome.refusal
    if refusal is not None and refusal.code in _REFUSES_COMMANDS:
        return ""
    if refusal is not None:
        return "send `/apply suggestions` again."
    if view.outcome.state is State.UNDONE:
        what = "unresolve the threads of suggestions that you want back, and resolve the other threads"
        return f"{what}; then `/apply suggestions` applies all suggestions in open threads."
    if view.outcome.ok:
        return ""
    return "resolve the other suggestions in their threads; then `/apply suggestions` applies those that fit."


def _after_a_stop(view: OutcomeView, refusal: Refusal, prefix: str | None, role: str) -> str:
    first = _FIRST.get(refusal.code, "look at the log")
    if refusal.policy_branch and refusal.code is ReasonCode.BAD_CONFIG:
        first = f"correct `.editblocks.yml` on {code_span(refusal.policy_branch)}"
    if prefix is None or refusal.code is ReasonCode.TOO_LARGE:
        template = _WITHOUT_COMMANDS.get(refusal.code, _POST_AGAIN)
        return template.format(first=first, noun=source_noun(view.outcome.response.source), place=_place(view))
    before = _REPLIES.format(role=role)
    if first:
        before = f"{first}; then {before}"
    # The chosen line numbers may mean other lines now.
    has_moved = refusal.code is ReasonCode.HEAD_MOVED
    is_place_lost = refusal.code is ReasonCode.STALE or (has_moved and is_placed(view.rows))
    command, _ = main_command(view, prefix)
    if not command or is_place_lost:
        return _command_paragraph(before, f"{prefix}retry", "That checks the blocks again.")
    return _command_paragraph(before, command, "The blocks are checked again first.")


def _command_paragraph(before: str, command: str, after: str) -> str:
    return "\n\n".join((before, fence(command), after))


def _repair_of_source(view: OutcomeView) -> str:
    """Return what to do about a response file that cannot be read or has wrong front matter; empty otherwise."""
    source = view.outcome.response.source
    problems = view.result.problems
    bad = _bad(view)
    if source.path is not None and problems and not view.outcome.response.text:
        return f"{problems[0].advice}."
    if not bad or any(row.code is not ReasonCode.BAD_CONFIG for row in bad):
        return ""
    if source.path is not None:
        return f"correct line {bad[0].line_number} of the file."
    return f"correct line {bad[0].line_number} of the {source_noun(source)}."


def _bad(view: OutcomeView) -> list[Row]:
    """Return the selected rows that are not ok."""
    return [row for row in view.rows if not row.ok and row.number not in view.outcome.not_selected]


def _is_hopeless(view: OutcomeView) -> bool:
    """Whether only a person can help, because whatever a model sends would be refused again."""
    return bool(view.outcome.retry_prompt) and not view.outcome.retry_blocks


def _change_by_hand(bad: Sequence[Row]) -> str:
    return f"a model cannot correct {blocks([row.number for row in bad])}; make the change by hand"


def _on_the_branch(view: OutcomeView, prompt_place: str, role: str) -> str:
    """Return the next step if no command is accepted: the command line, on the branch."""
    if view.outcome.ok:
        return _apply_on_the_branch(view, role)
    fitting = view.fitting
    if _is_hopeless(view):
        what = _change_by_hand(_bad(view))
        if not fitting:
            return f"{what}."
        return f"{what}, and post {those_that_fit(fitting)} {_place(view)}."
    offers = []
    if fitting:
        offers.append(f"`{by_hand(view)}` applies only {those_that_fit(fitting)}")
    if not prompt_place:
        offers.append("`editblocks retry -` prints a prompt for the model")
    ask = _ask(view, prompt_place)
    if fitting:
        ask += f", together with {those_that_fit(fitting)}"
    if not offers:
        return f"{ask}."
    where = "On the branch"
    if view.is_gone:
        where = "On a branch of your own"
    return f"{ask}. {where}, {' and '.join(offers)}."


def _apply_on_the_branch(view: OutcomeView, role: str) -> str:
    refusal = view.outcome.refusal
    is_done = view.is_written or view.outcome.state is State.UNDONE or READY not in view.counts
    if is_done or (refusal is not None and refusal.code is ReasonCode.FORK):
        return ""
    noun = source_noun(view.outcome.response.source)
    if refusal is None:
        return f"copy the {noun} and run `{by_hand(view)}` on the branch."
    own = f"someone with {role} access posts these blocks as a separate comment"
    return f"{own}, or copies the {noun} and runs `{by_hand(view)}` on the branch."


def _in_a_comment(view: OutcomeView, prompt_place: str, prefix: str, role: str) -> str:
    outcome = view.outcome
    bad = _bad(view)
    is_committed = view.is_written and not _not_asked_for(view)
    is_done = outcome.state is State.UNDONE or view.is_already_applied or is_committed
    if outcome.ok and is_done:
        return ""
    command, explanation = main_command(view, prefix)
    if command:
        after = " ".join((explanation, *_besides(view, bad, prompt_place)))
        return _command_paragraph(_REPLIES.format(role=role), command, after)
    if not bad:
        return f"`{prefix}retry` checks the {source_noun(outcome.response.source)} again. {_SEE_HELP}"
    if _is_hopeless(view):
        return f"{_change_by_hand(bad)}. {_SEE_HELP}"
    return f"{_ask(view, prompt_place)}. When the branch has changed, `{prefix}retry` checks again. {_SEE_HELP}"


def _besides(view: OutcomeView, bad: Sequence[Row], prompt_place: str) -> list[str]:
    """Return the sentences after a command: where the retry prompt is, and which blocks no model can correct."""
    if _is_cut_off(bad):
        return [f"{_capital(_ask(view, prompt_place))}."]
    if prompt_place and prompt_place != "below":
        return [f"The retry prompt is {prompt_place}."]
    if bad and _is_hopeless(view):
        return [f"{_capital(_change_by_hand(bad))}."]
    return []


def _capital(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}"


def _is_cut_off(bad: Sequence[Row]) -> bool:
    return bool(bad) and all(row.code is ReasonCode.UNCLOSED for row in bad)


def _ask(view: OutcomeView, prompt_place: str) -> str:
    bad = _bad(view)
    numbers = view.outcome.retry_blocks or tuple(row.number for row in bad)
    ask = f"ask for {blocks(numbers)} again"
    if _is_cut_off(bad):
        ask = f"the answer was probably cut off; {ask}"
    if prompt_place:
        ask += f" with the prompt {prompt_place}"
    return f"{ask} and {_send(view, 'the answer')}"


def _send(view: OutcomeView, what: str) -> str:
    if view.outcome.response.source.path is not None:
        return f"put {what} into the file"
    return f"post {what} {_place(view)}"


def _place(view: OutcomeView) -> str:
    """Return where to post blocks again. Blocks of a thread may lack a path, so they belong into the same thread."""
    if view.outcome.response.source.kind == "review-comment":
        return "as a reply in this thread"
    return "as a new comment"


# commands


def usable_prefix(view: OutcomeView, prefix: str | None) -> str | None:
    """Return `prefix`, or None if every command would be refused."""
    if view.outcome.refusal is not None and view.outcome.refusal.code in _REFUSES_COMMANDS:
        return None
    return prefix


def main_command(view: OutcomeView, prefix: str) -> tuple[str, str]:
    """Return the command that commits what is ready; else one that chooses a place, else one for blocks left out.

    Also return the sentences below it: what it does, and which others there are. Both are empty if nothing would be
    committed, or if the command would be too long.
    """
    fitting = view.fitting
    picks = _picks(view)
    left_out = _not_asked_for(view)
    others: list[str] = []
    if fitting:
        line = f"{prefix}apply {select_fitting(view, left_out)}".rstrip(" ")
        does = f"commits {_name(fitting)}"
        if not view.outcome.ok:
            failed = [row.number for row in view.rows if row.word == FAILED]
            others = [offer(row, place, prefix, fitting) for row, place in picks]
            others += [f"`{prefix}skip {number}` leaves block {number} out" for number in failed[-1:]]
    elif picks:
        row, place = picks[0]
        line = f"{prefix}apply {place.pick}"
        does = _does(row, place)
        others = [offer(*pick, prefix) for pick in picks[1:]]
    elif left_out:
        line = f"{prefix}apply {ranges(row.number for row in left_out)}"
        condition = "if it fits" if len(left_out) == 1 else "if they fit"
        does = f"commits {_name(left_out)}, {condition}"
    else:
        return "", ""
    if left_out and (fitting or picks):
        others.append(f"`{prefix}retry` also checks the blocks that were left out")
    if len(line) > LINE:
        return "", ""
    if others:
        return line, f"That {does}. {', '.join(others)}. {_SEE_HELP}"
    return line, f"That {does}. {_SEE_HELP}"


def _not_asked_for(view: OutcomeView) -> list[Row]:
    """Return the blocks that were not selected, except those that people skipped."""
    return [row for row in view.rows if row.code is ReasonCode.NOT_SELECTED and row.number not in view.outcome.skip]


def _picks(view: OutcomeView) -> list[tuple[Row, Candidate]]:
    """Return the first ambiguous block and the first one with a similar text, each with its first place."""
    firsts: dict[ReasonCode | None, tuple[Row, Candidate]] = {}
    for row in view.rows:
        if row.choice is not None:
            firsts.setdefault(row.code, (row, row.choice))
    return [firsts[code] for code in _OFFERED if code in firsts]


def offer(row: Row, place: Candidate, prefix: str, fitting: Sequence[Row] = ()) -> str:
    """Return the command that puts a block at a place; for an ambiguous block it also takes the blocks that fit."""
    alone = f"{prefix}apply {place.pick}"
    together = f"{prefix}apply {selector(fitting, place.pick or '')}"
    if row.code is not ReasonCode.AMBIGUOUS or len(together) > LINE:
        return f"`{alone}` {_does(row, place)}"
    if fitting:
        return f"`{together}` also {_does(row, place)}"
    return f"`{together}` {_does(row, place)}"


def _does(row: Row, place: Candidate) -> str:
    if row.code is ReasonCode.AMBIGUOUS:
        return f"puts block {row.number} at line {place.start_line}"
    return f"merges block {row.number} into {named_lines((place.start_line, place.end_line))}"


def _name(chosen: Sequence[Row]) -> str:
    named = blocks([row.number for row in chosen])
    if len(named) > _NUMBERS_LIMIT:
        return f"{len(chosen)} blocks"
    return named
