"""Make the blocks that the patch parsers make from hunks, without a patch to parse."""

from editblocks import EditBlock


def hunk(body: str, number: int = 1, *, path: str = "a.py", form: str = "unified") -> EditBlock:
    """Return the block of a hunk. Each line of `body` begins with its sign: space for context, `-` or `+`."""
    lines = [(line[:1], line[1:] + "\n") for line in body.splitlines()]
    changed = [index for index, (sign, _) in enumerate(lines) if sign != " "] or [len(lines)]
    first, last = changed[0], changed[-1] + 1
    middle = lines[first:last]
    anchor, old, new, below = (
        "".join(text for sign, text in part if sign in signs)
        for part, signs in ((lines[:first], " "), (middle, " -"), (middle, " +"), (lines[last:], " "))
    )
    return EditBlock(number, path, form, 10 * number, 10 * number + 5, anchor, old, new, below, body, action="edit")


def numbered(body: str, before: int, after: int, number: int = 1, section: int = 1) -> EditBlock:
    """A hunk whose `@@` header has the line numbers `before` (old file) and `after` (new file)."""
    return hunk(body, number)._replace(line_hint=before, line_after=after, section=section)


def scoped(body: str, *scopes: str, at_end: bool = False, number: int = 1) -> EditBlock:
    """A hunk of an `apply_patch` patch, whose `@@` lines (`scopes`) name the class or function around it."""
    return hunk(body, number, form="v4a")._replace(scopes=scopes, at_end=at_end, section=1)
