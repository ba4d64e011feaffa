"""Read a JSON result that somebody hands us: nothing is shown that is not as `results.schema.json` says.

The check knows those words of JSON Schema that the schema uses to say what a value is; what follows from what, it
leaves alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from editblocks.core.phrases import plural
from editblocks.core.settings import CEILINGS

MOST_BYTES = 64 * 1024 * 1024
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


class NotOurs(ValueError):
    """The text is no result that this version can show; the message is for people."""


def looks_like_a_result(text: str) -> bool:
    """Whether a text can only be meant as a JSON result: no answer of a model begins like that."""
    return re.match(r"\ufeff?\s*\{\s*\"", text) is not None and '"schema_version"' in text


def read_result(data: bytes) -> dict[str, Any]:
    """The result in `data`. Raises `NotOurs`."""
    if len(data) > MOST_BYTES:
        raise NotOurs(f"is over the limit of {MOST_BYTES:,} bytes")
    try:
        result = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotOurs("is not JSON that can be read; make it again") from error
    if not isinstance(result, dict) or result.get("schema_version") is None:
        raise NotOurs("is not a result of editblocks; make one with `editblocks check --format json --texts`")
    version = result["schema_version"]
    if type(version) is not int or version != 1:
        raise NotOurs("was made by another version of editblocks; read it with that version")
    blocks = result.get("blocks")
    if isinstance(blocks, list) and len(blocks) > CEILINGS["max_blocks"]:
        most = CEILINGS["max_blocks"]
        raise NotOurs(f"has {plural(len(blocks), 'block')}, the limit is {most:,}")
    schema = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))
    fault = next(_Check(schema["$defs"]).faults(result, schema, "it"), None)
    if fault is not None:
        raise NotOurs(f"is not a result that editblocks wrote: {fault}")
    if [block["number"] for block in result["blocks"]] != list(range(1, len(result["blocks"]) + 1)):
        raise NotOurs("is not a result that editblocks wrote: its blocks are not numbered from 1")
    if not _is_consistent(result):
        raise NotOurs("is not a result that editblocks wrote: its blocks do not match its summary or outcome")
    return dict(result)


def _is_consistent(result: Mapping[str, Any]) -> bool:
    """Whether the counts and the outcome are those of the blocks."""
    summary = result["summary"]
    blocks = result["blocks"]
    statuses = [block["status"] for block in blocks]
    fine = [block["ok"] for block in blocks]
    counts = {status: statuses.count(status) for status in ("applied", "failed", "skipped")}
    outcomes = {"partial", "failed"}
    if not blocks:
        outcomes = {"empty"}
    elif all(fine):
        outcomes = {"ok"}
    return bool(
        {**summary, **counts, "total": len(blocks), "ok": sum(fine)} == summary
        and result["outcome"] in outcomes
        and all(block["ok"] >= (block["status"] == "applied") for block in blocks)
        and result["written"] >= any(block["written"] for block in blocks)
    )


class _Check:
    """What is wrong with a value; `definitions` are those that the schema refers to."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def faults(self, value: Any, schema: Mapping[str, Any], name: str) -> Iterator[str]:
        """Yield each fault, with the name of the member that has it."""
        if "$ref" in schema:
            schema = self._definitions[schema["$ref"].removeprefix("#/$defs/")]
        if "anyOf" in schema and all(next(self.faults(value, each, name), None) for each in schema["anyOf"]):
            yield f"{name} has the wrong type"
        kinds = schema.get("type", [])
        if isinstance(kinds, str):
            kinds = [kinds]
        if kinds and not _is_a(value, kinds):
            yield f"{name} has the wrong type"
        elif value not in schema.get("enum", [value]) or value != schema.get("const", value):
            yield f"{name} has a value that is not allowed there"
        elif isinstance(value, dict):
            yield from self._members(value, schema, name)
        elif isinstance(value, list):
            for number, item in enumerate(value, 1):
                yield from self.faults(item, schema.get("items", {}), f"{name}, number {number},")
        elif not _is_allowed(value, schema):
            yield f"{name} has a value that is not allowed there"

    def _members(self, value: dict[str, Any], schema: Mapping[str, Any], name: str) -> Iterator[str]:
        yield from (f"{name} has no `{member}`" for member in schema.get("required", ()) if member not in value)
        known = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        of_what = "" if name == "it" else f" of {name}"
        for member, item in value.items():
            if member in known:
                yield from self.faults(item, known[member], f"`{member}`{of_what}")
            elif others:
                yield from self.faults(item, others, f"a member{of_what}")


def _is_a(value: Any, kinds: list[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in kinds
    return any(isinstance(value, _TYPES.get(kind, ())) for kind in kinds)


def _is_allowed(value: Any, schema: Mapping[str, Any]) -> bool:
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, (int, float)):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True
