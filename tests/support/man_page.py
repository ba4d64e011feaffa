"""The man page, made from the parsers; `PYTHONPATH=tests python -m support.man_page` writes it."""

from __future__ import annotations

from argparse_manpage.manpage import Manpage
from support.project import DOCS

from editblocks.faces.cli.arguments import parsers

PAGE = DOCS / "editblocks.1"


def made() -> str:
    """The page, with neither date nor version, so that it changes with the commands alone."""
    top, _ = parsers()
    page = Manpage(top, format="single-commands-section")
    page.date = ""
    page.manual = "editblocks"
    name = ".SH NAME\neditblocks"
    text = str(page).replace(f"{name}\n", f"{name} \\- apply the edit blocks of an answer\n", 1)
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(made(), "utf-8")
