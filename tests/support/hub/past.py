"""The world as it was: what a replica that lags behind still answers.

GitHub promises no read-your-writes between its databases; how long they lag is unknown [U]. Objects are never old,
only what names them: refs, and the pull requests with what was said on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import NamedTuple

from support.hub.model import PullRequest
from support.hub.world import World

PARTS = frozenset({"refs", "pulls"})


class Past(NamedTuple):
    """Refs and pull requests at one moment; None is what did not lag."""

    refs: dict[str, str] | None
    pulls: list[PullRequest] | None

    @classmethod
    def of(cls, world: World, only: str | None = None) -> Past:
        """Remember the world as it is now; `only` its "refs" or its "pulls"."""
        assert only is None or only in PARTS, only
        # people and repositories are the same ones in both worlds
        same = {id(each): each for each in (*world.users.values(), *world.repositories)}
        return cls(
            _refs(world) if only != "pulls" else None,
            deepcopy(world.pull_requests, dict(same)) if only != "refs" else None,
        )

    @contextmanager
    def again(self, world: World) -> Iterator[None]:
        """The world looks like that again, to whoever only reads."""
        pulls, seen = world.pull_requests, world.store.seen
        world.store.seen = self.refs
        world.pull_requests = pulls if self.pulls is None else self.pulls
        try:
            yield
        finally:
            world.pull_requests, world.store.seen = pulls, seen


def _refs(world: World) -> dict[str, str]:
    rows = world.store.git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    return {name: oid for name, _, oid in (row.partition(" ") for row in rows)}
