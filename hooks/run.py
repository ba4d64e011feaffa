"""Run the action from its own tree: the last step of action.yml, started by `python3 -I -B`.

Packages come only from the folder that the install step filled and from the action's own source, because the author of
the pull request controls the workspace.
"""

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from pathlib import Path
from types import ModuleType

# Importing PyGithub loads all its 175 modules, though a run uses only a third, and two packages for keys and secrets.
LATER = ("github.", "jwt", "nacl")


class LoadLater(MetaPathFinder):
    """Loads a module when one of its names is first used, which saves a quarter of the time to import PyGithub.

    PyGithub's modules are never compiled beforehand; see the install step in action.yml.
    """

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(LATER):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def main() -> int:
    """Put the two folders first on the path, then start the action."""
    source = Path(__file__).resolve().parent.parent / "src"
    packages = os.environ["SITE"]  # made by the install step
    sys.path[:0] = [str(source), packages]
    sys.meta_path.insert(0, LoadLater())
    from editblocks.faces.action import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
