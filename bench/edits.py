"""Generated files that look like code, and a response with blocks that fit them; P3, P4, P6 and others use them.

A file is one class with many methods. Braces, blank lines and `return None` are everywhere, and every tenth method
has the body of the one before. A block changes one method. It begins with the line that names the method, so it fits
only one place, even if white space is ignored.

Of a hundred blocks 95 fit exactly, as in real answers. The others have, in turn, lost their indentation or gained
blanks at line ends.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bench.responses import CLOSER, DIVIDER, NAMES, OPENER, Dice

_TOLERANT = 20  # every twentieth block does not fit exactly
_COPIED = 10  # every tenth method has the body of the one before
_INDENT = "    "
_BODY = (
    "        if {0} is None:\n            return None\n",
    "        self.{0} = {{\n            '{1}': {n},\n        }}\n",
    "        {0} = self._{1}.get({2}, {n})\n",
    "        # The {0} may be older than the {1}, so ask for the {2} again.\n",
    "        for {0} in self.{1}s:\n            {0}.{2}({n})\n",
    '        raise ValueError(f"the {0} of {{{1}!r}} is over the {2} of {n}")\n',
    "        self.changed = True\n",
    "\n",
)


class Edit(NamedTuple):
    """Lines `start:stop` (0-based, half-open) of a file become `new`; every line has its line end.

    `search` and `replace` are the lines in the block, which may have lost indentation or gained blanks at line ends.
    """

    path: str
    start: int
    stop: int
    new: Sequence[str]
    search: Sequence[str]
    replace: Sequence[str]
    is_exact: bool = True

    def block(self) -> str:
        """The block as a model writes it."""
        return (
            f"Change `{self.path}`:\n\n{self.path}\n```python\n"
            f"{OPENER}{''.join(self.search)}{DIVIDER}{''.join(self.replace)}{CLOSER}```\n\n"
        )


class Workload(NamedTuple):
    """Files, the edits that a response makes in them, and the expected files afterwards."""

    name: str
    files: Mapping[str, str]
    edits: Sequence[Edit]
    expected: Mapping[str, str]

    @property
    def response(self) -> str:
        """All blocks, file by file, from top to bottom."""
        return "".join(edit.block() for edit in self.edits)

    def encoded(self) -> Mapping[str, bytes]:
        return {path: text.encode() for path, text in self.files.items()}


def workload(name: str, files: int, lines: int, blocks: int, *, body: int = 12, seed: int = 4) -> Workload:
    """Make files of `lines` lines with methods of at most `body` lines, and share `blocks` equally among the files."""
    dice = Dice(seed)
    before: dict[str, list[str]] = {}
    edits: list[Edit] = []
    for number in range(files):
        path = f"src/part{number // 20}/file{number}.py"
        before[path], methods = _make_file(dice, number, lines, body)
        share = blocks // files
        for index in range(share):
            start, stop = methods[(2 * index + 1) * len(methods) // (2 * share)]
            edit = _change(dice, path, before[path], start, stop)
            edits.append(edit if (len(edits) + 1) % _TOLERANT else _worn(edit, len(edits) // _TOLERANT))
    after = {path: _spliced(lines_of, [e for e in edits if e.path == path]) for path, lines_of in before.items()}
    return Workload(name, {path: "".join(text) for path, text in before.items()}, edits, after)


def _make_file(dice: Dice, number: int, size: int, most: int) -> tuple[list[str], list[tuple[int, int]]]:
    """Return `size` lines, and the span of each method (0-based, half-open) without the blank line below it."""
    lines = [f"class Part{number}:\n"]
    spans: list[tuple[int, int]] = []
    body: list[str] = []
    while True:
        if len(spans) % _COPIED or not body:
            body = "".join(_piece(dice) for _ in range(most)).splitlines(keepends=True)[: 4 + dice.below(most - 3)]
        method = [f"{_INDENT}def {dice.pick(NAMES)}_{len(spans)}(self):\n", *body, "        return None\n"]
        if len(lines) + len(method) + 1 > size:
            return lines + ["\n"] * (size - len(lines)), spans
        spans.append((len(lines), len(lines) + len(method)))
        lines += [*method, "\n"]


def _piece(dice: Dice) -> str:
    return dice.pick(_BODY).format(*(dice.pick(NAMES) for _ in range(3)), n=dice.below(90))


def _change(dice: Dice, path: str, lines: Sequence[str], start: int, stop: int) -> Edit:
    """Change a line in the middle of a method and add one, with some lines around them."""
    stop = min(stop, start + 5 + dice.below(8))
    old = lines[start:stop]
    middle = 1 + dice.below(len(old) - 2)
    added = f"        step = {dice.below(1000)}\n"
    new = [*old[:middle], f"        self.step({dice.below(1000)})\n", added, *old[middle + 1 :]]
    return Edit(path, start, stop, new, old, new)


def _worn(edit: Edit, number: int) -> Edit:
    """Return the edit with a block that does not fit exactly: without its indentation, or with blanks at line ends."""
    if number % 2:
        wear = {line: f"{line[:-1]}  \n" for line in (edit.search[0], edit.search[-1])}
        search, new = ([wear.get(line, line) for line in lines] for lines in (edit.search, edit.replace))
        return edit._replace(search=search, replace=new, is_exact=False)
    search, new = ([line.removeprefix(_INDENT) for line in lines] for lines in (edit.search, edit.replace))
    return edit._replace(search=search, replace=new, is_exact=False)


def _spliced(lines: Sequence[str], edits: Sequence[Edit]) -> str:
    """Return the text after all edits, which must be in the order of the file."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [*lines[at : edit.start], *edit.new]
        at = edit.stop
    return "".join([*pieces, *lines[at:]])


def w1() -> Workload:
    """One small file, as in most comments."""
    return workload("W1", files=1, lines=300, blocks=3)


def w2() -> Workload:
    """A refactoring."""
    return workload("W2", files=20, lines=1_000, blocks=200)


def w3() -> Workload:
    """Far more files and blocks than the default limits allow."""
    return workload("W3", files=200, lines=2_000, blocks=2_000)


def w4() -> Workload:
    """One very large file."""
    return workload("W4", files=1, lines=100_000, blocks=100)
