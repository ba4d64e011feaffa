"""Recognise lines that stand for lines that are left out: `# ... existing code ...`.

Such a line is only a comment, and its words are one phrase of a small grammar. Without dots, no comment line may be
next to it, and the block must remove lines. Words that may also head a section (`# other methods`) are placeholders
only if the block removes more lines than it adds. Rules: docs/reference/rules.md, "placeholders".
"""

import re

from editblocks.text.languages import file_kind

LONGEST_LINE = 120  # characters; longer lines are never placeholders
_MOST_WORDS = 14
_PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc"})  # in these files `#` begins no comment
_QUOTES = ('"""', "'''")
_DOTS = r"(?:\.\.\.|…|⋮|⋯|\. \. \.)"
_SIGN = r"#+|//+|--+|;+|%+|/\*+|<!--+|\{[ \t]*/\*+|\{#|\(\*+"
_END = r"[ \t]*(?:\*+/[ \t]*\}?|--+>|#\}|\*\)|\"{3}|'{3})?"
_COMMENT = rf"(?:(?:pass|{_DOTS});?[ \t]+(?=#))?({_SIGN}|\*(?= )|\"{{3}}|'{{3}})[ \t]*(.*?){_END}"
_BEHIND_CODE = rf"[ \t](?:{_SIGN})[ \t]*([^ \t].*?){_END}\Z"
# Every such line, with a newline before it, has one of these: dots, or the sign of a comment.
_TRACES = (*"#…⋮⋯", "//", "--", "/*", "(*", "...", ". . .", *_QUOTES, *(a + b for a in " \t\n" for b in ";%*"))
_BARE = rf"[\[(<]?{_DOTS}[\])>]?"
_WORDS = r"[\w .…⋮⋯()\[\]<>-]+"  # no code
_LONG_DOTS = r"\.{4,6}"  # may also underline a heading
_FRAME = r"\A[\W_]*(?:(?:todo|note|and|plus)\b[\W_]*)*|[\W_]+\Z"

