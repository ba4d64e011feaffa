"""The tables of all commands and options: what each does, what it takes, and examples.

They also make docs/reference/command-line.md, "commands" and "options".
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from editblocks.core.characters import quote
from editblocks.core.errors import UsageError
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import DEFAULT_KIT, KITS, MATCHING, WHOLE_FILES

COMMANDS = {
    "check": "show whether each block fits; writes nothing",
    "diff": "print what apply would change, as a patch; writes nothing",
    "apply": "write all blocks, or none",
    "watch": "show the blocks of an answer while it is being written",
    "undo": "undo an apply",
    "retry": "print a prompt that asks the model for corrected blocks",
    "report": "write a page that shows each block beside its file",
    "prompt": "print instructions for a model: how to write edit blocks",
    "context": "print files, rules and a task for a chat with a model",
    "explain": "explain a reason code and what to do",
    "init": "write a workflow and a configuration to start with",
    "hook": "install or run Git hooks",
    "doctor": "show what is installed, found and missing, and what to do",
    "mcp": "serve tools to agents on standard input and output (MCP)",
    "demo": "show how it works on made-up files",
    "action": "run the GitHub Action; action.yml starts it",
}
TAKES_RESPONSES = ("check", "diff", "apply", "retry", "report")


# The operands of commands, as usage lines show them.
USAGES = {
    **dict.fromkeys(TAKES_RESPONSES, "SRC..."),
    "report": "SRC",
    "watch": "[FILE]",
    "undo": "[ID]",
    "context": "FILE...",
    "explain": "[CODE]",
}
EXAMPLES = {
    "editblocks": """\
examples:
  pbpaste | editblocks check -          does each block fit?
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
  editblocks check reply.md --paths         which files does it change?
""",
    "diff": """\
example:
  editblocks diff reply.md | git apply --index
""",
    "apply": """\
examples:
  editblocks apply reply.md --commit         commit exactly these changes
  editblocks apply reply.md --only 1-3,4@48  blocks 1 to 3, and 4 at line 48
  editblocks apply reply.md -i               ask about each block
  editblocks apply --clipboard               what you copied from a chat
""",
    "watch": """\
Press a to apply the blocks, r to copy the retry prompt, and q to quit. It needs
a terminal.

examples:
  editblocks watch reply.md           a file that is still being written
  ask-a-model | editblocks watch      or what comes through a pipe
""",
    "undo": """\
examples:
  editblocks undo                     the last apply
  editblocks undo --list              the applies that can be undone
  editblocks undo 20261121-1 --redo   redo what was undone
""",
    "retry": """\
examples:
  editblocks retry reply.md | pbcopy  to paste into the same chat
  editblocks retry reply.md --fresh   for a chat that does not know the answer
  editblocks retry --clipboard        read the answer, copy the prompt back
""",
    "prompt": """\
examples:
  editblocks prompt | pbcopy                    for the first message of a chat
  editblocks prompt --format v4a --messages     as JSON, for a program
  editblocks prompt --reminder >> task.md       for the end of a long task

Formats: diff (the path above the fence), diff-fenced (inside it; default),
editor-diff and editor-diff-fenced (the same without commands), edit-v2,
edit-v3, file-section, edit-fence, bolt-edit, v4a and tool-replace (calls as
JSON).
""",
    "context": """\
