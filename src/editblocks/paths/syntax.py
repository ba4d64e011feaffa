"""Check the text of a path, without looking at a tree: steps 1 to 5 of docs/internals/security.md, "paths".

Nothing is decoded, expanded or cleaned: a path is refused or accepted as it is.
The rules are a table, tried in order over the whole path. The first broken rule is reported.
"""

import re
from collections.abc import Callable
from posixpath import commonprefix, normpath
from typing import TYPE_CHECKING, Literal, NamedTuple
from unicodedata import is_normalized, normalize

from editblocks.core.characters import (
    alphabet_clash,
    code_point,
    is_invisible,
    is_private,
    opened_name,
    show_text,
    strong_key,
)
from editblocks.core.codes import ReasonCode

if TYPE_CHECKING:
    Operation = Literal["create", "edit", "delete"]
else:
    Operation = str

MAX_BYTES = 1024
MAX_COMPONENTS = 64
MAX_COMPONENT_BYTES = 255

_CODES = {
    "E_MISSING": ReasonCode.FILE_NOT_FOUND,
    "E_EXISTS": ReasonCode.FILE_EXISTS,
    "E_PROTECTED": ReasonCode.NOT_ALLOWED,
    "E_DENIED": ReasonCode.NOT_ALLOWED,
    "E_SYMLINK_PARENT": ReasonCode.NOT_A_FILE,
    "E_SYMLINK_LEAF": ReasonCode.NOT_A_FILE,
    "E_GITLINK": ReasonCode.NOT_A_FILE,
    "E_PARENT_FILE": ReasonCode.PATH_CONFLICT,
    "E_ISDIR": ReasonCode.PATH_CONFLICT,
    "E_FOLD": ReasonCode.PATH_CONFLICT,
}
_ANOTHER_NAME = "choose another name"
_FROM_ROOT = "write the path from the root of the repository"
_WITHOUT = "write the path without it"


class PathError(NamedTuple):
    """Why a path is refused: the rule (`E_DOT` …), what is wrong, and what to do."""

    rule: str
    what: str
    advice: str

    @property
    def message(self) -> str:
        """The reason and the advice in one line."""
        return f"{self.what}; {self.advice}"

    @property
    def code(self) -> ReasonCode:
        """The reason code of the rule; `unsafe-path` for most rules."""
        return _CODES.get(self.rule, ReasonCode.UNSAFE_PATH)


_CONTROL = r"[\x00-\x1f\x7f-\x9f]"
_ROOTS = "/|[A-Za-z]:/"  # the start of an absolute path
_WINDOWS = r'[<>:"|?*]'
_DEVICE = r"(?ai)(?:^|/)(?:aux|con|prn|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.[^/]*)?(?=/|\Z)"
# Windows makes GIT~1 of ..git: leading dots and spaces are not part of a short name.
_SHORT = r"(?i)(?:^|/)(?:[^~./]{0,6}~\d+(?:\.[^/]*)?|\.[. ]+git)(?=/|\Z)"
_TRAILING_DOT = r"\.(?=/|\Z)"


def check_syntax(path: str, op: "Operation") -> PathError | None:
    """Return the first rule of steps 1 to 5 that `path` breaks, or None. Raises nothing, whatever the text."""
    rules = _ALWAYS
    if op == "create":
        rules += _WHEN_CREATED
    for rule, find, what, advice in rules:
        found = find(path)
        if found:
            shown = what.format(path=f"`{show_text(path)}`", found=found)
            suggestion = _MEANT[rule](path) if rule in _MEANT else path
            if suggestion != path and is_safe_path(suggestion):
                return PathError(rule, shown, f"write {suggestion}")
            return PathError(rule, shown, advice)
    return None


def is_safe_path(path: str) -> bool:
    """Whether a file of this name may be created: the name works on every system and hides nothing from readers."""
    return check_syntax(path, "create") is None


def _lone_surrogate(path: str) -> str | None:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        return code_point(path[error.start])
    return None


def _git_directory(path: str) -> bool:
    return any(opened_name(name) in (".git", "git~1") for name in strong_key(path).split("/"))


def _longest(path: str) -> int:
    return max(len(name.encode()) for name in path.split("/"))


def _absolute(path: str) -> bool:
    return re.match(_ROOTS, path) is not None or (path.startswith("~") and (path == "~" or "/" in path))


def _upwards(path: str) -> str | None:
    if ".." not in path.split("/"):
        return None
    if normpath(path).startswith(".."):
        return "leaves the repository"
    return "goes up with .."


def _not_composed(path: str) -> str | None:
    """Return the first character that NFC would change; None if the path is in NFC."""
    if path.isascii() or is_normalized("NFC", path):
        return None
    differs = len(commonprefix([path, normalize("NFC", path)]))
    return code_point(next((char for char in path[differs:] if not char.isascii()), path[-1]))