_THE = r"(?:(?:the|your|all|any|this|that|its|our|my|of) )*"
_CODE = (
    r"(?:code|logic|functions?|methods?|class(?:es)?|imports?|implementations?|body|contents?|lines?|fields?|props"
    r"|propert(?:y|ies)|tests?|cases?|routes?|statements?|definitions?|styles?|rules?|components?|handlers?|helpers?"
    r"|sections?|parts?|parameters?|arguments?|constructor|declarations?|config(?:uration)?|settings|setup|options"
    r"|attributes|members|items|entries|columns|elements|script|markup|html|css|jsx|template|module|loop|block"
    r"|functionality|processing|variables|types|constants|state|hooks|steps|checks|validation)"
)
_STAYS = (
    r"(?:(?:is|are|remains?|stays?|left|kept|continues?|above|below|here) )*"
    r"(?:unchanged|untouched|unmodified|omitted|elided|not shown|(?:exactly )?(?:the )?same|as is|as before|as it was)"
    r"(?: (?:here|above|below|for brevity|as before|as is|for now|from before))*"
)
_ONE_CASE = r"(?:\w+ )?case\Z"  # heads the lines about it: `# Existing session case`
_REST = r"(?:rest|remainder)"
_PART = rf"(?:\w+ )?(?:{_CODE}|file|document|page|query|script|program)"
_OTHER = r"(?:existing|remaining|previous|original|other|current|same|more)"
# Phrases that nobody writes about lines that are present. They are long, and few answers need them, so they are
# compiled when they are first used: people wait for a hook.
_SURE = (
    rf"{_THE}{_REST} of {_THE}(?:\w+ )?{_PART}(?: {_STAYS}| (?:goes )?here)?"
    rf"|(?:(?:insert|put|paste|include|copy|continue with) )?"
    rf"{_THE}existing (?!{_ONE_CASE})(?:\w+ )?{_CODE}"
    rf"(?: {_STAYS}| (?:goes |stays |continues )?(?:here|above|below)| continues)?"
    rf"|{_THE}(?:{_OTHER} )?(?:\w+ )?{_CODE} {_STAYS}"
    rf"|{_THE}{_OTHER} {_CODE} (?:remains?|stays?|continues?) here"
    rf"|{_THE}(?:everything|{_REST})(?: else)? {_STAYS}"
    r"|(?:(?:is|remains?|stays?|left) )?"
    r"(?:unchanged|(?:exactly )?(?:the )?same as (?:before|(?:the )?original))(?: here| for brevity)?"
    rf"|(?:keep|retain|leave|preserve) {_THE}(?:{_OTHER}|{_REST} of) {_THE}{_PART}(?: {_STAYS}| here)?"
    rf"|(?:keep|retain|leave|preserve) {_THE}(?:everything|{_REST})(?: else)? {_STAYS}"
    r"|(?:omitted|truncated|elided|snipped)(?: here)? for brevity|snip"
)
# Phrases that may also head a section.
_LIKELY = (
    rf"{_THE}(?:remaining|other|previous) (?:\w+ )?{_CODE}(?: (?:goes? )?here)?|{_THE}{_REST}(?: goes here)?"
    r"|(?:keep|leave)(?: it| this| them)? (?:as is|as before|unchanged|untouched)"
    r"|(?:the )?original (?:code|logic|implementation)|truncated|omitted|elided|etc|so on"
    r"|no (?:other )?changes?(?: (?:here|below|above|needed))?|continue with (?:the )?rest"
)
_WITH_DOTS = (
    rf"{_THE}{_REST}(?: of (?:\w+ ){{0,4}}\w+(?: {_STAYS})?)?|same as (?:above|below)"
    r"|no (?:other )?changes?(?: needed)?(?: here)?"
    rf"|{_THE}{_OTHER} (?:\w+ )?{_CODE}(?: (?:goes? )?(?:here|above|below)| (?:for|in|from|of)(?: \w+){{1,3}})?"
)
# Words that are enough, in any phrase, if a whole file gets shorter.
_LEFT_OUT = (
    r"\b(?:unchanged|untouched|unmodified|omitted|elided|truncated|continue[sd]|same as|identical to|for brevity"
    r"|not (?:shown|changed)|as (?:before|is|it (?:is|was)|they (?:are|were)|in the original)|[0-9]+ more lines?"
    r"|lines? [0-9]+ ?(?:-|–|to) ?[0-9]+)\b|\bthe same\Z|\A[0-9]+ lines\Z"
)
_OTHERS = r"\b(?:rest|remainder|remaining|everything else|nothing (?:else|below)|previous|existing)\b"
_KEPT = r"\b(?:keep|kept|leave|left|same|stays?|remains?|goes|(?:no )?changes?|as (?:in|above|below))\b"
_OPENING = ("(", "[", "<", "-", "...", "…", "⋮", "⋯")
_ELLIPSES = ("...", "…", "⋮", "⋯")
_OF_SEVERAL_LINES = ("*", *_QUOTES)  # signs of comments over several lines, which may also be prose
_BETWEEN_DOTS = rf"(?:\w+ )?{_CODE}(?: (?:goes? )?here)?"


# `...rest`, `...$args,`, `...list[0]`: spread and rest operators of a dozen languages are code.
_SPREAD = r"\.\.\.[ \t]*[$@&*]?[\w$]+[ \t]*(?:\Z|[,;:=)}\].(\[?!])"
_BARE_DOTS = r"[ \t]*(\.\.\.|…)[ \t]*"
_ELISION = rf"(?:#+|//+|--|;+|%+)?{_BARE_DOTS}|/\*{_BARE_DOTS}\*/|\{{/\*{_BARE_DOTS}\*/\}}|<!--{_BARE_DOTS}-->"
_LONGEST_ELISION = 80  # characters; longer lines are never elisions


def elision(line: str) -> str | None:
    """Return the dots of a line that has only dots and comment signs; otherwise None."""
    if len(line) > _LONGEST_ELISION:
        return None
    match = re.fullmatch(_ELISION, line.strip(" \t"))
    return match and match[match.lastindex or 0]


def may_stand_for_others(lines: str) -> bool:
    """Whether any of these lines, each with a newline before it, needs a closer look by `stands_for_others`."""
    return any(map(lines.__contains__, _TRACES))


