"""Read the records that coding agents keep of a session: who wrote what, which tools were called, with which results.

This module knows nothing of edits: a call is an object. Whether it failed is told by a switch of its result, an exit
code, or, if there is neither, the first sentence of its text, without paths and quotes, as they may contain any word.
Each record is recognized by its own keys, so a file may mix the records of several agents. The sources:

- Claude Code: lines with `type`, `message` and `cwd`, as in `~/.claude/projects`.
- Codex: `RolloutItem` and `ResponseItem` in openai/codex, codex-rs/protocol/src (protocol.rs, models.rs).
- Cline: the header of a result in src/core/assistant-message/presentAssistantMessage.ts of RooCodeInc/Roo-Code.
- Pi, Gemini CLI: a line for each message. The calls of Gemini CLI contain their results.
- Chat API and Gemini API: the earlier messages, which each request sends again.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from editblocks.formats.tool_calls import FAILED_STATUSES

_ERROR_TYPES = ("error-text", "error-json", "execution-denied")  # the types of an output in the AI SDK
_SWITCHES = {"is_error": True, "isError": True, "success": False, "ok": False}  # whether `true` means a failure
_TEXT_KEYS = ("content", "output", "result", "value", "text", "message", "status", "operation")  # keys of texts
_INNER = ("value", "structuredContent")  # keys of inner objects that may have switches too
_DEEPEST = 4  # levels of such keys and lists
_WIDTH = 300  # the characters at the start of a text that are looked at

CLINE_RESULT = r"(?m)^[ \t]*(?:Tool #[0-9]+: )?\[([\w-]+)(?: for [^\n]*?)?\] Result:[ \t]*\n?"
NUMBERED = r"(?m)^[ \t]*([0-9]{1,9})[ \t]*(\t|→|:|\|)(.*)$"  # a line of a file, with its number, in a result
_BEFORE_WORDS = re.compile(  # what programs write above the output of a tool: Codex, SWE-agent
    r"(?:(?:Chunk ID|Wall time|Total output lines|Original token count)\b[^\n]*\n"
    r"|(?:Output|OBSERVATION):[ \t\r]*(?:\n|(?=\S))|[ \t\r]*\n)*"
)
_EXIT_CODE = re.compile(r"(?:Exit code:?|(?:Process|Command) exited with code|exit status) (-?[0-9]+)[ \t\r]*(?:\n|$)")
# A text that begins with one of these is a failure, whatever a switch says: Codex may write the first with exit code 0.
_CERTAIN_FAILURES = (
    r"(?i)aborted by user|patch rejected|apply_patch verification failed|the tool execution failed|the user denied"
)

_TAG = r"</?([\w-]+)>"
_QUOTES_AND_PATHS = r"`[^`]*`|(?<!\w)\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\S*[/\\]\S*|[\w-]+\.\w{1,5}\b"
_NO_ERRORS = (  # phrases of successful results
    r"(?i)\b(?:no|without|0|zero)(?: \w+ (?:or|and)| new| other)? (?:errors|warnings|problems|issues|failures|failed)\b"
)
_SHOWN = r"(?m)^[ \t]*(?:```|~~~|---|@@|diff |Index: )"  # begins a diff or code, which may contain any word
_SENTENCE_END = r"[.;](?:\s|\Z)|\n"
_FAILURE = (
    r"(?i)error|exception|traceback|\bfail|reject|\bden(?:y|ied)|cancel|abort|interrupt|\bblocked|declin|refus|invalid"
    r"|illegal|forbidden|\bunable|\bcannot|\bcould not|n't\b|\b(?:not|never|nothing|none of|no)\b|\bbut\b|\bmust\b"
    r"|mismatch|missing|ambiguous|skipped|skipping|time(?:d )?out|\bunsupported|\bunchanged|already exists|\bfalse\b"
    r"|\b(?:modified|changed) since\b|\b0 (?:occurrences|replacements|matches|edits|of)\b"
)


def has_failed(result: Mapping[str, Any], output: object) -> bool:
    """Whether the result of a call, or the output in it, says that the call failed."""
    text = _without_head(text_of(output))
    objects = [result, object_of(output)]
    exit_code = _EXIT_CODE.match(text)
    if exit_code is not None:
        objects.append({"exit_code": exit_code[1]})
        text = _without_head(text[exit_code.end() :])
    decoded = _decoded(text)
    if decoded is not None:
        objects.append(object_of(decoded))
        text = text_of(decoded)
    objects += [object_of(values.get(key)) for values in objects for key in _INNER]
    switches = [each for values in objects for each in _switches(values)]
    if re.match(_CERTAIN_FAILURES, text):
        return True
    if switches:
        return any(switches)
    return _fails_in_words(text)


def text_of(output: object, depth: int = _DEEPEST) -> str:
    """The text of an output, which may be nested in lists and objects."""
    if isinstance(output, str):
        return output
    inner: Sequence[object] = ()
    if isinstance(output, list):
        inner = output
    elif isinstance(output, dict):
        inner = [output[key] for key in _TEXT_KEYS if key in output]
    if depth == 0:
        return ""
    return "\n".join(filter(None, (text_of(each, depth - 1) for each in inner)))


def object_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def string_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def _without_head(text: str) -> str:
    """A text without the header that a program writes above it."""
    header = re.match(CLINE_RESULT, text)
    if header is not None:
        text = text[header.end() :]
    return _BEFORE_WORDS.sub("", text, count=1)


def _decoded(text: str) -> object:
    """The value of a JSON text, as Codex writes the output of a command; None if the text is not JSON."""
    import json  # imported late: few results are JSON

    if not text.startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _switches(values: Mapping[str, Any]) -> Iterator[bool]:
    """Yield whether each switch, the status and the exit code of a result say that it failed."""
    kind = string_of(values.get("type"))
    status = string_of(values.get("status")).lower()
    if values.get("error") or kind in _ERROR_TYPES or kind.endswith("tool_result_error") or status in FAILED_STATUSES:
        yield True
    exit_code = values.get("exit_code", object_of(values.get("metadata")).get("exit_code"))
    if exit_code is not None:
        yield exit_code not in (0, "0")
    for key, is_failure in _SWITCHES.items():
        if values.get(key) in (True, "true"):
            yield is_failure
        elif values.get(key) in (False, "false"):
            yield not is_failure


def _fails_in_words(text: str) -> bool:
    """Whether the first sentence of a text says that something failed."""
    head = re.split(_SHOWN, text.lstrip()[:_WIDTH], maxsplit=1)[0].replace("\u2019", "'")
    line = re.sub(NUMBERED, "", head.partition("\n")[0])
    words = re.sub(_QUOTES_AND_PATHS, " x ", re.sub(_TAG, r" \1 ", line))
    sentence = re.split(_SENTENCE_END, words.strip(), maxsplit=1)[0]
    return re.search(_FAILURE, re.sub(_NO_ERRORS, " ", sentence)) is not None


_ITEMS = frozenset(
    "message reasoning function_call custom_tool_call local_shell_call apply_patch_call mcp_call mcp_approval_request "
    "mcp_approval_response".split()
)
_NO_CALLS = ("reasoning", "mcp_approval_request", "mcp_approval_response")  # an approved call is an item of its own
_OUTPUT = "_output"  # ends the type of an item that is the result of a call
_RESULT_EVENTS = ("patch_apply_end", "exec_command_end")  # events with the result of a call
_TEXTS = frozenset(
    "text output_text input_text thinking redacted_thinking reasoning image input_image document".split()
)
_RESULTS = ("tool_result", "tool-result")  # end the type of a result, in a message of any role
_OUTPUTS = ("content", "output", "result")  # keys of a result with the output of the tool
_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id")  # keys of a result with the id of its call
_INLINE_RESULT_KEYS = ("output", "result", "error")  # keys next to a call with its result
_MODEL = frozenset(("assistant", "model"))
_TOOLS = ("tool", "toolResult")  # roles of a message that is a result
_FOLDER_TYPES = ("session", "system")  # types of lines that name the folder: Pi, and the stream of Claude Code
_CLINE_NOT_MADE = (
    r"(?:Skipping tool|Tool) \[([\w-]{1,64})\b[^\n\]]{0,400}\] (?:due to|was (?:interrupted|not executed))"
    r"|Skipping tool due to [^\n\[]{0,400}\[([\w-]{1,64})\b"
)


class SessionResult(NamedTuple):
    """The result of a call. `is_by_name`: `id` is the name of a tool, and the call is its first one without an id."""

    id: str
    is_failed: bool
    text: str = ""
    is_by_name: bool = False


class SessionCall(NamedTuple):
    """A call of a tool. `id` is the id that its result names, or ""."""

    id: str
    value: Mapping[str, Any]
    result: SessionResult | None = None  # if it is recorded beside the call

    @property
    def name(self) -> str:
        """The name of the tool, which a result without an id names instead."""
        inner = object_of(self.value.get("functionCall") or self.value.get("function"))
        return string_of(self.value.get("name")) or string_of(inner.get("name"))


class Entry(NamedTuple):
    """The content of one record."""

    calls: tuple[SessionCall, ...] = ()
    results: tuple[SessionResult, ...] = ()
    model_text: str = ""  # what the model wrote besides calls
    user_text: str = ""
    folder: str = ""  # the working directory from this record on; "" if the record does not name it


def entry_of(record: Mapping[str, Any]) -> Entry | None:
    """The content of a record; None for an object that is not a record of a session."""
    kind = record.get("type")
    payload = record.get("payload")
    message = record.get("message")
    if isinstance(kind, str) and isinstance(payload, dict):
        return _codex_entry(kind, payload)
    if isinstance(kind, str) and isinstance(message, dict):
        return _message(message)._replace(folder=string_of(record.get("cwd")))
    if kind in _FOLDER_TYPES and isinstance(record.get("cwd"), str):
        return Entry(folder=record["cwd"])
    if kind == "gemini" and isinstance(record.get("toolCalls"), list):
        return Entry(tuple(_calls(_objects(record["toolCalls"]))), model_text=string_of(record.get("content")))
    if isinstance(record.get("role"), str):
        return _message(record)
    if _is_result(record) or (kind == "tool" and _id_of(record)):
        return Entry(results=(_result(_id_of(record), record, _output(record)),))
    if isinstance(kind, str) and (kind in _ITEMS or kind.endswith(_OUTPUT)):
        return _item(record)
    return None


def _codex_entry(kind: str, payload: Mapping[str, Any]) -> Entry:
    """A line of a rollout file of Codex."""
    if kind in ("session_meta", "turn_context"):
        return Entry(folder=string_of(payload.get("cwd")))
    if kind == "response_item":
        return _item(payload)
    if kind == "event_msg" and payload.get("type") in _RESULT_EVENTS:
        return Entry(results=(SessionResult(_id(payload.get("call_id")), has_failed(payload, None)),))
    return Entry()


def _item(item: Mapping[str, Any]) -> Entry:
    """An item of the Responses API."""
    kind = string_of(item.get("type"))
    call_id = _id(item.get("call_id")) or _id(item.get("id"))
    if kind == "message":
        return _message(item)
    if kind.endswith(_OUTPUT):
        return Entry(results=(_result(call_id, item, item.get("output")),))
    if kind in _NO_CALLS:
        return Entry()
    return Entry((call_of(item, call_id),))


def _shell_command(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the item; for a call of the local shell, the command in it."""
    action = item.get("action")
    if item.get("type") != "local_shell_call" or not isinstance(action, dict):
        return item
    command = {"command": action.get("command")}
    if action.get("working_directory"):
        command["workdir"] = action["working_directory"]
    return command


