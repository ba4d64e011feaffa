"""The local stand-in for GitHub, running, and a pull request on it."""

from collections.abc import Iterator

import pytest
from support.hub import Hub, hub
from support.hub.model import PullRequest


@pytest.fixture
def h() -> Iterator[Hub]:
    with hub() as running:
        yield running


@pytest.fixture
def pr(request: pytest.FixtureRequest, h: Hub) -> PullRequest:
    """A pull request of `monalisa` with the module's FILES, and its MODES if it has some."""
    return h.world.pull_request(request.module.FILES, author="monalisa", modes=getattr(request.module, "MODES", {}))
