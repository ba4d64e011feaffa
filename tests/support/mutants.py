"""How many small changes to the code of a room its own tests notice: `python -m support.mutants ROOM`, with mutmut.

    pip install mutmut
    PYTHONPATH=tests python -m support.mutants paths
    PYTHONPATH=tests python -m support.mutants formats --only 'unified*'

It works on a copy in `build/mutants/ROOM`, where `mutmut show NAME` prints a change that no test noticed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

from support.project import ROOT

FOLDERS = ("src", "tests", "docs", "examples", "hooks", "bench")  # what tests read
FILES = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "action.yml")
# The tests of other rooms that are needed to notice what a room does: its results are seen there.
ALSO = {
    "core": ("tests/report", "tests/applying"),
    "formats": ("tests/parsing", "tests/applying"),
    "matching": ("tests/applying",),
    "applying": (),
    "paths": (),
}
# mutmut forks a process that has run all tests: a cache that one of them filled would hide a change.
COLD = """

def pytest_sessionstart() -> None:
    import sys
    for name, module in list(sys.modules.items()):
        if name.startswith("editblocks"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
"""


def copied(room: str, only: str) -> Path:
    """A folder with a copy of the project in which mutmut is told what to change and what to run."""
    folder = ROOT / "build/mutants" / room
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    told = {
        "source_paths": ["src/"],
        "only_mutate": [f"src/editblocks/{room}/{only}.py"],
        "also_copy": [*FOLDERS[2:], *FILES[1:]],
        "pytest_add_cli_args_test_selection": [f"tests/{room}", *ALSO[room]],
        "pytest_add_cli_args": ["-q", "-x", "-k", "not no_text_raises"],  # that takes longer than all others together
        "use_git_change_detection": False,
        "track_dependencies": False,
    }
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("\n[tool.mutmut]\n")
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in told.items())
    with (folder / "tests/conftest.py").open("a", encoding="utf-8") as file:
        file.write(COLD)
    return folder


def main() -> int:
    """Run mutmut in the copy, and print what was not noticed."""
    parser = ArgumentParser(prog="python -m support.mutants", description="change the code, and see which test fails")
    parser.add_argument("room", choices=sorted(ALSO))
    parser.add_argument("--only", default="*", metavar="GLOB", help="the modules of the room that are changed")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    folder = copied(options.room, options.only)
    mutmut = [sys.executable, "-m", "mutmut"]
    subprocess.run([*mutmut, "run", "--max-children", str(options.jobs)], cwd=folder, check=True)
    subprocess.run([*mutmut, "results"], cwd=folder, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