def _message(message: Mapping[str, Any]) -> Entry:
    """A message of a chat, from any API."""
    role = string_of(message.get("role"))
    content = message.get("content")
    items = _objects(content, message.get("parts"))
    texts = [content] if isinstance(content, str) else []
    texts += [item["text"] for item in items if isinstance(item.get("text"), str) and not item.get("thought")]
    text = "\n".join(texts)
    if role in _MODEL:
        results = tuple(_results([item for item in items if _is_result(item)]))
        items = [item for item in items if not _is_result(item)]
        calls = tuple(_calls(_objects(items, message.get("tool_calls"), [message.get("function_call")])))
        return Entry(calls, results, text)
    if role in _TOOLS and _id_of(message):
        return Entry(results=(_result(_id_of(message), message, content),))
    results = tuple(_results(items))
    if role in (*_TOOLS, "function") and not results:
        name = string_of(message.get("name")) or string_of(message.get("tool_name"))
        result = _result(name, message, content)
        return Entry(results=(result._replace(is_by_name=True),))
    return Entry(results=results, user_text=text)


def _calls(items: Sequence[Mapping[str, Any]]) -> Iterator[SessionCall]:
    """Yield the calls among the items of a model's message: all items that are not text."""
    for item in items:
        if not isinstance(item.get("text"), str) and string_of(item.get("type")) not in _TEXTS:
            yield call_of(item)


