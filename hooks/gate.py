"""Decide whether an event needs the other steps of action.yml. This is its first step, before anything is installed.

It reads only the event file, imports only fast modules, and writes `work=true` or `work=false` to GITHUB_OUTPUT. It
may say true too often, but never false if the run step has a task (editblocks/hosts/github/event.py). Rules:
docs/reference/action.md, "events". It is started by `python3 -I -S` with the runner's Python, so it uses only syntax
and annotations that older versions can read.
"""

import json
import os
import stat
import sys

LEAST_PYTHON = (3, 10)
MOST_BYTES = 25 * 1024 * 1024
# Parts of lines in edit blocks, including formats that editblocks recognizes only to refuse them. All are lower case,
# because tags may be in any case and the text is lowered before the search. `python -m support.needles` in tests/
# writes them.
MARKERS = (
    "<<<<<",
    ">>>>>",
    "&lt;&lt;&lt;&lt;&lt;",
    "\\<",
    "\xab\xab\xab",
    "-- search",
    "++ replace",
    "\u2013- search",
    "\u2014- search",
    "\u2013\u2013 search",
    "\u2014\u2014 search",
    "\u2550\u2550\u2550\u2550\u2550\u2550\u2550",
    "\xbb\xbb\xbb",
    "boltaction",
    "*** ",
    "begin patch",
    "+++ ",
    "@@",
    "diff --git ",
    'path"',
    'file"',
    'filename"',
    'uri"',
    'source"',
    "path>",
    "file>",
    "filename>",
    "uri>",
    "source>",
    '\\":',
    "arg_key>",
    'path="',
    "path='",
    'file="',
    "file='",
    'from="',
    "from='",
    "code_edit",
    "file_text",
    "newstring",
    "newtext",
    "new_contents",
    "new_source",
    "new_str",
    "new_text",
    "oldstring",
    "oldtext",
    "old_str",
    "old_text",
    "\U0001f7e7\U0001f7e7\U0001f7e7",
)
FENCES, FENCED = ("```", "~~~"), "edit:"  # a fence with this word gets an answer even if it has no block
SUGGESTION = "suggestion"  # a fence with this word is read only in a review thread
COMMANDS = ("/apply", "/skip", "/retry", "/undo", "/edits")
OUR_MARKER = "<!-- editblocks:"
# event → its actions, and the part of the payload that holds the text
EVENTS = {
    "issue_comment": (("created",), "comment"),
    "pull_request_review": (("submitted",), "review"),
    "pull_request_review_comment": (("created",), "comment"),
    "pull_request": (("opened", "synchronize", "reopened"), ""),
}
# Opening a FIFO does not wait for a writer, and a symbolic link is refused.
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Stop(Exception):
    """Raised to fail the step; its text is the error message."""


def has_work(event: str, payload: object, numbers: "tuple[str, ...]" = ("", "")) -> bool:
    """Whether the run step has something to do. `numbers`: the inputs pr-number and comment-id."""
    if event == "pull_request_target":
        raise Stop("the event pull_request_target runs foreign code with a write token; use issue_comment")
    if not isinstance(payload, dict):
        return False
    if event == "workflow_dispatch":
        return any(numbers)  # giving only one of them is a mistake, which the run step reports
    if event == "push":
        return not payload.get("deleted") and str(payload.get("ref")).startswith("refs/heads/")
    activities, holder = EVENTS.get(event, ((), ""))
    pull = part(payload, "issue" if event == "issue_comment" else "pull_request")
    if payload.get("action") not in activities or (event == "issue_comment" and "pull_request" not in pull):
        return False
    is_open, comment = pull.get("state") == "open", part(payload, holder)
    if event == "pull_request":
        return is_open
    if event == "pull_request_review_comment" and not comment.get("in_reply_to_id"):
        return False  # the comment that begins a thread belongs to its review
    body = comment.get("body")
    text = body if isinstance(body, str) else ""
    if text.startswith(OUR_MARKER):
        return False
    # A review may have inline comments, which are not in the payload. A closed pull request may get a command.
    words = (FENCED, SUGGESTION) if event == "pull_request_review_comment" else (FENCED,)
    may_ask = event == "pull_request_review" or may_hold_blocks(text.lower(), words)
    return text.lower().startswith(COMMANDS) or (is_open and may_ask)


def may_hold_blocks(text: str, words: "tuple[str, ...]") -> bool:
    """Whether a lower-case text may hold a block, or both a fence and one of `words`."""
    is_fenced = any(word in text for word in words) and any(fence in text for fence in FENCES)
    return is_fenced or any(marker in text for marker in MARKERS)


def part(payload: "dict[str, object]", name: str) -> "dict[str, object]":
    """Return `payload[name]` if it is an object, otherwise an empty object."""
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def read_event(path: str) -> object:
    """Read the JSON of the event file, which must be a regular file of at most 25 MB."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | NO_FOLLOW), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                raise Stop("GITHUB_EVENT_PATH is not a regular file of at most 25 MB; let the runner write it")
            return json.loads(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise Stop(f"GITHUB_EVENT_PATH cannot be read ({type(error).__name__}); let the runner write it") from None
    except (ValueError, RecursionError):
        raise Stop("GITHUB_EVENT_PATH is not JSON; let the runner write it") from None


def append(path: str, line: str) -> None:
    """Add a line to a file that the runner reads."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
        file.write(line)


def main() -> int:
    """Write the output and return 0. On an error, print it and return 2."""
    try:
        if sys.version_info[:2] < LEAST_PYTHON:
            raise Stop(f"python3 is {sys.version.split()[0]}, editblocks needs 3.10; use a newer runner")
        payload = read_event(os.environ.get("GITHUB_EVENT_PATH", ""))
        numbers = tuple(os.environ.get(name, "") for name in ("EDITBLOCKS_PR_NUMBER", "EDITBLOCKS_COMMENT_ID"))
        work = has_work(os.environ.get("GITHUB_EVENT_NAME", ""), payload, numbers)
        append(os.environ.get("GITHUB_OUTPUT", ""), "work={}\n".format("true" if work else "false"))
    except Stop as stop:
        print(f"::error::{stop}")
        return 2
    except OSError as error:
        print(f"::error::GITHUB_OUTPUT cannot be written ({type(error).__name__}); let the runner set it")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
