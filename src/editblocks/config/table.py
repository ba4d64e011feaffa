"""Every setting in one table: its values, where it applies, and how a file's value and an input's are combined.

The file `.editblocks.yml`, the environment, the options and the inputs of the action are checked by this table;
`Settings` has the defaults. docs/reference/settings.md says what each setting means. That page and this table are the
source of action.yml and the schema for editors: `PYTHONPATH=tests python -m support.settings_made`. A new setting is
added to `Settings`, docs/reference/settings.md and examples/editblocks.yml by hand. All checks raise `ConfigError`, and
name the setting as the person wrote it.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from editblocks.core.characters import quote
from editblocks.core.errors import ConfigError
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import CEILINGS, MATCHING, WHOLE_FILES, Settings
from editblocks.parsing.parse import FORMAT_NAMES, formats_named
from editblocks.paths.policy import is_protected
from editblocks.paths.syntax import check_syntax

Item = Callable[[str, str], str]  # checks an item of a list; the second is the name of the setting in a message
Merge = Callable[[Any, Any], Any]  # combines the file's value and an input's

_COMMIT_PREFIX = re.compile(r"[a-z0-9()!:/ -]{0,20}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
_LINES = {_TOKEN: "visible ASCII", _COMMIT_PREFIX: "[a-z0-9()!:/ -], 20 at most"}
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}(?:\[bot\])?", re.ASCII)
_RESPONSE_FILES = re.compile(r"(?:[^/*?]+/)+\*(?:\.[A-Za-z0-9]+)+", re.ASCII)
_WORKFLOW_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}\.ya?ml", re.ASCII)
_PLAIN = r"[A-Za-z0-9,.:;()/_+'-]"
_TRAILER = re.compile(rf"([A-Za-z][A-Za-z0-9-]{{0,39}}): {_PLAIN}(?:(?:{_PLAIN}| ){{0,98}}{_PLAIN})?", re.ASCII)
# GitHub acts on these anywhere in a message: an address or GH-12 after "Fixes:" closes an issue.
_ACTIVE = re.compile(r"://|(?<![a-z0-9])gh-[0-9]", re.ASCII | re.IGNORECASE)
_OUR_TRAILERS = re.compile(r"edit-blocks-.*|signed-off-by|co-authored-by|skip-checks", re.ASCII | re.IGNORECASE)


def _word(words: tuple[str, ...], value: object, shown: str) -> str:
    if not isinstance(value, str) or value not in words:
        raise ConfigError(f"{shown} is {_as_yaml(value)}; {did_you_mean(str(value), words)}")
    return value


def _number(numbers: range, value: object, shown: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in numbers:
        rule = f"use a number from {numbers[0]} to {numbers[-1]}"
        if isinstance(value, str) and value.isdecimal():
            rule = f"{rule}, without quotes"
        raise ConfigError(f"{shown} is {_as_yaml(value)}; {rule}")
    return value


def _line(pattern: re.Pattern[str], value: object, shown: str) -> str:
    """Check a text that no message shows: it may be the token."""
    if not isinstance(value, str):
        raise ConfigError(f"{shown} is {_as_yaml(value)}, which is not text; put it in quotes")
    if not pattern.fullmatch(value):
        raise ConfigError(f"{shown} has characters that do not belong there; use {_LINES[pattern]}")
    return value


def _items(setting: "Setting", item: Item, value: object, shown: str) -> tuple[str, ...]:
    """Check a list of texts, and drop repeated items."""
    if not isinstance(value, list):
        raise ConfigError(f"{shown} is {_as_yaml(value)}, which is not a list; put it in brackets, as in `[a, b]`")
    if len(value) > setting.most:
        raise ConfigError(f"{shown} has {len(value)} items, the limit is {setting.most}; leave some out")
    if len(value) < setting.least:
        raise ConfigError(f"{shown} is empty, so that no file could be edited; leave it out, or set mode: check")
    wrong = next((each for each in value if not isinstance(each, str)), None)
    if wrong is not None:
        raise ConfigError(f"{shown} has {_as_yaml(wrong)}, which is not text; put it in quotes")
    return tuple(dict.fromkeys(item(each, shown) for each in value))


def _flag(value: object, shown: str) -> bool:
    if not isinstance(value, bool):
        rule = "use true or false"
        if value in ("true", "false"):
            rule = f"{rule}, without quotes"
        raise ConfigError(f"{shown} is {_as_yaml(value)}; {rule}")
    return value


def _as_yaml(value: object) -> str:
    """A value for a message, in the form that people write."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return quote(str(value).lower())
    return quote(str(value))


