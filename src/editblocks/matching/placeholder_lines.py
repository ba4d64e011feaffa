"""Lines that stand for others: `# ... existing code ...`.

Such a line is a comment and nothing else, and all of its words are one phrase of a small grammar. With dots a phrase
is enough. Without, the comment has to stand alone, as a line of prose may read like that; and words that also head a
section (`# other methods`) count only where the block takes more lines away than it adds. Rules:
docs/reference/formats.md,
"placeholders".
"""

from __future__ import annotations

from typing import NamedTuple

from editblocks.core.lazy_regex import regex
from editblocks.paths.globs import file_kind

_SHOWN = 40
LONGEST_LINE, _MOST_WORDS = 120, 14  # of such a line: nobody writes longer ones
_PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc"})  # `#` and the like open no comment there
_DOTS = r"(?:\.\.\.|…)"
_COMMENT = regex(
    r"(#+|//+|--+|;+|%+|/\*+|\*(?= )|<!--+|\{[ \t]*/\*+|\{#|\(\*+)[ \t]*(.*?)[ \t]*(?:\*+/[ \t]*\}?|--+>|#\}|\*\))?"
)
_BARE = regex(rf"[\[(<]?{_DOTS}[\])>]?")
_FRAME = regex(r"\A[\W_]*(?:(?:todo|note|and|plus)\b[\W_]*)*|[\W_]+\Z")

_THE = r"(?:(?:the|your|all|any|this|that|its|our|my|of) )*"
_CODE = (
    r"(?:code|logic|functions?|methods?|class(?:es)?|imports?|implementations?|body|contents?|lines?|fields?|props"
    r"|propert(?:y|ies)|tests?|cases?|routes?|statements?|definitions?|styles?|rules?|components?|handlers?|helpers?"
    r"|sections?|parts?|parameters?|arguments?|constructor|declarations?|config(?:uration)?|settings|setup|options"
    r"|attributes|members|items|entries|columns|elements|script|markup|html|css|jsx|template|module|loop|block"
    r"|functionality|processing|variables|types|constants|state|hooks|steps|checks|validation)"
)
_STAYS = (
    r"(?:(?:is|are|remains?|stays?|left|kept) )*"
    r"(?:unchanged|untouched|unmodified|omitted|elided|not shown|(?:exactly )?(?:the )?same|as is|as before|as it was)"
    r"(?: (?:here|above|below|for brevity|as before|as is|for now|from before))*"
)
_PART = rf"(?:\w+ )?(?:{_CODE}|file|document|page|query|script|program)"
_OTHER = r"(?:existing|remaining|previous|original|other|current|same|more)"
# Nobody says this of a line that is there.
_SURE = regex(
    rf"{_THE}rest of {_THE}(?:\w+ )?{_PART}(?: {_STAYS})?"
    rf"|{_THE}existing (?:\w+ )?{_CODE}(?: {_STAYS}| (?:goes |stays |continues )?(?:here|above|below)| continues)?"
    rf"|{_THE}(?:{_OTHER} )?(?:\w+ )?{_CODE} {_STAYS}"
    rf"|{_THE}(?:everything|rest)(?: else)? {_STAYS}"
    r"|(?:(?:is|remains?|stays?|left) )?(?:unchanged|(?:exactly )?(?:the )?same as before)(?: here| for brevity)?"
    rf"|(?:keep|retain|leave|preserve) {_THE}(?:{_OTHER}|rest of) {_THE}{_PART}(?: {_STAYS}| here)?"
    r"|(?:omitted|truncated|elided|snipped)(?: here)? for brevity|snip"
)
# This heads a section as well.
_LIKELY = regex(rf"{_THE}(?:remaining|other|previous) (?:\w+ )?{_CODE}(?: (?:goes? )?here)?|{_THE}rest(?: goes here)?")
_WITH_DOTS = regex(
    rf"{_THE}rest(?: of (?:\w+ ){{0,4}}\w+(?: {_STAYS})?)?|no (?:other )?changes?(?: needed)?(?: here)?"
    rf"|{_THE}{_OTHER} (?:\w+ )?{_CODE}(?: (?:goes? )?(?:here|above|below)| (?:for|in|from|of)(?: \w+){{1,3}})?"
)
_BETWEEN_DOTS = regex(rf"(?:\w+ )?{_CODE}(?: (?:goes? )?here)?")


class Placeholder(NamedTuple):
    """A line that stands for others: surely, or perhaps."""

    text: str
    is_sure: bool

    @property
    def shown(self) -> str:
        """The text as a message shows it."""
        return self.text if len(self.text) <= _SHOWN else f"{self.text[: _SHOWN - 1]}…"

    @property
    def refusal(self) -> str:
        """Why the block is not applied."""
        return f"`{self.shown}` in the new text stands for lines that it leaves out; write every line"


def stands_for_others(line: str, above: str, below: str, path: str, *, lost: bool) -> bool | None:
    """Whether a line stands for others: surely, or perhaps; None if it does not.

    `above` and `below` are its neighbours; `lost`: more lines go than come.
    """
    text = line.strip(" \t")
    comment = _COMMENT.fullmatch(text)
    sign, phrase = (comment[1], comment[2]) if comment else ("", text)
    is_code = sign.startswith("<!") or file_kind(path) not in _PROSE
    is_alone = sign != "*" and not _is_comment(above, sign) and not _is_comment(below, sign)
    if _BARE.fullmatch(phrase):
        return bool(sign) and is_code and is_alone
    dots = phrase.strip("()[]<> ").startswith(("...", "…")) + phrase.strip("()[]<> ").endswith(("...", "…"))
    if not sign and not phrase.startswith(("...", "…")):
        return None
    phrase_words = _FRAME.sub("", phrase.lower()).split()
    words = " ".join(phrase_words) if len(phrase_words) <= _MOST_WORDS else ""
    if dots and (_SURE.fullmatch(words) or _LIKELY.fullmatch(words) or _WITH_DOTS.fullmatch(words)):
        return is_code
    if dots == 2 and _BETWEEN_DOTS.fullmatch(words):
        return is_code
    if _SURE.fullmatch(words):
        return is_code and is_alone
    return is_code and is_alone and lost if _LIKELY.fullmatch(words) else None


def _is_comment(line: str, sign: str) -> bool:
    """Whether a line begins with the same sign."""
    return line.lstrip(" \t").startswith(sign[: 1 if sign[:1] in "#;%" else 2])
