"""Tell from the result of a tool call whether it failed: by a switch, an exit code, or the first sentence of its text.

The sentence is only used if there is neither a switch nor an exit code. Paths and quotes in it are ignored, as they
may contain any word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
