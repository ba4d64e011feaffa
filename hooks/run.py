"""Run the action from its own tree: the last step of action.yml, started by `python3 -I -B`.

The packages come from the folder that the install step filled and from the action's own source, and
from nowhere else: the workspace belongs to whoever opened the pull request.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> int:
    """Put the two folders first, then hand over."""
    source = Path(__file__).resolve().parent.parent / "src"
    packages = os.environ["SITE"]  # which the install step made
    sys.path[:0] = [str(source), packages]
    from editblocks.faces.action.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
