"""What each command takes: its options, its help and an example; which of them do not go together.

Page: docs/reference/command-line.md, "options", which is made from this.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from editblocks.core.errors import UsageError
from editblocks.core.wrong_values import did_you_mean, quote

COMMANDS = {
    "check": "say what would become of each block; write nothing",
    "diff": "print what apply would change as a patch; write nothing",
    "apply": "write all blocks, or none",
    "undo": "undo what an apply wrote",
    "retry": "print what to send back to the model about the blocks that failed",
    "explain": "say what a reason code means and what to do",
    "init": "write the workflow and a configuration to begin with",
    "hook": "install Git hooks, or run one",
    "demo": "see it work on a made-up repository; needs no network",
    "action": "what action.yml runs",
}
TAKES_RESPONSES = ("check", "diff", "apply", "retry")
TAKES_OPTIONS = (*TAKES_RESPONSES, "undo", "explain", "init")
OPERANDS = {**dict.fromkeys(TAKES_RESPONSES, "SRC..."), "undo": "[ID]", "explain": "[CODE]"}
EXAMPLES = {
    "editblocks": """\
examples:
  pbpaste | editblocks check -          what would become of each block
  editblocks apply reply.md             write all blocks, or none
  editblocks diff reply.md | git apply  the same, through git

exit codes:
  0  all blocks fit
  1  a block does not fit, or there is none
  2  usage, configuration or git error
""",
    "check": """\
examples:
  editblocks check reply.md --rev main      would the blocks fit that branch?
  editblocks check --staged .edits/cart.md  do they fit what is staged?
  editblocks check reply.md --paths         which files are they for?
""",
    "diff": """\
example:
  editblocks diff reply.md | git apply --index
""",
    "apply": """\
examples:
  editblocks apply reply.md --commit         one commit, and nothing else in it
  editblocks apply reply.md --only 1-3,4@48  blocks 1 to 3, and 4 at line 48
  editblocks apply reply.md -i               ask about each block
""",
    "undo": """\
examples:
  editblocks undo                     the last apply
  editblocks undo --list              which applies there were
  editblocks undo 20261121-1 --redo   redo what was undone
""",
    "retry": """\
examples:
  editblocks retry reply.md | pbcopy  to paste into the same chat
  editblocks retry reply.md --fresh   for a chat that does not know the answer
""",
    "explain": """\
example:
  editblocks explain ambiguous
""",
    "init": """\
example:
  editblocks init --print
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
examples:
  editblocks hook install                     pre-commit and pre-push
  editblocks hook install --stage pre-commit  only that one
  editblocks hook status
