"""A block in the user's own editor, found as git finds it, and the response with what came out of it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.core.model import ApplyResult, EditResult, Problem, row_number
from editblocks.repos.git.command import ANY_STATUS, Git, Mode, words

_SHELL = "/bin/sh"
_NAME = "block.md"


def edit_text(text: str, terminal: int | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """`text` as the user leaves it in the editor; `terminal` is the descriptor that the editor gets as its stdin.

    Raises `RepoError` if there is no editor, if it fails, or if what it leaves is no UTF-8.
    """
    editor = editor_command(Path.cwd(), environ)
    with tempfile.TemporaryDirectory(prefix="editblocks-") as folder:  # nobody else may look into it
        place = Path(folder) / _NAME
        try:
            place.write_bytes(text.encode("utf-8", "surrogatepass"))
            status = subprocess.run(
                _editor_command(editor, place), stdin=terminal, env=dict(environ), check=False
            ).returncode
            data = place.read_bytes()
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or "it is not a command").lower()
            raise RepoError(f"the editor `{editor}` cannot be used: {reason}; set EDITOR", _CODE) from error
    if status:
        raise RepoError(f"the editor `{editor}` ended with status {status}; the block stays as it was", _CODE)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RepoError("what the editor left is not UTF-8; the block stays as it was", ReasonCode.ENCODING) from error


_CODE = ReasonCode.BAD_CONFIG


def editor_command(folder: Path, environ: Mapping[str, str] = os.environ) -> str:
    """The command line of the editor: GIT_EDITOR, core.editor, VISUAL, EDITOR, vi, in git's own order and words.

    Git is asked, as which of them counts depends on its settings and the terminal; without a git, the
    environment alone says. Raises `RepoError` if git knows none, as on a terminal that is too dumb for vi.
    """
    own = {"GIT_EDITOR": environ["GIT_EDITOR"]} if environ.get("GIT_EDITOR") else {}
    try:
        answer = Git(folder, Mode.USER).with_environment(own).run("var", "GIT_EDITOR", ok_statuses=ANY_STATUS)
    except RepoError:
        return own.get("GIT_EDITOR") or environ.get("VISUAL") or environ.get("EDITOR") or "vi"
    if answer.status:
        raise RepoError(f"there is no editor: {words(answer)}; set EDITOR", _CODE)
    return os.fsdecode(answer.output).strip()


def _editor_command(editor: str, place: Path) -> list[str]:
    """An editor may be a command with options, which git leaves to a shell to take apart."""
    if sys.platform == "win32":
        return [*shlex.split(editor, posix=False), str(place)]
    return [_SHELL, "-c", f'{editor} "$@"', editor, str(place)]


def block_text(text: str, row: EditResult | Problem) -> str:
    """The lines of a response between the opener of a block and its closer, both included, line ends kept."""
    first, last = _lines(row)
    lines = text.split("\n")[first - 1 : last]
    return "".join(f"{line}\n" for line in lines)


def with_block(text: str, row: EditResult | Problem, new: str) -> str:
    """The response in which `new` stands in place of a block's lines."""
    first, last = _lines(row)
    lines = text.split("\n")
    return "\n".join([*lines[: first - 1], *new.removesuffix("\n").split("\n"), *lines[last:]])


def trouble(before: ApplyResult, after: ApplyResult, number: int) -> str | None:
    """Why an edited response cannot be taken: block `number` is none any more, or others are no longer what they were.

    None if all is well.
    """
    row = next((row for row in after.rows if row_number(row) == number), None)
    if isinstance(row, Problem):
        return f"{row.code.value}: {row.message}"
    others = [_mark(row) for row in before.rows if row_number(row) != number]
    if row is None or [_mark(row) for row in after.rows if row_number(row) != number] != others:
        return f"block {number} would no longer be one block between its neighbours"
    return None


def _mark(row: EditResult | Problem) -> tuple[str, ...]:
    """What says that a block is the same, wherever it stands now."""
    if isinstance(row, Problem):
        return row.code.value, row.file_path or ""
    return (row.block.digest,)


def _lines(row: EditResult | Problem) -> tuple[int, int]:
    place = row if isinstance(row, Problem) else row.block
    return place.line_number, place.end_line
