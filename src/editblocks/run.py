"""The whole flow in one page: read a response, plan it, ask, write, say what happened.

`Repo` and `Host` are the two seams to the world. Everything here is pure but for what they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from editblocks.model import Outcome, Refusal, Response


class Repo(Protocol):
    """The files of one version, and one way to change them all at once."""

    @property
    def head(self) -> str | None:
        """The commit that is read, 40 or 64 hex digits; None where there is none (memory, working tree)."""

    def prefetch(self, paths: Iterable[str]) -> None:
        """Hear which paths will be read, so that they can be fetched together. May do nothing."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None if nothing is there. Raises `UnreadableFile` and `RepoError`."""

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` ("" is the root) with their git modes; empty if it is not a directory.

        Modes are git's: 100644, 100755, 040000 (directory), 120000 (symbolic link), 160000 (submodule).
        """

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Change all of `contents` (None deletes) or nothing; modes of existing files stay.

        Returns the new commit, or None where there is none. Raises `HeadMoved` if the target is no
        longer what was read, `Refused`, `SelfCheckFailed` and `RepoError`.
        """


class Host(Protocol):
    """Where responses come from, who may have them committed, and where the status goes."""

    def responses(self) -> Iterable[Response]:
        """The responses of this event, in order."""

    def refusal(self, response: Response) -> Refusal | None:
        """Why this response may not be committed now, or None. Asked after planning, right before writing."""

    def publish(self, outcome: Outcome) -> None:
        """Say what happened, once per response."""
