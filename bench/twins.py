"""The ways in which a file differs from what the block was written for: it has changed, or the block fits two places.

The right results are as in bench/breaking.py. If two places fit equally well, only a refusal is right.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from bench import breaking
from bench.breaking import STEP, Case, case_of, misfit, one_of, outdented, text
from bench.responses import Dice
from bench.sources import NAME, Edit, Source, changed

_REPEATED = 2  # lines of a place that the file has several times


def elsewhere(dice: Dice, source: Source, edit: Edit) -> int:
    """Choose a line above which other lines can be inserted without splitting the place of the edit."""
    number = dice.below(edit.start + len(source.lines) - edit.stop)
    return number if number < edit.start else number - edit.start + edit.stop + 1


def _with_copy(dice: Dice, source: Source, edit: Edit, say: Callable[[str], str]) -> tuple[list[str], Edit]:
    """Return the file with a copy of the place, whose lines `say` rewrites, and the edit moved to fit that file."""
    at = elsewhere(dice, source, edit)
    copy = [say(line) for line in source.lines[edit.start : edit.stop]]
    return [*source.lines[:at], *copy, *source.lines[at:]], shifted(edit, len(copy) if at <= edit.start else 0)


def shifted(edit: Edit, by: int) -> Edit:
    """Return the edit moved down by `by` lines."""
    new = [line + by if isinstance(line, int) else line for line in edit.new]
    return Edit(edit.start + by, edit.stop + by, edit.at + by, new)


def _two_places(dice: Dice, source: Source, edit: Edit) -> Case:
    before, _ = _with_copy(dice, source, edit, lambda line: line)
    return case_of(source, edit, before=before, right=[])


def _two_places_blanks(dice: Dice, source: Source, edit: Edit) -> Case:
    before, _ = _with_copy(dice, source, edit, lambda line: f"{line} ")
    said = {edit.start: [f"{source.lines[edit.start]}  "]}
    return case_of(source, edit, said, before=before, right=[])


def _two_places_shifted(dice: Dice, source: Source, edit: Edit) -> Case | None:
    step = dice.pick(("", STEP))
    before, _ = _with_copy(dice, source, edit, lambda line: f"{step}{line}" if line.strip() else line)
    say = outdented(source, edit)
    return case_of(source, edit, say=say, before=before, right=[]) if say else None


def _twin_shifted(dice: Dice, source: Source, edit: Edit) -> Case:
    """The copy has a different indentation. Only the original equals the block, so it is the intended place."""
    before, moved = _with_copy(dice, source, edit, lambda line: f"{STEP}{line}" if line.strip() else line)
    return case_of(source, edit, before=before, right=[moved.done(before)])


def _two_alike(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """The block has a wrong name in a line, and a second place has yet another name there."""
    number = one_of(dice, [number for number in edit.context if NAME.search(source.lines[number])])
    if number is None or source.lines[edit.start : edit.stop].count(source.lines[number]) > 1:
        return None
    line = source.lines[number]
    before, _ = _with_copy(dice, source, edit, lambda other: changed(line, "_one") if other == line else other)
    return misfit(source, case_of(source, edit, {number: [changed(line, "_two")]}, before=before, right=[]))


def _already_there(_dice: Dice, source: Source, edit: Edit) -> Case:
    after = edit.done(source.lines)
    return case_of(source, edit, before=after, right=[after])


def _insertion_already_there(dice: Dice, source: Source, edit: Edit) -> Case:
    """An insertion is applied already. All old lines are still there, so the block would fit a second time."""
    kept: list[int | str] = list(range(edit.start, edit.stop))
    added = [f"added_{dice.below(1000)} = {index}" for index in range(1 + dice.below(3))]
    new = [*kept, *added] if dice.below(2) else [*added, *kept]
    insertion = Edit(edit.start, edit.stop, edit.at, new)
    return _already_there(dice, source, insertion)


def _stale_elsewhere(dice: Dice, source: Source, edit: Edit) -> Case:
    at = elsewhere(dice, source, edit)
    head = [*source.lines[:at], f"came_{dice.below(1000)} = since", *source.lines[at:]]
    moved = shifted(edit, 1 if at <= edit.start else 0)
    return case_of(source, edit, before=head, right=[moved.done(head)])._replace(base=text(source.lines))


def _stale_context(dice: Dice, source: Source, edit: Edit) -> Case | None:
    number = one_of(dice, [number for number in edit.context if source.lines[number].strip()])
    if number is None:
        return None
    head = [changed(line, "_since") if at == number else line for at, line in enumerate(source.lines)]
    return case_of(source, edit, before=head)._replace(base=text(source.lines))


def _stale_conflict(_dice: Dice, source: Source, edit: Edit) -> Case | None:
    """The line to change has changed since. Insertions make no case, because they leave that line as it is."""
    if edit.at in edit.new:
        return None
    head = [changed(line, "_since") if at == edit.at else line for at, line in enumerate(source.lines)]
    return case_of(source, edit, before=head, right=[])._replace(base=text(source.lines))


def _there_already_twin(dice: Dice, source: Source, edit: Edit) -> Case:
    """The edit is applied already. A copy of the old lines with another indentation must stay as it is."""
    before, moved = _with_copy(dice, source, edit, lambda line: f"{STEP}{line}" if line.strip() else line)
    after = moved.done(before)
    return case_of(source, edit, before=after, right=[after])


def _repeats(source: Source, is_wanted: Callable[[int, int], bool]) -> Iterator[Edit]:
    """Yield edits of pairs of lines. `is_wanted` gets how often a pair occurs exactly, and how often when stripped."""
    pairs = list(zip(source.lines, source.lines[1:], strict=False))
    exact = Counter(pairs)
    bare = Counter((one.strip(), other.strip()) for one, other in pairs)
    for start, (one, other) in enumerate(pairs):
        if one.strip() and other.strip() and is_wanted(exact[one, other], bare[one.strip(), other.strip()]):
            yield Edit(start, start + _REPEATED, start, [changed(one, "_new"), start + 1])


def _one_repeat(dice: Dice, source: Source, is_wanted: Callable[[int, int], bool]) -> Edit | None:
    found = list(_repeats(source, is_wanted))
    return found[dice.below(len(found))] if found else None


def _repeated(dice: Dice, source: Source, _edit: Edit) -> Case | None:
    edit = _one_repeat(dice, source, lambda exact, _bare: exact > 1)
    return None if edit is None else case_of(source, edit, right=[])


def _repeated_shifted(dice: Dice, source: Source, _edit: Edit) -> Case | None:
    edit = _one_repeat(dice, source, lambda exact, bare: exact == 1 < bare)
    return None if edit is None else case_of(source, edit)


def _repeated_outdented(dice: Dice, source: Source, _edit: Edit) -> Case | None:
    """The block lost its indentation. It must be refused if several places fit it by one shift of indentation."""
    edit = _one_repeat(dice, source, lambda _exact, bare: bare > 1)
    say = None if edit is None else outdented(source, edit)
    if edit is None or say is None:
        return None
    case = case_of(source, edit, say=say)
    if f"\n{case.search}" in f"\n{case.before}":
        return None
    places = [at for at in range(len(source.lines) - 1) if _is_shifted(source.lines[at : at + _REPEATED], case.search)]
    return case if places == [edit.start] else case._replace(right=frozenset())


def _is_shifted(lines: Sequence[str], search: str) -> bool:
    """Whether the lines equal the old section except for one shift of indentation, the same in every line."""
    pairs = list(zip(lines, search[:-1].split("\n"), strict=True))
    if any(line.strip() != old.strip() for line, old in pairs):
        return False
    shifts = {
        (line.removesuffix(old), "") if line.endswith(old) else ("", old.removesuffix(line)) for line, old in pairs
    }
    return len(shifts) == 1


def _known(way: Callable[[Dice, Source, Edit], Case]) -> Callable[[Dice, Source, Edit], Case]:
    """Return the way with blocks that name the version they were written for."""
    return lambda dice, source, edit: way(dice, source, edit)._replace(base=text(source.lines))


def _twice(way: Callable[[Dice, Source, Edit], Case | None]) -> Callable[[Dice, Source, Edit], Case | None]:
    """Return the way for a file that has the place twice, so that the block must be refused."""

    def make(dice: Dice, source: Source, edit: Edit) -> Case | None:
        case = way(dice, source, edit)
        before, _ = _with_copy(dice, source, edit, lambda line: line)
        return case and case._replace(before=text(before), right=frozenset())

    return make


def _gone(_dice: Dice, source: Source, edit: Edit) -> Case:
    """The place has been removed from the file."""
    head = [*source.lines[: edit.start], *source.lines[edit.stop :]]
    return case_of(source, edit, before=head, right=[])


def _forgotten(way: Callable[[Dice, Source, Edit], Case | None]) -> Callable[[Dice, Source, Edit], Case | None]:
    """Return the way with blocks that do not name the version they were written for."""

    def make(dice: Dice, source: Source, edit: Edit) -> Case | None:
        case = way(dice, source, edit)
        return case and case._replace(base=None)

    return make


WAYS: Mapping[str, Callable[[Dice, Source, Edit], Case | None]] = {
    "file changed elsewhere": _forgotten(_stale_elsewhere),
    "file changed elsewhere, base known": _stale_elsewhere,
    "context changed in the file": _forgotten(_stale_context),
    "context changed in the file, base known": _stale_context,
    "line changed in the file": _forgotten(_stale_conflict),
    "line changed in the file, base known": _stale_conflict,
    "place gone from the file": _gone,
    "place gone from the file, base known": _known(_gone),
    "twin at another indentation": _twin_shifted,
    "fits two places": _two_places,
    "fits two places but for blanks": _two_places_blanks,
    "fits two places but for indentation": _two_places_shifted,
    "a name changed, two places alike": _two_alike,
    "a line broken in two, two places": _twice(breaking.WAYS["a line broken in two"]),
    "middle elided, two places": _twice(breaking.WAYS["middle elided"]),
    "two lines that the file repeats": _repeated,
    "the same, each at its indentation": _repeated_shifted,
    "the same, without their indentation": _repeated_outdented,
    "there already": _already_there,
    "there already, base known": _known(_already_there),
    "there already, an insertion": _insertion_already_there,
    "there already, an insertion, base known": _known(_insertion_already_there),
    "there already, a twin elsewhere": _there_already_twin,
}
