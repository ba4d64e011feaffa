"""One response file for a hook: what would become of its blocks, and the lines that say so.

No module outside the standard library is loaded, because whoever commits or pushes waits for this
(docs/internals/design.md, "start-up time"); only a response file with front matter pays for a YAML parser.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigTextError, UnreadableFile, UsageError
from editblocks.core.model import ApplyResult, Problem
from editblocks.core.outcome import Outcome, Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.common.locations import find_root, here
from editblocks.faces.common.read_response import front_matter
from editblocks.report.escape import shell_word
from editblocks.report.terminal.short import log_rows, short_summary
from editblocks.report.view import OutcomeView
from editblocks.repos.files.names import from_system
from editblocks.run.flow import Repo, decide, run, with_prompt
from editblocks.text.source_text import SourceText

_TELLING = 12  # hex digits of a commit in a command: seven are not enough in a large repository


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do with a response file, as people say it of what they `git add` or push.

    In the last two `{file}` stands for its path from where they stand, and `{path}` for that from the top.
    """

    put: str  # the text itself, instead of a link to it
    take_out: str
    repair: str
    again: str  # `{command}` tells more of what was checked here
    apply: str = "next: editblocks apply {file}"


ON_DISK = Advice(
    "stage the text itself",
    "unstage the file",
    "repair the file, then git add it",
    "next: editblocks {command} {file}",
)
STAGED = replace(ON_DISK, again="next: editblocks {command} --staged {file}")
UNSTAGED = replace(STAGED, again="it differs on disk; next: git add {file}")


def advice_for_push(commit: str) -> Advice:
    """The words for a commit that is pushed, which need not be checked out."""
    short = commit[:_TELLING]
    again = f"next: git show {short}:{{path}} | editblocks {{command}} --rev {short} -"
    return Advice("commit the text itself", "take the file out", "repair the file, then commit it", again, apply="")


def refuse_option(operand: str) -> str:
    """An operand that is no option. Raises `UsageError`: names come from the repository, so they may be hostile."""
    if operand.startswith("-"):
        raise UsageError(f"`{operand}` begins with a dash and is no response file; give paths like .edits/cart.md")
    return operand


def file_from_here(path: str) -> str:
    """`path`, which is from the top, as a word of a command for those who started git.

    Git starts hooks at the top, and leaves in GIT_PREFIX from which folder below it was started itself.
    """
    start = from_system(os.environ.get("GIT_PREFIX") or os.curdir)
    seen = Path(os.path.relpath(find_root(here()) / path, start)).as_posix()
    return shell_word(f"./{seen}" if seen.startswith("-") else seen)


def plan(path: str, repo: Repo, settings: Settings, words: Advice) -> Outcome | None:
    """Plan the response file at `path` in `repo`; None if it is not there."""
    source = Source(path, "file", path=path)
    try:
        data = repo.read(path)
        if data is None:
            return None
        text = SourceText.decode(data, path).text()
        # what is over the limit stays whole, so that the engine sees that it is too long
        front = front_matter(text, path) if len(data) <= settings.max_response_bytes else None
    except UnreadableFile as error:
        reason = _unreadable(path, error, settings, words)
        return _outcome_of_problem(source, repo, Problem(1, 1, 1, error.code, *reason))
    except ConfigTextError as error:
        return _outcome_of_problem(source, repo, Problem(1, error.line, error.line, error.code, error.reason))
    response = Response(text, source, front=front)
    result = run(response, repo, settings)
    return with_prompt(Outcome(response, result, decide(result, writes=False, allow_partial=False), repo.head), repo)


def lines(outcome: Outcome, words: Advice) -> str:
    """The rows that are not fine, with the lines that differ, then one that sums up and says what to do."""
    failing = tuple(result for result in outcome.result.results if not result.ok)
    shown = log_rows(OutcomeView(replace(outcome, result=replace(outcome.result, results=failing))))
    return f"{shown}{'; '.join(filter(None, (short_summary(OutcomeView(outcome)), _advice(outcome, words))))}\n"


def _outcome_of_problem(source: Source, repo: Repo, problem: Problem) -> Outcome:
    return Outcome(Response("", source), ApplyResult(problems=(problem,)), State.FAILED, repo.head)


def _unreadable(path: str, error: UnreadableFile, settings: Settings, words: Advice) -> tuple[str, str]:
    """Why a response file cannot be read, with advice for it instead of that for a file to be edited."""
    if error.code is ReasonCode.TOO_LARGE:  # more is loaded than a response may have
        return f"{path} is over the limit of {settings.max_response_bytes:,} bytes (max-response-bytes)", "split it"
    if error.code in (ReasonCode.BINARY, ReasonCode.ENCODING):
        return error.what, "save it as UTF-8 text"
    return error.what, words.put if error.code is ReasonCode.NOT_A_FILE else error.advice


def _advice(outcome: Outcome, words: Advice) -> str:
    result, path = outcome.result, outcome.response.source.path or ""
    if not result.rows:
        return f"put one in, or {words.take_out}"
    if not outcome.response.text:
        return words.repair
    if result.ok and not result.contents:
        return "nothing is left to apply"
    command = "retry" if outcome.retry_blocks else "check"
    advice = words.apply if result.ok else words.again
    return advice.format(command=command, file=file_from_here(path), path=shell_word(path))
