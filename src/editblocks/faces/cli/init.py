"""`editblocks init`: the files with which a repository begins, written where they are missing and nowhere else.

What stands in the way is left alone and named. The texts are those of examples/, but that each key of the
configuration is commented out.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path

from editblocks.core.errors import ConfigError
from editblocks.core.settings import POLICY_FILE
from editblocks.faces.common.locations import find_root, here, root_of
from editblocks.faces.common.package import read_packaged
from editblocks.faces.common.terminal import FINE, printing, show
from editblocks.report.escape import shell_word
from editblocks.repos.git.repository import repository_at
from editblocks.repos.stores.worktree import WorktreeRepo

WORKFLOW, ATTRIBUTES = ".github/workflows/editblocks.yml", ".gitattributes"
# Without it `git diff --check` takes the markers in a response file for a merge that was not finished. No block
# has markers of 99 characters.
PATTERN, SIZE = ".edits/**", "conflict-marker-size=99"


def main(options: argparse.Namespace) -> int:
    """Write what is missing at the top of the repository, or with `options.print` only show all of it."""
    with printing():
        if options.print:
            show("\n".join(f"{path}:\n\n{text}" for path, text in texts().items()))
        else:
            show("".join(f"{line}\n" for line in _write_files(_top(options.root))))
    return FINE


def texts() -> dict[str, str]:
    """The text of each file; for the last one, the line that is added to it."""
    return {
        WORKFLOW: read_packaged("examples/workflow.yml"),
        POLICY_FILE: re.sub("^(?=[a-z])", "#", read_packaged("examples/editblocks.yml"), flags=re.MULTILINE),
        ATTRIBUTES: f"{PATTERN} {SIZE}\n",
    }


def _top(root: str | None) -> Path:
    start = here() / root_of(root)
    top = find_root(start)
    if not (top / ".git").exists():
        raise ConfigError(f"{start} is in no working tree of git; run `git init` first, or look on with --print")
    repository_at(top)  # refuses one of somebody else
    return top


def _write_files(top: Path) -> Iterator[str]:
    wanted, repo = texts(), WorktreeRepo(top)
    contents: dict[str, bytes | None] = {}
    for path in (WORKFLOW, POLICY_FILE):
        folder, _, name = path.rpartition("/")
        if name not in repo.entries(folder):
            contents[path] = wanted[path].encode()
        yield f"{path}: {'created' if path in contents else 'left alone, it is there already'}"
    attributes = repo.read(ATTRIBUTES)
    if has_size(attributes or b""):
        yield f"{ATTRIBUTES}: left alone, it has the line for {PATTERN} already"
    else:
        contents[ATTRIBUTES] = (attributes or b"") + line_to_append(attributes or b"", wanted[ATTRIBUTES])
        yield f"{ATTRIBUTES}: {'created' if attributes is None else f'line added: {PATTERN} {SIZE}'}"
    yield ""
    if not contents:
        yield "nothing to do"
        return
    repo.write(contents, "")  # before any of these lines is printed
    yield "next:"
    if WORKFLOW in contents:
        yield f"  in {WORKFLOW}, write behind `uses:` where"
        yield "  editblocks is, and the commit of it that you have read"
    git = "git" if top == here() else f"git -C {shell_word(os.fspath(top))}"
    yield f"  {git} add {' '.join(contents)}"
    yield f'  {git} commit -m "Read edit blocks"'
    if WORKFLOW in contents:
        yield "  the workflow counts once it is on the default branch"


def has_size(attributes: bytes) -> bool:
    """Whether this `.gitattributes` sets a size of conflict markers for response files."""
    rows = [row.split() for row in attributes.decode("utf-8", "replace").splitlines()]
    return any(row[:1] == [PATTERN] and any(word.startswith("conflict-marker-size=") for word in row) for row in rows)


def line_to_append(attributes: bytes, line: str) -> bytes:
    """The bytes to append to `attributes` to add `line`, with the line end of the others."""
    end = b"\r\n" if b"\r\n" in attributes else b"\n"
    before = b"" if not attributes or attributes.endswith(b"\n") else end
    return before + line.rstrip("\n").encode() + end
