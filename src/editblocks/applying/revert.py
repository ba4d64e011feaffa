"""How a commit of ours is reverted: the bytes that each of its files gets on the branch as it is now, or why not.

A file that nobody has touched since gets what it had before. Of any other the change alone is taken back, by
a merge of whole lines, their ends included: so a file comes back byte for byte or not at all. If one file
conflicts, none is changed. Rules: docs/reference/action.md, "undo".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from editblocks.applying.content_checks import OTHER_MEANS, too_large
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.matching.align import kept_lines
from editblocks.matching.merge import merge
from editblocks.paths import Entries, Operation, check_policy, check_syntax, check_tree, is_response_file
from editblocks.paths.attributes import filtered_attribute, is_lfs_pointer
from editblocks.text.source_text import SourceText

Read = Callable[[str], "bytes | None"]


@dataclass(frozen=True, slots=True)
class RevertConflict:
    """Why a file cannot be reverted. `line` is 1-based, of the file on the branch; None: the whole file."""

    path: str
    code: ReasonCode
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class RevertResult:
    """The new bytes of each file that changes, None for one that is removed; nothing if there are `conflicts`.

    Lines are counted as git counts them: one that loses its end is a line removed and a line added.
    """

    contents: Mapping[str, bytes | None] = field(default_factory=dict)
    conflicts: tuple[RevertConflict, ...] = ()
    lines_added: int = 0
    lines_removed: int = 0

    @property
    def files(self) -> int:
        """How many files change."""
        return len(self.contents)


@dataclass(frozen=True, slots=True)
class _Versions:
    """One file before the commit, as the commit left it, and as it is on the branch; None: no file."""

    before: bytes | None
    made: bytes | None
    now: bytes | None

    @property
    def operation(self) -> Operation:
        """The operation on the branch."""
        return "delete" if self.before is None else "create" if self.now is None else "edit"


def undo(
    paths: Iterable[str], parent: Read, commit: Read, head: Read, *, settings: Settings, entries: Entries | None = None
) -> RevertResult:
    """Plan the revert of a commit. `paths` are all that differ between it and its parent.

    The readers give the bytes of a file in that version, None where there is none; `entries` lists the directories
    of the head (`run.flow.Repo.entries`). Raises what the readers raise, but for `UnreadableFile`, a conflict.
    """
    branch = _Branch(head, settings, entries)
    contents: dict[str, bytes | None] = {}
    conflicts: list[RevertConflict] = []
    added = removed = 0
    for path in paths:
        try:
            versions = _Versions(parent(path), commit(path), head(path))
            result = branch.taken_back(path, versions)
        except UnreadableFile as error:
            result = RevertConflict(path, error.code, error.message)
        if isinstance(result, RevertConflict):
            conflicts.append(result)
        elif result != versions.now:
            contents[path] = result
            more, less = _line_counts(versions.now, result)
            added, removed = added + more, removed + less
    return RevertResult(conflicts=tuple(conflicts)) if conflicts else RevertResult(contents, (), added, removed)


@dataclass(frozen=True, slots=True)
class _Branch:
    """The head, and what may be written there."""

    read: Read
    settings: Settings
    entries: Entries | None

    def taken_back(self, path: str, versions: _Versions) -> bytes | RevertConflict | None:
        """The bytes that the file is to have, None for no file; those of now where nothing is left to do."""
        if versions.now == versions.before:
            return versions.now
        refused = self._refusal(path, versions)
        if refused is not None:
            return refused
        if versions.now == versions.made:
            return versions.before
        return self._merge(path, versions)

    def _refusal(self, path: str, versions: _Versions) -> RevertConflict | None:
        """Why this may not be done at this path: the rules are those of blocks, in their order."""
        error = check_syntax(path, versions.operation)
        if error is None and self.entries is not None:
            error = check_tree(path, versions.operation, self.entries)
        # No block may write a response file; but the commit that applied one removed it, and this takes it back.
        if error is None and not (versions.made is None and is_response_file(path, self.settings.response_files)):
            error = check_policy(path, self.settings)
        return None if error is None else RevertConflict(path, error.code, error.message)

    def _merge(self, path: str, versions: _Versions) -> bytes | RevertConflict:
        """The file on the branch without what the commit changed in it. Raises `UnreadableFile`."""
        before, after, now = versions.before, versions.made, versions.now
        if before is None or after is None or now is None:
            return RevertConflict(path, ReasonCode.STALE, _came_or_went(path, versions), _first_difference(after, now))
        self._check_text(path, now)
        base, ours, theirs = (SourceText.decode(data, path) for data in (after, now, before))
        lines = _whole_lines(ours)
        merged = merge(_whole_lines(base), lines, _whole_lines(theirs))
        if merged.conflict is not None:
            line = min(merged.conflict.ours[0] + 1, len(lines)) or None
            where = f"{path} has changed" if line is None else f"line {line} of {path} has changed"
            reason = f"{where} since the commit that is to be undone; take the change back by hand"
            return RevertConflict(path, ReasonCode.STALE, reason, line)
        bom = theirs.bom if ours.bom == base.bom else ours.bom
        data = "".join((bom, *(lines[line] if isinstance(line, int) else line for line in merged.lines))).encode()
        self._check_size(path, data)
        return data

    def _check_text(self, path: str, data: bytes) -> None:
        """Raise `UnreadableFile` if the bytes on the branch may not be edited as text."""
        self._check_size(path, data)
        if is_lfs_pointer(data):
            raise UnreadableFile(ReasonCode.FILTERED, f"{path} is a Git LFS pointer", "edit it in a checkout")
        if self.entries is not None and (name := filtered_attribute(path, self._attributes)):
            what = f"{path} has the attribute {name}, which changes it on checkout"
            raise UnreadableFile(ReasonCode.FILTERED, what, "edit it in a checkout")

    def _check_size(self, path: str, data: bytes) -> None:
        if len(data) > self.settings.max_file_bytes:
            what = too_large(path, len(data), self.settings.max_file_bytes)
            raise UnreadableFile(ReasonCode.TOO_LARGE, what, OTHER_MEANS)

    def _attributes(self, directory: str) -> bytes | None:
        path = f"{directory}/.gitattributes" if directory else ".gitattributes"
        is_file = self.entries is not None and self.entries(directory).get(".gitattributes") in ("100644", "100755")
        return self.read(path) if is_file else None


def _came_or_went(path: str, versions: _Versions) -> str:
    """Decide about a file that one of the three versions does not have."""
    if versions.now is None:
        return f"{path} was removed after the commit that is to be undone; bring it back first"
    if versions.made is None:
        return f"{path} is there again, after the commit that is to be undone removed it; remove it by hand first"
    return f"{path} has changed since the commit that is to be undone created it; remove it by hand"


def _first_difference(one: bytes | None, other: bytes | None) -> int | None:
    """The 1-based line of `other`, as far as it has lines, at which it parts from `one`."""
    if not one or not other:
        return None
    lines, others = one.split(b"\n"), other.split(b"\n")
    same = next((index for index, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), None)
    return min(len(lines) if same is None else same + 1, len(others))


def _whole_lines(text: SourceText) -> list[str]:
    """Lines with their ends: what a merge of them keeps, it keeps to the byte."""
    return [line + end for line, end in zip(text.lines, text.ends, strict=True)]


def _line_counts(old: bytes | None, new: bytes | None) -> tuple[int, int]:
    """How many lines are added and removed."""
    before, after = (SourceText.of((data or b"").decode("latin-1")) for data in (old, new))
    kept = len(kept_lines(_whole_lines(before), _whole_lines(after)))
    return len(after.lines) - kept, len(before.lines) - kept
