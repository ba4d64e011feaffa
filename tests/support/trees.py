"""Trees for the tests of paths, written as `{path: mode}`."""

import re
from collections.abc import Mapping

from editblocks.paths.tree import Entries

FILE, EXECUTABLE, LINK, MODULE, DIRECTORY = "100644", "100755", "120000", "160000", "040000"
ONE_LINE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e]+")

SMALL = {
    "README.md": FILE,
    "run.sh": EXECUTABLE,
    "src/app.py": FILE,
    "src/cart.py": FILE,
    "src/deep/x.py": FILE,
    "link": LINK,
    "src/link": LINK,
    "vendor/lib": MODULE,
    "docs/cafe\u0301.md": FILE,
    "tools/Make.py": FILE,
    "a": FILE,
    "a-b": FILE,
}


def tree_of(files: Mapping[str, str]) -> Entries:
    """Return a function like `Repo.entries` for a tree given as `{path: mode}`."""
    directories: dict[str, dict[str, str]] = {"": {}}
    for path, mode in files.items():
        names = path.split("/")
        for depth, name in enumerate(names):
            here = directories.setdefault("/".join(names[:depth]), {})
            here[name] = mode if depth == len(names) - 1 else DIRECTORY

    def entries(directory: str) -> Mapping[str, str]:
        assert isinstance(directory, str)  # a real tree would fail for None too
        return directories.get(directory, {})

    return entries
