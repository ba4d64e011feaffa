"""`NamedTuple`, as in `typing`, but made in half the time: a start makes fifty of them.

That of `typing` compiles each annotation that is a string, and sets the bases of a class once more when it is made.
Type checkers see that one; a class body is written in the same way.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            """Make a named tuple whose fields are the annotated names of the body; defaults are those with a value."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body.pop("__module__"))
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """The base that a class names to be a named tuple."""
