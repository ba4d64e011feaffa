"""Characters of names and messages: which nobody sees, which names are one, and how a text is shown on one line."""

import pytest

from editblocks.core.characters import (
    alphabet_clash,
    code_point,
    fold_key,
    is_hidden,
    is_invisible,
    is_private,
    opened_name,
    quote,
    script_of,
    show_text,
    strong_key,
    unicode_form,
)

INVISIBLE = {
    "a format character": "\u200b",
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "a space that is not ASCII": "\u00a0",
    "a filler": "\u3164",
    "a variation selector": "\ufe0f",
    "a tag": "\U000e0041",
}
PRIVATE = {
    "private use": "\ue000",
    "private use beyond": "\U000f0000",
    "the first that is no character": "\ufdd0",
    "the last that is no character": "\ufdef",
    "before the end of a plane": "\ufffe",
    "the end of a plane": "\U0001ffff",
    "the replacement": "\ufffd",
}
SEEN = {"a space": " ", "the last of ASCII": "~", "a letter": "\u00e9", "before": "\ufdcf", "after": "\ufdf0"}


@pytest.mark.parametrize("char", INVISIBLE.values(), ids=INVISIBLE)
def test_what_is_invisible(char: str) -> None:
    assert (is_invisible(char), is_private(char), is_hidden(char)) == (True, False, True)


@pytest.mark.parametrize("char", PRIVATE.values(), ids=PRIVATE)
def test_what_has_no_public_meaning(char: str) -> None:
    assert (is_invisible(char), is_private(char), is_hidden(char)) == (False, True, True)


@pytest.mark.parametrize("char", SEEN.values(), ids=SEEN)
def test_what_is_seen(char: str) -> None:
    assert (is_invisible(char), is_private(char), is_hidden(char)) == (False, False, False)


@pytest.mark.parametrize("char", ["\0", "\t", "\n", "\x1f", "\x7f", "\x85", "\ud800"])
def test_a_control_is_hidden(char: str) -> None:
    assert (is_invisible(char), is_private(char), is_hidden(char)) == (False, False, True)


KEYS = {  # a name, its strong key, its folded one
    "ASCII": (".Git", ".git", ".git"),
    "a wide letter": ("\uff27it", "git", "\uff47it"),
    "an invisible character": (".g\u200cit\u00e9", ".git\u00e9", ".g\u200cit\u00e9"),
    "an i without a dot": (".g\u0131t", ".git", ".g\u0131t"),
    "an i that is Cyrillic": (".g\u0456t", ".git", ".g\u0456t"),
    "two characters for one": ("Cafe\u0301", "caf\u00e9", "caf\u00e9"),
    "a letter that is two": ("Stra\u00dfe", "strasse", "strasse"),
    "what is one after folding": ("\u00c9\u200b\u0301", "\u00e9\u0301", "\u00e9\u200b\u0301"),
    "what joins when a filler goes": ("e\u200b\u0301", "\u00e9", "e\u200b\u0301"),
}


@pytest.mark.parametrize(("name", "strong", "folded"), KEYS.values(), ids=KEYS)
def test_names_that_some_system_takes_for_one(name: str, strong: str, folded: str) -> None:
    assert (strong_key(name), fold_key(name)) == (strong, folded)


@pytest.mark.parametrize(
    ("name", "opened"),
    [("a.txt", "a.txt"), ("a.", "a"), ("a. .", "a"), ("a \t", "a \t"), ("aX.", "aX"), ("a:b", "a"), ("a.:b:c", "a")],
)
def test_the_name_that_windows_opens(name: str, opened: str) -> None:
    assert opened_name(name) == opened


CLASHES = {
    "ASCII": ("paypal", None),
    "Latin with marks": ("caf\u00e9", None),
    "Cyrillic": ("\u043f\u0440\u0438", None),
    "Cyrillic in Latin": ("p\u0430ypal", "\u0430"),
    "Latin in Cyrillic": ("\u043fp", "p"),
    "Greek in Latin": ("a\u03b1", "\u03b1"),
    "Greek and Cyrillic": ("\u03b1\u0430", None),
    "Greek, Cyrillic and Latin": ("\u03b1\u0430a", "a"),
    "a sign between": ("p-\u0430", None),
    "a digit between": ("p1\u0430", None),
    "a mark between": ("p\u0301\u0430", "\u0430"),
    "a letter of another alphabet between": ("p\u4e2d\u0430", "\u0430"),
    "the second run": ("\u043f-pa\u0430b", "\u0430"),
}


@pytest.mark.parametrize(("text", "letter"), CLASHES.values(), ids=CLASHES)
def test_letters_of_two_alphabets_in_one_word(text: str, letter: str | None) -> None:
    assert alphabet_clash(text) == letter


def test_the_alphabet_of_a_letter() -> None:
    assert [script_of(char) for char in "a\u00e9\uff41\u0430\u03b1\u4e2d1\x00"] == [
        "latin", "latin", "latin", "cyrillic", "greek", None, None, None
    ]  # fmt: skip


SHOWN = {
    "as it is": ("a b", 10, "a b"),
    "a tab": ("a\tb", 10, "aU+0009b"),
    "a letter": ("\u00e9", 10, "\u00e9"),
    "a letter and a bell": ("\u00e9\x07", 10, "\u00e9U+0007"),
    "an invisible character": ("a\u202eb", 10, "aU+202Eb"),
    "beyond four digits": ("\U000e0041", 10, "U+E0041"),
    "as long as the limit": ("abcdefghij", 10, "abcdefghij"),
    "longer": ("abcdefghijk", 10, "abcd\u2026ghijk"),
    "an odd limit": ("abcdefghijk", 9, "abcd\u2026hijk"),
    "longer as it is shown": ("abcd\tfgh", 10, "abcd\u202609fgh"),
}


@pytest.mark.parametrize(("text", "limit", "shown"), SHOWN.values(), ids=SHOWN)
def test_a_text_on_one_line(text: str, limit: int, shown: str) -> None:
    assert show_text(text, limit) == shown


def test_how_much_is_shown() -> None:
    assert show_text("x" * 120) == "x" * 120
    assert show_text("x" * 121) == f"{'x' * 59}\u2026{'x' * 60}"
    assert quote("x" * 60) == f"`{'x' * 60}`"
    assert quote("x" * 61) == f"`{'x' * 29}\u2026{'x' * 30}`"
    assert code_point("\t") == "U+0009"


@pytest.mark.parametrize(
    ("text", "form"),
    [("a", "NFC"), ("\u00e9", "NFC"), ("e\u0301", "NFD"), ("\u00e9e\u0301", "a mixture of NFC and NFD")],
)
def test_the_form_of_a_name(text: str, form: str) -> None:
    assert unicode_form(text) == form
