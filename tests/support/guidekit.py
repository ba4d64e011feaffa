"""Follow a guide as a reader would: save its files and run its commands in one folder, from top to bottom.

A fence below a line that ends with a path in backticks and a colon is the content of that file. Files above the first
command exist from the start; those in a subfolder form the first commit of the repository. A `console` fence shows
commands and their output, an `sh` fence only commands. The clipboard holds the `.md` file that was saved last.

`PYTHONPATH=tests python -m support.guidekit` writes the current output of the commands into the guides. Read the diff
before you commit it.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from support import gitkit, precommitkit
from support.clipkit import Clipboard
from support.gitkit import git
from support.hookkit import SCRIPTS, search_path
from support.pages import FENCE
from support.project import DOCS, ROOT

from editblocks import __version__

# The only commands in guides that a test cannot run: how the command begins → why.
CANNOT_RUN = {
    "python -m pip install ": "it is called in a clone of editblocks; .ci/run installs all of it",
    "pipx install ": "it is called in a clone of editblocks; .ci/run installs it with pip",
    "uvx --from . ": "it is called in a clone of editblocks; .ci/run installs it with pip",
    "claude mcp add ": "it is another program; tests/faces/mcp starts the server with the same words",
    "codex mcp add ": "it is another program; tests/faces/mcp starts the server with the same words",
}
GUIDES = [ROOT / "README.md", *sorted(DOCS.glob("guide/*.md"))]
PLUGIN = "https://github.com/OWNER/editblocks"  # the address of the plugin in the guides
_NAMED = re.compile(r"`([\w./-]+)`:\n\n\Z")


class SavedFile(NamedTuple):
    path: str
    text: str


class Command(NamedTuple):
    """A command of a guide, and the output that the page shows for it (None if it shows none)."""

    line: str
    printed: str | None


def steps(text: str) -> Iterator[SavedFile | Command]:
    """Yield the files to save and the commands to run, in the order of the page."""
    for fence in FENCE.finditer(text):
        info, content = fence[2], fence[3]
        named = _NAMED.search(text[: fence.start()])
        if named is not None:
            yield SavedFile(named[1], content)
        elif info == "console":
            for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                line, _, printed = part.partition("\n")
                yield Command(line, printed)
        elif info == "sh":
            for line in content.splitlines():
                yield Command(re.sub(r"\s+#\s.*", "", line), None)


def can_run(command: Command) -> bool:
    return not command.line.startswith(tuple(CANNOT_RUN))


class Done(NamedTuple):
    """A command that was run: its exit code, and its output in the form in which the guides show it (`tidied`)."""

    command: Command
    code: int
    printed: str


class Desk(NamedTuple):
    """The place where a guide is followed. `folder` is the home directory, with the repository in its `shop`."""

    folder: Path
    clipboard: Clipboard
    environment: Mapping[str, str]

    @property
    def shop(self) -> Path:
        return self.folder / "shop"

    def save(self, file: SavedFile) -> None:
        path = self.shop / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, "utf-8")
        if path.suffix == ".md":
            self.clipboard.data = file.text.encode()

    def run(self, command: Command) -> Done:
        done = subprocess.run(
            ["sh", "-c", command.line],
            cwd=self.shop,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Done(command, done.returncode, tidied(done.stdout.replace(str(self.folder), "/home/monalisa")))


def make_desk(folder: Path, files: list[SavedFile]) -> Desk:
    """Make a desk with these files. Those in a subfolder are the first commit of the repository."""
    hidden = folder / ".hidden"
    hidden.mkdir(parents=True)
    clipboard = Clipboard(hidden)
    clipboard.install("pbcopy", "pbpaste")
    path = search_path(clipboard.tools, SCRIPTS)
    desk = Desk(folder, clipboard, {**gitkit.ISOLATED, "HOME": str(folder), "PATH": path})
    committed = {file.path: (gitkit.FILE, file.text.encode()) for file in files if "/" in file.path}
    gitkit.make_repository(desk.shop, committed)
    for file in files:
        desk.save(file)
    return desk


def with_plugin(desk: Desk, tag: str) -> Desk:
    """Return a desk where pre-commit finds the plugin at the address `PLUGIN`, with this tag, without a network."""
    hidden = desk.folder / ".hidden"
    plugin = precommitkit.make_plugin(hidden / "plugin")
    git(plugin, "tag", tag)
    wheels = precommitkit.make_wheels(hidden / "wheels")
    environment = {
        **precommitkit.environment(desk.folder, wheels),
        "PATH": desk.environment["PATH"],
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{plugin.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": PLUGIN,
    }
    return desk._replace(environment=environment)


def tidied(printed: str) -> str:
    """Return the output without its last blank lines, and with fixed values for date, commit id and prompt size."""
    text = re.sub(r"[0-9]{8}-(?=[0-9])", "20261121-", printed)
    text = re.sub(r"(?<=since )[0-9a-f]{7}", "4be1d02", text)
    text = re.sub(r"[0-9,]+ characters, about [0-9,]+ tokens", "1,000 characters, about 250 tokens", text)
    return text.rstrip("\n")


def follow(text: str, folder: Path) -> Iterator[Done]:
    """Follow a page in an empty folder, and yield each command after it was run."""
    todo = [step for step in steps(text) if isinstance(step, SavedFile) or can_run(step)]
    first_command = next((number for number, step in enumerate(todo) if isinstance(step, Command)), len(todo))
    desk = make_desk(folder, [step for step in todo[:first_command] if isinstance(step, SavedFile)])
    if PLUGIN in text:
        desk = with_plugin(desk, f"v{__version__}")
    for step in todo[first_command:]:
        if isinstance(step, SavedFile):
            desk.save(step)
        else:
            yield desk.run(step)


def renew(page: Path) -> None:
    """Replace the outputs in a page with the current output of its commands."""
    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for done in follow(text, Path(folder)):
            shown = done.command.printed
            if shown is not None and tidied(shown) != done.printed:
                printed = f"{done.printed}\n" if done.printed else ""
                text = text.replace(f"$ {done.command.line}\n{shown}", f"$ {done.command.line}\n{printed}", 1)
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    for guide in GUIDES:
        renew(guide)
