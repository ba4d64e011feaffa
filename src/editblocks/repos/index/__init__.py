"""Git's index: wait for its lock, stage files, and list what is staged or not on disk."""
