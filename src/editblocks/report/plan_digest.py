"""What identifies a plan: a page that shows one names it, so that no other is applied from there."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from editblocks.core.blocks import Problem
from editblocks.core.digests import digest_of, response_digest
from editblocks.core.errors import UnreadableFile
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Response


def plan_digest(response: Response, result: ApplyResult, read: Callable[[str], bytes | None]) -> str:
    """64 hex digits that change with the response, a file that it names, a verdict, or what would be written."""
    parts = [response.source.id, response_digest(response), *map(repr, map(_verdict, result.rows))]
    paths = {path for row in result.results for path in row.block.paths}
    parts += [f"{path}\n{file_state(read, path)}" for path in sorted(paths)]
    parts += [f"{path}\n{_hash(data)}" for path, data in sorted(result.contents.items())]
    parts += [repr(sorted(result.modes.items())), repr(sorted(result.renamed.items()))]
    return digest_of(parts)


def _verdict(row: EditResult | Problem) -> tuple[object, ...]:
    if isinstance(row, Problem):
        return row.number, row.code.value
    return row.block.number, row.status.value, row.code, row.strategy, row.span, row.estimated_line


def file_state(read: Callable[[str], bytes | None], path: str) -> str:
    """What a file holds, in a word that another state does not have."""
    try:
        return _hash(read(path))
    except UnreadableFile as error:
        return error.code.value


def _hash(data: bytes | None) -> str:
    if data is None:
        return "none"
    return sha256(data).hexdigest()
