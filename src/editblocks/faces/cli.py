"""The command line: `editblocks check|diff|apply|retry SRC`, `demo`, `action`, `hook`.

Exit codes: 0 every block is fine, 1 a block is not or there is none, 2 usage, configuration, I/O or a
bug of ours, 130 interrupted. Only what a command needs is imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from editblocks.errors import ConfigError
from editblocks.faces.boundary import FINE, NOT_OK, Boundary
from editblocks.faces.terminal import message, printing
from editblocks.selection import Selection


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; raises nothing."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with Boundary(message, message) as boundary:
        if os.environ.get("EDITBLOCKS_DISABLED") == "1":
            message("EDITBLOCKS_DISABLED is 1, so nothing was done")
            boundary.exit_code = FINE
        else:
            boundary.exit_code = _dispatch(arguments)
    return boundary.exit_code


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["hook"]:  # first, because a commit waits for it
        from editblocks.faces import hook

        with printing():
            return hook.main(arguments[1:])
        return NOT_OK  # nobody read to the end, and a check that was not heard has not passed
    from editblocks.faces.options import parse

    options = parse(arguments)
    if options is None:
        return FINE
    if options.command == "action":
        return _action()
    if options.command == "demo":
        from editblocks.faces import demo

        with printing():
            return demo.main()
        return FINE  # somebody has seen enough
    if options.command == "check" and options.paths:
        return _paths(options)
    return _local(options)


def _paths(options: argparse.Namespace) -> int:
    from editblocks.faces.listing import list_paths

    given = {
        "--root": options.root is not None,
        "--rev": options.rev is not None,
        "--base": options.base is not None,
        "--matching": options.matching is not None,
        "--only": options.only is not None,
        "-v": options.verbose,
        "--partial": options.partial,
        "--format": options.format != "text",
    }
    return list_paths(options.source, [name for name, is_given in given.items() if is_given])


def _action() -> int:
    try:
        from editblocks.faces import action
    except ModuleNotFoundError as error:
        if error.name != "github":
            raise
        raise ConfigError("the action needs PyGithub; install editblocks[github]") from error
    return action.main()


def _local(options: argparse.Namespace) -> int:
    from editblocks.faces.local import Request, carry_out, find_root, here
    from editblocks.faces.settings import settings_for

    if options.command == "apply" and options.rev is not None:
        raise ConfigError("apply writes to the working tree; use --rev with check or diff")
    if options.root == "":
        raise ConfigError("--root is empty; name a directory")
    request = Request(
        command=options.command,
        source=options.source,
        root=find_root(here()) if options.root is None else Path(options.root),
        settings=settings_for(options),
        rev=options.rev,
        base=options.base,
        select=_selection(getattr(options, "only", None)),
        commit=getattr(options, "commit", False),
        json=getattr(options, "format", "text") == "json",
        verbose=getattr(options, "verbose", False) or os.environ.get("RUNNER_DEBUG") == "1",
    )
    if options.command == "retry":
        from editblocks.faces.retry import ask_again

        return ask_again(request, fresh=options.fresh, max_chars=options.max_chars)
    return carry_out(request)


def _selection(text: str | None) -> Selection | None:
    return None if text is None else Selection.read(text)


if __name__ == "__main__":
    sys.exit(main())
