"""What only the store in memory has: its record of writes, and its ids."""

import pytest

from editblocks.repos.stores.memory import MemoryRepo


def test_every_write_is_kept() -> None:
    repo = MemoryRepo({"a": b"1\n", "b": b"2\n"})
    assert repo.write({"a": b"one\n", "b": b"2\n", "c": None}, "first") is None
    assert repo.commits == [({"a": b"one\n"}, "first", None)]
    assert repo.head is None


def test_ids_depend_on_everything_before() -> None:
    ids = set()
    for head, message, data in [("0", "m", b"1"), ("1", "m", b"1"), ("0", "n", b"1"), ("0", "m", b"2")]:
        repo = MemoryRepo({}, head=head * 40)
        assert repo.write({"a": data}, message) == repo.head == repo.commits[-1][2]
        assert len(repo.head or "") == 40
        ids.add(repo.head)
    assert len(ids) == 4
    again = MemoryRepo({}, head="0" * 40)
    assert again.write({"a": b"1"}, "m") in ids


def test_a_mode_that_git_does_not_have_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a file mode in git"):
        MemoryRepo({"a": b""}, {"a": "100600"})
