"""Find the files that git converts on checkout and commit: editing their blobs would bypass the conversion.

GitHub has no git to ask, and a response has many paths, so we always read the .gitattributes ourselves. A line with
syntax that we do not read (ranges, escapes), or that only some versions of git read, is taken to match, and cannot
unset an attribute. So a file may be refused without need, but no file that git converts is edited. A test compares the
results with `git check-attr --cached`.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from editblocks.paths.policy import matches

_CONVERTING_ATTRIBUTES = ("filter", "working-tree-encoding", "ident")
_MAX_BYTES = 1 << 20
_MAX_LINE = 2048  # git ignores longer ones since 2.39.1
_MAX_COST = 2_000_000  # for one path: the lengths of all patterns with stars, each times the length of the path
_LFS = b"version https://git-lfs.github.com/spec/v1"
_MACRO = "[attr]"
_WORD = r"[^ \t\r\n]+"
_LINE = r'(?s)[ \t\r]*(?:"([^"\\]*)"|([^" \t\r][^ \t\r]*))(.*)'
_STATE = r"[-!]?[A-Za-z0-9_.][-A-Za-z0-9_.]*(?:=.*)?"
_ODD = r"\[(?![A-Za-z0-9]+\])|\\|[^/]\*\*|\*\*[^/]|^\xef\xbb\xbf"  # the last is a byte order mark
_LETTERS = r"(?s)\[([A-Za-z0-9]+)\]|(.)"
_BLANK = "[[:space:]]"  # as Git LFS writes a space
_IN_DOUBT = "["  # the pattern of a line in doubt: syntax that `_fits` does not read

_PatternLine = tuple[str, list[str]]  # a pattern, and the attribute states of its line


def filtered_attribute(path: str, read_attributes: Callable[[str], bytes | None]) -> str | None:
    """Return the first of `filter`, `working-tree-encoding` and `ident` that may be set for `path`; None if none is.

    `read_attributes` returns the .gitattributes of a directory ("" is the root) and is called from the root
    down. `path` has passed `check_syntax`.
    """
    git_path = path.encode().decode("latin-1")  # git compares bytes
    parents = path.split("/")[:-1]
    files = [read_attributes("/".join(parents[:depth])) or b"" for depth in range(len(parents) + 1)]
    if any(len(data) > _MAX_BYTES or b"\0" in data for data in files):
        return "filter"
    macros = _macros([line for data in files for line in _rules(data)])
    is_set = dict.fromkeys(_CONVERTING_ATTRIBUTES, False)
    cost = 0
    for depth, data in enumerate(files):
        relative_path = git_path.split("/", depth)[-1]
        for pattern, states in _rules(data):
            assigned = list(_assigned(states, macros))
            if not assigned:
                continue
            if "*" in pattern:
                cost += len(pattern) * len(relative_path)
            fits = _fits(pattern, relative_path) if cost < _MAX_COST else None
            for attribute, is_on in assigned:
                if fits or (fits is None and is_on):
                    is_set[attribute] = is_on
    return next((attribute for attribute in _CONVERTING_ATTRIBUTES if is_set[attribute]), None)


def _assigned(states: list[str], macros: dict[str, set[str]]) -> Iterator[tuple[str, bool]]:
    """Yield each converting attribute that the states of a line assign, and whether it is set or unset."""
    for state in states:
        for attribute in macros.get(state, {_attribute(state)}):
            if attribute in _CONVERTING_ATTRIBUTES:
                yield attribute, state[0] not in "-!"


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a blob is the pointer to a file that Git LFS stores elsewhere."""
    return data.startswith(_LFS)


@lru_cache(maxsize=64)
def _rules(data: bytes) -> list[_PatternLine]:
    """Return the rules of a file in order. Like git, ignore a line with a word that is not an attribute state."""
    rules = []
    for line in data.decode("latin-1").split("\n"):
        if not line.strip(" \t\r") or line.lstrip(" \t\r").startswith("#"):
            continue
        if match := re.match(_LINE, line):
            pattern = match[1] or match[2] or ""
            states = re.findall(_WORD, match[3])
        else:
            pattern = _IN_DOUBT
            states = list(filter(_is_state, re.findall(_WORD, line.replace('"', " "))))
        if len(line) >= _MAX_LINE or "builtin_" in line:
            pattern = _IN_DOUBT
        # git ignores a pattern that begins with "!"; one that ends with a slash is only for directories.
        if not pattern.startswith("!") and not pattern.endswith("/") and all(map(_is_state, states)):
            rules.append((pattern, states))
    return rules


def _macros(rules: list[_PatternLine]) -> dict[str, set[str]]:
    """Return the attributes that each macro may set; a macro that names another macro may set any of them."""
    names = {_macro(pattern) for pattern, _ in rules} - {""}
    macros: dict[str, set[str]] = {}
    for pattern, states in rules:
        if macro := _macro(pattern):
            assigned = set(map(_attribute, states))
            if not assigned.isdisjoint(names):
                assigned = set(_CONVERTING_ATTRIBUTES)
            macros.setdefault(macro, set()).update(assigned)
    return macros


def _macro(pattern: str) -> str:
    """The name of the macro that a line with this pattern defines; empty if it defines none."""
    if not pattern.startswith(_MACRO):
        return ""
    words = re.findall(_WORD, pattern.removeprefix(_MACRO))
    return words[0] if words else ""


def _is_state(word: str) -> bool:
    return re.fullmatch(_STATE, word) is not None


def _attribute(state: str) -> str:
    return state.lstrip("-!").partition("=")[0]


def _fits(pattern: str, path: str) -> bool | None:
    """Whether a pattern matches `path` (relative to the pattern's file); None if we do not read its syntax."""
    if _macro(pattern):
        return False
    pattern = pattern.replace(_BLANK, " ")
    if re.search(_ODD, pattern):
        return None
    text = path if "/" in pattern else path.rpartition("/")[2]
    return matches(pattern.removeprefix("/"), text, lambda name: ["".join(each) for each in re.findall(_LETTERS, name)])
