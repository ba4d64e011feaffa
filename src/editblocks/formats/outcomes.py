"""What came of a call, as its result says: in a switch, an exit code, or the words of its first lines.

Every program has words of its own, so no list holds all failures: a result that neither a switch nor words make a
success is unclear. Words make a failure only where a text begins as one, or its first line denies a success. The words
of a line are looked at without the paths and the quotes in it, which may hold any word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from editblocks.formats.tool_calls import FAILED_STATUSES

_SUCCEEDED_STATUSES = frozenset("success succeeded successful ok approved applied".split())
_ERROR_TYPES = ("error-text", "error-json", "execution-denied")  # of an output, as the AI SDK has it
_SWITCHES = {
    "is_error": False,
    "isError": False,
    "success": True,
    "ok": True,
}  # whether `true` is success
_SAYING = ("content", "output", "result", "value", "text", "message", "status", "operation")  # keys of what was said
_INNER = ("value", "structuredContent")  # keys of an object that may have switches, too
_DEEPEST = 4  # of such keys and lists, one inside the other
_HEAD_LINES = 3
_HEAD_WIDTH = 300  # characters of a line that are looked at
_CHANGED_BY_PERSON = (  # as Cline says it, and Claude Code
    "The user made the following updates to your content",
    "The user modified your proposed changes",
)

CLINE_RESULT = r"(?m)^[ \t]*(?:Tool #[0-9]+: )?\[([\w-]+)(?: for [^\n]*?)?\] Result:[ \t]*\n?"
NUMBERED = r"(?m)^[ \t]*([0-9]{1,9})[ \t]*(\t|→|:|\|)(.*)$"  # a line of a file as a result shows it
_BEFORE_WORDS = re.compile(  # what programs write above the text of a tool: Codex, SWE-agent
    r"(?:(?:Chunk ID|Wall time|Total output lines|Original token count)\b[^\n]*\n"
    r"|(?:Output|OBSERVATION):[ \t\r]*(?:\n|(?=\S))|[ \t\r]*\n)*"
)
_EXIT_CODE = re.compile(r"(?:Exit code:?|(?:Process|Command) exited with code|exit status) (-?[0-9]+)[ \t\r]*(?:\n|$)")
_ABORTED = re.compile(r"(?i)aborted by user\b")  # Codex may write it with exit code 0

_TAG = re.compile(r"</?([\w-]+)>")
_NO_WORDS = re.compile(  # quotes, paths and names of files
    r"""`[^`]*` | (?<!\w)"[^"]*"(?!\s*:) | (?<!\w)'[^']*'(?![\w:]) | \S*[/\\]\S* | [\w-]+\.\w{1,5}\b""", re.VERBOSE
)
_NOT_THERE = re.compile(  # what a success may say of itself
    r"(?i)\b(?:no|without|0|zero)(?: \w+ (?:or|and)| new| other| \w*lint\w*)?"
    r" (?:errors|warnings|problems|issues|failures|failed)\b"
)
_SHOWN = re.compile(r"(?m)^[ \t]*(?:```|~~~|---|@@|diff |Index: )")  # what follows, a diff or code, may hold any word
_SUCCESS = (
    r"(?:success\w*|succeeded|updated|edited|created|wrote|written|saved|applied|replaced|inserted|added|appended|deleted"
    r"|removed|renamed|moved|modified|changed|overwr\w+|patched|completed?|done|made|ok|okay|approved|accepted)\b"
)
_DENIAL = r"(?:\b(?:not|never|nothing|no)\b|n't\b)"
_WORDS = re.compile(  # a success that is denied, one that may be none, a lone denial, a success
    rf"""(?xi)
    (?P<failure> (?:{_DENIAL}|\bnone\ of\b) (?:\ \w+){{0,4}}? \ (?:{_SUCCESS}|performed|executed)
        | \b(?:could\ not|couldn't|unable\ to|failed\ to)\b)
    | (?P<doubt> \b{_SUCCESS}[^\w.]{{0,4}}(?:false|0|no|none|nothing)\b | \bbe\ (?:\w+\ )?{_SUCCESS}
        | \b(?:0|(\d+)\ of\ (?:the\ )?(?!\3\b)\d+)\ (?:\w+\ )?{_SUCCESS}
        | \b0\ (?:occurrences|replacements|matches|edits|changes)\b
        | \b(?:modified|changed)\b [^.]{{0,20}} \b(?:since|on\ disk)\b | \balready\ exists\b
        | \b(?:before|until|instead|dry\ run)\b | revert | \bundone\b | rolled\ back | restored | discard)
    | (?P<denial> {_DENIAL} | \b(?:cannot|unable)\b | \bfail
        | error | exception | traceback | reject | \bden(?:y|ied) | cancel | abort | refus | declin | interrupt
        | blocked | invalid | illegal | forbidden | skipped | skipping | mismatch | ambiguous | missing
        | time(?:d\ |-)?out | \bbut\b
        | \bun(?:changed|modified|supported|known|expected|successful|authorized))
    | (?P<success> \b{_SUCCESS}(?!["']\s*:))
    """
)
_BEGINS_AS_FAILURE = re.compile(
    r"""(?xi) [^\w"'`+-]*
    (?: (?:an|the|this|some|tool|tool_use|call|script|execution|patch|apply_patch|verification|user|system|request
        |(?:exec[_ ])?command|operations?|action|changes|edit|but|is|was|were|i|mcp|access\ to\ \S+
        |\w+(?=\ failed:)) [\W_]+ )*
    (?: (?:\w*errors?(?:_details)?|fail|failed|failure|rejected|denied|aborted|cancelled|canceled|interrupted|blocked
            |declined|timed\ out)
        \s*(?: (?!:\s*0\b)[:!,;>(\]] | \.(?=\s|$) | (?<=\s)[-\u2013] | $
            | (?:to|at|for|after|with|by|due|because|this|the|in\ sandbox|permission|occurred|while
                |(?:invoking|executing|running|calling|writing|reading|editing|saving|updating|applying|creating))\b )
    | (?:unable|cannot|can't|could\ not|couldn't|does(?:n't|\ not)\ want|traceback|invalid\ patch|unsupported\ call
        |skipping\ tool)\b )
    """
)


