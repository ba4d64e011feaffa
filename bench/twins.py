"""The ways in which the file is not what the block was written for: it has changed, or fits in several places.

What is right is as in bench/breaking.py. Where two places fit alike, only a refusal is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from bench import breaking
from bench.breaking import STEP, Case, case_of, misfit, one_of, outdented, text
from bench.responses import Dice
from bench.sources import NAME, Edit, Source, changed

_REPEATED = 2  # lines of a place that the file has several times


def elsewhere(dice: Dice, source: Source, edit: Edit) -> int:
    """A line above which something can be put outside of the place."""
    number = dice.below(edit.start + len(source.lines) - edit.stop)
    return number if number < edit.start else number - edit.start + edit.stop + 1


def _with_copy(dice: Dice, source: Source, edit: Edit, say: Callable[[str], str]) -> tuple[list[str], Edit]:
    """The file with a second place, as `say` puts its lines, and the edit in that file."""
    at = elsewhere(dice, source, edit)
    copy = [say(line) for line in source.lines[edit.start : edit.stop]]
    return [*source.lines[:at], *copy, *source.lines[at:]], shifted(edit, len(copy) if at <= edit.start else 0)


def shifted(edit: Edit, by: int) -> Edit:
    """The same edit, so many lines further down."""
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
    """Here the place is determined: the block is written as one of the two is."""
    before, moved = _with_copy(dice, source, edit, lambda line: f"{STEP}{line}" if line.strip() else line)
    return case_of(source, edit, before=before, right=[moved.done(before)])


def _two_alike(dice: Dice, source: Source, edit: Edit) -> Case | None:
    """A name is wrong in the block, and there is a second place that has yet another one."""
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
    """The new lines are above or below all of the old ones, which therefore fit once more."""
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
    """The line that is to be changed has been changed otherwise; after an insertion it is still there."""
    if edit.at in edit.new:
        return None
    head = [changed(line, "_since") if at == edit.at else line for at, line in enumerate(source.lines)]
    return case_of(source, edit, before=head, right=[])._replace(base=text(source.lines))


def _there_already_twin(dice: Dice, source: Source, edit: Edit) -> Case:
    """It is applied, and the old lines stand elsewhere at another indentation: nobody asked for them to change."""
    before, moved = _with_copy(dice, source, edit, lambda line: f"{STEP}{line}" if line.strip() else line)
    after = moved.done(before)
    return case_of(source, edit, before=after, right=[after])


def _repeats(source: Source, is_wanted: Callable[[int, int], bool]) -> Iterator[Edit]:
    """Changes of pairs of lines that the file has several times: so often as they are, and so often stripped."""
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
    """Right is the one place that is indented alike but for a shift, if there is no other."""
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
    """Whether the lines are those of a section, all indented by the same or all outdented by the same."""
    pairs = list(zip(lines, search[:-1].split("\n"), strict=True))
    if any(line.strip() != old.strip() for line, old in pairs):
        return False
    shifts = {
        (line.removesuffix(old), "") if line.endswith(old) else ("", old.removesuffix(line)) for line, old in pairs
    }
    return len(shifts) == 1


def _known(way: Callable[[Dice, Source, Edit], Case]) -> Callable[[Dice, Source, Edit], Case]:
    """The same way, and the block names the version that it was written for."""
    return lambda dice, source, edit: way(dice, source, edit)._replace(base=text(source.lines))


def _twice(way: Callable[[Dice, Source, Edit], Case | None]) -> Callable[[Dice, Source, Edit], Case | None]:
    """A way to break words, and the file has the place twice."""

    def make(dice: Dice, source: Source, edit: Edit) -> Case | None:
        case = way(dice, source, edit)
        before, _ = _with_copy(dice, source, edit, lambda line: line)
        return case and case._replace(before=text(before), right=frozenset())

    return make


def _gone(_dice: Dice, source: Source, edit: Edit) -> Case:
    """Somebody has removed the place."""
    head = [*source.lines[: edit.start], *source.lines[edit.stop :]]
    return case_of(source, edit, before=head, right=[])


def _forgotten(way: Callable[[Dice, Source, Edit], Case | None]) -> Callable[[Dice, Source, Edit], Case | None]:
    """The same way, but nobody knows which version the block was written for."""

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
