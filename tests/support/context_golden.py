"""The golden text of tests/data/context; `PYTHONPATH=tests python -m support.context_golden` writes it.

It leaves out the kit at the beginning and the reminder at the end of a prompt, which have golden pages of their own.
"""

from support.project import DATA

from editblocks.faces.cli.context import enclosing, outline
from editblocks.prompts.context import Context, PackedFile, context_text, kit, kit_text
from editblocks.prompts.files import definitions

PAGE = DATA / "context" / "text.txt"
FORM = "diff-fenced"
CART = """\
import json


class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        return sum(item.price for item in self.items)

    def dump(self):
        return json.dumps([item.name for item in self.items])
"""
TAX = "RATE = 19\n"
README = "# Shop\n\n````sh\nmake\n````\n"
MERGE = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"


def packed(path: str, text: str) -> PackedFile:
    """A whole file, packed for a prompt."""
    return PackedFile(path, text.split("\n")[:-1])


def context() -> Context:
    """A context with everything that its text can show: files, part of a file, an outline, a commit and a task."""
    cart = packed("src/cart.py", CART)
    found = definitions(cart.lines, cart.path)
    part = PackedFile(cart.path, cart.lines, enclosing(found, 8, 9))
    summary = PackedFile("src/old cart.py", cart.lines, outline(found))
    return Context(
        [part, packed("src/tax.py", TAX), packed("docs/blocks.md", MERGE)],
        [packed("README.md", README)],
        [summary],
        "4be1d02c9f7e8a6b5d4c3b2a19080706f5e4d3c2",
        "Let total() add the tax,\nas customers see prices with it.\n",
    )


def page() -> str:
    """The text of the context without kit and reminder."""
    chosen = kit(FORM)
    text = context_text(context(), chosen)
    assert text.startswith(f"{kit_text(chosen)}\n\n")
    assert text.count(chosen.reminder) == 1
    return f"{text[len(kit_text(chosen)) + 2 :].replace(chosen.reminder, '(the reminder)')}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
