"""Parse the command line: the command, its options, and messages about mistakes.

The tables of commands and options are in `commands`.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import nearest_word
from editblocks.faces.cli.commands import APART, COMMANDS, EXAMPLES, OPERANDS, SHORTEST_FRESH, USAGES, options_of
from editblocks.faces.reading import CLIPBOARD
from editblocks.faces.terminal import columns, is_fed, printing
from editblocks.report.escape import visible
from editblocks.report.wrapping import wrapped

_TOP_OPTIONS = ("-h", "--help", "--version", "--print-completion")
_WIDEST_HELP = 79  # columns, also in a wider terminal
_NO_RESPONSE = "no answer is given; name a file with the model's answer, or - for standard input"


def parse(arguments: Sequence[str]) -> argparse.Namespace | None:
    """Return the options of one command; None if help was asked for and printed.

    Raises `UsageError` for a word that cannot be used, with the nearest one that can.
    """
    arguments = arguments or ["--help"]
    command = arguments[0]
    try:
        if command in COMMANDS:
            return parse_command(command, arguments[1:])
        _refuse_unknown(command)
        options = parsers()[0].parse_args(arguments)
    except SystemExit:  # raised by argparse after it has printed help; its errors raise `UsageError`
        return None
    options.command = "completion"  # the only option that is left
    return options


def _refuse_unknown(word: str) -> None:
    """Raise `UsageError` for a first word that is neither a command nor an option of the program itself."""
    name = word.partition("=")[0]
    if not word.startswith("-"):
        raise UsageError(f"there is no command {quote(word)}; {_nearest(name, (*COMMANDS, *_TOP_OPTIONS))}")
    if name not in _TOP_OPTIONS:
        raise UsageError(f"{quote(name)} is not an option before a command; {_nearest(name, _TOP_OPTIONS)}")


def parse_command(command: str, words: Sequence[str]) -> argparse.Namespace:
    """Return the options of one command from the words after it. Raises as `parse`, and `SystemExit` after help."""
    # Building the parsers of all commands would take longer than using this one.
    parser = _parser_of(command, partial(_Parser, prog=f"editblocks {command}"))
    read = parser.parse_known_intermixed_args  # operands may come before and after options
    if "--" in words:  # the parser for operands on both sides does not know it
        read = parser.parse_known_args
    options, rest = read(words, argparse.Namespace(command=command))
    if rest:
        raise UsageError(_left_over(rest[0], command))
    if "sources" in options:
        options.sources = _sources(options)
    _refuse_conflicts(options, parser.get_default)
    return options


def _sources(options: argparse.Namespace) -> list[str]:
    """Return the named responses; if none is named, the clipboard with `--clipboard`, else standard input.

    Raises `UsageError` if there is no response, and for a name that may be a mistyped option.
    """
    if options.command == "watch":
        return [_source_to_watch(options.sources)]
    sources: list[str] = options.sources
    if options.clipboard and not sources:
        return [CLIPBOARD]
    if options.clipboard and options.command != "retry":
        raise UsageError("--clipboard replaces SRC; leave one of them out")
    if not sources and is_fed(sys.stdin):
        return ["-"]
    if not sources:
        raise UsageError(_NO_RESPONSE)
    for source in sources:
        _check_source(source)
        if sources.count(source) > 1:
            raise UsageError(f"{quote(source)} is named twice; name each answer once")
    return sources


def _source_to_watch(name: str | None) -> str:
    """Return the response to watch. Raises as `_sources` does."""
    if name in (None, "-") and not is_fed(sys.stdin):
        raise UsageError("no answer is given; name the file to watch, or pipe the answer in")
    if name is None:
        return "-"
    _check_source(name)
    return name


def _check_source(source: str) -> None:
    if not source:
        raise UsageError(_NO_RESPONSE)
    if source.startswith("-") and source != "-":
        raise UsageError(f"{quote(source)} begins with a dash; for a file of that name write ./ before it")


def _refuse_conflicts(options: argparse.Namespace, default: Callable[[str], Any]) -> None:
    """Raise `UsageError` for options that cannot be used together."""
    taken = options_of(options.command)
    given = {option.shown for option in taken if getattr(options, option.dest) != default(option.dest)}
    for names in APART:
        used = [name for name in names if name in given]
        if len(used) > 1:
            raise UsageError(f"{used[0]} and {used[1]} cannot be used together; leave one of them out")
    if "--message" in given and given.isdisjoint(("--commit", "--branch")):
        raise UsageError("--message is for a commit; add --commit or --branch")
    if "--fresh" in given and options.max_chars < SHORTEST_FRESH:
        raise UsageError(f"--fresh needs more room than {options.max_chars}; use --max-chars {SHORTEST_FRESH} or more")
    if "--texts" in given and options.format not in ("json", "jsonl"):
        raise UsageError("--texts is for --format json or jsonl; add one of them")
    if options.command == "report" and len(options.sources) > 1:
        raise UsageError("a page shows one answer; name one at a time")
    sources = getattr(options, "sources", ())
    if getattr(options, "format", "") == "json" and len(sources) > 1:
        raise UsageError("--format json holds one answer; use jsonl, or name one at a time")
    if "--only" in given and len(sources) > 1:
        raise UsageError("--only chooses blocks of one answer; name one at a time")


def _left_over(word: str, command: str) -> str:
    """Return the message for a word that a command cannot use."""
    if not word.startswith("-"):
        return f"{quote(word)} is one argument too many; see editblocks {command} --help"
    name = word.partition("=")[0]
    if name == "--dry-run":
        return f"{command} has no option `--dry-run`; editblocks check shows what would happen, and writes nothing"
    known = ["--help", *(each for option in options_of(command) for each in option.names.split())]
    return f"{command} has no option {quote(name)}; {_nearest(name, known, f'{command} ')}"


def _nearest(word: str, known: Iterable[str], command: str = "") -> str:
    names = {name.lstrip("-"): name for name in known}  # without the dashes, which would make all names similar
    near = nearest_word(word.lstrip("-"), names)
    if near is None:
        return f"see editblocks {command}--help"
    return f"did you mean `{names[near]}`?"


def parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the whole command line, and those of the commands by name."""
    top = _Parser(
        prog="editblocks",
        usage="editblocks COMMAND [OPTIONS] [SRC]",
        description="Apply a language model's edit blocks: checked, exact, all or nothing.",
        epilog=EXAMPLES["editblocks"],
    )
    top.add_argument("--version", action="store_true", help="print the version and exit")
    completion = "print a completion script for bash, fish, powershell, tcsh or zsh, and exit"
    top.add_argument("--print-completion", metavar="SHELL", help=completion)
    group = top.add_subparsers(dest="command", metavar="COMMAND", prog="editblocks", title="commands")
    commands: dict[str, argparse.ArgumentParser] = {}
    for name, what in COMMANDS.items():
        commands[name] = _parser_of(name, partial(group.add_parser, name, help=what))
    return top, commands


