"""`editblocks mcp`: a server of the Model Context Protocol, with tools for agents to check and apply answers.

Each tool does the same as a command, with the same functions, and its reply is what the command prints in a pipe, so an
agent reads the same as a person. No tool has an argument for the folder: all use the repository for which the server
was started. Each call ends before the next message is handled, so no call reads files that another one is writing. The
protocol uses standard output; messages for people go to stderr.
Page: docs/guide/agents.md.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from editblocks import __version__
from editblocks.core.characters import SURROGATE, quote
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UsageError
from editblocks.core.outcome import Response
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import DEFAULT_KIT
from editblocks.faces.cli import apply, check, explain, retry, undo
from editblocks.faces.cli.arguments import parse_command
from editblocks.faces.cli.check import Output
from editblocks.faces.cli.commands import LONGEST_USUAL_PROMPT
from editblocks.faces.cli.documents import report
from editblocks.faces.cli.request import Request
from editblocks.faces.reading import ARGUMENT, SOURCE_BYTES, response_in, root_of
from editblocks.faces.terminal import BROKEN, FINE, INTERRUPTED, exit_code_of, is_terminal, message, say
from editblocks.prompts.context import form_of_block, kit
from editblocks.report.json import document, dumps
from editblocks.report.view import OutcomeView
from editblocks.repos.git.repository import git_folder

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup  # anyio brings it

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
    call = check.CheckRun(Output(request), request.responses(_reader(given)), request.opener())
    call.carry_out()
    return Reply(call.finish() == BROKEN, _members(request, call.views[0]))


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
    is_error = call.finish() != FINE and not members["written"]
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
        (_ANSWER, _ONLY, _PARTIAL, Argument("dry_run", bool, "false writes; default: true, which writes nothing")),
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
    return f"{_HOW}\n\n{form_of_block()}\n\n{rules}"


_HOW = """\
Checks edit blocks against the files of this repository and writes all of them or none. Write an answer with a block \
for each edit, try it with check_edits, and apply it with apply_edits and dry_run false. For blocks that fail, \
retry_prompt says what to correct. undo restores the files as they were before an apply. Where a text names a command \
or an option of editblocks, as in `editblocks undo ID` or `--partial`, use the tool or the argument of that name. A \
block looks like this:"""

_LOOK_AGAIN = 0.01  # seconds between checks for outstanding replies at the end of the input
_LAST_LOOKS = 100  # then stop, because a cancelled call may never get a reply
_UNREADABLE = "this message cannot be read: it is not JSON-RPC, or holds half of a character (a lone surrogate)"


def main(options: argparse.Namespace) -> int:
    """Serve one agent until it closes standard input. Raises `UsageError` if the folder is not a repository."""
    root = root_of(options.root).resolve()
    if git_folder(root) is None:
        raise UsageError(f"{root} is not a git repository; start the server in one, or name one with --root")
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("standard input or output is closed; an agent starts the server and talks through both")
    if is_terminal(sys.stdin):
        message("the server waits for an agent; normally the agent starts it; ^D ends it")
    loop = asyncio.new_event_loop()
    signals = [number for number in signal.valid_signals() if signal.getsignal(number) is signal.default_int_handler]
    for number in signals:
        signal.signal(number, _exit)
    try:
        # asyncio.run would wait for the thread that reads the next line, which only ends with that line.
        loop.run_until_complete(_serve(root, signals))
    except ExceptionGroup as group:
        _, others = group.split((BrokenPipeError, ConnectionResetError))
        if others is not None:
            raise
        message("the agent closed the connection, so a reply was lost")
    loop.close()
    return FINE


def _exit(_number: int, _frame: FrameType | None) -> None:
    """End the process at a signal. KeyboardInterrupt in a coroutine would wait for the thread that reads a line."""
    os._exit(INTERRUPTED)


@contextmanager
def _interruptible(signals: Iterable[int]) -> Iterator[None]:
    """Let signals raise KeyboardInterrupt, so that a call undoes what it wrote. Then end the process."""
    try:
        for number in signals:
            signal.signal(number, signal.default_int_handler)
        yield
        for number in signals:
            signal.signal(number, _exit)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


async def _serve(root: Path, signals: Iterable[int]) -> None:
    server = server_for(root, signals)
    to_server, messages = anyio.create_memory_object_stream[SessionMessage | Exception]()
    from_server, replies = anyio.create_memory_object_stream[SessionMessage]()
    unanswered: set[str | int | None] = set()
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(_relay, incoming, to_server, outgoing, unanswered)
        tasks.start_soon(_send_back, replies, outgoing, unanswered)
        await server.run(messages, from_server, server.create_initialization_options())


async def _send_back(
    replies: ObjectReceiveStream[SessionMessage],
    outgoing: ObjectSendStream[SessionMessage],
    unanswered: set[str | int | None],
) -> None:
    """Send replies to the agent, and remove them from `unanswered`."""
    async with outgoing:
        async for reply in replies:
            await outgoing.send(reply)
            if isinstance(reply.message, (types.JSONRPCResponse, types.JSONRPCError)):
                unanswered.discard(reply.message.id)


async def _relay(
    incoming: ObjectReceiveStream[SessionMessage | Exception],
    to_server: ObjectSendStream[SessionMessage | Exception],
    outgoing: ObjectSendStream[SessionMessage],
    unanswered: set[str | int | None],
) -> None:
    """Pass messages to the server. Messages that cannot be read get an error here, so that the agent does not wait.

    The server drops outstanding replies when its input ends, so the end of the input is delayed until they are sent.
    """
    async with to_server:
        async for item in incoming:
            if isinstance(item, Exception):
                message(_UNREADABLE)
                error = types.ErrorData(code=types.PARSE_ERROR, message=_UNREADABLE)
                await outgoing.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=_id_of(item), error=error)))
                continue
            if isinstance(item.message, types.JSONRPCRequest):
                unanswered.add(item.message.id)
            await to_server.send(item)
        for _ in range(_LAST_LOOKS):
            if not unanswered:
                break
            await anyio.sleep(_LOOK_AGAIN)


def _id_of(error: Exception) -> str | int | None:
    """Return the id of a request that cannot be read, or None if the id cannot be read either."""
    if not isinstance(error, ValidationError):
        return None
    request = error.errors()[0]["input"]
    if isinstance(request, str):
        try:
            request = json.loads(request)  # accepts lone surrogates, unlike the protocol
        except (ValueError, RecursionError):
            return None
    if not isinstance(request, dict) or type(request.get("id")) not in (str, int):
        return None
    if re.search(SURROGATE, str(request["id"])):  # a lone surrogate cannot be sent back
        return None
    return request["id"]  # type: ignore[no-any-return]


def server_for(root: Path, signals: Iterable[int]) -> Server:
    """Return the server with tools for the repository at `root`, whose calls these signals interrupt."""
    tools = {tool.name: tool for tool in TOOLS}
    listed = types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def list_tools(_context: object, _params: object) -> types.ListToolsResult:
        return listed

    async def call_tool(_context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools:
            reason = f"there is no tool {quote(params.name)}; {did_you_mean(params.name, list(tools))}"
            raise MCPError(types.INVALID_PARAMS, reason)
        with _interruptible(signals):
            reply = call(tools[params.name], root, params.arguments or {})
        return _result(reply)

    return Server(
        "editblocks",
        version=__version__,
        title="editblocks",
        instructions=instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    """Return the description of a tool for the agent. Tools that write are marked as destructive and not idempotent."""
    hints = types.ToolAnnotations(
        read_only_hint=not tool.writes,
        destructive_hint=tool.writes,
        idempotent_hint=not tool.writes,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name, title=tool.title, description=tool.help, input_schema=tool.input_schema, annotations=hints
    )


def _result(reply: Reply) -> types.CallToolResult:
    """Convert a reply to the protocol. Lone surrogates, which UTF-8 cannot encode, become question marks."""
    text = reply.text.encode("utf-8", "replace").decode()
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=reply.members, is_error=reply.is_error)
