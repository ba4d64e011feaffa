"""The values that each key may have, wherever it is set. Messages name the key as the person wrote it.

Everything here raises `ConfigError` for a value that does not fit, and nothing else.
Table: docs/reference/settings.md, "all settings".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from editblocks.core.errors import ConfigError
from editblocks.core.settings import MATCHING
from editblocks.core.wrong_values import did_you_mean, quote
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.paths import check_syntax, is_protected

CHOICES: Mapping[str, tuple[str, ...]] = {
    "mode": ("apply", "check"),
    "trigger": ("auto", "command"),
    "permission": ("write", "maintain", "admin"),
    "matching": MATCHING,
    "after-apply": ("delete", "keep"),
    "suspicious-text": ("refuse", "warn"),
    "placeholders": ("refuse", "warn"),
}
MOST_INLINE_COMMENTS = 10

_COMMIT_PREFIX = re.compile(r"[a-z0-9()!:/ -]{0,20}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}(?:\[bot\])?", re.ASCII)
_RESPONSE_FILES = re.compile(r"(?:[^/*?]+/)+\*(?:\.[A-Za-z0-9]+)+", re.ASCII)
_PLAIN = r"[A-Za-z0-9,.:;()/_+'-]"
_TRAILER = re.compile(rf"([A-Za-z][A-Za-z0-9-]{{0,39}}): {_PLAIN}(?:(?:{_PLAIN}| ){{0,98}}{_PLAIN})?", re.ASCII)
# GitHub acts on these wherever they stand: an address or GH-12 behind "Fixes:" closes an issue.
_ACTIVE = re.compile(r"://|(?<![a-z0-9])gh-[0-9]", re.ASCII | re.IGNORECASE)
_OUR_TRAILERS = re.compile(r"edit-blocks-.*|signed-off-by|co-authored-by|skip-checks", re.ASCII | re.IGNORECASE)


def choice(text: str, choices: tuple[str, ...], shown: str) -> str:
    """One of a few words."""
    if text not in choices:
        raise ConfigError(f"{shown} is {quote(text)}; {did_you_mean(text, choices)}")
    return text


def number(value: int | None, least: int, most: int, shown: str, written: str) -> int:
    """A whole number; `written` is how it was given, None is what was none."""
    if value is None or not least <= value <= most:
        raise ConfigError(f"{shown} is {quote(written)}; use a number from {least} to {most}")
    return value


def line(key: str, text: str, shown: str) -> str:
    """The text of a key that is neither a word, a number nor a list. It is never shown: it may be the token."""
    pattern, rule = (_TOKEN, "visible ASCII") if key == "token" else (_COMMIT_PREFIX, "[a-z0-9()!:/ -], 20 at most")
    if not pattern.fullmatch(text):
        raise ConfigError(f"{shown} has characters that do not belong there; use {rule}")
    return text


def items(key: str, texts: Sequence[str], shown: Callable[[int], str]) -> tuple[str, ...]:
    """The items of a list, each once. `shown` names the item of an index, or with -1 the list."""
    most, check = LISTS[key]
    if len(texts) > most:
        raise ConfigError(f"{shown(-1)} has {len(texts)} items, the limit is {most}; leave some out")
    if key == "paths" and not texts:
        raise ConfigError(f"{shown(-1)} is empty, so that no file could be edited; leave it out, or set mode: check")
    return tuple(dict.fromkeys(check(text, shown(index)) for index, text in enumerate(texts)))


def _format(text: str, shown: str) -> str:
    return choice(text, FORMAT_NAMES, shown)


def _glob(text: str, shown: str) -> str:
    """`*` and `?` within a name, `**` for any folders. Brackets and braces mean something elsewhere, so not nothing."""
    if re.search(r"[\[\]{}]|\A!", text):
        advice = "a path to be left out belongs in deny-paths" if text.startswith("!") else "write `?` for a bracket"
        raise ConfigError(f"{shown} has {quote(text)}; only `*`, `**` and `?` are wildcards, {advice}")
    if len(text) > 255 or check_syntax(re.sub(r"[*?]", "x", text), "edit"):
        raise ConfigError(f"{shown} has {quote(text)}, which fits no path; write it from the root, as in `src/**`")
    return text


def _response_files(text: str, shown: str) -> str:
    path = text.replace("*", "x")
    if len(text) > 255 or not _RESPONSE_FILES.fullmatch(text) or check_syntax(path, "edit"):
        raise ConfigError(f"{shown} has {quote(text)}; name one folder and an ending, as in `.edits/*.md`")
    if is_protected(path):
        raise ConfigError(f"{shown} has {quote(text)}, where everything is protected; choose another folder")
    return text


def _exact_path(text: str, shown: str) -> str:
    if re.search(r"[*?]", text):
        raise ConfigError(f"{shown} has {quote(text)}; name each path exactly, without wildcards")
    error = check_syntax(text, "edit")
    if error is not None:
        raise ConfigError(f"{shown}: {error.message}")
    return text


def _login(text: str, shown: str) -> str:
    """In lower case, as GitHub takes no notice of it."""
    if not _LOGIN.fullmatch(text):
        raise ConfigError(f"{shown} has {quote(text)}, which is no login; write it without `@`, as in `octocat`")
    return text.lower()


def _trailer(text: str, shown: str) -> str:
    match = _TRAILER.fullmatch(text)
    if match is None or _ACTIVE.search(text):
        raise ConfigError(
            f"{shown} has {quote(text)}; write `Key: value` with [A-Za-z0-9 ,.:;()/_+'-], no address or issue"
        )
    if _OUR_TRAILERS.fullmatch(match[1]):
        raise ConfigError(f"{shown} has {quote(match[1])}, which is not for a setting to say; choose another key")
    return text


LISTS: Mapping[str, tuple[int, Callable[[str, str], str]]] = {
    "formats": (len(FORMAT_NAMES), _format),
    "response-files": (20, _response_files),
    "paths": (100, _glob),
    "deny-paths": (100, _glob),
    "allow-protected": (100, _exact_path),
    "ignore-authors": (100, _login),
    "trailers": (10, _trailer),
}
