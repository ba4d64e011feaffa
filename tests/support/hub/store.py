"""The hub's git objects and refs: one bare git repository, shared by a repository and its forks.

GitHub also has one object store for all forks of a repository. Here, the refs of a fork are in a git namespace. Oids
are 40 hex digits and contents are bytes.
"""

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ZERO = "0" * 40
NO_CONFIG = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsync = none\n[fastimport]\n\tunpackLimit = 0\n"
SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n\nd2Vic2lnbmVkIGJ5IHRoZSBodWI=\n-----END PGP SIGNATURE-----"

Files = Mapping[str, tuple[str, bytes | None]]
MOST_KEPT = 65_536  # the largest stream that is cached, in bytes; a larger one is used by one test only
IMPORTED: dict[tuple[bytes, frozenset[str]], tuple[str, dict[str, bytes]]] = {}  # (stream, packs) → (commit, new packs)


class GitFailed(Exception):
    """A git command failed. The text is git's message."""


class GitObject(NamedTuple):
    """An object as git stores it."""

    oid: str
    type: str  # blob, tree, commit or tag
    data: bytes


class Entry(NamedTuple):
    """A row of a tree, or a change to a tree. In a change, `oid` None deletes."""

    path: str  # a single name in a row, a whole path in a change
    mode: str  # six octal digits
    oid: str | None

    @property
    def type(self) -> str:
        """The type that belongs to the mode: tree, commit (a submodule) or blob."""
        return {"040000": "tree", "160000": "commit"}.get(self.mode, "blob")


class Person(NamedTuple):
    """An author or committer line."""

    name: str
    email: str
    date: int  # seconds since 1970, UTC


