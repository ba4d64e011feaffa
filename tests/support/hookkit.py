"""Shared by the tests of the hooks: response files, ways to stage and commit, traps for code that must not run."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from support import gitkit
from support.gitkit import FILE, Entry, Tree, git
from support.project import HOOKS

from editblocks.faces.cli import main as cli

HOOK = HOOKS / "pre-commit"
CART = b"class Cart:\n    def total(self):\n        return 1\n"
Changes = Mapping[str, Entry | None]
TREE: Tree = {"cart.py": (FILE, CART), "a/b": (FILE, b"b\n")}
SCRIPTS = Path(sys.executable).parent  # where pip put `editblocks` and `pre-commit`


def block(search: str, replace: str, path: str = "cart.py") -> bytes:
    """Return a response: some prose and one SEARCH/REPLACE block."""
    old, new = (f"{text}\n" if text else "" for text in (search, replace))
    return f"Here it is.\n\n{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n".encode()


FITS = block("        return 1", "        return 2")
STALE = block("        return 7", "        return 2")

READY = ".edits/a.md: 1 ready; next: editblocks apply .edits/a.md\n"
FITTING = ".edits/a.md: 1 ready\n"  # READY as the pre-push hook prints it
ROW = "cart.py:3: failed: no-match: … (.edits/a.md:4)\n"
MISSED = f"{ROW}.edits/a.md: 1 failed; next: editblocks retry --staged .edits/a.md\n"
STOPPED = (
    "nothing is committed: 1 of 1 response file cannot be applied; repair what failed, git add it, then commit again\n"
)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def make_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with TREE as its only commit, and change into it. No setting of the machine applies."""
    gitkit.scrub(monkeypatch, tmp_path)
    path = gitkit.make_repository(tmp_path / "checkout", TREE)
    monkeypatch.chdir(path)
    return path


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """Run a command in this process, and return its exit code and what was printed since the last call."""
    code = cli.main(arguments)
    return Ran(code, *capfd.readouterr())


def call_apart(*arguments: str) -> str:
    """Run a command in a new interpreter and return its output.

    The last line names the top-level packages that the command loaded from outside the standard library.
    """
    code = (
        f"import sys; before = set(sys.modules); from editblocks.faces.cli.main import main; main({arguments});"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(*sorted(new - sys.stdlib_module_names))"
    )
    return subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True).stdout.decode()


def response(data: bytes, mode: str = FILE) -> Changes:
    """The response file that most tests stage."""
    return {".edits/a.md": (mode, data)}


def missed_at(commit: str) -> str:
    """MISSED as the pre-push hook prints it for a pushed commit."""
    at = commit[:12]
    return f"{ROW}.edits/a.md: 1 failed; next: git show {at}:.edits/a.md | editblocks retry --rev {at} -\n"


def stage(path: Path, changes: Changes, numbers: Sequence[int] = (0,)) -> None:
    """Put entries into the index only; None removes an entry. Stage `numbers` above 0 are the sides of a conflict."""
    rows = ""
    for name, entry in changes.items():
        mode, data = entry or ("0", b"")
        made = git(path, "hash-object", "-w", "--stdin", stdin=data).decode().strip()
        rows += "".join(f"{mode} {made} {number}\t{name}\0" for number in numbers)
    git(path, "update-index", "-z", "--index-info", stdin=os.fsencode(rows))


def put(path: Path, changes: Changes) -> None:
    """Put entries into the index and the working tree; None removes an entry from both."""
    stage(path, changes)
    for name, entry in changes.items():
        if entry is None:
            (path / name).unlink()
        elif entry[0] == gitkit.SUBMODULE:
            (path / name).mkdir()
        else:
            git(path, "checkout-index", "--force", "--", name)


def write(path: Path, name: str, data: bytes, *, add: bool = True) -> None:
    """Write a file in the working tree, and add it to the index unless `add` is false."""
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).write_bytes(data)
    if add:
        git(path, "add", "--", name)


def put_hook(git_dir: Path, stage: str, script: bytes | None = None) -> Path:
    """Install a hook by hand, and return its path. `script` defaults to the hook of editblocks for that stage."""
    hook = git_dir / "hooks" / stage
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes((HOOKS / stage).read_bytes() if script is None else script)
    hook.chmod(0o755)
    return hook


def git_as(path: Path, *args: str | Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run git with `editblocks` on PATH. The command may fail."""
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS), **environ}
    return subprocess.run(["git", *args], cwd=path, env=environment, capture_output=True, check=False)


def commit_files(path: Path, changes: Changes, message: str = "x") -> str:
    """Stage and commit these entries without running hooks, and return the commit's id."""
    stage(path, changes)
    git(path, "commit", "-q", "--no-verify", "--allow-empty", "-m", message)
    return gitkit.line(path, "rev-parse", "HEAD")


def shape(said: str | bytes) -> str:
    """Return the output without the engine's messages and diff lines, which other tests check."""
    text = re.sub(r"^     .*\n", "", said if isinstance(said, str) else said.decode(), flags=re.MULTILINE)
    pattern = r"^(\S+: (?:failed|skipped): [a-z-]+: ).*?( \(\.edits/a\.md:\d+\))?$"
    return re.sub(pattern, r"\1…\2", text, flags=re.MULTILINE)


def search_path(*first: Path | str) -> str:
    """Return a PATH of these folders, followed by the PATH of this process."""
    return os.pathsep.join([*map(str, first), gitkit.ISOLATED["PATH"]])


def set_module_traps(folder: Path, sprung: Path) -> None:
    """Write modules that Python must not import from the top of a repository. Each adds its name to `sprung`."""
    for name in ("yaml", "git", "re", "editblocks", "sitecustomize", "usercustomize", "pip"):
        (folder / f"{name}.py").write_text(f"open({str(sprung)!r}, 'a').write('{name} ')\n")


def set_program_traps(folder: Path, sprung: Path) -> None:
    """Write programs that must not be found on PATH. Each adds its name to the file `sprung`."""
    folder.mkdir(exist_ok=True)
    for name in ("python3", "python", "editblocks"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{sprung}'\n")
        (folder / name).chmod(0o755)
