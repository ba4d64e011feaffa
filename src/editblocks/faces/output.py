"""Where the result of a command goes, and in which form: stdout or a file, for people or for a program.

Page: docs/cli.md, "what is printed".
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from editblocks.codes import ReasonCode
from editblocks.errors import ConfigError, RepoError
from editblocks.faces.places import path_below
from editblocks.faces.request import Request
from editblocks.faces.terminal import has_color, has_unicode, is_long_form, printing, say, show, show_exactly
from editblocks.outcome import Outcome, Response
from editblocks.report import console
from editblocks.report.escape import visible
from editblocks.run import Repo


@dataclass(slots=True)
class Output:
    """The result of one call: text comes as each response is done, every other form at the end.

    `file` takes it instead of stdout.
    """

    request: Request
    file: BinaryIO | None
    count: int = 0

    def add(self, outcome: Outcome, receipt: str | None = None) -> None:
        """Print what became of a response; `receipt` is by what it can be taken back."""
        if self.request.format != "text" or (outcome.refusal is not None and not outcome.result.rows):
            return  # nothing was planned, so there is nothing to report but the refusal
        if len(self.request.sources) > 1 and self.request.command != "diff":
            self._put(f"{'' if self.count == 0 else chr(10)}{console.heading(outcome)}\n")
        self.count += 1
        if self.request.command == "diff":
            self._diff(outcome)
        else:
            self._report(outcome, receipt)

    def close(self, outcomes: Sequence[Outcome], open_repo: Callable[[], Repo]) -> None:
        """Print what has to be known whole."""
        if self.request.format == "text":
            return
        from editblocks.faces.documents import document

        self._put(document(self.request, outcomes, open_repo))

    def _report(self, outcome: Outcome, receipt: str | None) -> None:
        if self._is_long():
            self._put(self._long_form(outcome, self._stream))
        else:
            self._put(console.short_rows(outcome) + console.notes(outcome) + console.short_summary(outcome) + "\n")
        if self.request.command == "apply" and outcome.refusal is None and outcome.result.rows:
            said = [console.verdict(outcome)]
            if outcome.written and outcome.removed:
                said.append(f"removed {visible(outcome.removed)}")
            if receipt:
                staged = ", then git add what it restores" if self.request.index else ""  # the journal is of files
                said.append(f"take it back with: editblocks undo {receipt}{staged}")
            self._put("; ".join(said) + "\n")

    def _diff(self, outcome: Outcome) -> None:
        from editblocks.report.diff import unified_diff

        self.put_exactly(unified_diff(outcome.result))
        if self.request.verbose:
            self.explain(outcome)
        elif not outcome.result.ok:
            say(console.short_rows(outcome) + console.short_summary(outcome) + "\n")

    def explain(self, outcome: Outcome) -> None:
        """Say on stderr, as stdout is for a program, what became of a response and what was tried."""
        say(self._long_form(outcome, sys.stderr))

    def put_exactly(self, data: bytes) -> None:
        """Whole lines as they are."""
        if self.file is not None:
            with _explained(self.request.output or ""):
                self.file.write(data)
        else:
            show_exactly(data)

    def _is_long(self) -> bool:
        if self.request.quiet:
            return False
        return self.request.verbose or (self.file is None and is_long_form(sys.stdout))

    def _long_form(self, outcome: Outcome, stream: TextIO | None) -> str:
        more: Mapping[int, Sequence[str]] = {}
        if self.request.verbose:
            from editblocks.faces.verbose import traces

            more = traces(outcome, self.request.settings, self.request.root)
        is_unicode = self.file is not None or has_unicode(stream)
        return console.report(outcome, unicode=is_unicode, color=has_color(stream, self.request.color), more=more)

    @property
    def _stream(self) -> TextIO | None:
        return None if self.file is not None else sys.stdout

    def _put(self, text: str) -> None:
        if self.file is not None:
            self.put_exactly(text.encode("utf-8", "backslashreplace"))
        else:
            show(text)


@contextmanager
def open_output(request: Request, responses: Sequence[Response]) -> Iterator[Output]:
    """What is printed inside is out at the end, or nobody wants it. Raises `RepoError` if it cannot be written.

    A file is begun beside its place, so that nothing is done whose result cannot be told, and takes the place
    at the end. Raises `ConfigError` for one that would be lost by that.
    """
    if request.output is None:
        with printing():
            yield Output(request, None)
        return
    place = Path(request.output)
    _refuse_precious(request, place, responses)
    with _begun(place, request.output) as file:
        yield Output(request, file)


@contextmanager
def _begun(place: Path, name: str) -> Iterator[BinaryIO]:
    """A file that becomes `place` if all goes well; what is there and no regular file is written to as it is."""
    is_stream = place.exists() and not place.is_file()
    place = place if is_stream else Path(os.path.realpath(place))  # through a link, as a shell writes
    temp = place if is_stream else place.with_name(f".editblocks-{secrets.token_hex(8)}")
    try:
        with _explained(name):
            file = temp.open("wb" if is_stream else "xb")
        try:
            yield file
        finally:
            with _explained(name):
                file.close()
        if not is_stream:
            with _explained(name):
                if place.exists():
                    shutil.copymode(place, temp)
                temp.replace(place)
    finally:
        if not is_stream:
            temp.unlink(missing_ok=True)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise RepoError(
            f"{name} cannot be written: {reason}; give --output another place", ReasonCode.BAD_CONFIG
        ) from error


def _refuse_precious(request: Request, place: Path, responses: Sequence[Response]) -> None:
    """Raise `ConfigError` for a place whose contents are what the call is about, or git's own."""
    from editblocks.faces.listing import parsed_response

    named = [source for source in request.sources if source != "-" and Path(source).exists()]
    if place.exists() and any(place.samefile(source) for source in named):
        raise ConfigError(f"--output names the response {request.output} itself; give it another place")
    if ".git" in (part.lower() for part in place.absolute().parts):
        raise ConfigError(f"--output {request.output} is in git's own folder; give it another place")
    path = path_below(request.root, request.output or "")
    if place.exists() and path in {block.file_path for each in responses for block in parsed_response(each).blocks}:
        raise ConfigError(f"--output names {path}, which a block is for; give it another place")