examples:
  editblocks context src/cart.py --task "round totals" --clipboard
  editblocks context src/cart.py src/big.py:120-180 --task - < plan.md
  editblocks context src/cart.py --read README.md --summary src/*.py

Name the files to change and those that they depend on, no more. Say in the
task what should change and why. Read the result before you send it.
FILE:120-180 shows the functions around these lines (extra syntax).
""",
    "report": """\
examples:
  editblocks report reply.md --open              open the page in your browser
  editblocks report reply.md --rev main -o report.html
  editblocks report editblocks.json -o report.html
  editblocks report reply.md --serve             the same, with buttons to apply
""",
    "explain": "example:\n  editblocks explain ambiguous\n",
    "init": """\
examples:
  editblocks init --print    what it would write
  editblocks init --agents   tell coding agents how to leave an answer
""",
    "doctor": "example:\n  editblocks doctor\n",
    "mcp": """\
An agent starts it and calls its tools: check_edits, apply_edits, retry_prompt,
undo and explain. They work on the files of one repository (extra mcp).

example:
  claude mcp add editblocks -- editblocks mcp
""",
    "demo": "example:\n  editblocks demo | less\n",
    "action": """\
It reads the variables of a workflow job, such as GITHUB_EVENT_PATH.

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


class Option(NamedTuple):
    """One option or operand: the commands that take it, its names, the name of its value ("" if none), its help.

    `settings` are more arguments for argparse.
    """

    commands: str
    names: str
    value: str
    help: str
    settings: Mapping[str, Any] = {}

    @property
    def shown(self) -> str:
        """Its name in messages: the short one, if there is one."""
        return self.names.split()[0]

    @property
    def dest(self) -> str:
        """Its attribute in the parsed options."""
        return self.names.split()[-1].lstrip("-").replace("-", "_")

    def words(self, value: Any) -> list[str]:
        """Return the words that give it this value; empty for an option that was not given."""
        if isinstance(value, list):
            return [word for each in value for word in (self.shown, each)]
        if value is True:
            return [self.shown]
        return [self.shown, value] if value else []


def _one_of(option: str, words: Sequence[str], default: str | None = None) -> dict[str, Any]:
    """Return arguments for argparse for an option that takes one of `words`; its error names the nearest word."""

    def read(text: str) -> str:
        if text in words:
            return text
        raise UsageError(f"{option} is {quote(text)}; {did_you_mean(text, words)}")

    return {"type": read, "choices": words, "default": default}


def _characters(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text, re.ASCII) or not SHORTEST_PROMPT <= int(text) <= _LONGEST_PROMPT:
        raise UsageError(f"--max-chars is `{text[:60]}`; use a number from {SHORTEST_PROMPT} to {_LONGEST_PROMPT}")
    return int(text)


def _folder_of_session(text: str) -> str:
    if not re.match(r"/|[A-Za-z]:[/\\]", text):
        raise UsageError(f"--session-root is {quote(text)}; write it as in the session, beginning with / or a drive")
    return text


def _tokens(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,6}", text, re.ASCII):
        raise UsageError(f"--budget is {quote(text)}; use a number of tokens, as in 8000")
    return int(text)


REPORTS = ("text", "json", "jsonl", "github", "sarif", "rdjsonl", "markdown")
SHORTEST_PROMPT = 500  # characters
SHORTEST_FRESH = 1000  # below this, a block's own text rarely fits
LONGEST_USUAL_PROMPT = 6000
_LONGEST_PROMPT = 1_000_000

_PLANS = "check diff apply retry report"  # the commands that plan a response
_PLANS_ANYWHERE = "check diff retry report"  # those that never write, so that they can plan on any files
_PLANS_OR_WATCHES = f"{_PLANS} watch"
_LEVEL = _one_of("--matching", MATCHING)
_WHOLE_FILES = _one_of("--whole-files", WHOLE_FILES)
_FORMAT = _one_of("--format", REPORTS, "text")
_LENGTH = {"type": _characters, "default": LONGEST_USUAL_PROMPT}
_KIT = _one_of("--format", KITS, DEFAULT_KIT)
_COLOR = _one_of("--color", ("auto", "always", "never"), "auto")
_REPEATABLE = {"action": "append", "default": []}
_ONE_OR_MORE = {"nargs": "+", "action": "extend", "default": []}

# All are optional for argparse, so that its message names an unknown option before a missing operand.
OPERANDS = (
    Option(_PLANS, "sources", "SRC", "files with a model's answer, or - for stdin", {"nargs": "*"}),
    Option(
        "watch",
        "sources",
        "FILE",
        "a file that is still being written, or does not exist yet; default: stdin",
        {"nargs": "?"},
    ),
    Option("undo", "id", "ID", "the id of an apply; default: the last one", {"nargs": "?"}),
    Option("context", "files", "FILE", "a file to change, or FILE:LINE or FILE:FIRST-LAST", {"nargs": "*"}),
    Option("explain", "code", "CODE", "a reason code; default: list them all", {"nargs": "?"}),
)

OPTIONS = (
    Option("check diff apply report", "--clipboard", "", "read the answer from the clipboard instead of SRC"),
    Option("retry", "--clipboard", "", "copy the prompt to the clipboard; without SRC, read the answer from it"),
    Option(_PLANS_OR_WATCHES, "--root", "DIR", "the folder where paths start; default: the top of the repository"),
    Option(
        _PLANS_OR_WATCHES,
        "--session-root",
        "DIR",
        "the root folder's path in an agent's session; default: the folder where it began",
        {"type": _folder_of_session},
    ),
    Option(_PLANS_ANYWHERE, "--rev", "COMMIT", "check against this commit instead of the files on disk"),
    Option(_PLANS_ANYWHERE, "--staged", "", "check against the staged files instead of the files on disk"),
    Option(_PLANS_OR_WATCHES, "--base", "COMMIT", "the commit that the answer was written against"),
    Option(_PLANS_OR_WATCHES, "--matching", "LEVEL", "exact, standard (default) or loose", _LEVEL),
    Option(
        _PLANS_OR_WATCHES,
        "--whole-files",
        "WHICH",
        "write files that the answer shows in full: no (default), new or all",
        _WHOLE_FILES,
    ),
    Option(
        "check diff apply report",
        "--only",
        "SELECTOR",
        "only these blocks, as in 1-3,4@48, src/cart.py or ready",
        _REPEATABLE,
    ),
    Option("retry", "--only", "SELECTOR", "ask only for these blocks, as in 2,4-5 or src/cart.py", _REPEATABLE),
    Option(
        _PLANS_OR_WATCHES,
        "--allow-protected",
        "PATH",
        "let blocks change this protected file; may be repeated",
        _REPEATABLE,
    ),
    Option(f"{_PLANS_OR_WATCHES} doctor", "--config", "FILE", "read this file instead of .editblocks.yml"),
    Option(f"{_PLANS_OR_WATCHES} doctor", "--isolated", "", "ignore .editblocks.yml and EDITBLOCKS_* variables"),
    Option("check", "--paths", "", "only list the files that the answer names"),
    Option("check diff apply", "--partial", "", "take the blocks that fit, even if others fail"),
    Option("apply", "-i --interactive", "", "ask about each block, as git add -p does"),
    Option("apply", "--index", "", "write to the working tree and stage exactly those changes"),
    Option("apply", "--commit", "", "commit exactly what is applied, and nothing else"),
    Option("apply", "--branch", "NAME", "commit to this branch (must not be checked out); a new one starts at HEAD"),
    Option("apply", "--message", "TITLE", "the subject of the commit"),
    Option("apply", "--keep", "", "keep the response file (.edits/*.md)"),
    Option("retry", "--fresh", "", "write a prompt for a new chat, with all that the model needs"),
    Option("retry", "--max-chars", "N", f"at most this many characters; default: {LONGEST_USUAL_PROMPT}", _LENGTH),
    Option("context", "--read", "DOC", "files that the model may read but not change", _ONE_OR_MORE),
    Option("context", "--summary", "OTHER", "files to show as signatures only (extra syntax)", _ONE_OR_MORE),
    Option("context", "--task", "TEXT", "what the model should do; - reads it from standard input"),
    Option(
        "context",
        "--budget",
        "TOKENS",
        "refuse to print more than this many tokens, of 4 characters each",
        {"type": _tokens},
    ),
    Option("prompt context", "--clipboard", "", "copy the text to the clipboard instead of printing it"),
    Option("context", "--rev", "COMMIT", "read the files of this commit instead of those on disk"),
    Option("prompt context", "--format", "NAME", f"the format of the blocks, by name; default: {DEFAULT_KIT}", _KIT),
    Option("prompt context", "--no-shell", "", "do not let the model write shell commands"),
    Option("prompt", "--no-example", "", "leave out the examples"),
    Option("prompt", "--file-or-edit", "", "also say when to send a whole file instead of an edit"),
    Option("prompt", "--reminder", "", "print only a short reminder of the rules"),
    Option("prompt context", "--messages", "", "print the messages of a chat, as JSON"),
    Option("undo", "--list", "", "list what can be undone"),
    Option("undo", "--redo", "", "redo what was undone"),
    Option("report", "--serve", "", "show the page on this machine, with buttons that apply blocks"),
    Option("report", "--open", "", "open the page in your browser"),
    Option("report", "-o --output", "FILE", "write the page to this file instead of standard output"),
    Option("init", "--agents", "", "add a section for coding agents to AGENTS.md instead"),
    Option("init", "--print", "", "show the files; writes nothing"),
    Option("undo context init doctor mcp", "--root", "DIR", "the repository; default: the one of this folder"),
    Option("check diff apply", "--texts", "", "with json or jsonl: add the text of blocks, as report needs it"),
    Option("check diff apply", "--format", "FORMAT", f"{', '.join(REPORTS[:-1])} or {REPORTS[-1]}", _FORMAT),
    Option("check diff apply retry watch explain", "--color", "WHEN", "auto (default), always or never", _COLOR),
    Option("check diff apply", "-q --quiet", "", "print only a summary, the notes and the blocks that need attention"),
    Option("retry", "-q --quiet", "", "do not say which blocks the prompt is about"),
    Option(_PLANS, "-v --verbose", "", "print more, with the matching levels tried and where each setting comes from"),
)

# Options that contradict each other: where to plan, where to write, what to take, what to print.
APART = (
    ("--rev", "--staged"),
    ("--commit", "--branch", "--index"),
    ("-i", "--only", "--partial"),
    ("-i", "--format"),
    ("-i", "-q"),
    ("--paths", "--rev", "--staged"),
    *(("--paths", name) for name in ("--root", "--base", "--matching", "--only", "-v", "--partial", "--format")),
    *(("--paths", name) for name in ("--whole-files", "--config", "--isolated", "--allow-protected", "--session-root")),
    ("-q", "-v"),
    ("--isolated", "--config"),
    ("--list", "--redo"),
    *(("--serve", name) for name in ("-o", "--open", "--rev", "--staged", "--only")),
    ("--reminder", "--no-example"),
    ("--reminder", "--messages"),
)


def lasting(given: Mapping[str, Any]) -> list[str]:
    """Return the options, except `--root`, that every later command about the same answer needs."""
    commands = set(_PLANS_OR_WATCHES.split())
    options = [option for option in OPTIONS if commands.issubset(option.commands.split()) and option.dest != "root"]
    return [word for option in options for word in option.words(given[option.dest])]


def options_of(command: str) -> list[Option]:
    """Return the options that a command takes."""
    return [option for option in OPTIONS if command in option.commands.split()]
