"""Properties of characters in a path: which are invisible, how names fold, which alphabet a letter belongs to.

Pure.
"""

from __future__ import annotations

import re
from unicodedata import category, is_normalized, normalize

SHOWN_LENGTH = 120
_QUOTED = 60

# Invisible, although Unicode files them under letters, marks or symbols. The category shows the other invisible ones.
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
_LOOKS_LIKE_I = {0x131: "i", 0x456: "i"}

# The letters in Unicode's Scripts.txt of three alphabets with similar shapes. Signs without a script of their
# own (the micro sign, mathematical letters) are in none. Compiled when a name has letters beyond ASCII.
_SCRIPTS = {
    "latin": (
        "[A-Za-z\u00aa\u00ba\u00c0-\u02b8\u02e0-\u02e4\u1d00-\u1d25\u1d2c-\u1d5c\u1d62-\u1d65\u1d6b-\u1d77"
        "\u1d79-\u1dbe\u1e00-\u1eff\u2071\u207f\u2090-\u209c\u212a\u212b\u2132\u214e\u2183\u2184\u2c60-\u2c7f"
        "\ua722-\ua787\ua78b-\ua7ff\uab30-\uab5a\uab5c-\uab64\uab66-\uab69\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a"
        "\U00010780-\U000107ba\U0001df00-\U0001df2a]"
    ),
    "cyrillic": (
        "[\u0400-\u0481\u048a-\u052f\u1c80-\u1c8f\u1d2b\u1d78\ua640-\ua66e\ua67f-\ua69d\U0001e030-\U0001e06d]"
    ),
    "greek": (
        "[\u0370-\u0373\u0376\u0377\u037a-\u037d\u037f\u0386\u0388-\u03e1\u03f0-\u03ff\u1d26-\u1d2a\u1d5d-\u1d61"
        "\u1d66-\u1d6a\u1dbf\u1f00-\u1fff\u2126\uab65]"
    ),
}


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
    return normalize("NFKC", "".join(char for char in folded if not is_invisible(char)).translate(_LOOKS_LIKE_I))


def fold_key(name: str) -> str:
    """Fold case and composition: two names with the same key are one file on macOS or Windows."""
    if name.isascii():
        return name.lower()

    return normalize("NFC", name.casefold())


def opened_name(name: str) -> str:
    """Return the name that Windows opens: without a stream (`:…`), and without dots and spaces at its end."""
    return name.partition(":")[0].rstrip(". ")


def script_of(letter: str) -> str | None:
    """`latin`, `cyrillic` or `greek`; None for every other letter."""
    return next((name for name, letters in _SCRIPTS.items() if re.match(letters, letter)), None)


def alphabet_clash(text: str) -> str | None:
    """Return the first letter that mixes Latin with Cyrillic or Greek in one run of letters, or None."""
    if text.isascii():
        return None

    seen: set[str] = set()
    for char in text:
        kind = category(char)[0]
        if kind == "M":  # a mark belongs to the letter before it
            continue
        if kind != "L":
            seen.clear()
        elif script := script_of(char):
            if seen and script not in seen and "latin" in (script, *seen):
                return char
            seen.add(script)
    return None


def code_point(char: str) -> str:
    """Return a character as `U+202E`, the form to look it up by."""
    return f"U+{ord(char):04X}"


def show_text(text: str, limit: int = SHOWN_LENGTH) -> str:
    """Return `text` on one line, invisible characters as code points, cut in the middle if it is long."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_visible, text))
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2 - 1]}…{text[-(limit // 2) :]}"


def _visible(char: str) -> str:
    if is_hidden(char):
        return code_point(char)
    return char


def unicode_form(text: str) -> str:
    """The Unicode form of a name: NFC has `é` as one character, NFD as two."""
    return next((form for form in ("NFC", "NFD") if is_normalized(form, text)), "a mixture of NFC and NFD")


def quote(text: str) -> str:
    """A wrong value in back-ticks, as `show_text` shows it."""
    return f"`{show_text(text, _QUOTED)}`"
