"""Which files git ignores, by whatever name: no name is taken for a pattern, and what is in the index is kept."""

from pathlib import Path

from support import gitkit
from support.gitkit import FILE

from editblocks.repos.git.index import ignore_rules
from editblocks.repos.git.repository import open_repository

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
