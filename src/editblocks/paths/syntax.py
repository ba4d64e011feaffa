"""Check the text of a path, without looking at a tree: steps 1 to 5 of docs/internals/security.md, "paths".

Nothing is decoded, expanded or cleaned: a path is refused or accepted as it is.
Rules are tried in order over the whole path, and the first one that it breaks is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import commonprefix, normpath
from typing import Literal
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

Operation = Literal["create", "edit", "delete"]

MAX_BYTES, MAX_COMPONENTS, MAX_COMPONENT_BYTES = 1024, 64, 255

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
    "E_BATCH_FD": ReasonCode.PATH_CONFLICT,
}
_ANOTHER_NAME = "choose another name"


@dataclass(frozen=True, slots=True)
class PathError:
    """Why a path is refused: the rule (`E_DOT` …), what is wrong, what to do, and paths that may be meant."""

    rule: str
    what: str
    advice: str
    near: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The reason and the advice in one line."""
        return f"{self.what}; {self.advice}"

    @property
    def code(self) -> ReasonCode:
        """The reason code of the rule; `unsafe-path` for most rules."""
        return _CODES.get(self.rule, ReasonCode.UNSAFE_PATH)


# Matches most paths: ASCII words with single dots and spaces inside, no device, not git's. Each repeated part begins
# with a character that the part before cannot hold, so there is only one way to match. Other paths get every check.
_PLAIN_NAME = (
    r"(?!(?:\.git|aux|con|prn|nul|com\d|lpt\d)(?:[. /]|\Z))"
    r"\.?\w[\w+@,#%=&()\[\]-]*(?:[. ][\w+@,#%=&()\[\]-]+)*"
)
_PLAIN = re.compile(f"{_PLAIN_NAME}(?:/{_PLAIN_NAME})*", re.ASCII | re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ABSOLUTE = re.compile(r"/|~(?:[^/]*/|\Z)")
_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(
    r"(?:^|/)(?:aux|con|prn|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.[^/]*)?(?=/|\Z)",
    re.ASCII | re.IGNORECASE,
)
# Windows makes GIT~1 of ..git: leading dots and spaces are no part of a short name.
_SHORT = re.compile(r"(?:^|/)(?:[^~./]{0,6}~\d+(?:\.[^/]*)?|\.[. ]+git)(?=/|\Z)", re.IGNORECASE)
_TRAILING_DOT = re.compile(r"\.(?=/|\Z)")
_DOT_PREFIX = re.compile(r"(?:\./)+")


def check_syntax(path: str, op: Operation) -> PathError | None:
    """Return the first rule of steps 1 to 5 that `path` breaks, or None. Raises nothing, whatever the text."""
    if len(path) <= MAX_COMPONENT_BYTES and path.count("/") < MAX_COMPONENTS and _PLAIN.fullmatch(path):
        return None
    rules = (*_ALWAYS, *_WHEN_CREATED) if op == "create" else _ALWAYS
    return next(filter(None, (rule(path) for rule in rules)), None)


def is_safe_path(path: str) -> bool:
    """Whether a file of this name may be created: the name works on every system and hides nothing from readers."""
    return check_syntax(path, "create") is None


def _size(path: str) -> PathError | None:
    if not path:
        return PathError("E_EMPTY", "the path is empty", "write the path of a file from the root of the repository")
    names = path.split("/")
    try:
        size, longest = len(path.encode()), max(len(name.encode()) for name in names)
    except UnicodeEncodeError as error:
        stray = code_point(path[error.start])
        return PathError("E_ENC", f"{_span(path)} holds {stray}, which UTF-8 cannot carry", _ANOTHER_NAME)
    for rule, have, most, unit in (
        ("E_LEN", size, MAX_BYTES, "bytes"),
        ("E_DEPTH", len(names), MAX_COMPONENTS, "parts"),
        ("E_COMPLEN", longest, MAX_COMPONENT_BYTES, "bytes in one part"),
    ):
        if have > most:
            return PathError(rule, f"{_span(path)} has {have} {unit}, the limit is {most}", "choose a shorter path")
    return None


def _git_directory(path: str) -> PathError | None:
    names = {*path.casefold().split("/"), *strong_key(path).split("/")}
    if any(opened_name(name) in (".git", "git~1") for name in names):
        return PathError("E_DOTGIT", f"{_span(path)} reaches into git's own directory", "blocks may not change it")
    return None


def _characters(path: str) -> PathError | None:
    control = _CONTROL.search(path)
    if control:
        return _bad_character("E_CTRL", path, control[0], "a control character")
    if path.isascii():
        return None
    if invisible := next(filter(is_invisible, path), None):
        return _bad_character("E_INVIS", path, invisible, "which is invisible")
    private = next(filter(is_private, path), None)
    return _bad_character("E_PRIVATE", path, private, "which has no meaning of its own") if private else None


def _shape(path: str) -> PathError | None:
    names = path.split("/")
    if "\\" in path:
        meant = path.replace("\\", "/")
        near = (meant,) if is_safe_path(meant) else ()
        advice = f"write {meant}" if near else "write the path with /"
        return PathError("E_BACKSLASH", f"{_span(path)} holds U+005C, a backslash", advice, near)
    if _ABSOLUTE.match(path):
        return PathError("E_ABS", f"{_span(path)} does not begin in the repository", "write the path from its root")
    if path.startswith("-"):
        return PathError("E_DASH", f"{_span(path)} begins with U+002D, like an option", _ANOTHER_NAME)
    if path.endswith("/"):
        return PathError("E_TRAIL", f"{_span(path)} names a directory", "name a file in it")
    if not {"", ".", ".."}.isdisjoint(names):
        return _dots(path, names)
    if any(name != name.strip(" ") for name in names):
        what = f"{_span(path)} has U+0020 at the edge of a name"
        return PathError("E_EDGE_SPACE", what, "write it without the space")
    return None


def _dots(path: str, names: list[str]) -> PathError:
    if ".." in names:
        what = "leaves the repository" if normpath(path).startswith("..") else "goes up with .."
        return PathError("E_DOT", f"{_span(path)} {what}", "write the path from its root")
    prefix = _DOT_PREFIX.match(path)
    meant = path[prefix.end() :] if prefix else ""
    if meant and is_safe_path(meant):
        return PathError("E_DOT", f"{_span(path)} begins with ./", f"write {meant}", (meant,))
    return PathError("E_DOT", f"{_span(path)} has an empty part or a single dot between slashes", "leave it out")


def _windows_names(path: str) -> PathError | None:
    match = _WINDOWS.search(path)
    if match:
        return _bad_character("E_WINCHAR", path, match[0], "which Windows does not allow in names", _ANOTHER_NAME)
    if _DEVICE.search(path):
        return PathError("E_RESERVED", f"{_span(path)} has a name that Windows keeps for a device", _ANOTHER_NAME)
    if _TRAILING_DOT.search(path):
        what = f"{_span(path)} has U+002E at the end of a name, where Windows drops it"
        return PathError("E_TRAILDOT", what, "leave it out")
    if _SHORT.search(path):
        what = f"{_span(path)} has a name that may be short for another one on Windows"
        return PathError("E_SHORTNAME", what, _ANOTHER_NAME)
    return None


def _composition(path: str) -> PathError | None:
    if path.isascii() or is_normalized("NFC", path):
        return None
    meant = normalize("NFC", path)
    differs = len(commonprefix([path, meant]))
    odd = next((char for char in path[differs:] if not char.isascii()), path[-1])
    near = (meant,) if is_safe_path(meant) else ()
    advice = f"write {meant}" if near else _ANOTHER_NAME
    return PathError("E_NFC", f"{_span(path)} is not in NFC because of {code_point(odd)}", advice, near)


def _alphabets(path: str) -> PathError | None:
    odd = alphabet_clash(path)
    if odd is None:
        return None
    what = f"{_span(path)} mixes Latin letters with {code_point(odd)} in one word"
    return PathError("E_MIXED", what, "keep to one alphabet")


def _bad_character(rule: str, path: str, char: str, what: str, advice: str = "write the path without it") -> PathError:
    return PathError(rule, f"{_span(path)} holds {code_point(char)}, {what}", advice)


def _span(path: str) -> str:
    return f"`{show_text(path)}`"


_Rule = Callable[[str], PathError | None]
_ALWAYS: tuple[_Rule, ...] = (_size, _git_directory, _characters, _shape)
# Names that some system cannot handle are not created, but a file that has such a name already may be edited.
_WHEN_CREATED: tuple[_Rule, ...] = (_windows_names, _composition, _alphabets)
