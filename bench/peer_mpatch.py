"""Run mpatch's own function; started by the Python of the environment that mpatch is installed in, see bench/peers.py.

It says `"ready"`, then answers each line of standard input as bench/peer_aider.py does. The one task is `apply`.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from time import process_time
from typing import Any

MISSING = "mpatch is not installed here; pip install --no-deps mpatch"


def main() -> None:
    """Answer requests until standard input ends."""
    try:
        mpatch = import_module("mpatch")
    except ImportError:
        raise SystemExit(MISSING) from None
    say("ready")
    for line in sys.stdin:
        _task, text, content = json.loads(line)
        say(apply(mpatch, text, content))


def say(answer: object) -> None:
    """Answer at once."""
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def apply(mpatch: Any, text: str, content: str) -> tuple[float, str]:
    """The text of the one file that an answer changes, afterwards; "" if mpatch cannot apply it."""
    start = process_time()
    try:
        after = mpatch.patch_content(text, original=content)
    except mpatch.MpatchError:
        after = ""
    return process_time() - start, after


if __name__ == "__main__":
    main()
