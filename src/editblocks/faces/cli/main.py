"""Start a command, importing only what it needs, and turn its errors into an exit code."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from editblocks import __version__
from editblocks.core.errors import ConfigError, how_to_install
from editblocks.faces.terminal import (
    FINE,
    NOT_OK,
    complain,
    exit_code_of,
    message,
    print_text,
    printing,
    wait_for_streams,
)
from editblocks.report.escape import visible

_EXTRAS = {  # by module: what needs it, its name, and the extra that installs it
    "github": ("the action", "PyGithub", "github"),
    **dict.fromkeys(("jinja2", "markupsafe"), ("the report page", "Jinja2", "report")),
    "jsonschema": ("the report page", "jsonschema", "report"),
    "pygments": ("the report page", "Pygments", "report"),
    **dict.fromkeys(("anyio", "mcp", "mcp_types", "pydantic"), ("the server for agents", "the package mcp 2", "mcp")),
    "shtab": ("completion", "shtab", "completion"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Raises nothing."""
    wait_for_streams()
    if argv is None:
        argv = sys.argv[1:]
    arguments = list(argv)
    return exit_code_of(lambda: _run(arguments), complain, message)


def _run(arguments: list[str]) -> int:
    switch = os.environ.get("EDITBLOCKS_DISABLED", "")
    if switch == "1":
        message("EDITBLOCKS_DISABLED is 1, so nothing was done")
        return FINE
    if switch not in ("", "0"):  # any other value switches editblocks off, also `yes`
        raise ConfigError(f"EDITBLOCKS_DISABLED is `{visible(switch)}`; write 1 to turn editblocks off, or 0")
    if arguments[:1] == ["hook"]:  # first, because a commit waits for it
        with printing():
            return int(import_module("editblocks.faces.hooks.main").main(arguments[1:]))
        return NOT_OK  # the reader closed the pipe, so nobody has seen the whole result
    if arguments[:1] == ["--version"]:  # first, because scripts run it often
        print_text(f"editblocks {__version__}")
        return FINE
    options = import_module("editblocks.faces.cli.arguments").parse(arguments)
    if options is None:
        return FINE
    try:
        if options.command == "action":
            return int(import_module("editblocks.faces.action").main())
        if options.command == "mcp":
            return int(import_module("editblocks.faces.mcp").main(options))
        command = import_module(f"editblocks.faces.cli.{options.command}")
    except ModuleNotFoundError as error:
        vendor = (error.name or "").partition(".")[0]
        if vendor not in _EXTRAS:
            raise
        who, what, extra = _EXTRAS[vendor]
        raise ConfigError(f"{who} needs {what}; {how_to_install(extra)}") from error
    return int(command.main(options))
