"""Write the text above the table of a status, headline and lead, for each way in which a run can end.

The headline holds no foreign text. `prefix` is what commands begin with, `/` or `/edits `; None if a command would not
be accepted here.
"""

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import SUGGESTIONS
from editblocks.core.phrases import count_words, plural
from editblocks.report.escape import code_span, text
from editblocks.report.next_commands import by_hand
from editblocks.report.status.links import Links, Page, link
from editblocks.report.status.next_step import main_command
from editblocks.report.view import APPLIED, FAILED, READY, OutcomeView, source_noun

_STOPPED = {
    ReasonCode.SOURCE_EDITED: "Nothing committed: the {noun} was edited after the check",
    ReasonCode.HEAD_MOVED: "Nothing committed: the branch moved during the run",
    ReasonCode.BRANCH_REFUSED: "Nothing committed: editblocks does not write to this branch",
    ReasonCode.CLOSED: "Nothing committed: the pull request is not open",
    ReasonCode.PUBLISH_FAILED: "Nothing committed: GitHub refused the commit",
    ReasonCode.TOO_LARGE: "Nothing committed: the {noun} is over a limit",
    ReasonCode.BAD_CONFIG: "Nothing committed: the configuration has an error",
    ReasonCode.STALE: "Nothing committed: a file changed after a place in it was chosen",
    ReasonCode.SELF_CHECK: "Nothing committed: the result differs from the plan",
}
_ENDED_EARLY = "Nothing committed: the run ended early"
_READY = {
    None: "Edit blocks: {ready} ready, nothing committed",
    ReasonCode.NOT_PERMITTED: "Edit blocks: {ready} ready, waiting for someone who can write",
    ReasonCode.FORK: "Edit blocks: {ready} ready, for the author of this fork to apply",
}
_PULL = "If you work on this branch, run `git pull` first."


def headline(view: OutcomeView, prefix: str | None = None) -> str:
    """Return the heading without its `###`: what happened, in numbers."""
    outcome = view.outcome
    in_commit = ""
    if outcome.commit:
        in_commit = f" in {outcome.commit[:7]}"
    if outcome.state is State.UNDONE:
        return f"Undone{in_commit}"
    if view.is_written:
        return _written(view, in_commit)
    if outcome.unresolved is not None:
        return f"Unknown: whether commit {outcome.unresolved[:7]} is on the branch"
    if outcome.refusal is not None and (view.is_edited or not view.is_open):
        return _STOPPED.get(outcome.refusal.code, _ENDED_EARLY).format(noun=source_noun(outcome.response.source))
    return _verdict(view, prefix)


def _written(view: OutcomeView, in_commit: str) -> str:
    count = view.counts.get(APPLIED, 0)
    if view.outcome.removed_file is not None and not count:
        return f"Response file removed{in_commit}: the branch already has its changes"
    if view.result.ok:
        return f"Applied {plural(count, 'edit block')}{in_commit}"
    return f"Applied {count} of {plural(len(view.result.rows), 'edit block')}{in_commit}"


def _verdict(view: OutcomeView, prefix: str | None) -> str:
    total = len(view.result.rows)
    ready = view.counts.get(READY, 0)
    if not total:
        return "No edit block found"
    if view.is_already_applied and total == 1:
        return "Nothing to do: the branch already has this change"
    if view.is_already_applied:
        return f"Nothing to do: the branch already has all {total} changes"
    if not view.outcome.ok:
        return f"Nothing committed: {_not_ok(view)}"
    if not ready:
        return f"Nothing to apply: {_not_ok(view)}"
    if prefix is not None:
        return f"Edit blocks: {ready} ready, waiting for `{prefix}apply`"
    if view.outcome.refusal is None or view.is_gone:
        return _READY[None].format(ready=ready)
    return _READY[view.outcome.refusal.code].format(ready=ready)


def _not_ok(view: OutcomeView) -> str:
    total = plural(len(view.rows), "edit block")
    failed = [row for row in view.rows if row.word == FAILED]
    left_out = sum(not row.ok for row in view.rows)
    if not failed and left_out == len(view.rows):
        return f"{plural(left_out, 'block')} left out"
    if not failed:
        return f"{left_out} of {total} left out"
    if all(row.code is ReasonCode.BAD_CONFIG for row in failed):
        return "the front matter has an error"
    if all(row.result is None for row in failed):
        return f"{len(failed)} of {total} cannot be read"
    return f"{len(failed)} of {total} failed"


def lead(view: OutcomeView, page: Page, *, has_patch: bool) -> str:
    """Return one or two paragraphs: whose blocks were checked, against which commit, with what result.

    `has_patch`: the status shows a patch below.
    """
    who = _who(view, page.links)
    refusal = view.outcome.refusal
    if view.outcome.state is State.UNDONE:
        return f"{who} {_undone(view, page)}"
    if view.is_written:
        return f"{who} {_became(view, page)}"
    first = " ".join((_checked(view, page, who), *_why(view, page, has_patch=has_patch)))
    if refusal is None:
        return first
    reason = refusal.reason
    # The advice names the patch, so it is left out if no patch is shown.
    if refusal.code is ReasonCode.FORK and not refusal.is_gone and not has_patch:
        reason = refusal.what
    return f"{first}\n\n{text(f'{refusal.code.value}: {reason}')}"


