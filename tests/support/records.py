"""What is kept of writes, as tests look at it and change it."""

from __future__ import annotations

import json
from pathlib import Path

from support.gitkit import git
from support.repositories import open_sealed

from editblocks.repos.journal.records import PREFIX, Record, Records, Step


def kept(root: Path) -> dict[str, str]:
    """The ids of the writes that are kept in all working trees of a repository, and how far each of them is."""
    names = git(root, "for-each-ref", "--format=%(refname:lstrip=3)", PREFIX).decode().splitlines()
    tags = {name: git(root, "for-each-ref", "--format=%(contents)", PREFIX + name) for name in names}
    return {name: json.loads(tag)["step"] for name, tag in tags.items()}


def interrupt(root: Path, name: str, step: Step = Step.APPLYING) -> Record:
    """Leave the write `name` as one whose process was killed at `step`, whatever its files hold."""
    records = Records(open_sealed(root))
    record = next(record for record in records.all() if record.id == name)
    place = open_sealed(root).git_dir / "editblocks/lock"
    place.parent.mkdir(exist_ok=True)
    place.write_text("1\n")
    return records.set_step(record, step)
