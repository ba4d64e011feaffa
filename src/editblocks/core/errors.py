"""Exceptions for what goes wrong outside a response.

A block that fails is a value (`EditResult`); these are raised when a file, a repository or a
service does not do what was asked. Each carries the stable code that people see, and a
message of the form `what is wrong, where; what to do`: lower case, no full stop.
"""

from enum import Enum

from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import join_parts


class EditBlocksError(Exception):
    """The base of all errors here: `code` is stable, `message` is one line for a person."""

    code = ReasonCode.INTERNAL

    def __init__(self, message: str, code: ReasonCode | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class UnreadableFile(EditBlocksError):
    """A file that may not be read or edited as text; the engine turns this into a failed row with `code`."""

    def __init__(self, code: ReasonCode, what: str, advice: str = "") -> None:
        super().__init__(join_parts("; ", what, advice), code)
        self.what = what
        self.advice = advice


class LevelUnavailable(EditBlocksError):
    """A loose level cannot be used: a package or a grammar is missing, say. It becomes a note, not a failure."""


class HeadMoved(EditBlocksError):
    """The branch has moved since the plan was made; nothing was written. Plan again."""

    code = ReasonCode.HEAD_MOVED


class Refused(EditBlocksError):
    """The target may not be written: a rule, a checked-out branch, or a missing permission forbids it."""

    code = ReasonCode.PUBLISH_FAILED


class SelfCheckFailed(EditBlocksError):
    """The bytes to be written are not those that were planned, which is a bug of editblocks; nothing was written."""

    code = ReasonCode.SELF_CHECK


class ConfigError(EditBlocksError):
    """A setting, an option or an input cannot be used as it is."""

    code = ReasonCode.BAD_CONFIG


class PolicyError(ConfigError):
    """`.editblocks.yml` on `branch` cannot be used."""

    def __init__(self, message: str, branch: str) -> None:
        super().__init__(message)
        self.branch = branch


class UsageError(ConfigError):
    """The arguments of the command `editblocks` cannot be read, or contradict each other."""

    code = ReasonCode.BAD_COMMAND


class ConfigTextError(ConfigError):
    """A line of a settings file or of front matter cannot be used. `message` is `reason` with its place."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name} line {line}: {reason}")
        self.line = line
        self.reason = reason


class RepoError(EditBlocksError):
    """Disk, git or an API failed or gave a wrong answer; nothing was written, unless it is an `Unresolved`."""

    code = ReasonCode.UNAVAILABLE


class Unresolved(RepoError):
    """The branch was to move to `commit`, and it is unknown whether it did."""

    def __init__(self, commit: str, server_message: str = "") -> None:
        what = f"it is not known whether {commit[:7]} is on the branch"
        if server_message:
            what = f'{what} (GitHub: "{server_message}")'
        super().__init__(f"{what}; look at the branch, then run the job again")
        self.commit = commit


class Trouble(str, Enum):
    """What a failed request to a service means for the caller; decisions may depend only on this."""

    RETRY = "retry"  # 5xx, time-out, rate limit: whether it had an effect is unknown
    CONFLICT = "conflict"  # 409, 422: the request does not fit the present state
    REFUSED = "refused"  # 401, 403: this token may not do it
    MISSING = "missing"  # 404, 410: it does not exist, or this token may not see it
    UNSUPPORTED = "unsupported"  # the server does not know this field or mutation
    BROKEN = "broken"  # an answer that cannot be used


class ApiError(RepoError):
    """A service refused or did not answer. `wait`: seconds that it asks for; `server_message`: its untrusted text."""

    def __init__(self, trouble: Trouble, message: str, *, wait: float = 0.0, server_message: str = "") -> None:
        super().__init__(message)
        self.trouble = trouble
        self.wait = wait
        self.server_message = server_message


def how_to_install(extra: str) -> str:
    """Return how to install the packages of an extra from a clone, which works without any package registry."""
    return f"in a clone of editblocks, run `python -m pip install '.[{extra}]'`"


def reason_of(error: OSError) -> str:
    """Return the system's error message in lower case, for use in a sentence."""
    return (error.strerror or "unknown error").lower()
