"""Generated responses for measurements: the same texts in every run, on every machine and Python."""

from collections.abc import Callable, Sequence

OPENER, DIVIDER, CLOSER = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
BLOCK = f"{OPENER}x\n{DIVIDER}y\n{CLOSER}"
FIRST = f"a.py\n{BLOCK}"  # put before a text without an opener, which could otherwise be skipped as a whole

_WORDS = (
    "the a of to in is that it for on with as this which by from be are not but when if then each one two every "
    "cache value table request reader response branch commit index path line order result caller test error check "
    "because so change keep move read write return handle parse name small first last empty again before after"
).split()
NAMES = "cache count entry field item key label limit name offset order owner path queue rate size state total".split()
_CODE = (
    "    {0} = self._{1}.get({2}, {n})\n",
    "    if {0} is None or {1} > {n}:\n",
    "        return {0}.{1}({2})\n",
    "    for {0}, {1} in enumerate({2}.{0}s):\n",
    "    self.{0}[{1}] = format_{2}({0}, width={n})\n",
    '    raise ValueError(f"{0} {{{1}!r}} is over the {2} of {n}")\n',
    "    # The {0} may be older than the {1}, so ask for the {2} again.\n",
    "\n",
)


class Dice:
    """Random-looking choices, the same in every run: a linear congruential generator (Knuth's MMIX constants)."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._state >> 33) % limit

    def pick(self, items: Sequence[str]) -> str:
        return items[self.below(len(items))]


def many_blocks(files: int, blocks: int, seed: int = 3) -> str:
    """Return a response with blocks of about 1 kB each: prose, path line, fence, and about 10 lines in each section."""
    dice = Dice(seed)
    return "".join(
        _described_block(dice, f"src/part{number % files // 20}/file{number % files}.py", number)
        for number in range(blocks)
    )


def _described_block(dice: Dice, path: str, number: int) -> str:
    old = [_code_line(dice) for _ in range(7 + dice.below(6))]
    new = [*old[:3], f"    step = {number}\n", *old[4:], _code_line(dice)]
    return f"{_sentence(dice)}\n\n{path}\n```python\n{OPENER}{''.join(old)}{DIVIDER}{''.join(new)}{CLOSER}```\n\n"


def _code_line(dice: Dice) -> str:
    return dice.pick(_CODE).format(*(dice.pick(NAMES) for _ in range(3)), n=dice.below(1000))


def prose(size: int, seed: int = 10) -> str:
    """Return at least `size` characters of explanation as a model writes it, without blocks and marker lines.

    It has paragraphs, lists, quotes, tables, headings that name files, and fences with code.
    """
    dice = Dice(seed)
    pieces = [make(dice) for make in (*_PIECES, *_PIECES) for _ in range(40)]
    made, left = [], size
    while left > 0:
        made.append(dice.pick(pieces))
        left -= len(made[-1])
    return "".join(made)


def _sentence(dice: Dice) -> str:
    words = " ".join(dice.pick(_WORDS) for _ in range(8 + dice.below(12)))
    return f"{words.capitalize()} `{dice.pick(NAMES)}`."


def _paragraph(dice: Dice) -> str:
    return " ".join(_sentence(dice) for _ in range(3 + dice.below(4))) + "\n\n"


def _wrapped(dice: Dice) -> str:
    return "\n".join(_sentence(dice) for _ in range(3 + dice.below(4))) + "\n\n"


def _list(dice: Dice) -> str:
    return "".join(f"- **{dice.pick(NAMES)}**: {_sentence(dice)}\n" for _ in range(3 + dice.below(4))) + "\n"


def _steps(dice: Dice) -> str:
    return "".join(f"{number}. {_sentence(dice)}\n" for number in range(1, 5)) + "\n"


def _heading(dice: Dice) -> str:
    return f"### File: src/{dice.pick(NAMES)}.py\n\n{_sentence(dice)}\n\n## {dice.pick(NAMES)}\n\n"


def _quote(dice: Dice) -> str:
    return f"> {_sentence(dice)}\n> {_sentence(dice)}\n\n"


def _table(dice: Dice) -> str:
    rows = "".join(f"| `{dice.pick(NAMES)}` | {_sentence(dice)} |\n" for _ in range(4))
    return f"| name | meaning |\n|---|---|\n{rows}\n"


def _listing(dice: Dice) -> str:
    return f"```python\n{''.join(_code_line(dice) for _ in range(6 + dice.below(10)))}```\n\n"


_PIECES: tuple[Callable[[Dice], str], ...] = (
    _paragraph, _paragraph, _wrapped, _list, _steps, _heading, _quote, _table, _listing,
)  # fmt: skip


def _fill(piece: str, size: int) -> str:
    """Repeat `piece` up to about `size` characters."""
    return piece * max(1, size // len(piece))


def _deep_lists(size: int) -> str:
    """Make list items that nest 50 levels deep, again and again, with a fence in each."""
    return FIRST + _fill("".join(f"{'  ' * depth}- item\n{'  ' * depth}  ```python\n" for depth in range(50)), size)


def _every_length(size: int) -> str:
    """Make openers inside openers, of each length that a marker may have."""
    return _fill("".join("<" * length + " SEARCH\n" for length in range(5, 10)), size)


HOSTILE: dict[str, Callable[[int], str]] = {
    "an unclosed block": lambda size: f"a.py\n{OPENER}" + _fill("x = 1\n", size),
    "unclosed blocks": lambda size: _fill(f"a.py\n{OPENER}x = 1\n{DIVIDER}", size),
    "only openers": lambda size: _fill(OPENER, size),
    "openers in openers, of every length": _every_length,
    "openers of alternating kinds": lambda size: _fill(
        f'{OPENER}<<<<<<< EDIT\n<<<<<<< NEW_FILE\n««« EDIT\n<boltAction type="edit">\n', size
    ),
    "only dividers": lambda size: FIRST + _fill(DIVIDER, size),
    "dividers in a block": lambda size: f"a.md\n{OPENER}{_fill(DIVIDER, size)}{CLOSER}",
    "only closers": lambda size: _fill(CLOSER, size),
    "closers of another length in a block": lambda size: f"a.py\n{OPENER}{DIVIDER}" + _fill(">>>>> REPLACE\n", size),
    "conflicts that never end, on both sides of a block": lambda size: (
        f"a.md\n{OPENER}{_fill('<<<<<<< ours' + chr(10), size // 2)}{DIVIDER}"
        f"{_fill('<<<<<<< ours' + chr(10), size // 2)}{CLOSER}"
    ),
    "tiny blocks": lambda size: _fill(f"a.py\n{BLOCK}", size),
    "tiny blocks in one fence": lambda size: f"a.py\n```\n{_fill(BLOCK, size)}```\n",
    "one long line": lambda size: FIRST + "x" * size,
    "one long line of marker characters": lambda size: FIRST + "<" * size,
    "one line of back-ticks": lambda size: FIRST + "`" * size,
    "carriage returns only": lambda size: FIRST + "\r" * size,
    "fences in lists, 50 deep": _deep_lists,
    "blank lines in a value of a call": lambda size: (
        '<invoke name="Write">\n<parameter name="file_path">a.py</parameter>\n<parameter name="content">x'
        f"{_fill(chr(10), size)}y</parameter>\n</invoke>\n"
    ),
    "a parameter with many names": lambda size: f"<write_to_file>\n<parameter {_fill('path ', size)}\n<content>\nx\n",
    "an unclosed comment": lambda size: "<!--\n" + _fill(f"a.py\n{BLOCK}", size),
    "comments in one line": lambda size: FIRST + _fill("<!-- --> ", size),
}
