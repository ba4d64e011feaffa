"""Git itself: one process wrapper, objects, trees, commits."""
