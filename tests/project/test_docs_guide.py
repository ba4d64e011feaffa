"""The guides: what they show can be done, from top to bottom, and prints what they show."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.guidekit import CANNOT_RUN, PLUGIN, Command, SavedFile, can_run, make_desk, steps, tidied, with_plugin
from support.pages import DOCS, FENCE, PAGES, fences, read
from support.project import ROOT

from editblocks import __version__
from editblocks.faces.cli.arguments import parse as parse_arguments
from editblocks.faces.cli.commands import TAKES_RESPONSES
from editblocks.prompts.retry import REMINDER

GUIDES = sorted(DOCS.glob("guide/*.md"))


@pytest.mark.long
@pytest.mark.parametrize("page", ["README.md", *(path.relative_to(ROOT).as_posix() for path in GUIDES)])
def test_a_guide_can_be_followed(page: str, tmp_path: Path) -> None:
    """Its commands run one after the other in one folder, and print what it shows."""
    todo = [step for step in steps(read(page)) if isinstance(step, SavedFile) or can_run(step)]
    first_command = next(number for number, step in enumerate(todo) if isinstance(step, Command))
    desk = make_desk(tmp_path, [step for step in todo[:first_command] if isinstance(step, SavedFile)])
    if PLUGIN in read(page):
        desk = with_plugin(desk, f"v{__version__}")
    for step in todo[first_command:]:
        if isinstance(step, SavedFile):
            desk.save(step)
            continue
        code, printed = desk.run(step.line)
        if step.printed is None:
            is_verdict = code == 1 and "editblocks " in step.line  # a block does not fit
            assert code == 0 or is_verdict, (step.line, printed)
        else:
            assert printed == tidied(step.printed), step.line
    for workflow in (desk.shop / ".github" / "workflows").glob("*.yml"):
        done = subprocess.run(["actionlint", "-shellcheck=", "-pyflakes=", workflow], capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode()


def test_what_cannot_run_is_in_a_guide() -> None:
    pages = [ROOT / "README.md", *GUIDES]
    lines = [step.line for page in pages for step in steps(page.read_text("utf-8")) if isinstance(step, Command)]
    assert [start for start in CANNOT_RUN if not any(line.startswith(start) for line in lines)] == []


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
    assert " ".join(REMINDER.replace(", as given unless it is said to be wrong", "").split()) in shown


def test_a_guide_is_short() -> None:
    assert [page.stem for page in GUIDES] == ["action", "agents", "chat", "command-line", "hooks", "models", "start"]
    assert [page.name for page in GUIDES if len(page.read_text("utf-8").split("\n")) > 201] == []
