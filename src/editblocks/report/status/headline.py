"""The words above the table of a status: headline and lead, one set for each way a run can end.

The headline holds no text of the source. `reply` is the word that commands begin with, None if none would be
obeyed. Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

import re

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Refusal
from editblocks.core.phrases import count_words, plural
from editblocks.report.escape import code_span, text
from editblocks.report.next_commands import by_hand
from editblocks.report.status.links import Links
from editblocks.report.status.page import Page
from editblocks.report.status.reply_commands import main_command
from editblocks.report.view import APPLIED, FAILED, READY, OutcomeView
from editblocks.report.wording import source_noun

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
    ReasonCode.STALE: "a file changed after a place in it was chosen",
    ReasonCode.SELF_CHECK: "the result was not what was planned",
}


def headline(view: OutcomeView, reply: str | None = None) -> str:
    """The heading without its `###`: what happened, in numbers."""
    noun = source_noun(view.outcome.response.source)
    if view.outcome.state is State.UNDONE:
        return f"Undone{_in(view)}"
    if view.is_written:
        return _applied_headline(view)
    if view.outcome.unresolved is not None:
        return f"Not known: whether {view.outcome.unresolved[:7]} is on the branch"
    if view.outcome.refusal is not None and (view.is_edited or not view.is_open):
        return f"Nothing committed: {_REFUSED.get(view.outcome.refusal.code, 'the run ended early').format(noun=noun)}"
    return _verdict(view, reply)


def _verdict(view: OutcomeView, reply: str | None) -> str:
    total = len(view.result.rows)
    if not total:
        return "No edit block found"
    ready = view.counts.get(READY, 0)
    if view.is_there:
        return f"Nothing to do: {_all_of(total)} in the branch already"
    if view.outcome.ok and not ready:
        return f"Nothing to apply: {_left_out(view)}"
    if is_waiting(view, reply):
        return f"Edit blocks: {ready} ready, waiting for `{reply}apply`"
    if not view.outcome.ok:
        return f"Nothing committed: {_not_ok(view)}"
    waiting = {ReasonCode.NOT_PERMITTED: "waiting for someone who can write", ReasonCode.FORK: _FOR_THE_FORK}
    tail = "nothing committed" if view.outcome.refusal is None or view.is_gone else waiting[view.outcome.refusal.code]
    return f"Edit blocks: {ready} ready, {tail}"


def _all_of(total: int) -> str:
    return "the edit block is" if total == 1 else f"all {total} edit blocks are"


def is_waiting(view: OutcomeView, reply: str | None) -> bool:
    """Whether everything fits and only waits for a command of somebody who may write."""
    return reply is not None and view.outcome.ok and READY in view.counts


_EMPTY = {True: "holds no edit block", False: "was not carried out"}
_FOR_THE_FORK = "for the author of this fork to apply"


def _applied_headline(view: OutcomeView) -> str:
    count, total = view.counts.get(APPLIED, 0), len(view.result.rows)
    if view.outcome.removed_file is not None and not count:
        return f"Response file removed{_in(view)}: what it asks for is in the branch already"
    what = plural(count, "edit block") if view.result.ok else f"{count} of {plural(total, 'edit block')}"
    return f"Applied {what}{_in(view)}"


def _in(view: OutcomeView) -> str:
    return f" in {view.outcome.commit[:7]}" if view.outcome.commit else ""


def _not_ok(view: OutcomeView) -> str:
    failed = [row for row in view.rows if row.word == FAILED]
    if not failed:
        return _left_out(view)
    if all(row.code is ReasonCode.BAD_CONFIG for row in failed):
        return "the front matter cannot be used"
    unreadable = all(row.result is None for row in failed)
    what = "cannot be read" if unreadable else "failed"
    return f"{len(failed)} of {plural(len(view.result.rows), 'edit block')} {what}"


def _left_out(view: OutcomeView) -> str:
    total, count = len(view.result.rows), sum(not row.ok for row in view.rows)
    return (
        f"{plural(count, 'block')} left out" if count == total else f"{count} of {plural(total, 'edit block')} left out"
    )


def lead(view: OutcomeView, page: Page, *, patch: bool) -> str:
    """One or two paragraphs: whose blocks, against which commit, with what result. `patch`: one is shown below."""
    links, reply, who = page.links, page.reply, _who(view, page.links)
    if view.outcome.state is State.UNDONE:
        return f"{who} {_undone_text(view, links, page.branch, reply)}"
    if view.is_written:
        return f"{who} {_became(view, links, page.branch, reply)}"
    again = reply is not None and view.is_edited
    empty = f", {_EMPTY[True]}" if again else f" {_EMPTY[view.outcome.state is State.NOTHING]}"
    counts = f": {view.counts_text}" if view.result.rows else empty
    earlier = [f"An earlier `{reply}apply` no longer counts."] if again else []
    checked = f"{who}{', checked again' if again else ''}{_against(view, links)}{counts}."
    sentences = [*earlier, checked, *_why(view, page, patch=patch)]
    there = patch and not view.is_gone  # "there" is nowhere then, and the sentence above says where it goes
    reason = [] if view.outcome.refusal is None else [_reason(view.outcome.refusal, patch=there)]
    return "\n\n".join([" ".join(sentences), *reason])


def _against(view: OutcomeView, links: Links | None) -> str:
    """The commit that was read, and the one that the response was written for where that made a difference."""
    base = view.result.base
    is_stale = base is not None and any(row.code is ReasonCode.STALE for row in view.rows)
    written = f", written against {code_span(base[:7])}" if base is not None and is_stale else ""
    return f" against {_commit(view.outcome.head, links)}{written}" if view.outcome.head else written


def _who(view: OutcomeView, links: Links | None) -> str:
    source = view.outcome.response.source
    noun = source_noun(source)
    if source.author is not None and source.path is None:
        plain = _LOGIN.fullmatch(source.author) and not _HEXADECIMAL.fullmatch(source.author)
        name = f"{source.author if plain else code_span(source.author)}'s {noun}"
    else:
        name = code_span(source.path) if source.path is not None else f"The {noun}"
    return name if links is None else f"[{name}]({links.response(view.outcome.head)})"


def _commit(oid: str, links: Links | None) -> str:
    address = links.commit(oid) if links is not None else None
    return code_span(oid[:7]) if address is None else f"[{code_span(oid[:7])}]({address})"


def _became(view: OutcomeView, links: Links | None, branch: str | None, reply: str | None) -> str:
    done = view.change
    change_text = f"{plural(done.files, 'file')}, +{done.added} −{done.removed}"
    left_out = {word: count for word, count in view.counts.items() if word != APPLIED}
    tail = f" Left out: {count_words(left_out)}." if left_out else ""
    commit, removed = view.outcome.commit, view.outcome.removed_file
    if commit is None:
        return f"changed {change_text}.{tail}"
    by, after = f"{_commit(commit, links)}{_on(branch)}", _afterwards(commit, reply)
    if removed is not None and not done.files:
        return f"was removed by {by}. {after}"
    also = f", and {code_span(removed)} was removed" if removed is not None else ""
    return f"became {by}: {change_text}{also}.{tail} {after}"


def _afterwards(commit: str, reply: str | None) -> str:
    command = f"git revert {commit[:7]}" if reply is None else f"{reply}undo"
    return f"Undo with `{command}`. {_PULL}"


_PULL = "Working on this branch? `git pull` first."


def _on(branch: str | None) -> str:
    return f" on {code_span(branch)}" if branch is not None else ""


def _undone_text(view: OutcomeView, links: Links | None, branch: str | None, reply: str | None) -> str:
    by = f" by {_commit(view.outcome.commit, links)}{_on(branch)}" if view.outcome.commit is not None else ""
    counts = f" Checked again: {view.counts_text}." if view.result.rows else ""
    command = main_command(view, reply) if reply is not None and view.outcome.ok else None
    again = f" `{command}` works again." if command is not None else ""
    return f"was undone{by}.{counts}{again} {_PULL}"


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
    what = "This fork is gone, so nothing is written to it." if view.is_gone else _NEVER
    if not view.outcome.ok or READY not in view.counts:
        return [what]
    by_patch = "copy the patch below and run `git apply --3way`, or " if patch else ""
    where = "On a branch of your own" if view.is_gone else "On its branch"
    return [what, f"{where}, {by_patch}copy the {source_noun(view.outcome.response.source)} and run `{by_hand(view)}`."]


_NEVER = "This workflow never writes to a fork."


def _reason(refusal: Refusal, *, patch: bool) -> str:
    """Why, in one sentence; a patch is named only where one is shown and the branch is still there."""
    names_patch = refusal.code is ReasonCode.FORK and not refusal.is_gone
    reason = refusal.what if names_patch and not patch else refusal.reason
    return text(f"{refusal.code.value}: {reason}")
