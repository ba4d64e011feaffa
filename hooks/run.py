"""Run the action from its own tree: the last step of action.yml, started by `python3 -I -B`.

The packages come from the folder that the install step filled and from the action's own source, and
from nowhere else: the workspace belongs to whoever opened the pull request.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from pathlib import Path
from types import ModuleType

# PyGithub imports all of its 175 modules, of which a run uses a third, and two packages for keys and secrets.
LATER = ("github.", "jwt", "nacl")


class LoadLater(MetaPathFinder):
    """Run a module when something of it is used, which saves a quarter of the time to import PyGithub.

    Nothing is compiled here yet, and never will be: see the step in action.yml.
    """

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(LATER):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def main() -> int:
    """Put the two folders first, then hand over."""
    source = Path(__file__).resolve().parent.parent / "src"
    packages = os.environ["SITE"]  # which the install step made
    sys.path[:0] = [str(source), packages]
    sys.meta_path.insert(0, LoadLater())
    from editblocks.faces.action.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