def _glob(text: str, shown: str) -> str:
    """Check a glob. Brackets, braces and a leading `!` are refused, as they are wildcards in other tools."""
    rule = f"{shown} has {quote(text)}; only `*`, `**` and `?` are wildcards"
    if text.startswith("!"):
        raise ConfigError(f"{rule}; to leave a path out, list it under deny-paths")
    if re.search(r"[\[\]{}]", text):
        raise ConfigError(f"{rule}, write `?` for a bracket")
    if "** " in text:
        raise ConfigError(f"{shown} has {quote(text)}; put a comma or a line break between two patterns")
    if len(text) > 255 or check_syntax(re.sub(r"[*?]", "x", text), "edit"):
        raise ConfigError(f"{shown} has {quote(text)}, which matches no path; write it from the root, as in `src/**`")
    return text


def _denied(text: str, shown: str) -> str:
    """Check a glob of denied paths. A folder with a slash, as in `secret/`, means all files in it."""
    return _glob(text.removesuffix("/"), shown)


def _response_files(text: str, shown: str) -> str:
    path = text.replace("*", "x")
    if len(text) > 255 or not _RESPONSE_FILES.fullmatch(text) or check_syntax(path, "edit"):
        raise ConfigError(f"{shown} has {quote(text)}; name one folder and an ending, as in `.edits/*.md`")
    if is_protected(path):
        raise ConfigError(f"{shown} has {quote(text)}, where everything is protected; choose another folder")
    return text


def exact_path(text: str, shown: str) -> str:
    """Check a path without wildcards."""
    if re.search(r"[*?]", text):
        raise ConfigError(f"{shown} has {quote(text)}; name each path exactly, without wildcards")
    error = check_syntax(text, "edit")
    if error is not None:
        raise ConfigError(f"{shown}: {error.message}")
    return text


def _login(text: str, shown: str) -> str:
    """Check a login and return it in lower case, as GitHub ignores its case."""
    if not _LOGIN.fullmatch(text):
        raise ConfigError(f"{shown} has {quote(text)}, which is not a login; write it without `@`, as in `octocat`")
    return text.lower()


def _workflow_file(text: str, shown: str) -> str:
    if not _WORKFLOW_FILE.fullmatch(text):
        raise ConfigError(f"{shown} has {quote(text)}; name a file of .github/workflows, as in `ci.yml`")
    return text


def _trailer(text: str, shown: str) -> str:
    match = _TRAILER.fullmatch(text)
    if match is None or _ACTIVE.search(text):
        rule = "write `Key: value` with only [A-Za-z0-9 ,.:;()/_+'-], and no address or issue number"
        raise ConfigError(f"{shown} has {quote(text)}; {rule}")
    if _OUR_TRAILERS.fullmatch(match[1]):
        raise ConfigError(f"{shown} has {quote(match[1])}, which only editblocks sets; choose another key")
    return text


def strictest(*words: str | bool) -> Merge:
    """Return a function that picks the stricter of two values; `words` has the strictest first."""
    return lambda in_file, asked: min(in_file, asked, key=words.index)


def _common(in_file: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(item for item in in_file if item in asked)


def _either(in_file: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*in_file, *asked)))


