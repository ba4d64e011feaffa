"""Regular expressions that are compiled when they are first used.

There are some 150 of them, most for forms of text that a response does not have, and compiling them all takes longer
than a commit's hook has to spare (docs/internals/design.md, "start-up time").
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split", "pattern", "flags", "groups")


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, but an error in `source` is raised when it is first used."""
    return cast("re.Pattern[AnyStr]", LazyPattern(source, flags))


class LazyPattern:
    """Stands for a pattern; once that is compiled, its methods are this object's own, so that no call is slower."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:  # what copies or shows an object asks for much that no pattern has
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        vars(self).update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)
