"""Records and messages of coding agents' sessions, in the formats in which the agents save them."""

import json
from typing import Any

ROOT = "/home/kim/shop"
TAX = {"file_path": f"{ROOT}/cart.py", "old_string": "TAX = 19", "new_string": "TAX = 7"}
PATCH = "*** Begin Patch\n*** Update File: cart.py\n@@\n-TAX = 19\n+TAX = 7\n*** End Patch\n"


def lines(*records: object) -> str:
    """JSON Lines. A `str` is a line already and is not encoded."""
    return "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in records)


# Claude Code


def used(call_id: str, name: str = "Edit", **keys: Any) -> dict[str, Any]:
    """A record in which the model calls a tool. Without `keys`, the call replaces text (TAX)."""
    item = {"type": "tool_use", "id": call_id, "name": name, "input": keys or TAX}
    return spoken(item)


def spoken(*content: object, cwd: str = ROOT, **more: Any) -> dict[str, Any]:
    """A record of a message that the model wrote."""
    message = {"id": "m1", "type": "message", "role": "assistant", "content": list(content)}
    return {"type": "assistant", "uuid": "u1", "parentUuid": None, "cwd": cwd, "message": message, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def came_of(call_id: str, result: object = "The file has been updated.", **more: Any) -> dict[str, Any]:
    """A record with the result of a call."""
    item = {"type": "tool_result", "tool_use_id": call_id, "content": result, **more}
    message = {"role": "user", "content": [item]}
    return {"type": "user", "uuid": "u2", "cwd": ROOT, "message": message, "toolUseResult": {"filePath": "x"}}


def failed(call_id: str) -> dict[str, Any]:
    return came_of(call_id, "<tool_use_error>String to replace not found in file.</tool_use_error>", is_error=True)


# Codex


def began(cwd: str = ROOT) -> dict[str, Any]:
    return _codex("session_meta", id="s1", cwd=cwd, originator="codex_cli_rs", cli_version="1.0")


def turn(cwd: str) -> dict[str, Any]:
    return _codex("turn_context", cwd=cwd, approval_policy="never", model="m")


def item(kind: str, **keys: Any) -> dict[str, Any]:
    return _codex("response_item", type=kind, **keys)


def patched(call_id: str, patch: str = PATCH, **more: Any) -> dict[str, Any]:
    return item("custom_tool_call", call_id=call_id, name="apply_patch", input=patch, **more)


def ran(call_id: str, *command: str) -> dict[str, Any]:
    arguments = json.dumps({"command": list(command)})
    return item("function_call", call_id=call_id, name="shell", arguments=arguments)


def put_out(call_id: str, output: object, kind: str = "custom_tool_call", **more: Any) -> dict[str, Any]:
    return item(f"{kind}_output", call_id=call_id, output=output, **more)


def event(kind: str, **keys: Any) -> dict[str, Any]:
    return _codex("event_msg", type=kind, **keys)


def served(call_id: str, result: dict[str, Any]) -> dict[str, Any]:
    """The event with the reply of an MCP server."""
    return event("mcp_tool_call_end", call_id=call_id, result=result)


def _codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-28T10:00:00Z", "type": kind, "payload": payload}


# Chats


def chat(*messages: object) -> str:
    return json.dumps(list(messages), indent=1)


def user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def model(content: object = None, **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **keys}


def function(call_id: str, **keys: Any) -> dict[str, Any]:
    """A tool call in the form of the Chat Completions API. Without `keys`, the call replaces text (TAX)."""
    arguments = json.dumps(keys or TAX)
    return {"id": call_id, "type": "function", "function": {"name": "edit", "arguments": arguments}}


def tool(call_id: str, content: object) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}
