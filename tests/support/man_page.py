"""Generate the man page from the argument parsers; `PYTHONPATH=tests python -m support.man_page` writes it."""

from argparse_manpage.manpage import Manpage
from support.project import DOCS

from editblocks.faces.cli.arguments import parsers

PAGE = DOCS / "editblocks.1"


def made() -> str:
    """The man page. It has no date and no version, so that it changes only when the commands change."""
    top, _ = parsers()
    page = Manpage(top, format="single-commands-section")
    page.date = ""
    page.manual = "editblocks"
    name = ".SH NAME\neditblocks"
    text = str(page).replace(f"{name}\n", f"{name} \\- apply the edit blocks of an answer\n", 1)
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(made(), "utf-8")