""",
}
LEVELS = ("exact", "standard", "loose")  # config has them too, and loads more than help needs
FORMATS = ("text", "json", "jsonl", "github", "sarif", "rdjsonl", "markdown")
COLORS = ("auto", "always", "never")
SHORTEST_PROMPT, _LONGEST_PROMPT = 500, 1_000_000  # characters
_SELECTOR = "only these blocks, as in 1-3,4@48, src/cart.py or ready"

# Options that say two things about one thing: where to plan, where to write, what to take, what to print.
_APART = (
    ("--rev", "--staged"),
    ("--commit", "--branch", "--index"),
    ("-i", "--only", "--partial"),
    ("-i", "--format"),
    ("-i", "-q"),
    ("--paths", "--rev", "--staged"),
    *(("--paths", name) for name in ("--root", "--base", "--matching", "--only", "-v", "--partial", "--format")),
    *(("--paths", name) for name in ("--config", "--isolated", "--allow-protected")),
    ("-q", "-v"),
    ("--isolated", "--config"),
    ("--list", "--redo"),
)
_NEEDS = {"--message": ("--commit", "--branch")}

_Parser = argparse.ArgumentParser


def add_options(command: _Parser, name: str) -> None:
    """Add the options of a command to its parser."""
    if name in TAKES_RESPONSES:
        # optional for argparse, so that an unknown option is named before a missing operand
        command.add_argument("sources", nargs="*", metavar="SRC", help="files with a model's answer, or - for stdin")
        _planning(command, name)
    if name in _OWN:
        _OWN[name](command)
    if name in TAKES_RESPONSES:
        _printing(command, name)


def _planning(command: _Parser, name: str) -> None:
    add = command.add_argument
    add("--root", metavar="DIR", help="where paths begin; default: the top of this repository")
    if name != "apply":
        add("--rev", metavar="COMMIT", help="plan on this commit instead of the files on disk")
        add("--staged", action="store_true", help="plan on what is staged instead of the files on disk")
    add("--base", metavar="COMMIT", help="the commit that the answer was written against")
    _choose(command, "--matching", LEVELS, metavar="LEVEL", help="exact, standard (default) or loose")
    only = "ask for these blocks alone, as in 2,4-5 or src/cart.py" if name == "retry" else _SELECTOR
    add("--only", metavar="SELECTOR", help=only)
    allow = "a protected file that blocks may change this time; may be repeated"
    add("--allow-protected", metavar="PATH", action="append", default=[], help=allow)
    add("--config", metavar="FILE", help="read this file instead of .editblocks.yml")
    add("--isolated", action="store_true", help="neither .editblocks.yml nor EDITBLOCKS_... count")


def _check(command: _Parser) -> None:
    command.add_argument("--partial", action="store_true", help="as apply --partial would")
    command.add_argument("--paths", action="store_true", help="only list the files that the response names")


def _diff(command: _Parser) -> None:
    command.add_argument("--partial", action="store_true", help="as apply --partial would")


def _apply(command: _Parser) -> None:
    add = command.add_argument
    add("--partial", action="store_true", help="write the ready blocks although others failed")
    add("-i", "--interactive", action="store_true", help="ask about each block, as git add -p does")
    add("--index", action="store_true", help="write to the working tree and stage exactly that")
    add("--commit", action="store_true", help="commit exactly what is applied, and nothing else")
    add("--branch", metavar="NAME", help="commit on this branch, which is checked out nowhere")
    add("--message", metavar="TITLE", help="the subject of the commit")
    add("--keep", action="store_true", help="leave a response file (.edits/*.md) where it is")


def _retry(command: _Parser) -> None:
    command.add_argument("--fresh", action="store_true", help="repeat all that a model has to know")
    command.add_argument("--max-chars", metavar="N", type=_count, default=6000, help="at most this long; default: 6000")


def _undo(command: _Parser) -> None:
    add = command.add_argument
    add("id", nargs="?", metavar="ID", help="which apply, as it was printed; default: the last one")
    add("--list", action="store_true", help="list what can be undone")
    add("--redo", action="store_true", help="redo what was undone")
    add("--root", metavar="DIR", help="the repository; default: the one around you")


def _explain(command: _Parser) -> None:
    command.add_argument("code", nargs="?", metavar="CODE", help="as in a row; default: list them all")
    _color(command)


def _init(command: _Parser) -> None:
    command.add_argument("--print", action="store_true", help="show the files, and write nothing")
    command.add_argument("--root", metavar="DIR", help="the repository; default: the one around you")


_OWN = {
    "check": _check,
    "diff": _diff,
    "apply": _apply,
    "retry": _retry,
    "undo": _undo,
    "explain": _explain,
    "init": _init,
}


def _printing(command: _Parser, name: str) -> None:
    add = command.add_argument
    if name != "retry":
        kinds = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        _choose(command, "--format", FORMATS, default="text", metavar="FORMAT", help=kinds)
    _color(command)
    quiet = "do not say which blocks are asked for" if name == "retry" else "a line for each block, also on a terminal"
    add("-q", "--quiet", action="store_true", help=quiet)
    add("-v", "--verbose", action="store_true", help="say how each block was looked for")


def _color(command: _Parser) -> None:
    _choose(command, "--color", COLORS, default="auto", metavar="WHEN", help="auto (default), always or never")


def _choose(command: _Parser, option: str, known: tuple[str, ...], **settings: Any) -> None:
    """Add an option that takes one of some words; the error for another word names the nearest."""

    def read(text: str) -> str:
        if text in known:
            return text

        raise UsageError(f"{option} is {quote(text)}; {did_you_mean(text, known)}")

    command.add_argument(option, type=read, choices=known, **settings)


def refuse_conflicts(options: argparse.Namespace, command: argparse.ArgumentParser) -> None:
    """Raise `UsageError` for options of which one makes another meaningless."""
    given = {_option_name(name) for name, value in vars(options).items() if value != command.get_default(name)}
    for names in _APART:
        first, *rest = [name for name in names if name in given] or [""]
        if rest:
            raise UsageError(f"{first} and {rest[0]} do not go together; leave one of them out")
    for name, needs in _NEEDS.items():
        if name in given and not any(need in given for need in needs):
            raise UsageError(f"{name} is for a commit; add {' or '.join(needs)}")
    if "--only" in given and len(getattr(options, "sources", ())) > 1:
        raise UsageError("--only chooses blocks of one response; name one at a time")


def _option_name(name: str) -> str:
    """The name of an option as people type it."""
    return {"quiet": "-q", "verbose": "-v", "interactive": "-i"}.get(name, f"--{name.replace('_', '-')}")


def _count(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text, re.ASCII) or not SHORTEST_PROMPT <= int(text) <= _LONGEST_PROMPT:
        raise UsageError(f"--max-chars is `{text[:60]}`; use a number from {SHORTEST_PROMPT} to {_LONGEST_PROMPT}")
    return int(text)
