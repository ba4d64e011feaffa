"""Properties of characters in a path: which are invisible, how names fold, which alphabet a letter belongs to.

Pure.
"""

from __future__ import annotations

import re
from unicodedata import category, is_normalized, normalize
from unicodedata import name as unicode_name

SHOWN_LENGTH = 120
_QUOTED = 60

# Invisible, although Unicode files them under letters, marks or symbols. The category shows the other invisible ones.
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
_LOOKS_LIKE_I = {0x131: "i", 0x456: "i"}
_LINE_ENDS = {"\r": "␍", "\n": "␊"}


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


def code_point(char: str) -> str:
    """Return a character as `U+202E`, the form to look it up by."""
    return f"U+{ord(char):04X}"


def name_hidden(text: str, keep: str = "") -> str:
    """Replace hidden characters with their names, as in `U+202E`, and CR and LF with their symbols; keep `keep`."""
    hidden = {char for char in text if char not in keep and is_hidden(char)}
    names = {ord(char): _LINE_ENDS.get(char) or code_point(char) for char in hidden}
    return text.translate(names)


def cut_middle(text: str, limit: int) -> str:
    """Cut to at most `limit` characters by leaving out the middle, because both ends of a path say where it is."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    tail_start = len(text) - (limit - 1 - head)
    return f"{text[:head]}…{text[tail_start:]}"


def show_text(text: str, limit: int = SHOWN_LENGTH) -> str:
    """Return `text` on one line, hidden characters by name, cut in the middle if it is long."""
    return cut_middle(name_hidden(text), limit)


def unicode_form(text: str) -> str:
    """The Unicode form of a name: NFC has `é` as one character, NFD as two."""
    return next((form for form in ("NFC", "NFD") if is_normalized(form, text)), "a mixture of NFC and NFD")


def quote(text: str) -> str:
    """A wrong value in back-ticks, as `show_text` shows it."""
    return f"`{show_text(text, _QUOTED)}`"
