"""Where the program begins: `python -m editblocks`, and the script that pip installs."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; interrupted, even while it is still being loaded, it ends without a word."""
    try:
        from editblocks.faces.cli import main as command_line

        return command_line()
    except KeyboardInterrupt:
        return 130  # boundary.INTERRUPTED, which may not be loaded yet


if __name__ == "__main__":
    sys.exit(main())
