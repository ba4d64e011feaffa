"""The words around the table of a status: headline, lead and next step, one set for each way a run can end.

The headline holds no text of the source. Only what works today is offered as a next step.
Rules: docs/action.md, "what the status says".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.codes import ReasonCode, State
from editblocks.model import Candidate
from editblocks.outcome import Outcome, Source
from editblocks.report.escape import code_span, text
from editblocks.report.links import Links
from editblocks.report.rows import APPLIED, FAILED, READY, Row, change, choice, is_open, is_written, rows, tally
from editblocks.report.wording import blocks, counted, joined, named_lines, plural, source_noun

_LOGIN = re.compile(r"[A-Za-z][A-Za-z0-9]{0,38}(?:-[A-Za-z][A-Za-z0-9]*)*", re.ASCII)  # GH-12 names an issue
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{7,}")

_REFUSED = {
    ReasonCode.SOURCE_EDITED: "the {noun} was edited after the check",
    ReasonCode.HEAD_MOVED: "the branch moved during the run",
    ReasonCode.BRANCH_REFUSED: "this branch is not written to",
    ReasonCode.CLOSED: "the pull request is not open",
    ReasonCode.PUBLISH_FAILED: "the branch did not take the commit",
    ReasonCode.TOO_LARGE: "the {noun} is over a limit",
    ReasonCode.BAD_CONFIG: "the configuration cannot be used",
    ReasonCode.SELF_CHECK: "the result was not what was planned",
}
_AGAIN = {
    ReasonCode.SOURCE_EDITED: "read the {noun} again, then post its blocks as a new comment.",
    ReasonCode.HEAD_MOVED: "post the blocks again as a new comment; they are checked on the new head.",
    ReasonCode.BRANCH_REFUSED: "copy the {noun} and run `editblocks apply -` on a branch of your own.",
    ReasonCode.CLOSED: "copy the {noun} and run `editblocks apply -` on a branch of your own.",
    ReasonCode.PUBLISH_FAILED: "look at the rules of this branch, then post the blocks again as a new comment.",
}


def headline(outcome: Outcome) -> str:
    """The heading without its `###`: what happened, in numbers."""
    refusal, noun = outcome.refusal, source_noun(outcome.response.source)
    if is_written(outcome):
        return _applied(outcome)
    if outcome.unresolved is not None:
        return f"Not known: whether {outcome.unresolved[:7]} is on the branch"
    if refusal is not None and not is_open(outcome):
        return f"Nothing committed: {_REFUSED.get(refusal.code, 'the run ended early').format(noun=noun)}"
    total = plural(len(outcome.result.rows), "edit block")
    if not outcome.result.rows:
        return "No edit block found"
    if outcome.state is State.NOTHING:
        all_of_them = "the edit block is" if len(outcome.result.rows) == 1 else f"all {total} are"
        return f"Nothing to do: {all_of_them} in the branch already"
    if not outcome.result.ok:
        return f"Nothing committed: {_not_ok(outcome)}"
    waiting = {ReasonCode.NOT_PERMITTED: "waiting for someone who can write", ReasonCode.FORK: _FOR_THE_FORK}
    tail = waiting[refusal.code] if refusal is not None else "nothing committed"
    return f"Edit blocks: {tally(outcome).get(READY, 0)} ready, {tail}"


_EMPTY = {True: " holds no edit block", False: " was not carried out"}
_FOR_THE_FORK = "for the author of this fork to apply"


def _applied(outcome: Outcome) -> str:
    count, total = tally(outcome).get(APPLIED, 0), len(outcome.result.rows)
    what = plural(count, "edit block") if outcome.result.ok else f"{count} of {plural(total, 'edit block')}"
    return f"Applied {what}{f' in {outcome.commit[:7]}' if outcome.commit else ''}"


def _not_ok(outcome: Outcome) -> str:
    failed = [row for row in rows(outcome) if row.word == FAILED]
    if not failed:
        return (
            f"{sum(not row.ok for row in rows(outcome))} of {plural(len(outcome.result.rows), 'edit block')} left out"
        )
    unreadable = all(row.result is None for row in failed)
    what = "cannot be read" if unreadable else "failed"
    return f"{len(failed)} of {plural(len(outcome.result.rows), 'edit block')} {what}"


def lead(outcome: Outcome, links: Links | None, *, branch: str | None, patch: bool) -> str:
    """One or two paragraphs: whose blocks, against which commit, with what result. `patch`: one is shown below."""
    who = _who(outcome.response.source, links)
    if is_written(outcome):
        return f"{who} {_became(outcome, links, branch)}"
    against = f" against {_commit(outcome.head, links)}" if outcome.head else ""
    counts = f": {counted(tally(outcome))}" if outcome.result.rows else _EMPTY[outcome.state is State.NOTHING]
    sentences = [f"{who}{against}{counts}.", *_why(outcome, patch)]
    reason = [] if outcome.refusal is None else [text(f"{outcome.refusal.code.value}: {outcome.refusal.reason}")]
    return "\n\n".join([" ".join(sentences), *reason])


def _who(source: Source, links: Links | None) -> str:
    noun = source_noun(source)
    if source.author is not None:
        plain = _LOGIN.fullmatch(source.author) and not _HEXADECIMAL.fullmatch(source.author)
        name = f"{source.author if plain else code_span(source.author)}'s {noun}"
    else:
        name = code_span(source.path) if source.path is not None else f"The {noun}"
    return name if links is None else f"[{name}]({links.comment})"


def _commit(oid: str, links: Links | None) -> str:
    address = links.commit(oid) if links is not None else None
    return code_span(oid[:7]) if address is None else f"[{code_span(oid[:7])}]({address})"


def _became(outcome: Outcome, links: Links | None, branch: str | None) -> str:
    done = change(outcome)
    change_text = f"{plural(done.files, 'file')}, +{done.added} −{done.removed}"
    left_out = {word: count for word, count in tally(outcome).items() if word != APPLIED}
    tail = f" Left out: {counted(left_out)}." if left_out else ""
    if outcome.commit is None:
        return f"changed {change_text}.{tail}"
    on = f" on {code_span(branch)}" if branch is not None else ""
    undo = f"Undo with `git revert {outcome.commit[:7]}`. Working on this branch? `git pull` first."
    return f"became {_commit(outcome.commit, links)}{on}: {change_text}.{tail} {undo}"


def _why(outcome: Outcome, patch: bool) -> list[str]:
    code = outcome.refusal.code if outcome.refusal is not None else None
    if code is ReasonCode.NOT_PERMITTED:
        return ["Its author cannot write here, so nothing is committed yet."]
    if code is ReasonCode.FORK:
        noun = source_noun(outcome.response.source)
        by_patch = "copy the patch below and run `git apply --3way`, or " if patch else ""
        return [
            f"This workflow never writes to a fork. On its branch, {by_patch}copy the {noun} and run"
            " `editblocks apply -`."
        ]
    return ["This workflow only checks."] if outcome.state is State.CHECKED and code is None else []


def next_step(outcome: Outcome, *, prompt: str = "") -> str:
    """What a person does now, or nothing where all is done. Ends with a full stop.

    `prompt` says where the retry prompt is: `below`, `in the job summary`, or nothing where it is not shown.
    """
    noun = source_noun(outcome.response.source)
    code = outcome.refusal.code if outcome.refusal is not None else None
    if outcome.unresolved is not None:
        return "look at the branch, then run the job again; it finds the commit or makes it."
    if code is not None and not is_open(outcome):
        again = _AGAIN.get(code, "look at the log, then post the blocks again as a new comment.")
        return again.format(noun=noun)
    if not outcome.result.ok:
        return _repair(outcome, prompt)
    if is_written(outcome) or outcome.state is State.NOTHING or code is ReasonCode.FORK:
        return ""
    if code is None:
        return f"copy the {noun} and run `editblocks apply -` on the branch."
    own = "posts these blocks as a comment of their own"
    return f"someone with write access {own}, or copies the {noun} and runs `editblocks apply -` on the branch."


def _repair(outcome: Outcome, prompt: str) -> str:
    bad = [row for row in rows(outcome) if not row.ok]
    if not bad:
        return "post edit blocks as a new comment."
    if outcome.retry_prompt and not outcome.asks_for:
        return _by_hand(outcome, bad)
    cut_off = all(row.code is ReasonCode.UNCLOSED for row in bad)
    numbers = outcome.asks_for or tuple(row.number for row in bad)
    ask = f"{'the answer was probably cut off; ' if cut_off else ''}ask for {blocks(numbers)} again"
    if prompt:
        ask += f" with the prompt {prompt}"
    ready = tally(outcome).get(READY, 0)
    those = "the one that is ready" if ready == 1 else f"the {ready} that are ready"
    rest = f", together with {those}" if ready else ""
    offers = _offers(outcome, bad, ready) + ([] if prompt else [_PROMPT])
    offer = f" On the branch, {joined(offers)}." if offers else ""
    return f"{ask} and post the answer as a new comment{rest}.{_hint(bad)}{offer}"


def _by_hand(outcome: Outcome, bad: Sequence[Row]) -> str:
    """Where only a person can help: a model could only send what would be refused again."""
    ready = tally(outcome).get(READY, 0)
    those = "the one that is" if ready == 1 else f"the {ready} that are"
    rest = f", and post {those} ready as a new comment" if ready else ""
    return f"asking again would not mend {blocks([row.number for row in bad])}; change that by hand{rest}."


_PROMPT = "`editblocks retry -` writes a prompt to ask with"


def _offers(outcome: Outcome, bad: Sequence[Row], ready: int) -> list[str]:
    """What the command line can do on the branch; in a comment, places cannot be chosen yet."""
    partly = [f"`editblocks apply --partial -` writes {'that one' if ready == 1 else 'those'} alone"] if ready else []
    places = [(row, place) for row in bad if (place := choice(row, outcome)) is not None]
    puts = next((_put(row, place) for row, place in places if row.code is ReasonCode.AMBIGUOUS), None)
    merges = next((_merge(row, place) for row, place in places if row.code is ReasonCode.NO_MATCH), None)
    return [*partly, *filter(None, (puts, merges))]


def _put(row: Row, place: Candidate) -> str:
    return f"`editblocks apply - --only {place.pick}` puts block {row.number} at line {place.start_line}"


def _merge(row: Row, place: Candidate) -> str:
    lines = named_lines((place.start_line, place.end_line))
    return f"`editblocks apply - --only {place.pick}` merges block {row.number} into {lines}"


def _hint(bad: Sequence[Row]) -> str:
    found = [row.number for row in bad if row.code is ReasonCode.AMBIGUOUS]
    if not found:
        return ""
    words = f"{blocks(found)} {'fits' if len(found) == 1 else 'fit'} more than one place"
    return f" {words[0].upper()}{words[1:]}: two or three more lines above or below would tell which."
