"""What `typing` gives to a running program, without loading it: that would be 4 % of a start.

`TYPE_CHECKING` is true to type checkers, which see the real `NamedTuple` and `Protocol`. A start makes fifty named
tuples; here each takes half the time, because no annotation is compiled, and no class gets its bases twice.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False

__all__ = ["TYPE_CHECKING", "NamedTuple", "Protocol"]

if TYPE_CHECKING:
    from typing import Any, NamedTuple, Protocol
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

    class Protocol:
        """The base of a class that only says what others have."""