def stands_for_others(line: str, above: str, below: str, path: str, *, lost: bool, removes: bool = True) -> bool | None:
    """Whether a line stands for lines that are left out: True if surely, False if perhaps, None if not.

    `above` and `below` are the lines around it. `removes`: the block removes lines; `lost`: more lines than it adds.
    """
    text, sign, phrase = _read(line)
    if not sign and re.match(_SPREAD, text):
        return None
    is_bare = re.fullmatch(_BARE, phrase) is not None
    if not (sign or is_bare or phrase.startswith(("...", "…"))):
        behind = re.search(_BEHIND_CODE, text)
        if behind is not None and " " in behind[1] and any(_phrase(behind[1])):
            return False
        return None
    is_code = sign.startswith("<!") or file_kind(path) not in _PROSE
    has_neighbour = _is_comment(above, sign) or _is_comment(below, sign)
    is_lone_comment = is_code and sign not in _OF_SEVERAL_LINES and not has_neighbour
    if is_bare and sign in _QUOTES:
        return None
    if is_bare:
        return sign != "" and is_lone_comment
    if sign and re.fullmatch(_LONG_DOTS, phrase):
        return True if is_lone_comment and lost else None
    with_dots, is_said, may_be = _phrase(phrase)
    if with_dots:
        return is_code
    if is_said:
        return is_lone_comment and removes
    if may_be:
        return is_lone_comment and lost
    return None


def words_say_omitted(line: str) -> bool:
    """Whether the words of a line say that code is left out, as `# ... existing code ...`, and not only its dots."""
    _, _, phrase = _read(line)
    with_dots, is_said, _ = _phrase(phrase)
    return with_dots or is_said


def leaves_lines_out(line: str, above: str, below: str, *, lost: bool) -> bool:
    """Whether a line of a new whole file stands for lines that are left out, and so would be deleted.

    If more lines are `lost` than added, single words are enough. A line that is not a comment must then be a paragraph
    of its own, or begin with a bracket or dots.
    """
    text, sign, phrase = _read(line)
    if not sign and not re.fullmatch(_WORDS, text):
        phrase = ""
    with_dots, is_said, _ = _phrase(phrase)
    if with_dots or is_said or re.fullmatch(_BARE, phrase):
        return True
    words = re.sub(_FRAME, "", phrase.lower())
    is_alone = bool(sign) or text.startswith(_OPENING) or not (above.strip() or below.strip())
    says_so = re.search(_LEFT_OUT, words) or (re.search(_OTHERS, words) and re.search(_KEPT, words))
    return lost and is_alone and len(words.split()) <= _MOST_WORDS and says_so is not None


def _read(line: str) -> tuple[str, str, str]:
    """Return a line without outer blanks, its comment sign, and its words; without a sign, the words are the line."""
    text = line.strip(" \t") if len(line) <= LONGEST_LINE else ""
    comment = re.fullmatch(_COMMENT, text)
    if comment is None:
        return text, "", text
    return text, comment[1], comment[2]


def _phrase(phrase: str) -> tuple[bool, bool, bool]:
    """Return whether the words of a comment say that lines are left out: with dots, without dots, and perhaps."""
    bare = phrase.strip("()[]<> ")
    dots = bare.startswith(_ELLIPSES) + bare.endswith(_ELLIPSES)  # at how many of its ends they are
    phrase_words = re.sub(_FRAME, "", phrase.lower()).split()
    words = " ".join(phrase_words) if len(phrase_words) <= _MOST_WORDS else ""
    is_said = re.fullmatch(_SURE, words) is not None
    may_be = re.fullmatch(_LIKELY, words) is not None
    with_dots = dots > 0 and (is_said or may_be or re.fullmatch(_WITH_DOTS, words) is not None)
    between_dots = dots == 2 and re.fullmatch(_BETWEEN_DOTS, words) is not None
    return with_dots or between_dots, is_said, may_be


def _is_comment(line: str, sign: str) -> bool:
    """Whether a line begins with the same comment sign."""
    length = 1 if sign[:1] in "#;%" else 2
    return line.lstrip(" \t").startswith(sign[:length])
