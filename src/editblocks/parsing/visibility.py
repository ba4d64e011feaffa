"""Whether readers of the rendered page see a line, as far as the text itself can hide it.

Most texts hold nothing that could. They are not read as a page, nor is what reads pages loaded for them: a commit
waits for its hook.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editblocks.parsing.page import Page

# Without any of these up to a line, nothing hides it: raw HTML, and where images, targets and labels begin.
_MAY_HIDE = re.compile(r"<[!?/A-Za-z]|!\[|\]\(|\]\[|\n[ \t\r>*+0-9.)-]*\[|\r[ \t]*\[|(?:://|www\.)[^\s<`]*`")


def may_hide(text: str) -> bool:
    """Whether whole lines hold what can hide lines below them; most texts do not, and this is fast."""
    return _MAY_HIDE.search("\n" + text) is not None


class Visibility:
    """What can be seen of `lines`, which grow."""

    def __init__(self, lines: list[str]) -> None:
        self.is_clear = True  # whether no line so far can hide another
        self._lines = lines
        self._page: Page | None = None

    def take(self, text: str) -> None:
        """Hear the next whole lines."""
        self.is_clear = self.is_clear and not may_hide(text)

    def hides(self, line: int) -> bool:
        """Whether a line (0-based), after all that were asked about before, may be hidden."""
        if self._page is None:
            from editblocks.parsing.page import Page  # a hook waits for this, and few answers need it

            self._page = Page(self._lines)
        return self._page.hides(line)
