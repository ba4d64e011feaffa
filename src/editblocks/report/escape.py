"""Escape foreign text: one function for each place where it may appear, applied when it is written out.

Markdown: `code_span`, `fence`, `text`, `url_path`. Terminal: `visible`. Shell: `shell_line`. Workflow log: `log_line`,
`workflow_data`, `workflow_property`. Every function takes any str, lone surrogates included, and
raises nothing. Rules: docs/internals/security.md, "status text".
"""

import re
import shlex
from collections.abc import Iterable

from editblocks.core.characters import cut_middle, is_hidden, name_hidden
from editblocks.core.phrases import plural

SPAN_LIMIT = 120
TEXT_LIMIT = 300
LOG_LIMIT = 200
FENCE_LIMIT = 2000
FENCE_LINE_LIMIT = 500

# Tokens that GitHub cannot turn into a link, mention, reference, emoji or commit in any repository: plain words,
# short numbers, ranges of them, and code points. Seven hex letters may name a commit, so they are not a word here.
# Two words with a slash may begin `owner/name#1`; the only such pair that stays is one that we write ourselves.
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


def cut_end(text: str, limit: int) -> str:
    """Cut the end, so that at most `limit` characters are left."""
    if len(text) <= limit:
        return text
    return f"{text[: limit - 3]}..."


def code_span(text: str, *, cell: bool = False, limit: int = SPAN_LIMIT) -> str:
    """Put text into a code span, where no markup is active. `cell`: in a table, where a pipe would end the cell."""
    shown = cut_middle(name_hidden(text), limit) or " "
    if cell:
        # `\|` is a pipe in a table, but `\\|` is a backslash and a new cell: name the pipe there.
        shown = re.sub(r"\\\|", r"\\U+007C", shown).replace("|", "\\|")
    edge = ticks(shown, 1)
    if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` "):
        shown = f" {shown} "
    return f"{edge}{shown}{edge}"


def ticks(text: str, least: int) -> str:
    """Return a run of back-ticks that is longer than any run in the text and has at least `least` of them."""
    return "`" * max(least, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def text(text: str, *, cell: bool = False, limit: int = TEXT_LIMIT) -> str:
    """Escape a sentence for running text: plain words stay, every other token becomes a code span.

    Backslashes are not enough: GitHub looks for mentions, references and addresses after it has resolved
    `\\@` and `&#64;`, but never in code. Text that is already between back-ticks stays one span.
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
    """Put lines into a fence that is longer than any run of back-ticks inside. The result has no last newline.

    `info` is a word of ours. Hidden characters except tabs are shown by name, and the CR of a line end is left out. A
    text of more than `limit` characters is cut after a whole line, and one more line says how many are missing. With
    `limit` None the text is kept byte for byte; the caller has checked that it `survives_copying`.
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
    return not any(is_hidden(char) for char in set(text) - {"\n", "\t"})


def without_commands(text: str) -> str:
    """Break up what the runner of GitHub Actions takes for a command: `::` at the start of a line, `##[` anywhere."""
    if "::" not in text and "##[" not in text:
        return text
    text = re.sub(_COMMAND, lambda found: f"{found[1]}:\\x3a", text)
    return text.replace("##[", "#\\x23[")


def url_path(path: str) -> str:
    """Percent-encode the bytes of a path; only unreserved characters and `/` stay as they are.

    Bytes of a file name that are not UTF-8, which Python keeps as surrogates (PEP 383), become those bytes again.
    """
    return "".join(_PERCENT[byte] for byte in _bytes(path))


def url_server(address: str) -> str:
    """Percent-encode the configured address of a server: scheme, host and port stay, markup does not."""
    return re.sub("[^][:]+", lambda piece: url_path(piece[0]), address.rstrip("/"))


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that does not mean a byte, so no file can have this name
        return text.encode("utf-8", "surrogatepass")


def first_fitting(texts: Iterable[str], limit: int) -> str:
    """Return the first of these texts that is short enough, or the last one."""
    for text in texts:
        if len(text) <= limit:
            break
    return text


def visible(text: str, keep: str = "") -> str:
    """Replace control and format characters except `keep` with `\\x1b` or `\\u202e`, so that a terminal obeys none."""
    hidden = filter(is_hidden, set(text).difference(keep))
    return text.translate({ord(char): _ascii(char) for char in hidden})


def shell_line(words: Iterable[str]) -> str:
    """Quote words as a command that can be pasted into a shell; hidden characters are shown by name."""
    return " ".join(map(shell_word, words))


def shell_word(word: str) -> str:
    """Quote one word of a shell command."""
    return visible(shlex.quote(word))


def log_line(text: str) -> str:
    """Return one line for a workflow log that the runner cannot take for a command: printable ASCII, 200 characters."""
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
