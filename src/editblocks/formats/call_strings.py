"""Read patches and blocks in a string of a tool call with the readers of their own formats.

The rows keep their format and get the line numbers of the call. Rules: docs/reference/formats/tool-calls.md.
"""

import re
from collections.abc import Iterable, Sequence
from posixpath import join as join_path

from editblocks.core.blocks import Note, ParsedRow, Problem, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.formats.calls import SEND_AGAIN, Call, clean_path
from editblocks.formats.grammar import OTHER_FORM, Fault
from editblocks.formats.hunks import BEGIN_PATCH, END_PATCH, IN_SCRIPT
from editblocks.formats.tool_calls import FILE, SHELL_KEYS

PATCH_KEYS = ("input", "patch", "patchText", "patch_text")
CODE_KEY = "code"
FOLDER_KEYS = ("workdir", "working_directory")  # of a patch, or of the command with the patch
# Keys of a command that change neither what it does nor where.
BESIDE_COMMAND = frozenset(
    "timeout timeout_ms yield_time_ms max_output_tokens justification with_escalated_permissions sandbox_permissions "
    "additional_permissions prefix_rule login shell tty env user run_in_background is_background isBackground "
    "dangerouslyDisableSandbox requires_approval require_user_approval goal".split()
)
_OPERATIONS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}
_MANY = 1_000_000  # more than a string has lines, or a text has calls
_PROGRAMS = ("apply_patch", "applypatch")
_SHELL_PROGRAM = r"(?:.*/)?(?:ba|z|da|k)?sh\Z"
_SCRIPT_OPTION = r"-[il]*c\Z"  # of a shell, before the script that it runs
_SCRIPT = (  # `cd DIR && apply_patch <<'EOF'`, the patch, `EOF`
    r"\s*(?:cd[ \t]+(?P<folder>'[^'\n]*'|\"[^\"\n$`\\]*\"|[^\s'\"$`\\;&|<>()]+)[ \t]*&&[ \t]*)?"
    r"(?:apply_patch|applypatch)[ \t]*<<[ \t]*(?:(?P<quote>['\"])(?P<quoted>\w+)(?P=quote)|(?P<bare>\w+))[ \t]*\n"
    r"(?P<patch>.*)\n(?:(?P=quoted)|(?P=bare))\s*\Z"
)
_START_OF_EDIT = (  # the first line of a block, a diff or a part of a patch
    r"(?m)^(?:(?:<{5,9}|-{5,9}) SEARCH\b|--- .+\n\+\+\+ .+\n@@|diff --git |\*\*\* (?:Update|Add|Delete) File: )"
)
_EXPANDS = r"[$`\\]"  # what a shell expands in a here-document whose end word is not quoted


def holds_patch(value: object) -> bool:
    """Whether a value, a text or the words of a command, contains a patch, or is a call of `apply_patch`."""
    words = value if isinstance(value, list) else [value]
    is_explicit = len(words) == 2 and words[0] in _PROGRAMS
    return is_explicit or any(isinstance(word, str) and BEGIN_PATCH.text in word for word in words)


def patch_key(call: Call) -> str:
    """The key of the text that is a patch; "" if there is none, or if the call itself names the file of the patch.

    The input of the tool `apply_patch` is always taken for a patch.
    """
    is_patch_tool = call.tool in _PROGRAMS
    for key in PATCH_KEYS:
        if call.has_text(key) and (is_patch_tool or holds_patch(call.values[key])):
            if key == "patch" and call.path:
                return ""
            return key
    return ""


def shell_key(call: Call) -> str:
    """The key of a shell command, or of the code that a named tool runs, with a patch in it; "" if there is none."""
    keys: tuple[str, ...] = SHELL_KEYS
    if call.name and not call.path:
        keys = (*SHELL_KEYS, CODE_KEY)
    return next((key for key in keys if holds_patch(call.values.get(key))), "")


def edits_key(call: Call) -> str:
    """The key of a text that contains edits but fits no other shape; "" if there is none."""
    return next((key for key in PATCH_KEYS if re.search(_START_OF_EDIT, call.text(key))), "")


def refuse_edits(call: Call) -> Iterable[ParsedRow]:
    what = f'the edits in "{edits_key(call)}" of the call are not read'
    return (call.problem(Fault(ReasonCode.UNSUPPORTED_FORMAT, what, OTHER_FORM)),)


def is_operation(call: Call) -> bool:
    """Whether a call is an operation on one file, as in an `apply_patch_call`."""
    kind = call.text("type")
    return kind in _OPERATIONS and call.path != "" and (kind == "delete_file" or call.has_text("diff"))


def read_patch(call: Call) -> Iterable[ParsedRow]:
    """The rows of a whole patch. A patch inside a script is refused, as the script may change its text."""
    key = patch_key(call)
    text = call.text(key)
    above, begins, _ = f"\n{text}".partition(f"\n{BEGIN_PATCH.text}")
    if begins and above.strip() and call.tool not in _PROGRAMS:
        return (call.problem(IN_SCRIPT),)
    return _rows(call, key, text, _folder(call))


