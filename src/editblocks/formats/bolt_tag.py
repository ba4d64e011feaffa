"""The `<boltAction …>` tag: what the action does and which file it names. Attributes are taken as written."""

from __future__ import annotations

import re
from typing import NamedTuple

_VALUE = r"[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\"'<>=/]+))"
_TAG = re.compile(rf"<boltAction((?:[ \t]+[A-Za-z_-]+{_VALUE}){{0,32}})[ \t]*>(.*)\Z")
_ATTRIBUTE = re.compile(rf"([A-Za-z_-]+){_VALUE}")

END = "</boltAction>"


class BoltTag(NamedTuple):
    """An opening tag. `file_path`: None without that attribute; `rest`: the text after the tag on its line."""

    type: str
    file_path: str | None
    rest: str

    @property
    def ends_here(self) -> bool:
        """Whether the action is closed on the line of its tag."""
        return END in self.rest


def read_tag(line: str) -> BoltTag | None:
    """Read a line that begins with `<boltAction`; None if its tag is not closed, has over 32 attributes, or no type."""
    match = _TAG.match(line)
    if match is None:
        return None
    attributes = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(match[1])}
    kind = attributes.get("type")
    return None if kind is None else BoltTag(kind, attributes.get("filepath"), match[match.re.groups].strip(" \t"))
