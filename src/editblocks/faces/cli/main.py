"""Start a command, and turn its errors into an exit code.

Exit codes: 0 all blocks fit, 1 a block does not fit or there is none, 2 usage, configuration, I/O or a
bug of ours, 130 interrupted. Only what a command needs is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from editblocks.core.errors import ConfigError
from editblocks.faces.common.exit_codes import FINE, NOT_OK, Boundary
from editblocks.faces.common.terminal import message, printing, wait_for_streams

if TYPE_CHECKING:
    import argparse


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; raises nothing."""
    wait_for_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    with Boundary(message, message) as boundary:
        switch = os.environ.get("EDITBLOCKS_DISABLED", "")
        if switch == "1":
            message("EDITBLOCKS_DISABLED is 1, so nothing was done")
            boundary.exit_code = FINE
        elif switch not in ("", "0"):  # whoever says `yes` wants nothing written
            from editblocks.report.escape import visible

            raise ConfigError(f"EDITBLOCKS_DISABLED is `{visible(switch)}`; write 1 to have nothing done, or 0")
        else:
            boundary.exit_code = _dispatch(arguments)
    return boundary.exit_code


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["hook"]:  # first, because a commit waits for it
        from editblocks.faces.hooks import main as hook

        with printing():
            return hook.main(arguments[1:])
        return NOT_OK  # nobody read to the end, and a check that was not heard has not passed
    from editblocks.faces.cli.arguments import parse

    options = parse(arguments)
    return FINE if options is None else _COMMANDS[options.command](options)


def _local(options: argparse.Namespace) -> int:
    if options.command == "check" and options.paths:
        from editblocks.faces.cli.list_paths import list_paths

        return list_paths(options)
    from editblocks.faces.cli.apply import carry_out
    from editblocks.faces.cli.request import Request

    return carry_out(Request.of(options))


def _retry(options: argparse.Namespace) -> int:
    from editblocks.faces.cli.request import Request
    from editblocks.faces.cli.retry import ask_again

    return ask_again(Request.of(options), fresh=options.fresh, max_chars=options.max_chars)


def _undo(options: argparse.Namespace) -> int:
    from editblocks.faces.cli.undo import undo

    return undo(options)


def _explain(options: argparse.Namespace) -> int:
    from editblocks.faces.cli.explain import explain

    return explain(options)


def _init(options: argparse.Namespace) -> int:
    from editblocks.faces.cli.init import init

    return init(options)


def _demo(_: argparse.Namespace) -> int:
    from editblocks.faces.cli import demo

    with printing():
        return demo.main()
    return FINE  # somebody has seen enough


def _action(_: argparse.Namespace) -> int:
    try:
        from editblocks.faces.action import main as action
    except ModuleNotFoundError as error:
        if error.name != "github":
            raise
        raise ConfigError("the action needs PyGithub; install editblocks[github]") from error
    return action.main()


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "check": _local,
    "diff": _local,
    "apply": _local,
    "retry": _retry,
    "undo": _undo,
    "explain": _explain,
    "init": _init,
    "demo": _demo,
    "action": _action,
}


if __name__ == "__main__":
    sys.exit(main())
