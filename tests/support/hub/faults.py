"""Faults to put between the client and the hub, by step and count.

`Fault("POST git/trees", status=502)` answers the first such request with 502 and does nothing else;
`effect=True` lets it happen first, so that the client loses the answer only. `before` and `after`
are called around the effect, to move a branch mid-run; `alter` rewrites the JSON that goes out.
Steps are the names in `Hub.names`, with `*` as in a shell: `query Context`, `mutation updateRefs`,
`* pulls/*/reviews`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from support.hub.past import Past


@dataclass(slots=True)
class Fault:
    """What goes wrong at the `nth` to `nth + times - 1`-th request called `at` (1-based)."""

    at: str
    nth: int = 1
    times: int = 1
    status: int | None = None  # answer with this instead
    body: Any = None  # its body: JSON, or bytes as they are; None: a sentence in GitHub's shape
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False  # close the connection without a word
    effect: bool = False  # whether the request takes effect all the same
    before: Callable[[], object] | None = None
    after: Callable[[], object] | None = None
    alter: Callable[[Any], Any] | None = None
    past: Past | None = None  # answer from an old world (`Hub.lag`)
    seen: int = 0

    def strikes(self, name: str) -> bool:
        """Count a request; whether it is one to spoil."""
        if not fnmatchcase(name, self.at):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times

    @property
    def replaces(self) -> bool:
        """Whether the client gets something else than the hub's own answer."""
        return self.drop or self.status is not None
