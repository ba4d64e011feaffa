"""A comment on a pull request: who wrote it, its text, and which part of the text counts.

It is read from an event or a REST answer (`comment_from`), and as GitHub shows it now (`words_from`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Part, Refusal, Response, Source
from editblocks.parsing.parse import parse_response
from editblocks.parsing.patches import UNIFIED
from editblocks.repos.github.answers import is_oid, matching, text

OUR_MARKER = "<!-- editblocks:"
COMMENT, REVIEW, REPLY = "comment", "review", "review-comment"  # kinds of comments, in the words of the results' schema
PREFIXES = {COMMENT: "issuecomment-", REVIEW: "pullrequestreview-", REPLY: "discussion_r"}
MOST = 100  # inline comments of a review; the query asks for as many

_TOO_MANY = f"the review has more than {MOST} inline comments"
_LOGIN = re.compile(r"[A-Za-z0-9_-]{1,100}(?:\[bot\])?", re.ASCII)
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


class Author(NamedTuple):
    """An account. `via_app`: an app posted the text in a person's name."""

    login: str
    id: int
    is_bot: bool
    via_app: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A text on a pull request. Ids are GitHub's numbers, `node_id` is its GraphQL id; times are ISO 8601, UTC.

    A reply in a review thread has the thread's file (`path`), the commit that the thread began on (`base`) and the id
    of the thread's first comment (`thread`).
    """

    kind: str
    id: int
    node_id: str
    author: Author
    body: str
    created_at: str
    path: str | None = None
    base: str | None = None
    thread: int | None = None
    is_edited: bool = False  # never set for a review

    @property
    def source(self) -> str:
        """Its id in markers and addresses, such as `issuecomment-2048812345`."""
        return f"{PREFIXES[self.kind]}{self.id}"


@dataclass(frozen=True, slots=True)
class CommentText:
    """The text of a comment; for a review also `parts`, all its texts, and `base`, the commit that it was written on.

    `is_edited`: it was changed after it was posted. `fault`: it has more inline comments than are read.
    """

    text: str
    parts: tuple[Part, ...] = ()
    base: str | None = None
    is_edited: bool = False
    via_email: bool = False
    fault: Refusal | None = None

    @property
    def has_blocks(self) -> bool:
        """Whether it holds blocks, readable or broken; a broken diff does not count, as people paste diffs to show."""
        return any(map(holds_blocks, [part.text for part in self.parts] or [self.text]))

    def response(self, source: Source, context_path: str | None = None, base: str | None = None) -> Response:
        """Return the text as a response."""
        if self.parts:
            return Response.of(self.parts, source, self.base)
        return Response(self.text, source, context_path, base=base)


def holds_blocks(body: str) -> bool:
    """As `CommentText.has_blocks`, for one text."""
    parsed = parse_response(body)
    return bool(parsed.blocks or any(problem.format != UNIFIED for problem in parsed.problems))


def own_part(body: str, via_email: bool) -> str:
    """Return the text above the first reply line if the comment came by e-mail, else the whole text."""
    match = _REPLY_LINE.search(body) if via_email else None
    return body[: match.start()] if match else body


def unix(body: str) -> str:
    """Turn CR LF, which the web editor sends, into LF: digests are made of texts with LF."""
    return body.replace("\r\n", "\n")


def author_from(user: Any, app: object = None) -> Author:
    """Read an account; a deleted one counts as a bot, which may apply nothing. Raises as `comment_from`."""
    user = user or {"login": "ghost", "id": 0, "type": "Bot"}
    return Author(matching(_LOGIN, user["login"]), int(user["id"]), user["type"] != "User", app is not None)


def comment_from(answer: Any, kind: str) -> Comment:
    """Read a comment of a payload or a REST answer. Raises `KeyError`, `TypeError` or `ValueError`."""
    base = answer.get("original_commit_id")
    return Comment(
        kind=kind,
        id=int(answer["id"]),
        node_id=text(answer["node_id"]),
        author=author_from(answer["user"], answer.get("performed_via_github_app")),
        body=text(answer["body"] or "" if kind == REVIEW else answer["body"]),
        created_at=text(answer["submitted_at" if kind == REVIEW else "created_at"]),
        path=answer.get("path"),
        base=base if is_oid(base) else None,
        thread=answer.get("in_reply_to_id"),
        is_edited=kind != REVIEW and answer.get("updated_at") != answer.get("created_at"),
    )


def words_from(node: Any) -> CommentText:
    """Read the node of a comment in a GraphQL answer. Raises as `comment_from`.

    Two kinds of a review's inline comments are left out: replies, which have an event of their own, and comments that
    were edited after the review was submitted.
    """
    own, is_edited, via_email = _own_text(node), node["lastEditedAt"] is not None, _came_by_email(node)
    if node["__typename"] != "PullRequestReview":
        return CommentText(own, is_edited=is_edited, via_email=via_email)
    submitted, commit = text(node["submittedAt"]), node["commit"]
    inline = [each for each in node["comments"]["nodes"] if each["replyTo"] is None]
    kept = [each for each in inline if each["lastEditedAt"] is None or str(each["lastEditedAt"]) <= submitted]
    parts = [Part(int(each["fullDatabaseId"]), _own_text(each), text(each["path"])) for each in kept]
    is_cut = int(node["comments"]["totalCount"]) > MOST
    return CommentText(
        own,
        (Part(int(node["fullDatabaseId"]), own), *parts),
        commit["oid"] if commit is not None and is_oid(commit["oid"]) else None,
        is_edited or len(kept) < len(inline),
        via_email,
        Refusal(ReasonCode.TOO_LARGE, _TOO_MANY, "split it into several reviews") if is_cut else None,
    )


def _own_text(node: Any) -> str:
    return own_part(text(node["body"]), _came_by_email(node))


def _came_by_email(node: Any) -> bool:
    """Whether a comment was sent by e-mail; True if GitHub does not say."""
    return node["createdViaEmail"] is not False
