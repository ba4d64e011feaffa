"""The result of a command as a document for a program: every `--format` but text."""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.errors import ConfigError
from editblocks.faces.request import Request, find_root, here
from editblocks.faces.version import own_version
from editblocks.outcome import Outcome
from editblocks.report.commands import next_commands
from editblocks.report.json import Target, dumps, results
from editblocks.settings import Settings


def document(request: Request, outcomes: Sequence[Outcome]) -> str:
    """One document for all of them. Raises `ConfigError` where a form has room for one response alone."""
    takes_part = request.select is not None and not request.select.every
    mode = "partial" if request.settings.partial or takes_part else "all-or-nothing"
    is_commit = request.rev is not None or request.commit or request.branch is not None
    target = Target("index" if request.staged or request.index else "commit" if is_commit else "worktree")
    version = own_version()
    [outcome] = outcomes
    following = next_commands(outcome, _again(request), _writing(request))
    document = results(outcome, command=request.command, mode=mode, target=target, version=version, following=following)
    return dumps(document)


def _writing(request: Request) -> list[str] | None:
    """The options that only a call that writes takes; None: what was planned on is not what would be written to."""
    if request.rev is not None or request.staged:
        return None
    branch = [] if request.branch is None else ["--branch", request.branch]
    return [*(["--commit"] if request.commit else []), *(["--index"] if request.index else []), *branch]


def _again(request: Request) -> list[str]:
    """The options without which another command would look at other files, or with other eyes."""
    given = {
        "--root": None if request.root == find_root(here()) else str(request.root),
        "--rev": request.rev,
        "--base": request.base,
        "--matching": None if request.settings.matching == Settings().matching else request.settings.matching,
    }
    return [word for name, value in given.items() if value is not None for word in (name, value)]
