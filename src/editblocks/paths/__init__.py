"""Which paths a block may change. Order and codes: docs/internals/security.md, "paths".

`check_syntax` checks the text of a path (steps 1 to 5), `check_tree` the tree (6 to 8), `Overlay` the earlier blocks
(9), `check_policy` what such a file would do there (10). All are pure and return a `PathError` or None.
"""
