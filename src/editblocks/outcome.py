"""A response as it came, and what became of it: what hosts take in and reports show. Frozen, like `model`."""

from __future__ import annotations

from dataclasses import dataclass

from editblocks.codes import ReasonCode, State
from editblocks.model import ApplyResult, EditResult, row_number


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
    left_alone: frozenset[int] = frozenset()  # the blocks that a person did not choose, where one chose
    retry_prompt: str = ""  # what to send back to the model; nothing where none of the chosen blocks failed
    asks_for: tuple[int, ...] = ()  # the blocks that it wants again; what else failed, no other block would mend

    @property
    def ok(self) -> bool:
        """Every block that was to be tried is fine, and there is at least one block."""
        return is_fine(self.result, self.left_alone)


def is_fine(result: ApplyResult, left_alone: frozenset[int] = frozenset()) -> bool:
    """Whether every row is fine but those that are `left_alone`, and there is a row at all."""
    rows = [row for row in result.rows if row_number(row) not in left_alone]
    return bool(result.rows) and all(isinstance(row, EditResult) and row.ok for row in rows)
