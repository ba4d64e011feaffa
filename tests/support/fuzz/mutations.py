"""Change an input in a few places, like models, people, mail programs and attackers do."""

from collections.abc import Callable, Sequence
from random import Random

SEPARATOR = "\x1c"  # between the parts of one input
MOST_CHARACTERS = 20_000

WORDS = (
    *"<<<<<<< SEARCH|=======|>>>>>>> REPLACE|<<<<<<<|>>>>>>> main|<<<<<<< EDIT|««« EDIT|═══════ REPL".split("|"),
    *"------- SEARCH|+++++++ REPLACE|:start_line:2|-------|```|```python|````|~~~|```diff|```edit:a.py".split("|"),
    *"*** Begin Patch|*** End Patch|*** Update File: a.py|*** Add File: new.py|*** Delete File: a.py|@@".split("|"),
    *"--- a/a.py|+++ b/a.py|@@ -1,2 +1,3 @@|diff --git a/a.py b/a.py|rename to b.py|+++ /dev/null|+|-| ".split("|"),
    *"<think>|</think>|<!--|-->|<path>a.py</path>|<diff>|</diff>|<edit>|</edit>|<details>|<source>".split("|"),
    *'{"path": "a.py"}|"old_string": "x"|"new_string": ""|{|}|[|]|,|null|true|-1|1e999|"\\ud800"|""'.split("|"),
    *"base: 4be1d02|... existing code ...|# File: a.py|`a.py`|../a.py|.git/config|.github/workflows/x.yml".split("|"),
    *"mode: apply|paths: ['**']|allow-protected: [.envrc]|max-blocks: 999999999|- a|? a|&a b|*a|!!str x|%".split("|"),
)
CHARACTERS = "\0\t\r\n \ufeff\u2028\u200b\u202e\u00a0é𝒳\x1b\x0c<>=`~*\"'\\{}[]:#-+|0129aZ"
Lines = list[str]


def mutate(text: str, others: Sequence[str], dice: Random) -> str:
    """Return `text` with one to four changes. Some changes insert lines of one of `others`."""
    for _ in range(dice.choice((1, 1, 2, 3, 4))):
        change = dice.choice(CHANGES)
        text = change(text, dice.choice(others), dice)
    return text[:MOST_CHARACTERS]


def _of_lines(change: Callable[[Lines, Lines, Random], Lines]) -> Callable[[str, str, Random], str]:
    def changed(text: str, other: str, dice: Random) -> str:
        return "".join(change(text.splitlines(keepends=True), other.splitlines(keepends=True), dice))

    return changed


def _piece(lines: Lines, dice: Random) -> tuple[int, int]:
    """Choose a few lines, and return their `start` and `stop` (0-based, half-open)."""
    start = dice.randrange(len(lines) + 1)
    return start, min(len(lines), start + dice.choice((1, 1, 1, 2, 3, 5, 8)))


def _leave_out(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    return lines[:start] + lines[stop:]


def _repeat(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    return lines[:stop] + lines[start:stop] * dice.choice((1, 1, 2, 9)) + lines[stop:]


def _move(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    rest = lines[:start] + lines[stop:]
    place = dice.randrange(len(rest) + 1)
    return rest[:place] + lines[start:stop] + rest[place:]


def _copy(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    place = dice.randrange(len(lines) + 1)
    return lines[:place] + lines[start:stop] + lines[place:]


def _bring(lines: Lines, others: Lines, dice: Random) -> Lines:
    start, stop = _piece(others, dice)
    place = dice.randrange(len(lines) + 1)
    return lines[:place] + others[start:stop] + lines[place:]


def _join(lines: Lines, others: Lines, dice: Random) -> Lines:
    """Join the first part of one text and the last part of another."""
    return lines[: dice.randrange(len(lines) + 1)] + others[dice.randrange(len(others) + 1) :]


def _write_word(lines: Lines, _: Lines, dice: Random) -> Lines:
    place = dice.randrange(len(lines) + 1)
    return [*lines[:place], dice.choice(("", "", " ", "    ", "> ")) + dice.choice(WORDS) + "\n", *lines[place:]]


def _indent(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    blank = dice.choice((" ", "  ", "    ", "\t", "> ", "+", "-"))
    return lines[:start] + [blank + line for line in lines[start:stop]] + lines[stop:]


def _dedent(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    return lines[:start] + [line.lstrip(" \t") for line in lines[start:stop]] + lines[stop:]


def _end_otherwise(lines: Lines, _: Lines, dice: Random) -> Lines:
    start, stop = _piece(lines, dice)
    end = dice.choice(("\r\n", "\n", "\r", " \n", ""))
    return lines[:start] + [line.rstrip("\r\n") + end for line in lines[start:stop]] + lines[stop:]


def _end_all_otherwise(text: str, _: str, dice: Random) -> str:
    return text.replace("\n", dice.choice(("\r\n", "\r\n", "\r")))


def _cut(text: str, _: str, dice: Random) -> str:
    return text[: dice.randrange(len(text) + 1)]


def _write_character(text: str, _: str, dice: Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(CHARACTERS) * dice.choice((1, 1, 1, 2, 7)) + text[place:]


def _change_character(text: str, _: str, dice: Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(CHARACTERS) + text[place + 1 :]


def _lose_characters(text: str, _: str, dice: Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + text[place + dice.choice((1, 1, 2, 5)) :]


CHANGES: tuple[Callable[[str, str, Random], str], ...] = (
    *map(_of_lines, (_leave_out, _repeat, _move, _copy, _bring, _join, _write_word, _write_word)),
    *map(_of_lines, (_indent, _dedent, _end_otherwise)),
    *(_end_all_otherwise, _cut, _write_character, _change_character, _lose_characters),
)
