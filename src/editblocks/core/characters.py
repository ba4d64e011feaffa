"""Characters that people do not see or cannot tell apart, in a path or in the text of a block.

A block that adds an invisible character is refused, but those in the file may stay. Nothing is stripped or normalised:
the text is committed exactly as it was read. Rule and list: docs/internals/security.md, "unicode".
"""

import re
from collections import Counter
from collections.abc import Iterator
from unicodedata import category, is_normalized, normalize
from unicodedata import name as unicode_name

_SHOWN_LENGTH = 120
_QUOTED = 60

# Invisible, although Unicode files them under letters, marks or symbols. The category shows the other invisible ones.
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
_LOOKS_LIKE_I = {0x131: "i", 0x456: "i"}
_LINE_ENDS = {"\r": "␍", "\n": "␊"}

# Refused in new text, except in places where they are normal.
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = (
    f"[{_BIDI}\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
SURROGATE = "[\ud800-\udfff]"  # a JSON string can contain a single one, UTF-8 cannot
_REORDERS = f"[{_BIDI}]"

# Unicode's Emoji property, rounded up to whole blocks of symbols.
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_ARABIC = "\u0600-\u061b\u061d-\u06ff\u0750-\u077f\u0860-\u08ff\ufb50-\ufdff\ufe70-\ufefc"
_INDIC = "\u0900-\u0dff\u1cd0-\u1cff\ua8e0-\ua8ff"
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
# Places where a selector or a joiner is normal, as it changes how its neighbours look. An Indic half form may end a
# word. The pattern is compiled when it is first needed.
_NORMAL_PLACES = (
    f"(?<=[{_EMOJI}])[\ufe00-\ufe0f]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<=[{_EMOJI}\ufe0f\u20e3])[\u200c\u200d](?=[{_EMOJI}])"
    f"|(?<=[{_ARABIC}])[\u200c\u200d](?=[{_ARABIC}])"
    f"|(?<=[{_INDIC}])[\u200c\u200d](?=[{_INDIC}])"
    f"|(?<=[{_VIRAMA}])[\u200c\u200d](?!\\w)"
)


def is_hidden(char: str) -> bool:
    """Whether a reader cannot see this character, or cannot see where it takes effect. A plain space is not hidden."""
    if " " <= char <= "~":
        return False
    return category(char) in ("Cc", "Cs") or is_invisible(char) or is_private(char)


def is_invisible(char: str) -> bool:
    """Whether a character beyond ASCII is invisible: format characters, unusual spaces, fillers, selectors."""
    return not char.isascii() and (category(char) in ("Cf", "Zl", "Zp", "Zs") or re.match(_BLANK, char) is not None)


def is_private(char: str) -> bool:
    """Whether a character has no public meaning: private use, non-characters, the replacement character."""
    code = ord(char)
    return category(char) == "Co" or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE or code == 0xFFFD


def strong_key(text: str) -> str:
    """Fold all differences that some file system, or a quick look, ignores in a name.

    Used to compare with names that mean something to git, GitHub and tools; never to find a file.
    """
    if text.isascii():
        return text.lower()

    folded = normalize("NFKC", text).casefold()
    visible = "".join(char for char in folded if not is_invisible(char))
    return normalize("NFKC", visible.translate(_LOOKS_LIKE_I))


def fold_key(name: str) -> str:
    """Fold case and composition: two names with the same key are one file on macOS or Windows."""
    if name.isascii():
        return name.lower()

    return normalize("NFC", name.casefold())


def unicode_form(text: str) -> str:
    """The Unicode form of a name: NFC has `é` as one character, NFD as two."""
    return next((form for form in ("NFC", "NFD") if is_normalized(form, text)), "a mixture of NFC and NFD")


def opened_name(name: str) -> str:
    """Return the name that Windows opens: without a stream (`:…`), and without dots and spaces at its end."""
    return name.partition(":")[0].rstrip(". ")


def script_of(letter: str) -> str | None:
    """`latin`, `cyrillic` or `greek`, which have letters of the same shape, from the name of a letter; else None."""
    words = unicode_name(letter, "").lower().split(" ")
    return next((script for script in ("latin", "cyrillic", "greek") if script in words), None)


def alphabet_clash(text: str) -> str | None:
    """Return the first letter that mixes Latin with Cyrillic or Greek in one run of letters, or None."""
    if text.isascii():
        return None

    scripts: set[str] = set()  # of the run so far
    for char in text:
        kind = category(char)[0]
        if kind == "M":  # a mark belongs to the letter before it
            continue
        if kind != "L":
            scripts.clear()
        elif script := script_of(char):
            scripts.add(script)
            if len(scripts) > 1 and "latin" in scripts:
                return char
    return None


def find_added(old: str, new: str) -> tuple[str, int, int] | None:
    """Return the first invisible character that `new` has more often than `old`, with its line and column, or None.

    Both are 1-based; columns are in code points. Emoji selectors, and joiners inside Indic, Arabic and emoji runs, are
    allowed. Lines that are in both texts are counted first, so that the place is in a line that was added.
    """
    if _is_plain(new) or not re.search(_HIDDEN, new):
        return None
    old_lines = frozenset(old.split("\n"))
    lines = new.split("\n")
    allowed = Counter(char for char, _, _ in _offences(old))
    for char, line, column in sorted(_offences(new), key=lambda place: lines[place[1] - 1] not in old_lines):
        if not allowed[char]:
            return char, line, column
        allowed[char] -= 1
    return None


def _offences(text: str) -> Iterator[tuple[str, int, int]]:
    for number, line in enumerate(text.split("\n"), 1):
        for match in re.finditer(_HIDDEN, line):
            if not re.compile(_NORMAL_PLACES).match(line, match.start()):
                yield match[0], number, match.start() + 1


def may_hold_invisible(text: str) -> bool:
    """Whether a text has an invisible character or a surrogate, even in a place where it is normal."""
    return not _is_plain(text) and bool(re.search(_HIDDEN, text) or re.search(SURROGATE, text))


def why_hidden(char: str, line: int, column: int) -> str:
    """Return the message about an invisible character in the new text."""
    why = "hides its real order" if re.match(_REORDERS, char) else "no reader sees"
    return f"the new text has {code_point(char)} at line {line}, column {column}, which {why}"


def _is_plain(text: str) -> bool:
    """Whether a text has only visible ASCII, blanks, tabs and line ends, as most texts do."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable()


def code_point(char: str) -> str:
    """Return a character as `U+202E`, the form to look it up by."""
    return f"U+{ord(char):04X}"


def name_hidden(text: str, keep: str = "") -> str:
    """Replace hidden characters with their names, as in `U+202E`, and CR and LF with their symbols; keep `keep`."""
    hidden = filter(is_hidden, set(text).difference(keep))
    names = {ord(char): _LINE_ENDS.get(char) or code_point(char) for char in hidden}
    return text.translate(names)


def cut_middle(text: str, limit: int) -> str:
    """Cut to at most `limit` characters by leaving out the middle, because both ends of a path say where it is."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    tail_start = len(text) - (limit - 1 - head)
    return f"{text[:head]}…{text[tail_start:]}"


def show_text(text: str, limit: int = _SHOWN_LENGTH) -> str:
    """Return `text` on one line, hidden characters by name, cut in the middle if it is long."""
    return cut_middle(name_hidden(text), limit)


def quote(text: str) -> str:
    """A wrong value in back-ticks, as `show_text` shows it."""
    return f"`{show_text(text, _QUOTED)}`"
