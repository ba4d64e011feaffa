"""Measure how many small changes (mutants) of the code in a folder of src/editblocks, a room, its tests notice.

    pip install mutmut
    PYTHONPATH=tests python -m support.mutants paths
    PYTHONPATH=tests python -m support.mutants formats --only 'unified*'

This works on a copy in `build/mutants/ROOM`. There, `mutmut show NAME` prints a change that no test noticed. mutmut
makes the changes and records which tests run each function; `mutants_tried` runs these tests.
"""

import json
import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path

from support.project import ROOT

FOLDERS = ("src", "tests", "docs", "examples", "hooks", "bench")  # folders that tests read
FILES = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "action.yml")
# Tests of other rooms that check the results of a room, so that they are needed to notice its changes.
ALSO = {
    "core": ("tests/report", "tests/applying"),
    "formats": ("tests/parsing", "tests/applying"),
    "matching": ("tests/applying",),
    "applying": (),
    "paths": (),
}


def copied(room: str, only: str) -> Path:
    """Copy the project into a new folder, with settings that tell mutmut what to change and which tests to run."""
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
        "pytest_add_cli_args": ["-q", "-x", "-k", "not no_text_raises"],  # this takes longer than all others
        "use_git_change_detection": False,
        "track_dependencies": False,
    }
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("\n[tool.mutmut]\n")
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in told.items())
    return folder


def main() -> int:
    """Run mutmut in the copy, and print the changes that no test noticed."""
    parser = ArgumentParser(prog="python -m support.mutants", description="change the code, and see which test fails")
    parser.add_argument("room", choices=sorted(ALSO))
    parser.add_argument("--only", default="*", metavar="GLOB", help="the modules of the room that are changed")
    options = parser.parse_args()
    if find_spec("mutmut") is None:
        parser.error("mutmut is missing: pip install mutmut")
    if not any((ROOT / "src/editblocks" / options.room).glob(f"{options.only}.py")):
        parser.error(f"no module in {options.room} has a name like {options.only}")
    folder = copied(options.room, options.only)
    mutmut = [sys.executable, "-m", "mutmut"]
    # Let mutmut change the code and record which tests run which function. It then stops: no change is called `none`.
    made = subprocess.run([*mutmut, "run", "--max-children", "1", "none"], cwd=folder, capture_output=True, check=False)
    copy = folder / "mutants"
    if not (copy / "mutmut-stats.json").exists():
        sys.exit(made.stdout.decode(errors="replace") + made.stderr.decode(errors="replace"))
    env = {**os.environ, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy / 'tests'}"}
    tried = [sys.executable, "-m", "pytest", "-p", "support.mutants_tried", "-s", "-q"]
    tried += ["-o", "tmp_path_retention_policy=none", f"tests/{options.room}", *ALSO[options.room]]
    subprocess.run(tried, cwd=copy, env=env, check=True)
    subprocess.run([*mutmut, "results"], cwd=folder, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
