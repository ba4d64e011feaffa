"""What a response says of itself in YAML at its start: `base`, `title`, `format`, `author`, each optional.

    ---
    base: 4be1d02
    title: Correct cart totals
    ---

A first line `---` alone may as well be a rule in a pasted chat answer, so it opens front matter only if a
key stands below it. Page: docs/reference/command-line.md, "front matter".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from editblocks.config.yaml_reader import Place, Value, YamlText, read_yaml
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
    """Read the front matter at the start of a response, None if it has none.

    `name` is what messages call the response. Raises `ConfigTextError` for what cannot be used. A
    title that may not be the subject of a commit is left out instead, and `say` is called with a line about it.
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
    keys = _Keys.of(read_yaml("\n".join(lines[1:stop]), name, first_line=2), name)
    rest = "\n".join(lines[stop + 1 :])
    return FrontMatter(
        base=keys.base(),
        title=keys.title(say),
        format=keys.format(),
        author=keys.author(),
        length=len(text) - len(rest),
        lines=stop + 1,
    )


def _quote(word: str) -> str:
    return f"`{word}`"


def _bare(line: str) -> str:
    return line.rstrip(" \t\r")


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of one front matter; an empty value is none. Methods raise `ConfigTextError` for one that is wrong."""

    values: Mapping[str, Value]
    lines: Mapping[Place, int]
    name: str

    @classmethod
    def of(cls, yaml: YamlText, name: str) -> _Keys:
        """Take a text that holds known keys alone."""
        if not isinstance(yaml.value, dict):
            raise ConfigTextError(name, 2, "front matter holds no keys; write lines such as `base: 4be1d02`")
        keys = cls(yaml.value, yaml.lines, name)
        for key in keys.values:
            if key not in KEYS:
                raise keys._error(key, f"unknown key `{key[:_SHOWN]}`; {did_you_mean(key, KEYS, _quote)}")
        return keys

    def base(self) -> str | None:
        base = self._text("base")
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
        """The text of a key. A number is no text, but for a base that has no letters among its digits."""
        value = self.values.get(key)
        if key == "base" and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None and not isinstance(value, str):
            raise self._error(key, f"`{key}` is no text; put its value in quotes")
        return value or None

    def _error(self, key: str, reason: str) -> ConfigTextError:
        return ConfigTextError(self.name, self.lines[(key,)], reason)
