"""The `<boltAction …>` tag: what the action does and which file it names. Attributes are taken as written."""

from __future__ import annotations

import re
from typing import NamedTuple

_TAG = re.compile(r"<boltAction((?:[ \t]+[A-Za-z_-]+[ \t]*=[ \t]*(?:\"[^\"]*\"|'[^']*'))*)[ \t]*>(.*)\Z")
_ATTRIBUTE = re.compile(r"([A-Za-z_-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)')")

END = "</boltAction>"


class BoltTag(NamedTuple):
    """One opening tag. `file_path` None: no such attribute; `rest`: what stands behind the tag on its line."""

    type: str
    file_path: str | None
    rest: str

    @property
    def ends_here(self) -> bool:
        """Whether the action is over on its own line."""
        return END in self.rest


def read_tag(line: str) -> BoltTag | None:
    """Read a line that begins with `<boltAction`; None if its tag does not end on it."""
    found = _TAG.match(line)
    if found is None:
        return None
    attributes = {name: double or single for name, double, single in _ATTRIBUTE.findall(found[1])}
    return BoltTag(attributes.get("type", ""), attributes.get("filePath"), found[2].strip(" \t"))