def read_shell(call: Call) -> Iterable[ParsedRow]:
    """The rows of a patch that a shell command passes to `apply_patch`; refused if the command does anything else."""
    key = shell_key(call)
    value = call.values[key]
    words = value if isinstance(value, list) else [value]
    if len(words) == 2 and words[0] in _PROGRAMS and isinstance(words[1], str):
        return _rows(call, key, words[1], _folder(call))
    match = re.match(_SCRIPT, _script_of(words), re.DOTALL)
    if match is None or not _is_one_patch(match):
        return (call.problem(IN_SCRIPT),)
    folder = (match["folder"] or "").strip("'\"")
    return _rows(call, key, match["patch"], _resolve_folder(_folder(call), folder))


def _script_of(words: Sequence[object]) -> str:
    """The script that a command is or passes to a shell; "" if it runs another program, such as ssh."""
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) != len(words):
        return ""
    if len(texts) == 1:
        return texts[0]
    if len(texts) == 3 and re.match(_SHELL_PROGRAM, texts[0]) and re.match(_SCRIPT_OPTION, texts[1]):
        return texts[2]
    return ""


def _is_one_patch(script: re.Match[str]) -> bool:
    """Whether the here-document of a script is one patch, up to its first end word, and the shell expands nothing."""
    patch = script["patch"]
    end = script["quoted"] or script["bare"]
    if patch.count(BEGIN_PATCH.text) != 1 or re.search(rf"(?m)^{end}\s*$", patch):
        return False
    return script["bare"] is None or re.search(_EXPANDS, patch) is None


def read_operation(call: Call) -> Iterable[ParsedRow]:
    """The rows of an operation on one file: the call has the lines of its patch, without the header."""
    kind = str(call.values["type"])
    if kind == "delete_file":
        return (call.block(FILE, "delete-file", ToolCall(keys=(call.path_key, "", ""))),)
    diff = call.text("diff")
    if BEGIN_PATCH.text in diff:
        return _rows(call, "diff", f"\n\n{diff}", call.at.folder, call.path)
    lines = diff.removesuffix("\n")
    if kind == "create_file" and lines and not all(line.startswith("+") for line in lines.split("\n")):
        what = 'a line of "diff" does not begin with `+`, although the file is new'
        return (call.problem(Fault(ReasonCode.MALFORMED, what, SEND_AGAIN)),)
    header = f"*** {_OPERATIONS[kind]} File: {call.path}"
    patch = "\n".join(filter(None, (BEGIN_PATCH.text, header, lines, END_PATCH.text)))
    return _rows(call, "diff", patch, call.at.folder, call.path)


def read_diff(call: Call) -> Iterable[ParsedRow]:
    """The rows of the blocks or hunks for the file that the call names."""
    key = next(each for each in ("diff", "patch") if call.has_text(each))
    text = call.text(key)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    path = clean_path(call.path)
    return _rows(call, key, f"<path>{path}</path>\n{fence}diff\n{text}\n{fence}\n", call.at.folder, call.path)


def _folder(call: Call) -> str:
    """The folder that the paths of a patch are relative to."""
    folder = call.at.folder
    for key in FOLDER_KEYS:
        folder = _resolve_folder(folder, call.text(key))
    return folder


def _resolve_folder(folder: str, other: str) -> str:
    other = clean_path(other)
    if not other:
        return folder
    if re.match("[A-Za-z]:", other):
        return other
    return "/".join(name for name in join_path(folder, other).split("/") if name != ".")


def _rows(call: Call, key: str, text: str, folder: str, path: str = "") -> Sequence[ParsedRow]:
    """The rows of a text, as rows of the call.

    If `path` is given, the caller put two lines above the string of the call, and the text must not name another file.
    """
    first_line = 1
    if path:
        first_line = -1
    parsed = call.at.read(text, first_line)
    rows: list[ParsedRow] = [row for row in parsed.in_order if isinstance(row, Problem) or row.call is None]
    if not rows:
        return (call.problem(Fault(ReasonCode.MALFORMED, f'"{key}" holds no block', OTHER_FORM)),)
    return [_row(call, key, row, folder, path) for row in rows]


def _row(call: Call, key: str, row: ParsedRow, folder: str, path: str) -> ParsedRow:
    """Turn a row of a string into a row of its call."""
    notes = [each._replace(line_number=call.line) for each in row.notes]
    notes.append(Note("patch-in-string", f'it is in "{key}" of the call', call.line))
    if row.file_path is not None and path and clean_path(row.file_path) != clean_path(path):
        what = f'"{key}" names {row.file_path}, and the call {path}'
        fault = Fault(ReasonCode.NO_PATH, what, "name the same file in both")
        return call.problem(fault)._replace(format=row.format, notes=tuple(notes))
    if isinstance(row, Problem):
        named_path = row.file_path or path
        return row._replace(
            number=0,
            line_number=call.line,
            end_line=call.end_line,
            what=f'in "{key}": {row.what}',
            file_path=clean_path(named_path) or None,
            notes=tuple(notes),
            is_unsupported_form=False,
        )
    section = row.section
    is_hunk_of_patch = row.format == "v4a" and row.action == "edit"  # its section, the line of its header, may be 0
    if section or is_hunk_of_patch:  # hunks of two calls belong to two patches, even if both calls are on one line
        section += (call.line * _MANY + call.number) * _MANY
    at = call.at
    return row._replace(
        number=0,
        file_path=clean_path(row.file_path),
        new_path=clean_path(row.new_path),
        line_number=call.line,
        end_line=call.end_line,
        section=section,
        notes=tuple(notes),
        call=ToolCall(keys=(call.path_key, "", key), was_run=at.was_run, folder=folder, session_root=at.session_root),
    )
