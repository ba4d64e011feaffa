"""`editblocks mcp`: a server for agents. The protocol uses standard output; messages for people go to stderr.

Each call ends before the next message is handled, so no call reads files that another one is writing.
Page: docs/guide/agents.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from editblocks import __version__
from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import did_you_mean
from editblocks.faces.common.locations import root_of
from editblocks.faces.common.terminal import FINE, INTERRUPTED, is_terminal, message
from editblocks.faces.mcp.tools import TOOLS, Reply, Tool, call, instructions
from editblocks.repos.git.repository import git_folder

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup  # anyio brings it

_LOOK_AGAIN = 0.01  # seconds between checks for outstanding replies at the end of the input
_LAST_LOOKS = 100  # then stop, because a cancelled call may never get a reply
_UNREADABLE = "this message cannot be read: it is not JSON-RPC, or holds half of a character (a lone surrogate)"


def main(options: argparse.Namespace) -> int:
    """Serve one agent until it closes standard input. Raises `UsageError` if the folder is not a repository."""
    root = root_of(options.root).resolve()
    if git_folder(root) is None:
        reason = f"{root} is not a git repository; start the server in one, or name one with --root"
        raise UsageError(reason)
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
    if re.search("[\ud800-\udfff]", str(request["id"])):  # a lone surrogate cannot be sent back
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
        name=tool.name,
        title=tool.title,
        description=tool.help,
        input_schema=tool.input_schema,
        annotations=hints,
    )


def _result(reply: Reply) -> types.CallToolResult:
    """Convert a reply to the protocol. Lone surrogates, which UTF-8 cannot encode, become question marks."""
    text = reply.text.encode("utf-8", "replace").decode()
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=reply.members, is_error=reply.is_error)