def call_of(item: Mapping[str, Any], call_id: str = "") -> SessionCall:
    """Make a call with its id, and with its result if the same object contains it."""
    function = object_of(item.get("functionCall"))
    call_id = call_id or _id(item.get("id")) or _id_of(item) or _id(function.get("id"))
    result = None
    if has_failed(item, None):
        result = SessionResult(call_id, is_failed=True)
    elif any(item.get(key) is not None for key in _INLINE_RESULT_KEYS):
        result = _result(call_id, item, _output(item))
    value = {key: each for key, each in item.items() if key != "status" and not (result and key in _INLINE_RESULT_KEYS)}
    return SessionCall(call_id, _shell_command(value), result)


def _results(items: Sequence[Mapping[str, Any]]) -> Iterator[SessionResult]:
    """Yield the results among the items of a message."""
    for item in items:
        response = object_of(item.get("functionResponse"))
        if response:
            values = object_of(response.get("response"))
            own = _id(response.get("id"))
            result = _result(own or string_of(response.get("name")), values, _output(values))
            yield result._replace(is_by_name=not own)
        elif _id_of(item) or _is_result(item):
            yield _result(_id_of(item), item, _output(item))


def _is_result(item: Mapping[str, Any]) -> bool:
    return string_of(item.get("type")).endswith(_RESULTS)


