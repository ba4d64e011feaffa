"""Read which blocks a person chooses: `all | ready | n | n-m | n@line | path`, separated by commas.

The selector is the same after `--only` on the command line and after a command in a comment. A part made of digits
with `-` or `@` is never a path; a file with such a name, or one called `all` or `ready`, is written with `./`
before it. A path with a comma in it cannot be named; use the block's number. Page: docs/reference/command-line.md,
"choosing blocks".
"""

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Problem
from editblocks.core.characters import quote
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import ApplyResult, EditResult, row_number
from editblocks.core.phrases import join_parts, ranges
from editblocks.core.settings import CEILINGS

_MOST_BLOCKS = CEILINGS["max_blocks"]  # a response with more is refused, whatever the policy
_MOST_LINES = 999_999_999
_MOST_CHARACTERS = 10_000
NOT_NAMED = "the selection does not include this block"
LEFT_OUT = "left out on request"
_NUMBERS = "(?a)[0-9]*-[0-9]*|[0-9]+"  # `4`, or a range, which may still lack an end
_PLACE = "(?as)([0-9]+)@(.*)"  # `4@48`, whatever follows the sign
_DIGITS = "(?a)0{0,9}[1-9][0-9]{0,8}"  # a number of at most nine digits that is not 0
_WORDS = frozenset({"all", "ready"})
_EXAMPLE = "as in `1-3,4@48`"
_PATHS_SHOWN = 3


class Selection(NamedTuple):
    """Blocks by number, by path, at a place, or all of them. Block numbers and lines are 1-based.

    `skip` and `committed` are not part of the selector's text. A skipped block is left out unless its number is named.
    """

    ready: bool = False  # every block that is fine, even if others fail
    numbers: frozenset[int] = frozenset()
    picks: Mapping[int, int] = MappingProxyType({})  # block number → first line of its place at the head
    paths: frozenset[str] = frozenset()
    every: bool = False  # all blocks, or no block if one of them is not fine
    skip: frozenset[int] = frozenset()  # blocks that people left out earlier
    committed: frozenset[int] = frozenset()  # blocks that an earlier commit holds: never tried, even if named

    @classmethod
    def read(cls, text: str) -> "Selection":
        """Read a selector such as `1-3,4@48` or `src/cart.py`. Raises `ConfigError` (`bad-command`) if it is wrong."""
        if len(text) > _MOST_CHARACTERS:
            raise _bad(f"the selector has {len(text):,} characters, the limit is {_MOST_CHARACTERS:,}; name ranges")
        words: set[str] = set()
        numbers: set[int] = set()
        picks: dict[int, int] = {}
        paths: set[str] = set()
        for untrimmed in text.split(","):
            part = untrimmed.strip(" \t")
            if not part:
                raise _bad(f"{quote(text)} has an empty part; name blocks, {_EXAMPLE}")
            if part.lower() in _WORDS:
                words.add(part.lower())
            elif re.fullmatch(_NUMBERS, part):
                numbers.update(_range(part))
            elif match := re.fullmatch(_PLACE, part):
                block = _number(match[1], part)
                line = _number(match[2], part, "line", _MOST_LINES)
                if picks.setdefault(block, line) != line:
                    raise _bad(f"{quote(part)} and `{block}@{picks[block]}` give block {block} two places; keep one")
                numbers.add(block)
            else:
                paths.add(part.removeprefix("./"))
        if len(words) > 1:
            raise _bad("`all` applies nothing if one block fails, `ready` applies the blocks that fit; use one of them")
        ready = "ready" in words
        every = "all" in words
        return cls(ready=ready, numbers=frozenset(numbers), picks=picks, paths=frozenset(paths), every=every)

    def __str__(self) -> str:
        """The selector in canonical form, which `read` reads back; `skip` and `committed` are not in it."""
        all_blocks = "all" if self.every else ""
        ready_blocks = "ready" if self.ready else ""
        unplaced = ranges(sorted(self.numbers.difference(self.picks)))
        places = [f"{block}@{line}" for block, line in sorted(self.picks.items())]
        return join_parts(",", all_blocks, ready_blocks, unplaced, *places, *map(_as_selector, sorted(self.paths)))

    def takes(self, number: int, *paths: str | None) -> bool:
        """Whether to try this block. `paths` are the paths that it names, None if it names no file."""
        if number in self.committed:
            return False
        if number in self.numbers:
            return True
        if number in self.skip:
            return False
        return self.every or self.ready or any(path in self.paths for path in paths)

    def check(self, numbers: Collection[int], paths: Collection[str]) -> None:
        """Raise `ConfigError` (`bad-command`) if the selection names a block or path that the response does not have.

        Otherwise a typing error would silently select nothing. A response without blocks is not checked.
        """
        if not numbers:
            return
        blocks = sorted((self.numbers | self.skip).difference(numbers))
        if blocks:
            first = min(numbers)
            last = max(numbers)
            has = f"blocks {first}-{last}"
            if first == last:
                has = f"only block {first}"
            raise _bad(f"there is no block {blocks[0]}; the answer has {has}")
        files = sorted(self.paths.difference(paths))
        if files:
            raise _bad(_unknown_path(files[0], paths))


