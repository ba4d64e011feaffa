"""The text of files: its bytes and lines, the origin of each line, its language, and invisible characters."""