def _output(result: Mapping[str, Any]) -> object:
    return next((result[key] for key in _OUTPUTS if result.get(key) is not None), None)


def _result(call_id: str, item: Mapping[str, Any], output: object) -> SessionResult:
    """Return the result of a call, which failed or not by its switches, its status and its text."""
    return SessionResult(call_id, has_failed(item, output), text_of(output))


class ClineResults:
    """The results of calls in tags, which Cline writes as text in its next message."""

    def __init__(self, text: str) -> None:
        self._outcomes: dict[str, deque[bool]] = {}  # by tool: whether each call failed, in order
        headers = list(re.finditer(CLINE_RESULT, text))
        ends = [*(header.start() for header in headers[1:]), len(text)]
        for header, end in zip(headers, ends, strict=False):
            self._outcomes.setdefault(header[1], deque()).append(has_failed({}, text[header.end() : end].strip()))
        for match in re.finditer(_CLINE_NOT_MADE, text):
            self._outcomes.setdefault(match[1] or match[2], deque()).append(True)

    def take(self, name: str) -> bool | None:
        """Whether the next call of this tool failed; None if there is no other result."""
        outcomes = self._outcomes.get(name)
        if not outcomes:
            return None
        return outcomes.popleft()


def _objects(*lists: object) -> list[dict[str, Any]]:
    """The objects in those of these values that are lists."""
    return [item for each in lists if isinstance(each, list) for item in each if isinstance(item, dict)]


def _id_of(item: Mapping[str, Any]) -> str:
    return next(filter(None, (_id(item.get(key)) for key in _IDS)), "")


def _id(value: object) -> str:
    """An id as text, which some programs write as a number; "" if it is neither text nor a number."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value)
