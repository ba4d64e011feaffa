"""What an approval, a commit and a finding are bound to: SHA-256 of what was read. A check needs none of these."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from json import dumps

from editblocks.core.blocks import EditBlock
from editblocks.core.outcome import Response


def block_digest(block: EditBlock) -> str:
    """SHA-256 over format, path and sections, 64 hex digits: the same request has the same digest."""
    parts = [block.format, block.file_path, block.anchor, block.old_lines, block.new_lines, block.trailing_anchor]
    said = (block.action, block.new_path, block.scopes, block.at_end, block.line_hint, block.line_after, *block.ends)
    if any(said):
        parts.append(repr(said))
    if block.has_crlf:
        parts.append("crlf")
    if block.thread_lines is not None:
        parts.append(repr(tuple(block.thread_lines)))
    if block.range_edits:
        parts.append(repr(block.range_edits))
    if (call := block.call) is not None:
        parts.append(repr((call.old, call.new, call.is_every, call.place_count, call.line, call.view)))
    return digest_of(parts)


def response_digest(response: Response) -> str:
    """SHA-256 of what was read, 64 hex digits, whatever its line ends: an approval is bound to it.

    For a review it covers each text and the id of its comment, for a file its path and the id of its bytes.
    """
    if response.blob is not None:
        return _sha256(f"{response.source.path}\n{response.blob}")
    if response.parts:
        return _sha256(dumps([[part.id, part.text] for part in response.parts]))
    return _sha256(response.text.replace("\r\n", "\n"))


def block_key(block: EditBlock) -> str:
    """What it knows a block of an answer by: the same request may stand in it twice."""
    return f"{block.number} {block_digest(block)}"


def digest_of(parts: Iterable[str]) -> str:
    """SHA-256 over texts, 64 hex digits; where one ends and the next begins is part of it."""
    return _sha256("".join(f"{len(part)}:{part}" for part in parts))


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
