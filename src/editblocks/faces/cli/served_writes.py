"""What was written from a served page. It counts as long as the answer and the files are as the write left them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from editblocks.core.digests import response_digest
from editblocks.core.outcome import Outcome, Response
from editblocks.core.typed import NamedTuple
from editblocks.report.plan_digest import file_state

Read = Callable[[str], bytes | None]


class Write(NamedTuple):
    """One write; `blocks` are those that it applied, by number, as members of its JSON result."""

    outcome: Outcome
    blocks: Mapping[int, Mapping[str, Any]]
    news: str

    def is_of(self, response: Response) -> bool:
        """Whether it wrote blocks of this text."""
        return response_digest(self.outcome.response) == response_digest(response)


def still_there(writes: Sequence[Write], read: Read) -> list[Write]:
    """The writes that nobody has undone or written over, in their order."""
    there, expected = list[Write](), dict[str, str]()
    for write in reversed(writes):
        contents, originals = write.outcome.result.contents, write.outcome.result.originals
        after = {path: file_state(contents.get, path) for path in contents}
        if after == {path: expected.get(path) or file_state(read, path) for path in contents}:
            there.insert(0, write)
            expected |= {path: file_state(originals.get, path) for path in contents}  # what earlier ones left
    return there


def blocks_of(writes: Iterable[Write], response: Response) -> Mapping[int, Mapping[str, Any]]:
    """The blocks of a response that are written, by number."""
    return {number: block for write in writes if write.is_of(response) for number, block in write.blocks.items()}


def with_written(result: Mapping[str, Any], written: Mapping[int, Mapping[str, Any]]) -> Mapping[str, Any]:
    """A JSON result in which these blocks, which its plan left out, are as they were when they were written."""
    return {**result, "blocks": [written.get(block["number"], block) for block in result["blocks"]]}
