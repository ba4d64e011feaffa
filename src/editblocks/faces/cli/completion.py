"""`editblocks --print-completion SHELL`: what a shell needs to complete our commands, written by shtab."""

from __future__ import annotations

import argparse

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.faces.common.exit_codes import FINE
from editblocks.faces.common.terminal import printing, show
from editblocks.faces.hooks.install import STAGES
from editblocks.faces.hooks.main import FOR_PEOPLE


def main(options: argparse.Namespace) -> int:
    """Print the script for `options.shell_name`, made from `options.parser`, which is of no use afterwards."""
    try:
        import shtab
    except ModuleNotFoundError as error:
        if error.name != "shtab":
            raise
        raise ConfigError("completion needs shtab; install editblocks[completion]") from error
    shell, shells = options.shell_name, shtab.SUPPORTED_SHELLS
    if shell not in shells:
        raise ConfigError(f"there is no completion for `{shell[:60]}`; use one of {', '.join(shells)}")
    [commands] = [each for each in options.parser._actions if isinstance(each, argparse._SubParsersAction)]
    # What people type behind `hook` this parser does not see, because a commit waits for it.
    commands.choices["hook"].add_argument("word", nargs="?", choices=FOR_PEOPLE)
    commands.choices["hook"].add_argument("--stage", choices=STAGES)
    choices = {"code": [code.value for code in ReasonCode], "print_completion": shells}
    completes = {"sources": shtab.FILE, "config": shtab.FILE, "root": shtab.DIRECTORY}
    for parser in (options.parser, *commands.choices.values()):
        for action in parser._actions:
            action.choices = choices.get(action.dest, action.choices)
            if action.dest in completes:  # shtab reads an attribute for which argparse has no place
                vars(action)["complete"] = completes[action.dest]
    with printing():
        show(shtab.complete(options.parser, shell) + "\n")
    return FINE
