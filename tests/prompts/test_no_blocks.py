"""The example in a prompt for an answer without edit blocks: of which file and which line it is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from editblocks.core.settings import Settings
from editblocks.prompts.no_blocks import no_blocks_prompt
from editblocks.prompts.paragraphs import EXAMPLE

LINES: Mapping[str, tuple[bytes, tuple[int, str] | None]] = {
    "the first": (b"a = 1\nb = 2\n", (1, "a = 1")),
    "below blank ones and rules": (b"\n# ----\n  a = 1\n", (3, "  a = 1")),
    "below what reads like a marker": (b"<<<<<<< SEARCH\n  ======= x\na\n", (3, "a")),
    "none": (b"", None),
    "none with a word": (b"}\n", None),
    "too long": (b"a" * 121 + b"\nb\n", None),
    "no text": (b"\xff\xfe\x00", None),
}


@pytest.mark.parametrize(("data", "line"), LINES.values(), ids=LINES)
def test_the_line(data: bytes, line: tuple[int, str] | None) -> None:
    prompt = no_blocks_prompt("Change a.py!", {"a.py": data}.get, lambda _: {"a.py": "100644"}, Settings())
    if line is None:
        assert EXAMPLE in prompt
    else:
        told = f"A block that changes line {line[0]} of a.py looks like this:\n````text\na.py\n"
        assert f"{told}<<<<<<< SEARCH\n{line[1]}\n=======\n" in prompt


NAMES: Mapping[str, str | None] = {
    "In b.py, then a.py": "b.py",
    "Open `a.py`.": "a.py",
    '{"file": "b.py"}': "b.py",
    "a.py.": "a.py",
    "./a.py:1": "a.py",
    "xa.py /a.py ../a.py .//a.py": None,
    "link.py": None,
    "dir/a.py": None,
    "a": None,
    ".gitattributes, .git/config and CODEOWNERS": None,
    " ".join(f"{number}.py" for number in range(50)) + " a.py": None,
    "x" * 500 + "/a.py": None,
}
TREE = {"a.py": "100644", "b.py": "100755", "link.py": "120000", "dir": "040000", ".gitattributes": "100644"}


@pytest.mark.parametrize(("text", "path"), NAMES.items())
def test_the_file(text: str, path: str | None) -> None:
    files = dict.fromkeys(TREE, b"a = 1\n")
    prompt = no_blocks_prompt(text, files.get, lambda directory: {} if directory else TREE, Settings())
    assert (EXAMPLE in prompt) == (path is None)
    assert path is None or f" of {path} looks like this" in prompt
