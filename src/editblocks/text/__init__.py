"""The text of files: its bytes and lines, the origin of each line, and its language."""
