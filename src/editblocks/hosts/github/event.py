"""Read webhook events, the comments in them, and the commands in comments: which comment or branch is to be handled.

Nothing is asked of GitHub here. Permission is that of the author of the text. It is never that of the account to which
GitHub attributes the run, and never `author_association`, which does not prove write access.
Rules: docs/reference/action.md, "events" and "who may apply"; docs/reference/command-line.md, "choosing blocks".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

from editblocks.core.blocks import ParsedRow, ParseResult, ThreadLines
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, RepoError
from editblocks.core.outcome import Part, Refusal, Response, Source
from editblocks.core.phrases import did_you_mean
from editblocks.core.selection import Selection
from editblocks.formats.whole_file import WHOLE_FILE
from editblocks.hosts.github.page import LONGEST_PAGE, hidden_lines
from editblocks.parsing.fences import SUGGESTION
from editblocks.parsing.parse import FORMATS, parse_response
from editblocks.repos.github.client import as_text, is_oid, matching

# Kinds of comments, as in the schema of results.
COMMENT = "comment"
REVIEW = "review"
REPLY = "review-comment"
PREFIXES = {COMMENT: "issuecomment-", REVIEW: "pullrequestreview-", REPLY: "discussion_r"}
REPLAY = "workflow_dispatch"

_LOGIN = re.compile(r"[A-Za-z0-9_-]{1,100}(?:\[bot\])?", re.ASCII)
# Below such a line, mail clients quote the message that is answered, with blocks of somebody else. When in doubt, cut
# the text: a lost block can be posted again, but nobody would notice that a quoted block was applied.
_REPLY_LINE = re.compile(
    r"^[ \t]*(?:"
    r"On\b[^\n]{0,300}(?:\n[^\n]{0,300}){0,3}?\bwrote:[ \t\r]*$"  # clients wrap this line
    r"|-{2,}[ \t]*(?:Original|Forwarded) message"
    r"|From:[^\n]*\n[ \t]*(?:Sent|Date|To):"
    r"|_{10,}[ \t\r]*$"
    # a mail client in another language still names the sender of the notification
    r"|[^\n]*(?:notifications@github\.com|@reply\.github\.com)"
    r")",
    re.MULTILINE | re.IGNORECASE,
)
_REPOSITORY = re.compile(r"(?!\.\.?/)[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}", re.ASCII)
_FORMATS = tuple(each for each in FORMATS if each is not WHOLE_FILE)  # comments often show files that are not edits
# The kind of a comment, the action to handle, and the keys of the comment and of the pull request in the payload.
_COMMENT_EVENTS = {
    "issue_comment": (COMMENT, "created", "comment", "issue"),
    "pull_request_review": (REVIEW, "submitted", "review", "pull_request"),
    "pull_request_review_comment": (REPLY, "created", "comment", "pull_request"),
}


class Author(NamedTuple):
    """An account. `via_app`: an app posted the text in the name of this account."""

    login: str
    id: int
    is_bot: bool
    via_app: bool = False


NOBODY = Author("ghost", 0, is_bot=True)
NO_PAGE = Refusal(ReasonCode.UNAVAILABLE, "GitHub did not send the rendered comment", "run the job again")


class Comment(NamedTuple):
    """A comment, review or reply on a pull request. `node_id` is its GraphQL id. Times are ISO 8601, UTC.

    Events and REST responses lack `via_email`, `fault` and the inline comments of a review, which
    `PullReader.current_comment` reads.
    """

    kind: str
    node_id: str
    author: Author
    created_at: str
    parts: tuple[Part, ...]  # its own text, then the inline comments of a review
    base: str | None = None  # the commit on which a review was written, or on which the thread of a reply began
    thread: int | None = None  # for a reply: the id of the first comment in its thread
    is_edited: bool = False  # whether it was edited after it was posted; unknown for a review
    via_email: bool = False
    fault: Refusal | None = None  # why none of its blocks can be used

    @property
    def id(self) -> int:
        return self.parts[0].id

    @property
    def body(self) -> str:
        return self.parts[0].text

    @property
    def page(self) -> str | None:
        """The rendered HTML of `body`, or None if it is not known."""
        return self.parts[0].page

    @property
    def source(self) -> str:
        """Its id in markers and addresses, such as `issuecomment-2048812345`."""
        return f"{PREFIXES[self.kind]}{self.id}"

    @property
    def has_our_marker(self) -> bool:
        """Whether it is one of our statuses or replies, or looks like one."""
        return self.body.startswith("<!-- editblocks:")

    @property
    def above_reply_line(self) -> "Comment":
        """The same comment without the text that an e-mail quotes."""
        own = self.parts[0]._replace(text=own_part(self.body, self.via_email))
        return self._replace(parts=(own, *self.parts[1:]))

    @property
    def has_blocks(self) -> bool:
        """Whether it contains blocks, valid or broken.

        Edits in formats that are not supported are ignored, because bots write them in comments of any kind.
        """
        parsed = [_parsed(part) for part in self.parts]
        return any(each.blocks or any(not problem.is_unsupported_form for problem in each.problems) for each in parsed)

    @property
    def has_suggestions(self) -> bool:
        """Whether it contains a `suggestion` fence, valid or broken."""
        return any(map(holds_suggestion, self.parts))

    @property
    def without_suggestions(self) -> "Comment":
        """The same comment, but with `suggestion` fences ignored."""
        return self._replace(parts=tuple(part._replace(thread_lines=None) for part in self.parts))

    def response(self, source: Source) -> Response:
        """Return its texts above the reply line as a response. A command in them becomes a Markdown quote.

        Otherwise a block below a line such as `/apply` would take it for a path. A quote is never a path, does not
        change line numbers, and is part of the digest.
        """
        parts = [part._replace(text=_with_quoted_command(part.text)) for part in self.above_reply_line.parts]
        if self.kind == REVIEW:
            response = Response.of(parts, source, self.base)
            return response._replace(hidden_lines=hidden_lines_of(response.parts))
        own = parts[0]
        hidden = hidden_lines_of(parts)
        return Response(own.text, source, own.context_path, own.thread_lines, base=self.base, hidden_lines=hidden)


class Task(NamedTuple):
    """What to handle for an event: a comment on a pull request, or the response files of a branch."""

    event_name: str  # GitHub's name, such as issue_comment
    repository: str  # owner/name
    repository_id: int
    number: int | None  # the number of the pull request; None after a push
    author: Author  # the author of the comment, or else the account that caused the event
    comment: Comment | None = None
    branch: str | None = None  # the branch that was pushed
    is_push: bool = False  # whether the event proves that its author may push: a push, or their own new pull request
    replay: int | None = None  # the id of a comment to handle again, which has not been read yet

    def caused_by(self, response: Response) -> bool:
        """Whether this response, a comment or a pushed file, caused the run, and not another comment."""
        return self.comment is None or self.comment.source == response.source.id


def decide(event: str, payload: object, replay: tuple[str, str] = ("", "")) -> Task | None:
    """Return the task of an event, or None if there is nothing to do. `replay`: the inputs pr-number and comment-id.

    Raises `RepoError` for a payload that does not match the event, and `ConfigError` for one input without the other.
    """
    if event == "pull_request_target":
        raise RepoError("the event pull_request_target runs foreign code with a write token; use issue_comment")
    try:
        if event == REPLAY:
            return _replay(payload, replay)
        if event == "push":
            return _push(payload)
        if event == "pull_request":
            return _pull_request(payload)
        if event in _COMMENT_EVENTS:
            return _comment(event, payload)
        return None
    except (KeyError, TypeError, ValueError, OverflowError) as error:  # int() of JSON's Infinity
        raise RepoError(f"the event file is not a {event} payload ({error}); let the runner write it") from None


def _comment(event: str, payload: Any) -> Task | None:
    """Return the task of a comment, a review or a reply.

    Every submitted review is a task, because its inline comments, which the payload lacks, may contain blocks. Other
    inline comments are tasks only if they are replies. On a closed pull request only a command is a task: it gets an
    answer.
    """
    kind, action, comment_key, pull_key = _COMMENT_EVENTS[event]
    pull = payload[pull_key]
    is_on_issue = kind == COMMENT and "pull_request" not in pull
    if payload["action"] != action or is_on_issue:
        return None
    comment = comment_from(payload[comment_key], kind)
    is_open = pull["state"] == "open"
    begins_thread = kind == REPLY and not comment.thread
    if comment.has_our_marker or begins_thread:
        return None
    if is_command_like(comment.body) or (is_open and (kind == REVIEW or comment.has_blocks)):
        return Task(event, *_repository(payload), int(pull["number"]), comment.author, comment)
    return None


def _pull_request(payload: Any) -> Task | None:
    action = payload["action"]
    pull = payload["pull_request"]
    if action not in {"opened", "synchronize", "reopened"} or pull["state"] != "open":
        return None
    sender = author_from(payload["sender"])
    is_opener = action == "opened" and author_from(pull["user"]).id == sender.id
    is_push = action == "synchronize" or is_opener
    return Task("pull_request", *_repository(payload), int(pull["number"]), sender, is_push=is_push)


def _push(payload: Any) -> Task | None:
    ref = as_text(payload["ref"])
    branch = ref.removeprefix("refs/heads/")
    if payload["deleted"] or branch == ref:
        return None
    return Task("push", *_repository(payload), None, author_from(payload["sender"]), branch=branch, is_push=True)


def _replay(payload: Any, replay: tuple[str, str]) -> Task | None:
    number, comment = replay
    if not number and not comment:
        return None
    if not number or not comment:
        missing = "comment-id" if number else "pr-number"
        raise ConfigError(f"the input {missing} is missing; a comment is found by pr-number and comment-id together")
    return Task(REPLAY, *_repository(payload), int(number), NOBODY, replay=int(comment))


def _repository(payload: Any) -> tuple[str, int]:
    repository = payload["repository"]
    return matching(_REPOSITORY, repository["full_name"]), int(repository["id"])


# comments


def page_of(value: object) -> str | None:
    """Return the HTML of a comment, or None if it is missing or too long."""
    if not isinstance(value, str) or len(value.encode("utf-8", "surrogatepass")) > LONGEST_PAGE:
        return None
    return value


def own_part(body: str, via_email: bool) -> str:
    """Return the text above the first reply line if the comment came by e-mail, else the whole text."""
    if via_email and (match := _REPLY_LINE.search(body)):
        return body[: match.start()]
    return body


def author_from(user: Any, app: object = None) -> Author:
    """Read an account. A deleted account is taken for a bot, which may apply nothing. Raises like `comment_from`."""
    if not user:
        return NOBODY
    return Author(matching(_LOGIN, user["login"]), int(user["id"]), user["type"] != "User", app is not None)


def comment_from(payload: Any, kind: str) -> Comment:
    """Read a comment from a payload or a REST response. Raises `KeyError`, `TypeError` or `ValueError`."""
    base = payload.get("original_commit_id")
    lines = None
    if payload.get("subject_type") in (None, "line"):
        numbers = (payload.get("original_start_line"), payload.get("original_line"))
        lines = thread_lines(base, numbers, (payload.get("start_side"), payload.get("side")))
    body = payload["body"]
    if kind == REVIEW and body is None:  # the review has only inline comments
        body = ""
    own = Part(int(payload["id"]), as_text(body), payload.get("path"), lines, page_of(payload.get("body_html")))
    return Comment(
        kind,
        as_text(payload["node_id"]),
        author_from(payload["user"], payload.get("performed_via_github_app")),
        as_text(payload.get("submitted_at") or payload["created_at"]),
        (own,),
        base=base if is_oid(base) else None,
        thread=payload.get("in_reply_to_id"),
        is_edited=kind != REVIEW and payload.get("updated_at") != payload.get("created_at"),
    )


def thread_lines(commit: object, lines: tuple[object, object], sides: tuple[object, object]) -> ThreadLines | None:
    """Return the original lines of a thread, or None if GitHub does not give all values. One line has no start.

    The original lines never change. GitHub also gives their current position, but only checks the last line for it.
    """
    first, last = lines
    if first is None:
        first = last
        sides = (sides[1], sides[1])
    if not (is_oid(commit) and isinstance(first, int) and isinstance(last, int) and {*sides} <= {"LEFT", "RIGHT"}):
        return None
    return ThreadLines(first, last, as_text(commit), "LEFT" in sides)


def holds_suggestion(part: Part) -> bool:
    """Whether a text contains a `suggestion` fence, valid or broken."""
    parsed = _parsed(part)
    rows = chain[ParsedRow](parsed.blocks, parsed.problems)
    return any(row.format in SUGGESTION.names for row in rows)


def _parsed(part: Part) -> ParseResult:
    return _parse(part._replace(page=None))


@lru_cache(maxsize=256)  # a run parses the same texts several times
def _parse(part: Part) -> ParseResult:
    text = _with_quoted_command(part.text)
    return parse_response(text, _FORMATS, context_path=part.context_path, thread_lines=part.thread_lines)


def _with_quoted_command(body: str) -> str:
    if is_command_like(body):
        return f"> {body}"
    return body


def hidden_lines_of(parts: Sequence[Part]) -> frozenset[int] | None:
    """Return the hidden lines of all parts, numbered as in their `Response`, or None if a part has no HTML."""
    hidden: set[int] = set()
    lines_above = 0
    for part in parts:
        if part.page is None:
            return None
        hidden.update(number + lines_above for number in _hidden_in(part))
        lines_above += part.text.count("\n") + 2
    return frozenset(hidden)


@lru_cache(maxsize=256)
def _hidden_in(part: Part) -> frozenset[int]:
    parsed = _parsed(part)
    rows = [(block.line_number, block.end_line) for block in parsed.blocks]
    rows += [(problem.line_number, problem.line_number) for problem in parsed.problems]
    return hidden_lines(part.text, sorted(rows), part.page or "")


# commands

# A command must be at the very start of the text. After a blank, a `>`, a byte order mark or anything else it is
# ignored. Its line ends at CR LF, LF or CR. Longer words (`/applyfoo`, `/apply-all`) belong to other bots. A line that
# begins like one of our commands but is not valid is an error: to ignore it would apply all blocks below it.

# A new verb also needs `COMMANDS` in hooks/gate.py, or the action does not start, `_COMMAND_NAMES` and `_HELP` in
# report/status/replies.py, and a plan: `_plan_for_status` in `plan.py` takes any other verb for `/retry`. A reply that
# depends on the blocks is made in `carry_out.py`, as a status has none. docs/reference/action.md names all commands.
Verb = Literal["apply", "skip", "retry", "undo", "help"]
_LONGEST_COMMAND = 200  # characters of a command line
_VERBS: dict[str, Verb] = {verb: verb for verb in get_args(Verb)}
_BLANKS = " \t\xa0"  # U+00A0 is what Option and space type on a Mac; it looks like a space
_SHORT = "|".join(verb for verb in _VERBS if verb != "help")  # for help there is only `/edits help`
_COMMAND = re.compile(rf"/({_SHORT}|edits)(?=[{_BLANKS}\r\n]|\Z)", re.ASCII | re.IGNORECASE)
_OF = re.compile(rf"(?:(.*)[{_BLANKS}])?of(?:[{_BLANKS}]+([^{_BLANKS}]*))?", re.ASCII | re.IGNORECASE)
_SUGGESTIONS = re.compile(
    rf"suggestions(?:[{_BLANKS}]+@([A-Za-z0-9][A-Za-z0-9_-]{{0,38}}(?:\[bot\])?))?", re.ASCII | re.IGNORECASE
)
_ID = re.compile("[1-9][0-9]{0,18}", re.ASCII)


class Command(NamedTuple):
    """A command at the start of a comment."""

    verb: Verb
    selection: Selection | None = None  # the blocks; for `/skip` and `/retry` only numbers
    number: int | None = None  # the number after `of`, which names the source
    words: str = ""  # the command as written, in lower case: `/apply` or `/edits apply`
    suggestions: bool = False  # for `/apply`: apply the suggestions in all open review threads
    author: str = ""  # only suggestions of this login, in lower case; "" means of everybody

    def __str__(self) -> str:
        """The command in its shortest form, without `of` and its source: `/apply 1-3,4@48`."""
        if self.author:
            return f"{self.words} suggestions @{self.author}"
        if self.suggestions:
            return f"{self.words} suggestions"
        return self.words if self.selection is None else f"{self.words} {self.selection}"


def is_command_like(body: str) -> bool:
    """Whether a text begins with the name of one of our commands. `read_command` may still find an error in it."""
    return _COMMAND.match(body) is not None


def read_command(body: str, short: bool = True) -> Command | None:
    """Read the command at the start of a text, or return None if there is none. Unless `short`, only `/edits …` is one.

    Reads at most 201 characters. Raises `ConfigError` (`bad-command`) for one of our commands that is not valid.
    """
    match = _COMMAND.match(body)
    if match is None or not (short or match[1].lower() == "edits"):
        return None
    line = body[: _LONGEST_COMMAND + 1].partition("\n")[0].partition("\r")[0]
    if len(line) > _LONGEST_COMMAND:
        reason = f"the line of the command has more than {_LONGEST_COMMAND} characters; name ranges, as in `1-3,4@48`"
        raise _bad(reason)
    verb = match[1].lower()
    words = f"/{verb}"
    rest = line[match.end() :].strip(_BLANKS)
    if verb == "edits":
        name = re.split(f"[{_BLANKS}]", rest)[0] or "help"
        verb = name.lower()
        words = f"/edits {verb}"
        rest = rest[len(name) :].lstrip(_BLANKS)
        if verb not in _VERBS:
            advice = did_you_mean(verb, list(_VERBS), "`/edits {}`".format)
            raise _bad(f"`/edits {name}` is not a command; {advice}")
    return _command(_VERBS[verb], rest, words)


def _command(verb: Verb, rest: str, words: str) -> Command:
    if verb == "help":  # the rest of the line is ignored
        return Command(verb, words=words)
    selector, number = _split_number(rest)
    if verb == "apply" and (suggestions := _SUGGESTIONS.fullmatch(selector)):
        if number is not None:
            advice = "for one comment, write only its number"
            raise _bad(f"`{words} suggestions` is for all open threads; {advice}")
        return Command(verb, words=words, suggestions=True, author=(suggestions[1] or "").lower())
    if verb == "undo" and selector:
        raise _bad(f"`{words}` takes no blocks, it undoes the whole commit; write only `{words}`")
    selection = Selection.read(selector) if selector else None
    is_whole_retry = verb == "retry" and selection is None
    has_only_numbers = selection is not None and selection == Selection(numbers=selection.numbers)
    if verb in ("skip", "retry") and not (is_whole_retry or has_only_numbers):
        raise _bad(f"`{words}` takes block numbers with commas between them, as in `{words} 4,5`")
    return Command(verb, selection, number, words)


def _split_number(rest: str) -> tuple[str, int | None]:
    """Split off the number of the source, which follows `of` at the end of the line."""
    match = _OF.fullmatch(rest)
    if match is None:
        return rest, None
    selector, name = match.groups("")
    if not _ID.fullmatch(name):
        of = f"of {name}".strip()
        raise _bad(f"`{of}` is not the number of a comment; write one, as in `of 2048812345`")
    return selector.strip(_BLANKS), int(name)


def _bad(message: str) -> ConfigError:
    return ConfigError(message, ReasonCode.BAD_COMMAND)
