"""What hooks and workflows search for follows from the formats."""

import re
from pathlib import Path

import pytest
from support.needles import GATE, NEEDLES, WITH_CONDITION, condition, markers, written

from editblocks import parse_response
from editblocks.formats.call_tags import _PATH_ATTRIBUTE

_NAMES = re.findall(r"\w+(?=[|)])", _PATH_ATTRIBUTE.partition("=")[0])


@pytest.mark.parametrize("path", [GATE, *WITH_CONDITION], ids=lambda path: path.name)
def test_the_committed_text_is_what_the_formats_say(path: Path) -> None:
    """If not, `python -m support.needles` in `tests/` writes it."""
    text = path.read_text("utf-8")
    assert written(path) == text
    assert (markers() if path == GATE else condition()) in text


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("name", _NAMES)
def test_each_attribute_that_names_the_path_of_an_edit_is_searched_for(name: str, quote: str) -> None:
    text = f"<dyad-delete {name}={quote}app.py{quote}></dyad-delete>\n"
    assert len(parse_response(text).problems) == 1
    assert any(needle.lower() in text.lower() for needle in NEEDLES)
