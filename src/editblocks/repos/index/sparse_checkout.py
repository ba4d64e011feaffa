"""What a sparse checkout leaves out of the working tree: in git, not on disk, and not to be edited or made anew.

`git add` refuses such paths too, and says how to bring them in. Git is asked about them only where a sparse
checkout was set up and nothing is on disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.repos.files.names import to_text
from editblocks.repos.files.tree_modes import DIRECTORY, is_inside, obstacle
from editblocks.repos.git.command import Git
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import chunks

SKIPPED = "S"  # git ls-files -t: an entry that is not looked for on disk

_SPECIAL, _ESCAPED = re.compile(r"[*?\[\]\\]"), r"\\\g<0>"  # characters of patterns (gitignore)


class LeftOut:
    """The files that a sparse checkout leaves out of the working tree of `repository`."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: set[str] = set()  # what git was asked about
        self._paths: set[str] = set()  # what is left out of these, and below them

    def refuse(self, path: str, others: Collection[str]) -> None:
        """Raise `UnreadableFile` if `path`, where nothing is on disk, is left out, or a folder of what is.

        Git is asked about `others` at once.
        """
        self._ask(self._repository.git, {path, *others} - self._known)
        if path in self._paths:
            raise _left_out(self._repository, path)
        if any(left_out.startswith(f"{path}/") for left_out in self._paths):
            raise obstacle(path, path, DIRECTORY)

    def _ask(self, git: Git, paths: Collection[str]) -> None:
        for part in chunks(sorted(filter(is_inside, paths))):
            rows = map(to_text, git.ask("ls-files", "-t", "-z", "--", *part).split(b"\0")[:-1])
            self._paths.update(row[2:] for row in rows if row[0] == SKIPPED)
        self._known.update(paths)


def _left_out(repository: Repository, path: str) -> UnreadableFile:
    """Why no file can be edited or made at `path`, with the command that brings it in."""
    asked = repository.git.run("config", "--type=bool", "--get", "core.sparseCheckoutCone", ok_statuses=(0, 1))
    wanted = _folder(path) if asked.output == b"true\n" else [f"/{_SPECIAL.sub(_ESCAPED, path)}"]
    command = repository.command_line("sparse-checkout", "add", *wanted)
    what = f"{path} is left out of this working tree by git sparse-checkout"
    return UnreadableFile(ReasonCode.NOT_A_FILE, what, f"bring it in with: {command}")


def _folder(path: str) -> list[str]:
    """What a sparse checkout of folders takes; it is patterns otherwise, so git wants to be sure."""
    folder = path.rpartition("/")[0]
    return ["--skip-checks", folder] if _SPECIAL.search(folder) else [folder]
