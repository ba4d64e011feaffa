"""`fuzzy`: SEARCH is nearly in the file, and the change is merged into the one place that resembles it.

The merge only replaces lines that are in the file exactly as in SEARCH; new lines must be indented as the file is. A
place is the only one if every other place is proven less similar. The proof is an upper bound of the similarity: what
each line of the text has in common with each line of the file is measured, and the best pairs in order are added up.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import add

from editblocks.matching.align import MergeConflict, changes, is_already_around, kept_lines, merge
from editblocks.matching.diagnose import Closest, closest
from editblocks.matching.indentation import is_like_the_file, own_unit
from editblocks.matching.ladder import STEPS_A_BLOCK, Budget, Placement
from editblocks.text.source_text import SourceText

LEAST_SIMILARITY = 0.85
MOST_ELSEWHERE = 0.70  # similarity of any other place; with a gap of only 0.10, the other was too often the one meant
_FEWEST_LINES = 3
_FEWEST_CHARACTERS = 40
# A line points to a place if it has 4 characters and is in the file at most 20 times.
_TELLING = 4
_MOST_PLACES = 20


def propose(
    search: Sequence[str], replace: Sequence[str], source: SourceText, _path: str, budget: Budget
) -> Iterator[Placement]:
    """Yield the place that resembles `search`, if it is proven the only one and the change merges into it."""
    wanted = [line.strip(" \t") for line in search]
    if sum(map(bool, wanted)) < _FEWEST_LINES or sum(map(len, wanted)) < _FEWEST_CHARACTERS:
        return
    place = next(iter(closest(search, source, budget)), None)
    if place is None or place.similarity < LEAST_SIMILARITY:
        return
    placement = merge_at(place, search, replace, source)
    if placement is None:
        return
    lines = source.lines[place.start : place.stop]
    file = [line.strip(" \t") for line in source.lines]
    window = file[place.start : place.stop]
    counts = Counter(file)
    if _has_strays(wanted, window, counts):
        return
    if not _is_anchored(search, replace, lines, counts) or not _is_alone(wanted, place, file, budget):
        return
    pairs = [(search[old], lines[now]) for now, old in kept_lines(wanted, window).items()]
    if is_like_the_file(pairs, placement.added, own_unit(source.lines)):
        yield placement


def merge_at(place: Closest, search: Sequence[str], replace: Sequence[str], source: SourceText) -> Placement | None:
    """Merge the change from `search` to `replace` into a place that is similar; None if both changed the same lines.

    The lines stay as they are if the merged text contains them and is already in the file around them.
    """
    lines = source.lines[place.start : place.stop]
    merged = merge(search, lines, replace)
    if isinstance(merged, MergeConflict):
        return None
    new: list[str | int] = []
    for line in merged:
        if isinstance(line, int):
            new.append(place.start + line)
        else:
            new.append(line)
    placement = Placement("fuzzy", "low", place.start, place.stop, tuple(new), similarity=place.similarity)
    if is_already_around(lines, source.with_kept(new), place.start, source.lines):
        return placement._replace(new=placement.kept)
    return placement


def _has_strays(wanted: Sequence[str], window: Sequence[str], counts: Mapping[str, int]) -> bool:
    """Whether a line of SEARCH that the place lacks is elsewhere in the file: then that place may be the one meant."""
    lacking = {line for line in wanted if len(line) >= _TELLING}.difference(window)
    return any(0 < counts[line] <= _MOST_PLACES for line in lacking)


def _is_alone(wanted: Sequence[str], place: Closest, file: Sequence[str], budget: Budget) -> bool:
    """Whether all other places, with at most a quarter of their lines in this one, are proven less similar."""
    shared = (place.stop - place.start) // 4
    others = file[: place.start + shared], file[place.stop - shared :]
    steps = sum(steps_needed(wanted, lines) for lines in others)
    if steps > min(STEPS_A_BLOCK, budget.left):
        return False
    budget.left -= steps
    size = len(wanted) + 2 * max(2, len(wanted) // 8)  # lines of a place that diagnosis would compare
    return all(most_alike(wanted, lines, size) < MOST_ELSEWHERE for lines in others)


def _is_anchored(
    search: Sequence[str], replace: Sequence[str], window: Sequence[str], counts: Mapping[str, int]
) -> bool:
    """Whether each change touches or holds a line that the window surely keeps and the file has only once."""
    gone = (range(change.start, change.stop) for change in changes(search, window))
    kept = set(range(len(search))).difference(*gone)
    return all(
        any(counts[search[index].strip(" \t")] == 1 for index in kept.intersection(range(start - 1, stop + 1)))
        for start, stop, _, _ in changes(search, replace)
    )


_CHARACTERS_A_STEP = 2048  # bytes of a large integer that one step of a `Budget` pays for
_STEPS_A_PAIR = 4  # the cost of pairing two lines


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
        sums = [0.0] * (2 * size + 1)
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
        count = _common(text, where, len(data)).count
        size = len(text)
        yield [2 * size * count("0", start, stop) / (size + stop - start) for start, stop in spans]


def _places(data: bytes, byte: int) -> int:
    """An integer with one bit for each byte of `data`, the first byte highest; 1 if the byte is `byte`."""
    table = bytearray(b"0" * 256)
    table[byte] = ord("1")
    return int(data.translate(table), 2)


def _common(text: bytes, where: dict[int, int], size: int) -> str:
    """One binary digit for each byte of the file; a line has as many zeros as its common subsequence with `text`.

    The rows of bits are those of `align._rows`, with all lines in one integer: the bit of a line end absorbs the carry.
    """
    full = (1 << size) - 1 - where[0x0A]
    row = full
    for byte in reversed(text):
        hits = row & where[byte]
        row = (row + hits | row - hits) & full
    return f"{row:0{size}b}"
