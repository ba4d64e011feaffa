"""What must hold for every text and every pair of texts, against an oracle that knows nothing of the code."""

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.call_blocks import JSON, RUN, after, plan, replace, verdict

from editblocks import EditBlock, Settings
from editblocks.core.blocks import ToolCall

EXACT = Settings(matching="exact")
PIECE = st.sampled_from(["a", "b", "ab", " ", "é", "\n", "\n", "\n\n", "\r\n", "x = 1", "\t", "\f"])
TEXT = st.lists(PIECE, max_size=12).map("".join)


class Case(NamedTuple):
    """A file, and a pair of texts for it."""

    file: str
    old: str
    new: str


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A file whose line ends are of one kind or two, and mostly an old text that is a part of it."""
    file = draw(TEXT)
    if draw(st.booleans()):
        file = file.replace("\r\n", "\n").replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    old = draw(TEXT)
    if file and draw(st.booleans()):
        start = draw(st.integers(0, len(file) - 1))
        old = file[start : start + draw(st.integers(1, 8))]
    new = draw(st.one_of(TEXT, TEXT.map(lambda text: text + old), TEXT.map(lambda text: old + text)))
    if draw(st.booleans()):
        old = old.replace("\r\n", "\n")
        new = new.replace("\r\n", "\n")
    return Case(file, old, new)


def units(text: str) -> list[str]:
    """The characters, a line end of two as one."""
    return re.findall(r"\r\n|.", text, re.DOTALL)


def plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def commonest(file: str) -> str:
    ends = re.findall(r"\r?\n", file)
    return max(dict.fromkeys(ends), key=ends.count, default="\n")


def places(case: Case) -> list[int]:
    """Where old text stands, in units of the file."""
    file = list(map(plain, units(case.file)))
    old = list(map(plain, units(case.old)))
    return [at for at in range(len(file)) if old and file[at : at + len(old)] == old]


def expected(case: Case, at: int, *, was_run: bool) -> str | None:
    """The file after the change of one place; None if lines would run together."""
    all_units = units(case.file)
    size = len(units(case.old))
    above = "".join(all_units[:at])
    place = all_units[at : at + size]
    below = "".join(all_units[at + size :])
    new = plain(case.new)
    is_ended = plain(case.old).endswith("\n")
    is_line = re.search(r"(\A|\n)\Z", above) and re.match(r"\r?\n|\Z", below) and not is_ended
    if is_line and not new:
        return above + re.sub(r"\A\r?\n", "", below)
    if not (was_run or below):
        lines = (plain(above) + new).split("\n")[-2:]
        if is_ended and plain(above) + new != "" and not (plain(above) + new).endswith("\n"):
            new += "\n"
        if not is_ended and new.endswith("\n") and lines[0]:
            new = new[:-1]
    elif is_ended and new and not new.endswith("\n") and not was_run:
        return None
    ends = [unit for unit in place if plain(unit) == "\n"]
    lines = new.split("\n")
    text = lines[0]
    for index, line in enumerate(lines[1:]):
        text += (ends[index] if index < len(ends) else commonest(case.file)) + line
    return above + text + below


def starts_like_new(case: Case, at: int, *, was_run: bool) -> list[int]:
    """Where a text begins that reads like the new one, and in which the place stands."""
    file = ended(case, was_run=was_run)
    new = plain(case.new)
    old = plain(case.old)
    is_last = at + len(units(case.old)) == len(units(case.file))
    if is_last and old.endswith("\n") and new and not was_run:  # the file goes on ending with a line break
        new = new.removesuffix("\n") + "\n"
    if new == old:
        return []
    starts = [at - offset for offset in range(len(new) - len(old) + 1) if new.startswith(old, offset) and at >= offset]
    return [start for start in starts if file.startswith(new, start)]


def ended(case: Case, *, was_run: bool) -> str:
    """The text of the file, whose last line ends like the others."""
    file = plain(case.file)
    if was_run or file.endswith("\n"):
        return file
    return file + "\n"


def may_be_other_text(case: Case, at: int, start: int) -> bool:
    """Whether the old text begins or ends a line where the text that reads like the new one is cut from a line."""
    file = ended(case, was_run=False)
    old = plain(case.old)
    new = plain(case.new)

    def begins_line(place: int) -> bool:
        return file[place - 1 : place] in ("", "\n")

    def ends_line(place: int) -> bool:
        return begins_line(place) or file[place : place + 1] in ("", "\n")

    is_cut_above = begins_line(at) and not begins_line(start)
    return is_cut_above or (ends_line(at + len(old)) and not ends_line(start + len(new)))


def may_have_run(case: Case) -> bool:
    """Whether there is a file of which the call made this one; tools count no place that begins in another."""
    file = plain(case.file)
    old = plain(case.old)
    new = plain(case.new)
    earlier = [file[:at] + old + file[at + len(new) :] for at in range(len(file) + 1) if file.startswith(new, at)]
    return any(each.count(old) == 1 for each in earlier)


def check(case: Case, call: ToolCall = JSON) -> None:
    data = case.file.encode()
    result = plan(replace(case.old, case.new, call), {"a.py": data}, EXACT)
    written = after(result, data)
    found = places(case)
    if not case.old:
        return
    if plain(case.old) == plain(case.new):
        assert verdict(result) == "no-op"
        return
    if len(found) > 1:  # so a call that succeeded was not made on this file
        assert verdict(result) in ("ambiguous", "already-applied" if call.was_run else "ambiguous")
        assert written == data
        return
    if len(found) == 1 and case.file and not case.file.endswith("\n") and plain(case.old).endswith("\n"):
        return  # the end of the file may be one more place
    if len(found) == 1:
        starts = starts_like_new(case, found[0], was_run=call.was_run)
        if starts and not call.was_run and may_be_other_text(case, found[0], starts[0]):
            assert verdict(result) == "ambiguous"
            return
        if starts:
            assert verdict(result) == "already-applied"
            return
        text = expected(case, found[0], was_run=call.was_run)
        if verdict(result) == "unsupported-format":
            assert call.was_run
            assert may_have_run(case)
        elif text is None:
            assert verdict(result) == "malformed"
        else:
            assert written == text.encode()
            assert verdict(result) in ("exact", "no-op", "placeholder", "hidden-text")
    elif written != data:
        assert plain(case.old).endswith("\n")
        assert not case.file.endswith("\n")
    # What only shortens a text may go on doing so.
    text_after = plain((written or b"").decode()) + "\n"
    is_told = plain(case.old) in plain(case.new) or plain(case.old) not in text_after
    # No tool finds a line break that the file does not have, so no session holds such a call with its success.
    is_told = is_told and bool(found or not call.was_run)
    if written != data and is_told:
        again = plan(replace(case.old, case.new, call), {"a.py": written or b""}, EXACT)
        assert after(again, written) == written


@settings(deadline=None, max_examples=300)
@given(cases(), st.sampled_from([JSON, RUN]))
@example(Case("b\nb", "b\n", "c\n"), JSON)
@example(Case("a", "a\n", "aa"), JSON)
@example(Case("a\r\nb\nc\r\n", "b\n", "x\ny\nz\n"), JSON)
@example(Case("\n\n\n\n\na\naa", "\n\n\n\naa", ""), JSON)
@example(Case("a\n\n", "\n\n", "\n"), RUN)
@example(Case("a", "a", "a\n"), RUN)
def test_a_replaced_part_leaves_every_other_byte(case: Case, call: ToolCall) -> None:
    check(case, call)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases(), st.sampled_from([JSON, RUN]))
def test_many_replaced_parts_leave_every_other_byte(case: Case, call: ToolCall) -> None:
    check(case, call)


@settings(deadline=None, max_examples=200)
@given(cases(), st.sampled_from(["\n", "\r\n"]))
def test_every_place_is_replaced_as_python_replaces_it(case: Case, end: str) -> None:
    text = plain(case.file)
    old = plain(case.old)
    new = plain(case.new)
    # The table of line breaks, and places that are done, are looked at above.
    if not old or not new or old in new or old.endswith("\n") or text.endswith(old) or old not in text:
        return
    data = text.replace("\n", end).encode()
    result = plan(replace(old, new, JSON._replace(is_every=True)), {"a.py": data}, EXACT)
    assert after(result, data) == text.replace(old, new).replace("\n", end if "\n" in text else "\n").encode()
    assert verdict(result) == "exact"


LINES = [f"line {letter}" for letter in "abcdef"]


@st.composite
def calls(draw: st.DrawFn) -> tuple[list[tuple[str, str]], str]:
    """Pairs of texts that also undo each other, and the file that they leave, in which no line is there twice."""
    lines = list(LINES)
    pairs: list[tuple[str, str]] = []
    for number in range(draw(st.integers(1, 6))):
        text = "\n".join(["", *lines, ""])
        back = [(new, old) for old, new in pairs if text.count(new) == 1]
        if draw(st.booleans()) and back:
            old, new = draw(st.sampled_from(back))
        else:
            at = draw(st.integers(0, len(lines) - 1))
            around = lines[at : at + draw(st.integers(1, 3))]
            old = "\n".join(around)
            fresh = [line for line in (*LINES, f"new {number}") if line not in lines]
            place = draw(st.integers(0, len(around)))
            around[place : place + draw(st.integers(0, 1))] = draw(st.lists(st.sampled_from(fresh), max_size=1))
            new = "\n".join(around)
        after_call = text.replace(old, new)[1:-1].split("\n")
        if old and new and old != new and len(after_call) == len({*after_call}):
            pairs.append((old, new))
            lines = after_call
    return pairs, "".join(f"{line}\n" for line in lines)


def search(old: str, new: str) -> EditBlock:
    """The same pair as a SEARCH/REPLACE block."""
    return EditBlock(1, "a.py", "search-replace", 1, 1, old_lines=f"{old}\n", new_lines=f"{new}\n")


def ran(old: str, new: str) -> EditBlock:
    """The same pair in a session, where it succeeded."""
    return replace(old, new, RUN)


MADE: dict[str, list[Callable[[str, str], EditBlock]]] = {
    "in a session": [ran],
    "in an answer": [replace],
    "beside blocks": [replace, search],
}


@settings(deadline=None, max_examples=200)
@given(calls(), st.sampled_from(list(MADE)), st.randoms(use_true_random=False))
def test_calls_give_what_the_tools_gave(case: tuple[list[tuple[str, str]], str], how: str, random: Random) -> None:
    pairs, expected = case
    blocks = [random.choice(MADE[how])(old, new) for old, new in pairs]
    files = ["".join(f"{line}\n" for line in LINES)]
    if how == "in a session":
        files.append(expected)
    for file in files:
        result = plan(blocks, {"a.py": file.encode()}, EXACT)
        written = after(result, file.encode())
        assert written == expected.encode() or not result.ok
