"""What editors are given to read our rows: it is tried on what is printed."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.applykit import Run, block, make_shop, runner
from support.hookkit import SCRIPTS, search_path
from support.pages import fences, read
from support.project import EXAMPLES

REPLY = block("src/app.py", "nothing\n", "b\n") + block("none.py", "a\n", "b\n")
FILES = {"src/app.py": b"a\n"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    shop = make_shop(tmp_path, monkeypatch, FILES)
    (shop / "reply.md").write_text(REPLY)
    return runner(capfd, monkeypatch)


def test_the_matcher_of_the_task_finds_each_row_that_failed(run: Run) -> None:
    tasks = json.loads((EXAMPLES / "vscode-tasks.json").read_text("utf-8"))["tasks"]
    assert [task["args"][0] for task in tasks] == ["check", "apply"]
    pattern = tasks[0]["problemMatcher"]["pattern"]
    printed = run("check", "--quiet", "reply.md").out.splitlines()
    found = [match for match in map(re.compile(pattern["regexp"]).match, printed) if match]
    keys = ("file", "line", "code")
    assert [[match[pattern[key]] for key in keys] for match in found] == [
        ["src/app.py", None, "no-match"],
        ["none.py", None, "file-not-found"],
    ]


@pytest.mark.skipif(shutil.which("nvim") is None, reason="nvim is not installed")
def test_the_lines_for_neovim_fill_its_list(run: Run, tmp_path: Path) -> None:
    assert run("check", "reply.md").code == 1
    [lines] = fences(read("docs/guide/editors.md"), "vim")
    (tmp_path / "init.vim").write_text(lines)
    ask = "call writefile(map(getqflist(), {_, each -> bufname(each.bufnr) . ' ' . each.text}), 'list')"
    command = ["nvim", "--headless", "-u", "NONE", "-S", str(tmp_path / "init.vim")]
    environment = {**os.environ, "PATH": search_path(SCRIPTS)}
    keys = ["-c", "EditblocksCheck reply.md", "-c", ask, "-c", "qa!"]
    subprocess.run([*command, *keys], check=True, capture_output=True, env=environment)
    listed = Path("list").read_text("utf-8").splitlines()
    assert [line.split(":")[0] for line in listed[:2]] == ["src/app.py no-match", "none.py file-not-found"]
