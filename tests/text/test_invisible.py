"""Invisible characters that a block adds, and those it may."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editblocks.core.characters import find_added, why_hidden

REFUSED = [
    *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A), 0x61C, 0xFEFF),
    *(0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)),
    *(0xE0000, 0xE0001, 0xE0041, 0xE007F, 0xE0100, 0xE01EF),
    *(*range(9), 0xB, *range(0xE, 0x20), *range(0x7F, 0xA0)),
]
# Not seen either, but spaces, line ends, marks that a reader expects, or not in the list.
ALLOWED = "\t\n\r\f \u00a0\u0301\u2028\u2029\u200a\u3000\u0600\u20e3\u00b7\u05d0\u0627\u202f\ufffd\U0001f600\ue000"


@pytest.mark.parametrize("code", REFUSED, ids=lambda code: f"U+{code:04X}")
def test_s21_a_hidden_character_is_refused_where_it_is_added(code: int) -> None:
    hidden = find_added("x\n", f"x\n a{chr(code)}b\n")
    assert hidden is not None
    assert hidden == (chr(code), 2, 3)
    assert f"U+{code:04X} at line 2, column 3" in why_hidden(*hidden)
    assert why_hidden(*hidden).isprintable()


@pytest.mark.parametrize("code", REFUSED, ids=lambda code: f"U+{code:04X}")
def test_s21_a_hidden_character_that_was_there_may_stay(code: int) -> None:
    assert find_added(f"a{chr(code)}b\n", f"a{chr(code)}c\n") is None
    assert find_added(f"a{chr(code)}b\n", "ab\n") is None


@pytest.mark.parametrize("char", ALLOWED, ids=ascii)
def test_other_characters_may_be_added(char: str) -> None:
    assert find_added("", f"a{char}b") is None


WITHIN = [
    ("a family", "👨\u200d👩\u200d👧\u200d👦"),
    ("a heart, a flag", "❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈"),
    ("a skin tone", "👩🏽\u200d🚀"),
    ("a keycap", "1\ufe0f\u20e3 #\ufe0f\u20e3"),
    ("a text presentation", "☎\ufe0e ©\ufe0f ™\ufe0f"),
    ("persian", "می\u200cخواهم"),
    ("marathi eyelash ra", "र्\u200dय"),
    ("sinhala", "ශ්\u200dරී"),
    ("an old malayalam chillu", "അവന്\u200d വന്നു"),
    ("kannada", "ರ್\u200cಕ"),
]
OUTSIDE = [
    ("between latin letters", "pass\u200dword", (1, 5)),
    ("after an emoji, before a letter", "🔥\u200dx", (1, 2)),
    ("at the end of an arabic word", "می\u200c x", (1, 3)),
    ("between arabic and latin", "م\u200cx", (1, 2)),
    ("after an indic letter, before latin", "क\u200dx", (1, 2)),
    ("after a virama, before latin", "क्\u200dx", (1, 3)),
    ("a byte order mark that begins a later line", "a\n\ufeffb", (2, 1)),
    ("at the start", "\u200dक", (1, 1)),
    ("alone", "\u200c", (1, 1)),
    ("twice", "م\u200c\u200cم", (1, 2)),
    ("a selector after a letter", "a\ufe0f", (1, 2)),
    ("a selector after a digit without a keycap", "x1\ufe0f", (1, 3)),
    ("two selectors", "☎\ufe0e\ufe0e", (1, 3)),
    ("a selector at the start", "\ufe0f", (1, 1)),
    ("a byte order mark at the start", "\ufeffimport os", (1, 1)),
    ("a flag of tags", "🏴\U000e0067\U000e007f", (1, 2)),
]


@pytest.mark.parametrize("text", [row[1] for row in WITHIN], ids=[row[0] for row in WITHIN])
def test_joiners_and_selectors_may_be_added_where_they_belong(text: str) -> None:
    assert find_added("", text) is None
    assert find_added("", text * 3) is None or text.startswith("\ufeff")


@pytest.mark.parametrize(("text", "place"), [row[1:] for row in OUTSIDE], ids=[row[0] for row in OUTSIDE])
def test_joiners_and_selectors_are_refused_elsewhere(text: str, place: tuple[int, int]) -> None:
    hidden = find_added("", text)
    assert hidden is not None
    assert hidden[1:] == place


PLACES = [
    ("the first of several", "", "ab\nc\u200bd\u202ee\n", ("U+200B", 2, 2)),
    ("a line that stays is passed over", "a\u200bb\n", "x\n a\u200b\na\u200bb\n", ("U+200B", 2, 3)),
    ("even if it comes first", "a\u200bb\n", "a\u200bb\nx\u200b\n", ("U+200B", 2, 2)),
    ("a line doubled", "a\u200bb\n", "a\u200bb\na\u200bb\n", ("U+200B", 2, 2)),
    ("a joiner that left its word", "م\u200cم\n", "x\u200cx\n", ("U+200C", 1, 2)),
    ("a mark that is doubled", "\ufeffa\n", "\ufeffa\ufeff\n", ("U+FEFF", 1, 3)),
    ("columns count code points", "", "🔥🔥\u200b\n", ("U+200B", 1, 3)),
    ("only a line feed ends a line", "", "a\r\u2028\x0c\u200b\n", ("U+200B", 1, 5)),
    ("another one is not the same", "\u200b", "\u2060", ("U+2060", 1, 1)),
]


@pytest.mark.parametrize(("old", "new", "place"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_the_place_is_that_of_the_added_character(old: str, new: str, place: tuple[str, int, int]) -> None:
    hidden = find_added(old, new)
    assert hidden is not None
    assert (f"U+{ord(hidden[0]):04X}", *hidden[1:]) == place


MESSAGES = [
    ("a\u202eb", "the new text has U+202E at line 1, column 2, which hides its real order"),
    ("a\u200bb", "the new text has U+200B at line 1, column 2, which no reader sees"),
    ("a\x1bb", "the new text has U+001B at line 1, column 2, which no reader sees"),
]


@pytest.mark.parametrize(("new", "message"), MESSAGES, ids=[ascii(row[0]) for row in MESSAGES])
def test_message(new: str, message: str) -> None:
    hidden = find_added("", new)
    assert hidden is not None
    assert why_hidden(*hidden) == message


TEXTS = st.text(st.sampled_from("ab\n🔥❤1ककम\u200d\u200c\u200b\ufe0f\ufeff\u202e\ud800\x00"), max_size=12)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_nothing_added_nothing_refused(old: str, new: str) -> None:
    assert find_added(new, new) is None
    assert find_added(old + "\n" + new + "\n", new) is None or new.startswith(("\u200d", "\u200c", "\ufe0f", "\ufeff"))
    hidden = find_added(old, new)
    if hidden is not None:
        char = new.split("\n")[hidden[1] - 1][hidden[2] - 1]
        assert char == hidden[0]


@settings(deadline=None)
@given(st.text(max_size=30), st.sampled_from("\u202e\u200b\u2066\U000e0041\x08"), st.integers(0, 30))
def test_no_hiding_place(text: str, char: str, at: int) -> None:
    assert find_added(text, text[:at] + char + text[at:]) is not None
