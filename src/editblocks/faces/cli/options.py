"""Every option in one table; which of them do not go together.

Page: docs/reference/command-line.md, "options", which is made from this.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence

from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import DEFAULT_KIT, KITS, MATCHING, WHOLE_FILES
from editblocks.core.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


class Option(NamedTuple):
    """One option: the commands that take it, its names, that of its value ("" for none), and what argparse is told."""

    commands: str
    names: str
    value: str
    help: str
    settings: Mapping[str, Any] = {}

    @property
    def shown(self) -> str:
        """The name by which messages call it: the short one, if there is one."""
        return self.names.split()[0]

    @property
    def dest(self) -> str:
        """Its name among the options that were read."""
        return self.names.split()[-1].lstrip("-").replace("-", "_")

    @property
    def is_repeated(self) -> bool:
        """Whether it may be given several times."""
        return self.settings.get("default") == []


def _one_of(option: str, words: Sequence[str], default: str | None = None) -> dict[str, Any]:
    """What argparse is told of an option that takes one of some words; the error for another names the nearest."""

    def read(text: str) -> str:
        if text in words:
            return text
        raise UsageError(f"{option} is {quote(text)}; {did_you_mean(text, words)}")

    return {"type": read, "choices": words, "default": default}


def _characters(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text, re.ASCII) or not SHORTEST_PROMPT <= int(text) <= _LONGEST_PROMPT:
        raise UsageError(f"--max-chars is `{text[:60]}`; use a number from {SHORTEST_PROMPT} to {_LONGEST_PROMPT}")
    return int(text)


def _tokens(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,6}", text, re.ASCII):
        raise UsageError(f"--budget is {quote(text)}; use a number of tokens, as in 8000")
    return int(text)


FORMATS = ("text", "json", "jsonl", "github", "sarif", "rdjsonl", "markdown")
SHORTEST_PROMPT = 500  # characters
_LONGEST_PROMPT = 1_000_000

_PLANS = "check diff apply retry report"  # the commands that plan a response
_PLANS_ANYWHERE = "check diff retry report"  # without writing, so that it may be on any files
_PLANS_OR_WATCHES = f"{_PLANS} watch"
_LEVELS = _one_of("--matching", MATCHING)
_WHICH = _one_of("--whole-files", WHOLE_FILES)
_OUTPUT = _one_of("--format", FORMATS, "text")
_KIT = _one_of("--format", KITS, DEFAULT_KIT)
_WHEN = _one_of("--color", ("auto", "always", "never"), "auto")
_AGAIN = {"action": "append", "default": []}
_SEVERAL = {"nargs": "+", "action": "extend", "default": []}

OPTIONS = (
    Option("check diff apply report", "--clipboard", "", "read the answer from the clipboard, in place of SRC"),
    Option("retry", "--clipboard", "", "put the prompt there; without SRC, read the answer there first"),
    Option(_PLANS_OR_WATCHES, "--root", "DIR", "where paths begin; default: the top of this repository"),
    Option(_PLANS_ANYWHERE, "--rev", "COMMIT", "plan on this commit instead of the files on disk"),
    Option(_PLANS_ANYWHERE, "--staged", "", "plan on what is staged instead of the files on disk"),
    Option(_PLANS_OR_WATCHES, "--base", "COMMIT", "the commit that the answer was written against"),
    Option(_PLANS_OR_WATCHES, "--matching", "LEVEL", "exact, standard (default) or loose", _LEVELS),
    Option(
        _PLANS_OR_WATCHES,
        "--whole-files",
        "WHICH",
        "of files that an answer shows as a whole: no (default), new ones or all are written",
        _WHICH,
    ),
    Option("check diff apply report", "--only", "SELECTOR", "only these blocks, as in 1-3,4@48, src/cart.py or ready"),
    Option("retry", "--only", "SELECTOR", "ask for these blocks alone, as in 2,4-5 or src/cart.py"),
    Option(
        _PLANS_OR_WATCHES,
        "--allow-protected",
        "PATH",
        "a protected file that blocks may change this time; may be repeated",
        _AGAIN,
    ),
    Option(_PLANS_OR_WATCHES, "--config", "FILE", "read this file instead of .editblocks.yml"),
    Option(_PLANS_OR_WATCHES, "--isolated", "", "neither .editblocks.yml nor EDITBLOCKS_... count"),
    Option("check diff", "--partial", "", "as apply --partial would"),
    Option("check", "--paths", "", "only list the files that the response names"),
    Option("apply", "--partial", "", "write the ready blocks although others failed"),
    Option("apply", "-i --interactive", "", "ask about each block, as git add -p does"),
    Option("apply", "--index", "", "write to the working tree and stage exactly that"),
    Option("apply", "--commit", "", "commit exactly what is applied, and nothing else"),
    Option("apply", "--branch", "NAME", "commit to this branch (must not be checked out); a new one is made at HEAD"),
    Option("apply", "--message", "TITLE", "the subject of the commit"),
    Option("apply", "--keep", "", "leave a response file (.edits/*.md) where it is"),
    Option("retry", "--fresh", "", "repeat all that a model has to know"),
    Option("retry", "--max-chars", "N", "at most this long; default: 6000", {"type": _characters, "default": 6000}),
    Option("context", "--read", "DOC", "files to read, which blocks must not change", _SEVERAL),
    Option("context", "--summary", "OTHER", "files of which only signatures are shown (extra syntax)", _SEVERAL),
    Option("context", "--task", "TEXT", "what to do; - reads it from standard input"),
    Option(
        "context", "--budget", "TOKENS", "refuse to print more than this, at 4 characters a token", {"type": _tokens}
    ),
    Option("prompt context", "--clipboard", "", "put the text into the clipboard instead of printing it"),
    Option("context", "--rev", "COMMIT", "read the files of this commit instead of those on disk"),
    Option("prompt context", "--format", "NAME", f"the format of the blocks, by name; default: {DEFAULT_KIT}", _KIT),
    Option("prompt context", "--no-shell", "", "ask for no commands, not even to delete or rename files"),
    Option("prompt", "--no-example", "", "leave the worked examples out"),
    Option("prompt", "--file-or-edit", "", "also say when to send a whole file, and when an edit"),
    Option("prompt", "--reminder", "", "print only the rules for blocks, in a few words"),
    Option("prompt context", "--messages", "", "print the messages of a chat, as JSON"),
    Option("undo", "--list", "", "list what can be undone"),
    Option("undo", "--redo", "", "redo what was undone"),
    Option("report", "--serve", "", "show the page on this machine, with buttons that apply blocks"),
    Option("report", "-o --output", "FILE", "write the page here instead of to standard output"),
    Option("init", "--agents", "", "write a section of AGENTS.md instead, for coding agents"),
    Option("init", "--print", "", "show the files, and write nothing"),
    Option("undo context init", "--root", "DIR", "the repository; default: the one around you"),
    Option("check diff apply", "--texts", "", "with json or jsonl: the text of blocks and places, for report"),
    Option("check diff apply", "--format", "FORMAT", f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}", _OUTPUT),
    Option("check diff apply retry watch explain", "--color", "WHEN", "auto (default), always or never", _WHEN),
    Option("check diff apply", "-q --quiet", "", "a line for each block, also on a terminal"),
    Option("retry", "-q --quiet", "", "do not say which blocks are asked for"),
    Option(
        _PLANS,
        "-v --verbose",
        "",
        "say more: the full form in a pipe, which levels were asked, where settings are from",
    ),
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


def options_of(command: str) -> list[Option]:
    """The options that a command takes."""
    return [option for option in OPTIONS if command in option.commands.split()]


def refuse_conflicts(options: argparse.Namespace, default: Callable[[str], Any]) -> None:
    """Raise `UsageError` for options of which one makes another meaningless."""
    taken = options_of(options.command)
    given = {option.shown for option in taken if getattr(options, option.dest) != default(option.dest)}
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
