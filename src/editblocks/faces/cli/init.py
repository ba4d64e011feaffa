"""`editblocks init`: write the first files of a repository: settings, workflow and attributes.

A file that already exists is not changed, only named. The texts are those of examples/, with each key of the settings
commented out. `init --agents` adds a section to AGENTS.md, once.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from editblocks.core.errors import ConfigError
from editblocks.core.settings import POLICY_FILE
from editblocks.faces.reading import find_root, here, read_packaged, root_of
from editblocks.faces.terminal import FINE, columns, printing, show
from editblocks.prompts.context import agents_section
from editblocks.report.escape import shell_word
from editblocks.report.wrapping import wrapped
from editblocks.repos.git.repository import is_in_git_folder, repository_at
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.text.source_text import SourceText

WORKFLOW = ".github/workflows/editblocks.yml"
ATTRIBUTES = ".gitattributes"
AGENTS = "AGENTS.md"
# Without this line `git diff --check` takes the markers in a response file for an unfinished merge. No block has
# markers of 99 characters.
PATTERN = ".edits/**"
SIZE = "conflict-marker-size=99"
OTHER_TOOLS = (
    "if your tool reads another file:",
    "  Claude Code  CLAUDE.md: the line @AGENTS.md imports it",
    "  Gemini CLI   GEMINI.md: the line @./AGENTS.md imports it",
    "  Copilot      .github/copilot-instructions.md: copy the section",
    "  Cursor       .cursor/rules/: copy the section, unless yours reads AGENTS.md",
)


def main(options: argparse.Namespace) -> int:
    """Write the missing files at the top of the repository; with `options.print` only show them.

    With `options.agents`, it is the section of `AGENTS.md` instead.
    """
    if options.print:
        shown = {AGENTS: agents_section()} if options.agents else texts()
        text = "\n".join(f"{path}:\n\n{text}" for path, text in shown.items())
    else:
        write = _write_agents if options.agents else _write_files
        text = wrapped("".join(f"{line}\n" for line in write(_top(options.root))), columns(sys.stdout))
    with printing():
        show(text)
    return FINE


def texts() -> dict[str, str]:
    """Return the text of each file; for the last one, the line to add to it."""
    return {
        WORKFLOW: read_packaged("examples/workflow.yml"),
        POLICY_FILE: re.sub("^(?=[a-z])", "#", read_packaged("examples/editblocks.yml"), flags=re.MULTILINE),
        ATTRIBUTES: f"{PATTERN} {SIZE}\n",
    }


def _top(root: str | None) -> Path:
    start = here() / root_of(root)
    top = find_root(start)
    if is_in_git_folder(start.resolve()):
        what = "is in a .git folder or a bare repository, without files"
        raise ConfigError(f"{start} {what}; name the folder of your files with --root")
    if not (top / ".git").exists():
        raise ConfigError(f"{start} is not in a git working tree; run `git init` first, or look with --print")
    repository_at(top)  # raises for a repository of another user
    return top


def _write_files(top: Path) -> list[str]:
    """Write the missing files. Return lines that say what was done and what comes next."""
    repo = WorktreeRepo(top)
    wanted = texts()
    lines = list[str]()
    contents: dict[str, bytes | None] = {}
    for path in (WORKFLOW, POLICY_FILE):
        folder, _, name = path.rpartition("/")
        if name in repo.entries(folder):
            lines.append(f"{path}: left alone, it already exists")
        else:
            contents[path] = wanted[path].encode()
            lines.append(f"{path}: created")
    attributes = repo.read(ATTRIBUTES)
    before = attributes or b""
    if has_size(before):
        lines.append(f"{ATTRIBUTES}: left alone, it already has the line for {PATTERN}")
    else:
        contents[ATTRIBUTES] = before + line_to_append(before, wanted[ATTRIBUTES])
        done = "created" if attributes is None else f"line added: {PATTERN} {SIZE}"
        lines.append(f"{ATTRIBUTES}: {done}")
    if not contents:
        return [*lines, "", "nothing to do"]
    repo.write(contents, "")
    lines += ["", "next:"]
    if WORKFLOW in contents:
        lines.append(f"  in {WORKFLOW}, at `uses:`,")
        lines.append("  replace OWNER, and the zeros with the commit that you reviewed")
    lines += _commit(top, contents, "Read edit blocks")
    if WORKFLOW in contents:
        lines.append("  it takes effect once it is on the default branch")
    return lines


def _commit(top: Path, paths: Iterable[str], title: str) -> list[str]:
    """Return the commands that commit these files."""
    git = "git" if top == here() else f"git -C {shell_word(os.fspath(top))}"
    return [f"  {git} add {' '.join(paths)}", f'  {git} commit -m "{title}"']


def _write_agents(top: Path) -> list[str]:
    """Add the section for agents. Return lines that say what was done and what comes next."""
    repo = WorktreeRepo(top)
    section = agents_section()
    data = repo.read(AGENTS)
    before = data or b""
    text = "\n".join(SourceText.decode(before, AGENTS).lines)
    if section.rstrip("\n") in text:
        lines = [f"{AGENTS}: left alone, it already has the section"]
    elif section.partition("\n")[0] in text:
        lines = [f"{AGENTS}: left alone, its section was edited or is older; --print shows the current section"]
    else:
        repo.write({AGENTS: before + section_to_append(before, section)}, "")
        done = "created" if data is None else "section added at the end"
        lines = [f"{AGENTS}: {done}", "", "next:", *_commit(top, [AGENTS], "Tell agents about edit blocks")]
    return [*lines, "", *OTHER_TOOLS]


def has_size(attributes: bytes) -> bool:
    """Whether this `.gitattributes` sets a size of conflict markers for response files."""
    rows = [row.split() for row in attributes.decode("utf-8", "replace").splitlines()]
    return any(row[:1] == [PATTERN] and any(word.startswith("conflict-marker-size=") for word in row) for row in rows)


def section_to_append(data: bytes, section: str) -> bytes:
    """Return the bytes that append a section after a blank line, with the file's line end."""
    if data and not data.endswith((b"\n\n", b"\n\r\n")):
        section = f"\n{section}"
    return line_to_append(data, section)


def line_to_append(data: bytes, text: str) -> bytes:
    """Return the bytes that append a text of one line or more, with the file's line end."""
    added = text.rstrip("\n") + "\n"
    if data and not data.endswith(b"\n"):
        added = f"\n{added}"
    if b"\r\n" in data:
        added = added.replace("\n", "\r\n")
    return added.encode()
