"""`python -m editblocks` is the command line."""

from __future__ import annotations

import sys

from editblocks.faces.cli import main

if __name__ == "__main__":
    sys.exit(main())
