"""`editblocks --print-completion SHELL`: what a shell needs to complete our commands, written by shtab."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.faces.common.exit_codes import FINE
from editblocks.faces.common.terminal import printing, show
from editblocks.faces.hooks.install import STAGES
from editblocks.faces.hooks.main import FOR_PEOPLE

_FILES = frozenset({"sources", "config"})  # names in the namespace
_FOLDERS = frozenset({"root"})


def print_completion(parser: argparse.ArgumentParser, shell: str) -> int:
    """Print the script for `shell`, made from `parser` and the parsers of its commands.

    The parser is told what its values are and is good for nothing else afterwards. Raises `ConfigError` for a
    shell that is not known, and where shtab is not installed.
    """
    try:
        import shtab
    except ModuleNotFoundError as error:
        if error.name != "shtab":
            raise
        raise ConfigError("completion needs shtab; install editblocks[completion]") from error
    if shell not in shtab.SUPPORTED_SHELLS:
        raise ConfigError(f"there is no completion for `{shell[:60]}`; use one of {', '.join(shtab.SUPPORTED_SHELLS)}")
    choices = {"code": [code.value for code in ReasonCode], "print_completion": shtab.SUPPORTED_SHELLS}
    for action in list(_actions(parser)):
        if isinstance(action, argparse._SubParsersAction):
            _add_hook_words(action.choices["hook"])
        if action.dest in _FILES | _FOLDERS:  # shtab reads an attribute for which argparse has no place
            vars(action)["complete"] = shtab.FILE if action.dest in _FILES else shtab.DIRECTORY
        elif action.dest in choices:
            action.choices = choices[action.dest]
    with printing():
        show(shtab.complete(parser, shell) + "\n")
    return FINE


def _add_hook_words(hook: argparse.ArgumentParser) -> None:
    """What people type behind `editblocks hook`, which this parser does not see, because a commit waits for it."""
    hook.add_argument("word", nargs="?", choices=FOR_PEOPLE)
    hook.add_argument("--stage", choices=STAGES)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every option and operand of a parser and of the commands in it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
