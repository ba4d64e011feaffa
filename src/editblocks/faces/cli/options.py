"""Every option in one table; which of them do not go together.

Page: docs/reference/command-line.md, "options", which is made from this.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import DEFAULT_KIT, KITS, MATCHING, WHOLE_FILES
from editblocks.core.typed import TYPE_CHECKING
from editblocks.faces.cli.commands import TAKES_RESPONSES

if TYPE_CHECKING:
    from typing import Any

FORMATS = ("text", "json", "jsonl", "github", "sarif", "rdjsonl", "markdown")
SHORTEST_PROMPT, _LONGEST_PROMPT = 500, 1_000_000  # characters

_PLANS = "check diff apply retry report"  # the commands that plan a response
_PLANS_ANYWHERE = "check diff retry report"  # without writing, so that it may be on any files
_PLANS_OR_WATCHES = f"{_PLANS} watch"
_OPTIONS = (  # commands, option, name of its value ("" for none), help
    ("check diff apply report", "--clipboard", "", "read the answer from the clipboard, in place of SRC"),
    ("retry", "--clipboard", "", "put the prompt there; without SRC, read the answer there first"),
    (_PLANS_OR_WATCHES, "--root", "DIR", "where paths begin; default: the top of this repository"),
    (_PLANS_ANYWHERE, "--rev", "COMMIT", "plan on this commit instead of the files on disk"),
    (_PLANS_ANYWHERE, "--staged", "", "plan on what is staged instead of the files on disk"),
    (_PLANS_OR_WATCHES, "--base", "COMMIT", "the commit that the answer was written against"),
    (_PLANS_OR_WATCHES, "--matching", "LEVEL", "exact, standard (default) or loose"),
    (
        _PLANS_OR_WATCHES,
        "--whole-files",
        "WHICH",
        "of files that an answer shows as a whole: no (default), new ones or all are written",
    ),
    ("check diff apply report", "--only", "SELECTOR", "only these blocks, as in 1-3,4@48, src/cart.py or ready"),
    ("retry", "--only", "SELECTOR", "ask for these blocks alone, as in 2,4-5 or src/cart.py"),
    (
        _PLANS_OR_WATCHES,
        "--allow-protected",
        "PATH",
        "a protected file that blocks may change this time; may be repeated",
    ),
    (_PLANS_OR_WATCHES, "--config", "FILE", "read this file instead of .editblocks.yml"),
    (_PLANS_OR_WATCHES, "--isolated", "", "neither .editblocks.yml nor EDITBLOCKS_... count"),
    ("check diff", "--partial", "", "as apply --partial would"),
    ("check", "--paths", "", "only list the files that the response names"),
    ("apply", "--partial", "", "write the ready blocks although others failed"),
    ("apply", "-i --interactive", "", "ask about each block, as git add -p does"),
    ("apply", "--index", "", "write to the working tree and stage exactly that"),
    ("apply", "--commit", "", "commit exactly what is applied, and nothing else"),
    ("apply", "--branch", "NAME", "commit to this branch (must not be checked out); a new one is made at HEAD"),
    ("apply", "--message", "TITLE", "the subject of the commit"),
    ("apply", "--keep", "", "leave a response file (.edits/*.md) where it is"),
    ("retry", "--fresh", "", "repeat all that a model has to know"),
    ("retry", "--max-chars", "N", "at most this long; default: 6000"),
    ("context", "--read", "DOC", "files to read, which blocks must not change"),
    ("context", "--summary", "OTHER", "files of which only signatures are shown (extra syntax)"),
    ("context", "--task", "TEXT", "what to do; - reads it from standard input"),
    ("context", "--budget", "TOKENS", "refuse to print more than this, at 4 characters a token"),
    ("prompt context", "--clipboard", "", "put the text into the clipboard instead of printing it"),
    ("context", "--rev", "COMMIT", "read the files of this commit instead of those on disk"),
    ("prompt context", "--format", "NAME", f"the format of the blocks, by name; default: {DEFAULT_KIT}"),
    ("prompt context", "--no-shell", "", "ask for no commands, not even to delete or rename files"),
    ("prompt", "--no-example", "", "leave the worked examples out"),
    ("prompt", "--file-or-edit", "", "also say when to send a whole file, and when an edit"),
    ("prompt", "--reminder", "", "print only the rules for blocks, in a few words"),
    ("prompt context", "--messages", "", "print the messages of a chat, as JSON"),
    ("undo", "--list", "", "list what can be undone"),
    ("undo", "--redo", "", "redo what was undone"),
    ("report", "--serve", "", "show the page on this machine, with buttons that apply blocks"),
    ("report", "-o --output", "FILE", "write the page here instead of to standard output"),
    ("init", "--agents", "", "write a section of AGENTS.md instead, for coding agents"),
    ("init", "--print", "", "show the files, and write nothing"),
    ("undo context init", "--root", "DIR", "the repository; default: the one around you"),
    ("check diff apply", "--texts", "", "with json or jsonl: the text of blocks and places, for report"),
    ("check diff apply", "--format", "FORMAT", f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"),
    ("check diff apply retry watch explain", "--color", "WHEN", "auto (default), always or never"),
    ("check diff apply", "-q --quiet", "", "a line for each block, also on a terminal"),
    ("retry", "-q --quiet", "", "do not say which blocks are asked for"),
    (_PLANS, "-v --verbose", "", "say more: the full form in a pipe, which levels were asked, where settings are from"),
)

# Options that say two things about one thing: where to plan, where to write, what to take, what to print.
_APART = (
    ("--rev", "--staged"),
    ("--commit", "--branch", "--index"),
    ("-i", "--only", "--partial"),
    ("-i", "--format"),
    ("-i", "-q"),
    ("--paths", "--rev", "--staged"),
    *(("--paths", name) for name in ("--root", "--base", "--matching", "--only", "-v", "--partial", "--format")),
    *(("--paths", name) for name in ("--whole-files", "--config", "--isolated", "--allow-protected")),
    ("-q", "-v"),
    ("--isolated", "--config"),
    ("--list", "--redo"),
    *(("--serve", name) for name in ("-o", "--rev", "--staged", "--only")),
    ("--reminder", "--no-example"),
    ("--reminder", "--messages"),
)


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the operands and options of a command to its parser."""
    if command in TAKES_RESPONSES:
        # optional for argparse, so that an unknown option is named before a missing operand
        parser.add_argument("sources", nargs="*", metavar="SRC", help="files with a model's answer, or - for stdin")
    elif command == "watch":
        what = "a file that may still grow, or not be there yet; default: - for stdin"
        parser.add_argument("sources", nargs="?", metavar="FILE", help=what)
    elif command == "undo":
        parser.add_argument("id", nargs="?", metavar="ID", help="which apply, as it was printed; default: the last one")
    elif command == "context":
        parser.add_argument(
            "files", nargs="*", metavar="FILE", help="a file to change, or FILE:LINE or FILE:FIRST-LAST"
        )
    elif command == "explain":
        parser.add_argument("code", nargs="?", metavar="CODE", help="as in a row; default: list them all")
    for commands, names, metavar, what in _OPTIONS:
        if command in commands.split():
            more: dict[str, Any] = {"action": "store_true"}
            if metavar:
                more = {"metavar": metavar, **_MORE.get(f"{names} {metavar}", {})}
            parser.add_argument(*names.split(), help=what, **more)


