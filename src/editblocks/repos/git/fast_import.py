"""Have `git fast-import` store files and a commit.

It writes blobs, trees and commit in one process whose time does not depend on the size of the repository.
"""

from __future__ import annotations

from collections.abc import Mapping

from editblocks.core.errors import RepoError
from editblocks.repos.files.tree_modes import FileState, to_bytes
from editblocks.repos.git.command import ANY_STATUS, Mode, is_object_id, words
from editblocks.repos.git.repository import Repository

_CRASH = "fast_import_crash_*"  # fast-import writes a report into the repository when it dies

Files = Mapping[str, FileState | None]  # mode and bytes of each path, None for one that is deleted


def stream(parent: str | None, files: Files, message: str, branch: str, persons: tuple[bytes, bytes]) -> bytes:
    """The input of fast-import: one commit on `branch` by author and committer, its id asked for."""
    lines = [b"commit %s\nmark :1\n" % branch.encode("ascii")]
    lines.append(b"author %s\ncommitter %s\n%s" % (*persons, _data(message_bytes(message))))
    if parent is not None:
        lines.append(b"from %s\n" % parent.encode("ascii"))
    for path, new in files.items():
        quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in to_bytes(path))
        if new is None:
            lines.append(b"D %s\n" % quoted)
        else:
            lines.append(b"M %s inline %s\n%s" % (new[0].encode("ascii"), quoted, _data(new[1])))
    lines.append(b"\nget-mark :1\n")
    return b"".join(lines)


def fast_import(repository: Repository, data: bytes, branch: str) -> str:
    """Have git store what `stream` describes for `branch` and return the id of the commit. Raises `RepoError`."""
    repository.git.check_floor()
    options = ["pack.depth=0", "pack.compression=1", "core.fsync=all"]
    if repository.git.mode is Mode.ISOLATED:
        # A scratch repository may keep a pack for each commit; in a clone that lives on, packs would pile up.
        options.append("fastimport.unpackLimit=1")
    crashes = set(repository.git_dir.glob(_CRASH))
    command = ("fast-import", "--quiet", "--done", "--date-format=raw")
    answer = repository.git.run(*command, stdin=data + b"done\n", options=options, ok_statuses=ANY_STATUS)
    commit = answer.output.decode("ascii", "replace").strip()
    if answer.status == 0 and is_object_id(commit):
        return commit
    for crash in set(repository.git_dir.glob(_CRASH)) - crashes:
        report = crash.read_bytes()
        if not report or branch.encode() in report:  # on a full disk the report of our own branch is empty
            crash.unlink()
    raise RepoError(f"git cannot store the change: {words(answer)}; nothing was written")


def message_bytes(message: str) -> bytes:
    """A message as git has it: one line end, and bytes that no encoding has are escaped."""
    return message.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)
