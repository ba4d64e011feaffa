"""SHA-256 digests of what was read, which bind an approval, a commit, a page or a finding to it. A check needs none."""

from collections.abc import Callable
from hashlib import sha256
from json import dumps

from editblocks.core.blocks import EditBlock, Problem, digest_of
from editblocks.core.errors import UnreadableFile
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Response


def response_digest(response: Response) -> str:
    """SHA-256 of what was read, 64 hex digits, whatever its line ends: an approval is bound to it.

    For a review it covers each text and the id of its comment, for a file its path and the id of its bytes.
    """
    if response.blob is not None:
        return _sha256(f"{response.source.path}\n{response.blob}")
    if response.parts:
        return _sha256(dumps([[part.id, part.text] for part in response.parts]))
    return _sha256(response.text.replace("\r\n", "\n"))


def plan_digest(response: Response, result: ApplyResult, read: Callable[[str], bytes | None]) -> str:
    """Return 64 hex digits that change with the response, a file that it names, a verdict, or the planned bytes."""
    parts = [response.source.id, response_digest(response), *map(repr, map(_verdict, result.rows))]
    paths = {path for row in result.results for path in row.block.paths}
    parts += [f"{path}\n{file_state(read, path)}" for path in sorted(paths)]
    parts += [f"{path}\n{_state_of(data)}" for path, data in sorted(result.contents.items())]
    parts += [repr(sorted(result.modes.items())), repr(sorted(result.renamed.items()))]
    return digest_of(parts)


def _verdict(row: EditResult | Problem) -> tuple[object, ...]:
    if isinstance(row, Problem):
        return row.number, row.code.value
    return row.block.number, row.status.value, row.code, row.strategy, row.span, row.estimated_line


def file_state(read: Callable[[str], bytes | None], path: str) -> str:
    """Return a word for the state of a file: the SHA-256 of its bytes, `none` for no file, or the code of the error."""
    try:
        return _state_of(read(path))
    except UnreadableFile as error:
        return error.code.value


def _state_of(data: bytes | None) -> str:
    if data is None:
        return "none"
    return sha256(data).hexdigest()


def block_key(block: EditBlock) -> str:
    """Return a key for a block that is unique in its answer. The number is in it because requests may be repeated."""
    return f"{block.number} {block.digest}"


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