def _one_of(option: str, *words: str) -> dict[str, Any]:
    """What argparse is told of an option that takes one of some words; the error for another names the nearest."""

    def read(text: str) -> str:
        if text in words:
            return text
        raise UsageError(f"{option} is {quote(text)}; {did_you_mean(text, words)}")

    return {"type": read, "choices": words}


def _count(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text, re.ASCII) or not SHORTEST_PROMPT <= int(text) <= _LONGEST_PROMPT:
        raise UsageError(f"--max-chars is `{text[:60]}`; use a number from {SHORTEST_PROMPT} to {_LONGEST_PROMPT}")
    return int(text)


def _tokens(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,6}", text, re.ASCII):
        raise UsageError(f"--budget is {quote(text)}; use a number of tokens, as in 8000")
    return int(text)


_MORE = {
    "--matching LEVEL": _one_of("--matching", *MATCHING),
    "--whole-files WHICH": _one_of("--whole-files", *WHOLE_FILES),
    "--format FORMAT": {**_one_of("--format", *FORMATS), "default": "text"},
    "--format NAME": {**_one_of("--format", *KITS), "default": DEFAULT_KIT},
    "--color WHEN": {**_one_of("--color", "auto", "always", "never"), "default": "auto"},
    "--read DOC": {"nargs": "+", "action": "extend", "default": []},
    "--summary OTHER": {"nargs": "+", "action": "extend", "default": []},
    "--budget TOKENS": {"type": _tokens},
    "--allow-protected PATH": {"action": "append", "default": []},
    "--max-chars N": {"type": _count, "default": 6000},
}


def refuse_conflicts(options: argparse.Namespace, default: Callable[[str], Any]) -> None:
    """Raise `UsageError` for options of which one makes another meaningless."""
    short = {"quiet": "-q", "verbose": "-v", "interactive": "-i", "output": "-o"}
    given = {name for name, value in vars(options).items() if value != default(name)}
    given = {short.get(name, f"--{name.replace('_', '-')}") for name in given}
    for names in _APART:
        first, *rest = [name for name in names if name in given] or [""]
        if rest:
            raise UsageError(f"{first} and {rest[0]} do not go together; leave one of them out")
    if "--message" in given and given.isdisjoint(("--commit", "--branch")):
        raise UsageError("--message is for a commit; add --commit or --branch")
    if "--texts" in given and options.format not in ("json", "jsonl"):
        raise UsageError("--texts is for --format json or jsonl; add one of them")
    if options.command == "report" and len(options.sources) > 1:
        raise UsageError("a page shows one response; name one at a time")
    sources = getattr(options, "sources", ())
    if getattr(options, "format", "") == "json" and len(sources) > 1:
        raise UsageError("--format json holds one response; use jsonl, or name one at a time")
    if "--only" in given and len(sources) > 1:
        raise UsageError("--only chooses blocks of one response; name one at a time")
