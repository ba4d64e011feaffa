"""Which files look as if they were rewritten."""

import pytest

from editblocks import Settings, apply_response


def notes(old: str, new: str, file: str) -> list[str]:
    text = f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    [row] = apply_response(text, {"a.py": file.encode()}.get).results
    assert row.ok
    return [note.code for note in row.notes]


@pytest.mark.parametrize(("lines", "replaced", "expected"), [(9, 9, []), (10, 8, []), (10, 9, ["rewrites-file"])])
def test_most_of_a_file(lines: int, replaced: int, expected: list[str]) -> None:
    file = [f"line {number}\n" for number in range(lines)]
    assert notes("".join(file[:replaced]), "other\n", "".join(file)) == expected


def test_a_whole_file_that_replaces_what_an_earlier_one_wrote() -> None:
    text = "".join(f"a.py\n```\nx = {number}\n```\n\n" for number in (2, 3))
    result = apply_response(text, {"a.py": b"x = 1\n"}.get, Settings(whole_files="all"))
    assert [[note.message for note in row.notes] for row in result.results] == [
        ["replaces the whole file; lines lost: 1 of 1"],
        ["replaces what block 1 wrote, and the whole file; lines lost: 1 of 1"],
    ]
