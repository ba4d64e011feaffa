"""Read and change the records of writes, which editblocks keeps in a repository for undo and recovery."""

import json
from pathlib import Path

from support.gitkit import git
from support.repositories import open_sealed

from editblocks.repos.records import PREFIX, Record, Records, Step


def kept(root: Path) -> dict[str, str]:
    """The recorded writes of all working trees of a repository: id → step that each has reached."""
    names = git(root, "for-each-ref", "--format=%(refname:lstrip=3)", PREFIX).decode().splitlines()
    tags = {name: git(root, "for-each-ref", "--format=%(contents)", PREFIX + name) for name in names}
    return {name: json.loads(tag)["step"] for name, tag in tags.items()}


def interrupt(root: Path, name: str, step: Step = Step.APPLYING) -> Record:
    """Make the record of the write `name` look as if its process was killed at `step`. Does not touch its files."""
    records = Records(open_sealed(root))
    record = next(record for record in records.all() if record.id == name)
    place = open_sealed(root).git_dir / "editblocks/lock"
    place.parent.mkdir(exist_ok=True)
    place.write_text("1\n")
    return records.set_step(record, step)
