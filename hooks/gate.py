"""Decide whether an event is worth installing anything: the first step of action.yml.

Reads the event file and nothing else, imports nothing that costs, and writes `work=true` or
`work=false` to GITHUB_OUTPUT. It may say yes too often, never no to a comment with a block; the run
step looks closer (editblocks/hosts/github_event.py). Started by `python3 -I -S` with whatever Python the
runner has, so it keeps to syntax that older ones can read, and to annotations that they can evaluate.
"""

import json
import os
import stat
import sys

LEAST_PYTHON = (3, 10)
MOST_BYTES = 25 * 1024 * 1024
# Angle brackets, guillemets and the tag of an action open a block; what the others open is refused by name.
OPENERS = (
    "<<<<<",
    "\u00ab\u00ab\u00ab",
    "boltAction",
    "*** Begin Patch",
    "\U0001f7e7\U0001f7e7\U0001f7e7",
    "----- SEARCH",
)
OUR_MARKER = "<!-- editblocks:"
# a FIFO is opened without waiting for a writer, a symbolic link not at all
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Stop(Exception):
    """The step fails with this sentence."""


def has_work(event: str, payload: object) -> bool:
    """Whether the run step has something to look at: blocks in a new comment on an open pull request."""
    if event == "pull_request_target":
        raise Stop("the event pull_request_target runs foreign code with a write token; use issue_comment")
    if event != "issue_comment" or not isinstance(payload, dict) or payload.get("action") != "created":
        return False
    issue, comment = payload.get("issue"), payload.get("comment")
    if not isinstance(issue, dict) or not isinstance(comment, dict):
        return False
    body = comment.get("body")
    return (
        issue.get("state") == "open"
        and isinstance(issue.get("pull_request"), dict)
        and isinstance(body, str)
        and not body.startswith(OUR_MARKER)
        and any(opener in body for opener in OPENERS)
    )


def read_event(path: str) -> object:
    """The JSON of the event file, which has to be a regular file of at most 25 MB."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | NO_FOLLOW), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                raise Stop("GITHUB_EVENT_PATH is no regular file of at most 25 MB; let the runner write it")
            return json.loads(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise Stop(f"GITHUB_EVENT_PATH cannot be read ({type(error).__name__}); let the runner write it") from None
    except (ValueError, RecursionError):
        raise Stop("GITHUB_EVENT_PATH holds no JSON; let the runner write it") from None


def append(path: str, line: str) -> None:
    """Add a line to a file that the runner reads."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
        file.write(line)


def main() -> int:
    """Exit code 0 with an output written, or 2 with one line that says why not."""
    try:
        if sys.version_info[:2] < LEAST_PYTHON:
            raise Stop(f"python3 is {sys.version.split()[0]}, editblocks needs 3.10; use a newer runner")
        payload = read_event(os.environ.get("GITHUB_EVENT_PATH", ""))
        work = has_work(os.environ.get("GITHUB_EVENT_NAME", ""), payload)
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
