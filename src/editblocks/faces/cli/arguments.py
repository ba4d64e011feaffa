"""Read the command line: which command, with which options, and the message where one is wrong.

Which commands there are is in `commands`, what each takes in `options`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from editblocks import __version__
from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import nearest_word
from editblocks.core.typed import TYPE_CHECKING
from editblocks.faces.cli.commands import COMMANDS, EXAMPLES, OPERANDS, TAKES_OPTIONS, TAKES_RESPONSES
from editblocks.faces.cli.options import add_options, refuse_conflicts
from editblocks.faces.common.reading import CLIPBOARD
from editblocks.faces.common.terminal import columns, is_fed, printing, show
from editblocks.report.escape import visible
from editblocks.report.terminal.wrapping import wrapped

if TYPE_CHECKING:
    from typing import Any, NoReturn

_TOP_OPTIONS = ("-h", "--help", "--version", "--print-completion")
_REPEATED = ("--allow-protected", "--read", "--summary")
_WIDEST_HELP = 79  # however wide the terminal


def parse(arguments: Sequence[str]) -> argparse.Namespace | None:
    """The options of one command, or None if help or the version was asked for and printed.

    Raises `UsageError` for what cannot be used, with the nearest name that can.
    """
    arguments = arguments or ["--help"]
    command = arguments[0]
    _check_first(command)
    options, rest = argparse.Namespace(version=True), list[str]()
    try:
        with printing():
            if command in COMMANDS:  # the parsers of the others would take longer to make than this one to use
                parser = _command(command, partial(_Parser, prog=f"editblocks {command}"))
                given = argparse.Namespace(command=command, version=False, print_completion=None)
                options, rest = parser.parse_known_args(arguments[1:], given)
            else:
                parser = parsers()[0]
                options, rest = parser.parse_known_args(arguments)
            if options.version:
                show(f"editblocks {__version__}\n")
    except SystemExit:  # how argparse ends after help; its errors are ours
        return None
    if options.version:
        return None
    if options.print_completion is not None:
        options.command = "completion"
        return options
    if options.command in TAKES_RESPONSES:
        later, rest = _behind_options(rest)
        options.sources += later
        options.sources = _sources(options)
    elif options.command == "watch":
        options.sources = [_followed(options.sources)]
    elif options.command == "context":
        later, rest = _behind_options(rest)
        options.files += later
    if rest:
        raise UsageError(_left_over(rest[0], parser, command))
    _check_once(arguments)
    if options.command == "watch":
        _check_operands(options.sources)
    if options.command in TAKES_RESPONSES and not (options.clipboard and options.sources == [CLIPBOARD]):
        _check_operands(options.sources)
    refuse_conflicts(options, parser.get_default)
    return options


def _check_first(word: str) -> None:
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


def _sources(options: argparse.Namespace) -> list[str]:
    """The responses that are named; without any, the clipboard if that is asked for, or what is piped in."""
    named: list[str] = options.sources
    if options.clipboard and named and options.command != "retry":
        raise UsageError("--clipboard takes the place of SRC; leave one of them out")
    return named or ([CLIPBOARD] if options.clipboard else ["-"] if is_fed(sys.stdin) else [])


def _followed(name: str | None) -> str:
    """The one response that is watched."""
    if name in (None, "-") and not is_fed(sys.stdin):
        raise UsageError("no response is named; give the file that is being written, or pipe the answer in")
    return "-" if name is None else name


def _check_once(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for an option that is there twice, because either could be meant."""
    stop = arguments.index("--") if "--" in arguments else len(arguments)
    names = [word.partition("=")[0] for word in arguments[:stop] if word.startswith("--")]
    twice = next((name for name in names if names.count(name) > 1 and name not in _REPEATED), None)
    if twice is not None:
        advice = "write its parts with commas between them" if twice == "--only" else "give it once"
        raise UsageError(f"{twice} is given twice; {advice}")


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
    near = nearest_word(word.lstrip("-"), names)
    return f"did you mean `{names[near]}`?" if near else f"see editblocks {command}--help"


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
        commands[name] = _command(name, partial(group.add_parser, name, help=what))
    return top, commands


def _command(name: str, new: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The parser of one command."""
    words = ["editblocks", name, "[OPTIONS]" if name in TAKES_OPTIONS else "", OPERANDS.get(name, "")]
    if name == "context":  # behind `--read a.md`, a file would be one more to read
        words[2:] = words[:1:-1]
    usage, what = " ".join(filter(None, words)), COMMANDS[name]
    parser = new(usage=usage, description=f"{what[0].upper()}{what[1:]}.", epilog=EXAMPLES[name])
    add_options(parser, name)
    return parser


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are ours and whose help fits a page."""

    def __init__(self, **settings: Any) -> None:
        room = columns(sys.stdout)
        width = min(_WIDEST_HELP, room or _WIDEST_HELP)
        form = partial(argparse.RawDescriptionHelpFormatter, max_help_position=20, width=width)
        for name in ("description", "epilog"):
            settings[name] = wrapped(settings.get(name) or "", room)
        if room is not None:
            settings["usage"] = wrapped(settings["usage"], room - len("usage: "))
        super().__init__(formatter_class=form, allow_abbrev=False, **settings)
        self.color = False  # Python 3.14 has colours of its own, which no option of ours turns off

    def error(self, message: str) -> NoReturn:
        """What argparse says of an option, such as that it expected a value."""
        raise UsageError(f"{visible(message.removeprefix('argument '))}; see {self.prog} --help")
