"""`editblocks mcp`: a server for agents. Standard output is the protocol; what people may read goes to stderr.

A call runs to its end before the next message is looked at: what writes files is never interrupted by another call.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from editblocks import __version__
from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import did_you_mean
from editblocks.faces.common.locations import root_of
from editblocks.faces.common.terminal import FINE
from editblocks.faces.mcp.tools import OUTPUT_SCHEMA, TOOLS, Reply, Tool, call, instructions
from editblocks.repos.git.repository import git_folder


def main(options: argparse.Namespace) -> int:
    """Serve one agent until its end of the pipe is closed."""
    root = root_of(options.root).resolve()
    if git_folder(root) is None:
        reason = f"{root} is no git repository; start the server in one, or name one with --root"
        raise UsageError(reason)
    asyncio.run(_serve(root))
    return FINE


async def _serve(root: Path) -> None:
    server = server_for(root)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def server_for(root: Path) -> Server:
    """The server whose tools are about the repository at `root`."""
    tools = {tool.name: tool for tool in TOOLS}
    listed = types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def list_tools(_context: object, _params: object) -> types.ListToolsResult:
        return listed

    async def call_tool(_context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools:
            reason = f"there is no tool {quote(params.name)}; {did_you_mean(params.name, list(tools))}"
            raise MCPError(types.INVALID_PARAMS, reason)
        return _result(call(tools[params.name], root, params.arguments or {}))

    return Server(
        "editblocks",
        version=__version__,
        title="editblocks",
        instructions=instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=not tool.writes,
        destructive_hint=tool.writes,
        idempotent_hint=not tool.writes,
        open_world_hint=False,
    )
    output_schema = None
    if tool.is_planned:
        output_schema = dict(OUTPUT_SCHEMA)
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.help,
        input_schema=tool.input_schema,
        output_schema=output_schema,
        annotations=hints,
    )


def _result(reply: Reply) -> types.CallToolResult:
    text = reply.text.encode("utf-8", "replace").decode()
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=reply.members, is_error=reply.is_error)
