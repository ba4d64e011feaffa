"""Hostile input costs twice as much when it is twice as long: docs/internals/design.md, "hostile text".

No time is asserted in the fast profile: what is counted are the calls that Python makes, of functions
and of methods of strings and lists alike, so that the same input gives the same number everywhere.
"""

from collections.abc import Callable
from typing import Any

import pytest
from support.call_blocks import JSON, plan, replace
from support.file_blocks import add, delete, parsed, rename
from support.hostile_responses import FLAT, MOST, RESPONSES, fill, growth
from support.planned import Given
from support.responses import block

from editblocks import EditBlock, Settings, apply_response, parse_response
from editblocks.applying.engine import apply_parsed
from editblocks.parsing.parse import StreamParser

STEEP = {"indentations of tabs and spaces"}  # so few lines in a short one that the fixed part is felt


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(name, size, marks=pytest.mark.long if size > 4_096 and name not in STEEP else ())
        for name in RESPONSES
        for size in ([8_192] if name in STEEP else [4_096, 8_192])
    ],
)
def test_s14_reading_takes_calls_in_proportion(name: str, size: int) -> None:
    make = RESPONSES[name]

    def work(size: int) -> Callable[[], Any]:
        text = make(size)
        return lambda: parse_response(text)

    assert growth(work, size) <= FLAT


def test_feeding_a_long_line_in_small_pieces_takes_calls_in_proportion() -> None:
    def work(size: int) -> Callable[[], Any]:
        def feed() -> None:
            parser = StreamParser()
            for _ in range(size // 4):
                parser.feed("abcd")
            parser.close()

        return feed

    assert growth(work, 16_384) <= FLAT


def braces(count: int) -> bytes:
    return b"}\n" * count


# How long the file is does not matter to a block that fits everywhere but for its last line, and so on.
PLANS: dict[str, Callable[[int], tuple[str, dict[str, bytes]]]] = {
    "a brace in braces": lambda n: (block("}\n", "x\n"), {"a.py": braces(n)}),
    "braces in braces": lambda n: (block("}\n" * (n // 2), "x\n"), {"a.py": braces(n)}),
    "braces in shifted braces": lambda n: (block("}\n" * (n // 2), "x\n"), {"a.py": b" }\n" * n}),
    "braces that fit but for the last line": lambda n: (block("}\n" * 200 + "x\n", "y\n"), {"a.py": braces(n)}),
    "braces that fit but for trailing space": lambda n: (block("}\n" * n, "y\n"), {"a.py": b"} \n" * n}),
    "pairs in pairs": lambda n: (block("a\nb\n" * (n // 4), "x\n"), {"a.py": b"a\nb\n" * (n // 2)}),
    "braces put before braces": lambda n: (
        block("}\n" * (n // 4), "}\n" * (n // 2)),
        {"a.py": b"x\n" * n + braces(n // 4)},
    ),
    "lines that step ever deeper": lambda n: (
        block("x\nz\n", "y\n"),
        {"a.py": "".join(f"{' ' * (1 + i % 300)}x\n{' ' * (2 + i % 300)}z\n" for i in range(n // 8)).encode()},
    ),
    "many blocks for one missing file": lambda n: (fill(block("x\n", "y\n", "b.py"), n * 8), {}),
    "many blocks in many files": lambda n: (
        "".join(block("x\n", "y\n", f"{i}.py") for i in range(n // 64)),
        {f"{i}.py": b"x\n" for i in range(n // 64)},
    ),
    "new lines that were kept": lambda n: (
        block("".join(f"{i}\n" for i in range(n)), "".join(f"{i}\n+\n" for i in range(n))),
        {"a.py": "".join(f"{i}\n" for i in range(n)).encode()},
    ),
    "hunks with scopes": lambda n: (
        "*** Begin Patch\n*** Update File: a.py\n"
        + "".join(f"@@ def f{i}():\n-    x = {i}\n+    y = {i}\n" for i in range(n // 16))
        + "*** End Patch\n",
        {"a.py": "".join(f"def f{i}():\n    x = {i}\n    return x\n\n" for i in range(n // 16)).encode()},
    ),
    "nothing like it": lambda n: (block("alpha beta\n" * 9, "x\n"), {"a.py": b"beta gamma\n" * n}),
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.long(after=2)
def test_s14_planning_takes_calls_in_proportion(name: str) -> None:
    make = PLANS[name]

    def work(size: int) -> Callable[[], Any]:
        text, files = make(size)
        return lambda: apply_response(text, files.get)

    assert growth(work, 2_048) <= MOST


MANY: dict[str, Callable[[int], EditBlock]] = {
    "deletes": lambda n: delete(f"src/{n}.py"),
    "renames": lambda n: rename(f"src/{n}.py", f"src/new{n}.py"),
    "renames of one file": lambda n: rename(f"src/{n or ''}.py", f"src/{n + 1}.py"),
    "renames by case alone": lambda n: rename(f"src/a{n}.py", f"src/A{n}.py"),
    "new files": lambda n: add(f"src/new{n}.py", "x\n"),
}


@pytest.mark.long
@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_s14_many_files_of_one_folder_take_calls_in_proportion(make: Callable[[int], EditBlock]) -> None:
    def work(size: int) -> Callable[[], Any]:
        names = [f"{name}{number}.py" for number in range(size) for name in ("", "a")]
        folders = {"": {"src": "040000"}, "src": dict.fromkeys(names, "100644")}
        repo: Any = Given({f"src/{name}": b"x\n" for name in names}.get, folders.get, None)
        rows = parsed(*map(make, range(size)))
        return lambda: apply_parsed(rows, repo, Settings()._replace(max_files=size * 2, max_blocks=size))

    assert growth(work, 256) <= MOST


EVERY = JSON._replace(is_every=True)
CALLS: dict[str, Callable[[int], tuple[list[EditBlock], bytes]]] = {
    "every blank of one line": lambda n: ([replace(" ", "\t", EVERY)], b" " * n),
    "every blank of many lines": lambda n: ([replace(" ", "\t", EVERY)], b"a b c\n" * (n // 4)),
    "every line break": lambda n: ([replace("\n", "\n\n", EVERY)], b"\n" * n),
    "every place is done": lambda n: ([replace("a", "ab", EVERY)], b"ab" * n),
    "a text in a text": lambda n: ([replace("a" * (n // 2), "b")], b"a" * n),
    "pairs that fit nowhere": lambda n: ([replace(f"no {i} there", "b") for i in range(n // 8)], b"x\n"),
}


@pytest.mark.long
@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_calls_take_calls_in_proportion(make: Callable[[int], tuple[list[EditBlock], bytes]]) -> None:
    def work(size: int) -> Callable[[], Any]:
        pairs, data = make(size)
        return lambda: plan(pairs, {"a.py": data})

    assert growth(work, 2_048) <= MOST
