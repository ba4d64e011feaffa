"""Which paths a block may change. Import path rules from here; order and codes: docs/internals/security.md, "paths".

`check_syntax` checks the text of a path (steps 1 to 5), `check_tree` the tree (6 to 8), `Overlay` the earlier blocks
(9), `check_policy` what such a file would do there (10). All are pure and return a `PathError` or None.
"""

from __future__ import annotations

from editblocks.paths.policy import check_policy, is_protected, is_response_file, is_workflow, needs_review
from editblocks.paths.syntax import Operation, PathError, check_syntax, is_safe_path
from editblocks.paths.tree import Entries, Overlay, check_tree

__all__ = [
    "Entries",
    "Operation",
    "Overlay",
    "PathError",
    "check_policy",
    "check_syntax",
    "check_tree",
    "is_protected",
    "is_response_file",
    "is_safe_path",
    "is_workflow",
    "needs_review",
]
