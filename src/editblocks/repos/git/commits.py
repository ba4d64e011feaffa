"""Commits: read the files of one, and make a new one that is exactly what was planned before a ref moves to it.

Many directories are read with one listing, many blobs with one process, by id, so no git filter changes them.

`git fast-import` writes blobs, trees and commit in one process, and its time does not depend on the size of the
repository. The last command in its input resets its temporary branch, so it does not move any ref.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, EditBlocksError, HeadMoved, RepoError, SelfCheckFailed, UnreadableFile
from editblocks.repos.git.repository import (
    ANY_STATUS,
    Git,
    Mode,
    Repository,
    error_reason,
    is_object_id,
    printable,
    ref_value,
)
from editblocks.repos.tree_modes import (
    NO_LIMIT,
    FileState,
    TreeEntry,
    entry_of,
    file_mode,
    id_digits,
    is_inside,
    prefixes,
    to_bytes,
    to_text,
    too_large,
)

Loaded = bytes | EditBlocksError  # the bytes, or why there are none
TreeChanges = Mapping[str, FileState | None]  # mode and bytes of each path; None deletes the file

_ARGUMENT_BYTES = 65_536  # far below the limit for a command line on any system
_ROLES = ("AUTHOR", "COMMITTER")


class CommitFiles:
    """The files of `commit` (a full id; None: there are no files). Files above `limit` bytes are not loaded.

    Directories are listed on first access; `prefetch` and `list_above` list many in one call.
    """

    def __init__(self, git: Git, commit: str | None, limit: int) -> None:
        self._git = git
        self._commit = commit
        self._limit = limit
        self._listings: dict[str, dict[str, TreeEntry]] = {}
        self._blobs: dict[str, Loaded] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read these files and list their directories with as few calls of git as possible."""
        wanted = [path for path in paths if path not in self._blobs and is_inside(path)]
        self.list_above(wanted)
        ids: dict[str, str] = {}
        for path in wanted:
            with suppress(UnreadableFile):  # `read` raises it again
                entry = self.entry(path) if file_mode(path, self.mode_at) else None
                if entry is not None:
                    ids[path] = entry.oid
        self._blobs.update(read_blobs(self._git, ids, self._limit))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path`, or None if it is missing. Raises `UnreadableFile` and `RepoError`."""
        self.list_above([path])
        if file_mode(path, self.mode_at) is None:
            return None
        if path not in self._blobs:
            self.prefetch([path])
        return _loaded_bytes(self._blobs[path])

    def entries(self, directory: str) -> Mapping[str, str]:
        if directory and not is_inside(directory):
            return {}
        self._list([directory])
        return {name: entry.mode for name, entry in self._listings.get(directory, {}).items()}

    def list_above(self, paths: Iterable[str]) -> None:
        """List all parent directories of these paths in one call. Raises `UnreadableFile` for an invalid path."""
        self._list(["", *(parent for path in paths for parent in prefixes(path)[:-1])])

    def entry(self, path: str) -> TreeEntry | None:
        directory, _, name = path.rpartition("/")
        self._list([directory])
        return self._listings.get(directory, {}).get(name)

    def mode_at(self, path: str) -> str | None:
        entry = self.entry(path)
        return entry and entry.mode

    def _list(self, directories: Iterable[str]) -> None:
        """List those of these directories (full paths, "" is the root) that are not listed yet."""
        missing = dict.fromkeys(directory for directory in directories if directory not in self._listings)
        if self._commit is None or not missing:
            return
        self._listings.update((directory, {}) for directory in missing)
        command = ("ls-tree", "-z", "--full-tree", self._commit)
        outputs: list[bytes] = []
        if "" in missing:
            outputs.append(self._git.ask(*command))
        for chunk in chunks([f"{directory}/" for directory in missing if directory]):
            # Without -t git leaves a directory out of its parent's listing if one of its children is listed too.
            outputs.append(self._git.ask(*command, "-t", "--", *chunk))
        for head, path in rows(b"".join(outputs)):
            mode, _, object_id = head.split()
            directory, _, name = path.rpartition("/")
            if directory in self._listings:
                self._listings[directory][name] = TreeEntry(mode, object_id)


def earlier_files(
    repository: Repository, name: str, head: str | None, limit: int
) -> Callable[[str], bytes | None] | None:
    """Return a function that reads files of commit `name` (hex digits), or None if it is not in the history of `head`.

    The function raises `UnreadableFile` for a blob that git does not have; callers then use only the files of `head`.
    """
    commit = _ancestor(repository.git, name, head)
    if commit is None:
        return None
    files = CommitFiles(repository.git, commit, limit)

    def read(path: str) -> bytes | None:
        try:
            return files.read(path)
        except RepoError as error:  # a partial clone lacks the blob, and it is not worth a fetch
            raise UnreadableFile(error.code, error.message) from error

    return read


def _ancestor(git: Git, name: str, head: str | None) -> str | None:
    """Return the full id of the only commit whose id starts with `name`, if it is `head` or an ancestor, else None."""
    digits = id_digits(name)
    if digits is None or head is None:
        return None
    # `rev-parse NAME` would also find a branch called `deadbee`; --disambiguate looks only at object ids
    ids = git.ask("rev-parse", f"--disambiguate={digits}")
    if not ids:
        return None
    objects = [row.split() for row in git.ask("cat-file", "--batch-check", stdin=ids).decode("ascii").splitlines()]
    commits = [object_id for object_id, kind, *_ in objects if kind == "commit"]
    if len(commits) != 1:
        return None
    if git.run("merge-base", "--is-ancestor", commits[0], head, ok_statuses=ANY_STATUS).returncode:
        return None
    return commits[0]


def read_whole_blobs(git: Git, wanted: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes of the blobs in `wanted` (path → id), of any size. Raises `RepoError` if one is missing."""
    return {path: _loaded_bytes(blob) for path, blob in read_blobs(git, wanted, NO_LIMIT).items()}


def read_blobs(git: Git, wanted: Mapping[str, str], limit: int) -> dict[str, Loaded]:
    """Return the bytes of the blobs in `wanted` (path → id). A blob that is missing or above `limit` gets an error."""
    loaded: dict[str, Loaded] = {}
    if not wanted:
        return loaded
    sizes: dict[str, int] = {}
    requests = "".join(f"{object_id}\n" for object_id in wanted.values()).encode("ascii")
    answers = git.ask("cat-file", "--batch-check", stdin=requests).splitlines()
    for path, answer in zip(wanted, answers, strict=True):
        _, kind, *size = answer.split()  # `ID blob SIZE`, or `ID missing`
        if kind != b"blob":
            reason = f"the bytes of {path} are not in this repository (partial clone?); fetch them, or run git fsck"
            loaded[path] = RepoError(reason)
        elif int(size[0]) > limit:
            loaded[path] = too_large(path, int(size[0]), limit)
        else:
            sizes[path] = int(size[0])
    if not sizes:
        return loaded
    requests = "".join(f"{wanted[path]}\n" for path in sizes).encode("ascii")
    output = git.ask("cat-file", "--batch", "--buffer", stdin=requests)
    stop = 0
    for path, length in sizes.items():
        start = output.index(b"\n", stop) + 1
        loaded[path] = output[start : start + length]
        stop = start + length + 1
    return loaded


def _loaded_bytes(loaded: Loaded) -> bytes:
    """Return the bytes, or raise the error that explains why there are none."""
    if isinstance(loaded, EditBlocksError):
        raise loaded
    return loaded


def make_commit(
    repository: Repository, parent: str | None, files: TreeChanges, message: str, persons: tuple[bytes, bytes]
) -> str:
    """Write the objects of a commit that changes `files`, and return its id. No ref points to it yet.

    `persons` are those of `author_and_committer`. Raises `SelfCheckFailed` if the commit is not exactly as planned,
    `RepoError` if git fails.
    """
    commit = _fast_import(repository, parent, files, message, persons)
    if _signs(repository.git):
        commit = _sign(_with_commit_date(repository.git), parent, message, commit)
    check_commit(repository, parent, files, commit)
    return commit


def _fast_import(
    repository: Repository, parent: str | None, files: TreeChanges, message: str, persons: tuple[bytes, bytes]
) -> str:
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
    commit = answer.stdout.decode("ascii", "replace").strip()
    if answer.returncode == 0 and is_object_id(commit):
        return commit
    # On standard error, git names the crash report that it left. It says no more than the reason.
    report = re.search(rb"fast_import_crash_[0-9]+$", answer.stderr, re.MULTILINE)
    if report is not None:
        with suppress(OSError):
            (repository.git_dir / report[0].decode("ascii")).unlink()
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


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def author_and_committer(git: Git) -> tuple[bytes, bytes]:
    """Return author and committer with their dates, in the form of a commit object. Raises `RepoError` if not set."""
    # Without useConfigOnly git would make up an address from the login name and the host name.
    git = _with_commit_date(git)
    persons: list[bytes] = []
    for role in _ROLES:
        answer = git.run("var", f"GIT_{role}_IDENT", options=["user.useConfigOnly=true"], ok_statuses=ANY_STATUS)
        if answer.returncode:
            advice = "set user.name and user.email with git config, or correct GIT_AUTHOR_* and GIT_COMMITTER_*"
            raise RepoError(f"no identity to commit with: {error_reason(answer)}; {advice}", ReasonCode.BAD_CONFIG)
        persons.append(answer.stdout.rstrip(b"\n"))
    author, committer = persons
    return author, committer


def _with_commit_date(git: Git) -> Git:
    """Return a `Git` whose commits have the date of SOURCE_DATE_EPOCH, if set. GIT_*_DATE variables override it."""
    epoch = git.environment.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return git
    if not (epoch.isascii() and epoch.isdigit()):
        raise ConfigError(f"SOURCE_DATE_EPOCH is `{printable(epoch)}`; give seconds since 1970")
    dates = (f"GIT_{role}_DATE" for role in _ROLES)
    return git.with_environment({date: git.environment.get(date) or f"@{epoch} +0000" for date in dates})


def _signs(git: Git) -> bool:
    """Whether git is configured to sign commits. Signing is off in every mode but `USER`."""
    if git.mode is not Mode.USER:
        return False
    return git.run("config", "--type=bool", "--get", "commit.gpgSign", ok_statuses=(0, 1)).stdout == b"true\n"


def _sign(git: Git, parent: str | None, message: str, commit: str) -> str:
    """Create `commit` again, signed, as fast-import cannot sign. `git gc` removes the unsigned commit later."""
    tree = git.ask("rev-parse", "--verify", f"{commit}^{{tree}}").decode("ascii").strip()
    parents = ["-p", parent] if parent else []
    options = ["user.useConfigOnly=true", "i18n.commitEncoding=UTF-8"]
    command = ("commit-tree", "-S", *parents, tree)
    answer = git.run(*command, stdin=_message_bytes(message), options=options, ok_statuses=ANY_STATUS)
    if answer.returncode:
        advice = "correct git's settings for signing, or set commit.gpgSign to false"
        raise RepoError(f"the commit cannot be signed: {error_reason(answer)}; nothing was written; {advice}")
    return answer.stdout.decode("ascii").strip()


def _message_bytes(message: str) -> bytes:
    """Encode a message as git stores it: with one line end at the end, and lone surrogates escaped."""
    return message.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n"


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
    git = _with_commit_date(repository.git)
    command = ("update-ref", "--no-deref", "-m", "editblocks: apply", ref, new, old or repository.null_id)
    answer = git.run(*command, options=repository.lock_options, ok_statuses=ANY_STATUS)
    if answer.returncode == 0:
        return
    now = ref_value(repository, ref)
    if now == new:  # git also fails if it moved the ref but could not write the reflog of HEAD afterwards
        return
    if now != old:
        raise HeadMoved(f"{ref} moved while the change was planned; try again")
    raise RepoError(f"{ref} cannot be moved: {error_reason(answer)}")


def rows(output: bytes) -> Iterator[tuple[str, str]]:
    """Yield head and path of each row `head TAB path NUL`."""
    for row in output.split(b"\0")[:-1]:
        head, _, path = row.partition(b"\t")
        yield head.decode("ascii"), to_text(path)


def chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    """Split a list of paths into parts that fit on a command line."""
    part: list[str] = []
    size = 0
    for path in paths:
        size += len(to_bytes(path)) + 2
        if part and size > _ARGUMENT_BYTES:
            yield part
            part = []
            size = 0
        part.append(path)
    if part:
        yield part