def _mixed(path: str) -> str | None:
    letter = alphabet_clash(path)
    return letter and code_point(letter)


_Find = Callable[[str], object]  # returns what breaks the rule, for the sentence; a false value if nothing does


def _first_match(pattern: str) -> _Find:
    def find(path: str) -> str | None:
        match = re.search(pattern, path)
        return match and code_point(match[0])

    return find


def _holds(pattern: str) -> _Find:
    return lambda path: re.search(pattern, path)


def _first_char(test: Callable[[str], bool]) -> _Find:
    """Find the first character that passes `test`. ASCII characters are not tested."""
    return lambda path: not path.isascii() and next((code_point(char) for char in path if test(char)), None)


_Rule = tuple[str, _Find, str, str]  # the rule, the function that finds a breach, the sentence, the advice


def _limit(rule: str, size: Callable[[str], int], most: int, unit: str) -> _Rule:
    def find(path: str) -> int:
        return size(path) if size(path) > most else 0

    return rule, find, f"{{path}} has {{found}} {unit}, the limit is {most}", "choose a shorter path"


_ALWAYS: tuple[_Rule, ...] = (
    ("E_EMPTY", lambda path: not path, "the path is empty", "write the path of a file from the root of the repository"),
    ("E_ENC", _lone_surrogate, "{path} holds {found}, which UTF-8 cannot encode", _ANOTHER_NAME),
    _limit("E_LEN", lambda path: len(path.encode()), MAX_BYTES, "bytes"),
    _limit("E_DEPTH", lambda path: path.count("/") + 1, MAX_COMPONENTS, "parts"),
    _limit("E_COMPLEN", _longest, MAX_COMPONENT_BYTES, "bytes in one part"),
    ("E_DOTGIT", _git_directory, "{path} is inside a .git folder", "blocks may not change it"),
    ("E_CTRL", _first_match(_CONTROL), "{path} holds {found}, a control character", _WITHOUT),
    ("E_INVIS", _first_char(is_invisible), "{path} holds {found}, which is invisible", _WITHOUT),
    ("E_PRIVATE", _first_char(is_private), "{path} holds {found}, which is not an ordinary character", _WITHOUT),
    ("E_BACKSLASH", lambda path: "\\" in path, "{path} holds U+005C, a backslash", "write the path with /"),
    ("E_ABS", _absolute, "{path} is not relative to the repository", _FROM_ROOT),
    ("E_DASH", lambda path: path.startswith("-"), "{path} begins with a dash (U+002D), like an option", _ANOTHER_NAME),
    ("E_TRAIL", lambda path: path.endswith("/"), "{path} is a folder", "name a file in it"),
    ("E_DOT", _upwards, "{path} {found}", _FROM_ROOT),
    ("E_DOT", lambda path: path.startswith("./"), "{path} begins with ./", "leave it out"),
    ("E_DOT", lambda path: not {"", "."}.isdisjoint(path.split("/")),
     "{path} has an empty part or a single dot between slashes", "leave it out"),
    ("E_EDGE_SPACE", lambda path: any(name != name.strip(" ") for name in path.split("/")),
     "{path} has a space (U+0020) at the start or end of a name", "write it without the space"),
)  # fmt: skip
# A name that some system cannot handle may not be created, but an existing file with such a name may be edited.
_WHEN_CREATED: tuple[_Rule, ...] = (
    ("E_WINCHAR", _first_match(_WINDOWS), "{path} holds {found}, which Windows does not allow in names", _ANOTHER_NAME),
    ("E_RESERVED", _holds(_DEVICE), "{path} has a name that Windows keeps for a device", _ANOTHER_NAME),
    ("E_TRAILDOT", _holds(_TRAILING_DOT),
     "{path} has a dot (U+002E) at the end of a name, where Windows drops it", "leave it out"),
    ("E_SHORTNAME", _holds(_SHORT),
     "{path} has a name that may be the short form of another one on Windows", _ANOTHER_NAME),
    ("E_NFC", _not_composed, "{path} is not in NFC because of {found}", _ANOTHER_NAME),
    ("E_MIXED", _mixed, "{path} mixes Latin letters with {found} in one word", "keep to one alphabet"),
)  # fmt: skip
_MEANT: dict[str, Callable[[str], str]] = {  # the path that may have been meant; offered only if it is safe
    "E_BACKSLASH": lambda path: path.replace("\\", "/"),
    "E_DOT": lambda path: re.sub(r"\A(?:\./)+", "", path),
    "E_NFC": lambda path: normalize("NFC", path),
}
