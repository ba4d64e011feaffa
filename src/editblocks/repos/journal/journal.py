"""What writes to a working tree have changed, kept in `.git/editblocks/`: for undo, and for after a kill.

An entry is one file named `YYYYMMDD-N.STATE` (UTC), complete on disk before the first file is touched;
its state changes by a rename. The folder is open to its owner alone, and nothing in it is followed through a link.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum
from itertools import count

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.repos.files.directory import Folder
from editblocks.repos.files.file_lock import is_ours
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.journal.entry import JournalEntry, decode, encode

FOLDER = "editblocks"
PLACE = f".git/{FOLDER}"  # what people are told, in a linked working tree too
KEPT, KEPT_BYTES = 50, 256 << 20  # the newest entries; the last one is kept whatever its size

_NAME = re.compile(r"(\d{8})-([1-9]\d{0,5})\.([a-z]+)(?:-([0-9a-f]+))?\Z", re.ASCII)
_COUNTED = 99_999  # nobody writes that often on one day
_TEMP = "new."


def nothing(effect: str, path: str) -> None:
    """Do nothing: the effect goes ahead."""


class WritePhase(str, Enum):
    """Where a write is. The first five are under way: who finds one of them has to finish it or take it back."""

    APPLYING = "applying"
    STAGING = "staging"  # the files go with the index, which follows when all of them are new; see `Record.note`
    COMMITTING = "committing"  # the files go with a commit, which is in the name as soon as there is one
    UNDOING = "undoing"
    REDOING = "redoing"
    DONE = "done"
    UNDONE = "undone"
    COMMITTED = "committed"  # with the commit in the name: git has it, and git takes it back

    @property
    def is_final(self) -> bool:
        """Whether the write is over."""
        return self in (WritePhase.DONE, WritePhase.UNDONE, WritePhase.COMMITTED)


# lengths of what may be noted, in hexadecimal digits
_NOTES = {WritePhase.STAGING: (32, 64), WritePhase.COMMITTING: (40, 64), WritePhase.COMMITTED: (40, 64)}


@dataclass(frozen=True, slots=True)
class Record:
    """The name of an entry.

    `note`: of a commit its id, once it is known. In what goes with the index the digest of what was staged
    (`staged_text.staged_digest`), and behind it that of what is going to be, once it is known.
    """

    day: str
    number: int
    step: WritePhase
    note: str | None = None

    @property
    def id(self) -> str:
        """The id that people use."""
        return f"{self.day}-{self.number}"

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.id}.{self.step.value}" + (f"-{self.note}" if self.note else "")

    @classmethod
    def read(cls, name: str) -> Record | None:
        """The record whose file has this name, None if it is none of ours."""
        match = _NAME.match(name)
        if not match or match[3] not in set(WritePhase):
            return None
        step = WritePhase(match[3])
        if (match[4] or step is WritePhase.COMMITTED) and len(match[4] or "") not in _NOTES.get(step, ()):
            return None
        return cls(match[1], int(match[2]), step, match[4])


class Journal:
    """The journal in an open folder, whose lock is held. `effect` is called before each change."""

    def __init__(self, folder: Folder, effect: Callable[[str, str], None]) -> None:
        self._folder = folder
        self._effect = effect

    def records(self) -> list[Record]:
        """Every entry, oldest first; a day that is not yet anywhere is older than all. Raises `RepoError`."""
        with explain_errors(PLACE, "read"):
            records = [record for record in map(Record.read, self._folder.names()) if record is not None]
        last = last_day()
        return sorted(records, key=lambda record: (record.day <= last, record.day, record.number, record.step))

    def load(self, record: Record) -> JournalEntry:
        """What an entry holds. Raises `RepoError` if it is not what one of ours could be."""
        place = f"{PLACE}/{record.name}"
        with explain_errors(place, "read"), os.fdopen(self._folder.open(record.name, os.O_RDONLY), "rb") as file:
            if not is_ours(os.fstat(file.fileno())):
                raise RepoError(f"{place} is not ours: look at it, then remove it", ReasonCode.UNAVAILABLE)
            data = file.read()
        try:
            return decode(data)
        except RepoError as error:
            reason = f"{place} cannot be used: {error.message}; look at the files it names, then remove it"
            raise RepoError(reason, error.code) from error

    def plan(self, entry: JournalEntry, step: WritePhase = WritePhase.APPLYING, note: str | None = None) -> Record:
        """Keep `entry` as one that is under way; it is on disk when this returns. Raises `RepoError`."""
        record = self._next(entry.time[:10], step, note)
        place = f"{PLACE}/{record.id}"
        with explain_errors(PLACE, "written"):
            temp = f"{_TEMP}{entry.token}"
            self._effect("create", place)
            try:
                descriptor = self._folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as file:
                    self._effect("write", place)
                    file.writelines(encode(entry))
                    file.flush()
                    self._effect("fsync", place)
                    os.fsync(descriptor)
                self._effect("replace", place)
                self._folder.replace(temp, record.name)
                self._sync()
            except BaseException:
                for name in (temp, record.name):
                    with suppress(OSError):
                        self._folder.remove(name)
                raise
        return record

    def mark(self, record: Record, step: WritePhase, note: str | None = None) -> Record:
        """Let an entry be at another step. One that is under way is so on disk when this returns."""
        marked = Record(record.day, record.number, step, note)
        with explain_errors(PLACE, "written"):
            self._effect("mark", f"{PLACE}/{record.id}")
            self._folder.replace(record.name, marked.name)
            try:
                if not step.is_final:  # else whoever finds the old name sees that all is done
                    self._sync()
            except BaseException:
                self._folder.replace(marked.name, record.name)
                raise
        return marked

    def keep_commit(self, record: Record) -> None:
        """Remember which commit has what was written; without one, there was nothing that git did not have."""
        if record.note is None:
            self.drop(record)
        else:
            self.mark(record, WritePhase.COMMITTED, record.note)

    def now(self, record: Record) -> Record:
        """The same entry at the step where it is: an interrupt may have come right after its last one."""
        return next((current for current in self.records() if current.id == record.id), record)

    def drop(self, record: Record) -> None:
        """Forget an entry."""
        with explain_errors(PLACE, "written"):
            self._effect("drop", f"{PLACE}/{record.id}")
            self._folder.remove(self.now(record).name)

    def tidy(self) -> None:
        """Remove what killed processes left, and the oldest entries where there are many; a failure can wait."""
        with suppress(OSError, RepoError):
            for name in self._folder.names():
                if name.startswith(_TEMP):
                    self._folder.remove(name)
            size = 0
            for age, record in enumerate(reversed(self.records())):
                size += self._folder.stat(record.name).st_size
                if record.step.is_final and age and (age >= KEPT or size > KEPT_BYTES):
                    self._folder.remove(record.name)

    def _next(self, today: str, step: WritePhase, note: str | None) -> Record:
        """An id above all that are there, even if the clock went back by a day.

        Names that no clock and no person's work explain do not count: above them there may be none that can be read.
        """
        day, latest = today.replace("-", ""), _day_after(today)
        taken = {(record.day, record.number) for record in self.records()}
        counted = [(earlier, number) for earlier, number in taken if day <= earlier <= latest and number <= _COUNTED]
        day, number = max(counted, default=(day, 0))
        return Record(day, next(earlier for earlier in count(number + 1) if (day, earlier) not in taken), step, note)

    def _sync(self) -> None:
        self._effect("sync", PLACE)
        self._folder.sync()


def last_day() -> str:
    """The last day that it may be somewhere now, as in an id; later ones are not of a clock that is right."""
    return _day_after(time.strftime("%Y-%m-%d", time.gmtime()))


def _day_after(today: str) -> str:
    """The last day that it may be somewhere, as in an id; `today` is YYYY-MM-DD."""
    return (date.fromisoformat(today) + timedelta(days=1)).strftime("%Y%m%d")
