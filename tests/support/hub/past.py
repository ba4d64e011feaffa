"""An earlier state of the world, which a lagging replica still answers with.

GitHub does not promise that a read sees an earlier write; how long its databases lag is unknown [U]. Git objects never
change, so only refs and pull requests (with their comments and reviews) can be out of date.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import NamedTuple

from support.hub.model import PullRequest
from support.hub.world import World

PARTS = frozenset({"refs", "pulls"})


class Past(NamedTuple):
    """Refs and pull requests at one moment. None means that this part does not lag."""

    refs: dict[str, str] | None
    pulls: list[PullRequest] | None

    @classmethod
    def of(cls, world: World, only: str | None = None) -> "Past":
        """Remember the current state of the world, or only its "refs" or its "pulls"."""
        assert only is None or only in PARTS, only
        # Users and repositories are not copied: both states share them.
        same = {id(each): each for each in (*world.users.values(), *world.repositories)}
        return cls(
            _refs(world) if only != "pulls" else None,
            deepcopy(world.pull_requests, dict(same)) if only != "refs" else None,
        )

    @contextmanager
    def again(self, world: World) -> Iterator[None]:
        """Show readers of the world this state until the context ends."""
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
