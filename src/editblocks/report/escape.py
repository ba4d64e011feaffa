"""One escaping function per place where foreign text may appear; applied at output, never strip-and-trust.

Markdown: `code_span`, `fence`, `text`, `url_path`. Terminal: `visible`. Shell: `shell_line`. Workflow log: `log_line`,
`workflow_data`, `workflow_property`. Every function takes any str, lone surrogates included, and
raises nothing. Rules: docs/internals/security.md, "status text".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from editblocks.core.characters import code_point, is_hidden
from editblocks.core.phrases import plural

SPAN_LIMIT = 120
TEXT_LIMIT = 300
LOG_LIMIT = 200
FENCE_LIMIT = 2000
FENCE_LINE_LIMIT = 500

_LINE_ENDS = {"\r": "␍", "\n": "␊"}

# What GitHub cannot turn into a link, mention, reference, emoji or commit, in any repository: plain words,
# short numbers, ranges of them, and code points. Seven hex letters may name a commit, so they are no word.
# Of two words with a slash between them, which may begin `owner/name#1`, only the one that we write is known.
_PLAIN = (
    r"SEARCH/REPLACE|(?![A-Fa-f]{7,}(?![A-Za-z]))[A-Za-z]+(?:['-][a-z]+)*'?"
    r"|[+-]?[0-9]{1,6}(?:-[0-9]{1,6})?%?|U\+[0-9A-F]{4,6}|%"
)
_PIECE = r"([(\"]*)(`(?= *[^` ])[^`]+`|[^ ]+?)([,;:.?)\"]*)(?= |$)"
_LIST_ITEM = r"[0-9]+[.)](?= |$)"  # only the start of a line can begin a list
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._~-"
_PERCENT = {byte: f"%{byte:02X}" for byte in range(256)} | {byte: chr(byte) for byte in _UNRESERVED}
# Where the runner of GitHub Actions sees a command (docs/internals/security.md, "logs and outputs").
_COMMAND = r"((?:^|[\r\n])[^\S\r\n]*)::"


def name_hidden(text: str, keep: str = "") -> str:
    """Show hidden characters by their names: `U+202E`; CR and LF as their symbols. `keep` is left alone."""
    hidden = {char for char in text if char not in keep and is_hidden(char)}
    names = {ord(char): _LINE_ENDS.get(char) or code_point(char) for char in hidden}
    return text.translate(names)


def cut_middle(text: str, limit: int) -> str:
    """Take at most `limit` characters, leaving out the middle: both ends of a path say where it is."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def cut_end(text: str, limit: int) -> str:
    """Take at most `limit` characters, leaving out the end."""
    if len(text) <= limit:
        return text
    return f"{text[: limit - 3]}..."


def code_span(text: str, *, cell: bool = False, limit: int = SPAN_LIMIT) -> str:
    """Put text into a code span, where nothing of it is active. `cell`: inside a table, where a pipe would split."""
    shown = cut_middle(name_hidden(text), limit) or " "
    if cell:
        # `\|` is a pipe in a table, but `\\|` is a backslash and a new cell: name the pipe there.
        shown = re.sub(r"\\\|", r"\\U+007C", shown).replace("|", "\\|")
    edge = ticks(shown, 1)
    if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` "):
        shown = f" {shown} "
    return f"{edge}{shown}{edge}"


def ticks(text: str, least: int) -> str:
    """So many back-ticks that the text holds no such run, and at least so many."""
    return "`" * max(least, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def text(text: str, *, cell: bool = False, limit: int = TEXT_LIMIT) -> str:
    """Put a sentence into running text: plain words stay, every other token becomes a code span.

    Escapes are not enough: GitHub looks for mentions, references and addresses after it has resolved
    `\\@` and `&#64;`, but never in code. What stands between back-ticks already stays one span.
    """
    line = cut_middle(re.sub("[ \t\r\n]+", " ", text).strip(" "), limit)
    tokens: list[str] = []
    first = re.match(_LIST_ITEM, line)
    if first is not None:
        tokens.append(code_span(first[0]))
        line = line[first.end() :]
    tokens += (_token(*match.groups(), cell=cell) for match in re.finditer(_PIECE, line))
    return " ".join(tokens)