def _checked(view: OutcomeView, page: Page, who: str) -> str:
    against = _against(view, page.links)
    if page.prefix is not None and view.is_edited:
        earlier = f"An earlier `{page.prefix}apply` is no longer valid."
        if view.result.rows:
            return f"{earlier} {who}, checked again{against}: {view.counts_text}."
        return f"{earlier} {who}, checked again, holds no edit block."
    if view.result.rows:
        return f"{who}, checked{against}: {view.counts_text}."
    if view.outcome.state is State.NOTHING:
        return f"{who} holds no edit block."
    return f"{who}{against} was not applied."


def _who(view: OutcomeView, links: Links) -> str:
    """Return the subject of a sentence: the response, with its author."""
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
    """Return the commit that was read, and the response's base if a block is stale because of it."""
    phrases = ""
    if view.outcome.head:
        phrases = f" against {_commit(view.outcome.head, links)}"
    if view.result.base is not None and any(row.code is ReasonCode.STALE for row in view.rows):
        phrases += f", written against {code_span(view.result.base[:7])}"
    return phrases


def _commit(oid: str, links: Links) -> str:
    return link(code_span(oid[:7]), links.commit(oid))


def _by(commit: str, page: Page) -> str:
    """Return the words for the commit that made a change, with its branch."""
    if page.branch is None:
        return f"commit {_commit(commit, page.links)}"
    return f"commit {_commit(commit, page.links)} on {code_span(page.branch)}"


def _became(view: OutcomeView, page: Page) -> str:
    commit = view.outcome.commit
    removed = view.outcome.removed_file
    left_out = ""
    others = {word: count for word, count in view.counts.items() if word != APPLIED}
    if others:
        left_out = f" Left out: {count_words(others)}."
    if commit is None:
        return f"changed {view.change_text}.{left_out}"
    by = _by(commit, page)
    undo = f"Undo with `{page.prefix}undo`."
    if page.prefix is None:
        undo = f"Undo with `git revert {commit[:7]}`."
    if removed is None:
        return f"became {by}: {view.change_text}.{left_out} {undo} {_PULL}"
    if not view.result.contents:
        return f"was removed by {by}. {undo} {_PULL}"
    return f"became {by}: {view.change_text}, and {code_span(removed)} was removed.{left_out} {undo} {_PULL}"


def _undone(view: OutcomeView, page: Page) -> str:
    was = "were" if view.outcome.response.source.kind == SUGGESTIONS else "was"
    sentences = [f"{was} undone."]
    if view.outcome.commit is not None:
        sentences = [f"{was} undone by {_by(view.outcome.commit, page)}."]
    if view.result.rows:
        sentences.append(f"Checked again: {view.counts_text}.")
    if page.prefix is not None and view.outcome.ok:
        command, _ = main_command(view, page.prefix)
        if command:
            sentences.append(f"`{command}` applies these blocks again.")
    return " ".join((*sentences, _PULL))


def _why(view: OutcomeView, page: Page, *, has_patch: bool) -> list[str]:
    """Return the sentences that say why nothing is committed yet; empty if another part of the lead says it."""
    refusal = view.outcome.refusal
    if refusal is not None and refusal.code is ReasonCode.NOT_PERMITTED:
        return ["Its author may not apply blocks here, so nothing is committed yet."]
    if refusal is not None and refusal.code is ReasonCode.FORK:
        return _of_a_fork(view, has_patch=has_patch)
    if view.outcome.state is not State.CHECKED or refusal is not None:
        return []
    if page.prefix is None and page.following is None:
        return ["This workflow only checks."]
    if page.prefix is None:
        return ["Nothing is written yet."]
    if READY not in view.counts:
        return ["Blocks that are left out stay out until someone names them."]
    if not view.outcome.needs_command:
        return ["Nothing is committed yet."]
    if view.counts[READY] == 1:
        return [f"This block waits for `{page.prefix}apply`."]
    return [f"These blocks wait for `{page.prefix}apply`."]


def _of_a_fork(view: OutcomeView, *, has_patch: bool) -> list[str]:
    """Return the sentences for a branch of a fork: nothing is written there, and how its author can apply the blocks.

    If a block failed, the next step says what to do instead.
    """
    what = "This workflow never writes to a fork."
    where = "On the branch of the fork"
    if view.is_gone:
        what = "The fork no longer exists, so nothing is written to it."
        where = "On a branch of your own"
    if not view.outcome.ok or READY not in view.counts:
        return [what]
    steps: list[str] = []
    if has_patch:
        steps.append("copy the patch below and run `git apply --3way`")
    source = view.outcome.response.source
    if source.kind != SUGGESTIONS:  # the command line does not know the lines of a thread
        steps.append(f"copy the {source_noun(source)} and run `{by_hand(view)}`")
    if not steps:
        return [what]
    return [what, f"{where}, {', or '.join(steps)}."]
