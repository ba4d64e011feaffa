"""Plan a response in one call, with everything about the response and the tree as keyword arguments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from editblocks.applying.engine import Options, apply_response
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import FrontMatter, Response
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.formats.grammar import Format
from editblocks.parsing.parse import FORMATS

Read = Callable[[str], "bytes | None"]


class Given:
    """A tree made of functions. Without `entries`, its directories cannot be listed."""

    def __init__(self, read: Read, entries: Any, read_base: Callable[[str], Read | None] | None) -> None:
        self.read = read
        self.entries = entries
        self.at = read_base or _none
        self.prefetch: Callable[[Iterable[str]], object] = list
        self.listings = 20
        self.link_target: Callable[[str], str | None] = _none
        self.ignored: Callable[[Iterable[str]], Iterable[str]] = lambda _: ()


def planned(
    text: str,
    read: Read,
    settings: Settings | None = None,
    *,
    entries: Callable[[str], Mapping[str, str]] | None = None,
    read_base: Callable[[str], Read | None] | None = None,
    prefetch: Callable[[Iterable[str]], object] = list,
    listings: int = 20,
    link_target: Callable[[str], str | None] = lambda _: None,
    select: Selection | None = None,
    formats: Sequence[Format] = FORMATS,
    base: str | None = None,
    first_line: int = 1,
    **about: Any,
) -> ApplyResult:
    """Call `apply_response`. `about` are further fields of the `Response`."""
    tree = Given(read, entries, read_base)
    tree.prefetch, tree.listings, tree.link_target = prefetch, listings, link_target
    front = FrontMatter(base, lines=first_line - 1) if base or first_line > 1 else None
    return apply_response(Response(text, front=front, **about), tree, settings, Options(select, formats))  # type: ignore[arg-type]


def _none(_: str) -> None:
    return None


def files_after(files: Mapping[str, bytes], result: ApplyResult) -> dict[str, bytes]:
    """All files after a plan is written."""
    return {path: data for path, data in {**files, **result.contents}.items() if data is not None}
