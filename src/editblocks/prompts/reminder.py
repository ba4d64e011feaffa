"""The rules for writing edit blocks in a few words, for the end of a long prompt."""

REMINDER = """\
Before you answer:
- Write the path of the file alone on its line above the block, as given unless it is said to be \
wrong: not bold, not quoted, no comment sign. \
Fence blocks with four back-ticks. If the text itself holds marker lines, use markers of 8 characters.
- Copy old lines character for character, with their comments, blank lines and indentation.
- Take enough of them to fit one place, two or three above or below; two places are refused. Keep blocks small and \
in reading order: each sees what those before it did.
- Write out every line: no `...`, no "rest unchanged".
- An empty old part creates a file; an empty new part deletes the old lines. To move code, delete it with one \
block and insert it with another."""
