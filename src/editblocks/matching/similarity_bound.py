"""An upper bound on how similar a text can be to any run of lines of a file, for all places at once.

Diagnosis only compares the few places that lines vote for. To prove that there is no other, this measures how much
each line of the text has in common with each line of the file, and adds up the best pairs in order. No way to pair
the lines gives a similarity above the bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import add

# Bytes of a large integer that one step of a `Budget` pays for, and the steps that pairing two lines costs.
_CHARACTERS_A_STEP, _STEPS_A_PAIR = 2048, 4


def steps_needed(search: Sequence[str], lines: Sequence[str]) -> int:
    """Return the cost of `most_alike` in steps of a `Budget`."""
    size = sum(map(len, lines)) + len(lines)
    return sum(map(len, search)) * (size // _CHARACTERS_A_STEP + 1) + _STEPS_A_PAIR * len(search) * len(lines)


def most_alike(search: Sequence[str], lines: Sequence[str], size: int) -> float:
    """Return an upper bound on the similarity of `search` to any `size` lines in a row of `lines`.

    Similarity is that of diagnosis. Lines are stripped, and `search` has a line that is not blank.
    """
    if not lines:
        return 0.0
    weights = list(_weights([line for line in search if line], lines))
    best = 0.0
    for start in range(0, len(lines), size):  # every run of `size` lines lies in one of these windows
        sums = [0.0] * (min(2 * size, len(lines) - start) + 1)
        for alike in weights:
            paired = map(add, sums, alike[start : start + 2 * size])
            sums = list(accumulate(map(max, sums[1:], paired), max, initial=0.0))
        best = max(best, sums[-1])
    return best / sum(map(len, search))


def _weights(search: Sequence[str], lines: Sequence[str]) -> Iterator[list[float]]:
    """Yield, for each searched line, what each line of the file would add to the similarity if paired with it."""
    # Characters beyond Latin-1 all become the same one, which can only make lines more similar.
    data = "".join("\n" + line for line in lines).encode("latin-1", "replace")
    ends = accumulate((len(line) + 1 for line in lines), initial=0)
    spans = [(end + 1, following) for end, following in pairwise(ends)]
    where: dict[int, int] = {}
    for line in search:
        text = line.encode("latin-1", "replace")
        for byte in {*text, 0x0A} - where.keys():
            where[byte] = _places(data, byte)
        count, size = _common(text, where, len(data)).count, len(text)
        yield [2 * size * count("0", start, stop) / (size + stop - start) for start, stop in spans]


def _places(data: bytes, byte: int) -> int:
    """Return an integer with one bit for each byte of `data`, the first byte highest; 1 if the byte is `byte`."""
    table = bytearray(b"0" * 256)
    table[byte] = ord("1")
    return int(data.translate(table), 2)


def _common(text: bytes, where: dict[int, int], size: int) -> str:
    """Return one binary digit for each byte of the file; the zeros in a line count its common subsequence with `text`.

    The rows of bits are those of `align.rows`, with all lines in one integer: the bit of a line end absorbs the carry.
    """
    ends = where[0x0A]
    full = (1 << size) - 1 - ends
    row = full
    for byte in reversed(text):
        hits = row & where[byte]
        row = (row + hits | row - hits) & full
    return f"{row:0{size}b}"
