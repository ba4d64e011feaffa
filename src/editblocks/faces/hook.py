"""`editblocks hook pre-commit`: do the staged response files fit the staged tree?

Started by `hooks/pre-commit` and by pre-commit. Only the index is read and nothing is written, so
the verdict does not depend on what else lies in the working tree. Page: docs/hooks.md. No module outside
the standard library is loaded, because every such commit waits for this (docs/design.md, H2); only a response
file with front matter pays for a YAML parser.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from editblocks.codes import ReasonCode, State
from editblocks.errors import ConfigError, ConfigTextError, UnreadableFile
from editblocks.faces.boundary import FINE, NOT_OK
from editblocks.faces.local import find_root
from editblocks.faces.reading import front_matter
from editblocks.faces.terminal import message, show
from editblocks.model import ApplyResult, Problem
from editblocks.outcome import Outcome, Response, Source
from editblocks.report.console import short_rows, short_summary
from editblocks.report.escape import visible
from editblocks.repos.git import Mode
from editblocks.repos.index import IndexRepo
from editblocks.repos.names import to_bytes, to_text
from editblocks.repos.process import through_subprocess
from editblocks.repos.repository import open_repository
from editblocks.run import decide, run, with_prompt
from editblocks.settings import Settings
from editblocks.text import SourceText

RESPONSE_FILE = re.compile(r"\.edits/[^/]+\.md")  # one folder, no `**`

_SETTINGS = Settings(mode="check")
_REPAIRS = {
    ReasonCode.BINARY: "save it as UTF-8 text",
    ReasonCode.ENCODING: "save it as UTF-8 text",
    ReasonCode.NOT_A_FILE: "stage the text itself",
    ReasonCode.TOO_LARGE: "split it",
}
_HELP = """\
usage: editblocks hook pre-commit [FILES...]

Check the staged response files (.edits/*.md) against the staged tree. Nothing
is written. FILES are paths from the top of the repository, as pre-commit passes
them; without any, all response files that the commit adds or changes.

example:
  editblocks hook pre-commit .edits/cart.md
"""


def main(argv: Sequence[str]) -> int:
    """Run the stage that `argv` names (what follows `editblocks hook`) and return the exit code.

    Raises `ConfigError` for usage and `RepoError` for git; the command line turns them into 2.
    """
    if argv and argv[0] in ("-h", "--help"):
        show(_HELP)
        return FINE
    if not argv or argv[0] != "pre-commit":
        said = f"hook has no stage `{argv[0]}`" if argv else "hook needs a stage"
        raise ConfigError(f"{said}; use `editblocks hook pre-commit`")
    root = find_root(Path.cwd())
    named = [_checked(operand) for operand in argv[1:]]
    return check_staged(root, sorted(set(filter(_is_response, named))) if named else staged_responses(root))


def check_staged(root: Path, paths: Sequence[str]) -> int:
    """Plan each of these response files, as it is staged, on the index, and print what is not fine."""
    if not paths:
        return FINE
    repo = IndexRepo(root, mode=Mode.HOOK, max_file_bytes=_SETTINGS.max_file_bytes)
    repo.prefetch(paths)
    code = FINE
    for path in paths:
        outcome = plan(path, repo)
        if outcome is None:
            message(f"{path} is not staged, so it was not checked; git add it first")
            continue
        show(_lines(outcome))
        code = code if outcome.result.ok else NOT_OK
    return code


def staged_responses(root: Path) -> list[str]:
    """Response files that the commit adds or changes, in name order; those that it deletes are none."""
    git = open_repository(root, Mode.HOOK, launch=through_subprocess).git
    options = ("--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "--no-ext-diff", "--no-textconv")
    names = map(to_text, git.ask("diff", *options, "--", ".edits").split(b"\0"))
    return sorted(filter(RESPONSE_FILE.fullmatch, names))


def plan(path: str, repo: IndexRepo) -> Outcome | None:
    """What would become of the blocks of one staged response file; None if it is not staged."""
    source = Source(f"file-{sha256(to_bytes(path)).hexdigest()[:16]}", "file", path=path)
    try:
        data = repo.read(path)
        if data is None:
            return None
        text = SourceText.decode(data, path).text()
        # what is over the limit stays whole, so that the engine sees that it is too long
        front = front_matter(text, path) if len(data) <= _SETTINGS.max_response_bytes else None
    except UnreadableFile as error:
        return _broken(source, repo, Problem(1, 1, 1, error.code, _unreadable(path, error)))
    except ConfigTextError as error:
        return _broken(source, repo, Problem(1, error.line, error.line, error.code, error.reason))
    response = Response(text, source, front=front)
    result = run(response, repo, _SETTINGS)
    return with_prompt(Outcome(response, result, decide(result, writes=False, partly=False), repo.head), repo)


def _broken(source: Source, repo: IndexRepo, problem: Problem) -> Outcome:
    return Outcome(Response("", source), ApplyResult(problems=(problem,)), State.FAILED, repo.head)


def _unreadable(path: str, error: UnreadableFile) -> str:
    """Why a response file cannot be read, with advice for it instead of that for a file to be edited."""
    what = error.message.rpartition("; ")[0]
    if error.code is ReasonCode.TOO_LARGE:  # the index loads more than a response may have
        what = f"{path} is over the limit of {_SETTINGS.max_response_bytes:,} bytes (max-response-bytes)"
    return f"{what}; {_REPAIRS[error.code]}" if error.code in _REPAIRS else error.message


def _lines(outcome: Outcome) -> str:
    """A short line for each row that is not fine, then one that sums up and says what to do."""
    failing = tuple(result for result in outcome.result.results if not result.ok)
    shown = short_rows(replace(outcome, result=replace(outcome.result, results=failing)))
    return f"{shown}{short_summary(outcome)}; {_advice(outcome)}\n"


def _advice(outcome: Outcome) -> str:
    result, file = outcome.result, shlex.quote(visible(outcome.response.source.path or ""))
    if not result.rows:
        return "put one in, or unstage the file"
    if not outcome.response.text:
        return "repair the file, then git add it"
    if not result.ok:
        return f"next: editblocks {'retry' if outcome.asks_for else 'check'} {file}"
    return f"next: editblocks apply {file}" if result.contents else "nothing is left to apply"


def _checked(operand: str) -> str:
    """An operand as a path from the top; pre-commit passes what is in the repository, so it may be hostile."""
    if operand.startswith("-"):
        raise ConfigError(f"`{operand}` begins with a dash and is no response file; give paths like .edits/cart.md")
    return operand.removeprefix("./")


def _is_response(path: str) -> bool:
    if RESPONSE_FILE.fullmatch(path):
        return True
    message(f"{path} is no response file (.edits/*.md), so it was not checked")
    return False
