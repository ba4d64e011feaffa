"""The words that every layer makes its sentences of."""

import re

import pytest

from editblocks.core.phrases import after_blocks, did_you_mean, without_blocks

AFTER = {
    "one": ((4,), "after block 4"),
    "a run": ((1, 2), "after blocks 1-2"),
    "as long as a sentence shows": ((1, 3, 5, 7, 9, 11, 13, 1115), "after blocks 1,3,5,7,9,11,13,1115"),
    "longer": ((1, 3, 5, 7, 9, 11, 113, 1115), "after the blocks above"),
}
WITHOUT = {
    "one": ((4,), "without block 4"),
    "two": ((2, 5), "without blocks 2 and 5"),
    "as long as a sentence shows": ((1, 3, 5, 7, 9, 11), "without blocks 1, 3, 5, 7, 9 and 11"),
    "longer": ((1, 3, 5, 7, 9, 110), "without those that failed"),
}
WORDS = {
    "a mistyped word": ("redy", ("all", "ready", "read"), "did you mean ready?"),
    "a word of other people": ("search-replace", ("diff", "patch"), "did you mean diff?"),
    "an unknown word": ("xyz", ("all", "ready"), "use one of all, ready"),
}


@pytest.mark.parametrize(("numbers", "words"), AFTER.values(), ids=AFTER)
def test_which_blocks_line_numbers_count_after(numbers: tuple[int, ...], words: str) -> None:
    assert after_blocks(numbers) == words


@pytest.mark.parametrize(("numbers", "words"), WITHOUT.values(), ids=WITHOUT)
def test_which_blocks_a_file_is_without(numbers: tuple[int, ...], words: str) -> None:
    assert without_blocks(numbers) == words


def upper(advice: str) -> str:
    return re.sub("ready|all|diff", lambda word: word[0].upper(), advice)


@pytest.mark.parametrize(("word", "known", "advice"), WORDS.values(), ids=WORDS)
def test_what_was_meant(word: str, known: tuple[str, ...], advice: str) -> None:
    assert did_you_mean(word, known) == advice
    assert did_you_mean(word, known, str.upper) == upper(advice)
