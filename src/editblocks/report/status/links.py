"""Build the parts of a status that do not come from the outcome: addresses, its marker, who may give commands.

Addresses consist only of ids, hex digits and checked words. Rules: docs/internals/security.md, "status text".
"""

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
    """The web addresses for one pull request. Raises `ValueError` for a part that could break out of an address.

    Without a server every address is None. So is a page of the documentation if `docs` is not an address.
    """

    server: str = ""  # https://github.com
    repository: str = ""  # acme/shop
    number: int = 0  # of the pull request
    source: str = ""  # the fragment of the comment: issuecomment-2048812345
    run_id: int | None = None
    docs: str = ""  # https://github.com/OWNER/editblocks/blob/v1/docs, "" if unknown
    path: str | None = None  # of a response file, foreign text; its source is file-<16 hex digits>

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
        """Return the address of the response. For a file it is the file in `head`, at a line (1-based)."""
        pull = f"pull/{self.number:d}"
        if head is not None and self.path is not None:
            lines = None if line is None else (line, line)
            return self.blob(head, self.path, lines) or self._below(pull)
        if self.source.startswith("file-"):
            return self._below(pull)
        return self._below(f"{pull}#{self.source}")

    def comment(self, number: int) -> str | None:
        """Return the address of a comment in a review thread."""
        return self._below(f"pull/{self.number:d}#discussion_r{number:d}")

    @property
    def run(self) -> str | None:
        """The address of the run's log."""
        if self.run_id is None:
            return None
        return self._below(f"actions/runs/{self.run_id:d}")

    def docs_page(self, name: str) -> str | None:
        """Return the address of a page of the documentation."""
        if not _ADDRESS.fullmatch(self.docs):
            return None
        return f"{self.docs}/{name}"

    def commit(self, oid: str) -> str | None:
        """Return the address of a commit; None if `oid` is not a full object id."""
        if not _OID.fullmatch(oid):
            return None
        return self._below(f"commit/{oid}")

    def blob(self, oid: str, path: str, lines: tuple[int, int] | None = None) -> str | None:
        """Return the address of lines (1-based, inclusive) of a file; None for a path that browsers would rewrite."""
        if not _OID.fullmatch(oid) or any(part in ("", ".", "..") for part in path.split("/")):
            return None
        return self._below(f"blob/{oid}/{url_path(path)}{line_fragment(lines)}")


def line_fragment(lines: tuple[int, int] | None) -> str:
    """Return the fragment that makes the address of a file show these lines (1-based, inclusive)."""
    if lines is None:
        return ""
    first, last = lines
    if first >= last:
        return f"#L{first}"
    return f"#L{first}-L{last}"


NO_LINKS = Links()


def link(label: str, address: str | None) -> str:
    """Return the label, as a link if there is an address."""
    if address is None:
        return label
    return f"[{label}]({address})"


class Page(NamedTuple):
    """Where a status is posted, and who may give commands there."""

    version: str
    links: Links = NO_LINKS  # of the pull request
    branch: str | None = None  # that commits go to
    checks_wait: bool = False  # GitHub starts no checks for a commit that was made with this token
    checks: Sequence[tuple[str, str]] = ()  # each workflow of start-checks; why it was not started, "" if it was
    prefix: str | None = None  # what commands begin with, `/` or `/edits `; None: no command is accepted here
    role: str = "write"  # the least role for a command: write, maintain or admin
    following: Sequence[str] | None = None  # the next commands, if a person and not a workflow ran this
    kept_commit: str | None = None  # the commit of an earlier status, which this one has to go on naming


class StatusMarker(NamedTuple):
    """The first line of a status: its source, the digest of the source's text, the head, and the state."""

    source: str
    digest: str
    head: str | None
    state: State
    commit: str | None = None
    skip: frozenset[int] = frozenset()
    of: str | None = None  # `threads`: the status of suggestions in several threads, which no command can mean

    def __str__(self) -> str:
        skip = ",".join(map(str, sorted(self.skip))) or None
        fields = {**self._asdict(), "state": self.state.value, "skip": skip}
        shown = " ".join(f"{name}={value}" for name, value in fields.items() if value is not None)
        return f"<!-- editblocks:status v1 {shown} -->"


def marker(view: OutcomeView, kept_commit: str | None = None) -> str:
    """Write the marker of an outcome. `kept_commit`: the one to name if this outcome has none.

    Raises `ValueError` if `read_marker` could not read it back.
    """
    outcome = view.outcome
    source = outcome.response.source
    digest = response_digest(outcome.response)
    of = "threads" if source.kind == SUGGESTIONS else None
    commit = outcome.commit or kept_commit
    written = StatusMarker(source.id, digest, outcome.head, outcome.state, commit, outcome.skip, of)
    if read_marker(str(written)) != written:
        raise ValueError(f"source {source.id!r} cannot be named; its id must be letters and digits")
    return str(written)


def read_marker(text: str) -> StatusMarker | None:
    """Read the marker on the first line of a comment; None if it does not have exactly our form, version 1.

    Anybody can write such a marker, so the host has to check who wrote the text.
    """
    match = _MARKER.fullmatch(text.split("\n", 1)[0].removesuffix("\r"))
    if match is None or match["state"] not in {state.value for state in State}:
        return None
    skip = frozenset[int]()
    if match["skip"]:
        skip = frozenset(map(int, match["skip"].split(",")))
    state = State(match["state"])
    return StatusMarker(match["source"], match["digest"], match["head"], state, match["commit"], skip, match["of"])
