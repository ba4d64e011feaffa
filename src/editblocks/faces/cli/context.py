"""`editblocks context`: files, summaries and a task for a chat with a model.

Page: docs/reference/command-line.md, "files for a chat".
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping

from editblocks.core.characters import code_point, quote
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, RepoError, UsageError
from editblocks.core.phrases import join_words, plural
from editblocks.core.settings import KITS
from editblocks.faces.cli.packing import Files, Lines
from editblocks.faces.common.clipboard import copy
from editblocks.faces.common.locations import root_of
from editblocks.faces.common.reading import stdin_bytes
from editblocks.faces.common.terminal import FINE, message, print_text, say
from editblocks.paths.policy import is_protected
from editblocks.prompts.context import Context, can_name, context_messages, context_text
from editblocks.prompts.kits import kit
from editblocks.text.invisible import find_added

MOST_CHARACTERS, LONG_FILE = 400_000, 16_000
A_TOKEN = 4  # characters, about
_MOST_BYTES = 4 * MOST_CHARACTERS  # of a task: it cannot have more characters than these
_LARGEST = 3
_WITH_LINES = re.compile(r"(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?", re.DOTALL | re.ASCII)


def main(options: argparse.Namespace) -> int:
    """Print or copy the text or the messages, and say on stderr how much it is. If a file is refused, do nothing."""
    if not (options.files or options.read or options.summary):
        raise UsageError("no file is named; name those to change, as in `editblocks context src/cart.py`")
    task = "" if options.task is None else _task(options.task)
    files = Files(root_of(options.root), options.rev)
    edit = files.parts([_name_and_lines(name) for name in options.files])
    read, summaries = files.whole(options.read), files.summaries(options.summary)
    context = Context(edit, read, summaries, files.base(edit) if edit else None, task)
    chosen = kit(options.format, commands=not options.no_shell)
    if options.messages:
        messages = context_messages(context, chosen, options.format)
        text, size = json.dumps(messages, ensure_ascii=False, indent=2), sum(len(each["content"]) for each in messages)
    else:
        text = context_text(context, chosen, options.format)
        size = len(text)
    parts = {"the task": len(task), **{file.path: file.size for file in (*edit, *read, *summaries)}}
    _refuse_size(size, options.budget, parts)
    if options.clipboard:
        copy(text)
    else:
        print_text(text)
    _warn(context, options.format)
    counts = f"{plural(len(edit), 'file')} to edit, {len(read)} to read, {len(summaries)} summarised"
    copied = ", in the clipboard" if options.clipboard else ""
    say(f"{counts}: {size:,} characters, about {_tokens(size):,} tokens{copied}\n")
    return FINE


def _name_and_lines(name: str) -> tuple[str, Lines | None]:
    """`src/cart.py:120-180` as a name and lines; every name that ends in such a way means lines."""
    match = _WITH_LINES.fullmatch(name)
    return (name, None) if match is None else (match[1], (int(match[2]) - 1, int(match[3] or match[2])))


def _task(given: str) -> str:
    """The task that is given, or piped in. Raises `UsageError`, `ConfigError` and `RepoError`."""
    data = stdin_bytes(_MOST_BYTES + 1, "task") if given == "-" else os.fsencode(given)
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"the task has over {_MOST_BYTES:,} bytes; shorten it", ReasonCode.TOO_LARGE)
    if not data.strip():
        raise UsageError("the task is empty; say what to do, or leave --task out and say it in the next message")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"the task is not UTF-8 (byte 0x{data[error.start]:02x} in line {line}); convert it first"
        raise RepoError(what, ReasonCode.ENCODING) from error


def _tokens(size: int) -> int:
    return -(-size // A_TOKEN)


def _refuse_size(size: int, budget: int | None, parts: Mapping[str, int]) -> None:
    """Raise `ConfigError` if the whole is too long; it names the largest of its `parts`, which have characters."""
    if size > MOST_CHARACTERS:
        limit = f"the limit is {MOST_CHARACTERS:,}"
    elif budget is not None and _tokens(size) > budget:
        limit = f"about {_tokens(size):,} tokens, --budget is {budget:,}"
    else:
        return
    largest = sorted(filter(parts.get, parts), key=lambda name: -parts[name])[:_LARGEST]
    names = join_words([f"{name} ({parts[name]:,})" for name in largest])
    advice = "leave files out, or show less with --summary or FILE:FIRST-LAST; the largest"
    raise ConfigError(f"this has {size:,} characters, {limit}; {advice}: {names}", ReasonCode.TOO_LARGE)


def _warn(context: Context, form: str) -> None:
    for file in (*context.edit, *context.read):
        if file.size > LONG_FILE:
            advice = "show a part, as in FILE:120-180, or signatures with --summary"
            message(f"{file.path} has {file.size:,} characters, about {_tokens(file.size):,} tokens; {advice}")
    for file in (*context.edit, *context.read, *context.summaries):
        hidden = find_added("", "\n".join(file.lines))
        if hidden is not None:
            char, line, column = hidden
            where = f"line {line}, column {column} of {file.path}"
            message(
                f"{code_point(char)} at {where} is seen by the model and by no reader; look whether it belongs there"
            )
    for file in context.edit:
        if is_protected(file.path):
            message(f"{file.path} is protected: blocks for it are refused unless you name it with --allow-protected")
        if not can_name(form, file.path):
            other = next((each for each in KITS if can_name(each, file.path)), None)
            advice = f"use --format {other}" if other else "rename the file"
            message(f"a block in the format {form} cannot name {quote(file.path)}; {advice}")
        number = next((number for number, line in enumerate(file.lines, 1) if "\r" in line), None)
        if number is not None:
            what = f"line {number} of {file.path} holds a carriage return (CR) that does not end it"
            message(f"{what}, so no block fits that line; convert the line ends first")
