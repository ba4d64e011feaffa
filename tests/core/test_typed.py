"""Named tuples of our own making are those of `typing`."""

import copy
import typing
from typing import NamedTuple

import pytest


class Place(NamedTuple):
    """Where a line is."""

    path: str
    line: int = 1
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """For people."""
        return f"{self.path}:{self.line}"

    @classmethod
    def first(cls, path: str) -> "Place":
        """The first line of a file."""
        return cls(path)


class Same(typing.NamedTuple):
    """Where a line is."""

    path: str
    line: int = 1
    notes: tuple[str, ...] = ()


class Bare(NamedTuple):
    """Nothing has a value."""

    path: str


def test_it_is_a_tuple_with_the_fields_and_defaults_of_its_body() -> None:
    place = Place("a.py", line=3)
    assert tuple(place) == tuple(Same("a.py", line=3))
    assert repr(place) == repr(Same("a.py", 3)).replace("Same", "Place")
    assert (Place._fields, Place._field_defaults) == (Same._fields, Same._field_defaults)
    assert (place._asdict(), place._replace(line=4)) == (Same("a.py", 3)._asdict(), ("a.py", 4, ()))
    assert Bare("a.py") == ("a.py",)


def test_what_else_stands_in_the_body_stands_in_the_class() -> None:
    assert Place("a.py").shown == "a.py:1"
    assert Place.first("a.py") == Place("a.py")
    assert (Place.__doc__, Place.__module__, Place.__qualname__) == ("Where a line is.", __name__, "Place")
    assert typing.get_type_hints(Place) == typing.get_type_hints(Same)
    assert copy.deepcopy(Place("a.py", notes=("x",))) == Place("a.py", notes=("x",))


def test_wrong_arguments_are_refused() -> None:
    make: typing.Any = Place
    with pytest.raises(TypeError):
        make()
    with pytest.raises(TypeError):
        make("a.py", column=3)
