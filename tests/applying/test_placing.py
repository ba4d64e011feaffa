"""Where a block fits in a file, or why it does not: what `place_block` answers, field by field."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from support.call_blocks import JSON, RUN, replace
from support.file_blocks import edit
from support.hunkkit import hunk, numbered, scoped

from editblocks import EditBlock
from editblocks.applying.hunks import FileHunks, PlacementOptions
from editblocks.applying.mismatches import MOST_NAMED, PlaceResult
from editblocks.applying.placing import line_counts, place_block
from editblocks.core.blocks import Split
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import LevelUnavailable
from editblocks.core.mismatch import Candidate, Mismatch
from editblocks.core.selection import Selection
from editblocks.matching.ladder import EXACT, MOST_KEPT, Budget, Loose, Placement
from editblocks.text.source_text import SourceText

Facts = dict[str, Any]
LONG = "the first of three long lines\nthe second of three long lines\nthe third of three long lines\n"
CLOSE = LONG.replace("third", "next")
BLANKS = [("trailing-space-ignored", "blanks at line ends were ignored")]


def block(old: str, new: str, **about: Any) -> EditBlock:
    return EditBlock(1, "a.py", "search-replace", 1, 5, old_lines=old, new_lines=new)._replace(**about)


def options(**about: Any) -> PlacementOptions:
    return PlacementOptions(Budget())._replace(**about)


def of_file(blocks: Sequence[EditBlock], text: str) -> FileHunks:
    hunks = FileHunks(blocks, lambda: SourceText.of(text), Selection(ready=True), is_whole=True)
    hunks.begin(blocks[0], ())
    return hunks


def version(text: str) -> Callable[[], SourceText]:
    return lambda: SourceText.of(text)


def level(*places: Placement) -> Loose:
    """A loose level that finds these places."""
    return lambda *_: iter(places)


def gone(*_: object) -> Iterator[Placement]:
    raise LevelUnavailable("tree-sitter is not installed")


def loose(*levels: Loose, **about: Any) -> PlacementOptions:
    return options(loose=levels, **about)


def facts(outcome: PlaceResult) -> Facts:
    """The fields that are not at their defaults, in short."""
    defaults: PlaceResult = Placement("", "", -1, 0, ())
    if isinstance(outcome, Mismatch):
        defaults = Mismatch(ReasonCode.SELF_CHECK)
    found = {name: value for name, value in outcome._asdict().items() if value != getattr(defaults, name)}
    for name, shorter in SHORTER.items():
        if name in found:
            found[name] = shorter(found[name])
    return found


def _place(place: Candidate) -> tuple[int, int, str | None]:
    return place.start_line, place.end_line, place.pick


SHORTER: dict[str, Callable[[Any], Any]] = {
    "candidates": lambda places: list(map(_place, places)),
    "duplicate": _place,
    "notes": lambda notes: [(note.code, note.message) for note in notes],
    "hints": lambda hints: [hint.kind for hint in hints],
    "first_difference": lambda difference: (difference.line, difference.column),
}


class Case(NamedTuple):
    """A block, the text of its file (None: there is none), what else is known, and what comes of it."""

    block: EditBlock
    text: str | None
    options: PlacementOptions
    facts: Facts


HUNKS = [hunk(body, number)._replace(section=1) for number, body in enumerate(("-a\n+b\n", "-x\n+y\n"), 1)]
TWO_NEW = [hunk("-a\n+b\n+c\n")._replace(section=1), HUNKS[1]]
APPENDED = [scoped("+a\n", at_end=True, number=1), scoped("+b\n", at_end=True, number=2)]
TOP = Placement("syntax", "low", 0, 1, ("y",))
FIRST = Placement("fuzzy", "low", 1, 2, ("y",))
SECOND = Placement("fuzzy", "low", 2, 3, ("y",))

CASES: dict[str, Case] = {
    "a hunk that changes nothing": Case(
        edit("a.py", "a\n", "a\n"),
        "a\n",
        options(),
        {"code": ReasonCode.NO_OP, "what": "the old and new lines are the same"},
    ),
    "a hunk that changes nothing, elsewhere": Case(
        edit("a.py", "a\n", "a\n"), "b\n", options(), {"code": ReasonCode.NO_MATCH}
    ),
    "a hunk that changes nothing, outside of its scope": Case(
        scoped(" a\n", "f:")._replace(old_lines="a\n", new_lines="a\n", anchor=""),
        "f:\n b\na\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(3, 3, None)],
            "candidates_total": 1,
            "level": "exact",
            "failed_condition": "scope",
            "scopes": ("f:",),
        },
    ),
    "a block that changes nothing": Case(
        block("a\n", "a\n"), "b\n", options(), {"code": ReasonCode.NO_OP, "what": "the old and new lines are the same"}
    ),
    "readings of which none fits": Case(
        block("", "x\n", splits=(Split((2,), "", "x\n"), Split((3,), "x\n", "y\n"))),
        "q\n",
        options(whole_files="new"),
        {"code": ReasonCode.FILE_EXISTS, "what": "a.py already has 1 line", "advice": "send blocks that edit it"},
    ),
    "one reading creates the file": Case(
        block("q\n", "x\n", splits=(Split((2,), "q\n", "x\n"), Split((3,), " \n", "y\n"))),
        None,
        options(),
        {
            "strategy": "create",
            "confidence": "high",
            "start": 0,
            "new": ("y",),
            "notes": [
                ("divider-resolved", "it can be read in 2 ways; the one with its divider at line 3 fits the file")
            ],
        },
    ),
    "blank lines are text in edit-v2": Case(
        block("q\n", "x\n", splits=(Split((2,), "q\n", "x\n"), Split((3,), " \n", "y\n")), format="edit-v2"),
        None,
        options(),
        {"code": ReasonCode.FILE_NOT_FOUND},
    ),
    "no text in edit-v2": Case(
        block("q\n", "x\n", splits=(Split((2,), " \n", "x\n"), Split((3,), "", "y\n")), format="edit-v2"),
        None,
        options(),
        {
            "strategy": "create",
            "confidence": "high",
            "start": 0,
            "new": ("y",),
            "notes": [
                ("divider-resolved", "it can be read in 2 ways; the one with its divider at line 3 fits the file")
            ],
        },
    ),
    "a hunk creates no file": Case(
        block("q\n", "x\n", splits=(Split((2,), "q\n", "x\n"), Split((3,), " \n", "y\n")), action="edit"),
        None,
        options(),
        {"code": ReasonCode.FILE_NOT_FOUND},
    ),
    "a form feed is text": Case(
        block("q\n", "x\n", splits=(Split((2,), "\f\n", "x\n"), Split((3,), " \n", "y\n"))),
        None,
        options(),
        {
            "strategy": "create",
            "confidence": "high",
            "start": 0,
            "new": ("y",),
            "notes": [
                ("divider-resolved", "it can be read in 2 ways; the one with its divider at line 3 fits the file")
            ],
        },
    ),
    "a letter is text": Case(
        block("q\n", "x\n", splits=(Split((2,), "X\n", "x\n"), Split((3,), " \n", "y\n"))),
        None,
        options(),
        {
            "strategy": "create",
            "confidence": "high",
            "start": 0,
            "new": ("y",),
            "notes": [
                ("divider-resolved", "it can be read in 2 ways; the one with its divider at line 3 fits the file")
            ],
        },
    ),
    "the base has the file": Case(
        block("q\n", "x\n"),
        None,
        options(base=version("q\n"), commit="1234567"),
        {"code": ReasonCode.STALE, "base": "1234567"},
    ),
    "exact": Case(
        block("a\n", "b\n"),
        "a\n",
        options(),
        {"strategy": "exact", "confidence": "high", "start": 0, "stop": 1, "new": ("b",)},
    ),
    "blanks at the end": Case(
        block("a \n", "b\n"),
        "x\na\n",
        options(),
        {"strategy": "trailing-space", "confidence": "high", "start": 1, "stop": 2, "new": ("b",), "notes": BLANKS},
    ),
    "indented": Case(
        block("if x:\n    y = 1\n", "if x:\n    y = 2\n"),
        "  if x:\n      y = 1\n",
        options(),
        {
            "strategy": "indentation",
            "confidence": "medium",
            "start": 0,
            "stop": 2,
            "new": (0, "      y = 2"),
            "notes": [("indentation-shifted", "old and new lines were shifted right by 2 spaces")],
            "shift": (2, "space"),
        },
    ),
    "line ends of two kinds": Case(
        block("a\n", "b\n"),
        "a\nx\r\n",
        options(),
        {
            "strategy": "exact",
            "confidence": "high",
            "start": 0,
            "stop": 1,
            "new": ("b",),
            "notes": [("mixed-line-ends", "the file mixes two line endings; each line keeps its own")],
        },
    ),
    "an indented line would go": Case(
        block("xyz\n", ""),
        "  xyz\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 1, "1@1")],
            "candidates_total": 1,
            "strategy": "indentation",
            "level": "indentation",
        },
    ),
    "a short line would go": Case(
        block("xyz \n", ""),
        "xyz\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 1, "1@1")],
            "candidates_total": 1,
            "strategy": "trailing-space",
            "level": "trailing-space",
        },
    ),
    "long lines go": Case(
        block(LONG.replace("\n", " \n"), ""),
        LONG,
        options(),
        {"strategy": "trailing-space", "confidence": "high", "start": 0, "stop": 3, "notes": BLANKS},
    ),
    "the new lines are elsewhere": Case(
        block("a \n", LONG),
        f"a\n{LONG}",
        options(),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, "1@1"), (2, 4, None)],
            "candidates_total": 2,
            "strategy": "trailing-space",
            "level": "trailing-space",
            "duplicate": (2, 4, None),
        },
    ),
    "the new lines are here": Case(
        block("a \n", "a\n"),
        "a\n",
        options(),
        {"code": ReasonCode.NO_OP, "what": "the file already has exactly this text"},
    ),
    "the new lines are around the place": Case(
        block("a \n", "q\na\nr\n"),
        "q\na\nr\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:1", "found_at": 0},
    ),
    "the new lines are around it with other blanks": Case(
        block("a \n", "q\na\nr\n"),
        "q \na\nr\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:1", "found_at": 0},
    ),
    "two places": Case(
        block("a\n", "b\n"),
        "a\nx\na\n",
        options(),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, "1@1"), (3, 3, "1@3")],
            "candidates_total": 2,
            "level": "exact",
        },
    ),
    "a chosen one": Case(
        block("a\n", "b\n"),
        "a\nx\na\n",
        options(chosen_line=3),
        {"strategy": "exact", "confidence": "high", "start": 2, "stop": 3, "new": ("b",), "chosen": True},
    ),
    "a chosen one with other blanks": Case(
        block("a \n", "b\n"),
        "a\nx\na\n",
        options(chosen_line=3),
        {
            "strategy": "trailing-space",
            "confidence": "high",
            "start": 2,
            "stop": 3,
            "new": ("b",),
            "chosen": True,
            "notes": BLANKS,
        },
    ),
    "another line is chosen": Case(
        block("a\n", "b\n"),
        "a\nx\na\n",
        options(chosen_line=2),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, "1@1"), (3, 3, "1@3")],
            "candidates_total": 2,
            "level": "exact",
            "chosen_line": 2,
        },
    ),
    "another line than the only one is chosen": Case(
        block("a\n", "b\n"),
        "a\nx\n",
        options(chosen_line=2),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 1, "1@1")],
            "candidates_total": 1,
            "level": "exact",
            "chosen_line": 2,
        },
    ),
    "the new lines are at the chosen line": Case(
        block("a\n", "b\n"),
        "a\nb\na\n",
        options(chosen_line=2),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "lines to insert are below": Case(
        block("a\n", "a\nb\n"),
        "x\na\nb\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "lines to insert are above": Case(
        block("a\n", "b\na\n"),
        "x\nb\na\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "a number chooses": Case(
        numbered("-a\n+b\n", 3, 3),
        "a\nx\na\n",
        options(hunks=of_file([numbered("-a\n+b\n", 3, 3)], "a\nx\na\n")),
        {
            "strategy": "exact",
            "confidence": "medium",
            "start": 2,
            "stop": 3,
            "new": ("b",),
            "notes": [("line-chosen", "it fits 2 places; line 3 was used, because of the line number in the block")],
        },
    ),
    "a number comes first": Case(
        numbered("-a\n+b\n", 3, 3, 2),
        "a\nx\na\nz\n",
        options(hunks=of_file([numbered("-z\n+b\n", 9, 9), numbered("-a\n+b\n", 3, 3, 2)], "a\nx\na\nz\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(3, 3, "2@3"), (1, 1, "2@1")],
            "candidates_total": 2,
            "level": "exact",
        },
    ),
    "the new lines are at their number": Case(
        numbered("-a\n+b\n", 9, 2),
        "a\nb\n",
        options(hunks=of_file([numbered("-a\n+b\n", 9, 2)], "a\nb\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, "1@1"), (2, 2, None)],
            "candidates_total": 2,
            "strategy": "exact",
            "level": "exact",
            "duplicate": (2, 2, None),
        },
    ),
    "lines that are inserted are around another number": Case(
        numbered(" a\n+a\n", 2, 2),
        "a\na\n",
        options(hunks=of_file([numbered(" a\n+a\n", 2, 2)], "a\na\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 2, None), (2, 2, "1@2")],
            "candidates_total": 2,
            "strategy": "exact",
            "level": "exact",
            "duplicate": (1, 2, None),
        },
    ),
    "lines that are inserted are at a chosen line": Case(
        numbered(" a\n+b\n", 1, 5),
        "a\nb\n",
        options(chosen_line=1, hunks=of_file([numbered(" a\n+b\n", 1, 5)], "a\nb\n")),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:1", "found_at": 0},
    ),
    "lines that are inserted are at another number": Case(
        numbered(" a\n+b\n", 1, 5),
        "a\nb\n",
        options(hunks=of_file([numbered(" a\n+b\n", 1, 5)], "a\nb\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, "1@1"), (1, 2, None)],
            "candidates_total": 2,
            "strategy": "exact",
            "level": "exact",
            "duplicate": (1, 2, None),
        },
    ),
    "the order chooses": Case(
        HUNKS[0],
        "a\nx\na\n",
        options(hunks=of_file(HUNKS, "a\nx\na\n")),
        {
            "strategy": "exact",
            "confidence": "medium",
            "start": 0,
            "stop": 1,
            "new": ("b",),
            "notes": [
                (
                    "placed-by-order",
                    "it fits 2 places; line 1 was chosen, because only this keeps the hunks in the order of the file",
                )
            ],
        },
    ),
    "the new lines are in order": Case(
        HUNKS[0],
        "b\nx\na\n",
        options(hunks=of_file(HUNKS, "b\nx\na\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, None), (3, 3, "1@3")],
            "candidates_total": 2,
            "strategy": "exact",
            "level": "exact",
            "duplicate": (1, 1, None),
        },
    ),
    "the new lines are in order, with other blanks": Case(
        hunk("-a \n+b\n")._replace(section=1),
        "b\nx\na\n",
        options(hunks=of_file([hunk("-a \n+b\n")._replace(section=1), HUNKS[1]], "b\nx\na\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 1, None), (3, 3, "1@3")],
            "candidates_total": 2,
            "strategy": "trailing-space",
            "level": "trailing-space",
            "duplicate": (1, 1, None),
        },
    ),
    "later blocks append as well": Case(
        APPENDED[0],
        "x\na\nb\n",
        options(hunks=of_file(APPENDED, "x\na\nb\n")),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "appended lines are there": Case(
        APPENDED[0],
        "x\na\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "other lines are appended": Case(
        APPENDED[0],
        "x\na\nc\n",
        options(hunks=of_file(APPENDED, "x\na\nc\n")),
        {"strategy": "exact", "confidence": "high", "start": 3, "stop": 3, "new": ("a",)},
    ),
    "only the new lines are there": Case(
        block("gone\n", LONG),
        f"x\n{LONG}",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "only the new text of a call is there": Case(
        replace("gone", LONG[:-1]),
        f"x\n{LONG}",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "similar lines are below the new ones": Case(
        block("one line of old text\nthe last of old text\n", LONG),
        f"{LONG}one line of old texts\nthe last of old texts\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(4, 5, None)],
            "candidates_total": 1,
            "first_difference": (4, 21),
            "similarity": 0.98,
            "hints": ["there"],
        },
    ),
    "similar lines are above the new ones": Case(
        block("one line of old text\nthe last of old text\n", LONG),
        f"one line of old texts\nthe last of old texts\n{LONG}",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 2, None)],
            "candidates_total": 1,
            "first_difference": (1, 21),
            "similarity": 0.98,
            "hints": ["there"],
        },
    ),
    "the new lines were in the base": Case(
        block("gone\n", LONG),
        f"x\n{LONG}",
        options(base=version(f"x\n{LONG}gone\n"), commit="1234567"),
        {"code": ReasonCode.STALE, "candidates": [(2, 4, None)], "first_difference": (5, 1), "base": "1234567"},
    ),
    "merged with the base": Case(
        block("a\nb\nc\nd\n", "a\nb\nc\nX\n"),
        "A\nb\nc\nd\n",
        options(base=version("a\nb\nc\nd\n"), commit="1234567"),
        {
            "strategy": "three-way",
            "confidence": "medium",
            "start": 3,
            "stop": 4,
            "new": ("X",),
            "notes": [("merged", "merged with what changed since 1234567, the base of this answer")],
        },
    ),
    "another line is chosen than the base says": Case(
        block("a\nb\nc\nd\n", "a\nb\nc\nX\n"),
        "A\nb\nc\nd\n",
        options(base=version("a\nb\nc\nd\n"), commit="1234567", chosen_line=4),
        {"code": ReasonCode.NO_MATCH, "candidates": [(4, 4, "1@4")], "candidates_total": 1, "chosen_line": 4},
    ),
    "too much to merge": Case(
        block("a\nb\nc\nd\n", "a\nb\nc\nX\n"),
        "A\nb\nc\nd\n",
        options(base=version("a\nb\nc\nd\n"), budget=Budget(merged_lines=0)),
        {
            "code": ReasonCode.NO_MATCH,
            "notes": [("base-unknown", "the answer needs too much merging with its base; split it")],
        },
    ),
    "a newline at the end is not merged": Case(
        block("a\nb\nc\nd\n", "a\nb\nc\nX\n", ends=("no", "")),
        "A\nb\nc\nd\n",
        options(base=version("a\nb\nc\nd\n")),
        {"code": ReasonCode.NO_MATCH},
    ),
    "a similar place is chosen": Case(
        block("a line\nb line\nc line\nd line\n", "a line\nb line\nc line\nX\n"),
        "x\nA line\nb line\nc line\nd line\n",
        options(chosen_line=2),
        {
            "strategy": "fuzzy",
            "confidence": "low",
            "start": 1,
            "stop": 5,
            "new": (1, 2, 3, "X"),
            "similarity": 0.9583333333333334,
            "chosen": True,
        },
    ),
    "a similar place is chosen, and done": Case(
        block("a line\nb line\nc line\nd line\n", "a line\nb line\nc line\nX line\n"),
        "x\nA line\nb line\nc line\nX line\n",
        options(chosen_line=2),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "a loose level": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(level(FIRST)),
        {"strategy": "fuzzy", "confidence": "low", "start": 1, "stop": 2, "new": ("y",)},
    ),
    "the first of two loose levels": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(level(TOP), level(FIRST)),
        {"strategy": "syntax", "confidence": "low", "start": 0, "stop": 1, "new": ("y",)},
    ),
    "two places of a loose level": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(level(FIRST, SECOND)),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(2, 2, "1@2"), (3, 3, "1@3")],
            "candidates_total": 2,
            "strategy": "fuzzy",
            "level": "fuzzy",
        },
    ),
    "a place of a loose level is chosen": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(level(FIRST, SECOND), chosen_line=3),
        {"strategy": "fuzzy", "confidence": "low", "start": 2, "stop": 3, "new": ("y",), "chosen": True},
    ),
    "another line than those of a loose level is chosen": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(level(FIRST, SECOND), chosen_line=1),
        {"code": ReasonCode.NO_MATCH, "chosen_line": 1},
    ),
    "a loose level, and the new lines are there": Case(
        block("zz\n", "y\n"), "a\nb\ny\n", loose(level(FIRST)), {"code": ReasonCode.NO_MATCH, "hints": ["there"]}
    ),
    "a loose level, and the hunk ends the file": Case(
        block("zz\n", "y\n", at_end=True),
        "a\nb\nc\n",
        loose(level(FIRST, SECOND)),
        {"strategy": "fuzzy", "confidence": "low", "start": 2, "stop": 3, "new": ("y",)},
    ),
    "a loose level that is not installed": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(gone, level(FIRST)),
        {
            "strategy": "fuzzy",
            "confidence": "low",
            "start": 1,
            "stop": 2,
            "new": ("y",),
            "notes": [("level-unavailable", "tree-sitter is not installed")],
        },
    ),
    "outside its scope": Case(
        hunk("-a\n+b\n", form="v4a")._replace(scopes=("f",), section=1),
        "f\n x\ng\n a\na\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(5, 5, None)],
            "candidates_total": 1,
            "level": "exact",
            "failed_condition": "scope",
            "scopes": ("f",),
        },
    ),
    "not at the end": Case(
        scoped("-a\n+b\n", at_end=True),
        "a\nx\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 1, None)],
            "candidates_total": 1,
            "level": "exact",
            "failed_condition": "end",
        },
    ),
    "its scope is not there": Case(
        scoped("-a\n+b\n", "zzz"),
        "a\nx\n",
        options(),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 1, None)],
            "candidates_total": 1,
            "level": "exact",
            "failed_condition": "no-scope",
            "scopes": ("zzz",),
        },
    ),
    "a text that a session deletes": Case(replace("zz1", "", RUN), "a\n", options(), {"code": ReasonCode.NO_MATCH}),
    "a text that a call deletes": Case(replace("zz1", "", JSON), "a\n", options(), {"code": ReasonCode.NO_MATCH}),
    "a call for every place takes no other blanks": Case(
        replace("  x = 1", "y", JSON._replace(is_every=True)),
        "x = 1\n",
        options(base=version("  x = 1\n"), chosen_line=1, loose=(level(TOP),)),
        {
            "code": ReasonCode.NO_MATCH,
            "candidates": [(1, 1, None)],
            "candidates_total": 1,
            "first_difference": (1, 3),
            "similarity": 0.99,
            "hints": ["spelled"],
        },
    ),
    "a call merged with its base": Case(
        replace("a\nb\nc\nd", "a\nb\nc\nX"),
        "A\nb\nc\nd\n",
        options(base=version("a\nb\nc\nd\n"), commit="1234567"),
        {
            "strategy": "three-way",
            "confidence": "medium",
            "start": 3,
            "stop": 4,
            "new": ("X",),
            "notes": [("merged", "merged with what changed since 1234567, the base of this answer")],
        },
    ),
    "a call that is matched exactly": Case(
        replace("a\nb\nc\nd", "a\nb\nc\nX"),
        "A\nb\nc\nd\n",
        options(base=version("a\nb\nc\nd\n"), commit="1234567", strategies=EXACT, loose=(level(TOP),), chosen_line=1),
        {"code": ReasonCode.NO_MATCH},
    ),
    "the new lines begin at the place": Case(
        block("a \n", "a\nr\n"),
        "a\nr\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:1", "found_at": 0},
    ),
    "the new lines end at the place": Case(
        block("a \n", "q\na\n"),
        "q\na\n",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:1", "found_at": 0},
    ),
    "the new lines are elsewhere with other blanks": Case(
        block("a \n", LONG),
        "a\n" + LONG.replace("\n", " \n"),
        options(),
        {
            "strategy": "trailing-space",
            "confidence": "high",
            "start": 0,
            "stop": 1,
            "new": ("the first of three long lines", "the second of three long lines", "the third of three long lines"),
            "notes": BLANKS,
        },
    ),
    "two places at a chosen line": Case(
        block("zz\n", "y\n"),
        "a\nb\nc\n",
        loose(level(FIRST, FIRST._replace(stop=3)), chosen_line=2),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(2, 2, "1@2"), (2, 3, "1@2")],
            "candidates_total": 2,
            "strategy": "fuzzy",
            "level": "fuzzy",
        },
    ),
    "two new lines are in order": Case(
        TWO_NEW[0],
        "b\nc\nx\na\n",
        options(hunks=of_file(TWO_NEW, "b\nc\nx\na\n")),
        {
            "code": ReasonCode.AMBIGUOUS,
            "candidates": [(1, 2, None), (4, 4, "1@4")],
            "candidates_total": 2,
            "strategy": "exact",
            "level": "exact",
            "duplicate": (1, 2, None),
        },
    ),
    "less indented": Case(
        block("    if x:\n        y = 1\n", "    if x:\n        y = 2\n"),
        "if x:\n    y = 1\n",
        options(),
        {
            "strategy": "indentation",
            "confidence": "medium",
            "start": 0,
            "stop": 2,
            "new": (0, "    y = 2"),
            "notes": [("indentation-shifted", "old and new lines were shifted left by 4 spaces")],
            "shift": (-4, "space"),
        },
    ),
    "the new lines are at the end, and elsewhere": Case(
        block("gone\n", LONG, at_end=True),
        f"{LONG}x\n{LONG}",
        options(),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:5", "found_at": 4},
    ),
    "the new lines are there, and not in the base": Case(
        block("gone\n", LONG),
        f"x\n{LONG}",
        options(base=version("x\ngone\n"), commit="1234567"),
        {"code": ReasonCode.ALREADY_APPLIED, "what": "the new lines are already at a.py:2", "found_at": 1},
    ),
    "nowhere, and its scope is not there": Case(
        scoped("-zzz\n+b\n", "nope"),
        "a\n",
        options(),
        {"code": ReasonCode.NO_MATCH, "failed_condition": "no-scope", "scopes": ("nope",)},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_where_a_block_fits(case: Case) -> None:
    source = None if case.text is None else SourceText.of(case.text)
    assert facts(place_block(case.block, source, case.options)) == case.facts


def test_a_line_that_another_hunk_wrote_is_changed_again() -> None:
    hunks = [hunk("-a\n+b\n+c\n")._replace(section=1), hunk("-c\n+d\n", 2)._replace(section=1)]
    source = SourceText.of("a\nd\n")
    source.splice(0, 1, ("b", "c"))
    outcome = place_block(hunks[1], source, options(hunks=of_file(hunks, "a\nd\n")))
    assert isinstance(outcome, Placement)
    assert (outcome.start, outcome.stop) == (1, 2)


def test_new_lines_that_another_block_wrote_are_counted_after_it() -> None:
    source = SourceText.of("a\nb\n")
    source.splice(1, 1, ("x",))
    source.applied.append(1)
    outcome = place_block(block("x\n", "a\nx\n", number=2), source, options())
    assert facts(outcome) == {
        "code": ReasonCode.ALREADY_APPLIED,
        "what": "the new lines are already at line 1 of a.py after block 1",
        "found_at": 0,
    }


# a block whose new lines stand in the file, or that goes to a place which is like its old lines
COMPARED: dict[str, tuple[EditBlock, dict[str, Any]]] = {
    "the new lines are there": (block("zzzz\n", LONG), {}),
    "a place was chosen": (block(CLOSE, CLOSE.replace("first", "very first")), {"chosen_line": 1}),
}


@pytest.mark.parametrize(("block", "about"), COMPARED.values(), ids=COMPARED)
def test_comparing_costs_a_part_of_the_budget(block: EditBlock, about: dict[str, Any]) -> None:
    budget = Budget()
    place_block(block, SourceText.of(LONG), PlacementOptions(budget, **about))
    assert budget.left < Budget().left


def test_so_many_places_of_a_loose_level_are_shown() -> None:
    places = [FIRST._replace(start=line, stop=line + 1) for line in range(MOST_KEPT + 1)]
    outcome = place_block(block("zz\n", "y\n"), SourceText.of("a\n" * (MOST_KEPT + 1)), loose(level(*places)))
    assert isinstance(outcome, Mismatch)
    assert (outcome.code, outcome.candidates_total) == (ReasonCode.AMBIGUOUS, MOST_KEPT)


def test_a_place_that_does_not_end_the_file_is_not_meant_by_a_hunk_of_its_end() -> None:
    at_end = block(CLOSE.replace("lines", "line"), LONG, at_end=True)
    assert facts(place_block(at_end, SourceText.of(f"{CLOSE}x\n{LONG}"), options())) == {
        "code": ReasonCode.ALREADY_APPLIED,
        "what": "the new lines are already at a.py:5",
        "found_at": 4,
    }


def test_new_lines_in_order_that_another_block_has_changed() -> None:
    source = SourceText.of("b\nx\na\n")
    source.splice(0, 1, ("q", "b"))
    outcome = place_block(HUNKS[0], source, options(hunks=of_file(HUNKS, "b\nx\na\n")))
    assert facts(outcome) == {
        "code": ReasonCode.AMBIGUOUS,
        "candidates": [(3, 3, "1@3")],
        "candidates_total": 1,
        "level": "exact",
    }


def test_only_the_first_places_name_what_is_around_them() -> None:
    outcome = place_block(block("    b\n", "    c\n"), SourceText.of("def f():\n" + "    b\n" * 30), options())
    assert isinstance(outcome, Mismatch)
    assert [place.within for place in outcome.candidates] == ["f"] * MOST_NAMED + [""] * (30 - MOST_NAMED)


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [("a\nb\n", "a\nc\nd\n", (2, 1)), ("a\n", "", (0, 1)), ("a\nb\n", "a\nx\nb\n", (1, 0))],
)
def test_how_many_lines_a_block_changes(old: str, new: str, counts: tuple[int, int]) -> None:
    assert line_counts(block(old, new)) == counts
