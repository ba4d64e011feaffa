"""docs/guide/agents.md says what the server does."""

import json
import re
from pathlib import Path

import pytest
from support.applykit import make_shop
from support.mcpkit import ask_one
from support.pages import code, fences, read, table

from editblocks.faces.cli.arguments import parse
from editblocks.faces.mcp import TOOLS

PAGE = read("docs/guide/agents.md")


def test_the_table_of_tools() -> None:
    rows = table(PAGE, "tool")
    shown = {code(row[0]): re.findall("`([a-z_]+)`", row[1]) for row in rows}
    assert shown == {tool.name: [each.name for each in tool.arguments] for tool in TOOLS}
    assert {code(row[0]) for row in rows if row[3] == "never"} == {tool.name for tool in TOOLS if not tool.writes}


def test_the_settings_for_agents_start_the_server() -> None:
    cursor, code_editor = (json.loads(text) for text in fences(PAGE, "json"))
    servers = [cursor["mcpServers"]["editblocks"], code_editor["servers"]["editblocks"]]
    calls = [[server["command"], *server["args"]] for server in servers]
    calls += [text.split(" -- ")[1].split() for text in fences(PAGE, "sh") if " -- " in text]
    assert len(calls) == 4
    for program, *words in calls:
        assert program == "editblocks"
        options = parse(words)
        assert options is not None
        assert options.command == "mcp"


@pytest.mark.long
def test_what_the_agent_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cart,) = fences(PAGE, "python")[:1]
    answer, reply = fences(PAGE, "text")
    shop = make_shop(tmp_path, monkeypatch, {"src/cart.py": cart.encode()})
    sent = ask_one(shop, "apply_edits", answer=answer, dry_run=False)
    assert sent.text == reply
    assert sent.is_error
