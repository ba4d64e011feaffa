"""Read front matter, the YAML at the start of a response: `base`, `title`, `format`, `author`, each optional.

    ---
    base: 4be1d02
    title: Correct cart totals
    ---

A first line `---` may also be a horizontal rule in a pasted chat answer, so it opens front matter only if a
key follows. Page: docs/reference/command-line.md, "front matter".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from editblocks.core.characters import quote
from editblocks.core.errors import ConfigError, ConfigTextError
from editblocks.core.outcome import FrontMatter
from editblocks.core.phrases import did_you_mean
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.report.commit_message import title_fault

if TYPE_CHECKING:
    from editblocks.config.yaml_reader import Value

KEYS = ("base", "title", "format", "author")
AUTHOR_LIMIT = 100

_ENDS = ("---", "...")
_KEY = re.compile(r"""["']?[A-Za-z_][A-Za-z0-9_-]*["']?[ \t]*:(?!//)""")
_BASE = re.compile("[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)


def read_front_matter(text: str, name: str, warn: Callable[[str], None] | None = None) -> FrontMatter | None:
    """Read the front matter at the start of a response; None if it has none.

    `name` is what messages call the response. Raises `ConfigTextError` for anything that cannot be used, except a
    title that may not be the subject of a commit: it is left out, and `warn` is called with a line about it.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    bare = [line.rstrip(" \t\r") for line in lines]
    first_below = next(filter(None, bare[1:]), "")
    if bare[0] != "---" or not _KEY.match(first_below):
        return None
    stop = next((number for number, line in enumerate(bare) if number > 0 and line in _ENDS), None)
    if stop is None:
        reason = "`---` opens front matter that does not end"
        advice = "put `---` below its last key, or remove line 1 if it is only a horizontal rule"
        raise ConfigTextError(name, 1, f"{reason}; {advice}")
    from editblocks.config.yaml_reader import read_yaml  # loads PyYAML, so only where there is front matter

    entries = read_yaml("\n".join(lines[1:stop]), name, _checked, first_line=2)
    values = {key: value for key, (_, value) in entries.items() if value}
    if "title" in values and title_fault(values["title"]):
        del values["title"]
        if warn is not None:
            rule = "1 to 60 of A-Z, a-z, 0-9, space and ,.:;()/_+'-, with no address, issue or trailer"
            reason = f"the title cannot be the subject of a commit, so it is left out; use {rule}"
            line, _ = entries["title"]
            warn(ConfigTextError(name, line, reason).message)
    length = len(text) - len("\n".join(lines[stop + 1 :]))
    return FrontMatter(**values, length=length, lines=stop + 1)


def _checked(key: str, value: Value) -> str:
    """Return the value of a key as text; an empty text means "not set". Raises `ConfigError` for a wrong value."""
    if key not in KEYS:
        raise ConfigError(f"unknown key {quote(key)}; {did_you_mean(key, KEYS, quote)}")
    if key == "base" and type(value) is int:  # a commit id may have no letters
        value = str(value)
    if not isinstance(value, str):
        raise ConfigError(f"`{key}` is not text; put its value in quotes")
    if key == "base" and value and not _BASE.fullmatch(value):
        raise ConfigError(f"`base` is {quote(value)}; write 7 to 64 hex digits of a commit")
    if key == "format" and value and value not in FORMAT_NAMES:
        raise ConfigError(f"`format` is {quote(value)}; {did_you_mean(value, FORMAT_NAMES, quote)}")
    if key == "author" and len(value) > AUTHOR_LIMIT:
        raise ConfigError(f"`author` has {len(value):,} characters; write {AUTHOR_LIMIT} at most")
    if key == "base":
        return value.lower()
    return value
