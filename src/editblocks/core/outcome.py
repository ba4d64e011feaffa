"""A response as it came in, and its outcome: the input of hosts and of reports. Frozen, like `model`."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from editblocks.core.blocks import Problem, ThreadLines
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigTextError, UnreadableFile
from editblocks.core.model import ApplyResult, EditResult, row_number
from editblocks.core.phrases import join_parts

SUGGESTIONS = "suggestions"  # the kind of a source: the suggestions in open review threads of a pull request


class Source(NamedTuple):
    """Where a response came from. `kind` is one of the schema's: comment, review, file, stdin, text …"""

    id: str
    kind: str
    uri: str | None = None
    author: str | None = None
    path: str | None = None


_TEXT = Source("text", "text")
_REPAIRS = {  # advice for a response file; the advice of the error itself is for a file that blocks edit
    ReasonCode.BINARY: "save it as UTF-8 text",
    ReasonCode.ENCODING: "save it as UTF-8 text",
    ReasonCode.NOT_A_FILE: "replace it with a file that holds the answer",
    ReasonCode.TOO_LARGE: "split it",
    ReasonCode.UNSAFE_PATH: "rename the file",
}


class FrontMatter(NamedTuple):
    """The YAML keys at the start of a response; docs/reference/command-line.md lists them."""

    base: str | None = None
    title: str | None = None
    format: str | None = None
    author: str | None = None
    length: int = 0  # characters of the text that are front matter
    lines: int = 0  # lines of the text that are front matter


class Origin(NamedTuple):
    """Where new bytes come from: the digest of an answer, and for each path the keys of the blocks that changed it."""

    answer: str = ""
    blocks: Mapping[str, Sequence[str]] = MappingProxyType({})


class WrittenFile(NamedTuple):
    """A file as earlier runs of an answer left it (`data` None: deleted). `blocks`: block key → id of its apply."""

    path: str
    data: bytes | None
    blocks: Mapping[str, str]


class Part(NamedTuple):
    """A text of a review: the review's own text, or an inline comment, whose thread is about `context_path`."""

    id: int
    text: str
    context_path: str | None = None
    thread_lines: ThreadLines | None = None
    page: str | None = None  # the HTML that readers see; None if it is not known, or there is none


class Response(NamedTuple):
    """A text with blocks, as it was received."""

    text: str
    source: Source = _TEXT
    context_path: str | None = None  # the file of the review thread
    thread_lines: ThreadLines | None = None  # the lines of the thread, which a `suggestion` fence replaces
    front: FrontMatter | None = None
    base: str | None = None  # the commit that a review comment was written on; a base in the text overrides it
    parts: tuple[Part, ...] = ()  # the texts that `text` was joined from, if several: no block extends over two
    blob: str | None = None  # the id of a response file's bytes
    hidden_lines: frozenset[int] | None = None  # lines that its page does not show; None: no page is known
    root: str = ""  # the folder on this machine that absolute paths may begin with, with `/`; empty: none may
    session_root: str = ""  # for a session: the folder that is its repository root; empty: the first that it names

    @classmethod
    def of(cls, parts: Sequence[Part], source: Source, base: str | None = None) -> "Response":
        """Join several texts to one response, with a blank line between them and line ends as on Unix."""
        in_order = sorted(parts, key=lambda part: part.id)
        kept = tuple(part._replace(text=part.text.replace("\r\n", "\n")) for part in in_order)
        return cls("\n\n".join(part.text for part in kept), source, base=base, parts=kept)

    def part_at(self, line: int) -> Part | None:
        """Return the part that holds a line (1-based) of `text`; None if it was not joined from parts."""
        first = 1
        for part in self.parts:
            following = first + part.text.count("\n") + 2
            if first <= line < following:
                return part
            first = following
        return None

    @property
    def body(self) -> str:
        """The text without its front matter."""
        if self.front is None:
            return self.text
        return self.text[self.front.length :]

    @property
    def title(self) -> str | None:
        """The commit subject that the front matter asks for."""
        return self.front and self.front.title


class Signature(NamedTuple):
    """The people and trailers at the end of a commit message."""

    applied_by: str | None = None  # the login that asked for the commit, None for the author of the response
    co_author: str | None = None  # `login <number+login@host>`
    trailers: tuple[str, ...] = ()  # the lines that the policy asks for


class Refusal(NamedTuple):
    """Why a plan may not be committed although its blocks may fit: what is wrong, and what to do."""

    code: ReasonCode
    what: str
    advice: str = ""
    is_gone: bool = False  # for `fork`: the repository of the branch was deleted
    policy_branch: str = ""  # for `bad-config`: the branch whose `.editblocks.yml` cannot be used

    @property
    def reason(self) -> str:
        return join_parts("; ", self.what, self.advice)


class Outcome(NamedTuple):
    """A response, its plan, and what was done with it: all that a status, a log or a page needs."""

    response: Response
    result: ApplyResult
    state: State
    head: str | None = None  # the commit the plan was made on
    commit: str | None = None  # the commit that was made
    written: bool = False  # this run changed files or made a commit
    refusal: Refusal | None = None
    unresolved: str | None = None  # a commit that may or may not be on the branch
    not_selected: frozenset[int] = frozenset()  # the blocks that a person did not choose, if they chose any
    retry_prompt: str = ""  # what to send back to the model; empty if no chosen block failed
    retry_blocks: tuple[int, ...] = ()  # the blocks that the prompt asks for; a new block cannot fix other failures
    skip: frozenset[int] = frozenset()  # the blocks that people left out with `/skip`
    needs_command: bool = False  # it is committed only after a command by somebody with permission
    removed_file: str | None = None  # the response file that the commit deletes

    @property
    def ok(self) -> bool:
        """Whether every chosen block is fine, and there is at least one block."""
        return is_fine(self.result, self.not_selected)

    @property
    def contents(self) -> Mapping[str, bytes | None]:
        """The files that the commit changes: those of the blocks, and the response file that it deletes."""
        if self.removed_file is None:
            return self.result.contents
        return {**self.result.contents, self.removed_file: None}


def unreadable(error: UnreadableFile | ConfigTextError) -> Problem:
    """The one row of a response file whose text or front matter cannot be read."""
    if isinstance(error, ConfigTextError):
        return Problem(1, error.line, error.line, error.code, error.reason)
    return Problem(1, 1, 1, error.code, error.what, _REPAIRS.get(error.code, error.advice))


def is_fine(result: ApplyResult, unchosen: frozenset[int]) -> bool:
    """Whether every row except those in `unchosen` is fine, and there is at least one row."""
    rows = [row for row in result.rows if row_number(row) not in unchosen]
    return bool(result.rows) and all(isinstance(row, EditResult) and row.ok for row in rows)
