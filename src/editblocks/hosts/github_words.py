"""What somebody wrote on a pull request, as GitHub shows it now: one text, or a review with its inline comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from editblocks.hosts.github_email import own_part
from editblocks.outcome import Part, Response, Source

_OID = re.compile("[0-9a-f]{40}")


def unix(text: str) -> str:
    """A text with the line ends that digests are made of: the web editor sends others."""
    return text.replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a remark; of a review all its texts, and the commit that it was written on.

    `is_edited`: somebody has changed it since it was written.
    """

    text: str
    parts: tuple[Part, ...] = ()
    base: str | None = None
    is_edited: bool = False

    def response(self, source: Source, context_path: str | None = None, base: str | None = None) -> Response:
        """These words as a response."""
        if self.parts:
            return Response.of(self.parts, source, self.base)
        return Response(self.text, source, context_path, base=base)


def words_from(node: Any) -> Words:
    """Read `node` of a query with `WORDS`. Of a review's inline comments, a reply stands for itself, and one that was
    edited after it was submitted is left out. Raises `KeyError`, `TypeError` or `ValueError`."""
    text = own_part(_text(node["body"]), came_by_email(node))
    is_edited = node["lastEditedAt"] is not None
    if node["__typename"] != "PullRequestReview":
        return Words(text, is_edited=is_edited)
    submitted = _text(node["submittedAt"])
    parts = [Part(int(node["fullDatabaseId"]), text)]
    inline = [each for each in node["comments"]["nodes"] if each["replyTo"] is None]
    late = [each for each in inline if each["lastEditedAt"] is not None and str(each["lastEditedAt"]) > submitted]
    parts += (_part(each) for each in inline if each not in late)
    commit = node["commit"]
    base = commit["oid"] if commit is not None and _OID.fullmatch(commit["oid"]) else None
    return Words(text, tuple(parts), base, is_edited or bool(late))


def came_by_email(node: Any) -> bool:
    """Whether a remark was sent by e-mail; what is not known is taken for a yes."""
    return node["createdViaEmail"] is not False


def _part(node: Any) -> Part:
    return Part(int(node["fullDatabaseId"]), own_part(_text(node["body"]), came_by_email(node)), _text(node["path"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
