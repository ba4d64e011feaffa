"""The guides: what they show can be done, from top to bottom, and prints what they show."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.guidekit import CANNOT_RUN, GUIDES, Command, follow, steps, tidied
from support.pages import FENCE, PAGES, fences, read
from support.project import ROOT

from editblocks.core.settings import DEFAULT_KIT
from editblocks.faces.cli.arguments import parse as parse_arguments
from editblocks.faces.cli.commands import TAKES_RESPONSES
from editblocks.prompts.context import example_block, kit


@pytest.mark.long
@pytest.mark.parametrize("page", [path.relative_to(ROOT).as_posix() for path in GUIDES])
def test_a_guide_can_be_followed(page: str, tmp_path: Path) -> None:
    """Its commands run one after the other in one folder, and print what it shows."""
    for done in follow(read(page), tmp_path):
        line, shown = done.command
        if shown is None:
            is_verdict = done.code == 1 and "editblocks " in line  # a block does not fit
            assert done.code == 0 or is_verdict, (line, done.printed)
        else:
            assert done.printed == tidied(shown), line
    for workflow in (tmp_path / "shop" / ".github" / "workflows").glob("*.yml"):
        lint = subprocess.run(["actionlint", "-shellcheck=", "-pyflakes=", workflow], capture_output=True, check=False)
        assert lint.returncode == 0, lint.stdout.decode()


def test_what_cannot_run_is_in_a_guide() -> None:
    lines = [step.line for page in GUIDES for step in steps(page.read_text("utf-8")) if isinstance(step, Command)]
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


def test_the_instructions_for_a_model_are_those_of_the_default_kit() -> None:
    page = read("docs/guide/models.md")
    assert example_block() in page
    assert " ".join(kit(DEFAULT_KIT).reminder.split()) in " ".join(page.split())


def test_a_guide_is_short() -> None:
    assert [page.name for page in GUIDES[1:] if len(page.read_text("utf-8").split("\n")) > 201] == []
