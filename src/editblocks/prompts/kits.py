"""What tells a model how to write edit blocks: for each format a system prompt, worked examples and a reminder.

The words stand in `texts/`: in `all.txt` what every kit says, in `search-replace.txt` what the formats with these
markers share, and in a file a format its form and the answers of its examples. A line `%% name` begins a piece.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from editblocks.core.settings import DEFAULT_KIT

_TEXTS = Path(__file__).parent / "texts"
_WITHOUT_SHELL = "editor-"
_PATH_IN_FRAME = "path/of/the/file.py"
_FRAME = re.compile("^(````+)[a-z]+\n.*?^\\1$", re.MULTILINE | re.DOTALL)
_SEARCH_REPLACE = ("diff", "diff-fenced", "file-section", "edit-fence", "bolt-edit")


class Kit(NamedTuple):
    """`examples` are pairs: what the user asks, with the files, and what the model answers. No text ends in a newline.

    `reminder` repeats the rules for blocks in a few words, for the end of a long task.
    """

    system: str
    examples: tuple[tuple[str, str], ...]
    reminder: str


def kit(name: str, *, commands: bool = True, file_or_edit: bool = False) -> Kit:
    """Return the kit of that name, one of `KITS`; those of `editor-` formats never have `commands`.

    With `commands`, the model may write some for a person to run, as to rename a file. With `file_or_edit`, it may send
    a file as a whole; see `replaces_by_setting`.
    """
    form = name.removeprefix(_WITHOUT_SHELL)
    pieces = _pieces(form)
    rules = ["rules", "create", "change"]
    if not file_or_edit:
        rules.append("whole")
    system = [pieces["task"], _lines(pieces, "frame", "markers"), _lines(pieces, *rules)]
    shell = "shell" if commands and form == name else "no-shell"
    system.append(pieces[shell])
    if file_or_edit:
        system.append(pieces["file-or-edit"])
    reminder = _lines(pieces, "reminder-start", "reminder", "reminder-end")
    return Kit("\n\n".join(system), tuple(_examples(pieces, file_or_edit)), f"Before you answer:\n{reminder}")


def _lines(pieces: Mapping[str, str], *names: str) -> str:
    """Those of the pieces that the format has, below each other."""
    return "\n".join(pieces[name] for name in names if name in pieces)


def _pieces(form: str) -> Mapping[str, str]:
    """All pieces that a format has; those of its own file count more than the common ones."""
    texts = ["all", form]
    if form in _SEARCH_REPLACE:
        texts.insert(1, "search-replace")
    pieces: dict[str, str] = {}
    for name in texts:
        _, *parts = re.split(r"^%% ([a-z0-9-]+)\n", read_text(name), flags=re.MULTILINE)
        pieces.update(zip(parts[::2], (part.strip("\n") for part in parts[1::2]), strict=True))
    return pieces


def sample_block(name: str, path: str) -> str:
    """Return the form of a block as the kit of that name shows it, for the file `path`."""
    frame = _pieces(name.removeprefix(_WITHOUT_SHELL))["frame"]
    if name == "tool-replace":
        import json  # the other formats write a path as it is

        path = json.dumps(path, ensure_ascii=False)[1:-1]
    return frame.replace(_PATH_IN_FRAME, path)


def read_text(name: str) -> str:
    """Return one of the texts as it stands in the package."""
    return (_TEXTS / f"{name}.txt").read_text("utf-8")


def _examples(pieces: Mapping[str, str], file_or_edit: bool) -> list[tuple[str, str]]:
    names = [name.removeprefix("answer-") for name in pieces if name.startswith("answer-")]
    names.sort(key=lambda name: name == "whole")  # the rule that it is an example of comes last, too
    return [(pieces[f"ask-{name}"], pieces[f"answer-{name}"]) for name in names if file_or_edit or name != "whole"]


def replaces_by_setting(name: str) -> bool:
    """Whether the whole files of a kit with `file_or_edit` are written only where the setting `whole-files` says so."""
    return name != "v4a"  # a patch takes the file away and adds it again


def kit_text(kit: Kit, *, examples: bool = True) -> str:
    """Return the system prompt and, below it, the examples: one text for any chat."""
    if not examples:
        return kit.system
    parts = [kit.system]
    for number, (question, answer) in enumerate(kit.examples, 1):
        parts += [f"## Example {number}: the request", question, f"## Example {number}: your answer", answer]
    return "\n\n".join(parts)


def kit_messages(kit: Kit, *, examples: bool = True) -> list[dict[str, str]]:
    """Return the same as messages of a chat, each with `role` and `content`."""
    messages = [{"role": "system", "content": kit.system}]
    if not examples:
        return messages
    for question, answer in kit.examples:
        messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return messages


def agents_section() -> str:
    """Return the section of `AGENTS.md`, from its first comment to its last; it ends in a newline.

    It says how an agent leaves its answer as a response file, and checks it. The form of a block and the rules are
    those of the kit. The block in it is indented, so that git and Markdown take it for an example.
    """
    chosen = kit(DEFAULT_KIT)
    frame = next(_FRAME.finditer(chosen.system))
    rules = chosen.reminder.partition("\n")[2]
    return read_text("agents").format(frame=indent(frame[0], "    "), rules=rules)
