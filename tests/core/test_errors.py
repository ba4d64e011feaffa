"""Errors: the sentence and the code of each, and what else it tells its caller."""

from collections.abc import Callable

import pytest

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import (
    ApiError,
    ConfigTextError,
    EditBlocksError,
    PolicyError,
    Trouble,
    UnreadableFile,
    Unresolved,
    reason_of,
)
from editblocks.core.settings import Settings

COMMIT = "4be1d02" + "0" * 33
TOLD: dict[str, tuple[Callable[[], EditBlocksError], ReasonCode, str]] = {
    "a file": (lambda: UnreadableFile(ReasonCode.BINARY, "it is binary"), ReasonCode.BINARY, "it is binary"),
    "a file with advice": (
        lambda: UnreadableFile(ReasonCode.TOO_LARGE, "it is large", "split it"),
        ReasonCode.TOO_LARGE,
        "it is large; split it",
    ),
    "a policy": (lambda: PolicyError("it is wrong", "main"), ReasonCode.BAD_CONFIG, "it is wrong"),
    "a line": (lambda: ConfigTextError("a.yml", 3, "it is wrong"), ReasonCode.BAD_CONFIG, "a.yml line 3: it is wrong"),
    "a commit": (
        lambda: Unresolved(COMMIT),
        ReasonCode.UNAVAILABLE,
        "it is not known whether 4be1d02 is on the branch; look at the branch, then run the job again",
    ),
    "a commit and an answer": (
        lambda: Unresolved(COMMIT, "try later"),
        ReasonCode.UNAVAILABLE,
        'it is not known whether 4be1d02 is on the branch (GitHub: "try later"); look at the branch, '
        "then run the job again",
    ),
    "a service": (lambda: ApiError(Trouble.BROKEN, "it failed"), ReasonCode.UNAVAILABLE, "it failed"),
}


@pytest.mark.parametrize(("made", "code", "message"), TOLD.values(), ids=TOLD)
def test_an_error_has_a_code_and_a_sentence(
    made: Callable[[], EditBlocksError], code: ReasonCode, message: str
) -> None:
    error = made()
    assert (error.code, error.message, str(error)) == (code, message, message)


def test_what_an_error_tells_besides() -> None:
    file = UnreadableFile(ReasonCode.BINARY, "it is binary", "leave it")
    assert (file.what, file.advice, UnreadableFile(ReasonCode.BINARY, "x").advice) == ("it is binary", "leave it", "")
    assert PolicyError("it is wrong", "main").branch == "main"
    line = ConfigTextError("a.yml", 3, "it is wrong")
    assert (line.line, line.reason) == (3, "it is wrong")
    assert Unresolved(COMMIT).commit == COMMIT
    service = ApiError(Trouble.REFUSED, "it failed", wait=2.5, server_message="no")
    assert (service.trouble, service.wait, service.server_message) == (Trouble.REFUSED, 2.5, "no")
    silent = ApiError(Trouble.REFUSED, "it failed")
    assert (silent.wait, silent.server_message) == (0.0, "")


def test_the_reason_that_the_system_gives() -> None:
    assert reason_of(OSError(13, "Permission denied")) == "permission denied"
    assert reason_of(OSError()) == "unknown error"


def test_no_settings_show_their_token() -> None:
    text = repr(Settings(token="not-to-be-seen", mode="check"))
    assert "token" not in text
    assert "not-to-be-seen" not in text
    assert text.startswith("Settings(")
    assert text.endswith("input_paths=('**',))")
    assert ", mode='check', trigger='auto', " in text
