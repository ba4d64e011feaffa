"""Counts, lists, lines and block numbers in words, for the messages of every layer. Nothing here is escaped."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from editblocks.core.codes import ReasonCode

_LONGEST = 20  # characters of block numbers in a sentence
_SHOWN = 40  # characters of a line
_OTHER_WORDS = {"search-replace": "diff"}  # names that other tools use → our names


def for_people(code: ReasonCode, sentence: str) -> str:
    """Return a failure in one line, `code: sentence`; without the code for a wrong command or setting."""
    if code in (ReasonCode.BAD_COMMAND, ReasonCode.BAD_CONFIG):
        return sentence
    return f"{code.value}: {sentence}"


def cut(text: str) -> str:
    """Cut a line to the length that messages show."""
    if len(text) <= _SHOWN:
        return text
    return f"{text[: _SHOWN - 1]}…"


def noun_for(count: int, noun: str) -> str:
    """`file` for one, `files` for any other number; `backslashes` for two."""
    if count == 1:
        return noun
    if noun.endswith("sh"):
        return f"{noun}es"
    return f"{noun}s"


def plural(count: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{count} {noun_for(count, noun)}"


def join_words(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def join_parts(separator: str, *parts: str) -> str:
    """The parts that are not empty, one after the other."""
    return separator.join(part for part in parts if part)


def count_words(counts: Mapping[str, int]) -> str:
    """`3 ready, 1 skipped, 2 failed`."""
    return ", ".join(f"{count} {word}" for word, count in counts.items())


def ranges(numbers: Iterable[int]) -> str:
    """`1-3,5` for 1, 2, 3, 5, the form in which people select blocks."""
    spans: list[list[int]] = []  # the first and the last number of each
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(line_range((first, last)) for first, last in spans)


def blocks(numbers: Sequence[int]) -> str:
    """`block 4`, `blocks 4 and 5`, `blocks 1-3 and 5`."""
    parts = [str(number) for number in numbers]
    if len(numbers) > 2:
        parts = ranges(numbers).split(",")
    return f"{noun_for(len(numbers), 'block')} {join_words(parts)}"


def after_blocks(numbers: Sequence[int]) -> str:
    """`after blocks 1-2`, for line numbers of the file with these blocks applied."""
    named = ranges(numbers)
    if len(named) > _LONGEST:
        return "after the blocks above"
    return f"after {noun_for(len(numbers), 'block')} {named}"


def line_of(path: str, line: int, after: Sequence[int]) -> str:
    """`src/cart.py:5`, or `line 8 of src/cart.py after block 1`."""
    if not after:
        return f"{path}:{line}"
    return f"line {line} of {path} {after_blocks(after)}"


def without_blocks(numbers: Sequence[int]) -> str:
    """`without blocks 2 and 5`, for the file with all blocks applied except these, which failed."""
    named = join_words(ranges(numbers).split(","))
    if len(named) > _LONGEST:
        return "without those that failed"
    return f"without {noun_for(len(numbers), 'block')} {named}"


def percent(similarity: float) -> str:
    """`91 %`, and `99 %` at most: similar texts differ somewhere, if only in a tab."""
    return f"{min(int(similarity * 100 + 0.5), 99)} %"


def line_range(lines: tuple[int, int]) -> str:
    """`41-47`, or `88` for one line."""
    first, last = lines
    if first >= last:
        return f"{first}"
    return f"{first}-{last}"


def named_lines(lines: tuple[int, int]) -> str:
    """`lines 41-47`, or `line 88`."""
    first, last = lines
    return f"{noun_for(max(last - first, 0) + 1, 'line')} {line_range(lines)}"


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar to `word`; None if no word is similar enough."""
    from difflib import get_close_matches  # rarely needed

    matches = get_close_matches(word, known, 1)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Sequence[str], shown: Callable[[str], str] = str) -> str:
    """Return the advice for an unknown word: the nearest known word, or the list of all known words."""
    near = _OTHER_WORDS.get(word)
    if near not in known:
        near = nearest_word(word, known)
    if near:
        return f"did you mean {shown(near)}?"
    return f"use one of {', '.join(map(shown, known))}"
