"""The stable words of results: the status of a block, the reason, and the state of a response."""

from enum import Enum


class EditStatus(str, Enum):
    """The status of a block. `APPLIED`: its change is in `ApplyResult.contents`, written or not."""

    APPLIED = "applied"
    FAILED = "failed"
    SKIPPED = "skipped"


class ReasonCode(str, Enum):
    """Why a block or a run did not succeed: stable words, each with a row in docs/reference/reasons.md.

    Add a new one to report/results.schema.json as well (also below `note` if it can be one), to `_WITH_FILE` in
    report/status/markdown.py if the file of such a block exists, to prompts/failures.py if models get their own advice,
    and to docs/reference/reasons.md with a page of tests/cases as its example.
    """

    # a block that cannot be read
    UNCLOSED = "unclosed"
    NO_DIVIDER = "no-divider"
    MALFORMED = "malformed"
    STRAY_MARKER = "stray-marker"
    NO_PATH = "no-path"
    UNSUPPORTED_FORMAT = "unsupported-format"
    HIDDEN_BLOCK = "hidden-block"
    TOO_LARGE = "too-large"
    # a path that may not be changed
    UNSAFE_PATH = "unsafe-path"
    NOT_ALLOWED = "not-allowed"
    PATH_CONFLICT = "path-conflict"
    NOT_A_FILE = "not-a-file"
    FILE_NOT_FOUND = "file-not-found"
    FILE_EXISTS = "file-exists"
    # a file that cannot be edited as text
    BINARY = "binary"
    ENCODING = "encoding"
    FILTERED = "filtered"
    # new text that may not be written
    HIDDEN_TEXT = "hidden-text"
    PLACEHOLDER = "placeholder"
    # a text that is not in the file, or more than once
    NO_MATCH = "no-match"
    AMBIGUOUS = "ambiguous"
    STALE = "stale"
    NO_VERSION = "no-version"
    # skipped
    EARLIER_FAILURE = "earlier-failure"
    NOT_SELECTED = "not-selected"
    WHOLE_FILE = "whole-file"
    ALREADY_APPLIED = "already-applied"
    NO_OP = "no-op"
    # a file that is about to be committed
    LEFTOVER = "leftover"
    # a bug in editblocks
    SELF_CHECK = "self-check"
    # the run as a whole
    NO_BLOCKS = "no-blocks"
    NOT_PERMITTED = "not-permitted"
    SOURCE_EDITED = "source-edited"
    HEAD_MOVED = "head-moved"
    FORK = "fork"
    BRANCH_REFUSED = "branch-refused"
    CLOSED = "closed"
    PUBLISH_FAILED = "publish-failed"
    DIRTY_FILE = "dirty-file"
    BAD_COMMAND = "bad-command"
    BAD_CONFIG = "bad-config"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


FINE_CODES = frozenset({ReasonCode.ALREADY_APPLIED, ReasonCode.NO_OP})


class State(str, Enum):
    """The state of a whole response; these are the words of the status marker and of the `result` output."""

    CHECKED = "checked"  # every block is ready, and nothing was meant to be committed
    FAILED = "failed"  # a block is not ok, nothing was committed
    REFUSED = "refused"  # permissions, a branch or the server forbid it
    APPLIED = "applied"
    PARTIAL = "partial"
    STALE = "stale"
    NOTHING = "nothing"  # no block, or every block is in the branch already
    UNDONE = "undone"  # its last commit was undone; only a status is ever in this state
