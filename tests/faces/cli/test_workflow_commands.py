"""No line that we print is a workflow command: docs/internals/security.md, "logs and outputs" (S11)."""

import os
import subprocess
import sys
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


@pytest.mark.parametrize("on_a_runner", [True, False])
@pytest.mark.parametrize("line", LINES)
@pytest.mark.long
def test_nothing_that_is_printed_is_a_workflow_command(
    shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str, on_a_runner: bool
) -> None:
    if on_a_runner:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = runner(capfd, monkeypatch)
    log, stdout = os.pipe()  # what a runner reads; pytest captures into a file
    name = f"{line}.md"
    for path in (name, f".edits/{name}"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(answer(line), "utf-8")
    gitkit.git(shop, "add", "--all")
    for command in COMMANDS:
        # off a runner, a pipe may lead to git, to a model or to a script
        is_exact = not on_a_runner and ("--paths" in command or command.split()[0] in {"diff", "retry"})
        with monkeypatch.context() as patch, os.fdopen(os.dup(stdout), "w", encoding="utf-8") as stream:
            patch.setattr(sys, "stdout", stream)
            done = run(*(name if word == "NAME" else word for word in command.split()))
            stream.write("\nend")
        out = os.read(log, 1 << 16).decode("utf-8", "replace")
        assert (done.code in {0, 1, 2}, out[-4:]) == (True, "\nend")
        printed = done.err if is_exact else f"{out}\n{done.err}"
        assert not list(parse_commands(printed)), command
    os.close(log)
    os.close(stdout)


@pytest.mark.long
def test_in_a_job_a_prompt_with_a_command_in_it_goes_to_a_file(shop: Path, tmp_path: Path) -> None:
    (shop / "reply.md").write_text(block("src/cart.py", "    return 2 + 2\n::set-output name=x::y\n"))
    command = [sys.executable, "-I", "-m", "editblocks", "retry", "--fresh", "reply.md"]
    environ = {**os.environ, "GITHUB_ACTIONS": "true"}
    piped = subprocess.run(command, cwd=shop, env=environ, capture_output=True, text=True, check=False)
    words = "GitHub Actions would run a line of this as a command; write it to a file with >"
    assert (piped.returncode, piped.stdout, piped.stderr) == (2, "", f"editblocks: {words}\n")
    with (tmp_path / "prompt").open("wb") as file:
        subprocess.run(command, cwd=shop, env=environ, stdout=file, stderr=subprocess.DEVNULL, check=False)
    assert "\n::set-output name=x::y\n" in (tmp_path / "prompt").read_text()
