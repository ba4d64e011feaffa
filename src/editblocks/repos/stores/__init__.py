"""Where contents are read and written: a working tree, the index, a commit, GitHub, memory."""
