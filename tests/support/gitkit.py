"""Real git for tests: repositories in a temporary folder, isolated from the git configuration of the machine."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pytest

Entry = tuple[str, bytes]  # mode and bytes: of a link, its target; of a submodule, the 40 hex digits of its commit
Tree = Mapping[str, Entry]

FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
NAME, EMAIL = "Mona Lisa", "monalisa@example.com"
SUBMODULE_ID = b"0123456789abcdef0123456789abcdef01234567"

HEARD = "XDG_CONFIG_HOME SOURCE_DATE_EPOCH PRE_COMMIT NO_COLOR FORCE_COLOR RUNNER_DEBUG".split()
ISOLATED = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": NAME,
    "GIT_AUTHOR_EMAIL": EMAIL,
    "GIT_COMMITTER_NAME": NAME,
    "GIT_COMMITTER_EMAIL": EMAIL,
    "GIT_AUTHOR_DATE": "@1700000000 +0000",
    "GIT_COMMITTER_DATE": "@1700000000 +0000",
}
if sys.platform == "win32":  # no program starts there without these
    ISOLATED |= {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP")}


def scrub(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Remove every environment variable that git or editblocks reads, and set HOME to `home`."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "EDITBLOCKS_")) or name in HEARD]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))


def git(path: Path, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """Run git in `path` and return its output. Raises `AssertionError` with git's message if it fails."""
    done = subprocess.run(
        ["git", *args], cwd=path, input=stdin, env={**ISOLATED, **(env or {})}, capture_output=True, check=False
    )
    assert done.returncode == 0, (args, done.stderr.decode(errors="replace"))
    return done.stdout


def line(path: Path, *args: str) -> str:
    """Run git in `path` and return its output, which is one line, without the line end."""
    return git(path, *args).decode().strip()


def make_repository(path: Path, tree: Tree, *, bare: bool = False, object_format: str = "sha1") -> Path:
    """Make a repository with `tree` as the only commit of its branch `main`, checked out unless it is bare."""
    path.mkdir(parents=True)
    folder = path if bare else path / ".git"
    for place, data in _git_folder(bare, object_format, tuple(tree.items())):
        _put(folder / place, data)
    if not bare:
        git(path, "reset", "--quiet", "--hard")
    return path


@lru_cache(maxsize=128)
def _git_folder(bare: bool, object_format: str, tree: tuple[tuple[str, Entry], ...]) -> list[tuple[str, bytes | None]]:
    """The files of a git folder after `git init` and one commit: (path, bytes), with None for a folder.

    Cached, because many tests make the same repository.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        bareness = ["--bare"] if bare else []
        # No template: its sample hooks would be most of the files to copy.
        options = ["--quiet", "--initial-branch=main", f"--object-format={object_format}", "--template="]
        git(path, "init", *options, *bareness, ".")
        _import(path, "main", dict(tree), "tests: change", b"", packed=False)
        top = path if bare else path / ".git"
        found = sorted(top.rglob("*"))
        rows = [(str(place.relative_to(top)), place.read_bytes() if place.is_file() else None) for place in found]
        return [("hooks", None), ("info", None), *rows]


def _put(place: Path, data: bytes | None) -> None:
    if data is None:
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.write_bytes(data)


def commit(path: Path, branch: str, changes: Mapping[str, Entry | None], message: str = "tests: change") -> str:
    """Commit `changes` (None deletes a file) to `branch`, and return the commit's id. No working tree is touched.

    Creates the branch if it does not exist.
    """
    ref = f"refs/heads/{branch}"
    # A loose ref is a file, so looking for it is fast. Otherwise ask git, which also knows packed refs.
    is_known = any((folder / ref).is_file() for folder in (path / ".git", path)) or git(path, "for-each-ref", ref)
    return _import(path, branch, changes, message, f"from {ref}^0\n".encode() if is_known else b"")


def _import(
    path: Path, branch: str, changes: Mapping[str, Entry | None], message: str, parent: bytes, *, packed: bool = True
) -> str:
    stream = [
        b"commit refs/heads/%s\nmark :1\ncommitter %s <%s> 1700000000 +0000\n"
        % tuple(part.encode() for part in (branch, NAME, EMAIL))
    ]
    stream += [_data(message.encode()), parent]
    stream += [_change(os.fsencode(name), entry) for name, entry in changes.items()]
    stream.append(b"\nget-mark :1\n")
    # Keep the pack as it is: to unpack it, git would start a second process.
    keep = ("-c", "fastimport.unpackLimit=1") if packed else ()
    said = git(path, *keep, "fast-import", "--quiet", "--force", "--date-format=raw", stdin=b"".join(stream))
    return said.decode().strip()


def read_tree(path: Path, rev: str) -> dict[str, Entry]:
    """Mode and bytes of every file, link and submodule in the tree of `rev`, by path."""
    rows = [row.partition(b"\t") for row in git(path, "ls-tree", "-r", "-z", "--full-tree", rev).split(b"\0")[:-1]]
    heads = [head.split() for head, _, _ in rows]
    output = git(path, "cat-file", "--batch", stdin=b"".join(b"%s\n" % object_id for _, _, object_id in heads))
    tree: dict[str, Entry] = {}
    for (mode, kind, object_id), (_, _, name) in zip(heads, rows, strict=True):
        answer, _, output = output.partition(b"\n")
        size = int(answer.split()[2]) if kind == b"blob" else -1  # for a submodule, git prints one line without data
        data, output = (output[:size], output[size + 1 :]) if kind == b"blob" else (object_id, output)
        tree[os.fsdecode(name)] = (mode.decode(), data)
    return tree


def read_folder(path: Path) -> dict[str, Entry]:
    """Mode and bytes of every file and link below `path`, except in `.git`. A nested repository is one entry."""
    tree: dict[str, Entry] = {}
    for top, folders, files in os.walk(path):
        here = Path(top)
        folders[:] = [name for name in folders if name != ".git"]
        for name in [*folders, *files]:
            place = here / name
            relative = str(place.relative_to(path))
            if place.is_symlink():
                tree[relative] = (LINK, os.fsencode(place.readlink()))
            elif name in folders and (place / ".git").exists():
                tree[relative] = (SUBMODULE, (place / ".git").read_bytes() if (place / ".git").is_file() else b"")
                folders.remove(name)
            elif place.is_file() and name != ".git":
                tree[relative] = (EXECUTABLE if os.access(place, os.X_OK) else FILE, place.read_bytes())
    return tree


def snapshot(path: Path) -> dict[str, tuple[int, int, bytes]]:
    """Inode, time of change and bytes of every file below `path`, also in `.git`: to show that none was touched."""
    files = (place for place in path.rglob("*") if place.is_file() and not place.is_symlink())
    return {str(place): (place.stat().st_ino, place.stat().st_mtime_ns, place.read_bytes()) for place in files}


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _change(name: bytes, entry: Entry | None) -> bytes:
    quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in name)
    if entry is None:
        return b"D %s\n" % quoted
    mode, data = entry
    if mode == SUBMODULE:
        return b"M 160000 %s %s\n" % (data, quoted)
    return b"M %s inline %s\n%s" % (mode.encode(), quoted, _data(data))
