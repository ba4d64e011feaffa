"""`--print-completion`: print the script with which a shell completes our commands; shtab writes it."""

import argparse

import shtab

from editblocks.core.characters import quote
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.faces.cli.arguments import parsers
from editblocks.faces.hooks.main import FOR_PEOPLE, GIT_HOOKS
from editblocks.faces.terminal import FINE, printing, show


def main(options: argparse.Namespace) -> int:
    """Print the script for one shell. Raises `ConfigError` for a shell that shtab does not know."""
    shell = options.print_completion
    shells = shtab.SUPPORTED_SHELLS
    if shell not in shells:
        raise ConfigError(f"there is no completion for {quote(shell)}; use one of {', '.join(shells)}")
    top, commands = parsers()
    # Our parser does not see the words after `hook`, which is handled before it for speed.
    commands["hook"].add_argument("word", nargs="?", choices=FOR_PEOPLE)
    commands["hook"].add_argument("--stage", choices=GIT_HOOKS)
    choices = {"code": [code.value for code in ReasonCode], "print_completion": shells}
    completes = dict.fromkeys(("sources", "files", "read", "summary", "config"), shtab.FILE)
    completes["root"] = shtab.DIRECTORY
    for parser in (top, *commands.values()):
        for action in parser._actions:
            action.choices = choices.get(action.dest, action.choices)
            if action.dest in completes:  # shtab reads an attribute that argparse does not declare
                vars(action)["complete"] = completes[action.dest]
    with printing():
        show(shtab.complete(top, shell) + "\n")
    return FINE
