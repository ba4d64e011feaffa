"""Records of writes to a working tree, for undo and for recovery after a kill."""
