"""Generate a part of docs/reference/command-line.md; `PYTHONPATH=tests python -m support.cli_page` writes it."""

import argparse
from collections.abc import Sequence

from support.project import DOCS

from editblocks.faces.cli.arguments import parsers
from editblocks.faces.cli.commands import COMMANDS, TAKES_RESPONSES, USAGES, options_of

PAGE = DOCS / "reference/command-line.md"
BEGIN, END = (
    "<!-- made from the parser: PYTHONPATH=tests python -m support.cli_page -->\n",
    "<!-- end of what is made -->\n",
)
_OTHERS = (name for name in COMMANDS if name not in TAKES_RESPONSES and options_of(name))
_TAKES_OPTIONS = (*TAKES_RESPONSES, *_OTHERS)


def made() -> str:
    """The generated part: the commands, then the options, grouped by the commands that take them."""
    top, commands = parsers()
    listed = "".join(f"{_synopsis(name):26}{what}\n" for name, what in COMMANDS.items())
    takers: dict[tuple[str, str], list[str]] = {}
    for name, parser in {**{name: commands[name] for name in _TAKES_OPTIONS}, "": top}.items():
        for action in parser._actions:
            if action.option_strings and action.dest != "help":
                takers.setdefault((_shown(action), action.help or ""), []).append(name)
    groups: dict[str, list[str]] = {}
    for (shown, what), names in sorted(takers.items(), key=_most_commands_first):
        groups.setdefault(_named(names), []).append(f"  {shown:26}{what}\n")
    options = "\n".join(f"{names}:\n{''.join(rows)}" for names, rows in groups.items())
    return f"```text\n{listed}```\n\n## Options\n\n```text\n{options}```\n"


def _most_commands_first(option: tuple[tuple[str, str], list[str]]) -> tuple[int, int]:
    names = option[1]
    order = [*COMMANDS, ""].index(names[0])
    return -len(names), order


def _synopsis(name: str) -> str:
    return f"{name} {USAGES[name]}" if name in USAGES else name


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) or "without a command"


def _shown(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    return f"{names} {action.metavar}" if action.metavar else names


def page(text: str) -> str:
    """Return the page with its generated part replaced. Raises `ValueError` if a mark is missing."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"docs/reference/command-line.md lacks {BEGIN if not begin else END}")
    return f"{head}{BEGIN}\n{made()}\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
