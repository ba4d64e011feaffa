"""The folders of this checkout."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS, EXAMPLES, HOOKS = ROOT / "docs", ROOT / "examples", ROOT / "hooks"
TESTS = ROOT / "tests"
CASES, DATA = TESTS / "cases", TESTS / "data"


def at_least_one(number: str) -> int:
    """Parse a positive integer from the command line (an argparse `type`). Raises `ValueError`."""
    if int(number) < 1:
        raise ValueError(number)
    return int(number)