class Outcome(Enum):
    """What a result says of its call."""

    FAILED = "failed"
    SUCCEEDED = "succeeded"
    UNCLEAR = "unclear"


def outcome_of_both(one: Outcome, other: Outcome) -> Outcome:
    """What two results say of one call: it has failed if one of them says so."""
    return next((each for each in (Outcome.FAILED, Outcome.SUCCEEDED) if each in (one, other)), Outcome.UNCLEAR)


def outcome_of(result: Mapping[str, Any], output: object, *, names_errors: bool = False) -> Outcome:
    """What a result and the output in it say. Where a program `names_errors`, a result without a switch is a success
    unless its words deny that.
    """
    text = _without_head(text_of(output))
    objects = [result, object_of(output)]
    exit_code = _EXIT_CODE.match(text)
    if exit_code is not None:
        objects.append({"exit_code": exit_code[1]})
        text = _without_head(text[exit_code.end() :])
    told = _decoded(text)
    if told is not None:
        objects.append(object_of(told))
        text = text_of(told) or "{}"  # no words
    objects += [object_of(values.get(key)) for values in objects for key in _INNER]
    switches = [each for values in objects for each in _switches(values)]
    if False in switches or _ABORTED.match(text):
        return Outcome.FAILED
    if any(_exit_code(values) == 0 for values in objects):
        return Outcome.SUCCEEDED
    return _outcome_in_words(text, is_said=True in switches, is_expected=names_errors)


def is_changed_by_person(text: str) -> bool:
    """Whether the text of a result says that a person changed what the call wrote."""
    return any(words in text for words in _CHANGED_BY_PERSON)


def text_of(output: object, depth: int = _DEEPEST) -> str:
    """The text of a result, which may be in parts."""
    if isinstance(output, str):
        return output
    inner: Sequence[object] = ()
    if isinstance(output, list):
        inner = output
    elif isinstance(output, dict):
        inner = [output[key] for key in _SAYING if key in output]
    if depth == 0:
        return ""
    return "\n".join(filter(None, (text_of(each, depth - 1) for each in inner)))


def object_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def string_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def _without_head(text: str) -> str:
    """A text without what a program writes above it."""
    header = re.match(CLINE_RESULT, text)
    if header is not None:
        text = text[header.end() :]
    return _BEFORE_WORDS.sub("", text, count=1)


def _decoded(text: str) -> object:
    """What a text is as JSON, as Codex writes the output of a command; None if it is none."""
    import json  # few results are JSON

    if not text.startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _switches(values: Mapping[str, Any]) -> Iterator[bool]:
    """What the switches of a result, its status and its exit code say of success."""
    kind = string_of(values.get("type"))
    status = string_of(values.get("status")).lower()
    if values.get("error") or kind in _ERROR_TYPES or kind.endswith("tool_result_error") or status in FAILED_STATUSES:
        yield False
    if status in _SUCCEEDED_STATUSES:
        yield True
    if _exit_code(values) is not None:
        yield _exit_code(values) == 0
    for key, says_success in _SWITCHES.items():
        if values.get(key) in (True, "true"):
            yield says_success
        elif values.get(key) in (False, "false"):
            yield not says_success


def _exit_code(values: Mapping[str, Any]) -> object:
    """The exit code of a command; None if a result holds none."""
    own = values.get("exit_code")
    if own is None:
        own = object_of(values.get("metadata")).get("exit_code")
    return 0 if own == "0" else own


def _outcome_in_words(text: str, *, is_said: bool, is_expected: bool) -> Outcome:
    """What the first lines of a text say: the first one alone where it says success, and nothing else.

    `is_said`: a switch says that the call succeeded, which words put in doubt only if they begin as a failure.
    """
    if is_changed_by_person(text):
        return Outcome.SUCCEEDED
    head = _SHOWN.split(text[: _HEAD_WIDTH * 20], maxsplit=1)[0].replace("\u2019", "'")
    lines = [line[:_HEAD_WIDTH] for line in head.split("\n") if line.strip()][:_HEAD_LINES]
    words = [_words_of(re.sub(NUMBERED, "", line)) for line in lines]
    said = [[match.lastgroup for match in _WORDS.finditer(line)] for line in words]
    if lines and (_BEGINS_AS_FAILURE.match(lines[0]) or said[0][:1] == ["failure"]):
        return Outcome.UNCLEAR if is_said else Outcome.FAILED
    if is_said or (said and set(said[0]) == {"success"}):
        return Outcome.SUCCEEDED
    every = [each for line in said for each in line]
    is_blank = text.strip() != "" and not re.search(r"\w", "".join(words[:1]))  # nothing but quotes, names or code
    if is_expected and not is_blank and "doubt" not in every and every[:1] in ([], ["success"]):
        return Outcome.SUCCEEDED
    return Outcome.SUCCEEDED if set(every) == {"success"} else Outcome.UNCLEAR


def _words_of(line: str) -> str:
    """A line without what may hold any word: its tags are words, its quotes and paths none."""
    words = _TAG.sub(r" \1 ", line)
    return _NOT_THERE.sub(" ", _NO_WORDS.sub(" ", words))
