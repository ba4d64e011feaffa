"""Turn the blocks of a response and a tree into an `ApplyResult`: place each block, plan each file. Also revert one."""
