"""Commits for tests of diffs: those of this project, and a random history made from the sources of a package."""

import email
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from support.gitkit import FILE, Entry, commit, git, line, make_repository
from support.project import ROOT

FENCE = "`" * 12  # longer than any fence in the files, so that none of their lines closes it
_NOTHING = "0" * 40


class Change(NamedTuple):
    """A commit: its diff as git prints it, and the files that it changes, before and after."""

    commit: str
    diff: str
    before: dict[str, bytes]
    after: dict[str, bytes]

    @property
    def response(self) -> str:
        return f"{FENCE}diff\n{self.diff}{FENCE}\n"


def own_commits(most: int) -> list[str]:
    """The newest commits of this project with one parent, at most `most`; none in a copy without git history."""
    if not (ROOT / ".git").exists():
        return []
    said = git(ROOT, "log", "--no-merges", "--min-parents=1", "--format=%H", f"-n{most}").decode().split()
    return [each for each in said if _is_known(f"{each}^")]


def _is_known(rev: str) -> bool:
    return bool(git(ROOT, "rev-parse", "--quiet", "--verify", f"{rev}^{{commit}}"))


def changes(path: Path, commits: Sequence[str]) -> Iterator[Change]:
    """Yield the change of each commit. Skips commits whose diff is empty or not UTF-8."""
    for each in commits:
        diff = git(path, "diff", "-M", f"{each}^", each)
        if not diff or not _is_text(diff):
            continue
        before, after = files_of(path, each)
        yield Change(each, diff.decode(), before, after)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def files_of(path: Path, rev: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files that a commit changes, before and after it."""
    fields = git(path, "diff-tree", "-r", "--no-renames", "--no-commit-id", "--raw", "-z", rev).decode().split("\0")
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        _, _, old, new, _ = head.split()
        for blob, files in ((old, before), (new, after)):
            if blob != _NOTHING:
                files[name] = git(path, "cat-file", "blob", blob)
    return before, after


def package_history(path: Path, count: int) -> list[str]:
    """Make a repository at `path` from a package's sources, with `count` random commits. Return their ids in order."""
    chance = random.Random(count)  # noqa: S311 # the same history in each run
    folder = Path(email.__file__).parent
    files = {f"mail/{each.name}": each.read_bytes() for each in sorted(folder.glob("*.py"))}
    files["mail/dos.txt"] = files["mail/utils.py"].replace(b"\n", b"\r\n")
    files["mail/open.txt"] = files["mail/charset.py"].removesuffix(b"\n")
    make_repository(path, {name: (FILE, data) for name, data in files.items()})
    made = []
    for number in range(count):
        new: dict[str, Entry | None] = {}
        for name in chance.sample(sorted(files), chance.randint(1, 3)):
            for changed, data in _edit(chance, name, files.pop(name), number):
                new[changed] = None if data is None else (FILE, data)
                if data is not None:
                    files[changed] = data
        commit(path, "main", new)
        made.append(line(path, "rev-parse", "main"))
    return made


def _edit(chance: random.Random, name: str, data: bytes, number: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield random changes, (path, new bytes or None), of one file: an edit, a move, or a new file beside it."""
    lines = data.splitlines(keepends=True)
    end = b"\r\n" if b"\r\n" in data else b"\n"
    for _ in range(chance.randint(1, 4)):
        at, count = chance.randrange(len(lines) + 1), chance.choice((0, 0, 1, 1, 3, 8))
        old = lines[at : at + count]
        new = [chance.choice(lines or [b"x\n"]) for _ in range(chance.choice((0, 1, 2, 5)))]
        lines[at : at + count] = chance.choice((new, [*new, *old], old[::-1], [*old, b"# change %d" % number + end]))
    whole = b"".join(each if each.endswith(b"\n") else each + end for each in lines)
    match chance.randrange(12):
        case 0 if len(whole) > 2000:
            yield name, None
            yield f"mail/moved_{number}.py", whole
        case 1:
            yield name, data
            new_file = b"".join(lines[:30])
            yield f"mail/new_{number}.py", new_file.replace(b"\r\n", b"\n")  # new files get LF
        case 2:
            yield name, whole.removesuffix(end)
        case _:
            yield name, whole
