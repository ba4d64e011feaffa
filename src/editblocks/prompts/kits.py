"""Build the kit of a format, which tells a model how to write edit blocks: system prompt, examples, reminder.

The texts are in `texts/`: `all.txt` for every kit, `search-replace.txt` for the formats with these markers, and a file
for each format with its form and the answers of its examples. A line `%% name` begins a piece of a text.
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
    """The texts of a kit, none of which ends in a newline.

    `examples` are pairs: a request of a user, with files, and the model's answer. `reminder` repeats the rules in a few
    words, for the end of a long task.
    """

    system: str
    examples: tuple[tuple[str, str], ...]
    reminder: str


def kit(name: str, *, commands: bool = True, file_or_edit: bool = False) -> Kit:
    """Return the kit called `name`, one of `KITS`.

    `commands`: the model may suggest shell commands, for example to rename a file; never with an `editor-` kit.
    `file_or_edit`: it may send whole files; see `replaces_by_setting`.
    """
    form = name.removeprefix(_WITHOUT_SHELL)
    pieces = _pieces(form)
    rules = ["rules", "create", "change"]
    if not file_or_edit:
        rules.append("whole")
    shell = "shell" if commands and form == name else "no-shell"
    system = [pieces["task"], _lines(pieces, "frame", "markers"), _lines(pieces, *rules), pieces[shell]]
    if file_or_edit:
        system.append(pieces["file-or-edit"])
    reminder = _lines(pieces, "reminder-start", "reminder", "reminder-end")
    return Kit("\n\n".join(system), tuple(_examples(pieces, file_or_edit)), f"Before you answer:\n{reminder}")


def _lines(pieces: Mapping[str, str], *names: str) -> str:
    """Join the pieces with these names, as far as the format has them."""
    return "\n".join(pieces[name] for name in names if name in pieces)


def _pieces(form: str) -> Mapping[str, str]:
    """Read all pieces of a format; a piece in its own file overrides the common one."""
    texts = ["all", form]
    if form in _SEARCH_REPLACE:
        texts.insert(1, "search-replace")
    pieces: dict[str, str] = {}
    for text in texts:
        for piece in f"\n{read_text(text)}".split("\n%% ")[1:]:
            name, _, lines = piece.partition("\n")
            pieces[name] = lines.strip("\n")
    return pieces


def sample_block(name: str, path: str) -> str:
    """Return a sample block for the file `path`, as the kit called `name` shows it."""
    frame = _pieces(name.removeprefix(_WITHOUT_SHELL))["frame"]
    if name == "tool-replace":
        import json  # only this format escapes the path

        path = json.dumps(path, ensure_ascii=False)[1:-1]
    return frame.replace(_PATH_IN_FRAME, path)


def example_block() -> str:
    """Return the sample block of the default kit in its fence, without a last newline."""
    return next(_FRAME.finditer(_pieces(DEFAULT_KIT)["frame"]))[0]


def read_text(name: str) -> str:
    return (_TEXTS / f"{name}.txt").read_text("utf-8")


def _examples(pieces: Mapping[str, str], file_or_edit: bool) -> list[tuple[str, str]]:
    names = [name.removeprefix("answer-") for name in pieces if name.startswith("answer-") and name != "answer-whole"]
    if file_or_edit:
        names.append("whole")  # last, like the rule that it illustrates
    return [(pieces[f"ask-{name}"], pieces[f"answer-{name}"]) for name in names]


def replaces_by_setting(name: str) -> bool:
    """Whether whole files that this kit asks for are written only if the setting `whole-files` allows it."""
    return name != "v4a"  # a patch deletes the file and adds it again


def kit_text(kit: Kit, *, examples: bool = True) -> str:
    """Return the system prompt and the examples as one text for any chat."""
    if not examples:
        return kit.system
    parts = [kit.system]
    for number, (question, answer) in enumerate(kit.examples, 1):
        parts += [f"## Example {number}: the request", question, f"## Example {number}: your answer", answer]
    return "\n\n".join(parts)


def kit_messages(kit: Kit, *, examples: bool = True) -> list[dict[str, str]]:
    """Return the system prompt and the examples as messages of a chat, each with `role` and `content`."""
    messages = [{"role": "system", "content": kit.system}]
    if not examples:
        return messages
    for question, answer in kit.examples:
        messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return messages


def agents_section() -> str:
    """Return the section of `AGENTS.md`, from its first comment to its last, with a last newline.

    It tells an agent how to write its answer as a response file and how to check it. The form of a block and the rules
    come from the kit. The block is indented, so that git and Markdown take it for an example.
    """
    rules = kit(DEFAULT_KIT).reminder.partition("\n")[2]
    return read_text("agents").format(frame=indent(example_block(), "    "), rules=rules)
