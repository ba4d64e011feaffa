"""Open a repository for tests: by default without the machine's git configuration, and without waiting for locks."""

import os
from pathlib import Path

from editblocks.repos.git.repository import Launch, Mode, Repository, open_repository, start


def open_sealed(
    place: str | os.PathLike[str],
    mode: Mode = Mode.ISOLATED,
    *,
    launch: Launch = start,
    lock_seconds: float = 0,
    person: tuple[str, str] | None = None,
) -> Repository:
    """Open the repository at `place`. `person` is the name and e-mail address to commit with."""
    repository = open_repository(Path(place), mode, launch=launch, lock_seconds=lock_seconds)
    if person is None:
        return repository
    variables = {f"GIT_{role}_NAME": person[0] for role in ("AUTHOR", "COMMITTER")}
    variables |= {f"GIT_{role}_EMAIL": person[1] for role in ("AUTHOR", "COMMITTER")}
    return repository._replace(git=repository.git.with_environment(variables))
