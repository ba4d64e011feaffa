"""A response as it came, and what became of it: what hosts take in and reports show. Frozen, like `model`."""

from __future__ import annotations

from dataclasses import dataclass

from editblocks.codes import ReasonCode, State
from editblocks.model import ApplyResult


@dataclass(frozen=True, slots=True)
class Source:
    """Where a response came from. `kind` is one of the schema's: comment, review, file, stdin, text …"""

    id: str
    kind: str
    uri: str | None = None
    author: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a response says of itself in the YAML lines at its start; docs/cli.md lists the keys.

    The first `length` characters and `lines` lines of the text are front matter. None: not said.
    """

    base: str | None = None
    title: str | None = None
    format: str | None = None
    author: str | None = None
    length: int = 0
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """One text with blocks in it, as it came. `context_path`: the file of the review thread, if any.

    `base` is the commit that a review comment was written on, 40 hex digits; what the text says goes before it.
    """

    text: str
    source: Source
    context_path: str | None = None
    reply_to: int | None = None
    front: FrontMatter | None = None
    base: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the LF-normalised text, 64 hex digits: what an approval is bound to."""
        from hashlib import sha256

        return sha256(self.text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a plan that is fine may not be committed."""

    code: ReasonCode
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A response, its plan, and what was done with it: all that a status, a log or a page needs."""

    response: Response
    result: ApplyResult
    state: State
    head: str | None = None  # the commit the plan was made on
    commit: str | None = None  # the commit that was made
    written: bool = False  # this run changed files or made a commit
    refusal: Refusal | None = None
    unresolved: str | None = None  # a commit of which nobody knows whether it is on the branch
