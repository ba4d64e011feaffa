"""The stores: a working tree, the index, a commit, a branch on GitHub, memory."""
