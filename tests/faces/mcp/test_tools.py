"""The tools of `editblocks mcp`, called by the SDK's own client from a process of its own."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp_types import Tool
from support.applykit import CART, CHANGE, CREATE, FITS, NEW_CART, PARTLY, TAX, Run, block, changed
from support.gitkit import git, line
from support.killkit import folder_state
from support.mcpkit import Call, Reply, agent, ask, ask_one, converse
from support.project import ROOT
from support.records import interrupt, kept

from editblocks.faces import mcp as server
from editblocks.faces.mcp import TOOLS, call

Ask = Callable[..., Reply]
TWICE = block("src/cart.py", "def", "DEF")
SCHEMA = json.loads((ROOT / "src/editblocks/report/results.schema.json").read_text("utf-8"))


def state(root: Path) -> dict[str, object]:
    """Files, index, refs and records."""
    index = (root / ".git/index").read_bytes()
    return {
        **folder_state(root),
        "index": index,
        "refs": git(root, "for-each-ref"),
        "HEAD": line(root, "rev-parse", "HEAD"),
    }


def listed(shop: Path) -> dict[str, Tool]:
    async def talk() -> dict[str, Tool]:
        async with agent(shop) as client:
            assert client.server_info is not None
            assert client.server_info.name == "editblocks"
            assert client.instructions == server.instructions()
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    return converse(talk)


# read_only, destructive, idempotent; arguments; those that are required
TABLE: Mapping[str, tuple[tuple[bool, bool, bool], set[str], list[str]]] = {
    "check_edits": ((True, False, True), {"answer", "only", "partial"}, ["answer"]),
    "apply_edits": ((False, True, False), {"answer", "only", "partial", "dry_run"}, ["answer"]),
    "retry_prompt": ((True, False, True), {"answer", "only", "fresh"}, ["answer"]),
    "undo": ((False, True, False), {"id", "redo"}, []),
    "explain": ((True, False, True), {"code"}, []),
}


@pytest.mark.long
def test_the_tools_and_what_they_say_of_themselves(shop: Path) -> None:
    found = listed(shop)
    assert list(found) == list(TABLE)
    for name, (hints, arguments, required) in TABLE.items():
        tool = found[name]
        noted = tool.annotations
        assert noted is not None
        assert (noted.read_only_hint, noted.destructive_hint, noted.idempotent_hint) == hints
        assert noted.open_world_hint is False
        assert tool.title
        assert tool.description
        assert set(tool.input_schema["properties"]) == arguments
        assert tool.input_schema["required"] == required
        assert tool.input_schema["additionalProperties"] is False


def test_what_an_agent_is_told_first_fits_in_two_thousand_characters() -> None:
    assert len(server.instructions()) <= 2000


ANSWERS = {
    "all fit": FITS,
    "one fails": PARTLY,
    "two places": TWICE,
    "no blocks": "I would change the total.\n",
    "nothing": "",
    "never closed": CHANGE.partition(">>>>>>>")[0],
    "a path outside": block("../other.py"),
    "an absolute path": block("/etc/passwd"),
    "git's own file": block(".git/config"),
    "a protected file": block(".github/workflows/ci.yml", "", "on: push\n"),
    "the policy": block(".editblocks.yml", "", "matching: loose\n"),
    "no such file": block("src/gone.py"),
    "characters of other planes": CHANGE + "\U0001f600 é \u2028\n",
    "front matter": f"---\ntitle: Round totals\n---\n{CHANGE}",
}


@pytest.mark.long
def test_the_json_and_the_text_are_those_of_the_command_line(shop: Path, run: Run) -> None:
    replies = ask(shop, *[("check_edits", {"answer": answer}) for answer in ANSWERS.values()])
    for what, reply in zip(ANSWERS, replies, strict=True):
        answer = ANSWERS[what]
        messages = reply.members.get("messages", [])
        result = {name: value for name, value in reply.members.items() if name != "messages"}
        assert result == json.loads(run("check", "-", "--format", "json", stdin=answer).out), what
        assert reply.text == run("check", "-", stdin=answer).out + "".join(f"{each}\n" for each in messages), what
        assert not reply.is_error, what


@pytest.mark.long
def test_a_call_that_is_not_to_write_writes_nothing(shop: Path) -> None:
    before = state(shop)
    calls: list[Call] = [("explain", {})]
    for name in ("check_edits", "apply_edits", "retry_prompt"):
        calls += [(name, {"answer": PARTLY}), (name, {"answer": FITS})]
    ask(shop, *calls)
    assert state(shop) == before


@pytest.mark.long
def test_a_dry_run_says_so(shop: Path) -> None:
    replies = ask(shop, ("apply_edits", {"answer": FITS}), ("apply_edits", {"answer": FITS, "dry_run": True}))
    for reply in replies:
        assert reply.text.endswith("2 ready\ndry run: nothing was written\n")
        assert (reply.members["written"], reply.members["outcome"]) == (False, "ok")
        assert not reply.is_error


def test_apply_writes_and_undo_takes_back(shop: Path) -> None:
    before = state(shop)
    seen = []
    write: Call = ("apply_edits", {"answer": FITS, "dry_run": False})
    calls: list[Call] = [write, write, ("undo", {}), ("undo", {"redo": True})]
    wrote, again, undone, redone = ask(shop, *calls, between=lambda: seen.append(changed(shop)))
    (name,) = kept(shop)
    new = {"src/cart.py": NEW_CART, "src/tax.py": TAX}
    assert seen == [new, new, {}, new]
    assert wrote.members["undo"] == name
    assert (wrote.members["written"], wrote.is_error) == (True, False)
    assert f"undo with: editblocks undo {name}" in wrote.text
    assert (again.members["written"], again.members["outcome"], again.is_error) == (False, "ok", False)
    assert "undo" not in again.members
    assert undone.text == f"undid {name}: restored src/cart.py; removed src/tax.py; redo with: editblocks undo --redo\n"
    assert redone.text.startswith(f"redid {name}: ")
    after = state(shop)
    assert (after["HEAD"], after["index"]) == (before["HEAD"], before["index"])


@pytest.mark.long
def test_undo_of_the_write_that_is_named(shop: Path) -> None:
    first, second = ask(
        shop,
        ("apply_edits", {"answer": CHANGE, "dry_run": False}),
        ("apply_edits", {"answer": CREATE, "dry_run": False}),
    )
    assert first.members["undo"] != second.members["undo"]
    ask_one(shop, "undo", id=first.members["undo"])
    assert changed(shop) == {"src/tax.py": TAX}


@pytest.mark.long
def test_one_block_that_fails_keeps_all_from_being_written(shop: Path, ask: Ask) -> None:
    reply = ask("apply_edits", answer=PARTLY, dry_run=False)
    assert changed(shop) == {}
    assert reply.is_error
    assert "nothing written: 1 of 2 blocks failed" in reply.text
    assert reply.members["retry_prompt"]


@pytest.mark.long
@pytest.mark.parametrize("choice", [{"only": "ready"}, {"partial": True}], ids=["only", "partial"])
def test_the_blocks_that_fit_are_written_if_they_are_chosen(shop: Path, ask: Ask, choice: Mapping[str, Any]) -> None:
    reply = ask("apply_edits", answer=PARTLY, dry_run=False, **choice)
    assert changed(shop) == {"src/cart.py": NEW_CART}
    assert (reply.members["written"], reply.members["mode"], reply.is_error) == (True, "partial", False)


@pytest.mark.long
def test_files_and_settings_are_read_anew_for_each_call(shop: Path) -> None:
    """A server lives for days; what it read for one call must not count in the next."""
    steps: list[tuple[str, str]] = [
        ("src/cart.py", CART.decode().replace("return 1\n", "return 3\n")),
        ("src/cart.py", CART.decode()),
        (".editblocks.yml", "deny-paths: [src/**]\n"),
        (".editblocks.yml", "colour: blue\n"),
        ("README.md", "# Shop\n"),
    ]

    def change() -> None:
        path, text = steps.pop(0)
        (shop / path).write_text(text)

    check: Call = ("check_edits", {"answer": CHANGE})
    replies = ask(shop, *[check] * len(steps), between=change)
    codes = [[row["code"] or row["verdict"] for row in reply.members.get("blocks", ())] for reply in replies]
    assert codes == [["ready"], ["no-match"], ["ready"], ["not-allowed"], []]
    assert replies[-1].is_error
    assert replies[-1].text.startswith("editblocks: bad-config: .editblocks.yml line 1: ")


@pytest.mark.long
def test_a_policy_that_forbids(shop: Path, ask: Ask) -> None:
    (shop / ".editblocks.yml").write_text("deny-paths: [src/cart.py]\n")
    reply = ask("apply_edits", answer=CHANGE, dry_run=False)
    assert reply.is_error
    assert list(changed(shop)) == [".editblocks.yml"]
    assert "not-allowed" in reply.text


@pytest.mark.long
def test_no_tool_reaches_what_blocks_may_not_change(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("x\n")
    before = state(shop)
    places = ("a path outside", "an absolute path", "git's own file", "a protected file", "the policy")
    replies = ask(shop, *[("apply_edits", {"answer": ANSWERS[place], "dry_run": False}) for place in places])
    codes = [[row["code"] for row in reply.members["blocks"]] for reply in replies]
    assert codes == [["unsafe-path"], ["unsafe-path"], ["unsafe-path"], ["not-allowed"], ["not-allowed"]]
    assert all(reply.is_error for reply in replies)
    assert state(shop) == before
    assert (tmp_path / "other.py").read_text() == "x\n"


@pytest.mark.long
def test_an_answer_longer_than_the_limit_is_one_sentence(shop: Path) -> None:
    (shop / ".editblocks.yml").write_text("max-response-bytes: 2000\n")
    long = CHANGE + "words " * 1000
    replies = ask(shop, ("check_edits", {"answer": long}), ("apply_edits", {"answer": long, "dry_run": False}))
    for reply in replies:
        assert [row["code"] for row in reply.members["blocks"]] == ["too-large"]
        assert reply.text.count("too-large") >= 1
        assert len(reply.text) < 500


@pytest.mark.long
def test_a_session_longer_than_the_limit_of_answers_is_read_to_its_end(shop: Path, ask: Ask) -> None:
    """Cut off, its last calls would be missing, and nothing would say so."""
    (shop / ".editblocks.yml").write_text("max-response-bytes: 2000\n")
    reading = json.dumps({"name": "Read", "input": {"path": "README.md", "limit": 1}})
    edit = json.dumps({"file_path": "src/cart.py", "old_string": "return 1", "new_string": "return 10"})
    assert ask("check_edits", answer=f"{reading}\n" * 100 + edit).members["summary"]["total"] == 1


@pytest.mark.long
def test_what_is_sent_back_for_failed_blocks(shop: Path, run: Run) -> None:
    calls: list[Call] = [
        ("retry_prompt", {"answer": PARTLY}),
        ("retry_prompt", {"answer": PARTLY, "fresh": True}),
        ("retry_prompt", {"answer": PARTLY, "only": "1"}),
        ("retry_prompt", {"answer": FITS}),
        ("retry_prompt", {"answer": "no blocks\n"}),
    ]
    usual, fresh, chosen, fits, none = ask(shop, *calls)
    assert usual.text == run("retry", "-", stdin=PARTLY).out
    assert fresh.text == run("retry", "-", "--fresh", stdin=PARTLY).out
    assert len(fresh.text) > len(usual.text)
    assert chosen.text == "editblocks: none of these blocks failed, so there is nothing to ask for\n"
    assert fits.text == "editblocks: no block failed, so there is nothing to ask for\n"
    assert none.text.startswith("Your answer holds no edit block")
    assert not any(reply.is_error for reply in (usual, fresh, chosen, fits, none))


@pytest.mark.long
def test_what_a_reason_means(shop: Path, run: Run) -> None:
    one, all_of_them = ask(shop, ("explain", {"code": "no-match"}), ("explain", {}))
    assert one.text == run("explain", "no-match").out
    assert all_of_them.text == run("explain").out


REFUSED: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "no answer": ("check_edits", {}, "check_edits needs answer: the whole answer with its edit blocks, as text"),
    "an answer that is a number": ("check_edits", {"answer": 1}, "answer of check_edits must be a string"),
    "an answer that is null": ("check_edits", {"answer": None}, "answer of check_edits must be a string"),
    "an unknown argument": ("check_edits", {"anser": ""}, "check_edits has no argument `anser`; did you mean answer?"),
    "a folder": (
        "check_edits",
        {"answer": "", "root": "/"},
        "check_edits has no argument `root`; use one of answer, only, partial",
    ),
    "a word for true": (
        "apply_edits",
        {"answer": FITS, "dry_run": "false"},
        "dry_run of apply_edits must be a boolean",
    ),
    "a number for false": (
        "apply_edits",
        {"answer": FITS, "dry_run": 0},
        "dry_run of apply_edits must be a boolean",
    ),
    "an empty choice": (
        "check_edits",
        {"answer": FITS, "only": ""},
        "`` has an empty part; name blocks, as in `1-3,4@48`",
    ),
    "two choices": (
        "apply_edits",
        {"answer": FITS, "only": "1", "partial": True},
        "--only and --partial cannot be used together; leave one of them out",
    ),
    "nothing to undo": ("undo", {}, "nothing to undo; see editblocks undo --list"),
    "an id like an option": ("undo", {"id": "--list"}, "there is no apply `--list` here; see editblocks undo --list"),
    "an unknown code": ("explain", {"code": "no-mtch"}, "there is no code `no-mtch`; did you mean `no-match`?"),
}


@pytest.mark.long
def test_what_cannot_be_done_is_a_code_and_a_sentence(shop: Path) -> None:
    before = state(shop)
    replies = ask(shop, *[(name, arguments) for name, arguments, _ in REFUSED.values()])
    for what, reply in zip(REFUSED, replies, strict=True):
        assert reply == Reply(f"editblocks: bad-command: {REFUSED[what][2]}\n", {}, True), what
    assert state(shop) == before


NOT_THERE = {
    "7": "there is no block 7; the answer has only block 1",
    "--root=/": "no block changes `--root=/`; the answer names `src/cart.py`",
}


@pytest.mark.long
def test_a_choice_of_blocks_that_are_not_there_is_refused(shop: Path) -> None:
    replies = ask(shop, *[("apply_edits", {"answer": CHANGE, "only": only, "dry_run": False}) for only in NOT_THERE])
    for sentence, reply in zip(NOT_THERE.values(), replies, strict=True):
        assert reply.is_error
        assert reply.text == f"editblocks: {sentence}\n"
        assert reply.members["refusal"]["code"] == "bad-command"
    assert changed(shop) == {}


@pytest.mark.long
def test_a_tool_that_is_none(shop: Path) -> None:
    async def talk() -> None:
        async with agent(shop) as client:
            with pytest.raises(MCPError, match=r"there is no tool `aply_edits`; did you mean apply_edits\?"):
                await client.call_tool("aply_edits", {})

    converse(talk)


@pytest.mark.long
def test_calls_at_once_are_handled_one_after_the_other(shop: Path) -> None:
    answers = [CREATE.replace("tax", f"tax{number}") for number in range(5)]

    async def talk() -> list[bool]:
        results = []
        async with agent(shop) as client:

            async def write(answer: str) -> None:
                result = await client.call_tool("apply_edits", {"answer": answer, "dry_run": False})
                results.append(Reply.of(result).members["written"])

            async with anyio.create_task_group() as tasks:
                for answer in answers:
                    tasks.start_soon(write, answer)
        return results

    assert converse(talk) == [True] * 5
    assert changed(shop) == {f"src/tax{number}.py": TAX for number in range(5)}
    assert set(kept(shop).values()) == {"done"}
    assert len(kept(shop)) == 5


@pytest.mark.long
def test_what_has_to_be_known_beside_the_rows_is_a_message(shop: Path) -> None:
    wrote = ask_one(shop, "apply_edits", answer=CHANGE, dry_run=False)
    interrupt(shop, wrote.members["undo"])
    sentence = (
        "editblocks: an apply or undo was interrupted or is still running, so files may be half written; "
        "the next apply or undo repairs it"
    )
    reply, after = ask(shop, ("check_edits", {"answer": CREATE}), ("apply_edits", {"answer": CREATE, "dry_run": False}))
    assert reply.members["messages"] == [sentence]
    assert reply.text.endswith(f"{sentence}\n")
    done = f"editblocks: the apply {wrote.members['undo']} was interrupted and is now finished"
    assert after.members["messages"] == [done]


@pytest.mark.long
def test_a_write_that_cannot_be_undone_says_so(shop: Path, run: Run) -> None:
    def damage() -> None:
        if (shop / ".git").exists():
            (shop / ".git").rename(shop.with_name("moved"))

    write = {"answer": CREATE, "dry_run": False}
    _, reply = ask(shop, ("check_edits", {"answer": CREATE}), ("apply_edits", write), between=damage)
    assert reply.members["written"]
    assert "undo" not in reply.members
    (said,) = reply.members["messages"]
    assert said.startswith(f"editblocks: {shop} is not a git repository, so this apply cannot be undone; ")
    code, _, told = run("apply", "-", stdin=CHANGE)
    assert code == 0
    assert told.startswith(f"{said}\n")


def test_a_bug_is_a_sentence_whose_place_is_in_the_log(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(root: Path, given: Mapping[str, Any]) -> server.Reply:
        return server.Reply(bool(1 // len(given)))

    reply = call(TOOLS[0]._replace(arguments=(), run=broken), shop, {})
    assert reply.is_error
    assert reply.text.startswith("editblocks: internal: unexpected ZeroDivisionError in test_tools.py:")
    assert reply.text.count("\n") == 1
    assert f"{__file__}:" in capsys.readouterr().err


def test_an_interrupt_ends_the_server_and_not_only_the_call(shop: Path) -> None:
    def interrupted(root: Path, given: Mapping[str, Any]) -> server.Reply:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(TOOLS[0]._replace(arguments=(), run=interrupted), shop, {})
