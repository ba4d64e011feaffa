"""Git: run its process, open a repository, read and make commits, and stage files in its index."""
