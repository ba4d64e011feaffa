"""Which calls of a session count, and what is said of the others. The records look as each tool writes them."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from support.parsecases import X
from support.sessionkit import (
    PATCH,
    ROOT,
    TAX,
    began,
    came_of,
    chat,
    event,
    failed,
    function,
    item,
    lines,
    model,
    patched,
    put_out,
    ran,
    spoken,
    text,
    tool,
    turn,
    used,
    user,
)

from editblocks import EditBlock, ParseResult, Problem, Settings, StreamParser, apply_response, parse_response
from editblocks.core.blocks import BlockStarted
from editblocks.core.outcome import Part
from editblocks.parsing.parse import formats_named, parse_parts
from editblocks.parsing.session_records import RECORD_BYTES, SESSION_BYTES, is_session
from editblocks.parsing.transcripts import ClineResults

CART = f"{ROOT}/cart.py"
FINE = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM cart.py\n"
BROKEN = "Exit code: 1\nWall time: 0 seconds\nOutput:\nFailed to find expected lines in cart.py\n"
REFUSED = "apply_patch verification failed: Failed to find expected lines in cart.py:\nTAX = 19"
WRITE = "<write_to_file>\n<path>cart.py</path>\n<content>\nTAX = 7\n</content>\n</write_to_file>"
DIFF = (
    "<replace_in_file>\n<path>cart.py</path>\n<diff>\n<<<<<<< SEARCH\nTAX = 19\n=======\nTAX = 7\n"
    ">>>>>>> REPLACE\n</diff>\n</replace_in_file>"
)
RESULT = "[write_to_file for 'cart.py'] Result:"
READ: dict[str, Any] = {"name": "Read", "file_path": CART}
VIEW = "     1\tTAX = 19\n     2\tSHIPPING = 5\n"
INSERT: dict[str, Any] = {"command": "insert", "path": CART, "insert_line": 1, "insert_text": "FREE = 50\n"}


NO_RESULT = "1 call has no result, so it was read as a proposal"


def shown(parsed: ParseResult) -> list[str]:
    """A line for each row, and one for each note."""
    rows: list[str] = []
    found: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    for row in sorted(found, key=lambda row: row.number):
        what = f"{row.number} {row.file_path} {row.line_number}-{row.end_line}"
        if isinstance(row, EditBlock):
            what += f": {row.format}"
            what += " run" if row.call is not None and row.call.was_run else ""
        else:
            what += f": {row.code.value}"
        rows.append(what)
    return [*rows, *(f"{note.code} {note.line_number}: {note.message}" for note in parsed.notes)]


def row(line: int, number: int = 1, path: str = CART, form: str = "tool-replace run") -> str:
    return f"{number} {path} {line}-{line}: {form}"


def not_run(line: int, path: str = "cart.py") -> str:
    return f"not-run {line}: 1 call failed when it was made: {path} at line {line}"


def missing(line: int, path: str = "cart.py") -> str:
    return f"result-missing {line}: {NO_RESULT}: {path} at line {line}"


WHERE = "inside other text, below another key or of an unknown tool"
NOT_READ = f"{WHERE}, so it is not read; ask for JSON alone on its line"
IN_TEXT = f"the tool call at line 6 is {NOT_READ}"
CLAUDE = {
    "a call that succeeded": ([used("t1"), came_of("t1")], [row(1)]),
    "one that failed": ([used("t1"), failed("t1")], [not_run(1)]),
    "one without a result": ([used("t1"), spoken(text("done"))], [row(1, form="tool-replace"), missing(1)]),
    "a result without a call": ([came_of("t0"), used("t1"), came_of("t1")], [row(2)]),
    "a call again, with its id": ([used("t1"), came_of("t1"), used("t1"), came_of("t1")], [row(1)]),
    "calls below another key": (
        [used("t1", "Batch", changes=[TAX]), came_of("t1"), used("t2", "Batch", changes=[TAX]), failed("t2")],
        [f"unread-call 1: the tool call at line 1 is {NOT_READ}"],
    ),
    "another call, with the same id": (
        [used("t1"), came_of("t1"), used("t1", file_path="b.py", content="x\n"), came_of("t1")],
        [row(1), row(3, 2, f"{ROOT}/b.py", "malformed")],
    ),
    "another call that failed, with the same id": (
        [used("t1"), came_of("t1"), used("t1", "Write", file_path="b.py", content="x\n"), failed("t1")],
        [row(1), row(3, 2, f"{ROOT}/b.py", "malformed")],
    ),
    "a call again, with its id, after it failed": (
        [used("t1"), failed("t1"), used("t1"), came_of("t1")],
        [not_run(1)],
    ),
    "two calls with an id, told again after the second failed": (
        [
            *(used("t1"), came_of("t1"), used("t1", file_path="b.py", content="x\n"), failed("t1")),
            *(used("t1"), came_of("t1"), used("t1", file_path="b.py", content="x\n"), failed("t1")),
        ],
        [
            row(1),
            row(3, 2, f"{ROOT}/b.py", "malformed"),
            row(5, 3, form="malformed"),
            row(7, 4, f"{ROOT}/b.py", "malformed"),
        ],
    ),
    "a call that failed, told again with another key": (
        [
            used("t1"),
            failed("t1"),
            spoken({"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX, "caller": {}}),
        ],
        [not_run(1)],
    ),
    "a call that succeeded, told again with another key": (
        [
            used("t1"),
            came_of("t1"),
            spoken({"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX, "caller": {}}),
        ],
        [row(1)],
    ),
    "a call that failed, and another one with its id": (
        [used("t1"), failed("t1"), used("t1", file_path="b.py", content="x\n"), spoken(text("so"))],
        [row(3, 1, f"{ROOT}/b.py", "malformed"), not_run(1), missing(3, "b.py")],
    ),
    "another call with the same id, whose arguments have no known key": (
        [
            spoken({"id": "t1", **TAX}),
            came_of("t1"),
            spoken({"id": "t1", **TAX, "file_path": "b.py"}),
        ],
        [row(1), row(3, 2, f"{ROOT}/b.py", "malformed"), missing(3, "b.py")],
    ),
    "a call that succeeded, and then failed": (
        [
            used("t1"),
            came_of("t1"),
            used("t1"),
            failed("t1"),
            used("t2", file_path="b.py", content="x\n"),
            came_of("t2"),
        ],
        [row(5, 1, "b.py", "tool-write run"), not_run(1)],
    ),
    "a call that failed, told again": (
        [used("t1"), failed("t1"), used("t1"), spoken(text("so"))],
        [not_run(1)],
    ),
    "the same call, with another id": (
        [used("t1"), failed("t1"), used("t2"), came_of("t2")],
        [row(3), not_run(1)],
    ),
    "several in a message": (
        [
            spoken(
                {"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX},
                {"type": "tool_use", "id": "t2", "name": "Write", "input": {"file_path": "b.py", "content": "x\n"}},
            ),
            came_of("t2"),
            failed("t1"),
        ],
        [row(1, path="b.py", form="tool-write run"), not_run(1)],
    ),
    "a result without words": ([used("t1"), came_of("t1", "")], [row(1)]),
    "a result whose first sentence has a word of failure": (
        [used("t1"), came_of("t1", "Errors are now written to the log")],
        [not_run(1)],
    ),
    "a call of another agent": (
        [
            {"type": "progress", "cwd": ROOT, "data": {"type": "agent_progress", "message": used("t0")}},
            used("t1"),
            came_of("t1"),
        ],
        [row(2)],
    ),
    "a side chain": ([{**used("t1"), "isSidechain": True}, came_of("t1")], [row(1)]),
    "pairs": (
        [
            used("t1", "MultiEdit", file_path="a.py", edits=[{"old_string": "a", "new_string": "b"}] * 2),
            came_of("t1"),
        ],
        [row(1, path="a.py"), row(1, 2, "a.py")],
    ),
    "a summary, a snapshot, and what a person wrote": (
        [
            {"type": "summary", "summary": json.dumps(TAX), "leafUuid": "u1"},
            {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {"trackedFileBackups": TAX}},
            {"type": "user", "cwd": ROOT, "message": {"role": "user", "content": json.dumps(TAX)}},
            used("t1"),
            came_of("t1"),
        ],
        [row(4)],
    ),
    "thoughts": (
        [spoken({"type": "thinking", "thinking": json.dumps(TAX), "signature": "s"}), used("t1"), came_of("t1")],
        [row(2)],
    ),
    "reads and commands": (
        [used("t1", "Read", file_path=CART), came_of("t1"), used("t2", "Bash", command="ls"), failed("t2")],
        [],
    ),
    "a call of a tool that nobody knows": (
        [spoken({"type": "tool_use", "id": "t1", "name": "Think", "input": {}}), came_of("t1")],
        [],
    ),
    "a view whose arguments are no JSON": (
        [
            spoken({"type": "tool_use", "id": "t1", "name": "Read", "arguments": "a.py"}),
            came_of("t1", VIEW),
        ],
        [],
    ),
    "two calls with one id that failed": (
        [used("t1"), used("t1", file_path="b.py", content="x\n"), failed("t1")],
        [row(1, form="tool-replace"), row(2, 2, f"{ROOT}/b.py", "malformed"), missing(1)],
    ),
    "two calls with one id that succeeded": (
        [used("t1"), used("t1", file_path="b.py", content="x\n"), came_of("t1")],
        [row(1, form="tool-replace"), row(2, 2, f"{ROOT}/b.py", "malformed"), missing(1)],
    ),
    "calls that were interrupted": (
        [
            *(used("t1"), came_of("t1"), used("t2", file_path="b.py", content="x\n")),
            {
                "type": "user",
                "message": {"role": "user", "content": [text("[Request interrupted by user for tool use]")]},
            },
        ],
        [row(1), row(3, 2, "b.py", "tool-write"), missing(3, "b.py")],
    ),
    "calls that were interrupted, below another text": (
        [
            used("t1"),
            {
                "type": "user",
                "message": {
                    "role": "user",
                    "content": [text("<system-reminder>x</system-reminder>"), text("[Request interrupted by user]")],
                },
            },
        ],
        [row(1, form="tool-replace"), missing(1)],
    ),
    "a result that is a record of its own": (
        [used("t1"), {"type": "tool_result", "tool_use_id": "t1", "is_error": True}],
        [not_run(1)],
    ),
    "a result in parts": ([used("t1"), came_of("t1", [text("ok")])], [row(1)]),
    "a result in parts, an error": ([used("t1"), came_of("t1", [text("no")], is_error=True)], [not_run(1)]),
}

CODEX = {
    "a patch that was made": (
        [began(), patched("c1"), put_out("c1", FINE)],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "exit code": ([began(), patched("c1"), put_out("c1", BROKEN)], [not_run(2)]),
    "refused": ([began(), patched("c1"), put_out("c1", REFUSED)], [not_run(2)]),
    "not understood": (
        [began(), patched("c1"), put_out("c1", "failed to parse function arguments: missing field `input`")],
        [not_run(2)],
    ),
    "rejected": ([began(), patched("c1"), put_out("c1", "patch rejected by user")], [not_run(2)]),
    "aborted": ([began(), patched("c1"), put_out("c1", "aborted by user after 3.1s")], [not_run(2)]),
    "exit code in JSON": (
        [began(), patched("c1"), put_out("c1", json.dumps({"output": "no", "metadata": {"exit_code": 1}}))],
        [not_run(2)],
    ),
    "exit code 0 in JSON": (
        [began(), patched("c1"), put_out("c1", json.dumps({"output": "Exit code: 1", "metadata": {"exit_code": 0}}))],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "an output that only resembles JSON": (
        [began(), patched("c1"), put_out("c1", '{"a": 1')],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "a call that was not approved": (
        [
            {"type": "mcp_approval_request", "id": "m1", "name": "edit", "arguments": json.dumps(TAX)},
            {"type": "mcp_approval_response", "approval_request_id": "m1", "approve": False},
        ],
        [],
    ),
    "a call that was approved": (
        [
            {"type": "mcp_approval_request", "id": "m1", "name": "edit", "arguments": json.dumps(TAX)},
            {"type": "mcp_approval_response", "approval_request_id": "m1", "approve": True},
            {
                "type": "mcp_call",
                "id": "m2",
                "approval_request_id": "m1",
                "name": "edit",
                "arguments": json.dumps(TAX),
                "output": "done",
                "error": None,
            },
        ],
        [row(3)],
    ),
    "a call whose output says an error": (
        [
            {"type": "message", "role": "user", "content": []},
            {"type": "mcp_call", "id": "m1", "name": "edit", "arguments": json.dumps(TAX), "output": "Error: no"},
        ],
        [not_run(2, CART)],
    ),
    "the event says that it failed": (
        [began(), patched("c1"), event("patch_apply_end", call_id="c1", success=False), put_out("c1", "done")],
        [not_run(2)],
    ),
    "the event alone": (
        [began(), patched("c1"), event("patch_apply_end", call_id="c1", success=True, stderr="")],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "an output with a switch": (
        [began(), patched("c1"), put_out("c1", {"content": "patch was not applied", "success": False})],
        [not_run(2)],
    ),
    "an item that is not complete": ([began(), patched("c1", status="incomplete")], [not_run(2)]),
    "the event gives the exit code": (
        [began(), patched("c1"), event("exec_command_end", call_id="c1", exit_code=1), put_out("c1", "x")],
        [not_run(2)],
    ),
    "the event gives exit code 0": (
        [began(), patched("c1"), event("exec_command_end", call_id="c1", exit_code=0), put_out("c1", "x")],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "an output in parts": (
        [began(), patched("c1"), put_out("c1", [{"type": "input_text", "text": BROKEN}])],
        [not_run(2)],
    ),
    "a call that failed": ([began(), patched("c1", status="failed")], [not_run(2)]),
    "a patch by the shell": (
        [began(), ran("c1", "apply_patch", PATCH), put_out("c1", FINE, "function_call")],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "a patch by the local shell": (
        [
            began(),
            item("local_shell_call", call_id="c1", action={"type": "exec", "command": ["apply_patch", PATCH]}),
            put_out("c1", "Wall time: 2 seconds\naborted by user", "local_shell_call"),
        ],
        [not_run(2)],
    ),
    "a switch beside a call of the local shell": (
        [
            began(),
            item("local_shell_call", call_id="c1", action={"command": ["apply_patch", PATCH]}, is_error=True),
        ],
        [not_run(2)],
    ),
    "a patch by the local shell, elsewhere": (
        [
            began(),
            item(
                "local_shell_call",
                call_id="c1",
                action={"type": "exec", "command": ["apply_patch", PATCH], "working_directory": f"{ROOT}/src"},
            ),
            put_out("c1", BROKEN, "local_shell_call"),
        ],
        [not_run(2, "src/cart.py")],
    ),
    "operations": (
        [
            began(),
            item("apply_patch_call", call_id="c1", operation={"type": "delete_file", "path": "old.py"}),
            put_out("c1", "no such file", "apply_patch_call", status="failed"),
        ],
        [not_run(2, "old.py")],
    ),
    "an operation that says no more": (
        [
            began(),
            item("apply_patch_call", call_id="c1", operation={"type": "delete_file", "path": "old.py"}),
            put_out("c1", "", "apply_patch_call", status="completed"),
        ],
        ["1 old.py 2-2: tool-file run"],
    ),
    "what was told again": (
        [
            began(),
            {"type": "compacted", "payload": {"message": PATCH, "replacement_history": [TAX]}},
            event("agent_message", message=PATCH),
            item("message", role="user", content=[{"type": "input_text", "text": PATCH}]),
            item("reasoning", summary=[{"type": "summary_text", "text": PATCH}], content=[TAX]),
            patched("c1"),
            put_out("c1", FINE),
        ],
        [row(6, path="cart.py", form="v4a run")],
    ),
    "a turn that a person ended": (
        [began(), patched("c1"), item("message", role="user", content=[text("<turn_aborted>\nx\n</turn_aborted>")])],
        [row(2, path="cart.py", form="v4a"), missing(2, "cart.py")],
    ),
    "a call that failed, without an id": (
        [
            began(),
            item("function_call", name="edit", arguments=json.dumps(TAX), status="failed"),
            patched("c1"),
            put_out("c1", FINE),
        ],
        [row(3, path="cart.py", form="v4a run"), "not-run 2: 1 call failed when it was made: cart.py at line 2"],
    ),
    "a call that began and ended": (
        [began(), patched("c1", status="in_progress"), patched("c1", status="completed"), put_out("c1", FINE)],
        [row(2, path="cart.py", form="v4a run")],
    ),
    "items alone, as in older files": (
        [
            {"id": "s1", "timestamp": "2025-05-07T17:24:21.597Z", "instructions": None},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "edit"}]},
            {"type": "function_call", "name": "edit", "arguments": json.dumps(TAX), "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": BROKEN},
            {"type": "function_call", "name": "edit", "arguments": json.dumps(TAX), "call_id": "c2"},
            {"type": "function_call_output", "call_id": "c2", "output": "ok"},
        ],
        [row(5), not_run(3, CART)],
    ),
    "ids that are numbers": (
        [
            {"type": "function_call", "name": "edit", "arguments": json.dumps(TAX), "id": 0},
            {"type": "function_call_output", "call_id": 0, "output": BROKEN},
            {"type": "function_call", "name": "edit", "arguments": json.dumps(TAX), "call_id": 12345678901},
            {"type": "function_call_output", "call_id": "12345678901", "output": "ok"},
        ],
        [row(3), not_run(1, CART)],
    ),
    "ids that are none": (
        [
            {"type": "function_call", "name": "edit", "arguments": json.dumps(TAX), "call_id": True},
            {"type": "function_call_output", "call_id": True, "output": BROKEN},
        ],
        [row(1, form="tool-replace"), missing(1, CART)],
    ),
}


GEMINI = {"functionCall": {"name": "replace", "args": TAX}}
ANSWERED = {"functionResponse": {"name": "replace", "response": {"output": "done"}}}
REFUSED_BY_GEMINI = {"functionResponse": {"name": "replace", "response": {"error": "0 occurrences"}}}

CHATS = {
    "a call and its result": ([user("edit"), model(tool_calls=[function("c1")]), tool("c1", "done")], [(6, "")]),
    "one that failed": ([model(tool_calls=[function("c1")]), tool("c1", REFUSED)], [(2, "not-run")]),
    "one without a result": ([model("text", tool_calls=[function("c1")])], [(2, "result-missing")]),
    "an older call": (
        [
            model(function_call={"name": "edit", "arguments": json.dumps(TAX)}),
            {"role": "function", "name": "edit", "content": "done"},
        ],
        [(2, "")],
    ),
    "an older call with an empty result": (
        [model(function_call={"name": "edit", "arguments": json.dumps(TAX)}), {"role": "function", "name": "edit"}],
        [(2, "")],
    ),
    "one call in two places": (
        [
            model([{"type": "tool_use", "id": "c1", "name": "edit", "input": TAX}], tool_calls=[function("c1")]),
            tool("c1", "done"),
        ],
        [(2, "")],
    ),
    "an older call that failed": (
        [
            model(function_call={"name": "edit", "arguments": json.dumps(TAX)}),
            {"role": "function", "name": "edit", "content": BROKEN},
        ],
        [(2, "not-run")],
    ),
    "items": (
        [
            model([text("so"), {"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}]),
            user([{"type": "tool_result", "tool_use_id": "t1", "content": "done"}]),
        ],
        [(2, "")],
    ),
    "items that failed": (
        [
            model([{"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}]),
            user([{"type": "tool_result", "tool_use_id": "t1", "is_error": True}]),
        ],
        [(2, "not-run")],
    ),
    "items whose result says it as Cline does": (
        [
            model([{"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}]),
            user(
                [{"type": "tool_result", "tool_use_id": "t1", "content": f"{RESULT}\nThe user denied this operation."}]
            ),
        ],
        [(2, "not-run")],
    ),
    "parts": ([{"role": "model", "parts": [GEMINI]}, {"role": "user", "parts": [ANSWERED]}], [(2, "")]),
    "parts that failed": (
        [{"role": "model", "parts": [GEMINI, GEMINI]}, {"role": "user", "parts": [REFUSED_BY_GEMINI, ANSWERED]}],
        [(2, ""), (2, "not-run")],
    ),
    "thoughts": (
        [{"role": "model", "parts": [{"text": json.dumps(TAX), "thought": True}, GEMINI]}],
        [(2, "result-missing")],
    ),
}


CHUNK = "Chunk ID: 1a\nWall time: 0.01 seconds\nProcess exited with code {}\nOriginal token count: 9\nOutput:\n"
RESULTS = {
    "Codex: patch refused": (REFUSED, True),
    "Codex: patch rejected": ("patch rejected: writing outside of the project", True),
    "Codex: not understood": ("failed to parse function arguments: x", True),
    "Codex: exit code": (BROKEN, True),
    "Codex: exit code 0": (f"{FINE}error: x", False),
    "Codex: exit code below other lines": ("Total output lines: 3\n\nExit code: 1\nx", True),
    "Codex: process": (CHUNK.format(1) + "no", True),
    "Codex: process, code 0": (CHUNK.format(0) + "error: x", False),
    "Codex: rejected": ('exec_command failed for `x`: CreateProcess { message: "Rejected by user" }', True),
    "Codex: command rejected": ("exec command rejected by user", True),
    "Codex: unsupported": ("unsupported call: apply_patch", True),
    "Codex: execution": ("execution error: Io", True),
    "Codex: time": ("command timed out after 1000 milliseconds\nx", True),
    "Codex: aborted": ("aborted", True),
    "Codex: aborted, with time": ("Wall time: 2.3 seconds\naborted by user", True),
    "Codex: aborted, with exit code 0": ('{"output": "aborted by user", "metadata": {"exit_code": 0}}', True),
    "Codex: aborted, below exit code 0": ("Exit code: 0\nWall time: 1 seconds\nOutput:\naborted by user", True),
    "Codex: aborted, process": (CHUNK.format(0) + "aborted by user after 3.1s", True),
    "Codex: other words with exit code 0": ('{"output": "error: x", "metadata": {"exit_code": 0}}', False),
    "Codex: sandbox": ("failed in sandbox: x", True),
    "Codex: script": ("Script failed\nWall time 0.1 seconds", True),
    "Codex: invalid": ("Invalid patch: x", True),
    "Cline: failed": ("The tool execution failed with the following error:\n<error>\nx\n</error>", True),
    "Cline: denied": ("The user denied this operation.", True),
    "Cline: skipped": ("Skipping tool due to user rejecting a previous tool.", True),
    "Cline: error": ("Error: no", True),
    "Cline: ignored": ("Access to cart.py is blocked by the .clineignore file settings.", True),
    "Cline: error below its head": (f"{RESULT}\nError: no", True),
    "Cline: saved": (f"{RESULT}\nThe content was successfully saved to cart.py.", False),
    "Roo Code: denied": ('{"status":"denied","message":"x"}', True),
    "Roo Code: error": (f'{RESULT}\n{{"status":"error","message":"x"}}', True),
    "Roo Code: approved": ('{"status":"approved","feedback":"x"}', False),
    "Claude Code: error": ("<tool_use_error>String to replace not found</tool_use_error>", True),
    "Claude Code: interrupted": ("[Request interrupted by user for tool use]", True),
    "Claude Code: refused": ("The user doesn't want to proceed with this tool use.", True),
    "any: failed": ("Tool execution failed: x", True),
    "any: cancelled": ("Cancelled", True),
    "any: error in JSON": ('{"error": "no"}', True),
    "any: no error in JSON": ('{"error": null, "ok": true}', False),
    "any: error, with words below": ("Error\nno", True),
    "any: an error that occurred": ("Error occurred in the tool", True),
    "Anthropic: nothing replaced": ("No replacement was performed. Multiple occurrences of old_str", True),
    "any: a file with such a name": ("error.py was changed", False),
    "any: errors in the text": ("Done, without errors", False),
    "any: nothing": ("", False),
    "Roo Code: a part of the diffs": ("But unable to apply all diff parts to file: /k/a.py, silently use", True),
    "OpenAI Agents: an error": ("An error occurred while running the tool. Please try again. Error: no", True),
    "opencode: rejected": ("The user rejected permission to use this specific tool call.", True),
    "LangGraph: an error": ("Error invoking tool 'edit' with kwargs {} with error:\n x\n", True),
    "Gemini CLI: cancelled": ("[Operation Cancelled] Reason: User did not allow tool call", True),
}


@pytest.mark.parametrize(("result", "is_failed"), RESULTS.values(), ids=RESULTS)
def test_the_text_of_a_result_says_whether_its_call_failed(result: str, is_failed: bool) -> None:
    expected = [not_run(1)] if is_failed else [row(1)]
    assert shown(parse_response(lines(used("t1"), came_of("t1", result)))) == expected
    assert shown(parse_response(lines(used("t1"), came_of("t1", [text(result)])))) == expected
    messages = parse_response(chat(model(tool_calls=[function("c1")]), tool("c1", result)))
    assert bool(messages.blocks) is not is_failed


OUTCOMES: dict[str, dict[str, Any]] = {
    "an error": {"error": "no"},
    "words of failure": {"output": "Error: no"},
    "words of failure, as a result": {"result": "Error: no"},
    "words of failure, as a content": {"content": "Error: no"},
    "success": {"success": False},
    "a switch": {"isError": True},
    "a status": {"status": "error", "output": "no"},
}


@pytest.mark.parametrize("role", ["user", "function"])
@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES)
def test_a_function_of_gemini_that_failed(outcome: dict[str, Any], role: str) -> None:
    call = {"role": "model", "parts": [{"functionCall": {"name": "replace", "args": TAX}}]}
    response = {"functionResponse": {"name": "replace", "response": outcome}}
    assert not parse_response(chat(call, {"role": role, "parts": [response]})).blocks
    done = {"functionResponse": {"name": "replace", "response": {"output": "ok"}}}
    assert parse_response(chat(call, {"role": role, "parts": [done]})).blocks


@pytest.mark.parametrize("words", ["Error: no", "The file has been updated."])
def test_a_result_by_the_name_of_its_function(words: str) -> None:
    call = model(tool_calls=[{"function": {"name": "edit", "arguments": TAX}}])
    parsed = parse_response(lines(call, {**BY_NAME, "content": words}))
    expected = [row(1)]
    if words == "Error: no":
        expected = [not_run(1, CART)]
    assert shown(parsed) == expected


RESULTS_WITHIN: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "of MCP": (
        {"type": "mcp_tool_use", "id": "m1", "name": "edit_file", "input": TAX},
        {"type": "mcp_tool_result", "tool_use_id": "m1", "is_error": True, "content": [text("no")]},
        True,
    ),
    "of a tool of the server": (
        {"type": "server_tool_use", "id": "m1", "name": "text_editor_code_execution", "input": TAX},
        {
            "type": "text_editor_code_execution_tool_result",
            "tool_use_id": "m1",
            "content": {"type": "text_editor_code_execution_tool_result_error", "error_code": "string_not_found"},
        },
        True,
    ),
    "of the AI SDK": (
        {"type": "tool-call", "toolCallId": "m1", "toolName": "edit", "input": TAX},
        {"type": "tool-result", "toolCallId": "m1", "output": {"type": "error-text", "value": "no"}},
        True,
    ),
    "of the AI SDK, as it was": (
        {"type": "tool-call", "toolCallId": "m1", "toolName": "edit", "args": TAX},
        {"type": "tool-result", "toolCallId": "m1", "result": "Error: no"},
        True,
    ),
    "of success": (
        {"type": "mcp_tool_use", "id": "m1", "name": "edit_file", "input": TAX},
        {"type": "mcp_tool_result", "tool_use_id": "m1", "is_error": False, "content": [text("done")]},
        False,
    ),
}


@pytest.mark.parametrize(("call", "result", "is_failed"), RESULTS_WITHIN.values(), ids=RESULTS_WITHIN)
def test_a_result_in_the_message_of_its_call(call: dict[str, Any], result: dict[str, Any], is_failed: bool) -> None:
    parsed = parse_response(chat(model([call, result])))
    assert bool(parsed.blocks) is not is_failed
    assert [note.code for note in parsed.notes] == ["not-run"] * is_failed
    alone = parse_response(json.dumps({"type": "message", **model([call, result])}))
    assert not alone.blocks


@pytest.mark.parametrize("output", [{"type": "text", "text": "Error: no"}, {"content": "Error: no"}])
def test_the_text_of_an_output_that_is_an_object(output: dict[str, Any]) -> None:
    parsed = parse_response(lines(ITEM, {"type": "function_call_output", "call_id": "c1", "output": output}))
    assert shown(parsed) == [not_run(1, CART)]


@pytest.mark.parametrize("kind", ["error-text", "error-json", "execution-denied", "text"])
def test_a_result_of_the_ai_sdk(kind: str) -> None:
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "edit", "input": TAX}
    result = {"type": "tool-result", "toolCallId": "c1", "output": {"type": kind, "value": "x"}}
    parsed = parse_response(chat(model([call]), {"role": "tool", "content": [result]}))
    assert bool(parsed.blocks) is (kind == "text")


ITEM = {"type": "function_call", "call_id": "c1", "name": "edit", "arguments": json.dumps(TAX)}
ANSWER = {"choices": [{"message": model(tool_calls=[function("c1")])}]}
FAILED = tool("c1", "Error: no")
BY_NAME = {"role": "tool", "tool_name": "edit", "content": "Error: no"}
# the lines, and the one with a result of which the call is not known


VALUES: dict[str, object] = {
    "an operation": {
        "output": [{"type": "apply_patch_call", "status": "failed", "operation": {"type": "delete_file", "path": "a"}}]
    },
    "a call without an input": {**TAX, "status": "error"},
    "a result of a patch": {"output": [ITEM, {"type": "apply_patch_call_output"}]},
    "a message of a function": {"messages": [model(tool_calls=[function("c1")]), {"role": "function", "name": "edit"}]},
    "a result of LangChain": {"messages": [TAX, {"type": "tool", "tool_call_id": "c1"}]},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_one_value_with_a_call_that_may_have_failed_is_no_block(value: object) -> None:
    parsed = parse_response(json.dumps(value))
    assert not parsed.blocks
    assert parsed.problems or [note.code for note in parsed.notes] == ["not-run"]


def pi(role: str, **keys: Any) -> dict[str, Any]:
    """A line of Pi."""
    return {"type": "message", "id": "e1", "parentId": None, "message": {"role": role, **keys}}


def of_gemini(status: str, output: str = "ok") -> dict[str, Any]:
    """A line of Gemini CLI, with a call and its result."""
    response = {"functionResponse": {"id": "c1", "name": "replace", "response": {"output": output}}}
    call = {"id": "c1", "name": "replace", "args": TAX, "status": status, "result": [response]}
    return {"id": "2", "type": "gemini", "content": "", "toolCalls": [call]}


PI_CALL = pi("assistant", content=[{"type": "toolCall", "id": "c1", "name": "edit", "arguments": TAX}])
PI_BEGAN = {"type": "session", "version": 3, "id": "s1", "cwd": ROOT}
OTHERS: dict[str, tuple[list[object], list[str]]] = {
    "Pi: one that succeeded": (
        [PI_BEGAN, PI_CALL, pi("toolResult", toolCallId="c1", content=[text("x")], isError=False)],
        [row(2)],
    ),
    "Pi: one that failed": (
        [PI_BEGAN, PI_CALL, pi("toolResult", toolCallId="c1", content=[text("x")], isError=True)],
        [not_run(2)],
    ),
    "Gemini CLI: one that succeeded, told twice": (
        [{"sessionId": "s1", "kind": "main"}, of_gemini("success"), of_gemini("success")],
        [row(2)],
    ),
    "Gemini CLI: one that failed": ([{"sessionId": "s1"}, of_gemini("error")], [not_run(2, CART)]),
    "Claude Code: a stream": (
        [
            {"type": "system", "subtype": "init", "cwd": ROOT, "session_id": "s1"},
            {key: each for key, each in used("t1").items() if key != "cwd"},
            failed("t1"),
        ],
        [not_run(2)],
    ),
}


@pytest.mark.parametrize(("records", "expected"), OTHERS.values(), ids=OTHERS)
def test_calls_of_other_agents(records: list[object], expected: list[str]) -> None:
    assert shown(parse_response(lines(*records))) == expected


@pytest.mark.parametrize(("records", "expected"), CLAUDE.values(), ids=CLAUDE)
def test_calls_of_claude_code(records: Sequence[object], expected: list[str]) -> None:
    assert shown(parse_response(lines(*records))) == expected


@pytest.mark.parametrize(("records", "expected"), CODEX.values(), ids=CODEX)
def test_calls_of_codex(records: Sequence[object], expected: list[str]) -> None:
    assert shown(parse_response(lines(*records))) == expected


@pytest.mark.parametrize(("messages", "expected"), CHATS.values(), ids=CHATS)
def test_calls_of_a_chat(messages: Sequence[object], expected: list[tuple[int, str]]) -> None:
    parsed = parse_response(chat(*messages))
    rows = [(block.line_number, "") for block in parsed.blocks]
    notes = [(note.line_number, note.code) for note in parsed.notes]
    for each in expected:
        if each[1] == "result-missing":
            rows = [place for place in rows if place != (each[0], "")]
    assert [*rows, *notes] == expected


def cline(*texts: str) -> str:
    """A chat in which a model and its tools write in turn."""
    messages = [model([text(words)]) if number % 2 == 0 else user([text(words)]) for number, words in enumerate(texts)]
    return chat(user("<task>edit</task>"), *messages)


CLINE = {
    "a file": ([f"I write it.\n\n{WRITE}", f"{RESULT}\nThe content was saved."], ["1 cart.py: tool-write run"]),
    "a file in a fence, with another below": (
        [f"```xml\n{WRITE}\n```\n```\nls\n```", f"{RESULT}\nThe content was saved."],
        ["1 cart.py: tool-write run", "transcript-text: 1 fence in the text between the calls was not read"],
    ),
    "one that failed": (
        [WRITE, f"{RESULT}\nThe tool execution failed with the following error:\n<error>\nno\n</error>"],
        ["not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "one that a person refused": (
        [WRITE, f"{RESULT}\nThe user denied this operation and provided the following feedback:\nno"],
        ["not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "the same again": (
        [WRITE, f"{RESULT}\nError writing file", WRITE, f"{RESULT}\n\nThe content was saved."],
        ["1 cart.py: tool-write run", "not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "one without a result": (
        [WRITE],
        [
            "1 cart.py: tool-write",
            f"result-missing: {NO_RESULT}: cart.py at line 6",
        ],
    ),
    "one that was not made": (
        [f"{WRITE}\n{WRITE}", f"{RESULT}\nok\nTool [write_to_file] was not executed because a tool was used"],
        ["1 cart.py: tool-write run", "not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "one that was skipped": (
        [WRITE, "Skipping tool [write_to_file for 'cart.py'] due to user rejecting a previous tool."],
        ["not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "one that was skipped, below its head": (
        [WRITE, f"{RESULT}\nSkipping tool [write_to_file for 'cart.py'] due to user rejecting a previous tool."],
        ["not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "one that was skipped, in other words": (
        [WRITE, "Skipping tool due to user rejecting a previous tool. [write_to_file for 'cart.py']"],
        ["not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "one that Roo Code says was denied": (
        [WRITE, f'{RESULT}\n{{"status":"denied","message":"no"}}'],
        ["not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "the second of two failed": (
        [f"{WRITE}\n{WRITE}", f"{RESULT}\nok\n{RESULT}\nThe tool execution failed with"],
        ["1 cart.py: tool-write run", "not-run: 1 call failed when it was made: cart.py at line 6"],
    ),
    "blocks": ([DIFF, "[replace_in_file for 'cart.py'] Result:\nsaved"], ["1 cart.py: diff run"]),
    "a call behind words": (
        [f"<thinking>so</thinking>{WRITE}", f"{RESULT}\nok", WRITE, f"{RESULT}\nok"],
        ["1 cart.py: tool-write run", f"unread-call: {IN_TEXT}"],
    ),
    "a fence and a block beside it": (
        [f"```sh\nls\n```\nb.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n{WRITE}", f"{RESULT}\nok"],
        [
            "1 cart.py: tool-write run",
            "transcript-text: 1 block and 1 fence in the text between the calls were not read",
        ],
    ),
}


@pytest.mark.parametrize(("texts", "expected"), CLINE.values(), ids=CLINE)
def test_tags_in_a_chat_are_calls(texts: list[str], expected: list[str]) -> None:
    parsed = parse_response(cline(*texts))
    rows = [
        f"{row.number} {row.file_path}: {row.format}" + (" run" if row.call is not None and row.call.was_run else "")
        for row in parsed.blocks
    ]
    assert [*rows, *(f"{note.code}: {note.message}" for note in parsed.notes)] == expected
    assert not parsed.problems


def test_tags_are_text_where_other_calls_stand() -> None:
    call = model([text(WRITE), {"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}])
    parsed = parse_response(chat(call, user([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}])))
    assert [block.format for block in parsed.blocks] == ["tool-replace"]
    assert [note.code for note in parsed.notes] == ["transcript-text"]


FOLDERS = {
    "of its record": ([used("t1"), came_of("t1")], ROOT, ROOT),
    "one that changed": ([spoken(text("x")), {**used("t1"), "cwd": f"{ROOT}/src"}], ROOT, f"{ROOT}/src"),
    "of the session": ([began(), patched("c1")], ROOT, ROOT),
    "of the turn": ([began(), turn("/tmp/x"), patched("c1")], ROOT, "/tmp/x"),
    "on Windows": ([began("C:\\w\\app"), patched("c1")], "C:\\w\\app", "C:\\w\\app"),
    "none": ([model(tool_calls=[function("c1")]), tool("c1", "ok")], "", ""),
}


@pytest.mark.parametrize(("records", "root", "folder"), FOLDERS.values(), ids=FOLDERS)
def test_folders_that_are_in_force(records: Sequence[object], root: str, folder: str) -> None:
    (block,) = parse_response(lines(*records)).blocks
    assert block.call is not None
    assert (block.call.session_root, block.call.folder) == (root, folder)


CUT = json.dumps(used("t9"))[:-40]
BAD = {
    "the last line is cut off in a call": (
        [used("t1"), came_of("t1"), CUT],
        [row(1), "2 None 3-3: unclosed"],
    ),
    "a line in the middle is": ([used("t1"), CUT, came_of("t1")], [row(1), "2 None 2-2: malformed"]),
    "the last line is cut off": (
        [used("t1"), came_of("t1"), '{"type": "user", "mess'],
        [row(1), "transcript-cut 3: line 3 cannot be read; the other lines were read"],
    ),
    "one behind which a person interrupted": (
        [used("t1"), CUT, {"type": "user", "message": {"role": "user", "content": "[Request interrupted by user]"}}],
        [row(1, form="tool-replace"), "2 None 2-2: malformed", missing(1)],
    ),
    "several lines are": (
        [used("t1"), "{1}", came_of("t1"), "{2}"],
        [row(1), "transcript-cut 2: lines 2 and 4 cannot be read; the other lines were read"],
    ),
    "very many lines are": (
        [used("t1"), *["{}}"] * 12, came_of("t1")],
        [row(1), "transcript-cut 2: 12 lines, the first of them line 2, cannot be read; the other lines were read"],
    ),
    "a key twice": (
        [used("t1"), came_of("t1"), json.dumps(used("t2")).replace('"uuid"', '"type": "assistant", "uuid"')],
        [row(1), "2 /home/kim/shop/cart.py 3-3: malformed"],
    ),
    "a number too long": (
        [used("t1", command="insert", path="a.py", insert_line=10**12, insert_text="x"), came_of("t1")],
        [f"1 {ROOT}/a.py 1-1: malformed"],
    ),
    "no number": (
        [used("t1"), came_of("t1"), '{"type": "x", "message": NaN}'],
        [row(1), "transcript-cut 3: line 3 cannot be read; the other lines were read"],
    ),
    "an escape that is half a character": (
        [used("t1", file_path="a.py", old_string="\ud800", new_string="b"), came_of("t1")],
        [f"1 {ROOT}/a.py 1-1: malformed"],
    ),
}


@pytest.mark.parametrize(("records", "expected"), BAD.values(), ids=BAD)
def test_a_line_that_cannot_be_read_spoils_no_other(records: Sequence[object], expected: list[str]) -> None:
    assert shown(parse_response(lines(*records))) == expected


def test_an_array_that_is_cut_off_keeps_what_is_before() -> None:
    whole = chat(
        model([{"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}]),
        user([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]),
        model([{"type": "tool_use", "id": "t2", "name": "Edit", "input": TAX}]),
    )
    parsed = parse_response(whole[: whole.rindex("TAX = 7")])
    assert [block.line_number for block in parsed.blocks] == [2]
    assert [(row.code.value, row.line_number) for row in parsed.problems] == [("unclosed", 27)]


ARRAYS = {
    "no comma": ("[{} {}]", 2, []),
    "two commas": ("[{},, {}]", 2, []),
    "words behind it": ("[{}] so", 1, ["transcript-cut"]),
    "no bracket at the end": ("[{}\n", 1, ["transcript-cut"]),
    "what is no object": ('[{}, "x", {}]', 2, ["transcript-cut"]),
}


@pytest.mark.parametrize(("form", "count", "codes"), ARRAYS.values(), ids=ARRAYS)
def test_an_array_that_is_not_as_json_has_it(form: str, count: int, codes: list[str]) -> None:
    message = json.dumps(model([{"type": "tool_use", "name": "Edit", "input": TAX}]))
    parsed = parse_response(form.replace("{}", message))
    assert len(parsed.blocks) == count
    assert [note.code for note in parsed.notes] == ["result-missing", *codes]
    assert not parsed.problems


KINDS = {
    "one record": (lines(used("t1")), False),
    "one message": (lines(model(tool_calls=[function("c1")])), False),
    "one line that is no JSON": ("{x}", False),
    "records in an array": (json.dumps([{"type": "system", "cwd": ROOT}, used("t1"), failed("t1")]), True),
    "two lines": (lines(used("t1"), used("t2")), True),
    "blank lines and a mark before it": (f"\ufeff\n \n{lines(used('t1'), '', used('t2'))}\n", True),
    "a line of text behind": (lines(used("t1"), used("t2"), "and so on"), False),
    "a first line that is no object": (lines("{}}", used("t1")), False),
    "an object over several lines": (json.dumps(used("t1"), indent=1), False),
    "CRLF": (lines(used("t1"), used("t2")).replace("\n", "\r\n"), True),
    "messages": (chat(user("x")), True),
    "messages on one line": (json.dumps([user("x")]), True),
    "an array of calls": (json.dumps([TAX, TAX]), False),
    "an empty array": ("[]", False),
    "an array of arrays": ("[[]]", False),
    "a list of links": ("[a](b)\n[c](d)\n", False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("response", "expected"), KINDS.values(), ids=KINDS)
def test_what_is_a_session(response: str, expected: bool) -> None:
    assert is_session(response) is expected


@pytest.mark.parametrize(("response", "expected"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces_change_nothing(response: str, expected: bool, size: int) -> None:
    parser = StreamParser()
    for start in range(0, len(response), size):
        parser.feed(response[start : start + size])
    assert parser.close() == parse_response(response)


@pytest.mark.parametrize("start", ["[a](b)\n", "{x}\n", "- [ ] one\n"])
def test_an_answer_is_told_as_it_comes(start: str) -> None:
    parser = StreamParser()
    assert parser.feed(start) == []
    assert parser.feed(X) != []


@pytest.mark.parametrize("start", ['{"a": 1}\n', '\ufeff\n[\n {"a": 1}\n'])
def test_an_answer_that_begins_as_a_session_does_is_told_at_its_end(start: str) -> None:
    parser = StreamParser()
    for sign in start:
        assert parser.feed(sign) == []
    assert parser.feed(f"text\n{X}text\n") == []
    result = parser.close()
    assert result == parse_response(f"{start}text\n{X}text\n")
    assert result.blocks[0] in parser.closing_events


def test_the_rows_of_a_session_are_told_at_its_end() -> None:
    parser = StreamParser()
    assert parser.feed(lines(used("t1"), came_of("t1"), CUT)) == []
    result = parser.close()
    [block] = result.blocks
    started = BlockStarted(block.number, block.format, block.file_path, block.line_number)
    assert parser.closing_events == (started, block, *result.problems)


VIEWS = {
    "a tab": (VIEW, ("TAX = 19", "SHIPPING = 5")),
    "an arrow": ("     1→TAX = 19\n     2→SHIPPING = 5\n     3→\n", ("TAX = 19", "SHIPPING = 5")),
    "a bar": ("1 | TAX = 19\n2 | SHIPPING = 5\n3 | \n", ("TAX = 19", "SHIPPING = 5")),
    "a colon": ("1:TAX = 19\n2: SHIPPING = 5\n", ("TAX = 19", " SHIPPING = 5")),
    "a head and a foot": (
        f"Here is the file:\n{VIEW}\n<system-reminder>x</system-reminder>",
        ("TAX = 19", "SHIPPING = 5"),
    ),
    "the last line": ("     1\tTAX = 19\n", ("TAX = 19",)),
    "the last line, with a number behind it": ("     1\tTAX = 19\n     2\t\n", ("TAX = 19",)),
    "other lines": ("     7\tTAX = 19\n", ()),
    "lines that only look alike": ("5: TAX\n1: x\n2: y\n", ()),
    "no numbers": ("TAX = 19\n", ()),
}


@pytest.mark.parametrize(("result", "expected"), VIEWS.values(), ids=VIEWS)
def test_an_insert_call_knows_the_lines_that_were_shown(result: str, expected: tuple[str, ...]) -> None:
    records = [used("t1", **READ), came_of("t1", result), used("t2", **INSERT), came_of("t2")]
    assert views(records) == [expected]


LAST = "     1\tTAX = 19\n"
PARTS: dict[str, dict[str, Any]] = {
    "a limit": {**READ, "limit": 1},
    "a range": {"name": "editor", "command": "view", "path": CART, "view_range": [1, 1]},
    "a search": {"name": "Grep", "pattern": "TAX", "path": CART, "-n": True},
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("result", [LAST, f"{LAST}     2\t\n"], ids=["a line", "an empty line below"])
def test_the_last_line_of_a_part_is_not_known_to_be_that_of_the_file(part: dict[str, Any], result: str) -> None:
    records = [used("t1", **part), came_of("t1", result), used("t2", **INSERT), came_of("t2")]
    assert views(records) == [()]
    records = [used("t1", **part), came_of("t1", VIEW), used("t2", **INSERT), came_of("t2")]
    assert views(records) == [SHOWN]


def test_a_part_that_does_not_begin_at_the_top_does_not_show_the_last_line() -> None:
    insert = {**INSERT, "insert_line": 2}
    records = [used("t1", **READ), came_of("t1", "     2\tTAX = 19\n"), used("t2", **insert), came_of("t2")]
    assert views(records) == [()]


SHOWN = ("TAX = 19", "SHIPPING = 5")
LOOK = {"id": "c3", "function": {"name": "read_file", "arguments": json.dumps({"path": CART})}}
CHANGED = {
    "nothing between": ([], SHOWN),
    "a call on another file": ([used("t3", file_path="b.py", old_string="a", new_string="b"), came_of("t3")], SHOWN),
    "a call on the file": ([used("t3"), came_of("t3")], ()),
    "a call on the file, spelled otherwise": ([used("t3", **{**TAX, "file_path": f"{ROOT}/./cart.py"})], ()),
    "a call on what may be the file": ([{**used("t3", **{**TAX, "file_path": "cart.py"}), "cwd": ""}], ()),
    "a call on the file that failed": ([used("t3"), failed("t3")], SHOWN),
    "a call on the file, without a result": ([used("t3")], ()),
    "a view of it, later": ([used("t3"), came_of("t3"), used("t4", **READ), came_of("t4", VIEW)], SHOWN),
    "another view": ([used("t3", "Grep", pattern="x"), came_of("t3")], SHOWN),
    "a command": ([used("t3", "Bash", command="sed -i 1d cart.py"), came_of("t3")], ()),
    "a command that failed": ([used("t3", "Bash", command="sed -i 1d cart.py; false"), failed("t3")], ()),
    "a command of Codex": ([ran("c3", "bash", "-lc", "sed -i 1d cart.py"), put_out("c3", FINE)], ()),
    "a tool that nobody knows": ([used("t3", "format_file", path=CART), came_of("t3", VIEW)], ()),
    "one without a path": ([used("t3", "undo"), came_of("t3")], ()),
    "one of MCP": ([used("t3", "mcp__editor__undo", path=CART), came_of("t3")], ()),
    "a view by MCP": ([used("t3", "mcp__files__read_text_file", path=CART), came_of("t3", VIEW)], SHOWN),
    "a view by an editor": ([used("t3", "editor", command="view", path=CART), came_of("t3", VIEW)], SHOWN),
    "a view by a function": ([model(tool_calls=[LOOK]), tool("c3", VIEW)], SHOWN),
    "a view that failed": ([used("t4", **READ), came_of("t4", "1\tx\n2\ty", is_error=True)], SHOWN),
}


@pytest.mark.parametrize(("between", "expected"), CHANGED.values(), ids=CHANGED)
def test_a_view_counts_until_the_file_changes(between: Sequence[object], expected: tuple[str, ...]) -> None:
    records = [used("t1", **READ), came_of("t1", VIEW), *between, used("t2", **INSERT), came_of("t2")]
    assert views(records)[-1] == expected


WRITTEN_AGAIN: dict[str, Any] = {"name": "Write", "file_path": CART, "content": "TAX = 7\n"}
WRITTEN = [used("t1", "Write", file_path=CART, content="TAX = 19\nSHIPPING = 5\n"), came_of("t1")]
COMMAND = [used("t3", "Bash", command="sed -i 1d cart.py"), came_of("t3")]
OTHER = [used("t4", "Write", file_path="b.py", content="x\n"), came_of("t4")]
KNOWN: dict[str, tuple[list[dict[str, Any]], bool]] = {
    "nothing between": (WRITTEN, False),
    "a command": ([*WRITTEN, *COMMAND], True),
    "a command before": ([*COMMAND, *WRITTEN], False),
    "a command, and a view": ([*WRITTEN, *COMMAND, used("t5", **READ), came_of("t5", VIEW)], True),
    "a command, and written again": ([*WRITTEN, *OTHER, *COMMAND, *WRITTEN, used("t6", **WRITTEN_AGAIN)], False),
    "a command, and another file": ([*WRITTEN, *COMMAND, *OTHER], True),
}


@pytest.mark.parametrize(("before", "is_changed"), KNOWN.values(), ids=KNOWN)
def test_a_text_that_a_call_wrote_counts_until_it_may_have_changed(
    before: list[dict[str, Any]], is_changed: bool
) -> None:
    blocks = parse_response(lines(*before, used("t2", **INSERT), came_of("t2"))).blocks
    assert blocks[-1].call is not None
    assert blocks[-1].call.is_changed is is_changed


def test_the_letter_of_a_drive_may_be_small_or_large() -> None:
    read = [used("t1", "Read", file_path="C:\\w\\cart.py"), came_of("t1", VIEW)]
    edit = [used("t3", **{**TAX, "file_path": "c:\\w\\cart.py"}), came_of("t3")]
    insert = [used("t2", **{**INSERT, "path": "C:\\w\\cart.py"}), came_of("t2")]
    assert views([*read, *insert]) == [SHOWN]
    assert views([*read, *edit, *insert]) == [()]


def test_a_view_and_a_call_may_spell_the_path_differently() -> None:
    read = item("function_call", call_id="c1", name="read_file", arguments=json.dumps({"path": "./cart.py"}))
    records = [began(), read, put_out("c1", VIEW, "function_call")]
    insert = item("function_call", call_id="c2", name="edit", arguments=json.dumps(INSERT))
    assert views([*records, insert]) == [SHOWN]


def test_a_call_without_a_folder_ends_the_view_of_an_absolute_path() -> None:
    records = [used("t1", **READ), came_of("t1", VIEW), used("t3", **{**TAX, "file_path": "cart.py"}), came_of("t3")]
    records += [used("t2", **INSERT), came_of("t2")]
    assert views([{**record, "cwd": None} for record in records]) == [()]


def views(records: Sequence[object]) -> list[tuple[str, ...]]:
    calls = [block.call for block in parse_response(lines(*records)).blocks if block.format == "tool-insert"]
    return [call.view for call in calls if call is not None]


def test_a_call_beside_which_its_failure_stands_is_noted() -> None:
    call = {"type": "tool_use", "id": "c1", "name": "Edit", "input": TAX, "is_error": True, "result": "x"}
    parsed = parse_response(chat(user("x"), model([call])))
    assert shown(parsed) == ["not-run 6: 1 call failed when it was made: a call at line 6"]


@pytest.mark.parametrize("words", ["Tool [", "Skipping tool due to [", "Tool [a "])
@pytest.mark.long(after=1)
def test_many_tools_that_were_skipped_are_read_in_time(words: str) -> None:
    assert ClineResults(words + "a" * 400_000).take("a") is None
    assert ClineResults(words * 40_000).take("a") is None


def test_failed_calls_alone_make_no_row() -> None:
    records = [record for number in range(12) for record in (used(f"t{number}"), failed(f"t{number}"))]
    parsed = parse_response(lines(*records))
    assert not parsed.blocks
    assert not parsed.problems
    (note,) = parsed.notes
    assert note.message.startswith("12 calls failed when they were made: cart.py at line 1, cart.py at line 3, ")
    assert note.message.endswith(", cart.py at line 19, and 2 more")


def test_several_calls_without_a_result() -> None:
    (note,) = parse_response(lines(used("t1"), used("t2"))).notes
    assert note.message == (
        "2 calls have no result, so they were read as proposals: cart.py at line 1, cart.py at line 2"
    )


def test_one_call_on_two_lines_is_one_by_its_id() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}
    other = {**call, "input": {**TAX, "file_path": "b.py"}}
    parsed = parse_response(lines(call, other, call, TAX, TAX))
    assert [block.line_number for block in parsed.blocks] == [1, 4, 5]
    assert [(row.line_number, row.what) for row in parsed.problems] == [
        (2, "two calls have the id `t1`, and they differ")
    ]


FAILED_AS_WELL = "two calls have the id `t1`, and they differ"


@pytest.mark.parametrize(
    ("first", "second", "blocks", "problems"),
    [
        pytest.param({}, {"status": "failed"}, [1], [FAILED_AS_WELL], id="it failed as the second line says"),
        pytest.param({"error": "no"}, {}, [2], [], id="made again after it failed"),
        pytest.param({"status": "failed"}, {"input": {**TAX, "new_string": "TAX = 8"}}, [2], [], id="another one"),
        pytest.param({"status": "pending"}, {"status": "completed"}, [1], [], id="what stands beside it changes"),
    ],
)
def test_one_call_that_is_told_twice(
    first: dict[str, Any], second: dict[str, Any], blocks: list[int], problems: list[str]
) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": TAX}
    parsed = parse_response(lines({**call, **first}, {**call, **second}))
    assert [block.line_number for block in parsed.blocks] == blocks
    assert [row.what for row in parsed.problems] == problems


def test_a_call_that_is_told_twice_is_not_noted_as_unread() -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "Edit", "arguments": json.dumps(TAX)}}
    parsed = parse_response(lines(call, call))
    assert ([block.line_number for block in parsed.blocks], parsed.notes) == ([1], ())


def test_the_function_in_a_call_may_have_its_id() -> None:
    inner = {"id": "t1", "name": "Edit", "arguments": json.dumps(TAX)}
    parsed = parse_response(json.dumps({"id": "t1", "function": inner}))
    assert (len(parsed.blocks), parsed.problems) == (1, ())
    parsed = parse_response(json.dumps({"id": "t1", "status": "failed", "function": inner}))
    assert (parsed.blocks, parsed.problems, len(parsed.notes)) == ((), (), 1)


def test_calls_a_line_each_have_no_results_to_come() -> None:
    assert shown(parse_response(lines(TAX, {"role_of": "x"}, TAX))) == [
        row(1, form="tool-replace"),
        row(3, 2, form="tool-replace"),
    ]


def test_a_session_has_as_many_rows_as_other_answers() -> None:
    records = [used(f"t{number}") for number in range(4)]
    parsed = parse_response(lines(*records), most_rows=2)
    assert parsed.is_cut
    assert [(row.number, row.line_number, row.code.value) for row in parsed.problems] == [(3, 3, "too-large")]
    assert len(parsed.blocks) == 2


def test_a_patch_with_more_files_than_a_session_may_have_rows_is_refused_once() -> None:
    calls = [
        json.dumps(
            {
                "input": "".join(
                    ("*** Begin Patch\n", *(f"*** Delete File: {name}.py\n" for name in names), "*** End Patch")
                )
            }
        )
        for names in ("a", "bcd")
    ]
    parsed = parse_response(lines(*calls), most_rows=2)
    assert [block.file_path for block in parsed.blocks] == ["a.py", "b.py"]
    assert [row.code.value for row in parsed.problems] == ["too-large"]


def test_commands_are_suggestions() -> None:
    records = [used("t1", "Bash", command="make"), came_of("t1"), used("t2", "Bash", command="make x"), failed("t2")]
    assert parse_response(lines(*records)).shell_suggestions == ("make",)


def test_formats_that_are_not_read() -> None:
    formats = formats_named(["diff"])
    (problem,) = parse_response(lines(used("t1"), came_of("t1")), formats).problems
    assert (problem.code.value, problem.file_path) == ("unsupported-format", CART)


OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "Error: x"}
PATCHED = json.dumps({"input": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"})
MESSAGES = [model(tool_calls=[function("c1")]), tool("c1", "Error: x")]
RECORDS = lines(used("t1"), failed("t1"))
FAILED_CALL = {"id": "r1", "name": "replace", "args": TAX, "status": "error"}
OF_SESSION = "unsupported-format"
NOT_ALONE = {
    "text above": (f"so\n{RECORDS}", [OF_SESSION]),
    "a base above": (f"base: {'0' * 40}\n{RECORDS}", [OF_SESSION]),
    "text below": (f"{RECORDS}done\n", [OF_SESSION]),
    "a fence": (f"```jsonl\n{RECORDS}```\n", [OF_SESSION]),
    "over several lines": (json.dumps(used("t1"), indent=1) + "\n" + json.dumps(failed("t1"), indent=1), [OF_SESSION]),
    "an array of records": (json.dumps([used("t1"), failed("t1")]), []),
    "an array of items": (json.dumps([ITEM, OUTPUT]), []),
    "an array in text": (f"so\n{json.dumps(MESSAGES)}\n", [OF_SESSION]),
    "messages in an object": (json.dumps({"messages": MESSAGES}), [OF_SESSION]),
    "records in an object": (json.dumps({"messages": [used("t1"), failed("t1")]}), [OF_SESSION]),
    "an output of items": (json.dumps({"output": [ITEM, OUTPUT]}), [OF_SESSION]),
    "parts in an object": (
        json.dumps({"messages": [{"role": "model", "parts": [GEMINI, REFUSED_BY_GEMINI]}]}),
        [OF_SESSION],
    ),
    "items on lines of a text": ("so\n" + lines(ITEM, OUTPUT), ["tool-replace", OF_SESSION]),
    "messages on lines of a text": ("so\n" + lines(*MESSAGES), ["tool-replace", OF_SESSION]),
    "a status": (json.dumps({"messages": [{"type": "gemini", "toolCalls": [FAILED_CALL]}]}), []),
    "another status": (json.dumps({"toolCalls": [{**FAILED_CALL, "status": "success"}]}), ["tool-replace"]),
    "a status of a broken call": (
        json.dumps({**ITEM, "arguments": json.dumps(TAX)[:-1], "status": "incomplete"}),
        ["unclosed"],
    ),
    "a patch on lines of a text": (
        "so\n" + lines({**ITEM, "name": "apply_patch", "arguments": PATCHED}, OUTPUT),
        ["v4a", OF_SESSION],
    ),
    "a result over several lines": (
        f"so\n{json.dumps(ITEM)}\n{json.dumps(OUTPUT, indent=1)}\n",
        ["tool-replace", OF_SESSION],
    ),
    "a call below another": (f"so\n{lines(TAX, function('c1'))}", ["tool-replace", "tool-replace"]),
    "a result of Cline": (f"{WRITE}\n[write_to_file for 'cart.py'] Result:\nError: no\n", ["tool-write", OF_SESSION]),
    "a result of Cline below blocks": (
        f"{DIFF}\n[replace_in_file for 'cart.py'] Result:\nError\n",
        ["diff", OF_SESSION],
    ),
    "code that resembles a result": (
        f'{lines(TAX)}\n```python\nmessages.append({{\n    "role": "tool",\n}})\n```\n',
        ["tool-replace"],
    ),
    "a result alone": (f"so\n{lines(OUTPUT, TAX)}", ["tool-replace"]),
    "a result that a file holds": (
        f"{lines(TAX)}\na.py\n<<<<<<< SEARCH\nx\n=======\n{lines(OUTPUT)}>>>>>>> REPLACE\n",
        ["tool-replace", "diff"],
    ),
}


@pytest.mark.parametrize(("response", "expected"), NOT_ALONE.values(), ids=NOT_ALONE)
def test_what_is_read_where_a_session_is_not_alone(response: str, expected: list[str]) -> None:
    parsed = parse_response(response)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    assert [each.code.value if isinstance(each, Problem) else each.format for each in rows] == expected
    if "status" in response or response.startswith("["):
        assert bool(rows) or [note.code for note in parsed.notes] == ["not-run"]


def test_a_comment_holds_no_session() -> None:
    part = Part(1, lines(used("t1"), came_of("t1")))
    parsed = parse_parts([Part(2, X), part])
    assert [row.file_path for row in parsed.blocks] == ["a.py"]
    (problem,) = parsed.problems
    assert (problem.number, problem.line_number, problem.code.value) == (2, 9, "unsupported-format")


def test_calls_a_line_each_are_read_in_a_comment() -> None:
    parsed = parse_parts([Part(1, lines(TAX, TAX))])
    assert [row.file_path for row in parsed.blocks] == [CART, CART]


SESSION = lines(used("t1"), came_of("t1"))


@pytest.mark.long
def test_a_record_may_have_16_mib() -> None:
    kept, lost = (
        json.dumps(
            used("t2", file_path="a.py", old_string="é" * (size * 1024**2 // 2), new_string="b"), ensure_ascii=False
        )
        for size in (15, 17)
    )
    assert len(lost) < RECORD_BYTES < len(lost.encode())
    assert [block.line_number for block in parse_response(SESSION + kept).blocks] == [1, 3]
    assert shown(parse_response(SESSION + lost)) == [row(1), "2 None 3-3: too-large"]


@pytest.mark.long
def test_a_record_that_is_larger_and_edits_nothing_is_only_noted() -> None:
    larger = json.dumps(came_of("t2", "x" * RECORD_BYTES))
    why = "line 3 cannot be read, because it is over the limit of 16 MiB; the other lines were read"
    assert shown(parse_response(SESSION + larger)) == [row(1), f"transcript-cut 3: {why}"]


@pytest.mark.long
def test_an_element_of_an_array_may_have_16_mib() -> None:
    larger = user([{"type": "tool_result", "tool_use_id": "t1", "content": "x" * RECORD_BYTES}])
    item = {"type": "tool_use", "id": "t2", "name": "Edit", "input": TAX}
    parsed = parse_response(json.dumps([larger, model([item])]))
    assert [block.file_path for block in parsed.blocks] == [CART]
    assert [note.code for note in parsed.notes] == ["result-missing", "transcript-cut"]


@pytest.mark.long
def test_a_session_may_have_64_mib() -> None:
    record = f"{json.dumps(came_of('t2', 'x' * (SESSION_BYTES // 8)))}\n"
    whole = SESSION + record * 8
    (problem,) = parse_response(whole).problems
    assert (problem.code.value, problem.what) == ("too-large", "the session is over the limit of 64 MiB")
    assert shown(parse_response(SESSION + record * 7)) == [row(1)]


def test_only_a_session_may_be_longer_than_other_answers() -> None:
    long = lines(used("t1"), came_of("t1"), came_of("t2", "x" * 1_100_000))
    files = {CART: b"TAX = 19\n"}
    settings = Settings()
    assert len(long) > settings.max_response_bytes
    assert len(apply_response(long, files.get, settings).results) == 1
    (problem,) = apply_response(f"{long}text", files.get, settings).problems
    assert problem.code.value == "too-large"


@pytest.mark.parametrize("depth", [60, 70, 500, 995, 1_000, 5_000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", ('{"a":', "}")], ids=["lists", "objects"])
def test_how_deep_a_record_is_nested(depth: int, brackets: Sequence[str]) -> None:
    opened, closed = brackets
    inner = f"{opened * depth}1{closed * depth}"
    deep = json.dumps(used("t2", **TAX, x="INNER")).replace('"INNER"', inner)
    (problem,) = parse_response(SESSION + deep).problems
    assert problem.code.value == ("unsupported-format" if depth == 60 else "too-large")
    plain = parse_response(f'{SESSION}{{"type": "x", "data": {inner}}}')
    assert len(plain.blocks) == 1
    assert not plain.problems


def test_every_depth_near_the_limit_of_python_is_too_large() -> None:
    limit = sys.getrecursionlimit()
    for depth in range(limit - 120, limit):
        deep = json.dumps({**TAX, "x": "INNER"}).replace('"INNER"', f"{'[' * depth}{']' * depth}")
        (problem,) = parse_response(SESSION + deep).problems
        assert problem.code.value == "too-large", depth


def test_records_that_cannot_be_read_are_looked_at_up_to_the_limit_of_rows() -> None:
    parsed = parse_response(SESSION + f"{CUT}\n" * 9, most_rows=3)
    assert parsed.is_cut
    assert [row.code.value for row in parsed.problems] == ["malformed", "malformed", "too-large"]


def test_a_broken_tag_of_a_chat_is_a_row() -> None:
    broken = WRITE.replace("</content>\n", "")
    (problem,) = parse_response(cline(broken, f"{RESULT}\nok")).problems
    assert (problem.code.value, problem.line_number) == ("malformed", 6)
