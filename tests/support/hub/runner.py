"""Parse what the Actions runner parses: GITHUB_OUTPUT files, and workflow commands in a log."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

# https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs
COMMANDS = set(
    "internal-set-repo-path set-env set-output save-state add-mask add-path add-matcher remove-matcher "
    "warning error notice debug group endgroup echo stop-commands".split()
)
# https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs: the pattern, the separator of
# properties, the escapes in the message, and further escapes in properties. `##[` may be anywhere in a line.
FORMS = (
    (re.compile(r"^\s*::(.*?)::(.*)"), ",", "%0D %0A %25", "%3A %2C"),
    (re.compile(r"##\[(.*?)\](.*)"), ";", "%3B %0D %0A %5D %25", ""),
)


class Command(NamedTuple):
    """A workflow command that the runner found in the log."""

    name: str
    properties: Mapping[str, str]
    message: str


def parse_outputs(text: str) -> tuple[dict[str, str], str]:
    """Read `name=value` lines and `name<<END` blocks of GITHUB_OUTPUT. Return the outputs and an error ("" if none).

    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-output-parameter
    """
    found: dict[str, str] = {}
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        head = re.fullmatch(r"([^=]+?)(=|<<)(.*)", line, re.DOTALL)
        if line and (not head or (head[2] == "<<" and not head[3])):
            return found, f"invalid format {line!r}"
        if head and head[2] == "<<":
            if head[3] not in lines:
                return found, f"no end {head[3]!r}"
            end = lines.index(head[3])
            found[head[1]], lines = "\n".join(lines[:end]), lines[end + 1 :]
        elif head:
            found[head[1]] = head[3]
    return found, ""


def parse_commands(log: str) -> Iterator[Command]:
    """Yield the commands that the runner would execute. After `stop-commands`, wait for its token as a command."""
    stopped = ""
    for line in re.split(r"\r\n|\r|\n", log):
        command = _command(line, {stopped} if stopped else COMMANDS)
        if command and not stopped:
            stopped = command.message if command.name == "stop-commands" else ""
            yield command
        elif command:
            stopped = ""


def _command(line: str, known: Collection[str]) -> Command | None:
    for pattern, comma, codes, more in FORMS:
        if hit := pattern.search(line):
            name, _, rest = hit[1].partition(" ")
            if name in known:
                pairs = (pair.partition("=") for pair in rest.split(comma) if "=" in pair)
                properties = {key.strip(): _unescape(value, f"{more} {codes}") for key, _, value in pairs}
                return Command(name, properties, _unescape(hit[2], codes))
    return None


def _unescape(text: str, codes: str) -> str:
    for code in codes.split():
        text = text.replace(code, chr(int(code[1:], 16)))
    return text
