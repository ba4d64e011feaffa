"""What a person does now, the one line below the table of a status: a command, a question to the model, a look.

Only what works is offered: where no command would be obeyed (`reply` None), the command line on the branch. A command
begins with `reply`, which is `/` or `/edits `. A place is offered only where choosing it would work, and `ready` only
where something is. Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import Candidate
from editblocks.core.outcome import SUGGESTIONS, Refusal
from editblocks.core.phrases import blocks, named_lines, ranges
from editblocks.report.escape import code_span, fence
from editblocks.report.next_commands import by_hand
from editblocks.report.view import FAILED, READY, OutcomeView, Row, is_placed, selector, source_noun

LINE = 200  # characters of a first line that are read as a command
_NAMED = 60  # characters of block numbers that are read as a list
_OFFERED = (ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH)  # one place of each is offered, in this order
_DISOBEYED = (ReasonCode.FORK, ReasonCode.BRANCH_REFUSED, ReasonCode.CLOSED)
_HELP = "`/edits help` lists the rest."
_REPLIES = "someone with {role} access replies with one line."
_ELSEWHERE = "copy the {noun} and run `editblocks apply -` on a branch of your own."
# After a run that was stopped: what to do where no command counts, and what comes before one.
_AGAIN = {
    ReasonCode.SOURCE_EDITED: "read the {noun} again, then post its blocks {place}.",
    ReasonCode.HEAD_MOVED: "post the blocks again {place}; they are checked on the new head.",
    ReasonCode.BRANCH_REFUSED: _ELSEWHERE,
    ReasonCode.CLOSED: _ELSEWHERE,
}
_FIRST = {
    ReasonCode.HEAD_MOVED: "",
    ReasonCode.STALE: "",
    ReasonCode.PUBLISH_FAILED: "look at the rules of this branch",
}


def next_step(view: OutcomeView, *, prompt: str = "", reply: str | None = None, role: str = "write") -> str:
    """What a person does now, or nothing where all is done; the first line goes on after `**Next:** `.

    `prompt` says where the retry prompt is: `below`, `in the job summary`, or nothing where it is not shown.
    `role` is the least that a person must have to command.
    """
    refusal = view.outcome.refusal
    if view.outcome.unresolved is not None:
        return "look at the branch, then run the job again; it finds the commit or makes it."
    if view.outcome.response.source.kind == SUGGESTIONS:
        return _in_the_threads(view)
    if refusal is not None and (not view.is_open or (reply is None and view.is_edited)):
        return _after_a_stop(view, refusal, reply, role)
    if not view.result.rows:
        return "" if view.outcome.state is State.UNDONE else f"{_send(view, 'edit blocks')}."
    if repair := _repair_of_source(view):
        return repair
    return _on_the_branch(view, prompt, role) if reply is None else _in_a_comment(view, prompt, reply, role)


def _in_the_threads(view: OutcomeView) -> str:
    """After `/apply suggestions`: nothing of it is chosen by number, as each has a thread of its own."""
    if view.outcome.state is State.UNDONE or (view.outcome.refusal is None and view.outcome.ok):
        return ""
    if view.outcome.refusal is not None:
        return "send `/apply suggestions` again."
    return "settle what is left in its thread; `/apply suggestions` takes what fits then."


def _after_a_stop(view: OutcomeView, refusal: Refusal, reply: str | None, role: str) -> str:
    code, first = refusal.code, _FIRST.get(refusal.code, "look at the log")
    if code is ReasonCode.BAD_CONFIG:
        branch = refusal.policy_branch
        first = f"correct {f'`.editblocks.yml` on {code_span(branch)}' if branch else 'the configuration'}"
    if reply is None or code is ReasonCode.TOO_LARGE:
        noun, place = source_noun(view.outcome.response.source), _place(view)
        known = _AGAIN.get(code)
        return known.format(noun=noun, place=place) if known else f"{first}, then post the blocks again {place}."
    replies = _REPLIES.format(role=role)
    before = f"{first}; then {replies}" if first else replies
    # lines may be others now
    is_lost = code is ReasonCode.STALE or (code is ReasonCode.HEAD_MOVED and is_placed(view.rows))
    main = None if is_lost else main_command(view, reply)
    after = "That checks the blocks again." if main is None else "The blocks are checked again first."
    return _command_paragraph(before, f"{reply}retry" if main is None else main[0], after)


def _command_paragraph(before: str, command: str, after: str) -> str:
    return "\n\n".join((before, fence(command), after))


def _repair_of_source(view: OutcomeView) -> str:
    """What to do about a file that cannot be read, or about front matter: no model wrote a block wrong."""
    source, problems, bad = view.outcome.response.source, view.result.problems, _bad(view)
    if source.path is not None and problems and not view.outcome.response.text:
        return f"{problems[0].advice}."
    if not bad or any(row.code is not ReasonCode.BAD_CONFIG for row in bad):
        return ""
    return f"correct line {bad[0].line_number} of the {'file' if source.path is not None else source_noun(source)}."


def _bad(view: OutcomeView) -> list[Row]:
    """The rows that are not fine, of those that were asked for."""
    return [row for row in view.rows if not row.ok and row.number not in view.outcome.not_selected]


def _is_hopeless(view: OutcomeView) -> bool:
    """Whether only a person can help: a model could only send what would be refused again."""
    return bool(view.outcome.retry_prompt) and not view.outcome.retry_blocks


def _by_hand(bad: Sequence[Row]) -> str:
    return f"asking again would not mend {blocks([row.number for row in bad])}; change that by hand"


def _on_the_branch(view: OutcomeView, prompt: str, role: str) -> str:
    refusal, fitting = view.outcome.refusal, view.fitting
    command, noun = by_hand(view), source_noun(view.outcome.response.source)
    if view.outcome.ok:
        is_done = view.is_written or view.outcome.state is State.UNDONE or READY not in view.counts
        if is_done or (refusal is not None and refusal.code is ReasonCode.FORK):
            return ""
        if refusal is None:
            return f"copy the {noun} and run `{command}` on the branch."
        own = f"someone with {role} access posts these blocks as a comment of their own"
        return f"{own}, or copies the {noun} and runs `{command}` on the branch."
    those = "the one that fits" if len(fitting) == 1 else f"the {len(fitting)} that fit"
    if _is_hopeless(view):
        return f"{_by_hand(_bad(view))}{f', and post {those} {_place(view)}' if fitting else ''}."
    if not (view.outcome.not_selected or any(row.fits_alone for row in fitting)):
        command = "editblocks apply --partial -"
    writes = [f"`{command}` writes {'that one' if len(fitting) == 1 else 'those'} alone"] if fitting else []
    offers = " and ".join(writes + ([] if prompt else ["`editblocks retry -` writes a prompt to ask with"]))
    where = "On a branch of your own" if view.is_gone else "On the branch"
    rest = f", together with {those}" if fitting else ""
    return f"{_ask(view, prompt)}{rest}.{f' {where}, {offers}.' if offers else ''}"


def _in_a_comment(view: OutcomeView, prompt: str, reply: str, role: str) -> str:
    outcome, bad, before = view.outcome, _bad(view), _REPLIES.format(role=role)
    is_committed = view.is_written and not _not_asked_for(view)
    if outcome.ok and (outcome.state is State.UNDONE or view.is_there or is_committed):
        return ""
    commands = main_command(view, reply)
    if commands is not None:
        return _command_paragraph(before, commands[0], f"{commands[1]}{_besides(view, bad, prompt)}")
    if not bad:
        return f"`{reply}retry` checks the {source_noun(outcome.response.source)} again. {_HELP}"
    if _is_hopeless(view):
        return f"{_by_hand(bad)}. {_HELP}"
    return f"{_ask(view, prompt)}. `{reply}retry` checks again once the branch has changed. {_HELP}"


def _besides(view: OutcomeView, bad: Sequence[Row], prompt: str) -> str:
    """What else to say beside a command: where the prompt is, and which blocks no prompt would mend."""
    if _is_cut_off(bad):
        return f" {_capital(_ask(view, prompt))}."
    if prompt and prompt != "below":
        return f" The retry prompt is {prompt}."
    return f" {_capital(_by_hand(bad))}." if bad and _is_hopeless(view) else ""


def _capital(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}"


def _is_cut_off(bad: Sequence[Row]) -> bool:
    return bool(bad) and all(row.code is ReasonCode.UNCLOSED for row in bad)


def _ask(view: OutcomeView, prompt: str) -> str:
    bad = _bad(view)
    numbers = view.outcome.retry_blocks or tuple(row.number for row in bad)
    why = "the answer was probably cut off; " if _is_cut_off(bad) else ""
    by = f" with the prompt {prompt}" if prompt else ""
    return f"{why}ask for {blocks(numbers)} again{by} and {_send(view, 'the answer')}"


def _send(view: OutcomeView, what: str) -> str:
    is_file = view.outcome.response.source.path is not None
    return f"put {what} into the file" if is_file else f"post {what} {_place(view)}"


def _place(view: OutcomeView) -> str:
    """Where blocks go that are sent again: those of a thread need not name its file, but would elsewhere."""
    return "as a reply in this thread" if view.outcome.response.source.kind == "review-comment" else "as a new comment"


# commands


def usable_prefix(view: OutcomeView, reply: str | None) -> str | None:
    """`reply`, or None where every command would be refused."""
    return None if view.outcome.refusal is not None and view.outcome.refusal.code in _DISOBEYED else reply


def main_command(view: OutcomeView, reply: str) -> tuple[str, str] | None:
    """The line that commits what is ready; else one that puts a block at a place, else takes those left out.

    With it comes what it does, and the other commands that are worth a word. None: nothing would be committed.
    """
    fitting, picks, rest = view.fitting, _picks(view), _not_asked_for(view)
    failed = [row.number for row in view.rows if row.word == FAILED]
    skip = [f"`{reply}skip {number}` drops block {number}" for number in failed[-1:]]
    more = [offer(row, place, reply, [] if view.outcome.ok else fitting) for row, place in picks]
    if fitting:
        line, does = _apply_fitting(view, fitting, reply), f"commits {_name(fitting)}"
        more = [] if view.outcome.ok else [*more, *skip]
    elif picks:
        line, does, more = f"{reply}apply {picks[0][1].pick}", _does(*picks[0]), more[1:]
    elif rest:
        line = f"{reply}apply {ranges(row.number for row in rest)}"
        does = f"commits {_name(rest)}, if {'it fits' if len(rest) == 1 else 'they fit'}"
    else:
        return None
    if rest and (fitting or picks):
        more.append(f"`{reply}retry` checks what was left out, too")
    if len(line) > LINE:
        return None
    return line, " ".join((f"That {does}.", *([f"{', '.join(more)}."] if more else []), _HELP))


def _not_asked_for(view: OutcomeView) -> list[Row]:
    """The blocks that the last selection did not take, but for those that people left out for good."""
    return [row for row in view.rows if row.code is ReasonCode.NOT_SELECTED and row.number not in view.outcome.skip]


def _picks(view: OutcomeView) -> list[tuple[Row, Candidate]]:
    """The first block with too many places, and the first with one that is close, each with its first place."""
    choices = [(row, place) for row in view.rows if (place := row.choice) is not None]
    firsts = (next((pair for pair in choices if pair[0].code is code), None) for code in _OFFERED)
    return [pair for pair in firsts if pair is not None]


def _apply_fitting(view: OutcomeView, fitting: Sequence[Row], reply: str) -> str:
    """By number where `ready` would take others: not asked for, not at the place that was chosen, or too few."""
    if is_placed(fitting) or _not_asked_for(view) or any(row.fits_alone for row in fitting):
        return f"{reply}apply {selector(fitting)}"
    return f"{reply}apply" if view.outcome.ok else f"{reply}apply ready"


def offer(row: Row, place: Candidate, reply: str, fitting: Sequence[Row] = ()) -> str:
    """A place that a block may be put at; if it is one of several, together with the blocks that fit."""
    together = f"{reply}apply {selector(fitting, place.pick or '')}"
    is_alone = row.code is not ReasonCode.AMBIGUOUS or len(together) > LINE
    line = f"{reply}apply {place.pick}" if is_alone else together
    return f"`{line}`{' also' if fitting and not is_alone else ''} {_does(row, place)}"


def _does(row: Row, place: Candidate) -> str:
    if row.code is ReasonCode.AMBIGUOUS:
        return f"puts block {row.number} at line {place.start_line}"
    return f"merges block {row.number} into {named_lines((place.start_line, place.end_line))}"


def _name(chosen: Sequence[Row]) -> str:
    named = blocks([row.number for row in chosen])
    return named if len(named) <= _NAMED else f"{len(chosen)} blocks"
