"""What names a plan: the same plan has the same name, and whatever a person would decide by changes it."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from support.responses import block

from editblocks.applying.engine import apply_response
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import plan_digest
from editblocks.core.errors import UnreadableFile
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings

FILES: Mapping[str, bytes | None] = {"a.py": b"x = 1\ny = 2\n", "b.py": b"x = 1\n"}
TEXT = block("x = 1\n", "x = 3\n") + block("y = 2\n", "y = 4\n", "b.py") + block("", "z\n", "c.py")


def digest(
    text: str = TEXT,
    files: Mapping[str, bytes | None] = FILES,
    settings: Settings | None = None,
    name: str = "reply.md",
) -> str:
    def read(path: str) -> bytes | None:
        data = files.get(path)
        if data == b"\0":
            raise UnreadableFile(ReasonCode.BINARY, f"{path} is binary")
        return data

    response = Response(text, Source(name, "file", path=name))
    return plan_digest(response, apply_response(response, read, settings), read)


# what is otherwise in another plan
OTHERS: Mapping[str, dict[str, Any]] = {
    "the response": {"text": f"Hello\n{TEXT}"},
    "its name": {"name": "other.md"},
    "one block less": {"text": TEXT.rpartition("c.py")[0]},
    "a file, below the block": {"files": {**FILES, "a.py": b"x = 1\ny = 3\n"}},
    "a file of a block that fails": {"files": {**FILES, "b.py": b"x = 2\n"}},
    "a file that is gone": {"files": {"a.py": b"x = 1\ny = 2\n"}},
    "a file that is there": {"files": {**FILES, "c.py": b""}},
    "a file that cannot be read": {"files": {**FILES, "b.py": b"\0"}},
    "what may be written": {"settings": Settings(deny_paths=("c.py",))},
    "a block that cannot be read": {"text": TEXT.removesuffix(">>>>>>> REPLACE\n")},
}


def test_the_same_plan_has_the_same_digest() -> None:
    assert digest() == digest(files=dict(FILES))
    assert re.fullmatch("[0-9a-f]{64}", digest())


@pytest.mark.parametrize("name", OTHERS)
def test_another_plan_has_another(name: str) -> None:
    others = [digest(**about) for key, about in OTHERS.items() if key != name]
    assert digest(**OTHERS[name]) not in [*others, digest()]


def test_other_files_after_it_have_another() -> None:
    """The answer and the tree are the same: the modes of files are in neither."""
    plan = ApplyResult(contents={"a.py": b"x\n"}, modes={"a.py": "100755"}, renamed={"a.py": "b.py"})
    others = [
        plan._replace(contents={"a.py": b"y\n"}),
        plan._replace(modes={}),
        plan._replace(renamed={"a.py": "c.py"}),
    ]
    response = Response("", Source("a.md", "file", path="a.md"))
    digests = {plan_digest(response, each, FILES.get) for each in (plan, *others)}
    assert len(digests) == 4
