"""The path that the info string of a fence may hold: source P3 of docs/reference/formats.md, "which file"."""

from __future__ import annotations

import re

from editblocks.parsing.path_line import PathLine, find_path

_POSITION = re.compile(r"\d+:\d+:")
_KEY = re.compile(r"(?:^|[ \t])(?:title|file|filename|path)=(?:\"([^\"]+)\"|'([^']+)'|(\S+))")
_OTHER_KEY = re.compile(r"[A-Za-z-]+=")  # `highlight=3/4.5`
_LANG = re.compile(r"[A-Za-z0-9_+#-]+[: \t][ \t]*(\S+)\Z")
_EXTENSION = re.compile(r".*[^/]\.[0-9]*[A-Za-z_][A-Za-z0-9_+-]{0,15}\Z")


def is_one_word(info: str) -> bool:
    """Whether an info string may be a language tag only: it gives way to a path above the fence."""
    return not set(info) & set(" \t:=/")


def path_in_info(info: str) -> PathLine | None:
    """The path in a fence's info string: `lang:path`, `lang path`, `title=path` and the like, or one word.

    It must hold `/` or an extension with a letter, so that a language tag is never one.
    """
    text = _POSITION.sub("", info.strip(" \t"), count=1)
    if match := _KEY.search(text):
        text = match[1] or match[2] or match[3]
    else:
        match = _LANG.match(text)
        text = match[1] if match else text
        if " " in text or "\t" in text or _OTHER_KEY.match(text):
            return None
    path = find_path(text)
    if path is None or not ("/" in path.path or _EXTENSION.match(path.path)):
        return None
    return path._replace(weak=False)
