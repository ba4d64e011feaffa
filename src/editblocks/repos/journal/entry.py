"""One entry of the journal as a value and as bytes: what a write changes, so that it can be taken back.

A line of JSON, then the old and the new bytes of each file one after another, where they are to be
found by their sizes and proved by their digests. Whoever reads one does not trust it: every path
is checked as a store checks it, every number and every digest before a byte is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from editblocks.core.characters import opened_name, strong_key
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.repos.files.names import to_bytes
from editblocks.repos.files.tree_modes import components

MAX_HEAD_BYTES = 4 << 20
_VERSION = 1
_PLAIN = 0o777  # no setuid, setgid or sticky bit
_TOKEN = re.compile(r"[0-9a-f]{16}\Z")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Version:
    """A file at one time. `mode`: its permission bits; None for a new file, whose mode the umask decides."""

    data: bytes
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one path held before and after; None: there was no file."""

    path: str
    old: Version | None
    new: Version | None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One write. `made`: directories it made, outermost first; `folders`: modes of those there were above its files.

    `token` is in the names of its temporary files; `time` is UTC.
    """

    changes: Sequence[FileChange]
    token: str
    time: str
    made: Sequence[str] = ()
    folders: Mapping[str, int] = field(default_factory=dict)

    def temp(self, path: str) -> str:
        """The name that the next bytes of `path` have beside it until they are in its place."""
        return f".editblocks-{self.token}-{sha256(to_bytes(path)).hexdigest()[:12]}"

    def reverse(self) -> JournalEntry:
        """The reverse entry."""
        return replace(self, changes=[FileChange(change.path, change.new, change.old) for change in self.changes])

    def plain(self) -> JournalEntry:
        """The same with no mode that gives rights away, for whoever did not ask for this very entry."""
        changes = [FileChange(change.path, _plain(change.old), _plain(change.new)) for change in self.changes]
        return replace(self, changes=changes, folders={name: mode & _PLAIN for name, mode in self.folders.items()})


def encode(entry: JournalEntry) -> Iterator[bytes]:
    """The parts of the journal file for `entry`."""
    head = {
        "version": _VERSION,
        "token": entry.token,
        "time": entry.time,
        "made": list(entry.made),
        "folders": dict(entry.folders),
        "files": [{"path": file.path, "old": _row(file.old), "new": _row(file.new)} for file in entry.changes],
    }
    yield json.dumps(head, separators=(",", ":")).encode("ascii") + b"\n"
    for change in entry.changes:
        for version in (change.old, change.new):
            if version is not None:
                yield version.data


def decode(data: bytes) -> JournalEntry:
    """The entry that `encode` made these bytes of. Raises `RepoError` for any others."""
    head, _, rest = data.partition(b"\n")
    try:
        fields = json.loads(head) if len(head) <= MAX_HEAD_BYTES else None
        if not isinstance(fields, dict) or fields.get("version") != _VERSION:
            raise _bad("it is of another version")
        changes = tuple(_changes(fields["files"], rest))
        directories = tuple(_path(name) for name in fields["made"])
        folders = {_path(name): _number(mode, 0o7777) for name, mode in fields["folders"].items()}
        token, time = fields["token"], fields["time"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _bad("it is torn") from error
    if not isinstance(token, str) or not _TOKEN.match(token) or not isinstance(time, str) or not _TIME.match(time):
        raise _bad("it is torn")
    return JournalEntry(changes, token, time, directories, folders)


def _changes(rows: Sequence[Mapping[str, Any]], data: bytes) -> Iterator[FileChange]:
    start, seen = 0, set()
    for row in rows:
        path = _path(row["path"])
        versions: list[Version | None] = []
        for side in (row["old"], row["new"]):
            stop = start if side is None else start + _number(side["size"], len(data))
            versions.append(None if side is None else _version(side, data[start:stop]))
            start = stop
        if path in seen or versions == [None, None]:
            raise _bad("it is torn")
        seen.add(path)
        yield FileChange(path, versions[0], versions[1])
    if start != len(data) or not seen:
        raise _bad("it is torn")


def _version(row: Mapping[str, Any], data: bytes) -> Version:
    if len(data) != row["size"] or sha256(data).hexdigest() != row["sha256"]:
        raise _bad("bytes in it are not those that were written")
    return Version(data, None if row["mode"] is None else _number(row["mode"], 0o7777))


def _plain(version: Version | None) -> Version | None:
    return version and replace(version, mode=None if version.mode is None else version.mode & _PLAIN)


def _row(version: Version | None) -> dict[str, object] | None:
    if version is None:
        return None
    return {"mode": version.mode, "size": len(version.data), "sha256": sha256(version.data).hexdigest()}


def _path(path: str) -> str:
    try:
        names = components(path)
    except EditBlocksError as error:
        raise RepoError(error.message, ReasonCode.UNSAFE_PATH) from error
    if any(opened_name(strong_key(part)) in (".git", "git~1") for part in names):
        raise RepoError(f"{path} lies in git's own folder", ReasonCode.UNSAFE_PATH)
    return path


def _number(value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise _bad("a number in it is out of range")
    return value


def _bad(why: str) -> RepoError:
    return RepoError(why, ReasonCode.UNAVAILABLE)
