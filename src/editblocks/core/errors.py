"""What can go wrong in the world outside a response.

A block that fails is a value (`EditResult`); these are raised when a file, a repository or a
service does not do what was asked. Every one carries the stable code that people see, and a
message of the form `what is wrong, where; what to do`: lower case, no full stop.
"""

from __future__ import annotations

from enum import Enum

from editblocks.core.codes import ReasonCode


class EditBlocksError(Exception):
    """The root: `code` is stable, `message` is one line for a person."""

    code = ReasonCode.INTERNAL

    def __init__(self, message: str, code: ReasonCode | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class UnreadableFile(EditBlocksError):
    """A path whose bytes may not be edited; the engine turns it into a failed row with `code`."""

    def __init__(self, code: ReasonCode, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what, code)
        self.what = what
        self.advice = advice


class LevelUnavailable(EditBlocksError):
    """A loose level cannot be asked here: a package or a language is missing. It becomes a note, no failure."""


class HeadMoved(EditBlocksError):
    """The branch is no longer where the plan was made; nothing was written. Plan again."""

    code = ReasonCode.HEAD_MOVED


class Refused(EditBlocksError):
    """Whoever owns the target does not let us write: a rule, a checked-out branch, a missing right."""

    code = ReasonCode.PUBLISH_FAILED


class SelfCheckFailed(EditBlocksError):
    """What was about to be written is not what was planned: our own bug; nothing was written."""

    code = ReasonCode.SELF_CHECK


class ConfigError(EditBlocksError):
    """A setting, an option or an input cannot be used as it stands."""

    code = ReasonCode.BAD_CONFIG


class PolicyError(ConfigError):
    """`.editblocks.yml` on `branch` cannot be used."""

    def __init__(self, message: str, branch: str) -> None:
        super().__init__(message)
        self.branch = branch


class UsageError(ConfigError):
    """What somebody typed behind `editblocks` cannot be read, or asks for two things at once."""

    code = ReasonCode.BAD_COMMAND


class ConfigTextError(ConfigError):
    """A line of a text that people write settings in cannot be used: `reason` without, `message` with its place."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name} line {line}: {reason}")
        self.line = line
        self.reason = reason


class RepoError(EditBlocksError):
    """Disk, git or an API did not answer as it should; nothing was written, unless it is an `Unresolved`."""

    code = ReasonCode.UNAVAILABLE


class Unresolved(RepoError):
    """The branch was asked to move to `commit`, and whether it did cannot be found out."""

    def __init__(self, commit: str, server_message: str = "") -> None:
        quoted = f' (GitHub: "{server_message}")' if server_message else ""
        super().__init__(
            f"whether {commit[:7]} is on the branch is not known{quoted}; look there, then run the job again"
        )
        self.commit = commit


class Trouble(str, Enum):
    """What a failed request to a service means for the caller: all that control flow may depend on."""

    RETRY = "retry"  # 5xx, time-out, rate limit: whether it had an effect is unknown
    CONFLICT = "conflict"  # 409, 422: not like this, or not any more
    REFUSED = "refused"  # 401, 403: not you
    MISSING = "missing"  # 404, 410: nothing there, or nothing you may see
    UNSUPPORTED = "unsupported"  # the server does not know this field or mutation
    BROKEN = "broken"  # an answer that cannot be used


class ApiError(RepoError):
    """A service refused or did not answer. `wait`: seconds it asks for; `server_message`: its words, foreign text."""

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        *,
        code: ReasonCode | None = None,
        wait: float = 0.0,
        server_message: str = "",
    ) -> None:
        super().__init__(message, code)
        self.trouble = trouble
        self.wait = wait
        self.server_message = server_message


def reason_of(error: OSError) -> str:
    """What the system says is wrong, as a part of a sentence."""
    return (error.strerror or "unknown error").lower()