class Commit(NamedTuple):
    """A parsed commit object."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str
    signature: str | None
    payload: str  # the text that the signature covers


class FileDiff(NamedTuple):
    """One changed file. `patch` begins at its first hunk and is None for binary files."""

    path: str
    old_path: str
    status: str  # A, D, M, R or T
    oid: str
    additions: int
    deletions: int
    patch: str | None


class Store:
    """A new bare repository in `path`. `close` ends its `git cat-file` process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._reader: subprocess.Popen[bytes] | None = None
        self.seen: Mapping[str, str] | None = None  # refs that `ref` returns instead of the real ones
        self._environ = {**{k: v for k, v in os.environ.items() if not k.startswith("GIT_")}, **NO_CONFIG}
        # The minimum of a git repository (gitrepository-layout), which is faster to make than by `git init`.
        for folder in ("objects", "refs"):
            path.joinpath(folder).mkdir(parents=True)
        path.joinpath("HEAD").write_text("ref: refs/heads/main\n")
        path.joinpath("config").write_text(CONFIG)

    def close(self) -> None:
        if self._reader:
            self._reader.communicate()

    def git(self, *args: str, data: bytes = b"", index: str | None = None) -> bytes:
        """The output of a git command. Raises `GitFailed` with what git wrote to standard error."""
        environ = self._environ if index is None else {**self._environ, "GIT_INDEX_FILE": index}
        done = subprocess.run(["git", *args], cwd=self.path, env=environ, input=data, capture_output=True, check=False)
        if done.returncode:
            raise GitFailed(done.stderr.decode("utf-8", "replace").strip() or f"git {args[0]}: {done.returncode}")
        return done.stdout

    # reading

    def get(self, expression: str) -> GitObject | None:
        """The object that a revision expression names, None if there is none."""
        if not expression or "\n" in expression:
            return None
        with self._lock:
            if self._reader is None:
                command = ["git", "cat-file", "--batch"]
                pipe = subprocess.PIPE
                self._reader = subprocess.Popen(command, cwd=self.path, env=self._environ, stdin=pipe, stdout=pipe)
            assert self._reader.stdin is not None
            assert self._reader.stdout is not None
            self._reader.stdin.write(expression.encode("utf-8", "surrogateescape") + b"\n")
            self._reader.stdin.flush()
            # "<oid> SP <type> SP <size>", or "<expression> missing" (git-cat-file, BATCH OUTPUT)
            header = self._reader.stdout.readline().split()
            if len(header) != 3 or header[1] not in {b"blob", b"tree", b"commit", b"tag"}:
                return None
            data = self._reader.stdout.read(int(header[2]))
            self._reader.stdout.read(1)
        return GitObject(header[0].decode(), header[1].decode(), data)

    def entries(self, tree: str) -> tuple[Entry, ...]:
        """The rows of a tree object, in git's order."""
        found = self.get(f"{tree}^{{tree}}")
        return tuple(_entries(found.data)) if found else ()

    def commit(self, oid: str) -> Commit | None:
        """The commit that `oid` names, None if there is none."""
        found = self.get(f"{oid}^{{commit}}")
        return _commit(found) if found else None

    def ref(self, name: str) -> str | None:
        """The commit that a full ref name points to, None if there is no such ref."""
        if self.seen is not None:
            return self.seen.get(name)
        found = self.get(name) if name.startswith("refs/") else None
        return found.oid if found else None

    def history(self, base: str, head: str) -> list[Commit]:
        """The commits of `head` that are not in `base`, oldest first."""
        oids = self.git("rev-list", "--topo-order", "--reverse", f"{base}..{head}").decode().split()
        return [commit for oid in oids if (commit := self.commit(oid))]

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, None if there is none."""
        try:
            return self.git("merge-base", one, other).decode().strip()
        except GitFailed:
            return None

    def diff(self, old: str, new: str) -> list[FileDiff]:
        """Changed files between two commits, with git's hunks."""
        options = ("diff-tree", "-r", "-M", "--no-color", "--no-ext-diff", "--no-textconv")
        names = self.git(*options, "-z", "--raw", "--no-abbrev", old, new).decode("utf-8", "surrogateescape")
        counts = self.git(*options, "--numstat", old, new).decode("utf-8", "surrogateescape").split("\n")[:-1]
        # Lines of a hunk begin with a space, a sign or a backslash, so this splits only between files.
        patches = re.split(r"(?m)^diff --git ", self.git(*options, "-p", old, new).decode("utf-8", "replace"))[1:]
        return [_file_diff(*row) for row in zip(_raw_rows(names), counts, patches, strict=True)]

    # writing

    def blobs(self, contents: Sequence[bytes]) -> list[str]:
        """Write many blobs with one git process, and return their oids."""
        if not contents:
            return []
        with tempfile.TemporaryDirectory(dir=self.path) as folder:
            names = [Path(folder, str(number)) for number in range(len(contents))]
            for name, data in zip(names, contents, strict=True):
                name.write_bytes(data)
            listing = "".join(f"{name}\n" for name in names).encode()
            return self.git("hash-object", "-w", "--no-filters", "--stdin-paths", data=listing).decode().split()

    def tree(self, base: str | None, changes: Iterable[Entry]) -> str:
        """Apply `changes` to the tree `base` (None: an empty tree) in a temporary index, and return the new oid."""
        with tempfile.TemporaryDirectory(dir=self.path) as folder:
            index = str(Path(folder, "index"))
            self.git("read-tree", *([base] if base else ["--empty"]), index=index)
            rows = [leaf for change in changes for leaf in self._leaves(change, index)]
            lines = [f"{'0' if row.oid is None else row.mode} {row.oid or ZERO}\t{row.path}\0" for row in rows]
            self.git(
                "update-index",
                "-z",
                "--index-info",
                data="".join(lines).encode("utf-8", "surrogateescape"),
                index=index,
            )
            return self.git("write-tree", index=index).decode().strip()

    def _leaves(self, change: Entry, index: str) -> Iterable[Entry]:
        """Yield the changes of files that make up a change. A tree replaces everything below its path.

        An index has no entries for directories.
        """
        if change.oid is None or change.type != "tree":
            yield change
            return
        for old in _names(self.git("ls-files", "-z", "--", f"{change.path}/", index=index)):
            yield Entry(old, "100644", None)
        for row in _names(self.git("ls-tree", "-r", "-z", change.oid)):
            head, _, path = row.partition("\t")
            yield Entry(f"{change.path}/{path}", head.split()[0], head.split()[2])

    def new_commit(
        self,
        tree: str,
        parents: Sequence[str],
        message: str,
        *,
        author: Person,
        committer: Person,
        signed: bool = False,
    ) -> str:
        """Write a commit object with exactly this message, and return its oid. `signed` adds a signature header."""
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        for role, person in (("author", author), ("committer", committer)):
            lines.append(f"{role} {person.name} <{person.email}> {person.date} +0000")
        if signed:
            lines.append("gpgsig " + SIGNATURE.replace("\n", "\n "))
        data = ("\n".join(lines) + "\n\n" + message).encode()
        return self.git("hash-object", "-w", "-t", "commit", "--stdin", data=data).decode().strip()

    def push(self, ref: str, parent: str | None, files: Files, message: str, person: Person) -> str:
        """Commit `files` (path → mode and bytes, None deletes) on `parent`, and move `ref` to it, with one process."""
        lines: list[bytes] = [f"commit {ref}\nmark :1\n".encode()]
        for role in ("author", "committer"):
            lines.append(f"{role} {person.name} <{person.email}> {person.date} +0000\n".encode())
        lines += [_data(message.encode()), f"from {parent}\n".encode() if parent else b""]
        for path, (mode, data) in files.items():
            name = (
                path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").encode("utf-8", "surrogateescape")
            )
            if data is None:
                lines.append(b'D "%s"\n' % name)
            else:
                lines += [b'M %s inline "%s"\n' % (mode.encode(), name), _data(data)]
        lines.append(b"get-mark :1\n")
        return self._imported(ref, b"".join(lines))

    def _imported(self, ref: str, stream: bytes) -> str:
        """Run `git fast-import`, and return the commit. Cached, because most hubs start with the same commits.

        The result depends on the stream (which names its parent by oid) and on the packs (whose objects fast-import
        does not write again), so both are the key of the cache.
        """
        folder = self.path / "objects/pack"
        folder.mkdir(exist_ok=True)
        there = frozenset(place.name for place in folder.iterdir())
        if (stream, there) not in IMPORTED:
            oid = self.git("fast-import", "--quiet", "--force", data=stream).decode().strip()
            made = {place.name: place.read_bytes() for place in folder.iterdir() if place.name not in there}
            if len(stream) <= MOST_KEPT:
                IMPORTED[stream, there] = oid, made
            return oid
        oid, made = IMPORTED[stream, there]
        for name, data in made.items():
            (folder / name).write_bytes(data)
        self._point(ref, oid)
        return oid

    def _point(self, ref: str, oid: str) -> None:
        """Move a ref atomically, like git: readers see the old or the new commit."""
        place = self.path / ref
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f"{place.name}.lock")
        new.write_text(f"{oid}\n")
        new.replace(place)

    def update_refs(self, updates: Iterable[tuple[str, str, str | None]]) -> None:
        """Make all updates `(ref, new, old)` or none. `ZERO` means absent; `old` None accepts any."""
        lines = "".join(f"update {ref}\0{new}\0{old or ''}\0" for ref, new, old in updates)
        self.git("update-ref", "-z", "--stdin", data=lines.encode())


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _names(listing: bytes) -> list[str]:
    """The rows of a `-z` listing."""
    return listing.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _entries(data: bytes) -> Iterable[Entry]:
    while data:
        head, _, rest = data.partition(b"\0")
        mode, _, name = head.partition(b" ")
        yield Entry(name.decode("utf-8", "surrogateescape"), mode.decode().zfill(6), rest[:20].hex())
        data = rest[20:]