def _parser_of(name: str, make_parser: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Return the parser of one command, which `make_parser` makes from these texts."""
    words = ["editblocks", name]
    if options_of(name):
        words.append("[OPTIONS]")
    if name in USAGES:
        words.append(USAGES[name])
    if name == "context":  # files come first, because a file after `--read a.md` is one more to read
        words = ["editblocks", name, "FILE...", "[OPTIONS]"]
    what = COMMANDS[name]
    description = f"{what[0].upper()}{what[1:]}."
    parser = make_parser(usage=" ".join(words), description=description, epilog=EXAMPLES[name])
    operands = [operand for operand in OPERANDS if name in operand.commands.split()]
    for option in (*operands, *options_of(name)):
        if option.value:
            parser.add_argument(*option.names.split(), help=option.help, metavar=option.value, **option.settings)
        else:
            parser.add_argument(*option.names.split(), help=option.help, action="store_true")
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are `UsageError` and whose help fits the terminal."""

    def __init__(self, **settings: Any) -> None:
        room = columns(sys.stdout)
        width = min(_WIDEST_HELP, room or _WIDEST_HELP)
        form = partial(argparse.RawDescriptionHelpFormatter, max_help_position=20, width=width)
        for name in ("description", "epilog"):
            settings[name] = wrapped(settings.get(name) or "", room)
        if room is not None:
            settings["usage"] = wrapped(settings["usage"], room - len("usage: "))
        super().__init__(formatter_class=form, allow_abbrev=False, **settings)
        self.color = False  # colours of Python 3.14, which our options could not turn off

    def print_help(self, file: Any = None) -> None:
        """Print the help; a closed reader is not an error."""
        with printing():
            super().print_help(file)

    def error(self, message: str) -> NoReturn:
        """Raise the message of argparse, such as that an option expects a value, as `UsageError`."""
        raise UsageError(f"{visible(message.removeprefix('argument '))}; see {self.prog} --help")