def _formats(in_file: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the formats that both lists allow; an empty list allows all. Raises `ConfigError` if none."""
    if not in_file or not asked:
        return in_file or asked
    common = [grammar for grammar in formats_named(in_file) if grammar in formats_named(asked)]
    names = {name for grammar in common for name in grammar.names}
    if not names:
        raise ConfigError("formats: the input and .editblocks.yml have no format in common; name one in both")
    return tuple(name for name in dict.fromkeys((*in_file, *asked)) if name in names)


class Setting(NamedTuple):
    """One setting. `accepts`: words, numbers, the pattern of a line, or a check for list items; None: true or false.

    `applies_in`: `both` (GitHub and a person's machine), `github`, `workflow` or `file`. `merge` combines the file's
    value and an input's. `guards`: the value of the default branch also limits every other base branch.
    `loosens`: some value allows what is refused by default; an input may only set it if the file does, and the file
    only as far as the default branch does.
    """

    key: str
    accepts: tuple[str, ...] | range | re.Pattern[str] | Item | None
    applies_in: str = "both"
    merge: Merge = lambda in_file, _asked: in_file
    guards: bool = False
    loosens: bool = False
    most: int = 0  # items of a list
    least: int = 0

    def check(self, value: object, shown: str) -> Any:
        """Return a checked value as `Settings` holds it. `shown` is the name of the setting in messages."""
        match self.accepts:
            case None:
                return _flag(value, shown)
            case tuple() as words:
                return _word(words, value, shown)
            case range() as numbers:
                return _number(numbers, value, shown)
            case re.Pattern() as pattern:
                return _line(pattern, value, shown)
            case item:
                return _items(self, item, value, shown)

    @property
    def name(self) -> str:
        """Its field in `Settings`."""
        return self.key.replace("-", "_")

    @property
    def default(self) -> Any:
        """Its value if nobody sets it."""
        return getattr(_DEFAULTS, self.name)


_DEFAULTS = Settings()
_ROLES = ("write", "maintain", "admin")

TABLE = (
    Setting("token", _TOKEN, "workflow"),
    Setting("pr-number", range(1, 10**9), "workflow"),
    Setting("comment-id", range(1, 10**18), "workflow"),
    Setting("mode", ("apply", "check"), "github", strictest("check", "apply"), guards=True),
    Setting("trigger", ("auto", "command"), "github", strictest("command", "auto"), guards=True),
    Setting("permission", _ROLES, "github", strictest(*reversed(_ROLES)), guards=True),
    Setting("partial", None, merge=strictest(False, True), guards=True),
    Setting("matching", MATCHING, merge=strictest(*MATCHING)),
    Setting("three-way", None, merge=strictest(False, True)),
    Setting("formats", partial(_word, FORMAT_NAMES), merge=_formats, most=len(FORMAT_NAMES)),
    Setting("response-files", _response_files, merge=_common, most=20),
    Setting("after-apply", ("delete", "keep")),
    Setting("paths", _glob, guards=True, most=100, least=1),
    Setting("deny-paths", _denied, merge=_either, guards=True, most=100),
    Setting("allow-protected", exact_path, "file", _common, most=100),
    Setting("ignore-authors", _login, "github", _either, most=100),
    Setting("suspicious-text", ("refuse", "warn"), merge=strictest("refuse", "warn"), loosens=True),
    Setting("placeholders", ("refuse", "warn"), merge=strictest("refuse", "warn"), loosens=True),
    Setting("removals", ("allow", "refuse"), merge=strictest("refuse", "allow"), guards=True),
    Setting("whole-files", WHOLE_FILES, merge=strictest(*WHOLE_FILES), loosens=True),
    Setting("short-commands", None, "github"),
    Setting("inline-comments", range(11), "github"),
    Setting("reactions", None, "github"),
    Setting("start-checks", _workflow_file, "github", most=5),
    Setting("commit-prefix", _COMMIT_PREFIX),
    Setting("credit", None, "github"),
    Setting("trailers", _trailer, "github", most=10),
    *(Setting(name.replace("_", "-"), range(1, most + 1), merge=min) for name, most in CEILINGS.items()),
)
BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in TABLE}
INPUTS = tuple(setting.key for setting in TABLE if setting.applies_in != "file")
FILE_KEYS = tuple(setting.key for setting in TABLE if setting.applies_in != "workflow")
