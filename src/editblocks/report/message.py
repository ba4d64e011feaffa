"""The message of the commit that holds the applied blocks: fixed sentences with numbers, then our trailers.

Nothing of the response gets in but a title of plain letters. `PATTERN` is the whole language of these
messages; each one is checked against it before it is used.
Rules: docs/security.md, "commit messages".
"""

from __future__ import annotations

import re
from hashlib import sha256

from editblocks.codes import EditStatus
from editblocks.errors import SelfCheckFailed
from editblocks.model import ApplyResult, EditResult, row_number
from editblocks.outcome import Response, Source
from editblocks.report.wording import counted, plural, ranges, strategies

SUBJECT_LIMIT = 72
_TITLE = r"[A-Za-z0-9 ,.:;()/_+'-]{1,60}"
_PREFIX = r"[a-z0-9()!:/ -]{0,20}"
_SOURCE = (
    r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+/pull/[0-9]+"
    r"#(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]+"
)
_LOCAL_SOURCE = r"stdin|text|file-[0-9a-f]{16}"
_OID = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_SELECTED = r"all|[0-9,@-]{1,200}"
_LOGIN = r"[A-Za-z0-9_-]{1,39}"
_STRATEGY = "exact|trailing-space|indentation|new file|three-way|elided|syntax|fuzzy|other"
PATTERN = re.compile(
    rf"(?=[^\n]{{1,{SUBJECT_LIMIT}}}\n)(?![ -])(?:{_PREFIX})(?:{_TITLE})(?<! )\n"
    r"\n"
    r"[0-9]+ of [0-9]+ edit blocks?, [0-9]+ files?, \+[0-9]+ -[0-9]+\.\n"
    rf"How: [0-9]+ (?:{_STRATEGY})(?:, [0-9]+ (?:{_STRATEGY}))*\."
    r"(?: Left out: (?:[0-9]+ failed, [0-9]+ skipped|[0-9]+ (?:failed|skipped))\.)?\n"
    r"\n"
    rf"(?:Edit-Blocks-Source: (?:{_SOURCE}|{_LOCAL_SOURCE})\n)?"
    r"Edit-Blocks-Digest: [0-9a-f]{64}\n"
    rf"(?:Edit-Blocks-Base: {_OID}\n)?"
    rf"(?:Edit-Blocks-Selected: (?:{_SELECTED})\n)?"
    rf"(?:Edit-Blocks-Applied-By: {_LOGIN}\n)?",
    re.ASCII,
)

# What the title and the prefix must not spell, alone or together: GitHub acts on it wherever it stands.
_ACTIVE = re.compile(r"://|(?<![a-z0-9])gh-[0-9]|[a-z]-by *:|skip-checks", re.ASCII | re.IGNORECASE)


def commit_message(
    response: Response,
    result: ApplyResult,
    *,
    head: str | None = None,
    title: str | None = None,
    prefix: str = "",
    applied_by: str | None = None,
) -> str:
    """Write the message for the applied blocks of one response. Ends with a line end.

    `title` is by default that of the front matter; one that `is_plain_title` refuses gives way to `Apply 3
    edit blocks`. `applied_by` is the login that had the blocks applied; by default the author of the response.
    Raises `SelfCheckFailed` if there is nothing to commit or the message would not be one of `PATTERN`.
    """
    if title is None and response.front is not None:
        title = response.front.title
    trailers = {
        "Source": _source(response.source),
        "Digest": response.digest,
        "Base": _matching(_OID, head),
        "Selected": _matching(_SELECTED, _selected(result)),
        "Applied-By": _matching(_LOGIN, applied_by or response.source.author),
    }
    lines = [f"Edit-Blocks-{key}: {value}" for key, value in trailers.items() if value is not None]
    return checked("\n".join([_subject(result, title, prefix), "", *_body(result), "", *lines, ""]))


def checked(message: str) -> str:
    """Give the message back if it is one of ours. Raises `SelfCheckFailed` if not."""
    if PATTERN.fullmatch(message) is None or _ACTIVE.search(message.split("\n", 1)[0]) is not None:
        raise SelfCheckFailed("the commit message is not of the form that editblocks writes; report it with the log")
    return message


def is_plain_title(title: str, prefix: str = "") -> bool:
    """Whether a title may be the subject of a commit, after this prefix."""
    subject = prefix + title
    return (
        re.fullmatch(_TITLE, title) is not None
        and title == title.strip(" ")
        and not title.startswith("-")
        and len(subject) <= SUBJECT_LIMIT
        and _ACTIVE.search(subject) is None
    )


def _subject(result: ApplyResult, title: str | None, prefix: str) -> str:
    default = f"Apply {plural(len(_applied(result)), 'edit block')}"
    if re.fullmatch(_PREFIX, prefix) is None or prefix.startswith((" ", "-")) or _ACTIVE.search(prefix + default):
        prefix = ""
    return prefix + (title if title is not None and is_plain_title(title, prefix) else default)


def _body(result: ApplyResult) -> list[str]:
    applied = _applied(result)
    added, removed = sum(row.lines_added for row in applied), sum(row.lines_removed for row in applied)
    counts = result.counts
    files, total = plural(len(result.contents), "file"), plural(counts["total"], "edit block")
    left_out = counted({word: counts[word] for word in ("failed", "skipped") if counts[word]})
    how = ", ".join(f"{count} {name}" for name, count in strategies(applied).items())
    tail = f" Left out: {left_out}." if left_out else ""
    return [f"{len(applied)} of {total}, {files}, +{added} -{removed}.", f"How: {how}.{tail}"]


def _applied(result: ApplyResult) -> list[EditResult]:
    return [row for row in result.results if row.status is EditStatus.APPLIED]


def _selected(result: ApplyResult) -> str:
    """`all`, or the numbers of the applied blocks; over 200 characters the trailer is left out, never cut."""
    return "all" if result.ok else ranges(row_number(row) for row in _applied(result))


def _source(source: Source) -> str | None:
    """The address of a comment, which holds ids only; of a file a digest of its path, never the path."""
    if source.uri is not None and re.fullmatch(_SOURCE, source.uri, re.ASCII):
        return source.uri
    if source.kind in ("stdin", "text"):
        return source.kind
    if source.path is None:
        return None
    return f"file-{sha256(source.path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _matching(pattern: str, value: str | None) -> str | None:
    return value if value is not None and re.fullmatch(pattern, value, re.ASCII) else None
