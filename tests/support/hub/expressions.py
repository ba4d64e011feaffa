"""Expressions of workflows and actions: names, literals, `!`, `==`, `!=`, `&&`, `||` and three functions.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions. Anything else raises `NotSupported`,
even in an operand that does not affect the result: a guess must never decide whether a job runs.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Names = Mapping[str, Any]  # "github.event_name" → a value; "github.event" → a mapping with its members
TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\|\||&&|==|!=|[!(),]|-?\d+(?:\.\d+)?|[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)\s*")
NAME = re.compile(r"[A-Za-z_]")
WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None}


class NotSupported(Exception):
    """An action or a workflow uses a feature that is not implemented here."""


def evaluate(expression: str, names: Names) -> Any:
    """The value of an expression: str, bool, float, None, or any JSON value of an event."""
    tokens = _tokens(expression)
    value = _Reader(tokens, names).either()
    if tokens:
        raise NotSupported(f"expression: {expression}")
    return value


def expand(text: str, names: Names) -> str:
    """Replace every `${{ }}` by its value."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda hit: as_text(evaluate(hit[1], names)), text, flags=re.DOTALL)


def condition(text: object, names: Names) -> bool:
    """Whether an `if:` is true, with or without `${{ }}` around it."""
    return bool(evaluate(re.sub(r"(?s)^\s*\$\{\{(.*)\}\}\s*$", r"\1", as_text(text)), names))


def as_text(value: object) -> str:
    """A value as text: `true`, not `True`; "" for null; a number as JavaScript writes it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)


def _tokens(expression: str) -> list[str]:
    found, at = [], 0
    while at < len(expression):
        hit = TOKEN.match(expression, at)
        if hit is None:
            raise NotSupported(f"expression: {expression}")
        found.append(hit[1])
        at = hit.end()
    return found


class _Reader:
    """A recursive-descent parser, with a method for each level of precedence, the weakest first."""

    def __init__(self, tokens: list[str], names: Names) -> None:
        self.tokens = tokens
        self.names = names

    def take(self, *wanted: str) -> str:
        """Remove and return the next token if it is one of `wanted`; otherwise return ""."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else ""

    def either(self) -> Any:
        value = self.both()
        while self.take("||"):
            other = self.both()
            value = value or other
        return value

    def both(self) -> Any:
        value = self.compared()
        while self.take("&&"):
            other = self.compared()
            value = value and other
        return value

    def compared(self) -> Any:
        value = self.denied()
        while sign := self.take("==", "!="):
            value = _equal(value, self.denied()) is (sign == "==")
        return value

    def denied(self) -> Any:
        return not self.denied() if self.take("!") else self.single()

    def single(self) -> Any:
        if self.take("("):
            return self.closed(self.either())
        token = self.tokens.pop(0) if self.tokens else ""
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if re.fullmatch(r"-?\d+(\.\d+)?", token):
            return float(token)
        if not NAME.match(token):
            raise NotSupported(f"expression: {token!r} where a value is wanted")
        if self.take("("):
            return self.called(token)
        return WORDS[token] if token in WORDS else look_up(token, self.names)

    def closed(self, value: Any) -> Any:
        if not self.take(")"):
            raise NotSupported("expression: a parenthesis that is not closed")
        return value

    def called(self, name: str) -> bool:
        arguments = [self.either()]
        while self.take(","):
            arguments.append(self.either())
        self.closed(None)
        function = FUNCTIONS.get(name.lower())
        if function is None or len(arguments) != 2:
            raise NotSupported(f"expression: {name} with {len(arguments)} arguments")
        return function(*arguments)


def look_up(name: str, names: Names) -> Any:
    """The value of a dotted name, null if its context does not have it. An unknown context raises `NotSupported`."""
    parts = name.split(".")
    for stop in range(len(parts), 0, -1):
        above = ".".join(parts[:stop])
        if above in names:
            return _below(names[above], parts[stop:], name)
    step = re.fullmatch(r"(steps\.[\w-]+)\.outputs\.[\w-]+", name)
    if step and f"{step[1]}.outcome" in names:
        return ""  # the step ran, or was skipped, without setting it
    raise NotSupported(f"expression: {name}")


def _below(value: Any, parts: Sequence[str], name: str) -> Any:
    for part in parts:
        if value is not None and not isinstance(value, Mapping):
            raise NotSupported(f"expression: {name} goes into a value")
        value = None if value is None else value.get(part)
    return value


def _equal(left: Any, right: Any) -> bool:
    """Compare two strings without case, and other values as numbers. A value that is not a number equals no other."""
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    one, other = _number(left), _number(right)
    return one is not None and one == other


def _number(value: Any) -> float | None:
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _contains(search: Any, item: Any) -> bool:
    if isinstance(search, (list, tuple)):
        return any(_equal(each, item) for each in search)
    return as_text(item).lower() in as_text(search).lower()


FUNCTIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "contains": _contains,
    "startswith": lambda text, start: as_text(text).lower().startswith(as_text(start).lower()),
    "endswith": lambda text, end: as_text(text).lower().endswith(as_text(end).lower()),
}
