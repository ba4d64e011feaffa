"""The golden outlines of tests/data/outlines; `PYTHONPATH=tests python -m support.outline_golden` writes them.

A page is a source file with a column to its left, where `|` marks the lines that the outline shows.
"""

from support.project import DATA

from editblocks.faces.cli.context import outline
from editblocks.prompts.files import definitions

FOLDER = DATA / "outlines"
SHOWN, LEFT_OUT = "| ", "  "
PAGES = {path.name.removesuffix(".txt"): path for path in sorted(FOLDER.glob("*.txt"))}


def source(name: str) -> list[str]:
    """The lines of the source file, without the column."""
    return [line[2:] for line in PAGES[name].read_text("utf-8").split("\n")[:-1]]


def page(name: str) -> str:
    """The page with its column regenerated from the current outline."""
    lines = source(name)
    shown = {line for start, stop in outline(definitions(lines, name)) for line in range(start, stop)}
    marked = (f"{SHOWN if number in shown else LEFT_OUT}{line}".rstrip(" ") for number, line in enumerate(lines))
    return "".join(f"{line}\n" for line in marked)


if __name__ == "__main__":
    for name, path in PAGES.items():
        path.write_text(page(name), "utf-8")
