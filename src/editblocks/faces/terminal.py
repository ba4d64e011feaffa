"""What a terminal can show, and the streams: results on stdout, messages on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from editblocks.report.escape import visible


def is_long_form(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a person looks on: aligned rows and paragraphs, instead of a line a row."""
    return stream.isatty() and environ.get("PRE_COMMIT") != "1"


def has_color(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """NO_COLOR and FORCE_COLOR decide, whatever their value; else a terminal that is not dumb has colours."""
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (stream.isatty() and environ.get("TERM") != "dumb")


def has_unicode(stream: TextIO) -> bool:
    """Whether the icons can be encoded."""
    try:
        "✓✗–".encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def show(text: str, stream: TextIO | None = None) -> None:
    """Write text that was made for people; what the stream cannot encode becomes `?`, never an error."""
    stream = stream or sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))


def message(line: str) -> None:
    """One line for a person, on stderr, whatever it holds."""
    show(f"editblocks: {visible(line)}\n", sys.stderr)
