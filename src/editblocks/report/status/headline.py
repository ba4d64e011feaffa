"""The words above the table of a status: headline and lead, one set for each way a run can end.

The headline holds no text of the source. `reply` is the word that commands begin with, None if none would be
obeyed.
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode, State
from editblocks.core.phrases import count_words, plural
from editblocks.report.escape import code_span, text
from editblocks.report.next_commands import by_hand
from editblocks.report.status.links import Links, Page, link
from editblocks.report.status.next_step import main_command
from editblocks.report.view import APPLIED, FAILED, READY, OutcomeView, source_noun

_REFUSED = {
    ReasonCode.SOURCE_EDITED: "the {noun} was edited after the check",
    ReasonCode.HEAD_MOVED: "the branch moved during the run",
    ReasonCode.BRANCH_REFUSED: "this branch is not written to",
    ReasonCode.CLOSED: "the pull request is not open",
    ReasonCode.PUBLISH_FAILED: "the branch did not take the commit",
    ReasonCode.TOO_LARGE: "the {noun} is over a limit",
    ReasonCode.BAD_CONFIG: "the configuration cannot be used",
    ReasonCode.STALE: "a file changed after a place in it was chosen",
    ReasonCode.SELF_CHECK: "the result was not what was planned",
}
_WAITING = {
    ReasonCode.NOT_PERMITTED: "waiting for someone who can write",
    ReasonCode.FORK: "for the author of this fork to apply",
}
_PULL = "Working on this branch? `git pull` first."


def headline(view: OutcomeView, reply: str | None = None) -> str:
    """The heading without its `###`: what happened, in numbers."""
    outcome, refusal = view.outcome, view.outcome.refusal
    commit = f" in {outcome.commit[:7]}" if outcome.commit else ""
    if outcome.state is State.UNDONE:
        return f"Undone{commit}"
    if view.is_written:
        return _written(view, commit)
    if outcome.unresolved is not None:
        return f"Not known: whether {outcome.unresolved[:7]} is on the branch"
    if refusal is not None and (view.is_edited or not view.is_open):
        why = _REFUSED.get(refusal.code, "the run ended early")
        return f"Nothing committed: {why.format(noun=source_noun(outcome.response.source))}"
    return _verdict(view, reply)


def _written(view: OutcomeView, commit: str) -> str:
    count, total = view.counts.get(APPLIED, 0), len(view.result.rows)
    if view.outcome.removed_file is not None and not count:
        return f"Response file removed{commit}: what it asks for is in the branch already"
    what = plural(count, "edit block") if view.result.ok else f"{count} of {plural(total, 'edit block')}"
    return f"Applied {what}{commit}"


def _verdict(view: OutcomeView, reply: str | None) -> str:
    total, ready, refusal = len(view.result.rows), view.counts.get(READY, 0), view.outcome.refusal
    if not total:
        return "No edit block found"
    if view.is_there:
        those = "the edit block is" if total == 1 else f"all {total} edit blocks are"
        return f"Nothing to do: {those} in the branch already"
    if not view.outcome.ok or not ready:
        return f"Nothing {'to apply' if view.outcome.ok else 'committed'}: {_not_ok(view, total)}"
    if reply is not None:
        return f"Edit blocks: {ready} ready, waiting for `{reply}apply`"
    tail = "nothing committed" if refusal is None or view.is_gone else _WAITING[refusal.code]
    return f"Edit blocks: {ready} ready, {tail}"


def _not_ok(view: OutcomeView, total: int) -> str:
    failed = [row for row in view.rows if row.word == FAILED]
    if not failed:
        count = sum(not row.ok for row in view.rows)
        which = plural(count, "block") if count == total else f"{count} of {plural(total, 'edit block')}"
        return f"{which} left out"
    if all(row.code is ReasonCode.BAD_CONFIG for row in failed):
        return "the front matter cannot be used"
    what = "cannot be read" if all(row.result is None for row in failed) else "failed"
    return f"{len(failed)} of {plural(total, 'edit block')} {what}"


def lead(view: OutcomeView, page: Page, *, patch: bool) -> str:
    """One or two paragraphs: whose blocks, against which commit, with what result. `patch`: one is shown below."""
    who, refusal = _who(view, page.links), view.outcome.refusal
    if view.outcome.state is State.UNDONE:
        return f"{who} {_undone(view, page)}"
    if view.is_written:
        return f"{who} {_became(view, page)}"
    again = page.reply is not None and view.is_edited
    nothing = "holds no edit block" if again or view.outcome.state is State.NOTHING else "was not carried out"
    counts = f": {view.counts_text}" if view.result.rows else f"{',' * again} {nothing}"
    earlier = [f"An earlier `{page.reply}apply` no longer counts."] if again else []
    checked = f"{who}{', checked again' if again else ''}{_against(view, page.links)}{counts}."
    first = " ".join([*earlier, checked, *_why(view, page, patch=patch)])
    if refusal is None:
        return first
    # a patch is named only where one is shown and the branch is still there
    is_without = refusal.code is ReasonCode.FORK and not refusal.is_gone and not patch
    return f"{first}\n\n{text(f'{refusal.code.value}: {refusal.what if is_without else refusal.reason}')}"


def _who(view: OutcomeView, links: Links) -> str:
    """Whose text it is."""
    source = view.outcome.response.source
    noun = source_noun(source)
    if source.path is not None:
        name = code_span(source.path)
    elif source.author is None:
        name = f"The {noun}"
    else:
        name = text(f"{source.author}'s {noun}")
    return link(name, links.response(view.outcome.head))


def _against(view: OutcomeView, links: Links) -> str:
    """The commit that was read, and the one that the response was written for where that made a difference."""
    base, head = view.result.base, view.outcome.head
    is_stale = base is not None and any(row.code is ReasonCode.STALE for row in view.rows)
    written = f", written against {code_span(base[:7])}" if base is not None and is_stale else ""
    return f" against {_commit(head, links)}{written}" if head else written


def _commit(oid: str, links: Links) -> str:
    return link(code_span(oid[:7]), links.commit(oid))


def _on(page: Page) -> str:
    return f" on {code_span(page.branch)}" if page.branch is not None else ""


def _became(view: OutcomeView, page: Page) -> str:
    commit, removed = view.outcome.commit, view.outcome.removed_file
    left_out = {word: count for word, count in view.counts.items() if word != APPLIED}
    tail = f" Left out: {count_words(left_out)}." if left_out else ""
    if commit is None:
        return f"changed {view.change_text}.{tail}"
    undo = f"git revert {commit[:7]}" if page.reply is None else f"{page.reply}undo"
    by, after = f"{_commit(commit, page.links)}{_on(page)}", f"Undo with `{undo}`. {_PULL}"
    if removed is not None and not view.result.contents:
        return f"was removed by {by}. {after}"
    also = "" if removed is None else f", and {code_span(removed)} was removed"
    return f"became {by}: {view.change_text}{also}.{tail} {after}"


def _undone(view: OutcomeView, page: Page) -> str:
    commit = view.outcome.commit
    by = f" by {_commit(commit, page.links)}{_on(page)}" if commit is not None else ""
    counts = f" Checked again: {view.counts_text}." if view.result.rows else ""
    command = main_command(view, page.reply) if page.reply is not None and view.outcome.ok else None
    return f"was undone{by}.{counts}{f' `{command[0]}` works again.' if command is not None else ''} {_PULL}"


def _why(view: OutcomeView, page: Page, *, patch: bool) -> list[str]:
    code = view.outcome.refusal.code if view.outcome.refusal is not None else None
    if code is ReasonCode.NOT_PERMITTED:
        return ["Its author cannot write here, so nothing is committed yet."]
    if code is ReasonCode.FORK:
        return _of_a_fork(view, patch=patch)
    if view.outcome.state is not State.CHECKED or code is not None:
        return []
    if page.reply is None:
        return ["Nothing is written yet." if page.following is not None else "This workflow only checks."]
    if READY not in view.counts:
        return ["What is left out stays out until somebody asks for it."]
    if view.outcome.needs_command:
        those = "This block waits" if view.counts[READY] == 1 else "These blocks wait"
        return [f"{those} for `{page.reply}apply`."]
    return ["Nothing is committed yet."]


def _of_a_fork(view: OutcomeView, *, patch: bool) -> list[str]:
    """That the branch is in a fork, and who can apply the ready blocks; the next step is about the failed ones."""
    what, where = "This workflow never writes to a fork.", "On its branch"
    if view.is_gone:
        what, where = "This fork is gone, so nothing is written to it.", "On a branch of your own"
    if not view.outcome.ok or READY not in view.counts:
        return [what]
    by_patch = "copy the patch below and run `git apply --3way`, or " if patch else ""
    noun = source_noun(view.outcome.response.source)
    return [what, f"{where}, {by_patch}copy the {noun} and run `{by_hand(view)}`."]
