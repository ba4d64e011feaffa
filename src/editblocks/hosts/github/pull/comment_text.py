"""The text of a comment as GitHub shows it now; for a review, with the texts of its inline comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Part, Refusal, Response, Source

MOST = 100  # inline comments of a review; the query asks for as many
_TOO_MANY = Refusal(
    ReasonCode.TOO_LARGE, f"the review has more than {MOST} inline comments", "split it into several reviews"
)

_OID = re.compile("[0-9a-f]{40}")
# Below it, mail clients add the answered text, whose blocks are somebody else's. When in doubt, cut: a lost block can
# be posted again, but nobody notices a foreign block that is applied.
_REPLY_LINE = re.compile(
    r"^[ \t]*(?:"
    r"On\b[^\n]{0,300}(?:\n[^\n]{0,300}){0,3}?\bwrote:[ \t\r]*$"  # clients wrap it
    r"|-{2,}[ \t]*(?:Original|Forwarded) message"
    r"|From:[^\n]*\n[ \t]*(?:Sent|Date|To):"
    r"|_{10,}[ \t\r]*$"
    # a mail client in another language still names the sender of the notification
    r"|[^\n]*(?:notifications@github\.com|@reply\.github\.com)"
    r")",
    re.MULTILINE | re.IGNORECASE,
)


def own_part(text: str, via_email: bool) -> str:
    """Return the text above the first reply line if the comment came by e-mail, else the whole text."""
    match = _REPLY_LINE.search(text) if via_email else None
    return text[: match.start()] if match else text


def unix(text: str) -> str:
    """Turn CR LF, which the web editor sends, into LF: digests are made of texts with LF."""
    return text.replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class CommentText:
    """The text of a comment; for a review also `parts`, all its texts, and `base`, the commit that it was written on.

    `is_edited`: it was changed after it was posted. `fault`: it has more inline comments than are read.
    """

    text: str
    parts: tuple[Part, ...] = ()
    base: str | None = None
    is_edited: bool = False
    fault: Refusal | None = None

    def response(self, source: Source, context_path: str | None = None, base: str | None = None) -> Response:
        """Return the text as a response."""
        if self.parts:
            return Response.of(self.parts, source, self.base)
        return Response(self.text, source, context_path, base=base)


def words_from(node: Any) -> CommentText:
    """Read the `node` of a `WORDS` query. Raises `KeyError`, `TypeError` or `ValueError`.

    Two kinds of a review's inline comments are left out: replies, which have an event of their own, and comments that
    were edited after the review was submitted.
    """
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
    return CommentText(text, tuple(parts), base, is_edited or bool(late), _TOO_MANY if is_cut else None)


def came_by_email(node: Any) -> bool:
    """Whether a comment was sent by e-mail; True if GitHub does not say."""
    return node["createdViaEmail"] is not False


def _part(node: Any) -> Part:
    return Part(int(node["fullDatabaseId"]), own_part(_text(node["body"]), came_by_email(node)), _text(node["path"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
