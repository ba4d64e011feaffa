"""Find the lines of a text that may matter to the known formats.

One compiled pattern with a leading literal `\\n` finds candidate lines by how they begin, and only those are looked at
in Python. With `(?m)^` it would be ten times slower on long lines. Patterns that few answers need are strings, which
`re` compiles at the first such line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from editblocks.formats.call_tags import STARTS as CALL_STARTS
from editblocks.formats.call_tags import kind_of_call_line, read_call_tag
from editblocks.formats.grammar import Format, Grammar
from editblocks.formats.hunks import BEGIN_PATCH, END_PATCH, GIT, HUNK, NEW_NAME, PATCH_HEADER
from editblocks.formats.markers import (
    END,
    END_ACTION,
    FILE_ACTION,
    LONGEST,
    SHORTEST,
    SIGNS_THAT_NEED_A_WORD,
    WORD_ENDS,
    Kind,
    Marker,
    Token,
    indent_of,
    like_closer,
    like_opener,
    read_tag,
)
from editblocks.formats.tool_calls import EDITOR_COMMANDS, SIGNS_OF_JSON, TEXTS_INSIDE

NOT_READ = "🟧🟧🟧 EDIT"  # the opener of a format that is recognized but not supported
_END_NOT_READ = "🟩🟩🟩 END"
_SHORT = 80  # shorter lines are cached
_MOST_COMMANDS = 1_000  # in a line; twenty per response are shown
_FENCE = re.compile(r"(`{3,})([^`]*)\Z|(~{3,})(.*)\Z")
_TAG = r"<(/?)(source|code|pre|codeblock|sourcecode)>([A-Za-z0-9_+#.-]*)\Z"
_ORG = r"(?i)#\+(?:begin_src(?:[ \t]+(.*))?|(end_src))\Z"  # a fence of Org
_HEADING = r"(#{1,6})[ \t]+File:[ \t]*(.+)\Z"
_BASE = r"base:[ \t]*`?([0-9a-f]{7,64})`?\Z"
_ACTION = r"(?:<boltArtifact\b[^<>]*>[ \t]*)?(<boltAction\b.*)\Z"
_END_ACTION = r"(</boltAction>[ \t]*)?(</boltArtifact>)?\Z"
_CONFLICT = r"(<{5,9}|>{5,9}) [^ \t].*\Z"
_QUOTED_EDIT = rf">[> \t]*(?:{BEGIN_PATCH.pattern}|{GIT}|\+\+\+ [^ \t\n]*[/.]|<boltAction[ \t]|<{{5,9}} [^ \t])"
_DIFF_LINES = {HUNK[:2]: Kind.HUNK, NEW_NAME[:2]: Kind.NEW_NAME, GIT[:2]: Kind.GIT_DIFF}
_THOUGHT = r"</?(?i:think|thinking|thought|reasoning)>"  # the tags that models put around their thoughts
_OTHER_THOUGHT = r"◁/?think▷"
_THOUGHT_OR_TICKS = rf"`+|{_THOUGHT}|{_OTHER_THOUGHT}"
_TAGGED_COMMAND = r"[ \t]*<command>[ \t]*([^<>]*[^<> \t])[ \t]*</command>[ \t]*\Z"  # of `<execute_command>`
# The beginnings of lines that matter but are not markers: by themselves, or (`_SURROUNDINGS`) only around a block.
_STARTS = (
    *map(re.escape, ("base:", "<<<<<", ">>>>>", "&lt;&lt;", "\\<", "\\*", HUNK, NEW_NAME, GIT, NOT_READ[:3])),
    PATCH_HEADER,
    "</?(?i:bolt)",
    "[—–][-—–]",
    *CALL_STARTS,
    _QUOTED_EDIT,
)
_BRACKET = r"[{\[]"  # in the first column: JSON may begin
_SURROUNDINGS = (
    *("```", "~~~", "=====", "-----", r"##{0,5}[ \t]+File:", r"#\+(?i:begin|end)_(?i:src)"),
    "</?(?:source|code|pre|codeblock|sourcecode)",
)
# Fences with these words matter by themselves.
_SIGNIFICANT_WORDS = "(?i:bash|sh|shell|zsh|console|suggestion|edit:|json|tool_|xml)"
_SIGNIFICANT_FENCES = rf"(?:(?:`{{3,}}|~{{3,}})[ \t]*|<[a-z]{{3,10}}>|#\+(?i:begin_src)[ \t]+){_SIGNIFICANT_WORDS}"
_COMMANDS = ("git rm", "git mv", "mkdir -p", "rm -rf")
_COMMAND = rf"`((?:{'|'.join(_COMMANDS)}) [^`\n]+)`"
# Patterns that matter anywhere in a line; each begins with a literal sign, which is fast to find.
_THOUGHTS = (_THOUGHT, _OTHER_THOUGHT)
_INSIDE = ("<(?:boltA|/boltAction>|command>)", *TEXTS_INSIDE, f"`(?:{'|'.join(_COMMANDS)}) ")
_BACKSLASHES = "backslashes, as a Markdown formatter writes them"
_TYPOGRAPHIC = "typographic characters, as some editors write them"


# How a web page, a formatter or an editor changes the signs of an opener. By its usual sign: patterns of the other
# signs, each with the cause and with texts of which every match contains one.
SIGN_VARIANTS = {
    "<": (
        ("(?:&lt;){5,9}", "HTML entities instead of characters, as in the source of a page", ("&lt;" * 5,)),
        (r"(?:(?:\\<){5,9}|\\<{5,9})", _BACKSLASHES, ("\\<",)),
        ("«{5,9}", _TYPOGRAPHIC, ("«««",)),  # each `<` was replaced
        ("«{3,4}<?", _TYPOGRAPHIC, ("«««",)),  # each `<<` was replaced
    ),
    "-": (("(?:—{2,8}|–{2,8}|[—–]{1,4}-{1,8})", _TYPOGRAPHIC, ("–-", "—-", "––", "——")),),
    "*": ((r"(?:\\?\*){3}", _BACKSLASHES, ("\\*",)),),
}


def either(patterns: Iterable[str]) -> str:
    """Return a pattern that matches what one of these matches; one that matches nothing if there are none."""
    return f"(?:{'|'.join(dict.fromkeys(patterns)) or '(?!)'})"


def _start(marker: Marker) -> str:
    """A pattern of the beginning of a line that is this marker, or nearly."""
    sign = re.escape(marker.sign)
    if marker.is_fixed:
        if marker.needs_word:
            return marker.near_pattern or re.escape(marker.text)
        return sign * 2
    if not marker.needs_word:
        return sign * 3
    return "|".join([sign * 5, *(rf"{sign}{{2,4}} {{1,3}}{word}" for word in marker.words)])


class Hints:
    """Patterns of lines that resemble markers, to look for them in the text of a block.

    `openers`, `separators` and `closers` are the markers that are not tags.
    """

    def __init__(self, openers: Sequence[Marker], separators: Sequence[Marker], closers: Sequence[Marker]) -> None:
        rare = [each for each in openers if not each.needs_word]
        common = [each for each in openers if each.needs_word]
        worded = [each for each in closers if not each.is_bare]
        # A marker inside emphasis or back-ticks, and a closer in a quote.
        sized = [each for each in openers if not each.is_fixed]
        opener = either(rf"{re.escape(each.sign)}{{5,}} ?{either(each.plain_words)}" for each in sized)
        closer = either(each.pattern for each in worded)
        quoted = either(each.pattern for each in closers)
        self.marked_up_opener = rf"(?i)[ \t]*[*_`]+[ \t]*{opener}{WORD_ENDS}"
        self.marked_up_closer = rf"([ \t]*)(?:> |[*_`]{{1,3}}){closer}[*_`]{{0,3}}[ \t]*\Z"
        self.end_elsewhere = rf"(?m)^[ \t]*(?:>[> \t]*{quoted}|{re.escape(END_PATCH.text)}|{_END_NOT_READ})[ \t]*$"
        # A pattern of lines that may be meant as a closer, and one of samples, in which such lines mean nothing.
        self.near_closer = _near_closer(worded, openers)
        samples = (*(each.pattern for each in common), *(re.escape(each.run) for each in rare), "<boltA")
        self.sample = rf"[ \t]*(?:>[> \t]*)?{either(samples)}"
        # Every text with a marker that has a word, or with nearly such a marker, contains one of these.
        needles = [needle for each in (*openers, *separators, *closers) for needle in _needles_of_near(each)]
        needles += (each.run for each in worded if each.needs_word)
        self._needles = tuple(dict.fromkeys((*needles, "boltA", BEGIN_PATCH.text, NOT_READ[:3])))

    def may_hold_markers(self, text: str) -> bool:
        """Whether a text may contain a marker with a word, or nearly one: most texts of blocks do not."""
        return any(map(text.__contains__, self._needles))


def _needles_of_near(marker: Marker) -> tuple[str, ...]:
    """A line that is this marker, or nearly, contains one of these texts; empty for rows of a common sign."""
    if marker.is_fixed:
        return (marker.sign * 2,)
    if not marker.needs_word:
        return (marker.sign * 3,)
    return tuple(f"{marker.sign}{blank}{word}" for word in marker.plain_words for blank in (" ", ""))


def _stems(markers: Iterable[Marker]) -> list[str]:
    """The first four letters of each word of the markers."""
    return [part[:4] for each in markers for word in each.words for part in re.findall("[A-Z]{3,}", word)]


def _near_closer(closers: Sequence[Marker], openers: Sequence[Marker]) -> str:
    """A pattern of lines that may be meant as a closer: a row of its signs, then nearly a word of a marker."""
    rows = ["(?:&gt;){4,20}"]
    for marker in closers:
        least = 5 if marker.needs_word else 4
        if marker.is_fixed:
            least = 2
        rows.append(rf"{re.escape(marker.sign)}{{{least},20}}")
    quoted = either(_stems(each for each in closers if each.sign == ">"))
    words = rf"[^\w<>«»]{{0,3}}{either(_stems((*closers, *openers)))}"
    after = rf"(?:{words}|\W{{0,4}}\Z|(?<=>{{5}}) [^ \t])"
    return rf"(?i)(?:> ){{4,20}}{quoted}|(?:> |[*_`]{{1,3}})?{either(rows)}{after}"


class MarkerPairs:
    """Which markers belong together: openers, separators and closers of the formats with markers."""

    def __init__(self, grammars: Sequence[Grammar]) -> None:
        # By opener: of several formats with the same opener, all but the first have a header below it.
        self.grammars: dict[Kind | Marker, list[Grammar]] = {}
        for grammar in grammars:
            self.grammars.setdefault(grammar.opener, []).append(grammar)
        self.openers = frozenset(self.grammars)
        self.literal_openers = [each.opener for each, *_ in self.grammars.values() if not each.opener.is_tag]
        # By closer or by separator with a word: the opener of its block.
        self.opener_of: dict[Kind | Marker, Marker] = {END_PATCH: BEGIN_PATCH}
        for grammar in reversed(grammars):
            own = [each for each in grammar.separators if not each.is_bare]
            self.opener_of |= dict.fromkeys((*own, grammar.closer), grammar.opener)
        self.closer_of: dict[Kind | Marker, Kind | Marker] = {
            opener: group[0].closer for opener, group in self.grammars.items()
        }
        # By closer or by separator with a word: the closer of its block.
        self.closer_below = {kind: self.closer_of.get(opener, kind) for kind, opener in self.opener_of.items()}
        self.closers = list(dict.fromkeys(each.closer for each in grammars if not each.closer.is_tag))
        self.closers_in_text = frozenset(self.opener_of) - {END_ACTION}  # outside blocks
        self.bare = frozenset(grammar.closer for grammar in grammars if grammar.closer.is_bare)
        self.separators = [marker for group in self.grammars.values() for marker in group[0].separators]
        self.other_closer: dict[Marker, Marker] = {}  # closers of two formats that models mix
        for grammar in grammars:
            if grammar.other_closer is not None:
                self.other_closer[grammar.closer] = grammar.other_closer
                self.other_closer[grammar.other_closer] = grammar.closer


class Scanner:
    """Finds the lines that may matter."""

    def __init__(self, formats: Sequence[Format]) -> None:
        self.pairs = MarkerPairs([each for each in formats if isinstance(each, Grammar)])
        openers = self.pairs.literal_openers
        # Lines that are nearly one of these cause a row or a note.
        self._line_openers = (*openers, BEGIN_PATCH)
        self._rare_signs = {each.sign for each in openers if not (each.needs_word or each.is_fixed)}

        # Whole lines.
        markers = [each for each in dict.fromkeys(chain.from_iterable(f.markers for f in formats)) if not each.is_tag]
        self._literals: dict[str, tuple[Kind | Marker, int, str]] = {NOT_READ: (Kind.OPEN_OTHER, 0, "")}
        self._literals |= {"<" * length: (Kind.CONFLICT_START, length, "") for length in range(SHORTEST, LONGEST + 1)}
        for marker in markers:
            self._literals |= {line: (marker, length, word) for line, length, word in marker.lines()}
        signs = dict.fromkeys(("~`<>#*_b@+d&—–\\🟧", *(each.sign for each in markers)))
        self._first = rf"(?![ \t]*[^{re.escape(''.join(signs))} \t])[ \t]*"
        starts = list(self._starts(markers))
        # The lookahead at one character rejects most lines before the alternation is tried. A branch that begins with a
        # literal character fails at once on other lines, so its signs are written out.
        self._candidate = re.compile(rf"\n(?={_BRACKET}|{self._first}{either((*starts, *_SURROUNDINGS))})([^\n]*)")
        self._significant = rf"\n{self._first}{either((*starts, _SIGNIFICANT_FENCES))}"
        self._quoted = rf">[> \t]*{either(each.pattern for each in openers)}[ \t]*\Z"
        any_opener = rf"{either(each.pattern for each in self._line_openers)}[ \t]*\Z"
        self._opener_at_end = rf"(`{{3,}}[^`]*?|[^`]*?)(?:{any_opener}|<boltAction[ \t])"

        # Lines that are nearly markers.
        self._near_patterns = [
            (near, Kind.NEAR, usual) for each in self._line_openers for near, usual in like_opener(each)
        ]
        self._near_patterns += [
            (near, Kind.NEAR_END, each.text) for each in self.pairs.closers for near in like_closer(each)
        ]
        self._near_signs = {"*", "_", "`", *(each.sign for each in (*openers, *self.pairs.closers))}
        self._sign_variants = list(self._sign_variant_patterns())

        # Inside a line.
        needles = dict.fromkeys(chain.from_iterable(map(_needles_inside, self._line_openers)))
        self._openers_inside = (*needles, "<boltAction")
        inside = (*_INSIDE, *map(_not_at_the_start, needles))
        self._significant_inside = _by_first_sign((*inside, *SIGNS_OF_JSON))
        self._inside = _by_first_sign((*_THOUGHTS, *inside))

        self.hints = Hints(openers, self.pairs.separators, self.pairs.closers)
        self._classify_cached = lru_cache(maxsize=512)(self._classify)  # a response repeats the same few marker lines

    def _starts(self, markers: Sequence[Marker]) -> Iterator[str]:
        """Patterns of the beginnings of lines that matter by themselves."""
        yield from (_start(each) for each in markers if not (each.is_bare and each.needs_word))
        yield from _STARTS
        yield rf">[> \t]*{either(re.escape(each.run) for each in self.pairs.literal_openers)}"
        signs = either(re.escape(each.sign) for each in self.pairs.literal_openers if not each.is_fixed)
        yield rf"[*_`][*_`]{{0,2}}{signs}{{5}}"

    def _sign_variant_patterns(self) -> Iterator[tuple[str, str]]:
        """Yield patterns of openers with altered signs but the right words, each with the cause."""
        for sign, variants in SIGN_VARIANTS.items():
            blank = " " if sign in SIGNS_THAT_NEED_A_WORD else " ?"
            openers = [each for each in self._line_openers if each.sign == sign]
            words = either(word for each in openers for word in each.plain_words)
            for pattern, cause, _ in variants:
                yield rf"{pattern}{blank}(?i:{words})>?\Z", cause

    def is_prose(self, text: str) -> bool:
        """Whether no line of `text`, which is whole lines, can cause a row, a note or a suggestion by itself.

        Most comments are prose, and this check takes half as long as a scan.
        """
        if any(sign * SHORTEST in text for sign in self._rare_signs):
            return False  # most answers with blocks end here, so that no pattern has to be compiled
        if any(sign in text and re.search(pattern, text) for sign, pattern in self._significant_inside):
            return False
        return re.search(self._significant, "\n" + text) is None

    def scan(self, chunk: str, first_line: int) -> list[Token]:
        """Find the lines of `chunk` that may matter, in order.

        `chunk` is whole lines, each ended by `\\n`; its first line has the 0-based index `first_line`.
        """
        text = "\n" + chunk
        tokens = []
        line = first_line
        position = 0
        for match in self._candidate.finditer(text):
            start = match.start()
            body = match[1]
            line += text.count("\n", position, start)
            position = start
            classify = self._classify_cached if len(body) < _SHORT else self._classify
            token = classify(body)
            if token is not None:
                kind, _, indent, length, word = token
                tokens.append(Token(kind, line, indent, length, word))
        inside = list(self._inside_lines(text, first_line - 1))
        if inside:
            tokens = sorted((*tokens, *inside), key=lambda token: token.line)  # stable: markers come first on a line
        return tokens

    def _inside_lines(self, text: str, number: int) -> Iterator[Token]:
        """Find what matters inside a line: thoughts, openers after other words, commands in back-ticks.

        The first newline of `text` ends the line with index `number`, which comes before `text`.
        """
        starts = set()
        patterns = [pattern for sign, pattern in self._inside if sign in text]
        for pattern in map(re.compile, patterns):
            match = pattern.search(text)
            while match is not None:
                starts.add(text.rfind("\n", 0, match.start()) + 1)
                match = pattern.search(text, text.index("\n", match.start()))
        counted = 0
        for start in sorted(starts):
            number += text.count("\n", counted, start)
            counted = start
            yield from self._inside_line(text[start : text.find("\n", start)], number)

    def _inside_line(self, line: str, number: int) -> Iterator[Token]:
        is_quoted = line.lstrip(" \t").startswith(">")
        if not is_quoted:
            yield from (Token(kind, number) for kind in _thoughts(line))
        if before := self._before_opener(line):
            yield Token(Kind.PREFIXED, number, word=before)
        if _holds_call(line):
            kind = Kind.QUOTED_EDIT if is_quoted else Kind.CALL_INSIDE
            yield Token(kind, number)
        if END in line and line.strip(" \t")[:12] not in (END[:12], "<boltAction "):
            yield Token(Kind.NEAR_END, number, word=END)
        if (match := re.match(_TAGGED_COMMAND, line)) and match[1] not in EDITOR_COMMANDS:
            yield Token(Kind.COMMAND, number, word=match[1])
        if not is_quoted:
            commands = islice(re.finditer(_COMMAND, line), _MOST_COMMANDS)
            yield from (Token(Kind.COMMAND, number, word=command[1]) for command in commands)

    def _before_opener(self, line: str) -> str:
        """The words before an opener at the end of a line, as in transcripts and listings; "" if there are none."""
        if not any(opener in line for opener in self._openers_inside):
            return ""
        match = re.match(self._opener_at_end, line)
        if match is None:
            return ""
        before = match[1].strip(" \t")
        if before.startswith((">", "<", "«", "`")) and not before.startswith("```"):
            return ""
        return before

    def _classify_near(self, body: str, indent: str) -> Token | None:
        """Return the token of a line that is nearly a marker; None for any other line."""
        # These come before other signs, as `«««` is itself the sign of an opener.
        if body[0] in self._near_signs:
            for pattern, kind, usual in self._near_patterns:
                if re.match(pattern, body):
                    return Token(kind, indent=indent, word=usual)
        if body[0] in "&\\«—–":
            for pattern, cause in self._sign_variants:
                if re.match(pattern, body):
                    return Token(Kind.ESCAPED, indent=indent, word=cause)
        return None

    def _classify(self, text: str) -> Token | None:
        """Return the token of a line, with line index 0; None if the line does not matter."""
        body = text.strip(" \t")
        indent = indent_of(text)
        if body in self._literals:
            marker, length, word = self._literals[body]
            return Token(marker, indent=indent, length=length, word=word)
        if match := _FENCE.match(body):
            run = match[1] or match[3]
            info = match[2] or match[4] or ""
            return Token(Kind.FENCE, indent=indent, length=len(run), word=run[0] + info.strip(" \t"))
        if (other := _classify_call(text, body) or self._classify_near(body, indent)) is not None:
            return other
        if kind := _DIFF_LINES.get(body[:2]) or (re.match(PATCH_HEADER, body) and Kind.PATCH_HEADER):
            return Token(kind, indent=indent)
        if match := re.match(_CONFLICT, body):
            kind = Kind.CONFLICT_START if body[0] == "<" else Kind.CONFLICT_END
            return Token(kind, indent=indent, length=len(match[1]), word=body)
        if match := re.match(_HEADING, body):
            return Token(Kind.HEADING, indent=indent, length=len(match[1]), word=_heading_text(match[2]))
        if match := re.match(_TAG, body):
            return Token(Kind.TAG, indent=indent, word=f"{match[1]}{match[2]} {match[3]}")
        if match := re.match(_ORG, body):
            word = "/org " if match[2] else f"org {match[1] or ''}"
            return Token(Kind.TAG, indent=indent, word=word)
        if body[:6].lower() in ("<bolta", "</bolt"):
            return _classify_bolt(body, indent)
        if match := re.match(_BASE, body):
            return Token(Kind.BASE, indent=indent, word=match[1])
        if re.match(self._quoted, body):
            return Token(Kind.QUOTED, indent=indent)
        if re.match(_QUOTED_EDIT, body):
            return Token(Kind.QUOTED_EDIT, indent=indent)
        return None


def _holds_call(line: str) -> bool:
    """Whether a line contains a part of a call after other text; examples are ignored."""
    if line.startswith(("{", "[")) or "path/to/" in line or read_call_tag(line) is not None:
        return False
    return any(re.search(pattern, line) for pattern in TEXTS_INSIDE)


def _classify_call(text: str, body: str) -> Token | None:
    """Return the token of a line that may open or close a tool call, or contain a value of one."""
    if text[0] in "{[":
        return Token(Kind.JSON)
    if body[0] not in "<>":
        return None
    kind = kind_of_call_line(text)
    if kind is None:
        return None
    return Token(kind, indent=indent_of(text))


def _by_first_sign(patterns: Iterable[str]) -> list[tuple[str, str]]:
    """Join the patterns that begin with the same literal sign, which is fast to find; return each sign with its own."""
    by_sign: dict[str, list[str]] = {}
    for pattern in patterns:
        by_sign.setdefault(pattern.lstrip("\\")[0], []).append(pattern)
    return [(sign, either(group)) for sign, group in by_sign.items()]


def _needles_inside(opener: Marker) -> tuple[str, ...]:
    """A line with this opener after other words contains one of these texts."""
    if opener.needs_word:
        return opener.hook_needles
    return (opener.run,)


def _not_at_the_start(needle: str) -> str:
    """A pattern of a needle that is not at the start of its line. A needle with a word may be anywhere."""
    escaped = re.escape(needle)
    if " " in needle:
        return escaped
    return rf"{escaped}(?<![\n{re.escape(needle[0])}]{escaped})"


def _thoughts(line: str) -> Iterator[Kind]:
    """Yield the kinds of the thought tags in a line, except of tags inside inline code."""
    matches = list(re.finditer(_THOUGHT_OR_TICKS, line))
    last = {match[0]: at for at, match in enumerate(matches)}
    ticks = ""
    for at, match in enumerate(matches):
        if not match[0].startswith("`"):
            if not ticks:
                kind = Kind.END_THOUGHT if "/" in match[0] else Kind.THOUGHT
                yield kind
        elif not ticks and last[match[0]] > at:
            ticks = match[0]
        elif ticks == match[0]:
            ticks = ""


def _heading_text(heading: str) -> str:
    """Return the text of a heading without the `#` signs that may close it."""
    text = heading.rstrip("#")
    if text[-1:] in (" ", "\t"):
        return text.rstrip(" \t")
    return heading


def _classify_bolt(body: str, indent: str) -> Token | None:
    if match := re.match(_END_ACTION, body):
        kind = END_ACTION if match[1] else Kind.END_ARTIFACT
        return Token(kind, indent=indent, word=body)
    if body[1:11].lower() == "boltaction" and not body.startswith("<boltA"):
        return Token(Kind.BAD_ACTION, indent=indent)
    match = re.match(_ACTION, body)
    if match is None:
        return None
    tag = read_tag(match[1])
    if tag is None:
        return Token(Kind.BAD_ACTION, indent=indent)
    kinds: dict[str, Kind | Marker] = {"file": FILE_ACTION, "edit": Kind.EDIT_ACTION}
    return Token(kinds.get(tag.type.lower(), Kind.OTHER_ACTION), indent=indent, word=match[1])
