"""The section of `AGENTS.md`: how an agent leaves its answer as a response file, and checks it.

The form of a block and the rules are those of the kit; the rest of the words stands in `texts/agents.txt`.
"""

from __future__ import annotations

import re
from textwrap import indent

from editblocks.core.settings import DEFAULT_KIT
from editblocks.prompts.kits import kit, read_text

_FRAME = re.compile("^(````+)[a-z]+\n.*?^\\1$", re.MULTILINE | re.DOTALL)


def agents_section() -> str:
    """Return the section, from its first comment to its last; it ends in a newline.

    The block in it is indented, so that git and Markdown take it for an example.
    """
    chosen = kit(DEFAULT_KIT)
    frame = next(_FRAME.finditer(chosen.system))
    rules = chosen.reminder.partition("\n")[2]
    return read_text("agents").format(frame=indent(frame[0], "    "), rules=rules)
