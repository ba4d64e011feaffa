"""check, diff and apply: one response from a file or stdin against a folder or a commit on this machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from editblocks.errors import ConfigError, RepoError
from editblocks.faces.boundary import BROKEN, FINE, NOT_OK
from editblocks.faces.terminal import has_color, has_unicode, is_long_form, message, show
from editblocks.model import Outcome, ReasonCode, Refusal, Response, Settings, Source
from editblocks.report import console
from editblocks.run import Repo, serve


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    command: str  # check, diff or apply
    source: str  # a path, or "-"
    root: Path
    rev: str | None = None
    partial: bool = False
    commit: bool = False
    json: bool = False

    @property
    def settings(self) -> Settings:
        """The run's settings; only apply writes."""
        return Settings(mode="apply" if self.command == "apply" else "check", partial=self.partial)


def carry_out(request: Request) -> int:
    """Plan the response, write it if that was asked for, and print what happened. Returns the exit code."""
    host = _Host(read_response(request.source, request.settings.max_response_bytes))
    [outcome] = serve(host, _opener(request), request.settings, sleep=time.sleep)
    if request.json:
        _print_json(request, outcome)
    elif request.command == "diff":
        _print_diff(outcome)
    else:
        _print_report(request, outcome)
    if outcome.refusal is not None:
        message(f"{outcome.refusal.code.value}: {outcome.refusal.reason}")
        return BROKEN
    return FINE if outcome.result.ok else NOT_OK


class _Host:
    """One response, from somebody who may write here; the face prints the status itself."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def responses(self) -> Iterator[Response]:
        yield self._response

    def refusal(self, response: Response) -> Refusal | None:
        del response

    def publish(self, outcome: Outcome) -> None:
        del outcome


def read_response(source: str, limit: int) -> Response:
    """The text of a file, or of stdin for `-`. Raises `RepoError` if it cannot be read as UTF-8 text.

    No more than `limit` bytes and one are read: the engine refuses what is longer.
    """
    name = "standard input" if source == "-" else source
    try:
        if source == "-":
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise RepoError(f"{name}: {reason}; name a file that holds the response, or - for stdin") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) <= limit:
            line = data.count(b"\n", 0, error.start) + 1
            reason = f"{name} is not UTF-8 (byte 0x{data[error.start]:02x} in line {line}); convert it first"
            raise RepoError(reason, ReasonCode.ENCODING) from error
        text = data.decode("utf-8", "replace")  # cut in mid-character, and refused by its length anyway
    kind = "stdin" if source == "-" else "file"
    return Response(text, Source("stdin" if source == "-" else source, kind, path=None if source == "-" else source))


def find_root(start: Path) -> Path:
    """The top of the repository around `start`, or `start` itself: blocks name paths from the top."""
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), start)


def _opener(request: Request) -> Callable[[], Repo]:
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

    return lambda: WorktreeRepo(request.root)


def _print_report(request: Request, outcome: Outcome) -> None:
    if is_long_form(sys.stdout):
        show(console.report(outcome, unicode=has_unicode(sys.stdout), color=has_color(sys.stdout)))
    else:
        show(console.short_rows(outcome) + console.short_summary(outcome) + "\n")
    if request.command == "apply" and outcome.refusal is None and outcome.result.rows:
        show(f"{console.verdict(outcome)}\n")


def _print_diff(outcome: Outcome) -> None:
    from editblocks.report.diff import unified_diff

    sys.stdout.flush()
    sys.stdout.buffer.write(unified_diff(outcome.result))
    sys.stdout.buffer.flush()
    if not outcome.result.ok:
        show(console.short_rows(outcome) + console.short_summary(outcome) + "\n", sys.stderr)


def _print_json(request: Request, outcome: Outcome) -> None:
    from editblocks.faces.version import own_version
    from editblocks.report.json import Target, dumps, results

    mode = "partial" if request.partial else "all-or-nothing"
    target = Target("commit" if request.rev or request.commit else "worktree")
    show(dumps(results(outcome, command=request.command, mode=mode, target=target, version=own_version())))
