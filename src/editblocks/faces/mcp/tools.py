"""The tools that an agent may call. Each does the same as a command, with the same functions.

A tool prints like its command in a pipe. The printed text is the text of the reply, so an agent reads the same as a
person. No tool has an argument for the folder: all use the repository for which the server was started.
Page: docs/guide/agents.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from editblocks.core.characters import quote
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UsageError
from editblocks.core.outcome import Response
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import DEFAULT_KIT
from editblocks.faces.cli import apply, check, explain, retry, undo
from editblocks.faces.cli.arguments import parse_command
from editblocks.faces.cli.commands import LONGEST_USUAL_PROMPT
from editblocks.faces.cli.documents import report
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request
from editblocks.faces.common.reading import ARGUMENT, SOURCE_BYTES, response_in
from editblocks.faces.common.terminal import BROKEN, FINE, INTERRUPTED, exit_code_of, message, say
from editblocks.prompts.kits import kit, sample_block
from editblocks.report.tools.json import document, dumps
from editblocks.report.view import OutcomeView

ArgumentValues: TypeAlias = Mapping[str, Any]
Members: TypeAlias = Mapping[str, object]


class Reply(NamedTuple):
    """The reply to an agent: all that was printed, and for some tools the members of a JSON object."""

    is_error: bool = False
    members: Members | None = None
    text: str = ""


class Argument(NamedTuple):
    name: str
    kind: type  # str or bool
    help: str
    is_required: bool = False


class Tool(NamedTuple):
    """A tool. `writes` is true if a call may change files."""

    name: str
    title: str
    help: str
    arguments: tuple[Argument, ...]
    run: Callable[[Path, ArgumentValues], Reply]  # returns a reply without `text`
    writes: bool = False

    @property
    def input_schema(self) -> dict[str, object]:
        """The JSON schema of the arguments."""
        properties = {each.name: {"type": _JSON_TYPES[each.kind], "description": each.help} for each in self.arguments}
        required = [each.name for each in self.arguments if each.is_required]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_JSON_TYPES = {str: "string", bool: "boolean"}


def call(tool: Tool, root: Path, given: ArgumentValues) -> Reply:
    """Call a tool for the repository at `root`. Raises nothing but `KeyboardInterrupt`.

    An error becomes a reply with a reason code and a sentence. Messages are also logged to stderr. The traceback of a
    bug is only logged.
    """
    replies = list[Reply]()
    frames = list[str]()

    def run() -> int:
        _refuse_arguments(tool, given)
        replies.append(tool.run(root, given))
        return FINE

    def refuse(code: ReasonCode, sentence: str) -> None:
        message(f"{code.value}: {sentence}")
        replies.append(Reply(is_error=True))

    with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
        code = exit_code_of(run, refuse, frames.append)
    for frame in frames:
        message(frame)
    say(stderr.getvalue())
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    reply = replies[0]
    members = reply.members
    messages = stderr.getvalue().splitlines()
    if members is not None and messages:
        members = {**members, "messages": messages}
    return Reply(reply.is_error, members, stdout.getvalue() + stderr.getvalue())


def _refuse_arguments(tool: Tool, given: ArgumentValues) -> None:
    """Raise `UsageError` for unknown or missing arguments, and for values of the wrong type."""
    known = {each.name: each for each in tool.arguments}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"{tool.name} has no argument {quote(name)}; {did_you_mean(name, list(known))}")
        if type(value) is not known[name].kind:
            raise UsageError(f"{name} of {tool.name} must be a {_JSON_TYPES[known[name].kind]}")
    for argument in tool.arguments:
        if argument.is_required and argument.name not in given:
            raise UsageError(f"{tool.name} needs {argument.name}: {argument.help}")


def _options(command: str, root: Path, *words: str) -> argparse.Namespace:
    """Return the options of a command, parsed as on the command line."""
    return parse_command(command, [f"--root={root}", *words])


def _request(command: str, root: Path, given: ArgumentValues, *options: str) -> Request:
    words = ["-", *options]
    if "only" in given:
        words.append(f"--only={given['only']}")
    if given.get("partial", False):
        words.append("--partial")
    return Request.of(_options(command, root, *words))


def _reader(given: ArgumentValues) -> Callable[[str, int], Response]:
    """Return a function that returns the answer where a command would read a file."""
    data = given["answer"].encode("utf-8", "surrogatepass")[:SOURCE_BYTES]
    return lambda _, limit: response_in(data, ARGUMENT, limit)


def _check(root: Path, given: ArgumentValues) -> Reply:
    request = _request("check", root, given)
    call = check.Call(request, request.responses(_reader(given)), Output(request), request.opener())
    call.carry_out()
    return Reply(call.exit_code() == BROKEN, _members(request, call.views[0]))


def _apply(root: Path, given: ArgumentValues) -> Reply:
    if given.get("dry_run", True):
        result = _check(root, given)
        print("dry run: nothing was written")
        return result
    request = _request("apply", root, given)
    call = apply.carry_out(request, _reader(given))
    members = _members(request, call.views[0])
    if call.files.record_id is not None:
        members = {**members, "undo": call.files.record_id}
    # A partial apply that wrote something is not an error.
    is_error = call.exit_code() != FINE and not members["written"]
    return Reply(is_error, members)


def _members(request: Request, view: OutcomeView) -> Members:
    """Return what `--format json` prints."""
    members: Members = json.loads(dumps(document(report(request, view, has_texts=False))))
    return members


def _retry(root: Path, given: ArgumentValues) -> Reply:
    request = _request("retry", root, given, "-q")
    fresh = given.get("fresh", False)
    for response in request.responses(_reader(given)):
        retry.ask(request, response, print, fresh=fresh, max_chars=LONGEST_USUAL_PROMPT)
    return Reply()


def _undo(root: Path, given: ArgumentValues) -> Reply:
    words = []
    if given.get("redo", False):
        words.append("--redo")
    if "id" in given:
        words += ["--", given["id"]]
    return Reply(undo.main(_options("undo", root, *words)) != FINE)


def _explain(_: Path, given: ArgumentValues) -> Reply:
    words = []
    if "code" in given:
        words += ["--", given["code"]]
    return Reply(explain.main(parse_command("explain", words)) != FINE)


_ANSWER = Argument("answer", str, "the whole answer with its edit blocks, as text", is_required=True)
_ONLY = Argument("only", str, "only these blocks, as in 1-3, 4@48 for block 4 at line 48, src/cart.py or ready")

_PARTIAL = Argument("partial", bool, "true applies the blocks that fit even if others do not; default: all or none")

TOOLS = (
    Tool(
        "check_edits",
        "Check edit blocks",
        "Show whether each edit block of an answer fits the files of the repository. Writes nothing.",
        (_ANSWER, _ONLY, _PARTIAL),
        _check,
    ),
    Tool(
        "apply_edits",
        "Apply edit blocks",
        "Write the edit blocks of an answer to the files of the repository: all blocks or none. Makes no commit. "
        "It only shows what would be written, unless dry_run is false.",
        (
            _ANSWER,
            _ONLY,
            _PARTIAL,
            Argument("dry_run", bool, "false writes; default: true, which writes nothing"),
        ),
        _apply,
        writes=True,
    ),
    Tool(
        "retry_prompt",
        "Ask again for failed blocks",
        "Say how to correct the edit blocks of an answer that do not fit: the reasons, and the text of the files as it "
        "is now. Writes nothing.",
        (
            _ANSWER,
            Argument("only", str, "ask only for these blocks, as in 2,4-5 or src/cart.py; default: all that failed"),
            Argument("fresh", bool, "true adds everything that a model needs if it did not write the answer"),
        ),
        _retry,
    ),
    Tool(
        "undo",
        "Undo an apply",
        "Undo an apply that apply_edits made: the last one, or the one that is named. If a file has changed since, "
        "nothing is undone.",
        (
            Argument("id", str, "the id of an apply, as apply_edits gave it; default: the last one"),
            Argument("redo", bool, "true redoes what was undone"),
        ),
        _undo,
        writes=True,
    ),
    Tool(
        "explain",
        "Explain a reason code",
        "Say what a reason code such as no-match means, and what to do. Without a code, list them all.",
        (Argument("code", str, "the code of a row, such as no-match"),),
        _explain,
    ),
)


def instructions() -> str:
    """Return the description of the server that an agent gets before it calls a tool."""
    rules = kit(DEFAULT_KIT).reminder
    frame = sample_block(DEFAULT_KIT, "path/of/the/file.py")
    return f"{_HOW}\n\n{frame}\n\n{rules}"


_HOW = """\
Checks edit blocks against the files of this repository and writes all of them or none. Write an answer with a block \
for each edit, try it with check_edits, and apply it with apply_edits and dry_run false. For blocks that fail, \
retry_prompt says what to correct. undo restores the files as they were before an apply. Where a text names a command \
or an option of editblocks, as in `editblocks undo ID` or `--partial`, use the tool or the argument of that name. A \
block looks like this:"""
