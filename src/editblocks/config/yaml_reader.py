"""Read untrusted YAML as plain values: one map of words, numbers and lists of them, from the events of PyYAML's parser.

Everything beyond is refused, not ignored: maps in maps, anchors, aliases, tags, merge keys, several documents. A plain
`true`, `false` or whole number of at most 9 digits becomes that value; everything else, such as `on`, `1:30`, `007` or
a date, stays text. Rules: docs/reference/command-line.md, "front matter".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from editblocks.core.errors import ConfigError, ConfigTextError

if TYPE_CHECKING:
    from editblocks.config.yaml_events import Value

MAX_BYTES = 64 * 1024

Checked = TypeVar("Checked")


def read_yaml(
    text: str, name: str, check: Callable[[str, Value], Checked], first_line: int = 1
) -> dict[str, tuple[int, Checked]]:
    """Read one document of at most 64 KiB: the line, 1-based, and the value of each key; an empty text has none.

    `name` is what messages call the text, `first_line` the number of its first line; `check` returns the value of a key
    as it is used, or raises `ConfigError`. Raises `ConfigTextError` for anything that is refused, and nothing else.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        reason = f"there are {size:,} bytes of YAML, the limit is {MAX_BYTES:,}; shorten it"
        raise ConfigTextError(name, first_line, reason)
    from editblocks.config.yaml_events import Fault, read_map  # and with it PyYAML, where there is a text

    try:
        found = read_map(text)
    except Fault as fault:
        raise ConfigTextError(name, first_line + text.count("\n", 0, fault.index), fault.message) from None
    checked: dict[str, tuple[int, Checked]] = {}
    for key, (index, value) in found.items():
        line = first_line + text.count("\n", 0, index)  # YAML also counts other characters as line ends
        try:
            checked[key] = line, check(key, value)
        except ConfigError as error:
            raise ConfigTextError(name, line, error.message) from None
    return checked
