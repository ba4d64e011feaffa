"""Responses and files for tests of the report page: a small shop, many blocks, and text that attacks the page."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.cli.explain import meanings
from editblocks.report.json import Report, document, dumps
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.page.render import render_page
from editblocks.report.status.next_step import main_command
from editblocks.report.view import OutcomeView
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest, settle

HEAD = "4be1d02c9f7e4a1b0d3c5e6f708192a3b4c5d6e7"
COMMENT = Source(
    "issuecomment-2048812345",
    "comment",
    uri="https://github.com/acme/shop/pull/128#issuecomment-2048812345",
    author="octocat",
)
HOSTILE = "<script>alert(1)</script>\u202e\u2066</pre></article>'\"&amp;{{ 7*7 }}\u200b\x1b[2J"

_CART = '''"""The cart of a customer."""

from decimal import Decimal

from shop.prices import price_of


class Cart:
    """What a customer wants to buy."""

    def __init__(self, region):
        self.region = region
        self.items = []

    @property
    def is_empty(self):
        return not self.items

    def total(self):
        return sum(item.price for item in self.items)

    def add(self, item):
        if item.quantity:
            self.items.append(item)

    def clear(self):
        self.items = []
'''
_API = '''"""What the shop answers."""


def get_cart(cart_id):
    cart = load(cart_id)
    return cart.total


def checkout(cart_id):
    cart = load(cart_id)
    return cart.total


class Refunds:
    def refund(self, cart_id):
        cart = load(cart_id)
        return cart.total
'''
_TEST = """from decimal import Decimal

from shop.cart import Cart, Item


def test_total():
    cart = Cart()
    cart.add(Item("tea", 10))
    assert cart.total() == Decimal("10.00")


def test_tax():
    assert Cart().tax() == 0
"""
SHOP: Mapping[str, bytes] = {
    "src/cart.py": _CART.encode(),
    "src/api.py": _API.encode(),
    "tests/test_cart.py": _TEST.encode(),
    "README.md": b"# Shop\n\nPrices include the tax of the region.\n",
}


def block(path: str, old: str, new: str) -> str:
    """A block of the format diff-fenced."""
    return f"`````text\n{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n`````\n\n"


ANSWER = "Totals now include the tax of the region.\n\n" + "".join(
    (
        block(
            "src/cart.py",
            "    def total(self):\n        return sum(item.price for item in self.items)\n",
            '    def total(self):\n        """Sum of the lines, tax included."""\n'
            "        net = sum(item.price * item.quantity for item in self.items)\n"
            "        return net + tax_for(net, self.region)\n",
        ),
        block(
            "src/cart.py",
            "    if item.quantity:\n        self.items.append(item)\n",
            "    if item.quantity:\n        self.items.extend(item)\n",
        ),
        block(
            "src/pricing/tax.py",
            "",
            '"""Tax by region."""\n\nRATES = {"de": Decimal("0.19"), "ch": Decimal("0.081")}\n\n\n'
            "def tax_for(net, region):\n    return net * RATES[region]\n",
        ),
        block(
            "src/api.py",
            "cart = load(cart_id)\nreturn cart.total\n",
            "cart = load(cart_id, lock=True)\nreturn cart.total()\n",
        ),
        block(
            "tests/test_cart.py",
            'def test_total():\n    cart = Cart()\n    cart.add(Item("tea", 10))\n    assert cart.total == 10\n',
            'def test_total():\n    cart = Cart("de")\n    cart.add(Item("tea", 10))\n    assert cart.total == 11\n',
        ),
        block("README.md", "# Shop\n", "# Shop\n\nPrices include the tax of the region.\n"),
        "Then move the old module:\n\n```bash\ngit mv src/old_tax.py src/pricing/legacy.py\nrm -r build\n```\n",
    )
)


def outcome_of(
    answer: str, files: Mapping[str, bytes], source: Source = COMMENT, settings: Settings | None = None
) -> OutcomeView:
    """Check a response on these files, and return the view of the outcome."""
    repo = MemoryRepo(dict(files), head=HEAD)
    request = ApplyRequest(Response(answer, source), settings or Settings(mode="check"))
    return OutcomeView(settle(request, None, lambda: repo, target="acme/shop"))


def result_of(view: OutcomeView, *, has_texts: bool = True) -> dict[str, Any]:
    """The JSON result of a view as the action writes it, parsed."""
    target = {"kind": "pull-request", "server": "https://github.com", "repository": "acme/shop", "pull_request": 128}
    is_comment = view.outcome.response.source is COMMENT
    reply, _ = main_command(view, "/")
    report = Report(
        view,
        target=target if is_comment else {"kind": "worktree"},
        version="1.0.0",
        following=[*([reply] if is_comment and reply else []), *next_commands(view)],
        has_texts=has_texts,
        choosing="/apply " if is_comment else choosing_command(view),
    )
    read: dict[str, Any] = json.loads(dumps(document(report)))
    return read


def page_of(view: OutcomeView) -> str:
    """The report page (HTML) of a view."""
    return render_page(result_of(view), meanings())


def shop_page() -> str:
    """The report page of ANSWER on SHOP."""
    return page_of(outcome_of(ANSWER, SHOP))


def many(count: int, width: int = 1, every: int = 7) -> tuple[str, dict[str, bytes]]:
    """A response with `count` blocks, ten per file, and the files. One block in `every` does not fit."""
    files, answer = {}, []
    for number in range(1, -(-count // 10) + 1):
        lines = [f"def step_{line}(value):\n    return value + {line} * {width * 'x'}\n\n\n" for line in range(10)]
        files[f"src/module_{number}.py"] = "".join(lines).encode()
    for number in range(count):
        path, line = f"src/module_{number // 10 + 1}.py", number % 10
        old = f"def step_{line}(value):\n    return value + {line} * {width * 'x'}\n"
        wrong = old.replace("value +", "values -") if number % every == every - 1 else old
        answer.append(block(path, wrong, old.replace("return value", f"return {number} + value")))
    return "".join(answer), files


def hostile() -> tuple[str, dict[str, bytes]]:
    """A response, and files, with text that tries to inject code wherever the page shows foreign text."""
    name = "src/\u202eevil\u200b&amp;.py"
    files = {"a.html": f"{HOSTILE}\nkeep\n{'x' * 1_000_000}\nend\n".encode(), "b.js": f"{HOSTILE} \nother\n".encode()}
    answer = "".join(
        (
            f"{HOSTILE}\n\n",
            block("a.html", f"{HOSTILE}\nkeep\n", f"{HOSTILE}\nkept {HOSTILE}\n"),
            block("b.js", f"{HOSTILE} no\nothers\n", f"{HOSTILE}\n"),
            block(name, f"{HOSTILE}\n", "new\n"),
            block(f"x{HOSTILE.splitlines()[0]}.py", "a\n", "b\n"),
            block("a.html", f"{'x' * 1_000_000}\n", f"{'y' * 1_000_000}\n"),
            f"```bash\nrm -r {HOSTILE}\n```\n",
        )
    )
    return answer, files


@cache
def hostile_page() -> str:
    """The report page of `hostile`."""
    answer, files = hostile()
    settings = Settings(mode="check", max_response_bytes=4_000_000, suspicious_text="warn")
    return page_of(outcome_of(answer, files, Source("stdin", "stdin", uri="javascript:alert(1)"), settings))
