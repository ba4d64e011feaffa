"""What a status says that is not of its outcome: its addresses, the marker on its first line, who may answer it.

Addresses are built from ids, hex digits and checked words only. Rules: docs/internals/security.md, "status text".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from editblocks.core.codes import State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import SUGGESTIONS
from editblocks.report.escape import url_path
from editblocks.report.view import OutcomeView

_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/%\[\]-]+", re.ASCII)  # as `escape.url_server` leaves one
_FIELDS = {
    "server": _ADDRESS,
    "repository": re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII),
    "source": re.compile(r"(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]+|file-[0-9a-f]{16}", re.ASCII),
}
_OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_MARKER = re.compile(
    r"<!-- editblocks:status v1 source=(?P<source>[a-z0-9_-]{1,60}) digest=(?P<digest>[0-9a-f]{64})"
    r"(?: head=(?P<head>[0-9a-f]{40}(?:[0-9a-f]{24})?))? state=(?P<state>[a-z]+)"
    r"(?: commit=(?P<commit>[0-9a-f]{40}(?:[0-9a-f]{24})?))?"
    r"(?: skip=(?P<skip>[1-9][0-9]{0,3}(?:,[1-9][0-9]{0,3})*))?(?: of=(?P<of>threads))? -->"
)


@dataclass(frozen=True, slots=True)
class Links:
    """Where things of one pull request are. Raises `ValueError` for a part that could break out of an address.

    Without a server nothing has an address, nor have pages of the documentation if `docs` is none that can be used.
    """

    server: str = ""  # https://github.com
    repository: str = ""  # acme/shop
    number: int = 0  # of the pull request
    source: str = ""  # the fragment of the comment: issuecomment-2048812345
    run_id: int | None = None
    docs: str = ""  # https://github.com/OWNER/editblocks/blob/v1/docs, "" if unknown
    path: str | None = None  # of a response file, as any text; its source is file-<16 hex digits>

    def __post_init__(self) -> None:
        is_known = self.server or self.repository or self.source
        for name, pattern in _FIELDS.items():
            value = getattr(self, name)
            if is_known and pattern.fullmatch(value) is None:
                raise ValueError(f"{name} {value!r} cannot be part of an address; pass it as GitHub gives it")

    def _below(self, name: str) -> str | None:
        if not self.server:
            return None
        return f"{self.server}/{self.repository}/{name}"

    def response(self, head: str | None, line: int | None = None) -> str | None:
        """The response, there at a line of it (1-based); a response file as it is in `head`, else its pull request."""
        pull = f"pull/{self.number:d}"
        if head is not None and self.path is not None:
            lines = None if line is None else (line, line)
            return self.blob(head, self.path, lines) or self._below(pull)
        if self.source.startswith("file-"):
            return self._below(pull)
        return self._below(f"{pull}#{self.source}")

    def comment(self, number: int) -> str | None:
        """A comment in a review thread."""
        return self._below(f"pull/{self.number:d}#discussion_r{number:d}")

    @property
    def run(self) -> str | None:
        """The log of the run."""
        if self.run_id is None:
            return None
        return self._below(f"actions/runs/{self.run_id:d}")

    def docs_page(self, name: str) -> str | None:
        """A page of the documentation."""
        if not _ADDRESS.fullmatch(self.docs):
            return None
        return f"{self.docs}/{name}"

    def commit(self, oid: str) -> str | None:
        """A commit; None for what is no full object name."""
        if not _OID.fullmatch(oid):
            return None
        return self._below(f"commit/{oid}")

    def blob(self, oid: str, path: str, lines: tuple[int, int] | None = None) -> str | None:
        """A file of a commit, at these lines (1-based, inclusive). None for a path that browsers would rewrite."""
        if not _OID.fullmatch(oid) or any(part in ("", ".", "..") for part in path.split("/")):
            return None
        return self._below(f"blob/{oid}/{url_path(path)}{line_fragment(lines)}")


def line_fragment(lines: tuple[int, int] | None) -> str:
    """What the address of a file ends with, to show these lines (1-based, inclusive)."""
    if lines is None:
        return ""
    first, last = lines
    if first >= last:
        return f"#L{first}"
    return f"#L{first}-L{last}"


NO_LINKS = Links()


def link(label: str, address: str | None) -> str:
    """A label, as a link if there is an address."""
    if address is None:
        return label
    return f"[{label}]({address})"


class StartedCheck(NamedTuple):
    """A workflow that was to be started on the new commit. `fault`: why it was not; empty if it was."""

    workflow: str  # its file name
    fault: str = ""


class Page(NamedTuple):
    """Where a status stands, and who may answer it."""

    version: str
    links: Links = NO_LINKS  # those of the pull request that it is a comment on
    branch: str | None = None  # the one that is committed to
    checks_wait: bool = False  # the commit was made with a token that starts no checks
    checks: Sequence[StartedCheck] = ()  # that were started on the commit, or were to be
    reply: str | None = None  # what commands begin with, `/` or `/edits `; None: none would be obeyed here
    role: str = "write"  # the least that whoever sends one must have: write, maintain or admin
    following: Sequence[str] | None = None  # the commands that come next where a person ran it, and no workflow
    done: str | None = None  # the commit that an earlier status named and this one has to keep


class Marker(NamedTuple):
    """The first line of a status: which source it is about, as of which text and head, and what became of it."""

    source: str
    digest: str
    head: str | None
    state: State
    commit: str | None = None
    skip: frozenset[int] = frozenset()
    of: str | None = None  # `threads`: it is about suggestions in several threads, and no command is about it

    def __str__(self) -> str:
        skip = ",".join(map(str, sorted(self.skip))) or None
        fields = {**self._asdict(), "state": self.state.value, "skip": skip}
        shown = " ".join(f"{name}={value}" for name, value in fields.items() if value is not None)
        return f"<!-- editblocks:status v1 {shown} -->"


def marker(view: OutcomeView, done: str | None = None) -> str:
    """Write the marker of an outcome; `done`: the commit of an earlier one.

    Raises `ValueError` if `read_marker` could not read it back.
    """
    outcome = view.outcome
    source = outcome.response.source
    digest = response_digest(outcome.response)
    of = "threads" if source.kind == SUGGESTIONS else None
    written = Marker(source.id, digest, outcome.head, outcome.state, outcome.commit or done, outcome.skip, of)
    if read_marker(str(written)) != written:
        raise ValueError(f"source {source.id!r} cannot be named; its id must be letters and digits")
    return str(written)


def read_marker(text: str) -> Marker | None:
    """Read the marker on the first line of a comment; None if it is not exactly one of ours, version 1.

    It only says what somebody wrote there: whether that was us is for the host to find out.
    """
    match = _MARKER.fullmatch(text.split("\n", 1)[0].removesuffix("\r"))
    if match is None or match["state"] not in {state.value for state in State}:
        return None
    skip = frozenset[int]()
    if match["skip"]:
        skip = frozenset(map(int, match["skip"].split(",")))
    state = State(match["state"])
    return Marker(match["source"], match["digest"], match["head"], state, match["commit"], skip, match["of"])
