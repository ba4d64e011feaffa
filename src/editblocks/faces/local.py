"""check, diff, apply and retry: one response from a file or stdin against a folder or a commit on this machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from editblocks.codes import ReasonCode
from editblocks.errors import ConfigError, RepoError
from editblocks.faces.boundary import BROKEN, FINE, NOT_OK
from editblocks.faces.reading import read_response
from editblocks.faces.terminal import (
    has_color,
    has_unicode,
    is_long_form,
    message,
    printing,
    say,
    show,
    show_exactly,
)
from editblocks.outcome import FrontMatter, Outcome, Response
from editblocks.report import console
from editblocks.run import Repo, serve
from editblocks.selection import Selection
from editblocks.settings import Settings


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    command: str  # check, diff, apply or retry
    source: str  # a path, or "-"
    root: Path
    settings: Settings  # of which `mode` is apply for the command that writes, and check for the others
    rev: str | None = None
    base: str | None = None  # what a person calls the commit that the response was written against
    select: Selection | None = None
    commit: bool = False
    json: bool = False
    verbose: bool = False


def carry_out(request: Request) -> int:
    """Plan the response, write it if that was asked for, and print what happened. Returns the exit code."""
    host = _Host(response_of(request))
    [outcome] = serve(host, opener(request), request.settings, sleep=time.sleep, select=request.select)
    try:
        with printing():
            _print(request, outcome)
    except RepoError as error:
        if outcome.written:  # nobody must take what was done for something that was not
            raise RepoError(f"{console.verdict(outcome)}, but {error.message}", error.code) from error
        raise
    if outcome.refusal is not None:
        message(f"{outcome.refusal.code.value}: {outcome.refusal.reason}")
        return BROKEN
    return FINE if outcome.ok else NOT_OK


def response_of(request: Request) -> Response:
    """The response, with the base that was named on the command line before the one that it names itself."""
    response = read_response(request.source, request.settings.max_response_bytes)
    if request.base is None:
        return response
    from editblocks.repos.repository import open_repository, resolve_commit

    base = resolve_commit(open_repository(request.root), request.base)
    return replace(response, front=replace(response.front or FrontMatter(), base=base))


class _Host:
    """One response, from somebody who may write here; the face prints the status itself."""

    def __init__(self, response: Response) -> None:
        self.response = response

    def responses(self) -> Iterator[Response]:
        yield self.response

    def refusal(self, response: Response) -> None:
        del response

    def publish(self, outcome: Outcome) -> None:
        del outcome


def here() -> Path:
    """The current directory. Raises `RepoError` if somebody removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise RepoError("this directory is gone; change to one that exists", ReasonCode.BAD_CONFIG) from error


def find_root(start: Path) -> Path:
    """The top of the repository around `start`, or `start` itself: blocks name paths from the top."""
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), start)


def refuse_git_folder(root: Path) -> None:
    """Raise `ConfigError` if `root` is, or lies in, a folder in which git keeps its own files: hooks, configuration."""
    place = root.resolve()
    for folder in (place, *place.parents):
        if all((folder / name).exists() for name in ("HEAD", "objects", "refs")):
            reason = f"{root} is git's own folder, without files to change; name a commit to plan on with --rev"
            raise ConfigError(reason)
        if (folder / ".git").exists():
            return


def opener(request: Request) -> Callable[[], Repo]:
    """How to open what the blocks are planned on. Raises `ConfigError` for a root that is no place for files."""
    if not request.root.is_dir():
        raise ConfigError(f"{request.root} is no directory; name one with --root")
    if request.rev is not None:
        from editblocks.repos.objects import ObjectsRepo

        rev = request.rev
        return lambda: ObjectsRepo(request.root, rev)
    if request.commit:
        from editblocks.repos.checkout import CheckoutRepo

        return lambda: CheckoutRepo(request.root)
    from editblocks.repos.worktree import WorktreeRepo

    refuse_git_folder(request.root)
    return lambda: WorktreeRepo(request.root)


def _print(request: Request, outcome: Outcome) -> None:
    if request.json:
        _print_json(request, outcome)
    elif outcome.refusal is not None and not outcome.result.rows:
        return  # nothing was planned, so there is nothing to report but the refusal
    elif request.command == "diff":
        _print_diff(request, outcome)
    else:
        _print_report(request, outcome)


def _print_report(request: Request, outcome: Outcome) -> None:
    if request.verbose or is_long_form(sys.stdout):
        show(_long_form(request, outcome, sys.stdout))
    else:
        show(console.short_rows(outcome) + console.notes(outcome) + console.short_summary(outcome) + "\n")
    if request.command == "apply" and outcome.refusal is None and outcome.result.rows:
        show(f"{console.verdict(outcome)}\n")


def _long_form(request: Request, outcome: Outcome, stream: TextIO | None) -> str:
    more: Mapping[int, Sequence[str]] = {}
    if request.verbose:
        from editblocks.faces.verbose import traces

        more = traces(outcome, request.settings, request.root)
    return console.report(outcome, unicode=has_unicode(stream), color=has_color(stream), more=more)


def _print_diff(request: Request, outcome: Outcome) -> None:
    from editblocks.report.diff import unified_diff

    show_exactly(unified_diff(outcome.result))
    if request.verbose:
        say(_long_form(request, outcome, sys.stderr))
    elif not outcome.result.ok:
        say(console.short_rows(outcome) + console.short_summary(outcome) + "\n")


def _print_json(request: Request, outcome: Outcome) -> None:
    from editblocks.faces.version import own_version
    from editblocks.report.commands import next_commands
    from editblocks.report.json import Target, dumps, results

    takes_part = request.select is not None and not request.select.every
    mode = "partial" if request.settings.partial or takes_part else "all-or-nothing"
    target = Target("commit" if request.rev or request.commit else "worktree")
    writing = None if request.rev is not None else ["--commit"] if request.commit else []
    following = next_commands(outcome, _again(request), writing)
    version = own_version()
    document = results(outcome, command=request.command, mode=mode, target=target, version=version, following=following)
    show(dumps(document))


def _again(request: Request) -> list[str]:
    """The options without which another command would look at other files, or with other eyes."""
    given = {
        "--root": None if request.root == find_root(here()) else str(request.root),
        "--rev": request.rev,
        "--base": request.base,
        "--matching": None if request.settings.matching == Settings().matching else request.settings.matching,
    }
    return [word for name, value in given.items() if value is not None for word in (name, value)]
