"""`prompt`: what it prints for each combination of options, and what does not go together."""

import json
import re
from pathlib import Path

import pytest
from support.applykit import Run
from support.hookkit import Ran
from support.pages import read, table

from editblocks.core.settings import KITS
from editblocks.faces.cli.commands import EXAMPLES
from editblocks.prompts.context import kit, kit_messages, kit_text

SETTING = "a file is replaced as a whole only with --whole-files all, or `whole-files: all` in .editblocks.yml\n"
CALLS = {
    "": kit_text(kit("diff-fenced")),
    "--format diff": kit_text(kit("diff")),
    "--format edit-v3 --no-example": kit("edit-v3").system,
    "--format diff --no-shell": kit_text(kit("editor-diff")),
    "--format bolt-edit --file-or-edit": kit_text(kit("bolt-edit", file_or_edit=True)),
    "--format v4a --file-or-edit --no-shell": kit_text(kit("v4a", commands=False, file_or_edit=True)),
    "--reminder": kit("diff-fenced").reminder,
    "--format edit-v2 --reminder --no-shell": kit("edit-v2").reminder,
}


@pytest.mark.parametrize("arguments", CALLS)
def test_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Run, arguments: str) -> None:
    monkeypatch.chdir(tmp_path)  # no repository is needed
    is_set = "bolt-edit --file-or-edit" in arguments
    assert call("prompt", *arguments.split()) == Ran(0, f"{CALLS[arguments]}\n", SETTING if is_set else "")
    assert not any(path.name != "home" for path in tmp_path.iterdir())


@pytest.mark.parametrize("name", ["diff-fenced", "edit-v3"])
def test_messages_are_json(call: Run, name: str) -> None:
    ran = call("prompt", "--messages", "--format", name)
    assert (ran.code, ran.err, json.loads(ran.out)) == (0, "", kit_messages(kit(name)))
    ran = call("prompt", "--messages", "--no-example", "--format", name)
    assert json.loads(ran.out) == [{"role": "system", "content": kit(name).system}]


REFUSED = {
    "--format json": "--format is `json`; use one of diff, diff-fenced, ",
    "--format edit_v2": "--format is `edit_v2`; did you mean edit-v2?",
    "--reminder --messages": "--reminder and --messages cannot be used together",
    "--no-example --reminder": "--reminder and --no-example cannot be used together",
    "reply.md": "`reply.md` is one argument too many",
    "--file-and-edit": "prompt has no option `--file-and-edit`; did you mean `--file-or-edit`?",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_is_refused(call: Run, arguments: str) -> None:
    ran = call("prompt", *arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: {REFUSED[arguments]}")


def test_help_names_every_format() -> None:
    words = EXAMPLES["prompt"].replace(",", " ").replace(".", " ").split()
    assert set(KITS) <= set(words)


def test_the_page_says_what_each_format_is() -> None:
    rows = table(read("docs/reference/command-line.md"), "`--format`")
    assert {name for row in rows for name in re.findall("`([a-z0-9-]+)`", row[0])} == set(KITS)
