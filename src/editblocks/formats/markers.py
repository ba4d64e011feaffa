"""The marker lines of all formats, and the scan that finds them.

A marker is a whole line: white space, a literal, trailing blanks (docs/reference/formats.md, markers). The scan
looks at line starts only: one compiled pattern with a leading literal `\\n` picks candidate lines out
of a chunk, and only those are looked at in Python. `(?m)^` instead is ten times slower on long lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from itertools import islice

from editblocks.core.phrases import nearest_word
from editblocks.core.typed import NamedTuple

SHORTEST, LONGEST = 5, 9
END = "</boltAction>"
_SHORT = 80  # shorter lines are cached


class Kind(Enum):
    """The kinds of lines that are more than text."""

    OPEN_SR = "<<<<<<< SEARCH"
    OPEN_V2 = "<<<<<<< EDIT"
    OPEN_NEW = "<<<<<<< NEW_FILE"
    OPEN_V3 = "««« EDIT"
    OPEN_CL = "------- SEARCH"
    OPEN_OTHER = "an opener of a format that is not read"
    DIV = "======="
    DASH = "-------"
    MID_V3 = "═══════ REPL"
    END_SR = ">>>>>>> REPLACE"
    END_NEW = ">>>>>>> NEW_FILE"
    END_V2 = ">>>>>>>"
    END_V3 = "»»» EDIT END"
    END_CL = "+++++++ REPLACE"
    CONFLICT_START = "<<<<<<< HEAD"
    CONFLICT_END = ">>>>>>> branch"
    FENCE = "```"
    TAG = "<source>"
    HEADING = "### File: path"
    OPEN_FILE = '<boltAction type="file">'
    EDIT_ACTION = '<boltAction type="edit">'
    OTHER_ACTION = "<boltAction>"
    BAD_ACTION = "<boltAction that is no tag"
    END_BOLT = END
    END_ARTIFACT = "</boltArtifact>"
    BASE = "base: commit"
    QUOTED = "> <<<<<<< SEARCH"
    ESCAPED = "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH"
    NEAR = "<<<< search"
    NEAR_END = ">>>>>>> replace"
    HUNK = "@@ -1 +1 @@"
    GIT_DIFF = "diff --git a/x b/x"
    NEW_NAME = "+++ b/x"
    OPEN_PATCH = "*** Begin Patch"
    PATCH_HEADER = "*** Update File: path"
    END_PATCH = "*** End Patch"
    PREFIXED = "assistant: <<<<<<< SEARCH"
    THOUGHT = "<think>"
    END_THOUGHT = "</think>"
    COMMAND = "a line with `git rm …`"
    CALL = "a line with a key of a tool call"

    __hash__ = object.__hash__  # Enum's own is slow, and tokens are looked up in sets


CLOSERS = {
    Kind.OPEN_SR: Kind.END_SR,
    Kind.OPEN_V2: Kind.END_V2,
    Kind.OPEN_NEW: Kind.END_NEW,
    Kind.OPEN_V3: Kind.END_V3,
    Kind.OPEN_CL: Kind.END_CL,
    Kind.OPEN_FILE: Kind.END_BOLT,
}
OPENERS = frozenset(CLOSERS)


class Token(NamedTuple):
    """A line that may matter. `line` is its 0-based index; `length` counts marker or fence characters."""

    kind: Kind
    line: int
    indent: str = ""
    length: int = 0
    word: str = ""  # the literal after the marker characters, a fence's info string, a heading's path …


def literal(kind: Kind, length: int) -> str:
    """Return the marker line of this kind in `length` signs, if its length varies."""
    sign, word = kind.value[0], kind.value[7:]
    return sign * length + word if kind.value[:7] == sign * 7 and sign in "<>=-+" else kind.value


class BoltTag(NamedTuple):
    """An opening tag. `file_path`: None without that attribute; `rest`: the text after the tag on its line."""

    type: str
    file_path: str | None
    rest: str

    @property
    def ends_here(self) -> bool:
        """Whether the action is closed on the line of its tag."""
        return END in self.rest


def read_tag(line: str) -> BoltTag | None:
    """Read a line that begins with `<boltAction`; None if its tag is not closed, has over 32 attributes, or no type."""
    match = re.match(_BOLT_TAG, line)
    if match is None:
        return None
    attributes = {name.lower(): "".join(values) for name, *values in re.findall(_ATTRIBUTE, match[1])}
    kind = attributes.get("type")
    return None if kind is None else BoltTag(kind, attributes.get("filepath"), match[match.re.groups].strip(" \t"))


_VALUE = r"[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\"'<>=/]+))"
_BOLT_TAG = rf"<boltAction((?:[ \t]+[A-Za-z_-]+{_VALUE}){{0,32}})[ \t]*>(.*)\Z"
_ATTRIBUTE = rf"([A-Za-z_-]+){_VALUE}"
# Patterns that few answers need are strings, which `re` compiles when the first such line comes: a commit waits.
# The first look at one character keeps the many lines that begin otherwise out of the alternation; a branch that begins
# with a character is left at once for a line that does not, so signs are written out there (`<<<`, not `<{3}`).
_CANDIDATE = re.compile(
    r"\n(?![ \t]*[^-<=>`~«═»🟧*_b#&@+d—–\\ \t])(?=[ \t]*(?:<<<|=====|>>>>|-----|\+\+\+\+\+|```|~~~|««|═══════|»»|🟧🟧🟧"
    r"|base:|\*\*\* (?:(?:Begin|End) Patch|(?:Add|Update|Delete) File:)"
    r"|##{0,5}[ \t]+File:|#\+(?i:begin|end)_(?i:src)|</?(?:source|code|pre|codeblock|sourcecode|(?i:bolt))"
    r"|>[> \t]*(?:<{5}|«{3}|-{5})|[*_`][*_`]{0,2}[-<]{5}|&lt;&lt;|[—–][-—–]|\\<"
    r"|--{1,3} {1,3}SEARCH|\+\+{1,3} {1,3}REPLACE|@@|\+\+\+ |diff --git ))([^\n]*)"
)
_FENCE = re.compile(r"(`{3,})([^`]*)\Z|(~{3,})(.*)\Z")
_TAG = r"<(/?)(source|code|pre|codeblock|sourcecode)>([A-Za-z0-9_+#.-]*)\Z"
_ORG = r"(?i)#\+(?:begin_src(?:[ \t]+(.*))?|(end_src))\Z"  # a fence of Org
_HEADING = r"(#{1,6})[ \t]+File:[ \t]*(.+)\Z"
_BASE = r"base:[ \t]*`?([0-9a-f]{7,64})`?\Z"
_ACTION = r"(?:<boltArtifact\b[^<>]*>[ \t]*)?(<boltAction\b.*)\Z"
_END_ACTION = r"(</boltAction>[ \t]*)?(</boltArtifact>)?\Z"
_OPENER = r"(?:<{5,9} (?:SEARCH>?|ORIGINAL|EDIT|NEW_FILE)|««« EDIT|(?<!-)-{5,9} SEARCH>?)[ \t]*\Z"
_QUOTED = rf">[> \t]*{_OPENER}"
_CONFLICT = r"(<{5,9}|>{5,9}) [^ \t].*\Z"
_NEARLY = r"<{5,9} [A-Z_]{3,12}\Z"
_NEAR_END = r"(?i)(?:>{4,20}[^\w<>]{0,3}(replace|updated|new[ _-]?file)\b|»{2,4}[^\w«»]{0,3}(?:edit )?(end)\b)"
_OF_OPENERS = ("<<<<<", "«««", "----- SEARCH", "<boltAction")
_OPENER_AT_END = rf"(`{{3,}}[^`]*?|[^`]*?)(?:{_OPENER}|<boltAction[ \t])"
_INSIDE = (  # what matters wherever it stands in a line; each pattern begins with a literal, which is found fast
    "<(?:/?(?i:think|thinking|thought|reasoning)>|boltA|/boltAction>)",
    "<<<<<(?<![\n<]<<<<<)",  # an opener that begins its line stands behind nothing
    "----- SEARCH",
    "`(?:git rm|git mv|mkdir -p|rm -rf) ",
    "<command>",
)
_LOUD = (
    r"\n(?=[ \t]*[-<>=b*~═»«🟧&@+d—–\\][^ ])[ \t]*(?:<<<|>>>>|</?(?i:bolt)|base:"
    r"|\*\*\* (?:(?:Begin|End) Patch|(?:Add|Update|Delete) File:)"
    r"|═══════|»»|««|🟧🟧🟧|(?:&lt;){5}|[—–][-—–]{1,8} SEARCH|\\<{1,9}\\?<"
    r"|--{1,19}[^\w\n-]{0,3}[Ss](?i:earch)|\+\+{1,19}[^\w\n+]{0,3}[Rr](?i:eplace)"
    r"|@@|\+\+\+ |diff --git "
    r"|(?:~~~[ \t]*|<[a-z]{3,10}>)(?i:bash|sh|shell|zsh|console|suggestion|edit:))"
)
_LOUD_WITHIN = r"`(?:git (?:rm|mv)|mkdir -p|rm -rf) |```[ \t]*(?i:bash|sh|shell|zsh|console|suggestion|edit:)"
# What models put around their thoughts.
_THOUGHT_OR_TICKS = r"`+|</?(?i:think|thinking|thought|reasoning)>|◁/?think▷"
_PATH_KEY = (
    "(?:path|file_path|filePath|file|filename|filepath|target_file|targetFile|target_filepath|absolute_path|uri"
    "|notebook_path|source|source_path|old_path)"
)
_CALL_KEY = (
    rf'"(?:{_PATH_KEY}|(?:old|new)_?(?:[Ss]tr|[Ss]tring|[Tt]ext))\\*":'
    r'|<(?:path|file_path|target_file|absolute_path|file|filepath)>|<parameter(?: name="|=)[a-z_]*(?:path|file)"?>'
    r"|Begin Patch\\n"
)
_MOST_COMMANDS = 1_000  # of a line; twenty of a response are shown
_TAGGED_COMMAND = r"[ \t]*<command>[ \t]*([^<>]*[^<> \t])[ \t]*</command>[ \t]*\Z"  # of `<execute_command>`
_COMMAND = r"`((?:git rm|git mv|mkdir -p|rm -rf) [^`\n]+)`"
_NEAR = (
    r"(?i)(?:[*_]{0,3}<{3,20}[^\w<>]{0,3}(search|original|edit|new[ _-]?file)\b"
    r"|«{2,4}[^\w«»]{0,3}(edit)\b)"
)
# Two to four dashes begin comments and options, so those must look like a marker otherwise; the group is a closer.
_NEAR_CLINE = (
    r"-{2,4} {1,3}SEARCH>?\Z|-{5,20}[^\w-]{0,3}(?i:search)>?\Z|-{5,9} SEARCH [^ \t]+\Z|[*_]{1,3}-{5,20} SEARCH\b"
    r"|(\+{2,4} {1,3}REPLACE\Z|\+{5,20}[^\w+]{0,3}(?i:replace)\b)"
)
_WORDS = ("SEARCH", "ORIGINAL", "EDIT", "NEW_FILE")
# Openers that are right but for what a page, a formatter or an editor made of their signs, and who did it.
_OPENING_WORD = r" ?(?i:SEARCH|ORIGINAL|EDIT|NEW_FILE)>?\Z"
_TYPOGRAPHIC = "typographic signs, as some editors set them"
_ESCAPED = (
    (rf"(?:&lt;){{5,9}}{_OPENING_WORD}", "HTML entities instead of signs, as from the source of a page"),
    (rf"(?:\\<){{5,9}}{_OPENING_WORD}|\\<{{5,9}}{_OPENING_WORD}", "backslashes, as a Markdown formatter writes them"),
    (
        rf"«{{5,9}}{_OPENING_WORD}|«{{3,4}}<? ?(?i:SEARCH|ORIGINAL|NEW_FILE)>?\Z",
        _TYPOGRAPHIC,
    ),  # one by one, or in pairs
    (r"(?:—{2,8}|–{2,8}|[—–]{1,4}-{1,8}) (?i:SEARCH)>?\Z", _TYPOGRAPHIC),
)


_FIXED = {
    "««« EDIT": (Kind.OPEN_V3, 3, "EDIT"),
    "═══════ REPL": (Kind.MID_V3, 3, "REPL"),
    "»»» EDIT END": (Kind.END_V3, 3, "EDIT END"),
    "*** Begin Patch": (Kind.OPEN_PATCH, 3, ""),
    "*** End Patch": (Kind.END_PATCH, 3, ""),
    "🟧🟧🟧 EDIT": (Kind.OPEN_OTHER, 3, ""),
}
_SIZED = {
    ("<", " SEARCH"): Kind.OPEN_SR,
    ("<", " SEARCH>"): Kind.OPEN_SR,
    ("<", " ORIGINAL"): Kind.OPEN_SR,
    (">", " REPLACE"): Kind.END_SR,
    (">", " UPDATED"): Kind.END_SR,
    ("<", " EDIT"): Kind.OPEN_V2,
    (">", ""): Kind.END_V2,
    ("<", " NEW_FILE"): Kind.OPEN_NEW,
    (">", " NEW_FILE"): Kind.END_NEW,
    ("<", ""): Kind.CONFLICT_START,
    ("=", ""): Kind.DIV,
    ("-", ""): Kind.DASH,
    ("-", " SEARCH"): Kind.OPEN_CL,
    ("-", " SEARCH>"): Kind.OPEN_CL,
    ("+", " REPLACE"): Kind.END_CL,
}
_LITERALS = (
    _FIXED
    | {  # every literal marker line, without white space: kind, length, word
        sign * size + word: (kind, size, word[1:])
        for size in range(SHORTEST, LONGEST + 1)
        for (sign, word), kind in _SIZED.items()
    }
)
_DIFF_LINES = {"@@": Kind.HUNK, "++": Kind.NEW_NAME, "di": Kind.GIT_DIFF}  # by their first two characters
_PATCH_HEADER = r"\*\*\* (?:Add|Update|Delete) File:"


def is_quiet(chunk: str) -> bool:
    """Whether no line of `chunk`, which is whole lines, can cause a row, a note or a suggestion.

    Most comments are prose; this checks them ten times faster than the scan.
    """
    if "<" in chunk and ("<<<<<" in chunk or "<boltA" in chunk):  # one sign is found far faster than five
        return False
    if "----- SEARCH" in chunk or (not chunk.isascii() and "«««" in chunk):
        return False
    first = chunk[: chunk.index("\n") + 1]
    if _may_hold_calls(chunk) and re.search(_CALL_KEY, chunk):
        return False
    if "<" in chunk and "<command>" in chunk:
        return False
    return not (re.search(_LOUD, "\n" + first) or re.search(_LOUD, chunk) or re.search(_LOUD_WITHIN, chunk))


def scan(chunk: str, first_line: int) -> list[Token]:
    """Find the lines of `chunk` that may matter, in order.

    `chunk` is whole lines, each ended by `\\n`; its first line has the 0-based index `first_line`.
    """
    text = "\n" + chunk
    tokens = []
    line, position = first_line, 0
    for match in _CANDIDATE.finditer(text):
        start, body = match.start(), match[1]
        line += text.count("\n", position, start)
        position = start
        token = _recent(body) if len(body) < _SHORT else _classify(body)
        if token is not None:
            kind, _, indent, length, word = token
            tokens.append(Token(kind, line, indent, length, word))
    inside = list(_inside_lines(text, first_line - 1))
    if inside:
        tokens = sorted((*tokens, *inside), key=lambda token: token.line)  # stable: markers come first on a line
    return tokens


def _inside_lines(text: str, number: int) -> Iterator[Token]:
    """Find what matters inside a line: thoughts, openers after other words, commands in back-ticks.

    The first newline of `text` ends the line with the index `number`, which is not looked at.
    """
    starts = set()
    signs = _INSIDE if text.isascii() else (*_INSIDE, "«««", "◁/?think▷")
    if _may_hold_calls(text):
        signs = (*signs, _CALL_KEY)
    for sign in map(re.compile, signs):
        match = sign.search(text)
        while match is not None:
            starts.add(text.rfind("\n", 0, match.start()) + 1)
            match = sign.search(text, text.index("\n", match.start()))
    counted = 0
    for start in sorted(starts):
        line = text[start : text.find("\n", start)]
        number, counted = number + text.count("\n", counted, start), start
        if not line.lstrip(" \t").startswith(">"):
            yield from (Token(kind, number) for kind in _thoughts(line))
        if any(map(line.__contains__, _OF_OPENERS)) and (before := _before_opener(line)):
            yield Token(Kind.PREFIXED, number, word=before)
        if END in line and line.strip(" \t")[:12] not in (END[:12], "<boltAction "):
            yield Token(Kind.NEAR_END, number, word=END)
        if _may_hold_calls(line) and re.search(_CALL_KEY, line):
            yield Token(Kind.CALL, number)
        if match := re.match(_TAGGED_COMMAND, line):
            yield Token(Kind.COMMAND, number, word=match[1])
        if "`" in line and not line.lstrip(" \t").startswith(">"):
            commands = islice(re.finditer(_COMMAND, line), _MOST_COMMANDS)
            yield from (Token(Kind.COMMAND, number, word=command[1]) for command in commands)


def _may_hold_calls(text: str) -> bool:
    """Whether a line of a text may have a key of an edit call: to look for the keys would take ten times as long."""
    has_tag = "<" in text and ("path>" in text or "file>" in text or "<parameter" in text)
    return has_tag or '":' in text


def _thoughts(line: str) -> Iterator[Kind]:
    """The tags of thoughts in a line, but for those between two runs of as many back-ticks."""
    matches = list(re.finditer(_THOUGHT_OR_TICKS, line))
    last = {match[0]: at for at, match in enumerate(matches)}
    ticks = ""
    for at, match in enumerate(matches):
        if not match[0].startswith("`"):
            if not ticks:
                yield Kind.END_THOUGHT if "/" in match[0] else Kind.THOUGHT
        elif not ticks and last[match[0]] > at:
            ticks = match[0]
        elif ticks == match[0]:
            ticks = ""


def _before_opener(line: str) -> str:
    """What stands before an opener that ends a line, as in transcripts and listings."""
    match = re.match(_OPENER_AT_END, line)
    before = "" if match is None else match[1].strip(" \t")
    return "" if before[:1] in (*"><«`",) and not before.startswith("```") else before


def _heading_text(heading: str) -> str:
    """Return the text of a heading without the `#` signs that may close it."""
    text = heading.rstrip("#")
    return text.rstrip(" \t") if text[-1:] in (" ", "\t") else heading


def _classify_bolt(body: str, indent: str) -> Token | None:
    if match := re.match(_END_ACTION, body):
        return Token(Kind.END_BOLT if match[1] else Kind.END_ARTIFACT, 0, indent, 0, body)
    if body[1:11].lower() == "boltaction" and not body.startswith("<boltA"):
        return Token(Kind.BAD_ACTION, 0, indent)
    match = re.match(_ACTION, body)
    if match is None:
        return None
    tag = read_tag(match[1])
    if tag is None:
        return Token(Kind.BAD_ACTION, 0, indent)
    kinds = {"file": Kind.OPEN_FILE, "edit": Kind.EDIT_ACTION}
    return Token(kinds.get(tag.type.lower(), Kind.OTHER_ACTION), 0, indent, 0, match[1])


def _classify_near(body: str, indent: str) -> Token | None:
    """Return the token of a line that is nearly a marker."""
    for pattern, cause in _ESCAPED if body[0] in "&\\«—–" else ():
        if re.match(pattern, body):
            return Token(Kind.ESCAPED, 0, indent, 0, cause)
    if match := re.match(_NEAR, body):
        word = (match[1] or "EDIT").upper().replace(" ", "_").replace("-", "_")
        literal = Kind.OPEN_V3.value if match[2] else f"{'<' * 7} {'NEW_FILE' if word == 'NEWFILE' else word}"
        return Token(Kind.NEAR, 0, indent, 0, literal)
    if match := re.match(_NEAR_END, body):
        word = "NEW_FILE" if (match[1] or "").upper().startswith("NEW") else "REPLACE"
        return Token(Kind.NEAR_END, 0, indent, 0, Kind.END_V3.value if match[2] else f"{'>' * 7} {word}")
    if match := re.match(_NEAR_CLINE, body):
        nearly, usual = (Kind.NEAR_END, Kind.END_CL) if match[1] else (Kind.NEAR, Kind.OPEN_CL)
        return Token(nearly, 0, indent, 0, usual.value)
    return None


def _classify(text: str) -> Token | None:
    """Return the token of a line, with 0 as its line index."""
    body = text.strip(" \t")
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    if body in _LITERALS:
        marker, length, word = _LITERALS[body]
        return Token(marker, 0, indent, length, word)
    if match := _FENCE.match(body):
        run, info = (match[1], match[2]) if match[1] else (match[3], match[4])
        return Token(Kind.FENCE, 0, indent, len(run), run[0] + info.strip(" \t"))
    if (nearly := _classify_near(body, indent)) is not None:
        return nearly
    if kind := _DIFF_LINES.get(body[:2]) or (re.match(_PATCH_HEADER, body) and Kind.PATCH_HEADER):
        return Token(kind, 0, indent)
    if re.match(_NEARLY, body) and (near := nearest_word(body.lstrip("< "), _WORDS)):  # not HEAD
        return Token(Kind.NEAR, 0, indent, 0, f"{'<' * 7} {near}")
    if match := re.match(_CONFLICT, body):
        kind = Kind.CONFLICT_START if body[0] == "<" else Kind.CONFLICT_END
        return Token(kind, 0, indent, len(match[1]), body)
    if match := re.match(_HEADING, body):
        return Token(Kind.HEADING, 0, indent, len(match[1]), _heading_text(match[2]))
    if match := re.match(_TAG, body):
        return Token(Kind.TAG, 0, indent, 0, match[1] + match[2] + " " + match[3])
    if match := re.match(_ORG, body):
        return Token(Kind.TAG, 0, indent, 0, "/org " if match[2] else f"org {match[1] or ''}")
    if body[:6].lower() in ("<bolta", "</bolt"):
        return _classify_bolt(body, indent)
    if match := re.match(_BASE, body):
        return Token(Kind.BASE, 0, indent, 0, match[1])
    return Token(Kind.QUOTED, 0, indent) if re.match(_QUOTED, body) else None


_recent = lru_cache(maxsize=512)(_classify)  # a response repeats the same few marker lines
