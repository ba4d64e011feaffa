"""What earlier runs of an answer wrote, for a plan that is to know it (`applying.done_before`). Looks only."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from editblocks.core.errors import RepoError
from editblocks.core.outcome import WrittenFile
from editblocks.repos.git.repository import repository_at
from editblocks.repos.journal.records import Record, Records, Step


def written_files(root: Path, answer: str) -> tuple[WrittenFile, ...]:
    """The files as applies of the answer with this digest left them, where no other apply came after.

    A record that cannot be read says nothing, and no earlier one is asked then.
    """
    repository = repository_at(root)
    if repository is None:
        return ()
    records = Records(repository)
    files: dict[str, WrittenFile] = {}
    expected: dict[str, bytes | None] = {}  # what an earlier apply has to have left, to be counted as well
    closed = set[str]()  # the paths whose earlier applies do not count
    with suppress(RepoError):
        for record in _newest_first(records.all(), answer):
            for path, old, new in records.load(record):
                old_data = old and old[1]
                new_data = new and new[1]
                follows = path not in files or expected[path] == new_data
                if record.origin.answer != answer or not follows:
                    closed.add(path)
                if path in closed:
                    continue
                file = files.get(path) or WrittenFile(path, new_data, {})
                blocks = dict.fromkeys(record.origin.blocks.get(path, ()), record.id)
                files[path] = file._replace(blocks={**blocks, **file.blocks})
                expected[path] = old_data
    return tuple(files.values())


def _newest_first(records: Sequence[Record], answer: str) -> Sequence[Record]:
    """What was written and is not undone, the newest first, down to the oldest apply of the answer."""
    written = [record for record in records if record.step in (Step.DONE, Step.COMMITTED)]
    for number, record in enumerate(written):
        if record.origin.answer == answer:
            return written[number:][::-1]
    return []
