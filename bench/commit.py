"""E2: the time of a commit does not depend on the size of the repository."""

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from bench.measure import Row, compare
from editblocks.repos.git.repository import Git, Mode, Repository, open_repository
from editblocks.repos.stores.objects import ObjectsRepo

SMALL, LARGE = 10_000, 100_000
FILES_PER_DIRECTORY, DIRECTORIES_PER_DIRECTORY = 50, 50
ROUNDS = 15
PERSON = {"NAME": "Mona Lisa", "EMAIL": "monalisa@example.com"}


def rows(_peers: Path | None) -> Iterator[Row]:
    """Yield one row: reading and committing one file in a repository of 100,000 files, against one of 10,000."""
    with tempfile.TemporaryDirectory() as folder:
        large, small = (commit_one_file(make_repository(Path(folder), size)) for size in (LARGE, SMALL))
        yield Row("E2", f"1 file, repository of {LARGE:,} files against {SMALL:,}", compare(large, small, ROUNDS), 1.3)


def opened(path: Path) -> Repository:
    """Open the repository at `path` without the machine's settings of git, and with an identity to commit with."""
    repository = open_repository(path, Mode.ISOLATED)
    person = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in PERSON.items()}
    return repository._replace(git=repository.git.with_environment(person))


def file_path(number: int) -> str:
    """Return the path of a file, in three levels of directories as in a real tree."""
    directory = number // FILES_PER_DIRECTORY
    return f"src/d{directory // DIRECTORIES_PER_DIRECTORY}/d{directory % DIRECTORIES_PER_DIRECTORY}/f{number}.py"


def make_repository(folder: Path, files: int) -> Path:
    """Create a bare repository whose branch `main` has `files` small files, all different."""
    path = folder / f"{files}.git"
    Git(folder, Mode.ISOLATED).ask("init", "--quiet", "--bare", "--initial-branch=main", str(path))
    lines = [b"commit refs/heads/main\ncommitter Mona Lisa <monalisa@example.com> 1 +0000\ndata 0\n"]
    for number in range(files):
        data = f"number = {number}\n".encode()
        lines.append(b"M 100644 inline %s\ndata %d\n%s" % (file_path(number).encode(), len(data), data))
    Git(path, Mode.ISOLATED, git_dir=path).ask("fast-import", "--quiet", stdin=b"".join(lines))
    return path


def commit_one_file(path: Path) -> Callable[[], object]:
    """Return a function that opens the repository, reads a file in the middle of it and commits a change to it."""
    numbers = count()

    def work() -> object:
        repo = ObjectsRepo(opened(path), branch="main")
        name = file_path(SMALL // 2)
        repo.prefetch([name])
        before = repo.read(name) or b""
        return repo.write({name: before + b"# %d\n" % next(numbers)}, "Apply 1 edit block")

    return work
