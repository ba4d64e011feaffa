"""The grammar of the command line: commands, their options and help, and what is said about a slip of the pen."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from editblocks.errors import ConfigError
from editblocks.faces.terminal import printing, show

COMMANDS = {
    "check": "say what would become of each block; write nothing",
    "diff": "print the ready blocks as a patch; write nothing",
    "apply": "write all blocks, or none",
    "retry": "print what to send back to the model about the blocks that failed",
    "demo": "see it work on a made-up repository; needs no network",
    "action": "what action.yml runs",
    "hook": "what Git hooks and pre-commit run",
}
TAKES_RESPONSE = ("check", "diff", "apply", "retry")
_TOP_OPTIONS = ("-h", "--help", "--version")
_EXAMPLES = {
    "editblocks": """\
examples:
  pbpaste | editblocks check -          what would become of each block
  editblocks apply reply.md             write all blocks, or none
  editblocks diff reply.md | git apply  what is ready, through git

exit codes: 0 every block is fine, 1 one is not or there is none, 2 trouble
""",
    "check": """\
examples:
  editblocks check reply.md --rev main  would the blocks fit that branch?
  editblocks check reply.md --paths     which files are they for?
""",
    "diff": """\
example:
  editblocks diff reply.md | git apply --index
""",
    "apply": """\
examples:
  editblocks apply reply.md --commit         one commit, and nothing else in it
  editblocks apply reply.md --only 1-3,4@48  blocks 1 to 3, and 4 at line 48
""",
    "retry": """\
examples:
  editblocks retry reply.md | pbcopy  to paste into the same chat
  editblocks retry reply.md --fresh   for a chat that does not know the answer
""",
    "demo": """\
example:
  editblocks demo | less
""",
    "action": """\
It reads the environment of a workflow's job, as GITHUB_EVENT_PATH.

example:
  GITHUB_EVENT_PATH=event.json editblocks action
""",
    "hook": """\
example:
  editblocks hook pre-commit
""",
}
LEVELS = ("exact", "standard", "loose")  # config has them too, and loads more than help needs
SHORTEST_PROMPT, _LONGEST_PROMPT = 500, 1_000_000  # characters
_WIDTH = 79  # of help, however wide the terminal


def parse(arguments: Sequence[str]) -> argparse.Namespace | None:
    """The options of one command, or None if help or version was asked for and printed.

    Raises `ConfigError` for what cannot be used, with the nearest name that can.
    """
    first = arguments[0] if arguments else ""
    if not first:
        raise ConfigError(f"no command is given; use one of {', '.join(COMMANDS)}, or --help")
    if first.startswith("-") and first not in _TOP_OPTIONS:
        name = first.partition("=")[0]
        raise ConfigError(f"there is no option {_quoted(name)} before a command; {_nearest(name, _TOP_OPTIONS, '')}")
    if not first.startswith("-") and first not in COMMANDS:
        raise ConfigError(f"there is no command {_quoted(first)}; {_nearest(first, COMMANDS, '')}")
    top, commands = _parsers()
    options, rest = None, list[str]()
    try:
        with printing():
            options, rest = top.parse_known_args(arguments)
    except SystemExit:  # how argparse ends after help; its errors are ours
        return None
    if options is None:  # nobody wanted to read the help
        return None
    if rest:
        raise ConfigError(_left_over(rest[0], commands[options.command], options.command))
    if options.command in TAKES_RESPONSE:
        _check_operand(options.source)
    return options


def _check_operand(source: str | None) -> None:
    """Raise `ConfigError` unless a response is named, by a name that nobody can have meant as an option."""
    if not source:
        raise ConfigError("no response is named; give a file with the model's answer, or - for standard input")
    if source.startswith("-") and source != "-":
        raise ConfigError(f"{_quoted(source)} begins with a dash; for a file of that name write ./ before it")


def _left_over(argument: str, parser: argparse.ArgumentParser, command: str) -> str:
    if not argument.startswith("-"):
        return f"{_quoted(argument)} is one operand too many; {command} takes {_takes(command)}"
    name = argument.partition("=")[0]
    known = re.findall("--[a-z-]+", parser.format_help())
    return f"{command} has no option {_quoted(name)}; {_nearest(name, known, command)}"


def _takes(command: str) -> str:
    return "one response at a time" if command in TAKES_RESPONSE else "none"


def _nearest(word: str, known: Iterable[str], command: str) -> str:
    from difflib import get_close_matches

    names = {name.lstrip("-"): name for name in known}  # dashes that all have in common make nothing alike
    near = get_close_matches(word.lstrip("-"), names, n=1)
    return (
        f"did you mean `{names[near[0]]}`?"
        if near
        else f"see {' '.join(filter(None, ('editblocks', command, '--help')))}"
    )


def _quoted(argument: str) -> str:
    return f"`{argument if len(argument) <= 60 else f'{argument[:57]}...'}`"


def _parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the whole line, and those of the commands."""
    top = _Parser(
        prog="editblocks",
        usage="editblocks COMMAND [OPTIONS] [SRC]",
        description="Apply a language model's edit blocks: checked, exact, all or nothing.",
        epilog=_EXAMPLES["editblocks"],
    )
    top.add_argument("--version", action=_Version, help="print the version and exit")
    group = top.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="editblocks", title="commands")
    commands: dict[str, argparse.ArgumentParser] = {}
    for name, what in COMMANDS.items():
        usage = f"editblocks {name} {'[OPTIONS] SRC' if name in TAKES_RESPONSE else ''}".rstrip()
        description = f"{what[0].upper()}{what[1:]}."
        commands[name] = group.add_parser(name, help=what, usage=usage, description=description, epilog=_EXAMPLES[name])
        if name in TAKES_RESPONSE:
            _add_options(commands[name], name)
    return top, commands


