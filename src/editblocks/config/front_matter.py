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

from editblocks.config.yaml_reader import YamlText, read_yaml
from editblocks.core.errors import ConfigTextError
from editblocks.core.outcome import FrontMatter
from editblocks.core.wrong_values import did_you_mean
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.report.commit_message import is_plain_title

KEYS = ("base", "title", "format", "author")
AUTHOR_LIMIT = 100

_ENDS = ("---", "...")
_KEY = re.compile(r"""["']?[A-Za-z_][A-Za-z0-9_-]*["']?[ \t]*:(?!//)""")
_BASE = re.compile("[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)
_SHOWN = 60  # characters of a wrong value


def read_front_matter(text: str, name: str, say: Callable[[str], None] | None = None) -> FrontMatter | None:
    """Read the front matter at the start of a response; None if it has none.

    `name` is what messages call the response. Raises `ConfigTextError` for anything that cannot be used, except a
    title that may not be the subject of a commit: it is left out, and `say` is called with a line about it.
    """
    if not text.startswith(("---", "\ufeff---")):
        return None
    lines = text.removeprefix("\ufeff").split("\n")
    first = next((line for line in lines[1:] if line.strip(" \t\r")), "")
    if _bare(lines[0]) != "---" or not _KEY.match(first):
        return None
    stop = next((number for number, line in enumerate(lines[1:], 1) if _bare(line) in _ENDS), None)
    if stop is None:
        reason = "`---` opens front matter that does not end"
        raise ConfigTextError(name, 1, f"{reason}; put `---` below its last key, or take line 1 out if it is a rule")
    keys = _Keys(read_yaml("\n".join(lines[1:stop]), name, first_line=2), name)
    return FrontMatter(
        base=keys.base(),
        title=keys.title(say),
        format=keys.format(),
        author=keys.author(),
        length=len(text) - len("\n".join(lines[stop + 1 :])),
        lines=stop + 1,
    )


class _Keys:
    """The keys of one front matter; an empty value counts as unset. Methods raise `ConfigTextError` for a wrong one."""

    def __init__(self, yaml: YamlText, name: str) -> None:
        if not isinstance(yaml.value, dict):
            raise ConfigTextError(name, 2, "front matter holds no keys; write lines such as `base: 4be1d02`")
        self._values, self._lines, self._name = yaml.value, yaml.lines, name
        for key in yaml.value:
            if key not in KEYS:
                raise self._error(key, f"unknown key `{key[:_SHOWN]}`; {did_you_mean(key, KEYS, _quote)}")

    def base(self) -> str | None:
        value = self._values.get("base")  # a commit id may have no letters
        base = str(value) if type(value) is int else self._text("base")
        if base is not None and not _BASE.fullmatch(base):
            raise self._error("base", f"`base` is `{base[:_SHOWN]}`; write 7 to 64 hex digits of a commit")
        return None if base is None else base.lower()

    def title(self, say: Callable[[str], None] | None) -> str | None:
        title = self._text("title")
        if title is None or is_plain_title(title):
            return title
        if say is not None:
            rule = "1 to 60 of A-Z, a-z, 0-9, blank and ,.:;()/_+'- without a reference or trailer"
            reason = f"the title cannot be the subject of a commit, so it is left out; use {rule}"
            say(self._error("title", reason).message)
        return None

    def format(self) -> str | None:
        name = self._text("format")
        if name is not None and name not in FORMAT_NAMES:
            raise self._error("format", f"`format` is `{name[:_SHOWN]}`; {did_you_mean(name, FORMAT_NAMES, _quote)}")
        return name

    def author(self) -> str | None:
        author = self._text("author")
        if author is not None and len(author) > AUTHOR_LIMIT:
            raise self._error("author", f"`author` has {len(author):,} characters; write {AUTHOR_LIMIT} at most")
        return author

    def _text(self, key: str) -> str | None:
        value = self._values.get(key)
        if value is not None and not isinstance(value, str):
            raise self._error(key, f"`{key}` is no text; put its value in quotes")
        return value or None

    def _error(self, key: str, reason: str) -> ConfigTextError:
        return ConfigTextError(self._name, self._lines[(key,)], reason)


def _quote(word: str) -> str:
    return f"`{word}`"


def _bare(line: str) -> str:
    return line.rstrip(" \t\r")
