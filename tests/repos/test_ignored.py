"""Which files git ignores, by whatever name: no name is taken for a pattern, and what is in the index is kept."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

from support import gitkit
from support.gitkit import FILE

from editblocks.repos.git.index import ignore_rules
from editblocks.repos.git.repository import Mode, open_repository, start
from editblocks.repos.stores.worktree import WorktreeRepo

NAMES = ("a.log", "kept.log", "*.py", ":(top)a.log", "!b.log", "#c.log", "two\nlines.log", "build/x", "é.log")


def test_ignored(tmp_path: Path) -> None:
    shop = gitkit.make_repository(tmp_path / "shop", {".gitignore": (FILE, b"*.log\nbuild/\n"), "a.py": (FILE, b"")})
    (shop / "build").mkdir()
    for name in NAMES:
        (shop / name).write_bytes(b"x\n")
    gitkit.git(shop, "add", "-f", "kept.log")
    git = open_repository(shop).git
    assert list(ignore_rules(git, NAMES)) == [
        "a.log",
        ":(top)a.log",
        "!b.log",
        "#c.log",
        "two\nlines.log",
        "build/x",
        "é.log",
    ]
    assert list(ignore_rules(git, ["missing.log", "a.py", "missing.py"])) == ["missing.log"]
    assert ignore_rules(git, []) == {}


def test_git_is_not_asked_about_files_in_the_index(tmp_path: Path) -> None:
    shop = gitkit.make_repository(tmp_path / "shop", {".gitignore": (FILE, b"*.log\n"), "a.py": (FILE, b"")})
    for name in ("a.log", "kept.log"):
        (shop / name).write_bytes(b"x\n")
    gitkit.git(shop, "add", "-f", "kept.log")
    questions = []

    def observed(
        command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
    ) -> CompletedProcess[bytes]:
        if "check-ignore" in command:
            questions.append(stdin)
        return start(command, environment, stdin, seconds)

    files = WorktreeRepo(shop, repository=open_repository(shop, Mode.USER, launch=observed), allow_ignored=())
    assert files.ignored(["a.py", "kept.log"]) == {}
    assert not questions
    assert files.ignored(["a.py", "a.log", "kept.log"]) == {"a.log": ".gitignore line 1: *.log"}
    assert questions == [b"./a.log\0"]
