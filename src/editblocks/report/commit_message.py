"""Write and read the messages of our commits: fixed sentences with numbers, then our trailers.

The only text of a response that gets in is a title of plain letters. `PATTERN` and `UNDO_PATTERN` describe every
message that we may write: each message is checked against its pattern before it is used, and read with it later.
Rules: docs/internals/security.md, "commit messages".
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from editblocks.core.codes import EditStatus
from editblocks.core.digests import response_digest
from editblocks.core.errors import SelfCheckFailed
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Response, Signature, Source
from editblocks.core.phrases import count_words, plural
from editblocks.core.selection import Selection

SUBJECT_LIMIT = 72
NO_SIGNATURE = Signature()
_KEY = "Edit-Blocks-"
_TITLE_LIMIT = 60
_TITLE = rf"(?![ -])[A-Za-z0-9 ,.:;()/_+'-]{{1,{_TITLE_LIMIT}}}(?<! )"
_PREFIX = r"[a-z0-9()!:/ -]{0,20}"
_SOURCE = (
    r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+/pull/[0-9]+"
    r"#(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]+"
)
_LOCAL_SOURCE = r"stdin|clipboard|text|file-[0-9a-f]{16}"
_OID = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_DIGEST = r"[0-9a-f]{64}"
_SELECTED = r"all|[0-9,@-]{1,200}"
_LOGIN = r"[A-Za-z0-9_-]{1,39}"
# https://docs.github.com/en/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
_CO_AUTHOR = rf"(?P<login>{_LOGIN}) <[0-9]{{1,20}}\+(?P=login)@users\.noreply\.[A-Za-z0-9.-]{{1,100}}>"
_STRATEGY = (
    "exact|trailing-space|indentation|new file|three-way|thread-lines|range|elided|syntax|fuzzy|delete-file|rename"
    "|replace-file|other"
)
_STRATEGY_NAMES = {"create": "new file"}
# Lines that a policy adds. They must not be trailers of ours, claim somebody's consent, or make GitHub act. If a line
# has a closing word and an address, the address may be that of an issue, which GitHub would then close.
_TRAILER = (
    r"(?!(?i:edit-blocks-|signed-off-by|co-authored-by|skip-checks|request-checks))"
    r"(?![^\n]*(?i:signed-off-by|skip-checks|(?<![a-z0-9])gh-[0-9]))"
    r"(?!(?=[^\n]*://)[^\n]*(?<![A-Za-z])(?i:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?![A-Za-z]))"
    r'[A-Za-z][A-Za-z-]{0,40}: (?! )[ -"$-?A-Z\\-~]{1,100}(?<! )'
)
_HEAD = rf"(?=[^\n]{{1,{SUBJECT_LIMIT}}}\n)(?![ -])(?:{_PREFIX})"
_COUNTS = r"[0-9]+ files?, \+[0-9]+ -[0-9]+\."
_REMOVED = r"Removed: [1-9] response files?\."
_APPLIED = (
    rf"(?P<applied>[0-9]+) of [0-9]+ edit blocks?, {_COUNTS}\n"
    rf"How: [0-9]+ (?:{_STRATEGY})(?:, [0-9]+ (?:{_STRATEGY}))*\."
    r"(?: Left out: (?:[0-9]+ failed, [0-9]+ skipped|[0-9]+ (?:failed|skipped))\.)?"
    rf"(?: {_REMOVED})?"
)
_ALREADY = rf"0 of [0-9]+ edit blocks?, 0 files, \+0 -0\.\n(?:All are|It is) in the branch already\. {_REMOVED}"
_FROM = rf"(?:Edit-Blocks-Source: (?:{_SOURCE}|{_LOCAL_SOURCE})\n)?"
_ON = rf"(?:Edit-Blocks-Base: {_OID}\n)?"
_BY = rf"(?:Edit-Blocks-Applied-By: {_LOGIN}\n)?"
PATTERN = re.compile(
    rf"{_HEAD}{_TITLE}\n"
    r"\n"
    rf"(?:{_APPLIED}|{_ALREADY})\n"
    r"\n"
    rf"{_FROM}Edit-Blocks-Digest: {_DIGEST}\n{_ON}(?:Edit-Blocks-Selected: (?:{_SELECTED})\n)?{_BY}"
    rf"(?:Co-authored-by: {_CO_AUTHOR}\n)?"
    rf"(?:{_TRAILER}\n)*",
    re.ASCII,
)
_UNDO_REMOVAL = "Undo the removal of 1 response file"
UNDO_PATTERN = re.compile(
    rf"{_HEAD}(?:Undo [0-9]+ edit blocks?|{_UNDO_REMOVAL})\n"
    r"\n"
    rf"{_COUNTS}\n"
    r"\n"
    rf"{_FROM}Edit-Blocks-Undo: {_DIGEST}\n{_ON}{_BY}"
    rf"(?:{_TRAILER}\n)*",
    re.ASCII,
)

# Words that title and prefix must not contain, also when they are put together: GitHub acts on them at any place.
_ACTIVE = re.compile(r"://|(?<![a-z0-9])gh-[0-9]|[a-z-]{0,40}[a-z]-by *:|skip-checks", re.ASCII | re.IGNORECASE)


def commit_message(
    response: Response,
    result: ApplyResult,
    *,
    head: str | None = None,
    prefix: str = "",
    signature: Signature = NO_SIGNATURE,
    removes_file: bool = False,
) -> str:
    """Return the message for the applied blocks of one response. Raises `SelfCheckFailed` if nothing was applied.

    A title that is not plain is replaced by `Apply 3 edit blocks`. A value of the wrong form is left out, except for
    the trailers of a policy. `removes_file`: the commit also removes the response file, or does nothing else.
    """
    applied = [row for row in result.results if row.status is EditStatus.APPLIED]
    only_removes = removes_file and result.ok and not applied
    if only_removes:
        subject = "Remove 1 response file"
        body = _body_of_removal(len(result.results))
    else:
        subject = f"Apply {plural(len(applied), 'edit block')}"
        body = _body(result, applied)
    if removes_file:
        body += " Removed: 1 response file."
    prefix = _usable_prefix(prefix, subject)
    if response.title is not None and not only_removes and title_fault(response.title, prefix) is None:
        subject = response.title
    keys = {
        "Edit-Blocks-Source": _source(response.source),
        "Edit-Blocks-Digest": response_digest(response),
        "Edit-Blocks-Base": _matching(_OID, head),
        "Edit-Blocks-Selected": _matching(_SELECTED, _selector_text(result, applied)),
        "Edit-Blocks-Applied-By": _matching(_LOGIN, signature.applied_by or response.source.author),
        "Co-authored-by": _matching(_CO_AUTHOR, signature.co_author),
    }
    return _checked_message(prefix + subject, body, keys, signature)


def undo_message(
    undone: str,
    counts: tuple[int, int, int],
    *,
    head: str | None = None,
    prefix: str = "",
    signature: Signature = NO_SIGNATURE,
) -> str:
    """Return the message of a commit that reverts the one with the message `undone`.

    `counts`: how many files the new commit changes, and how many lines it adds and removes. Raises `SelfCheckFailed` if
    `undone` is not a message of ours.
    """
    old = read_trailers(undone)
    if old is None or "digest" not in old:
        raise SelfCheckFailed("the commit to undo was not made by editblocks; undo it with git revert")
    keys = {
        "Edit-Blocks-Source": old.get("source"),
        "Edit-Blocks-Undo": old["digest"],
        "Edit-Blocks-Base": _matching(_OID, head),
        "Edit-Blocks-Applied-By": _matching(_LOGIN, signature.applied_by),
    }
    subject = _UNDO_REMOVAL
    count = count_applied(undone)
    if count:
        subject = f"Undo {plural(count, 'edit block')}"
    return _checked_message(_usable_prefix(prefix, subject) + subject, _counts(*counts), keys, signature)


def _checked_message(subject: str, body: str, keys: Mapping[str, str | None], signature: Signature) -> str:
    ours = [f"{key}: {value}" for key, value in keys.items() if value is not None]
    message = "\n".join([subject, "", body, "", *ours, *signature.trailers, ""])
    if read_trailers(message) is None:
        raise SelfCheckFailed("the commit message is not of the form that editblocks writes; report it with the log")
    return message


def read_trailers(message: str) -> Mapping[str, str] | None:
    """Return the trailers of a message that has the form of ours, None for any other message.

    This does not prove that we wrote it, because anybody can write that form. Keys are our trailers without
    `Edit-Blocks-`, in lower case: `source`, `digest`, `base`, `selected`, `applied-by`, `undo`. The last line end may
    be missing, because servers drop it.
    """
    message = message.removesuffix("\n") + "\n"
    if not (PATTERN.fullmatch(message) or UNDO_PATTERN.fullmatch(message)) or _ACTIVE.search(message.split("\n")[0]):
        return None
    below = message.split("\n")[2:]  # without the title, which may begin like a trailer of ours
    lines = (line.removeprefix(_KEY).split(": ", 1) for line in below if line.startswith(_KEY))
    return {key.lower(): value for key, value in lines}


def count_applied(message: str) -> int | None:
    """Return how many blocks a commit of ours applied, 0 if it only removes a response file; None if it is not ours."""
    match = PATTERN.fullmatch(message.removesuffix("\n") + "\n")
    if match is None:
        return None
    return int(match["applied"] or 0)


def title_fault(title: str, prefix: str = "") -> str | None:
    """Return why a title cannot be the subject of a commit after this prefix, and what to do; None if it can."""
    if active := _ACTIVE.search(prefix + title):
        return f"has `{active[0]}`, which a server may take as a command or a reference; word it differently"
    room = min(_TITLE_LIMIT, SUBJECT_LIMIT - len(prefix))
    if re.fullmatch(_TITLE, title) and len(title) <= room:
        return None
    return (
        f"is not a plain line; use 1 to {room} letters, digits, spaces and ,.:;()/_+'-, with no space or dash at an end"
    )


def _usable_prefix(prefix: str, subject: str) -> str:
    """Return the prefix; empty if it has the wrong form, or if GitHub would act on it together with this subject."""
    if re.fullmatch(rf"(?![ -]){_PREFIX}", prefix) and _ACTIVE.search(prefix + subject) is None:
        return prefix
    return ""


def _counts(files: int, added: int, removed: int) -> str:
    return f"{plural(files, 'file')}, +{added} -{removed}."


def _body(result: ApplyResult, applied: Sequence[EditResult]) -> str:
    counts = result.counts
    added = sum(row.lines_added for row in applied)
    removed = sum(row.lines_removed for row in applied)
    strategies = (row.strategy or "other" for row in applied)
    how = Counter(_STRATEGY_NAMES.get(strategy, strategy) for strategy in strategies)
    first = f"{len(applied)} of {plural(counts['total'], 'edit block')}"
    body = f"{first}, {_counts(len(result.contents), added, removed)}\nHow: {count_words(how)}."
    left_out = {word: counts[word] for word in ("failed", "skipped") if counts[word]}
    if left_out:
        body += f" Left out: {count_words(left_out)}."
    return body


def _body_of_removal(total: int) -> str:
    first = f"0 of {plural(total, 'edit block')}, {_counts(0, 0, 0)}"
    if total == 1:
        return f"{first}\nIt is in the branch already."
    return f"{first}\nAll are in the branch already."


def _selector_text(result: ApplyResult, applied: Sequence[EditResult]) -> str:
    """Return `all` or the selector of the applied blocks; empty if it is too long, because it must not be cut."""
    if result.ok and not any(row.chosen for row in applied):
        return "all"
    places = {row.block.number: row.span[0] + 1 for row in applied if row.chosen and row.span is not None}
    return str(Selection(numbers=frozenset(row.block.number for row in applied), picks=places))


def _source(source: Source) -> str | None:
    """Return the address of a comment, which holds only ids. For a file it holds a digest of the path, not the path."""
    if source.uri is not None and re.fullmatch(_SOURCE, source.uri, re.ASCII):
        return source.uri
    if source.kind in ("stdin", "clipboard", "text"):
        return source.kind
    if source.path is None:
        return None
    return f"file-{sha256(source.path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _matching(pattern: str, value: str | None) -> str | None:
    if value is None or not re.fullmatch(pattern, value, re.ASCII):
        return None
    return value
