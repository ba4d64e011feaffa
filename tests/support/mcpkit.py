"""An agent that talks to `editblocks mcp`: the client of the MCP SDK, with the server as a separate process."""

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeAlias, TypeVar, cast

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

SECONDS = 60.0  # the longest that a conversation may take, even on a busy machine
COMMAND = (sys.executable, "-m", "editblocks", "mcp")

Value = TypeVar("Value")
Call: TypeAlias = tuple[str, Mapping[str, Any]]


class Reply(NamedTuple):
    """The result of a tool call."""

    text: str
    members: Mapping[str, Any]
    is_error: bool

    @classmethod
    def of(cls, result: CallToolResult) -> "Reply":
        (content,) = result.content
        assert isinstance(content, TextContent)
        return cls(content.text, result.structured_content or {}, result.is_error)


@asynccontextmanager
async def agent(root: Path, *options: str) -> AsyncIterator[Client]:
    """A client whose server was started in `root`."""
    command, *arguments = (*COMMAND, *options)
    server = StdioServerParameters(command=command, args=list(arguments), cwd=root, env=dict(os.environ))
    with tempfile.TemporaryFile("w+") as log, anyio.fail_after(SECONDS):
        async with Client(stdio_client(server, errlog=cast(TextIO, log))) as client:
            yield client


def converse(talk: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
    """Run a conversation to its end in a new thread: in this one, the browser of other tests may keep an event loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(anyio.run, talk).result()


def nothing() -> None:
    """Do nothing between two calls."""


def ask(root: Path, *calls: Call, options: Sequence[str] = (), between: Callable[[], object] = nothing) -> list[Reply]:
    """Call tools one after the other, and return their replies. `between` runs after each call."""

    async def talk() -> list[Reply]:
        replies = []
        async with agent(root, *options) as client:
            for name, arguments in calls:
                replies.append(Reply.of(await client.call_tool(name, dict(arguments))))
                between()
        return replies

    return converse(talk)


def ask_one(root: Path, name: str, **arguments: Any) -> Reply:
    """Call one tool, and return its reply."""
    (reply,) = ask(root, (name, arguments))
    return reply


def request(number: int, method: str, **parameters: Any) -> str:
    """A JSON-RPC request as one line."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n"


GREETING = (
    request(
        1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "tests", "version": "1"}
    )
    + '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
)