def _token(opening: str, core: str, closing: str, *, cell: bool) -> str:
    if re.fullmatch(_PLAIN, core):
        return f"{opening}{core}{closing}"
    if len(core) > 2 and core[0] == core[-1] == "`" and "`" not in core[1:-1]:
        core = core[1:-1]
    return f"{opening}{code_span(core, cell=cell)}{closing}"


def fence(text: str, info: str = "text", *, limit: int | None = FENCE_LIMIT) -> str:
    """Put lines into a fence longer than any run of back-ticks inside; `info` is our own word. No last newline.

    Hidden characters but tabs are named; the CR of a line's end is left out. Above `limit` characters
    the text ends after a whole line, and a line says how many more there were. `limit` None: all of it,
    byte for byte; the caller has made sure that it `survives_copying`.
    """
    lines = text.removesuffix("\n").split("\n")
    if limit is not None:
        named = (name_hidden(line.removesuffix("\r"), keep="\t") for line in lines)
        lines = _cut_lines([cut_middle(line, FENCE_LINE_LIMIT) for line in named], limit)
    body = "\n".join(lines)
    edge = ticks(body, 3)
    return f"{edge}{info}\n{body}\n{edge}"


def _cut_lines(lines: list[str], limit: int) -> list[str]:
    size = 0
    for index, line in enumerate(lines):
        size += len(line) + 1
        if size > limit and index:
            return [*lines[:index], f"… {plural(len(lines) - index, 'more line')}"]
    return lines


def survives_copying(text: str) -> bool:
    """Whether a person who copies this text out of a fence gets every character of it."""
    return not any(char not in "\n\t" and is_hidden(char) for char in text)


def without_commands(text: str) -> str:
    """Break what the runner of GitHub Actions would take for a command: `::` that begins a line, `##[` anywhere."""
    if "::" not in text and "##[" not in text:
        return text
    text = re.sub(_COMMAND, lambda found: f"{found[1]}:\\x3a", text)
    return text.replace("##[", "#\\x23[")


def url_path(path: str) -> str:
    """Percent-encode the bytes of a path; only unreserved characters and `/` stay as they are.

    Bytes of a file name that are no UTF-8, which Python holds as surrogates (PEP 383), are those bytes again.
    """
    return "".join(_PERCENT[byte] for byte in _bytes(path))


def url_server(address: str) -> str:
    """Percent-encode the address of a server as it is configured: scheme, host and port stay, markup does not."""
    kept = re.split("([][:])", address.rstrip("/"))
    kept[::2] = map(url_path, kept[::2])
    return "".join(kept)


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte, so no file is called that
        return text.encode("utf-8", "surrogatepass")


def first_fitting(texts: Iterable[str], limit: int) -> str:
    """The first of these texts that has room, else the last."""
    for text in texts:
        if len(text) <= limit:
            break
    return text


def visible(text: str, keep: str = "") -> str:
    """Show control and format characters as `\\x1b` or `\\u202e`: no text can move a terminal's cursor but `keep`."""
    hidden = {char for char in text if char not in keep and is_hidden(char)}
    return text.translate({ord(char): _ascii(char) for char in hidden})


def shell_line(words: Iterable[str]) -> str:
    """A command that can be pasted into a shell: each word is taken as it is, but what nobody sees is shown."""
    return " ".join(map(shell_word, words))


def shell_word(word: str) -> str:
    """One word of it."""
    return visible(shlex.quote(word))


def log_line(text: str) -> str:
    """Make one line of a workflow log that the runner cannot take for a command: 0x20 to 0x7e, 200 at most."""
    line = re.sub("[^ -~]", lambda hit: _ascii(hit[0]), text)
    return cut_end(line.replace("::", ":\\x3a").replace("##[", "#\\x23["), LOG_LIMIT)


def _ascii(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def workflow_data(text: str) -> str:
    """Escape the message of a workflow command, as the runner's own toolkit does; other controls become visible."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(escaped)


def workflow_property(text: str) -> str:
    """Escape a property of a workflow command, such as `file` or `title`."""
    return workflow_data(text).replace(":", "%3A").replace(",", "%2C")
