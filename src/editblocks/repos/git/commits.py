"""Create a commit object on top of another, check that it is exactly what was planned, and only then move the ref.

`git fast-import` writes blobs, trees and commit in one process, and its time does not depend on the size of the
repository. The last command in its input resets its temporary branch, so it does not move any ref.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, HeadMoved, RepoError, SelfCheckFailed
from editblocks.repos.files.object_ids import entry_of
from editblocks.repos.files.tree_modes import FileState, TreeEntry, to_bytes, to_text
from editblocks.repos.git.command import ANY_STATUS, Git, Mode, error_reason, is_object_id, printable
from editblocks.repos.git.repository import Repository, ref_value

TreeChanges = Mapping[str, FileState | None]  # mode and bytes of each path; None deletes the file

_ROLES = ("AUTHOR", "COMMITTER")


def with_commit_date(git: Git) -> Git:
    """Return a `Git` whose commits have the date of SOURCE_DATE_EPOCH, if set. GIT_*_DATE variables override it."""
    epoch = git.environment.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return git
    if not (epoch.isascii() and epoch.isdigit()):
        raise ConfigError(f"SOURCE_DATE_EPOCH is `{printable(epoch)}`; give seconds since 1970")
    dates = (f"GIT_{role}_DATE" for role in _ROLES)
    return git.with_environment({date: git.environment.get(date) or f"@{epoch} +0000" for date in dates})


def author_and_committer(git: Git) -> tuple[bytes, bytes]:
    """Return author and committer with their dates, in the form of a commit object. Raises `RepoError` if not set."""
    # Without useConfigOnly git would make up an address from the login name and the host name.
    git = with_commit_date(git)
    persons: list[bytes] = []
    for role in _ROLES:
        answer = git.run("var", f"GIT_{role}_IDENT", options=["user.useConfigOnly=true"], ok_statuses=ANY_STATUS)
        if answer.status:
            advice = "set user.name and user.email with git config, or correct GIT_AUTHOR_* and GIT_COMMITTER_*"
            raise RepoError(f"no identity to commit with: {error_reason(answer)}; {advice}", ReasonCode.BAD_CONFIG)
        persons.append(answer.output.rstrip(b"\n"))
    author, committer = persons
    return author, committer


def make_commit(repository: Repository, parent: str | None, files: TreeChanges, message: str) -> str:
    """Write the objects of a commit that changes `files`, and return its id. No ref points to it yet.

    Raises `SelfCheckFailed` if the commit is not exactly as planned, `RepoError` if git fails or has no identity.
    """
    commit = _fast_import(repository, parent, files, message)
    if _signs(repository.git):
        commit = _sign(with_commit_date(repository.git), parent, message, commit)
    check_commit(repository, parent, files, commit)
    return commit


def check_commit(repository: Repository, parent: str | None, files: TreeChanges, commit: str) -> None:
    """Raise `SelfCheckFailed` unless `commit` has exactly the planned parent, paths, modes and blobs."""
    command = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv")
    # One call prints the ids of the parents, a line end, and the differences from the parent, or from an empty tree.
    answer = repository.git.ask(*command, "--root", "--always", "--format=%P", commit)
    parents, *fields = to_text(answer).split("\0")[:-1]
    if parents != (parent or ""):
        raise SelfCheckFailed("the commit does not have the planned parent; nothing was written, report it")
    nothing = TreeEntry("000000", repository.null_id)
    planned = {path: entry_of(new, repository.object_format) or nothing for path, new in files.items()}
    changed: dict[str, TreeEntry] = {}
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, oid, _ = head.removeprefix("\n").split(" ")
        changed[path] = TreeEntry(mode, oid)
    if changed != planned:
        wrong = sorted(path for path in changed.keys() | planned.keys() if changed.get(path) != planned.get(path))
        raise SelfCheckFailed(f"the commit differs from the plan at {wrong[0]}; nothing was written, report it")


def move_ref(repository: Repository, ref: str, new: str, old: str | None) -> None:
    """Move `ref` from `old` (None: it does not exist) to `new`. Raises `HeadMoved` if it no longer points to `old`."""
    git = with_commit_date(repository.git)
    command = ("update-ref", "--no-deref", "-m", "editblocks: apply", ref, new, old or repository.null_id)
    answer = git.run(*command, options=repository.lock_options, ok_statuses=ANY_STATUS)
    if answer.status == 0:
        return
    now = ref_value(repository, ref)
    if now == new:  # git also fails if it moved the ref but could not write the reflog of HEAD afterwards
        return
    if now != old:
        raise HeadMoved(f"{ref} moved while the change was planned; try again")
    raise RepoError(f"{ref} cannot be moved: {error_reason(answer)}")


def _signs(git: Git) -> bool:
    """Whether git is configured to sign commits. Signing is off in every mode but `USER`."""
    if git.mode is not Mode.USER:
        return False
    return git.run("config", "--type=bool", "--get", "commit.gpgSign", ok_statuses=(0, 1)).output == b"true\n"


def _sign(git: Git, parent: str | None, message: str, commit: str) -> str:
    """Create `commit` again, signed, as fast-import cannot sign. `git gc` removes the unsigned commit later."""
    tree = git.ask("rev-parse", "--verify", f"{commit}^{{tree}}").decode("ascii").strip()
    parents = ["-p", parent] if parent else []
    options = ["user.useConfigOnly=true", "i18n.commitEncoding=UTF-8"]
    command = ("commit-tree", "-S", *parents, tree)
    answer = git.run(*command, stdin=_message_bytes(message), options=options, ok_statuses=ANY_STATUS)
    if answer.status:
        advice = "correct git's settings for signing, or set commit.gpgSign to false"
        raise RepoError(f"the commit cannot be signed: {error_reason(answer)}; nothing was written; {advice}")
    return answer.output.decode("ascii").strip()


def _fast_import(repository: Repository, parent: str | None, files: TreeChanges, message: str) -> str:
    persons = author_and_committer(repository.git)
    repository.git.check_version()
    options = ["pack.depth=0", "pack.compression=1", "core.fsync=all"]
    if repository.git.mode is Mode.ISOLATED:
        # A scratch repository may keep a pack for each commit; in a clone that lives on, packs would pile up.
        options.append("fastimport.unpackLimit=1")
    branch = f"refs/editblocks/{os.urandom(8).hex()}".encode("ascii")
    answer = repository.git.run(
        *("fast-import", "--quiet", "--done", "--date-format=raw"),
        stdin=_stream(parent, files, message, branch, persons),
        options=options,
        ok_statuses=ANY_STATUS,
    )
    commit = answer.output.decode("ascii", "replace").strip()
    if answer.status == 0 and is_object_id(commit):
        return commit
    raise RepoError(f"git cannot store the change: {error_reason(answer)}; nothing was written")


def _stream(parent: str | None, files: TreeChanges, message: str, branch: bytes, persons: tuple[bytes, bytes]) -> bytes:
    """Return the input of fast-import: a commit on `branch` by `persons`, a request for its id, a reset of `branch`."""
    lines = [b"commit %s\nmark :1\n" % branch]
    lines.append(b"author %s\ncommitter %s\n%s" % (*persons, _data(_message_bytes(message))))
    if parent is not None:
        lines.append(b"from %s\n" % parent.encode("ascii"))
    for path, new in files.items():
        quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in to_bytes(path))
        if new is None:
            lines.append(b"D %s\n" % quoted)
        else:
            mode, data = new
            lines.append(b"M %s inline %s\n%s" % (mode.encode("ascii"), quoted, _data(data)))
    lines.append(b"\nget-mark :1\nreset %s\n\ndone\n" % branch)
    return b"".join(lines)


def _message_bytes(message: str) -> bytes:
    """Encode a message as git stores it: with one line end at the end, and lone surrogates escaped."""
    return message.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)
