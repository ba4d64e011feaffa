"""Generate the texts that the action's gate and the workflows' conditions search for, from the formats.

After a change of a format, run `python -m support.needles` in `tests/`. A test compares the committed files.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from support.project import ROOT

from editblocks.formats.grammar import Format, Grammar
from editblocks.formats.markers import Marker
from editblocks.formats.scanner import NOT_READ, SIGN_VARIANTS
from editblocks.parsing.parse import FORMATS

GATE = ROOT / "hooks" / "gate.py"
WITH_CONDITION = tuple(
    ROOT / name for name in ("examples/workflow.yml", "examples/organisation.yml", ".github/workflows/editblocks.yml")
)
_BODY = "github.event.comment.body"
_MARKERS = re.compile(r"MARKERS = \(\n.*?\n\)\n", re.DOTALL)
_CONDITION = re.compile(r"startsWith\(github\.event\.comment\.body, '/'\).*?(?=\n *\|\| \(\(contains)", re.DOTALL)


def of_answers(formats: Sequence[Format]) -> tuple[str, ...]:
    """Return texts of which every answer contains at least one if it has a block."""
    found: list[str] = []
    for each in formats:
        if isinstance(each, Grammar):
            found += (needle for marker in each.markers for needle in _in_answers(marker))
            found += _altered(each.opener)
        else:
            found += _shortest(each.gate_needles)
    return tuple(dict.fromkeys((*found, NOT_READ.partition(" ")[0])))


def _shortest(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that do not contain another one of them in upper or lower case."""
    small = {word.lower(): word for word in words}
    for key, word in small.items():
        if not any(other in key and other != key for other in small):
            yield word


def _in_answers(marker: Marker) -> Iterator[str]:
    """Yield texts that a line with this marker, or nearly this one, contains. A common sign needs a word after it."""
    if marker.is_tag:
        yield "boltAction"
    elif not marker.needs_word:
        yield marker.run
    else:
        yield from (f"{marker.sign * 2} {word}" for word in marker.plain_words)


def _altered(opener: Marker) -> Iterator[str]:
    """Yield texts for an opener whose signs were altered on the way, as `&lt;` for `<`."""
    for _, _, needles in SIGN_VARIANTS.get(opener.sign, ()):
        for needle in needles:
            if opener.needs_word:
                yield from (f"{needle} {word}" for word in opener.plain_words)
            else:
                yield needle


NEEDLES = of_answers(FORMATS)


def markers() -> str:
    """The source of the tuple in the gate, in lower case and ASCII."""
    rows = "".join(f"    {_literal(needle.lower())},\n" for needle in NEEDLES)
    return f"MARKERS = (\n{rows})\n"


def _literal(text: str) -> str:
    """The text as a Python literal, with the quotes that the formatter would choose."""
    literal = ascii(text)
    return literal if '"' in text else f'"{literal[1:-1]}"'


def condition() -> str:
    """The condition of a workflow, with two texts per line."""
    quoted = (needle.replace("'", "''") for needle in NEEDLES)
    first, *others = (f"contains({_BODY}, '{needle}')" for needle in quoted)
    lines = [f"startsWith({_BODY}, '/') || {first}"]
    lines += [f"      || {' || '.join(others[at : at + 2])}" for at in range(0, len(others), 2)]
    return "\n".join(lines)


def written(path: Path) -> str:
    """The text of a file with its search texts regenerated."""
    text = path.read_text("utf-8")
    if path == GATE:
        return _MARKERS.sub(lambda _: markers(), text)
    return _CONDITION.sub(lambda _: condition(), text)


if __name__ == "__main__":
    for each in (GATE, *WITH_CONDITION):
        each.write_text(written(each), "utf-8")
