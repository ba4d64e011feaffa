"""Read the command line: which command, with which options, and the message where one is wrong.

What each command takes is in `options`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn

from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.faces.cli.options import (
    COMMANDS,
    EXAMPLES,
    OPERANDS,
    TAKES_OPTIONS,
    TAKES_RESPONSES,
    add_options,
    refuse_conflicts,
)
from editblocks.faces.common.package import own_version
from editblocks.faces.common.terminal import is_fed, printing, show
from editblocks.report.escape import visible

_TOP_OPTIONS = ("-h", "--help", "--version", "--print-completion")
_HELP = partial(argparse.RawDescriptionHelpFormatter, max_help_position=20, width=79)  # however wide the terminal


def parse(arguments: Sequence[str]) -> argparse.Namespace | None:
    """The options of one command, or None if help or version was asked for and printed.

    Raises `UsageError` for what cannot be used, with the nearest name that can.
    """
    _check_first(arguments[0] if arguments else "")
    top, commands = parsers()
    options, rest = argparse.Namespace(version=True), list[str]()
    try:
        with printing():
            options, rest = top.parse_known_args(arguments)
            if options.version:
                show(f"editblocks {own_version()}\n")
    except SystemExit:  # how argparse ends after help; its errors are ours
        return None
    if options.version:
        return None
    if options.print_completion is not None:
        return argparse.Namespace(command="completion", shell_name=options.print_completion, parser=top)
    if options.command in TAKES_RESPONSES:
        later, rest = _behind_options(rest)
        options.sources += later or ([] if options.sources or not is_fed(sys.stdin) else ["-"])
    if rest:
        raise UsageError(_left_over(rest[0], commands[options.command], options.command))
    if options.command in TAKES_RESPONSES:
        _check_operands(options.sources)
    refuse_conflicts(options, commands[options.command].get_default)
    return options


def _check_first(word: str) -> None:
    if not word:
        raise UsageError(f"no command is given; use one of {', '.join(COMMANDS)}, or --help")
    is_option, name = word.startswith("-"), word.partition("=")[0]
    known = _TOP_OPTIONS if is_option else (*COMMANDS, *_TOP_OPTIONS)
    if (name if is_option else word) not in known:
        what = f"option {quote(name)} before a command" if is_option else f"command {quote(word)}"
        raise UsageError(f"there is no {what}; {_nearest(name, known)}")


def _behind_options(rest: Sequence[str]) -> tuple[list[str], list[str]]:
    """Operands, and unknown options: what argparse leaves over, which takes operands at one place alone."""
    stop = rest.index("--") if "--" in rest else len(rest)
    options = [word for word in rest[:stop] if word.startswith("-") and word != "-"]
    return [word for word in rest[:stop] if word not in options] + [*rest[stop + 1 :]], options


def _check_operands(sources: Sequence[str]) -> None:
    """Raise `UsageError` unless responses are named, by names that nobody can have meant as an option."""
    if not sources or "" in sources:
        raise UsageError("no response is named; give a file with the model's answer, or - for standard input")
    for source in sources:
        if source.startswith("-") and source != "-":
            raise UsageError(f"{quote(source)} begins with a dash; for a file of that name write ./ before it")
        if sources.count(source) > 1:
            raise UsageError(f"{quote(source)} is named twice; name each response once")


def _left_over(argument: str, parser: argparse.ArgumentParser, command: str) -> str:
    if not argument.startswith("-"):
        return f"{quote(argument)} is one operand too many; see editblocks {command} --help"
    name = argument.partition("=")[0]
    known = re.findall("--[a-z-]+", parser.format_help())
    return f"{command} has no option {quote(name)}; {_nearest(name, known, f'{command} ')}"


def _nearest(word: str, known: Iterable[str], command: str = "") -> str:
    names = {name.lstrip("-"): name for name in known}  # dashes that all have in common make nothing alike
    near = get_close_matches(word.lstrip("-"), names, n=1)
    return f"did you mean `{names[near[0]]}`?" if near else f"see editblocks {command}--help"


def parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the whole line, and those of the commands."""
    top = _Parser(
        prog="editblocks",
        usage="editblocks COMMAND [OPTIONS] [SRC]",
        description="Apply a language model's edit blocks: checked, exact, all or nothing.",
        epilog=EXAMPLES["editblocks"],
    )
    top.add_argument("--version", action="store_true", help="print the version and exit")
    completion = "print a script for bash, zsh or tcsh and exit"
    top.add_argument("--print-completion", metavar="SHELL", help=completion)
    group = top.add_subparsers(dest="command", metavar="COMMAND", prog="editblocks", title="commands")
    commands: dict[str, argparse.ArgumentParser] = {}
    for name, what in COMMANDS.items():
        words = ("editblocks", name, "[OPTIONS]" if name in TAKES_OPTIONS else "", OPERANDS.get(name, ""))
        usage = " ".join(filter(None, words))
        description = f"{what[0].upper()}{what[1:]}."
        commands[name] = group.add_parser(name, help=what, usage=usage, description=description, epilog=EXAMPLES[name])
        add_options(commands[name], name)
    return top, commands


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are ours and whose help fits a page."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_HELP, allow_abbrev=False, **settings)
        self.register("action", None, _Once)
        self.color = False  # Python 3.14 has colours of its own, which no option of ours turns off

    def error(self, message: str) -> NoReturn:
        """What argparse says of an option, such as that it expected a value."""
        raise UsageError(f"{visible(message.removeprefix('argument '))}; see {self.prog} --help")


class _Once(argparse._StoreAction):
    """Store a value and refuse a second one, because either could be meant."""

    is_given = False  # a parser reads one line

    def __call__(
        self, _: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        if option is not None and self.is_given:
            advice = "write its parts with commas between them" if option == "--only" else "give it once"
            raise UsageError(f"{option} is given twice; {advice}")
        self.is_given = True
        setattr(namespace, self.dest, values)