def _commit(found: GitObject) -> Commit:
    head, _, message = found.data.decode("utf-8", "replace").partition("\n\n")
    headers: list[tuple[str, str]] = []
    for line in head.split("\n"):
        if line.startswith(" "):  # the continuation of a header
            headers[-1] = (headers[-1][0], f"{headers[-1][1]}\n{line[1:]}")
        else:
            name, _, value = line.partition(" ")
            headers.append((name, value))
    one = dict(headers)
    unsigned = "\n".join(f"{name} {value}" for name, value in headers if name != "gpgsig")
    return Commit(
        oid=found.oid,
        tree=one["tree"],
        parents=tuple(value for name, value in headers if name == "parent"),
        author=_person(one["author"]),
        committer=_person(one["committer"]),
        message=message,
        signature=one.get("gpgsig"),
        payload=f"{unsigned}\n\n{message}",
    )


def _person(line: str) -> Person:
    name, _, rest = line.partition(" <")
    email, _, when = rest.partition("> ")
    return Person(name, email, int(when.split()[0]))


def _raw_rows(text: str) -> Iterable[tuple[str, str, str, str]]:
    """Yield (status, oid, old path, path) from `--raw -z` output."""
    fields = iter(text.split("\0"))
    for field in fields:
        if field:
            _, _, _, oid, status = field.split(" ")
            old = next(fields)
            yield status[0], oid, old, next(fields) if status[0] in "RC" else old


def _file_diff(row: tuple[str, str, str, str], count: str, patch: str) -> FileDiff:
    status, oid, old, path = row
    added, deleted = (0 if number == "-" else int(number) for number in count.split("\t")[:2])
    start = patch.find("\n@@ ")
    hunks = patch[start + 1 :].removesuffix("\n") if start >= 0 else None
    return FileDiff(path, old, status, oid, added, deleted, hunks)
