"""What somebody wrote on a pull request, as GitHub shows it now: one text, or a review with its inline comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Part, Refusal, Response, Source
from editblocks.hosts.github.pull.email import own_part

MOST = 100  # inline comments of a review; `github_queries` asks for as many

_OID = re.compile("[0-9a-f]{40}")


def unix(text: str) -> str:
    """A text with the line ends that digests are made of: the web editor sends others."""
    return text.replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class CommentText:
    """The text of a comment; of a review all its texts, and the commit that it was written on.

    `is_edited`: somebody has changed it since it was written. `is_cut`: it has more inline comments than are read.
    """

    text: str
    parts: tuple[Part, ...] = ()
    base: str | None = None
    is_edited: bool = False
    is_cut: bool = False

    @property
    def fault(self) -> Refusal | None:
        """Why a part of it must not be taken for the whole."""
        what = f"the review has more than {MOST} inline comments"
        return Refusal(ReasonCode.TOO_LARGE, what, "split it into several reviews") if self.is_cut else None

    def response(self, source: Source, context_path: str | None = None, base: str | None = None) -> Response:
        """These words as a response."""
        if self.parts:
            return Response.of(self.parts, source, self.base)
        return Response(self.text, source, context_path, base=base)


def words_from(node: Any) -> CommentText:
    """Read `node` of a query with `WORDS`. Of a review's inline comments, a reply stands for itself, and one that was
    edited after it was submitted is left out. Raises `KeyError`, `TypeError` or `ValueError`."""
    text = own_part(_text(node["body"]), came_by_email(node))
    is_edited = node["lastEditedAt"] is not None
    if node["__typename"] != "PullRequestReview":
        return CommentText(text, is_edited=is_edited)
    submitted = _text(node["submittedAt"])
    parts = [Part(int(node["fullDatabaseId"]), text)]
    inline = [each for each in node["comments"]["nodes"] if each["replyTo"] is None]
    late = [each for each in inline if each["lastEditedAt"] is not None and str(each["lastEditedAt"]) > submitted]
    parts += (_part(each) for each in inline if each not in late)
    commit = node["commit"]
    base = commit["oid"] if commit is not None and _OID.fullmatch(commit["oid"]) else None
    is_cut = int(node["comments"]["totalCount"]) > MOST
    return CommentText(text, tuple(parts), base, is_edited or bool(late), is_cut)


def came_by_email(node: Any) -> bool:
    """Whether a comment was sent by e-mail; what is not known is taken for a yes."""
    return node["createdViaEmail"] is not False


def _part(node: Any) -> Part:
    return Part(int(node["fullDatabaseId"]), own_part(_text(node["body"]), came_by_email(node)), _text(node["path"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