def _add_options(command: argparse.ArgumentParser, name: str) -> None:
    writes, plans = name == "apply", name != "retry"
    # optional for argparse, so that an unknown option is named before a missing operand
    command.add_argument("source", nargs="?", metavar="SRC", help="a file with the model's answer, or - for stdin")
    command.add_argument("--root", metavar="DIR", help="where paths begin; default: the top of this repository")
    rev = argparse.SUPPRESS if writes else "plan on this commit instead of the files on disk"
    command.add_argument("--rev", metavar="COMMIT", help=rev)
    command.add_argument("--base", metavar="COMMIT", help="the commit that the answer was written against")
    command.add_argument("--matching", choices=LEVELS, metavar="LEVEL", help="exact, standard (default) or loose")
    if not plans:
        command.add_argument(
            "--only", metavar="SELECTOR", help="ask for these blocks alone, as in 2,4-5 or src/cart.py"
        )
        command.add_argument("--fresh", action="store_true", help="repeat all that a model has to know")
        command.add_argument(
            "--max-chars", metavar="N", type=_count, default=6000, help="at most this long; default: 6000"
        )
        return
    command.add_argument("--only", metavar="SELECTOR", help="only these blocks, as in 1-3,4@48, src/cart.py or ready")
    partial = "write the ready blocks although others failed" if writes else "as apply --partial would"
    command.add_argument("--partial", action="store_true", help=partial)
    command.add_argument(
        "--format", choices=("text", "json"), default="text", metavar="FORMAT", help="text (default) or json"
    )
    command.add_argument("-v", action="store_true", dest="verbose", help="say how each block was looked for")
    if name == "check":
        command.add_argument("--paths", action="store_true", help="only list the files that the response names")
    if writes:
        command.add_argument("--commit", action="store_true", help="commit exactly what is applied, and nothing else")


def _count(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text, re.ASCII) or not SHORTEST_PROMPT <= int(text) <= _LONGEST_PROMPT:
        raise ConfigError(f"--max-chars is {_quoted(text)}; use a number from {SHORTEST_PROMPT} to {_LONGEST_PROMPT}")
    return int(text)


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are ours and whose help fits a page."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Help, allow_abbrev=False, **settings)
        self.color = False  # Python 3.14 has colours of its own, which no option of ours turns off

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see {self.prog} --help")


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=20, width=_WIDTH)


class _Version(argparse.Action):
    """Looks the version up only when somebody asks."""

    def __init__(self, option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from editblocks.faces.version import own_version

        show(f"editblocks {own_version()}\n")
        parser.exit()
