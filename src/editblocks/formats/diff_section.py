"""One file of a diff: the lines above its hunks, and which file they name.

Rules: docs/reference/formats/unified.md, "names in a patch".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault
from editblocks.formats.hunks import SEND_AGAIN, ContextHunks
from editblocks.formats.patch_lines import GIT, NONE, has_time

REGULAR = "100644"
_SPECIAL_FILES = {"120000": "symbolic link", "160000": "submodule"}
_MODE_LINES = frozenset({"old mode", "new mode", "new file mode", "deleted file mode", "index"})


class Section:
    """One file of the diff. `extended`: the extended header lines, by their first words: line index and the rest."""

    fault: Fault | None = None  # why its rows cannot be read
    old: str | None = None  # None: /dev/null
    new: str | None = None
    hunks = 0
    is_trusted = True  # whether the numbers of its hunks are used
    notes: tuple[Note, ...] = ()  # for its first row

    def __init__(self, start: int, extended: Mapping[str, tuple[int, str]]) -> None:
        self.start = start
        self.extended = extended
        self.context = ContextHunks()

    @property
    def path(self) -> str:
        """The file that its hunks change."""
        return self.new or self.old or ""

    @property
    def creates(self) -> bool:
        return (self.old is None and self.new is not None) or "new file mode" in self.extended

    @property
    def deletes(self) -> bool:
        return (self.new is None and self.old is not None) or "deleted file mode" in self.extended

    @property
    def renames(self) -> bool:
        return {"rename from", "rename to"} <= self.extended.keys()

    @property
    def naming_words(self) -> tuple[str, ...]:
        """The extended header lines that name the old and the new file; empty if there are none."""
        if self.renames:
            return ("rename from", "rename to")
        return ("copy to", "copy to") if "copy to" in self.extended else ()


FULL_NAMES = "write `--- a/path` and `+++ b/path`"


def name_file(section: Section, git: str, names: tuple[str, str] | None) -> Fault | None:
    """Set the file names of a section, or return a fault. `git`: its first line; `names`: those after `---`, `+++`."""
    extended = section.extended
    raw = [extended[word][1].strip(" ") for word in section.naming_words]
    of_git = name_of_git(git)
    try:
        renamed = [decoded(name) for name in raw]
        pair = names and tuple(map(decoded, names))
    except ValueError as error:
        return Fault(ReasonCode.MALFORMED, str(error), "write the path without quotes or escapes")
    if renamed:
        section.old, section.new = renamed
    elif pair is not None:
        section.old, section.new = without_sides(*pair)
    else:
        section.old = section.new = of_git
    if any("\\" in name and '"' not in name for name in (*raw, *(names or ()), git)):
        section.notes = (Note("path-cleaned", f"the path was read as {section.path}"),)
    if (fault := _fault_of_headers(section)) is not None:
        return fault
    if any(map(has_time, names or ())):
        what = f"in `{git.strip()}` a time follows the name after one space, so it may be part of the name"
        return Fault(ReasonCode.NO_PATH, what, "put a tab before the time, or leave it out")
    if pair == (None, None):
        return Fault(ReasonCode.NO_PATH, f"both names are {NONE}", FULL_NAMES)
    if not section.path:
        return Fault(ReasonCode.NO_PATH, f"`{git.strip()}` does not name one file", FULL_NAMES)
    if renamed and pair and not all(map(is_name_of, pair, renamed)):
        return _two_names(f"{pair[0]} → {pair[1]}", f"{section.old} → {section.new}")
    if not renamed and section.old and section.new and section.old != section.new:
        return _two_names(section.old, section.new)
    if of_git is not None and of_git != section.path:
        return _two_names(of_git, section.path)
    return None


def _two_names(old: str, new: str) -> Fault:
    what = f"it names two files, {old} and {new}"
    return Fault(ReasonCode.NO_PATH, what, "for a rename write `rename from` and `rename to`")


def _fault_of_headers(section: Section) -> Fault | None:
    """Why the extended header lines make a section unsupported, whatever its hunks are."""
    extended = section.extended
    operations = [word for word in ("deleted", "new") if f"{word} file mode" in extended]
    operations += ["renamed"] * section.renames
    if len(operations) > 1:
        return Fault(ReasonCode.MALFORMED, f"its file is both {' and '.join(operations)}", SEND_AGAIN)
    if "copy from" in extended or "copy to" in extended:
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, "copies are not supported", "send the new file as a whole")
    if not section.deletes and ("Binary files" in extended or "GIT binary patch" in extended):
        return Fault(ReasonCode.BINARY, f"{section.path} is binary in this diff", "change it another way")
    kinds = [_SPECIAL_FILES[mode] for mode in _modes(extended) if mode in _SPECIAL_FILES]
    if kinds:
        return Fault(ReasonCode.NOT_A_FILE, f"{section.path} is a {kinds[0]} in this diff", "change it another way")
    return None


def _modes(extended: Mapping[str, tuple[int, str]]) -> list[str]:
    """The file modes in the extended header lines; in an `index` line, the mode follows the two ids."""
    return [text.strip(" ").rpartition(" ")[2] for word, (_, text) in extended.items() if word in _MODE_LINES]


_SIDES = frozenset("aiwco"), frozenset("biwco")  # what git puts before the old and the new name
_QUOTED = r'"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"\Z'
_ESCAPE = rb'\\([abtnvfr"\\]|[0-3][0-7]{2})'
_ESCAPES = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


def decoded(name: str) -> str | None:
    """Return a name without git's quotes and escapes; None for /dev/null. Raises `ValueError` for a bad escape.

    git quotes names with a backslash, so in a name without quotes a backslash is the path separator of Windows.
    """
    if name == NONE:
        return None
    if not name.startswith('"'):
        return name.replace("\\", "/")
    match = re.match(_QUOTED, name)
    if match is None:
        raise ValueError(f"the name {name} has a bad escape")
    data = re.sub(_ESCAPE, _unescaped, match[1].encode("utf-8", "surrogatepass"))
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"the name {name} is not UTF-8") from None


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    if code.isdigit():
        return bytes([int(code, 8)])
    return bytes([_ESCAPES[code[0]]])


def without_sides(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return the names without the prefixes of git, `a/` and `b/`, if nothing else differs."""
    if old is None or new is None:
        return _without_side(old, _SIDES[0]), _without_side(new, _SIDES[1])
    (old_side, _, old_rest) = old.partition("/")
    (new_side, _, new_rest) = new.partition("/")
    if old_rest and old_rest == new_rest and old_side != new_side:
        return old_rest, new_rest
    return old, new


def _without_side(name: str | None, sides: frozenset[str]) -> str | None:
    if name and name[0] in sides and name[1:2] == "/":
        return name[2:]
    return name


def name_of_git(line: str) -> str | None:
    """Return the file of a `diff --git` line; None unless its two names differ only in their prefixes."""
    if not line.startswith(GIT):
        return None
    name_pair = line.removeprefix(GIT).strip(" ")
    half = len(name_pair) // 2
    if name_pair[half : half + 1] != " ":
        return None
    try:
        old, new = without_sides(decoded(name_pair[:half]), decoded(name_pair[half + 1 :]))
    except ValueError:
        return None
    if old != new:
        return None
    return old


def is_name_of(name: str | None, path: str | None) -> bool:
    """Whether a name is this path, or this path below one more folder."""
    return name == path or (name is not None and name.partition("/")[2] == path)