def _as_selector(path: str) -> str:
    """Return a path as `read` expects it: with `./` before it if it looks like something else."""
    is_no_path = path.lower() in _WORDS or re.fullmatch(_NUMBERS, path) or re.fullmatch(_PLACE, path)
    if is_no_path or not path or path.startswith(("./", " ", "\t")):
        return f"./{path}"
    return path


def _range(part: str) -> range:
    first, dash, last = part.partition("-")
    start = _number(first, part)
    stop = start
    if dash:
        stop = _number(last, part)
    if stop < start:
        raise _bad(f"`{part}` runs backwards; write `{stop}-{start}`")
    return range(start, stop + 1)


def _number(digits: str, part: str, noun: str = "block", most: int = _MOST_BLOCKS) -> int:
    if not re.fullmatch(_DIGITS, digits) or int(digits) > most:
        raise _bad(f"{quote(part)} is not a {noun} number; use 1 to {most:,}, {_EXAMPLE}")
    return int(digits)


def _unknown_path(path: str, paths: Collection[str]) -> str:
    """Return a message that lists the files of the answer, first those with the same name in another folder."""
    known = sorted(paths, key=lambda other: (other.rpartition("/")[2] != path.rpartition("/")[2], other))
    listed = ", ".join(map(quote, known[:_PATHS_SHOWN])) or "no file"
    if len(known) > _PATHS_SHOWN:
        listed = f"{listed} and {len(known) - _PATHS_SHOWN} more"
    return f"no block changes {quote(path)}; the answer names {listed}"


def _bad(message: str) -> ConfigError:
    return ConfigError(message, ReasonCode.BAD_COMMAND)


def unselected_rows(result: ApplyResult, select: Selection | None) -> frozenset[int]:
    """Return the numbers of the rows that a selection leaves out, including blocks that cannot be read."""
    if select is None:
        return frozenset()
    return frozenset(row_number(row) for row in result.rows if not select.takes(row_number(row), *_paths(row)))


def _paths(row: EditResult | Problem) -> tuple[str | None, ...]:
    if isinstance(row, Problem):
        return (row.file_path,)
    return row.block.paths


def mark_left_out(result: ApplyResult, numbers: frozenset[int]) -> ApplyResult:
    """Return the plan with the failed blocks among `numbers` marked as not selected."""
    results: list[EditResult] = []
    problems: list[Problem] = []
    for row in result.rows:
        if row_number(row) in numbers:
            results.append(_left_out(row))
        elif isinstance(row, Problem):
            problems.append(row)
        else:
            results.append(row)
    return result._replace(results=tuple(results), problems=tuple(problems))


def _left_out(row: EditResult | Problem) -> EditResult:
    left_out = Mismatch(ReasonCode.NOT_SELECTED, LEFT_OUT)
    if isinstance(row, Problem):
        block = EditBlock(row.number, row.file_path or "", row.format or "", row.line_number, row.end_line)
        return EditResult(block, EditStatus.SKIPPED, left_out)
    if row.ok:
        return row
    return row._replace(status=EditStatus.SKIPPED, mismatch=left_out)


def without_committed(select: Selection | None, commits: Mapping[int, object]) -> Selection | None:
    """Leave out the blocks that an earlier commit holds: they would be tried on a file that they already changed."""
    if not commits:
        return select
    return (select or Selection(every=True))._replace(committed=frozenset(commits))


def mark_committed(result: ApplyResult, commits: Mapping[int, str]) -> ApplyResult:
    """Mark the blocks of earlier commits as already applied. `commits`: block number → commit (40 hex digits)."""
    if not commits:
        return result
    rows = list(result.results)
    for index, row in enumerate(rows):
        commit = commits.get(row.block.number)
        if commit is not None:
            advice = "post it again if it was reverted since"
            mismatch = Mismatch(ReasonCode.ALREADY_APPLIED, f"already in `{commit[:7]}`", advice)
            rows[index] = row._replace(status=EditStatus.SKIPPED, mismatch=mismatch)
    return result._replace(results=tuple(rows))
