"""What a status says that is not of its outcome: where it stands, and who may answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from editblocks.report.status.links import Links


class Page(NamedTuple):
    """Where a status stands.

    `reply` is what commands begin with, `/` or `/edits `; None: none would be obeyed here. `role` is the least that
    whoever sends one must have: write, maintain or admin. `following` are the commands that come next where a person
    ran it, and no workflow.
    """

    version: str
    links: Links | None = None  # None: it is no comment on a pull request
    branch: str | None = None  # the one that is committed to
    checks_wait: bool = False  # the commit was made with a token that starts no checks
    reply: str | None = None
    role: str = "write"
    following: Sequence[str] | None = None
    done: str | None = None  # the commit that an earlier status named and this one has to keep
