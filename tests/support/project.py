"""Where things are in the checkout."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS, EXAMPLES, HOOKS = ROOT / "docs", ROOT / "examples", ROOT / "hooks"
TESTS = ROOT / "tests"
CASES, DATA = TESTS / "cases", TESTS / "data"
