"""The facts about a block that is not applied: places that it may mean, differences, possible explanations.

Lines of candidates and differences are 1-based and for people. Rules: docs/reference/reasons.md.
"""

from typing import NamedTuple

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode


class Candidate(NamedTuple):
    """A place a person may have meant; lines are 1-based, inclusive, of the file on the branch."""

    start_line: int
    end_line: int
    similarity: float  # two decimals: 1.0 where the text fits or a merge conflicts; 0.5 to 0.99 where it is close
    pick: str | None = None  # the selector that chooses this place, such as `4@48`; None if it cannot be chosen
    after: tuple[int, ...] = ()  # the blocks that must be applied first; lines are those of the file after them
    lines: tuple[str, ...] = ()  # the text there, without line ends
    above: tuple[str, ...] = ()  # up to two lines before it
    below: tuple[str, ...] = ()  # up to two lines after it
    within: str = ""  # the name of the definition around it, such as a function


class Difference(NamedTuple):
    """Where the file first differs from the searched text; for a `stale` block, from the version it was written for."""

    line: int  # 1-based, in the file on the branch
    column: int  # the first that differs, 1-based, in code points
    expected: str  # one line, without its end, of 200 characters at most
    actual: str | None  # the line of the file, cut in the same way; None if the file ends there
    section: str | None = None  # "anchor", "old" or "trailing-anchor"
    after: tuple[int, ...] = ()  # as in `Candidate`
    search_line: int = 0  # 1-based line of the searched text; 0 if `expected` is not from it


class Hint(NamedTuple):
    """What may explain a `no-match`. Lines are 1-based; a kind leaves unused fields at their defaults.

    - `elsewhere`: the text is at `lines` of the file `path`, and at `more` other places.
    - `there`: the new text is already at `lines[0]`, a line of the file after the blocks `after`.
    - `spelled`: the text differs only in `words`, such as quotes; `pieces`: the first difference, in block and file.
    - `part`: the text is inside line `lines[0]`, and in `more` other lines, of the file after the blocks `after`.
    - `blank-lines`: only blank lines differ.
    - `numbered`: every line begins with a number, from `lines[0]` to `lines[1]`.
    - `escaped`: with one level of escapes removed, as in JSON, the text matches one place, from `lines[0]` on.
    - `patch`: lines begin with the signs `words`, like the lines of a patch.
    - `stand-in`: line `lines[0]` of SEARCH is `words[0]`, which stands for other lines.
    """

    kind: str
    lines: tuple[int, int] = (0, 0)
    words: tuple[str, ...] = ()
    path: str = ""
    more: int = 0
    after: tuple[int, ...] = ()
    pieces: tuple[str, str] = ("", "")
    offers_loose: bool = False  # `matching: loose` could apply it


class Mismatch(NamedTuple):
    """Why a block is not applied: a code, and a sentence or facts.

    A check with a sentence of its own sets `what` and `advice`. For `no-match`, `ambiguous`, `stale` and
    `file-not-found`, `explain.py` writes the sentence from the facts.
    """

    code: ReasonCode
    what: str = ""
    advice: str = ""
    candidates: tuple[Candidate, ...] = ()
    candidates_total: int = 0  # `candidates` holds 50 at most
    first_difference: Difference | None = None
    similarity: float | None = None
    hints: tuple[Hint, ...] = ()  # two at most
    near: tuple[str, ...] = ()  # existing files with a similar name
    after: tuple[int, ...] = ()  # the blocks of the response that the searched text already contains
    strategy: str = ""  # how the places were found, if that is why none of them is used
    level: str = ""  # which level of matching found the places, if one did
    duplicate: Candidate | None = None  # where the new text is already
    chosen_line: int | None = None  # the line that a person chose for the block
    base: str = ""  # the commit that the block was written for, if that is the reason
    found_at: int | None = None  # for `already-applied`: where the new text is in the file as it is now, 0-based
    failed_condition: str = ""  # what the hunk requires and no place has: `no-scope`, `scope`, `end` or `own`
    scopes: tuple[str, ...] = ()  # those of the hunk; for `no-scope`, down to the one that is not in the file
    notes: tuple[Note, ...] = ()
    is_fixable: bool = False  # for a code in `_HOPELESS` of prompts/failures.py: a corrected block could succeed
