"""The records that coding agents keep of a session: who wrote what, which tools were called, and what came of it.

Nothing is known here of edits: a call is an object, and its result says whether it was made. Each record is recognised
by its own keys, so a file may mix kinds. Where the facts are from:

- Claude Code: lines with `type`, `message` and `cwd`, as `~/.claude/projects` holds them.
- Codex: `RolloutItem` and `ResponseItem` in openai/codex, codex-rs/protocol/src (protocol.rs, models.rs); the texts of
  failures in codex-rs/core/src (apply_patch.rs, tools/mod.rs, tools/parallel.rs).
- Cline: `formatResponse` in cline/cline, src/core/prompts/responses.ts, and the head of a result in
  src/core/assistant-message/presentAssistantMessage.ts of RooCodeInc/Roo-Code.
- MCP: requests `tools/call` and their replies, as the schema of the Model Context Protocol has them.
- Chat API and Gemini API: the messages that one request takes along from the ones before it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from editblocks.formats.tool_calls import FAILED_STATUSES

_ITEMS = frozenset("message reasoning function_call custom_tool_call local_shell_call apply_patch_call".split())
_OUTPUT = "_output"  # ends the type of an item that is the result of a call
_ENDS = ("patch_apply_end", "exec_command_end")  # events that say what came of a call
_TEXTS = frozenset(
    "text output_text input_text thinking redacted_thinking reasoning image input_image document".split()
)
_RESULTS = ("tool_result", "tool-result")  # end the type of a result, whoever's message it is in
_OUTPUTS = ("content", "output", "result")  # of a result: what the tool said
_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id")  # of the call that a result is of
_MODEL = frozenset(("assistant", "model"))
_SAYS_FAILURE = (  # how a result begins that says of a call that it was not made, or failed
    r"""(?xi) \s* (?:
    # Codex
    apply_patch\ (?:verification\ failed | handler\ received) | patch\ rejected | exec_command\ failed
    | exec\ command\ rejected | unsupported\ | execution\ error | command\ timed\ out | aborted\b
    | script\ (?:failed|error)
    # Cline and Roo Code
    | the\ (?:tool\ execution\ failed | user\ (?:denied|rejected)) | skipping\ tool\ | access\ to\ [^\n]*\ is\ blocked
    | but\ unable\ to\ apply\ all\ diff\ parts
    # Claude Code
    | <tool_use_error> | \[request\ interrupted | the\ user\ doesn't\ want
    # the text editor of Anthropic
    | no\ replacement\ was\ performed
    # Gemini CLI
    | \[operation\ cancelled
    # all of them
    | (?:an\ )?error\ occurred\b | <?errors?(?:[:!>(] | [ \t\r]*(?:\n|$))
    | error\ (?:invoking|while|when|writing|editing|saving|applying|reading|executing|running|calling)\b
    | (?:tool\ )?(?:execution\ )?(?:failed|failure)\b | invalid\ | rejected\b
    | (?:cancelled|canceled)\b
    )"""
)
_CHANGED_BY_PERSON = (  # as Cline says it, and Claude Code
    "The user made the following updates to your content",
    "The user modified your proposed changes",
)
_ERROR_TYPES = ("error-text", "error-json", "execution-denied")  # of an output, as the AI SDK has it
_ABORTED = re.compile(r"(?i)(?:Output:)?\s*aborted by user\b")  # Codex may write it with exit code 0
_CODEX_HEAD = re.compile(r"\A(?:(?:Chunk ID|Wall time|Total output lines|Original token count)\b[^\n]*\n|[ \t\r]*\n)*")
_EXIT_CODE = re.compile(r"(?:Exit code:|Process exited with code) (-?[0-9]+)[ \t\r]*(?:\n|$)")
_CLINE_RESULT = r"(?m)^[ \t]*(?:Tool #[0-9]+: )?\[([\w-]+)(?: for [^\n]*?)?\] Result:[ \t]*\n?"
_CLINE_NOT_MADE = (
    r"(?:Skipping tool|Tool) \[([\w-]+)[^\n\]]{0,400}\] (?:due to|was (?:interrupted|not executed))"
    r"|Skipping tool due to [^\n\[]{0,400}\[([\w-]+)"
)


class Call(NamedTuple):
    """A call of a tool, with the id that its result names; "" if it has none."""

    id: str
    value: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What a result without an id names."""
        inner = _object(self.value.get("functionCall") or self.value.get("function"))
        return _text(self.value.get("name")) or _text(inner.get("name"))


class Result(NamedTuple):
    """What came of a call. `id` is the name of its tool where `is_by_name`: of the first call without an id, then."""

    id: str
    is_failed: bool
    text: str = ""
    is_by_name: bool = False
    is_changed: bool = False  # a person changed what the call wrote


class Entry(NamedTuple):
    """What one record says."""

    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    model_text: str = ""  # what the model wrote besides calls
    user_text: str = ""
    folder: str = ""  # the folder that is in force from here on; "" if it says nothing of one


def entry_of(record: Mapping[str, Any]) -> Entry | None:
    """What a record says; None for an object that is no record of a session."""
    kind = record.get("type")
    payload = record.get("payload")
    message = record.get("message")
    if isinstance(kind, str) and isinstance(payload, dict):
        return _codex_entry(kind, payload)
    if isinstance(kind, str) and isinstance(message, dict):
        entry = _message(message)
        is_changed = _object(record.get("toolUseResult")).get("userModified") is True
        results = tuple(each._replace(is_changed=is_changed or each.is_changed) for each in entry.results)
        return entry._replace(results=results, folder=_text(record.get("cwd")))
    if isinstance(record.get("role"), str):
        return _message(record)
    if _is_result(record) or (kind == "tool" and _id_of(record)):
        return Entry(results=(_result(_id_of(record), record, _output(record)),))
    if isinstance(kind, str) and (kind in _ITEMS or kind.endswith(_OUTPUT)):
        return _item(record)
    if "jsonrpc" in record:
        return _rpc_entry(record)
    return None


def _codex_entry(kind: str, payload: Mapping[str, Any]) -> Entry:
    """A line of a rollout file of Codex."""
    if kind in ("session_meta", "turn_context"):
        return Entry(folder=_text(payload.get("cwd")))
    if kind == "response_item":
        return _item(payload)
    if kind == "event_msg" and payload.get("type") in _ENDS:
        return Entry(results=(Result(_id(payload.get("call_id")), _has_failed(payload)),))
    return Entry()


def _rpc_entry(record: Mapping[str, Any]) -> Entry | None:
    """A message of JSON-RPC: the call of a tool, or a reply, of whatever it is."""
    number = _id(record.get("id"))
    if record.get("method") == "tools/call" and isinstance(record.get("params"), dict):
        return Entry(calls=(Call(number, record["params"]),))
    result = _object(record.get("result"))
    if result:
        return Entry(results=(_result(number, result, result.get("content")),))
    if "error" in record:
        return Entry(results=(Result(number, is_failed=True),))
    return None


def _item(item: Mapping[str, Any]) -> Entry:
    """An item of the Responses API."""
    kind = _text(item.get("type"))
    call_id = _id(item.get("call_id")) or _id(item.get("id"))
    if kind == "message":
        return _message(item)
    if kind.endswith(_OUTPUT):
        return Entry(results=(_result(call_id, item, item.get("output")),))
    if kind == "reasoning":
        return Entry()
    calls = (Call(call_id, _shell_command(item)),)
    if _text(item.get("status")) in FAILED_STATUSES:
        return Entry(calls, (Result(call_id, is_failed=True),))
    return Entry(calls)


def _shell_command(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The item itself; of a call of the local shell, the command in it."""
    action = item.get("action")
    if item.get("type") != "local_shell_call" or not isinstance(action, dict):
        return item
    command = {"command": action.get("command")}
    if action.get("working_directory"):
        command["workdir"] = action["working_directory"]
    return command


def _message(message: Mapping[str, Any]) -> Entry:
    """A message of a chat, whoever's API it is of."""
    role = _text(message.get("role"))
    content = message.get("content")
    items = _objects(content, message.get("parts"))
    texts = [content] if isinstance(content, str) else []
    texts += [item["text"] for item in items if isinstance(item.get("text"), str) and not item.get("thought")]
    text = "\n".join(texts)
    if role in _MODEL:
        results = tuple(_results([item for item in items if _is_result(item)]))
        items = [item for item in items if not _is_result(item)]
        calls = _objects(items, message.get("tool_calls"), [message.get("function_call")])
        return Entry(calls=tuple(_calls(calls)), results=results, model_text=text)
    if role == "tool" and _id_of(message):
        return Entry(results=(_result(_id_of(message), message, content),))
    results = tuple(_results(items))
    if role in ("tool", "function") and not results:
        name = _text(message.get("name")) or _text(message.get("tool_name"))
        result = _result(name, message, content)
        return Entry(results=(result._replace(is_by_name=True),))
    return Entry(results=results, user_text=text)


def _calls(items: Sequence[Mapping[str, Any]]) -> Iterator[Call]:
    """What is no text among the items of a model's message."""
    for item in items:
        if isinstance(item.get("text"), str) or _text(item.get("type")) in _TEXTS:
            continue
        function = _object(item.get("functionCall"))
        yield Call(_id(item.get("id")) or _id_of(item) or _id(function.get("id")), item)


def _results(items: Sequence[Mapping[str, Any]]) -> Iterator[Result]:
    """The results among the items of another message."""
    for item in items:
        response = _object(item.get("functionResponse"))
        if response:
            outcome = _object(response.get("response"))
            own = _id(response.get("id"))
            result = _result(own or _text(response.get("name")), outcome, _output(outcome))
            yield result._replace(is_by_name=not own)
        elif _id_of(item) or _is_result(item):
            yield _result(_id_of(item), item, _output(item))


def _is_result(item: Mapping[str, Any]) -> bool:
    return _text(item.get("type")).endswith(_RESULTS)


def _output(result: Mapping[str, Any]) -> object:
    return next((result[key] for key in _OUTPUTS if result.get(key) is not None), None)


def _result(call_id: str, item: Mapping[str, Any], output: object) -> Result:
    """The result of a call, by its switches, its status and its text."""
    text = _plain(output)
    is_failed = _has_failed(item) or _has_failed(_object(output)) or says_failure(text)
    return Result(call_id, is_failed, text, is_changed=says_change(text))


def _has_failed(result: Mapping[str, Any]) -> bool:
    """Whether the switches of a result, its status or its exit code say that the call failed."""
    return (
        result.get("is_error") in (True, "true")
        or result.get("isError") in (True, "true")
        or result.get("success") is False
        or bool(result.get("error"))
        or _text(result.get("type")) in _ERROR_TYPES
        or _text(result.get("type")).endswith("tool_result_error")
        or _text(result.get("status")).lower() in FAILED_STATUSES
        or result.get("exit_code", 0) not in (0, None)
        or _object(result.get("metadata")).get("exit_code", 0) != 0
    )


def says_failure(text: str) -> bool:
    """Whether the text of a result says that the call was not made, or failed."""
    header = re.match(_CLINE_RESULT, text)
    if header is not None:
        text = text[header.end() :]
    text = _CODEX_HEAD.sub("", text, count=1)
    exit_code = _EXIT_CODE.match(text)
    if exit_code is not None:
        output = _CODEX_HEAD.sub("", text[exit_code.end() :], count=1)
        return int(exit_code[1][:20]) != 0 or _ABORTED.match(output) is not None
    return re.match(_SAYS_FAILURE, text) is not None or _is_failure_as_json(text)


def says_change(text: str) -> bool:
    """Whether the text of a result says that a person changed what the call wrote."""
    return any(words in text for words in _CHANGED_BY_PERSON)


def _is_failure_as_json(text: str) -> bool:
    """Whether a text is JSON that says so, as Codex writes the output of a command."""
    import json  # few results are JSON

    if not text.startswith("{"):
        return False
    try:
        result = _object(json.loads(text))
    except (ValueError, RecursionError):
        return False
    return _has_failed(result) or _ABORTED.match(_text(result.get("output"))) is not None


class ClineResults:
    """The results in the text of a message that answers calls in tags, by the name of the tool, in their order."""

    def __init__(self, text: str) -> None:
        self._left: dict[str, deque[bool]] = {}
        headers = list(re.finditer(_CLINE_RESULT, text))
        ends = [*(header.start() for header in headers[1:]), len(text)]
        for header, end in zip(headers, ends, strict=False):
            self._left.setdefault(header[1], deque()).append(says_failure(text[header.end() : end].strip()))
        for match in re.finditer(_CLINE_NOT_MADE, text):
            self._left.setdefault(match[1] or match[2], deque()).append(True)

    def take(self, name: str) -> bool | None:
        """Whether the next call of this tool failed; None if nothing is said of one."""
        left = self._left.get(name)
        if not left:
            return None
        return left.popleft()


def _plain(output: object) -> str:
    """The text of a result, which may be in parts."""
    if isinstance(output, str):
        return output
    inner = _object(output).get("content")
    if isinstance(inner, str):
        return inner
    for key in ("value", "text"):
        if isinstance(value := _object(output).get(key), str):
            return value
    return "\n".join(item["text"] for item in _objects(output) if isinstance(item.get("text"), str))


def _objects(*lists: object) -> list[dict[str, Any]]:
    """The objects in these values, as far as they are lists."""
    return [item for each in lists if isinstance(each, list) for item in each if isinstance(item, dict)]


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _id_of(item: Mapping[str, Any]) -> str:
    return next(filter(None, (_id(item.get(key)) for key in _IDS)), "")


def _id(value: object) -> str:
    """An id as text, which some programs write as a number; "" if it is something else."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value)
