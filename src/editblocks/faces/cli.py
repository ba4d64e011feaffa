"""The command line: `editblocks check|diff|apply SRC`, `demo`, `action`, `hook`.

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
from editblocks.faces.boundary import FINE, Boundary
from editblocks.faces.terminal import message

_EXAMPLES = """\
examples:
  pbpaste | editblocks check -          what would become of each block
  editblocks apply reply.md             write all blocks, or none
  editblocks diff reply.md | git apply  the same, through git
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; raises nothing but what argparse raises for usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with Boundary(message, message) as boundary:
        if os.environ.get("EDITBLOCKS_DISABLED") == "1":
            message("EDITBLOCKS_DISABLED is 1, so nothing was done")
            boundary.exit_code = FINE
        else:
            boundary.exit_code = _dispatch(arguments)
            sys.stdout.flush()
    return boundary.exit_code


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["hook"]:  # first, because a commit waits for it
        from editblocks.faces import hook

        return hook.main(arguments[1:])
    options = parser().parse_args(arguments)
    if options.command == "action":
        from editblocks.faces import action

        return action.main()
    if options.command == "demo":
        from editblocks.faces import demo

        return demo.main()
    return _local(options)


def _local(options: argparse.Namespace) -> int:
    from editblocks.faces.local import Request, carry_out, find_root

    if options.command == "apply" and options.rev is not None:
        raise ConfigError("apply writes to the working tree; use --rev with check or diff")
    request = Request(
        command=options.command,
        source=options.source,
        root=find_root(Path.cwd()) if options.root is None else Path(options.root),
        rev=options.rev,
        partial=options.partial,
        commit=getattr(options, "commit", False),
        json=options.format == "json",
    )
    return carry_out(request)


def parser() -> argparse.ArgumentParser:
    """The whole grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="editblocks",
        description="Apply a language model's edit blocks: checked, exact, all or nothing.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, help="print the version and exit")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in (
        ("check", "say what would become of each block; write nothing"),
        ("diff", "print the ready blocks as a patch; write nothing"),
        ("apply", "write all blocks, or none"),
    ):
        _add_options(commands.add_parser(name, help=what, description=what, allow_abbrev=False), name)
    commands.add_parser("demo", help="see it work on a made-up repository; needs no network", allow_abbrev=False)
    commands.add_parser("action", help="what action.yml runs", allow_abbrev=False)
    commands.add_parser("hook", help="what Git hooks and pre-commit run", allow_abbrev=False)
    return top


def _add_options(command: argparse.ArgumentParser, name: str) -> None:
    command.add_argument("source", metavar="SRC", help="a file with the model's answer, or - for standard input")
    command.add_argument("--root", metavar="DIR", help="where paths begin (default: the top of this repository)")
    command.add_argument("--rev", metavar="COMMIT", help="plan on this commit instead of the files on disk")
    command.add_argument("--partial", action="store_true", help="take the ready blocks although others failed")
    command.add_argument("--format", choices=("text", "json"), default="text", help="for people or for programs")
    if name == "apply":
        command.add_argument("--commit", action="store_true", help="commit exactly what was applied")


class _Version(argparse.Action):
    """Looks the version up only when somebody asks."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from editblocks.faces.version import own_version

        parser.exit(FINE, f"editblocks {own_version()}\n")


if __name__ == "__main__":
    sys.exit(main())
