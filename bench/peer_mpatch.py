"""Run mpatch's own function; bench/peers.py starts this script with the Python of mpatch's environment.

It prints `"ready"`, then answers each line of standard input like bench/peer_aider.py. The only task is `apply`.
"""

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
    """Write an answer as one line of JSON, and flush it."""
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def apply(mpatch: Any, text: str, content: str) -> tuple[float, str]:
    """Apply an answer that changes one file, and return the new text, which is empty if mpatch cannot apply it."""
    start = process_time()
    try:
        after = mpatch.patch_content(text, original=content)
    except mpatch.MpatchError:
        after = ""
    return process_time() - start, after


if __name__ == "__main__":
    main()
