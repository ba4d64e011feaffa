"""The guides: what their consoles show is what is printed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import gitkit
from support.hookkit import SCRIPTS, search_path
from support.pages import DOCS, FENCE, PAGES, fences, read
from support.project import ROOT

from editblocks.faces.cli.arguments import parse as parse_arguments
from editblocks.faces.cli.commands import TAKES_RESPONSES
from editblocks.prompts.retry import REMINDER

GUIDES = sorted(DOCS.glob("guide/*.md"))
# guides


FILE = re.compile(r"`([\w./-]+)`:\n\n(`{3,})[^\n]*\n(.*?)^\2$", re.MULTILINE | re.DOTALL)


@pytest.mark.long
@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/guide/{name}.md" for name in ("start", "command-line", "chat"))]
)
def test_the_session_of_a_guide_is_what_is_printed(page: str, tmp_path: Path) -> None:
    """The page names its files; the commands of its consoles run one after the other."""
    files = {path: (gitkit.FILE, text.encode()) for path, _, text in FILE.findall(read(page))}
    shop = gitkit.make_repository(tmp_path / "shop", {path: entry for path, entry in files.items() if "/" in path})
    for path, (_, data) in files.items():
        (shop / path).write_bytes(data)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    steps = [step for text in fences(read(page), "console") for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    assert len(steps) > 2
    for command, _, printed in (step.partition("\n") for step in steps):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=shop,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert _without_counts(done.stdout) == _without_counts(printed), command


def _without_counts(printed: str) -> str:
    """What is printed without the day, and without sizes that every change to the words of a prompt would change."""
    text = re.sub(r"[0-9]{8}-(?=[0-9])", "20261121-", printed)
    return re.sub(r"[0-9,]+ characters, about [0-9,]+ tokens", "1,000 characters, about 250 tokens", text)


_CALL = re.compile(r"^(?:\$ )?(?:[^\n|#]*\| )?editblocks ([^|>\n#]*[^|>\n# ])", re.MULTILINE)
_CALL_IN_TEXT = re.compile(r"`editblocks ([a-z-][^`|>…]*[^`|>… ])`")


def calls(page: Path) -> Iterator[str]:
    """The arguments of every call that a page shows, in a fence for a shell or in its text."""
    text = page.read_text("utf-8")
    for shell in (*fences(text, "sh"), *fences(text, "console")):
        yield from _CALL.findall(shell)
    yield from (" ".join(call.split()) for call in _CALL_IN_TEXT.findall(FENCE.sub("", text)))


CALLS = sorted({(page.relative_to(ROOT).as_posix(), call) for page in PAGES for call in calls(page)})


@pytest.mark.parametrize(("page", "call"), CALLS, ids=[f"{page} {call}" for page, call in CALLS])
def test_a_call_of_a_page_can_be_read(page: str, call: str) -> None:
    command, *arguments = call.split()
    if command in ("hook", "--print-completion"):
        return
    is_named = arguments and (not arguments[-1].startswith("--") or "--clipboard" in arguments)
    if command in TAKES_RESPONSES and not is_named:
        arguments.append("reply.md")  # the text names the command alone
    parsed = parse_arguments([command, *arguments])
    assert parsed is not None, page
    assert parsed.command == command


def test_the_instructions_for_a_model_are_those_of_a_retry_prompt() -> None:
    shown = " ".join(read("docs/guide/models.md").split())
    assert " ".join(REMINDER.replace(", as given, unless a message says that it is wrong", "").split()) in shown


def test_a_guide_is_short() -> None:
    assert [page.stem for page in GUIDES] == ["action", "agents", "chat", "command-line", "hooks", "models", "start"]
    assert [page.name for page in GUIDES if len(page.read_text("utf-8").split("\n")) > 151] == []
