"""No line that we print is a workflow command: docs/internals/security.md, "logs and outputs" (S11)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import gitkit
from support.applykit import block, runner
from support.hub.runner import parse_commands

LINES = [
    "::set-output name=x::y",
    "::stop-commands::word",
    "::warning::x.md",
    "  ::error file=a::b",
    "\u3000::error::wide blank",
    "##[group]x",
    "a ##[error]b",
    "###[warning]c",
]
COMMANDS = [
    "check NAME",
    "check -q NAME",
    "check -v NAME",
    "check --paths NAME",
    "check --format markdown NAME",
    "check --format json NAME",
    "check --format jsonl NAME",
    "check --format sarif NAME",
    "check --format rdjsonl NAME",
    "apply NAME",
    "apply --partial --only 1 NAME",
    "apply --partial NAME",
    "undo",
    "undo --list",
    "diff NAME",
    "diff --partial -v NAME",
    "retry NAME",
    "retry --fresh NAME",
    "explain NAME",
    "NAME",
    "check --matching NAME x",
    "hook pre-commit",
    "hook leftovers NAME",
    "hook apply NAME",
]


def answer(line: str) -> str:
    """Blocks that fit, fail and cannot be read, and each thing in them that is shown somewhere is the line."""
    blocks = [
        block("src/cart.py", "    return 1\n", f"{line}\n    return 10\n"),
        f'<boltAction type="file" filePath="{line.strip()}">\nx\n</boltAction>\n',
        block(line, "a\n", "b\n"),
        block("src/cart.py", f"{line}\n    return 2 + 2\n", "    return 4\n"),
        f"README.md\n<<<<<<< SEARCH\n{line}\n",
    ]
    return f"{line}\n\n```sh\n{line}\n```\n\n" + "\n".join(blocks)


@pytest.mark.parametrize("on_a_runner", [False, True])
@pytest.mark.parametrize("line", LINES)
def test_nothing_that_is_printed_is_a_workflow_command(
    shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str, on_a_runner: bool
) -> None:
    if on_a_runner:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = runner(capfd, monkeypatch)
    name = f"{line}.md"
    for path in (name, f".edits/{name}"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(answer(line), "utf-8")
    gitkit.git(shop, "add", "--all")
    for command in COMMANDS:
        # off a runner, a pipe may lead to git, to a model or to a script
        is_exact = not on_a_runner and ("--paths" in command or command.split()[0] in {"diff", "retry"})
        done = run(*(name if word == "NAME" else word for word in command.split()))
        assert done.code in {0, 1, 2}
        printed = done.err if is_exact else f"{done.out}\n{done.err}"
        assert not list(parse_commands(printed)), command
