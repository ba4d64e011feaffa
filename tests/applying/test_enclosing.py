"""What lines stand in, told by indentation and the usual words."""

import pytest

from editblocks.applying.mismatches import enclosing_name

PLACES = (
    ("def total(self):\n    x\n", 1, "total"),
    ("class Cart:\n    def total(self):\n        if a:\n            x\n", 3, "total"),
    ("class Cart:\n    a = 1\n\n    b = 2\n", 3, "Cart"),
    ("func (c *Cart) Total() int {\n\tx\n", 1, "Total"),
    ("export async function pay(cart) {\n  x\n", 1, "pay"),
    ("  pay(cart) {\n    if (a) {\n      x\n", 2, "pay"),
    ("const pay = async (cart) => {\n  x\n", 1, "pay"),
    ("pub fn pay<T>() {\n    x\n", 1, "pay"),
    ("while (true) {\n  x\n", 1, ""),
    ("x\ny\n", 1, ""),
    ("def f():\n    x\n", 5, ""),
    (f"def f():\n  {'y' * 600}\n    x\n", 2, "f"),
    (f"class A:\n  def f(): {'y' * 489}\n    x\n", 2, "f"),
    (f"class A:\n  def f(): {'y' * 490}\n    x\n", 2, "A"),
    ("class A:\n    def f():\n        x\n    y\n", 3, "A"),
    ("def vX(self):\n    x\n", 1, "vX"),
    ("", 0, ""),
)


@pytest.mark.parametrize(("text", "line", "name"), PLACES)
def test_what_lines_stand_in(text: str, line: int, name: str) -> None:
    assert enclosing_name(text.split("\n"), line) == name
